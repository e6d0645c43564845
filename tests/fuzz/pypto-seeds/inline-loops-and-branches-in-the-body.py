import pypto.language as pl
@pl.inline
def clipped(t, n, limit):
    for i, (a,) in pl.range(n, init_values=(t,)):
        if i < limit:
            b = pl.exp(a)
        else:
            b = pl.mul(a, 2.0)
        r = pl.yield_(b)
    return r
@pl.program
class P:
    @pl.function
    def f(self, x: pl.Tensor[[8, 8], pl.FP32], n: pl.Scalar[pl.INDEX]) -> pl.Tensor[[8, 8], pl.FP32]:
        for i in pl.range(2):
            x = clipped(x, n, i)
        return x
