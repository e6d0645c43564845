# pypto.program: P
import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(x: pl.Tensor[[64, 128], pl.FP32], y: pl.Out[pl.Tensor[[64, 128], pl.FP32]], n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INT32], c: pl.Scalar[pl.BOOL]):
        mem_vec_0: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 8192)
        mem_vec_1: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 8192, pinned=True)
        t: pl.Tile[[32, 64], pl.FP32, pl.MemRef(mem_vec_0, pl.const(0, pl.INT64), 8192), pl.Mem.Vec] = pl.tile.load(x, [0, 0], [32, 64], [32, 64], target_memory=pl.Mem.Vec)
        u: pl.Tile[[16, 64], pl.FP32, pl.MemRef(mem_vec_0, 4096, 4096), pl.Mem.Vec] = pl.tile.slice(t, [16, 64], [16, 0])
        v: pl.Tile[[16, 64], pl.FP32, pl.MemRef(mem_vec_0, n * 64 * 4, 4096), pl.Mem.Vec] = pl.tile.slice(t, [16, 64], [n, 0])
        w: pl.Tile[[16, 64], pl.FP32, pl.MemRef(mem_vec_1, pl.const(0, pl.INT64), 4096, slots=2)[n % 2], pl.Mem.Vec] = pl.tile.neg(u)
