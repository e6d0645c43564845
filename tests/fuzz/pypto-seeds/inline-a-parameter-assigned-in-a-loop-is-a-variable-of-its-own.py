import pypto.language as pl
@pl.inline
def grow(acc, t, n):
    for i in pl.range(n):
        acc = pl.add(acc, t)
    return acc
@pl.program
class P:
    @pl.function
    def f(self, x: pl.Tensor[[8, 8], pl.FP32], n: pl.Scalar[pl.INDEX]) -> pl.Tensor[[8, 8], pl.FP32]:
        y = grow(x, pl.exp(x), n * 2)
        z = pl.add(x, y)
        return z
