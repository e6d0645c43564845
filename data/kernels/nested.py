# SPDX-License-Identifier: GPL-3.0-or-later
"""A pipeline inside a pipeline: L1 blocks along K outside, L0 blocks inside, one accumulator for all.

Each load carries two stages, its own and that of the loop around it; both are shown.
"""
import pypto.language as pl

M = 64
K = 512
N = 64
L1 = 128
L0 = 64


@pl.program
class Nested:
    @pl.function(type=pl.FunctionType.InCore, strict_ssa=True)
    def nested(
        self,
        a: pl.Tensor[[M, K], pl.BF16],
        b: pl.Tensor[[K, N], pl.BF16],
        c: pl.Out[pl.Tensor[[M, N], pl.FP32]],
    ) -> pl.Tensor[[M, N], pl.FP32]:
        zero: pl.Tile[[M, N], pl.FP32, pl.Mem.Acc] = pl.tile.create([M, N], dtype=pl.FP32, target_memory=pl.Mem.Acc)
        for k, (outer,) in pl.pipeline(0, K, L1, stage=2, init_values=(zero,)):
            a_l1: pl.Tile[[M, L1], pl.BF16, pl.Mem.Mat] = pl.tile.load(a, [0, k], [M, L1], [M, L1], target_memory=pl.Mem.Mat)
            b_l1: pl.Tile[[L1, N], pl.BF16, pl.Mem.Mat] = pl.tile.load(b, [k, 0], [L1, N], [L1, N], target_memory=pl.Mem.Mat)
            for kk, (inner,) in pl.pipeline(0, L1, L0, stage=2, init_values=(outer,)):
                a_l0: pl.Tile[[M, L0], pl.BF16, pl.Mem.Left] = pl.tile.extract(a_l1, 0, kk, [M, L0], target_memory=pl.Mem.Left)
                b_l0: pl.Tile[[L0, N], pl.BF16, pl.Mem.Right] = pl.tile.extract(b_l1, kk, 0, [L0, N], target_memory=pl.Mem.Right)
                part: pl.Tile[[M, N], pl.FP32, pl.Mem.Acc] = pl.tile.matmul_acc(inner, a_l0, b_l0)
                block: pl.Tile[[M, N], pl.FP32, pl.Mem.Acc] = pl.yield_(part)
            total: pl.Tile[[M, N], pl.FP32, pl.Mem.Acc] = pl.yield_(block)
        done: pl.Tensor[[M, N], pl.FP32] = pl.tile.store(total, [0, 0], c)
        return done
