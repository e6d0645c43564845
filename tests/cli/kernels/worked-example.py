# The worked example of CanonicalizeIOOrder: two copies of a scalar, a load, a computation and a store, each load reading its scalar,
# each computation its load, each store both. Untagged: the loop has one stage.
import pypto.language as pl


@pl.program
class Example:
    @pl.function(type=pl.FunctionType.InCore)
    def main(x: pl.Tensor[[4096, 64], pl.FP32], y: pl.Out[pl.Tensor[[4096, 64], pl.FP32]]):
        for i in pl.pipeline(0, 8, 2, stage=1):
            scalar_0 = i * 32
            load_0 = pl.load(x, [scalar_0, 0], [32, 64])
            compute_0 = pl.exp(load_0)
            store_0 = pl.store(compute_0, [scalar_0, 0], y)
            scalar_1 = (i + 1) * 32
            load_1 = pl.load(x, [scalar_1, 0], [32, 64])
            compute_1 = pl.exp(load_1)
            store_1 = pl.store(compute_1, [scalar_1, 0], y)
        return y
