/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Floats of Triton IR: bits of each format, and the printed form. Source: spec ttir section 8. */
#pragma once

#include "ir/type.h"

/* The value of a bit pattern in a 16-, 32- or 64-bit format; other formats read as 0 of their bits' number. */
double tt_float_from_bits (guint64 bits, TsDtype dtype);
/* The bit pattern of a value, rounded to nearest even. */
guint64 tt_float_to_bits (double value, TsDtype dtype);
/* Six-digit exponent form when that reads back to the same bits, else the shortest exact decimal that contains a dot, else hex
 * bits. */
void   tt_append_float (GString *out, double value, TsDtype dtype);
