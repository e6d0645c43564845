# SPDX-License-Identifier: GPL-3.0-or-later
"""Column sum and column maximum of a tall matrix: two tiles are carried from one iteration to the next.

The sums depend on each other, the loads do not: the recurrence sets the pace only where it is longer than a load.
"""
import pypto.language as pl

ROWS = 256
COLS = 128
STEP = 16


@pl.program
class Carry:
    @pl.function(type=pl.FunctionType.InCore, strict_ssa=True)
    def carry(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.FP32],
        total: pl.Out[pl.Tensor[[STEP, COLS], pl.FP32]],
        peak: pl.Out[pl.Tensor[[STEP, COLS], pl.FP32]],
    ) -> tuple[pl.Tensor[[STEP, COLS], pl.FP32], pl.Tensor[[STEP, COLS], pl.FP32]]:
        first: pl.Tile[[STEP, COLS], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [STEP, COLS], [STEP, COLS], target_memory=pl.Mem.Vec)
        again: pl.Tile[[STEP, COLS], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [STEP, COLS], [STEP, COLS], target_memory=pl.Mem.Vec)
        for i, (s, m) in pl.pipeline(STEP, ROWS, STEP, stage=2, init_values=(first, again)):
            t: pl.Tile[[STEP, COLS], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [i, 0], [STEP, COLS], [STEP, COLS], target_memory=pl.Mem.Vec)
            s_next: pl.Tile[[STEP, COLS], pl.FP32, pl.Mem.Vec] = pl.tile.add(s, t)
            m_next: pl.Tile[[STEP, COLS], pl.FP32, pl.Mem.Vec] = pl.tile.maximum(m, t)
            s_out, m_out = pl.yield_(s_next, m_next)
        total_done: pl.Tensor[[STEP, COLS], pl.FP32] = pl.tile.store(s_out, [0, 0], total)
        peak_done: pl.Tensor[[STEP, COLS], pl.FP32] = pl.tile.store(m_out, [0, 0], peak)
        return total_done, peak_done
