/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels as text, simulated: what most tests of the simulator begin with. */
#pragma once

#include "lang/pypto/pypto.h"
#include "sim/simulate.h"

/* One clone of the body of the worked check values, `load [128] FP32` (512 bytes), add, store, four spaces in; `k` names the
 * clone. */
#define LOAD(k) \
  "    t" k ": pl.Tile[[1, 128], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [i + " k ", 0], [1, 128], [1, 128], " \
  "target_memory=pl.Mem.Vec)\n"
#define ADD(k) "    u" k ": pl.Tile[[1, 128], pl.FP32, pl.Mem.Vec] = pl.tile.add(t" k ", t" k ")\n"
#define STORE(k) "    s" k ": pl.Tensor[[4096, 128], pl.FP32] = pl.tile.store(u" k ", [i + " k ", 0], z)\n"

/* The first row of x, outside of any loop. */
#define LOAD_ROW(t) \
  t ": pl.Tile[[1, 128], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [1, 128], [1, 128], target_memory=pl.Mem.Vec)\n"

/* Parses a text in dump mode; errors end the test. */
TsModule     *kernel_module (const char *text);
/* The same of Triton IR. */
TsModule     *kernel_ttir (const char *text);
/* The body of one function `main` with tensors x, y, z [4096, 128] FP32 and what `params` adds; lines of `body` are indented. */
TsModule     *kernel_body (const char *params, const char *body);
/* Simulates a function; `overrides` are separated by spaces. NULL machine: teaching. Errors end the test. */
TsSimulation *kernel_simulate (TsModule *module, const char *function, const char *machine, const char *overrides,
                               const TsSimOptions *options);
/* Diagnostics with this code. */
guint         kernel_count (const TsSimulation *simulation, const char *code);
/* Message of the first diagnostic with this code; "" when there is none. */
const char   *kernel_message (const TsSimulation *simulation, const char *code);
