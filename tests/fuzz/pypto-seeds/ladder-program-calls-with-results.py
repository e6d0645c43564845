import pypto.language as pl
@pl.program
class P:
    @pl.function
    def main(self, x: pl.Tensor[[16], pl.FP32]) -> pl.Tensor[[16], pl.FP32]:
        a, b = self.two(x)
        c = self.one(pl.no_dep(a))
        y, task = pl.submit(self.one, c, deps=[])
        return y
    @pl.function
    def one(self, x: pl.Tensor[[16], pl.FP32]) -> pl.Tensor[[16], pl.FP32]:
        return x
    @pl.function
    def two(self, x: pl.Tensor[[16], pl.FP32]) -> tuple[pl.Tensor[[16], pl.FP32], pl.Tensor[[16], pl.FP32]]:
        return x, x
