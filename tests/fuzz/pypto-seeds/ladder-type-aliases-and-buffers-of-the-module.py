import pypto.language as pl
Row = pl.Tensor[[64], pl.FP32]
LAYOUT = pl.TensorLayout.NZ
VIEW = pl.TensorView(stride=[64, 1], layout=pl.TensorLayout.ND)
ping = pl.MemRef()
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(self, a: Row, b: pl.Tensor[[64, 64], pl.FP32, LAYOUT], c: pl.Tensor[[64, 64], pl.FP32, VIEW], d: pl.Tensor[[4], pl.FP32, pl.ND]):
        t: pl.Tile[[64, 64], pl.FP32, ping, pl.Mem.Vec] = pl.load(c, [0, 0], [64, 64])
