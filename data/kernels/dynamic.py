# SPDX-License-Identifier: GPL-3.0-or-later
"""A loop whose bound is a parameter: the number of blocks is only known when the kernel is called.

Without `-D n=...` eight blocks are assumed, and the diagnostics say so. What the main loop leaves over runs in a cascade of branches.
"""
import pypto.language as pl

MAX_ROWS = 4096
COLS = 64
STEP = 64


@pl.program
class Dynamic:
    @pl.function(type=pl.FunctionType.InCore)
    def dynamic(
        self,
        x: pl.Tensor[[MAX_ROWS, COLS], pl.FP16],
        y: pl.Out[pl.Tensor[[MAX_ROWS, COLS], pl.FP16]],
        n: pl.Scalar[pl.INDEX],
    ) -> pl.Tensor[[MAX_ROWS, COLS], pl.FP16]:
        for i in pl.pipeline(0, n, 1, stage=3):
            t: pl.Tile[[STEP, COLS], pl.FP16, pl.Mem.Vec] = pl.load(x, [i * STEP, 0], [STEP, COLS])
            u: pl.Tile[[STEP, COLS], pl.FP16, pl.Mem.Vec] = pl.relu(t)
            y = pl.store(u, [i * STEP, 0], y)
        return y
