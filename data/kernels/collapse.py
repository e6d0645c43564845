# SPDX-License-Identifier: GPL-3.0-or-later
"""Two stages that end up in one buffer: the tiles are too large for two of each, so MemoryReuse puts both stages on the same bytes.

A reciprocal must not be written over its input, so every stage wants one buffer for its input and one for its result. Before
MemoryReuse it has both. After it the result of the second stage lies where the input of the first was, and the next load of the first
stage has to wait until that result has been stored.

The sizes are made for ascend910b, where three such tiles fit and four do not; the teaching machine refuses even three.
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
        y: pl.Out[pl.Tensor[[BLOCKS * ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[BLOCKS * ROWS, COLS], pl.FP32]:
        for i in pl.pipeline(0, BLOCKS, 1, stage=2):
            t: pl.Tile[[ROWS, COLS], pl.FP32, pl.Mem.Vec] = pl.load(x, [i * ROWS, 0], [ROWS, COLS])
            e: pl.Tile[[ROWS, COLS], pl.FP32, pl.Mem.Vec] = pl.recip(t)
            y = pl.store(e, [i * ROWS, 0], y)
        return y
