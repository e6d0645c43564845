import pypto.language as pl
def make_copy(n):
    @pl.function(type=pl.FunctionType.InCore)
    def copy(x: pl.Tensor[[n, 8], pl.FP32], y: pl.Out[pl.Tensor[[n, 8], pl.FP32]]) -> pl.Tensor[[n, 8], pl.FP32]:
        t = pl.load(x, [0, 0], [n, 8])
        y = pl.store(t, [0, 0], y)
        return y
    return copy
copy16 = make_copy(16)
@pl.program
class P:
    @pl.function
    def main(self, x: pl.Tensor[[16, 8], pl.FP32], y: pl.Out[pl.Tensor[[16, 8], pl.FP32]]) -> pl.Tensor[[16, 8], pl.FP32]:
        z = copy16(x=x, y=y)
        return z
