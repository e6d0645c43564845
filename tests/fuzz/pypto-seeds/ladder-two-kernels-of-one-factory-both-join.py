import pypto.language as pl
def make(cols):
    @pl.function(type=pl.FunctionType.InCore)
    def copy(x: pl.Tensor[[8, cols], pl.FP32], y: pl.Out[pl.Tensor[[8, cols], pl.FP32]]) -> pl.Tensor[[8, cols], pl.FP32]:
        t = pl.load(x, [0, 0], [8, cols])
        y = pl.store(t, [0, 0], y)
        return y
    return copy
narrow, wide = make(8), make(64)
@pl.program
class P:
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[8, 8], pl.FP32], b: pl.Tensor[[8, 64], pl.FP32], c: pl.Out[pl.Tensor[[8, 8], pl.FP32]], d: pl.Out[pl.Tensor[[8, 64], pl.FP32]]):
        c = narrow(a, c)
        d = wide(b, d)
        c = narrow(c, c)
