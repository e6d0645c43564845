import pypto.language as pl
@pl.inline
def scaled(t, factor):
    """What it is, not what happens at the call."""
    u = pl.mul(t, factor)
    return u
@pl.program
class P:
    @pl.function
    def f(self, x: pl.Tensor[[8, 8], pl.FP32]) -> pl.Tensor[[8, 8], pl.FP32]:
        u = pl.exp(x)
        # twice
        y = scaled(u, 2.0)
        z = scaled(factor=3.0, t=y)
        return z
