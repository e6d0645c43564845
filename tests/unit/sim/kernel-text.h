/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels as text, simulated: what most tests of the simulator begin with. */
#pragma once

#include "lang/pypto/pypto.h"
#include "sim/simulate.h"

/* Parses a text in dump mode; errors end the test. */
TsModule     *kernel_module (const char *text);
/* The body of one function `main` with tensors x, y, z [4096, 128] FP32 and what `params` adds; lines of `body` are indented. */
TsModule     *kernel_body (const char *params, const char *body);
/* Simulates a function; `overrides` are separated by spaces. NULL machine: teaching. Errors end the test. */
TsSimulation *kernel_simulate (TsModule *module, const char *function, const char *machine, const char *overrides,
                               const TsSimOptions *options);
/* Diagnostics with this code. */
guint         kernel_count (const TsSimulation *simulation, const char *code);
