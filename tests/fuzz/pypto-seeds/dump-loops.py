# pypto.program: P
import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(x: pl.Tensor[[64, 128], pl.FP32], y: pl.Out[pl.Tensor[[64, 128], pl.FP32]], n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INT32], c: pl.Scalar[pl.BOOL]):
        for i in pl.parallel(4):
            a: pl.Scalar[pl.INDEX] = i + 1
        for j in pl.unroll(0, 4, 2):
            b: pl.Scalar[pl.INDEX] = j + 1
        for k in pl.range(pl.const(0, pl.INT64), pl.const(4, pl.INT64), pl.const(1, pl.INT64)):
            d: pl.Scalar[pl.INT64] = k + pl.const(1, pl.INT64)
        for l, (p, q) in pl.pipeline(n, 8, stage=3, init_values=(x, y), attrs={"pipeline_overlap_stores": True, "iter_arg_rebind_0": 1}):
            r, s = pl.yield_(q, p)
        while c:
            break
        for o in pl.range(4):
            continue
