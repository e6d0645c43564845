# pypto.program: P
import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(x: pl.Tensor[[64, 128], pl.FP32], y: pl.Out[pl.Tensor[[64, 128], pl.FP32]], n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INT32], c: pl.Scalar[pl.BOOL]):
        a: pl.Tile[[4, 8], pl.FP16, pl.Mem.Vec] = pl.tile.full([4, 8], dtype=pl.FP16, value=0.0)
        b: pl.Tensor[[8, 4], pl.INT32] = pl.tensor.reinterpret_view(x, dtype=pl.INT32, shape=[8, 4])
        d: pl.Scalar[pl.TASK_ID] = pl.system.task_dummy(deps=[])
        e: pl.Tile[[4, 8], pl.INT32, pl.Mem.Vec] = pl.tile.and_(x, x)
        pl.system.syncall(mode="soft", core_type="mix", gm_workspace=x, used_cores=4)
        pl.system.sync_src(set_pipe=pl.PipeType.MTE2, wait_pipe=pl.PipeType.V, event_id=0)
        f: pl.Tile[[4, 8], pl.FP16, pl.Mem.Vec] = pl.tile.cast(x, target_type=pl.FP16, mode='round')
        g: pl.Tensor[[64, 128], pl.FP32] = pl.tensor.assemble(x, x, [0, 0], atomic=pl.AtomicType.Add)
        pld.tensor.put(x, n, x, atomic=0)
        h: pl.Tensor[[64, 128], pl.FP32] = pl.tensor.adds(x, 1.0)
