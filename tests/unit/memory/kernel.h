/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels of the memory tests: written in shorthand, run through passes, described by where every variable lives. */
#pragma once

#include "machine/machine.h"
#include "passes/pipeline.h"

/* Shorthand: Tile(64, 64; FP32; Vec[; MemRef("x")[; view]]), Tensor(64, 64; FP32[; view]), and no "pl." before pl's names.
 * `header` is the function type, optionally followed by a name and a func_attr dictionary: "AIV k_aiv {"split_aiv": True}".
 * "source " before it: user code, where a dump is read otherwise.
 * `kernel` begins with the parameter list: "(x: Tensor(64, 64; FP32)) -> Tensor(64, 64; FP32):". NULL with diagnostics when it
 * does not parse. */
TsModule  *ts_kernel_parse (const char *kernel, const char *header, TsDiagList *diags);
/* Snapshots of a run; the first is the input. "none" as machine: no backend, no limits. NULL with diagnostics when the kernel
 * does not parse. */
GPtrArray *ts_kernel_run (const char *kernel, const char *header, const char *passes, const char *machine, const char *planner,
                          TsDiagList *diags);
/* "none", or a shipped machine. */
TsMachine *ts_kernel_machine (const char *name);
/* One line per alloc statement ("alloc mem_vec_3 Vec 8192") and per variable with a buffer ("t mem_vec_3+0 8192"; tiles without
 * one: "t -"), in program order. */
char      *ts_kernel_memory (const TsModule *module);
