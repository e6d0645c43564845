import pypto.language as pl
@pl.inline
def again(t):
    return other(t)
@pl.inline
def other(t):
    return again(t)
@pl.program
class P:
    @pl.function
    def f(self, x: pl.Tensor[[8, 8], pl.FP32]):
        y = again(x)
        z = pl.exp(y)
        w = again(x)
