# pypto.program: P
import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(x: pl.Tensor[[64, 128], pl.FP32], y: pl.Out[pl.Tensor[[64, 128], pl.FP32]], n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INT32], c: pl.Scalar[pl.BOOL]):
        a: pl.Scalar[pl.INDEX] = n ** 2 ** 3
        b: pl.Scalar[pl.INDEX] = (n ** 2) ** 3
        d: pl.Scalar[pl.INDEX] = n & 3 | n ^ 1
        e: pl.Scalar[pl.BOOL] = c xor n < 3
        g: pl.Scalar[pl.INDEX] = abs(n)
        h: pl.Scalar[pl.INDEX] = ~n
