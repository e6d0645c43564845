# SPDX-License-Identifier: GPL-3.0-or-later
"""Two stages that end up in one buffer: the tiles are too large for two of each, so MemoryReuse puts both stages on the same bytes.

After LowerPipelineLoops the loads overlap the arithmetic; after MemoryReuse a load has to wait until the other stage has been read.
"""
import pypto.language as pl

BLOCKS = 8
ROWS = 96
COLS = 128


@pl.program
class Collapse:
    @pl.function(type=pl.FunctionType.InCore)
    def collapse(
        self,
        x: pl.Tensor[[BLOCKS * ROWS, COLS], pl.FP32],
        g: pl.Tensor[[BLOCKS * ROWS, COLS], pl.FP32],
        y: pl.Out[pl.Tensor[[BLOCKS * ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[BLOCKS * ROWS, COLS], pl.FP32]:
        for i in pl.pipeline(0, BLOCKS, 1, stage=2):
            t: pl.Tile[[ROWS, COLS], pl.FP32, pl.Mem.Vec] = pl.load(x, [i * ROWS, 0], [ROWS, COLS])
            w: pl.Tile[[ROWS, COLS], pl.FP32, pl.Mem.Vec] = pl.load(g, [i * ROWS, 0], [ROWS, COLS])
            p: pl.Tile[[ROWS, COLS], pl.FP32, pl.Mem.Vec] = pl.mul(t, w)
            e: pl.Tile[[ROWS, COLS], pl.FP32, pl.Mem.Vec] = pl.exp(p)
            y = pl.store(e, [i * ROWS, 0], y)
        return y
