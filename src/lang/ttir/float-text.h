/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Floats of Triton IR: bits of each format, and the printed form. Source: spec ttir section 8. */
#pragma once

#include "ir/type.h"

/* Width of the format in bits; of what is no float: 64. */
guint  tt_float_bits (TsDtype dtype);
/* The value of a bit pattern in a float format. Bits above its width do not count. A NaN keeps its fraction. */
double tt_float_from_bits (guint64 bits, TsDtype dtype);
/* The bit pattern of a value, rounded to nearest even; what is too large becomes what the format has for it: infinity, NaN, or its
 * largest number. */
guint64 tt_float_to_bits (double value, TsDtype dtype);
/* The value that the format holds for this one. */
double tt_float_round (double value, TsDtype dtype);
/* Six-digit exponent form when that reads back to the same bits, else the digits that surely tell neighbours apart in the form of
 * MLIR when that has a dot, else hex bits; so are infinities and NaN. */
void   tt_append_float (GString *out, double value, TsDtype dtype);
