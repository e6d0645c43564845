# pypto.program: P
import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(x: pl.Tensor[[64, 128], pl.FP32], y: pl.Out[pl.Tensor[[64, 128], pl.FP32]], n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INT32], c: pl.Scalar[pl.BOOL]):
        with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.split(pl.SplitMode.UP_DOWN), pl.cross_core_slot(slot_num=4)], name_hint="k", dumps=[x], allow_early_resolve=True, windowize=True) as tid:
            a: pl.Scalar[pl.INDEX] = n + 1
        with pl.at(level=pl.Level.HOST, role=pl.Role.Orchestrator):
            b: pl.Scalar[pl.INDEX] = n + 1
        with pl.cluster(name_hint="c"):
            d: pl.Scalar[pl.INDEX] = n + 1
        with pl.spmd(4, sync_start=True, name_hint="z", deps=[tid], predicate=(n < 3)) as t2:
            e: pl.Scalar[pl.INDEX] = n + 1
        for h in pl.split_aiv(2, mode=pl.SplitMode.LEFT_RIGHT):
            s: pl.Tile[[8, 16], pl.FP32, pl.Mem.Vec] = pl.tile.aiv_shard(x)
