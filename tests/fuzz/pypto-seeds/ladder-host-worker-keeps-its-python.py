import pypto.language as pl
@pl.program
class P:
    @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)
    def work(a: pl.Tensor[[4], pl.FP32]):
        import numpy as np

        for i in range(3):
            print(f"{i}", a[i])
    @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)
    def other(a: pl.Tensor[[4], pl.FP32]):
        ...
