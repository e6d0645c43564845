import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def core(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        t: pl.Tile[[64, 64], pl.FP32] = pl.load(x, [0, 0], [64, 64])
        z: pl.Tensor[[64, 64], pl.FP32] = pl.store(t, [0, 0], y)
        return z

    @pl.function(type=pl.FunctionType.Opaque)
    def opaque(self, x: pl.Tensor[[64, 64], pl.FP32]) -> pl.Tensor[[64, 64], pl.FP32]:
        z: pl.Tensor[[64, 64], pl.FP32] = pl.add(x, x)
        return z

    @pl.function(type=pl.FunctionType.Inline)
    def inline(self, x: pl.Tensor[[64, 64], pl.FP32]) -> pl.Tensor[[64, 64], pl.FP32]:
        z: pl.Tensor[[64, 64], pl.FP32] = pl.add(x, x)
        return z

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        t: pl.Tile[[64, 64], pl.FP32] = pl.load(x, [0, 0], [64, 64])
        z: pl.Tensor[[64, 64], pl.FP32] = pl.store(t, [0, 0], y)
        return z

    @pl.function(type=pl.FunctionType.Group)
    def group(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        z: pl.Tensor[[64, 64], pl.FP32] = self.vector(x, y)
        return z

    @pl.function(type=pl.FunctionType.InCore)
    def tensors(self, x: pl.Tensor[[64, 64], pl.FP32]) -> pl.Tensor[[64, 64], pl.FP32]:
        z: pl.Tensor[[64, 64], pl.FP32] = pl.add(x, x)
        return z

    @pl.function(type=pl.FunctionType.Group)
    def idle_group(self, x: pl.Tensor[[64, 64], pl.FP32]) -> pl.Tensor[[64, 64], pl.FP32]:
        z: pl.Tensor[[64, 64], pl.FP32] = self.tensors(x)
        return z

    @pl.function(type=pl.FunctionType.AIV, external_source="a.cpp")
    def outside(self, x: pl.Tensor[[64, 64], pl.FP32]) -> pl.Tensor[[64, 64], pl.FP32]:
        ...

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        z: pl.Tensor[[64, 64], pl.FP32] = self.core(x, y)
        return z
