# pypto.program: P
import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(x: pl.Tensor[[64, 128], pl.FP32], y: pl.Out[pl.Tensor[[64, 128], pl.FP32]], n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INT32], c: pl.Scalar[pl.BOOL]):
        a: pl.Array[4, pl.INT32] = pl.array.create(4, dtype=pl.INT32)
        b: pl.Tuple[()] = self.g(x)
        d: pl.MemRefType = self.g(x)
        e: pld.WindowBufferType = self.g(x)
        f: pld.DistributedTensor[[4, 8], pl.FP32] = pld.tensor.window(x, [4, 8], dtype=pl.FP32)
        g: pl.Tensor[[n, n * pl.const(2, pl.INDEX)], pl.FP32, pl.TensorView()] = self.g(x)
        h: pl.Tensor[[4, 8], pl.FP32, pl.TensorView(valid_shape=[2, 8], stride=[8, 1], layout=pl.TensorLayout.DN, pad=pl.PadValue.min)] = self.g(x)
        i: pl.Tile[[16, 1], pl.FP32] = self.g(x)
        j: pl.Tile[[16, 16], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[8, 16], fractal=512, pad=pl.PadValue.zero, compact=pl.CompactMode.normal)] = self.g(x)
        k: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec, pl.TileView(start_offset=[0, n], blayout=pl.TileLayout.col_major)] = self.g(x)
