# SPDX-License-Identifier: GPL-3.0-or-later
"""A product of two matrices, block by block along K: L1 tiles are loaded, moved to L0 and accumulated.

Four units take part: MTE2 loads, MTE1 moves, the cube multiplies, FIX drains the accumulator at the end.
"""
import pypto.language as pl

M = 64
K = 512
N = 64
KB = 64


@pl.program
class MatMul:
    @pl.function(type=pl.FunctionType.InCore, strict_ssa=True)
    def matmul(
        self,
        a: pl.Tensor[[M, K], pl.BF16],
        b: pl.Tensor[[K, N], pl.BF16],
        c: pl.Out[pl.Tensor[[M, N], pl.FP32]],
    ) -> pl.Tensor[[M, N], pl.FP32]:
        zero: pl.Tile[[M, N], pl.FP32, pl.Mem.Acc] = pl.tile.create([M, N], dtype=pl.FP32, target_memory=pl.Mem.Acc)
        for k, (acc,) in pl.pipeline(0, K, KB, stage=2, init_values=(zero,)):
            a_l1: pl.Tile[[M, KB], pl.BF16, pl.Mem.Mat] = pl.tile.load(a, [0, k], [M, KB], [M, KB], target_memory=pl.Mem.Mat)
            b_l1: pl.Tile[[KB, N], pl.BF16, pl.Mem.Mat] = pl.tile.load(b, [k, 0], [KB, N], [KB, N], target_memory=pl.Mem.Mat)
            a_l0: pl.Tile[[M, KB], pl.BF16, pl.Mem.Left] = pl.tile.move(a_l1, target_memory=pl.Mem.Left)
            b_l0: pl.Tile[[KB, N], pl.BF16, pl.Mem.Right] = pl.tile.move(b_l1, target_memory=pl.Mem.Right)
            part: pl.Tile[[M, N], pl.FP32, pl.Mem.Acc] = pl.tile.matmul_acc(acc, a_l0, b_l0)
            total: pl.Tile[[M, N], pl.FP32, pl.Mem.Acc] = pl.yield_(part)
        done: pl.Tensor[[M, N], pl.FP32] = pl.tile.store(total, [0, 0], c)
        return done
