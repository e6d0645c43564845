import pypto.language as pl
@pl.inline
def both(a, b):
    s = pl.add(a, b)
    return s, pl.sub(a, b), a
@pl.program
class P:
    @pl.function
    def f(self, x: pl.Tensor[[8, 8], pl.FP32], y: pl.Tensor[[8, 8], pl.FP32]):
        s, d, same = both(x, y)
        p = pl.mul(s, d)
