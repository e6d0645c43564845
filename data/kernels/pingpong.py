# SPDX-License-Identifier: GPL-3.0-or-later
"""An element-wise chain with address scalars: the smallest kernel that can overlap.

With stage=2 the body is cloned, so that the load of one block runs while the other is computed.
"""
import pypto.language as pl

BLOCKS = 8
ROWS = 32
COLS = 128


@pl.program
class PingPong:
    @pl.function(type=pl.FunctionType.InCore)
    def pingpong(
        self,
        x: pl.Tensor[[BLOCKS * ROWS, COLS], pl.FP32],
        y: pl.Out[pl.Tensor[[BLOCKS * ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[BLOCKS * ROWS, COLS], pl.FP32]:
        for i in pl.pipeline(0, BLOCKS, 1, stage=2):
            row: pl.Scalar[pl.INDEX] = i * ROWS
            t = pl.load(x, [row, 0], [ROWS, COLS])
            half = pl.mul(t, 0.5)
            e = pl.exp(half)
            y = pl.store(e, [row, 0], y)
        return y
