import pypto.language as pl
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(self, x: pl.Tensor[[64, 128], pl.FP32], h: pl.Tensor[[64, 128], pl.FP16], y: pl.Out[pl.Tensor[[64, 128], pl.FP32]], n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INT32], c: pl.Scalar[pl.BOOL]):
        ping = pl.MemRef()
        t: pl.Tile[[64, 64], pl.FP32, ping, pl.Mem.Vec] = pl.load(x, [0, 0], [64, 64])
        u: pl.Tile[[64, 64], pl.FP32, pl.MemRef("pong", slots=2)[n % 2], pl.Mem.Vec] = pl.load(x, [0, 0], [64, 64])
