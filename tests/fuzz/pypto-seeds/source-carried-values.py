import pypto.language as pl
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(self, x: pl.Tensor[[64, 128], pl.FP32], h: pl.Tensor[[64, 128], pl.FP16], y: pl.Out[pl.Tensor[[64, 128], pl.FP32]], n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INT32], c: pl.Scalar[pl.BOOL]):
        t = pl.load(x, [0, 0], [64, 64])
        for i, (acc,) in pl.range(4, init_values=(t,)):
            u = pl.add(acc, t)
            out = pl.yield_(u)
        y = pl.store(out, [0, 0], y)
