# pypto.program: P
import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(x: pl.Tensor[[64, 128], pl.FP32], y: pl.Out[pl.Tensor[[64, 128], pl.FP32]], n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INT32], c: pl.Scalar[pl.BOOL]):
        _submit_tmp: pl.Tuple[pl.Tensor[[4], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.k, x, y, deps=[], dumps=[x], allow_early_resolve=True, predicate=(n < 3), attrs={"a": 1})
        a: pl.Tensor[[4], pl.FP32] = _submit_tmp[0]
        tid: pl.Scalar[pl.TASK_ID] = _submit_tmp[1]
        _submit_tmp_1: pl.Tuple[pl.Tensor[[4], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.spmd_submit(self.k, a, y, deps=[tid, None], core_num=4, sync_start=True)
