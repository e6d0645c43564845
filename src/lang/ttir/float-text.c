/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/ttir/float-text.h"

#include <math.h>
#include <string.h>

typedef struct
{
  int exponent_bits, mantissa_bits;
} Format;

static Format
format_of (TsDtype dtype)
{
  switch ((int) dtype)
    {
    case TS_DTYPE_FP16: return (Format) { 5, 10 };
    case TS_DTYPE_BF16: return (Format) { 8, 7 };
    case TS_DTYPE_FP32: return (Format) { 8, 23 };
    case TS_DTYPE_FP8E5M2: return (Format) { 5, 2 };
    case TS_DTYPE_FP8E4M3FN: return (Format) { 4, 3 };
    default: return (Format) { 11, 52 };
    }
}

double
tt_float_from_bits (guint64 bits, TsDtype dtype)
{
  Format f = format_of (dtype);
  int bias = (1 << (f.exponent_bits - 1)) - 1;
  guint64 mantissa = bits & ((G_GUINT64_CONSTANT (1) << f.mantissa_bits) - 1);
  int exponent = (int) (bits >> f.mantissa_bits) & ((1 << f.exponent_bits) - 1);
  gboolean negative = (bits >> (f.mantissa_bits + f.exponent_bits)) & 1;
  double value;

  if (dtype == TS_DTYPE_FP64)
    {
      memcpy (&value, &bits, sizeof value);
      return value;
    }
  if (exponent == (1 << f.exponent_bits) - 1 && dtype != TS_DTYPE_FP8E4M3FN)
    value = mantissa != 0 ? (double) NAN : (double) INFINITY;
  else if (exponent == 0)
    value = ldexp ((double) mantissa, 1 - bias - f.mantissa_bits);
  else
    value = ldexp ((double) mantissa + ldexp (1.0, f.mantissa_bits), exponent - bias - f.mantissa_bits);
  return negative ? -value : value;
}

guint64
tt_float_to_bits (double value, TsDtype dtype)
{
  Format f = format_of (dtype);
  int bias = (1 << (f.exponent_bits - 1)) - 1, exponent;
  guint64 sign = signbit (value) ? G_GUINT64_CONSTANT (1) << (f.mantissa_bits + f.exponent_bits) : 0;
  guint64 infinity = ((G_GUINT64_CONSTANT (1) << f.exponent_bits) - 1) << f.mantissa_bits;
  double magnitude = fabs (value), scaled;

  if (dtype == TS_DTYPE_FP64)
    {
      guint64 bits;

      memcpy (&bits, &value, sizeof bits);
      return bits;
    }
  if (isnan (value))
    return sign | infinity | (G_GUINT64_CONSTANT (1) << (f.mantissa_bits - 1));
  if (isinf (value))
    return sign | infinity;
  if (magnitude == 0)
    return sign;
  frexp (magnitude, &exponent);
  exponent = MAX (exponent - 1, 1 - bias);
  scaled = nearbyint (ldexp (magnitude, f.mantissa_bits - exponent)); /* round half to even, the default mode */
  if (scaled >= ldexp (1.0, f.mantissa_bits + 1))
    {
      scaled /= 2;
      exponent++;
    }
  if (exponent > bias)
    return sign | infinity;
  if (scaled < ldexp (1.0, f.mantissa_bits)) /* subnormal */
    return sign | (guint64) scaled;
  return sign | ((guint64) (exponent + bias) << f.mantissa_bits)
         | ((guint64) scaled & ((G_GUINT64_CONSTANT (1) << f.mantissa_bits) - 1));
}

static gboolean
same_bits (const char *text, guint64 bits, TsDtype dtype)
{
  return tt_float_to_bits (g_ascii_strtod (text, NULL), dtype) == bits;
}

void
tt_append_float (GString *out, double value, TsDtype dtype)
{
  guint64 bits = tt_float_to_bits (value, dtype);
  char text[G_ASCII_DTOSTR_BUF_SIZE], pattern[8];
  Format f = format_of (dtype);

  if (isfinite (value))
    {
      /* Six digits, and a zero behind them: 1.000000e-01. What needs a seventh is written in the exact form. */
      g_ascii_formatd (text, sizeof text, "%.5e", value);
      if (same_bits (text, bits, dtype))
        {
          const char *exponent = strchr (text, 'e');

          g_string_append_len (out, text, exponent - text);
          g_string_append_printf (out, "0%s", exponent);
          return;
        }
      /* As many digits as surely tell neighbours apart: 2 + floor (significand bits * log10 (2)). */
      g_snprintf (pattern, sizeof pattern, "%%.%dG", 2 + (f.mantissa_bits + 1) * 59 / 196);
      g_ascii_formatd (text, sizeof text, pattern, value);
      if (strchr (text, '.') != NULL && same_bits (text, bits, dtype))
        {
          g_string_append (out, text);
          return;
        }
    }
  g_string_append_printf (out, "0x%0*" G_GINT64_MODIFIER "X", (f.exponent_bits + f.mantissa_bits + 1) / 4, bits);
}
