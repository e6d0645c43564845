import pypto.language as pl
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(self, x: pl.Tensor[[64, 128], pl.FP32], h: pl.Tensor[[64, 128], pl.FP16], y: pl.Out[pl.Tensor[[64, 128], pl.FP32]], n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INT32], c: pl.Scalar[pl.BOOL]):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
            t = pl.load(x, [0, 0], [64, 64])
        with pl.spmd(4, name_hint="z") as tid:
            a = n + 1
        for b in pl.spmd(4):
            a = b + 1
        for g in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
            a = g + 1
        with pl.cluster():
            a = n + 2
        with pl.scope(mode=pl.ScopeMode.MANUAL):
            a = n + 3
        with pl.manual_scope():
            a = n + 4
