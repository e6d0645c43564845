# pypto.program: P
import pypto.language as pl

@pl.program
class P:
    @pl.function
    def f(self, a: pl.Tensor[[64, 64], pl.FP32, pl.TensorView(valid_shape=[k__ssa_v0, 64], stride=[], layout=pl.TensorLayout.ND)]) -> pl.Tensor[[64, 64], pl.FP32]:
        k__ssa_v0: pl.Scalar[pl.INDEX] = pl.tensor.dim(a, 0)
        b: pl.Tensor[[k__ssa_v0, 64], pl.FP32] = pl.tensor.exp(a)
        return b
