# SPDX-License-Identifier: GPL-3.0-or-later
"""Row normalisation: every row is divided by its root mean square and scaled by a gain.

The reduction is slow on the vector unit, so the loads hide behind it once there are two stages.
"""
import pypto.language as pl

TOKENS = 256
HIDDEN = 128
STEP = 16


@pl.program
class RmsNorm:
    @pl.function(type=pl.FunctionType.InCore)
    def rmsnorm(
        self,
        x: pl.Tensor[[TOKENS, HIDDEN], pl.FP32],
        gain: pl.Tensor[[1, HIDDEN], pl.FP32],
        y: pl.Out[pl.Tensor[[TOKENS, HIDDEN], pl.FP32]],
    ) -> pl.Tensor[[TOKENS, HIDDEN], pl.FP32]:
        g: pl.Tile[[1, HIDDEN], pl.FP32, pl.Mem.Vec] = pl.load(gain, [0, 0], [1, HIDDEN])
        for i in pl.pipeline(0, TOKENS // STEP, 1, stage=2):
            t = pl.load(x, [i * STEP, 0], [STEP, HIDDEN])
            sq = pl.mul(t, t)
            scratch = pl.create_tile([STEP, HIDDEN], dtype=pl.FP32, target_memory=pl.Mem.Vec)
            total = pl.row_sum(sq, scratch)
            mean = pl.mul(total, 1.0 / HIDDEN)
            safe = pl.add(mean, 1e-6)
            root = pl.sqrt(safe)
            scale = pl.recip(root)
            normed = pl.row_expand_mul(t, scale)
            out = pl.col_expand_mul(normed, g)
            y = pl.store(out, [i * STEP, 0], y)
        return y
