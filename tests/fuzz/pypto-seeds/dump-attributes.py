# pypto.program: P
import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(x: pl.Tensor[[64, 128], pl.FP32], y: pl.Out[pl.Tensor[[64, 128], pl.FP32]], n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INT32], c: pl.Scalar[pl.BOOL]):
        t: pl.Tile[[4, 8], pl.FP32, pl.Mem.Vec] = pl.tile.neg(x, attrs={"pipeline_membership": "1:1;3:0", "core_num": 4, "name": "a", "scale": 0.5, "dtype": pl.FP16, "list": [1, 2], "flag": True})
        u: pl.Tile[[4, 8], pl.FP32, pl.Mem.Vec] = pl.tile.neg(t, attrs={"pipeline_membership": "01:1;x;3:0"})
        self.g(x, device=0, attrs={"dump_vars": [x], "arg_directions": [pl.adir.input, pl.adir.output_existing], "tid": n})
