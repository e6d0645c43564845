/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/ttir/float-text.h"

#include <math.h>
#include <string.h>

/* What the highest exponent means. */
typedef enum
{
  SPECIALS_IEEE,   /* infinities, and NaN where the fraction is not 0 */
  SPECIALS_NAN,    /* no infinity; NaN where the fraction is all ones */
  SPECIALS_NONE,   /* every pattern is a number: what is too large becomes the largest */
  SPECIALS_POWERS, /* no sign, no zero, no fraction: powers of two, NaN where all bits are ones */
} Specials;

typedef struct
{
  int      exponent_bits, mantissa_bits;
  Specials specials;
} Format;

static Format
format_of (TsDtype dtype)
{
  switch ((int) dtype)
    {
    case TS_DTYPE_FP16: return (Format) { 5, 10, SPECIALS_IEEE };
    case TS_DTYPE_BF16: return (Format) { 8, 7, SPECIALS_IEEE };
    case TS_DTYPE_FP32: return (Format) { 8, 23, SPECIALS_IEEE };
    case TS_DTYPE_FP8E5M2: return (Format) { 5, 2, SPECIALS_IEEE };
    case TS_DTYPE_FP8E4M3FN: return (Format) { 4, 3, SPECIALS_NAN };
    case TS_DTYPE_FP4: return (Format) { 2, 1, SPECIALS_NONE };
    case TS_DTYPE_FP8E8M0: return (Format) { 8, 0, SPECIALS_POWERS };
    default: return (Format) { 11, 52, SPECIALS_IEEE };
    }
}

guint
tt_float_bits (TsDtype dtype)
{
  Format f = format_of (dtype);

  return (guint) (f.exponent_bits + f.mantissa_bits + (f.specials != SPECIALS_POWERS));
}

static guint64
low_bits (int n)
{
  return (G_GUINT64_CONSTANT (1) << n) - 1;
}

static int
bias_of (const Format *f)
{
  return (1 << (f->exponent_bits - 1)) - 1;
}

/* A NaN keeps its fraction: its bits are printed again. */
static double
make_nan (guint64 mantissa, const Format *f)
{
  guint64 bits = (low_bits (11) << 52) | (mantissa << (52 - f->mantissa_bits));
  double value;

  if ((bits & low_bits (52)) == 0)
    bits |= G_GUINT64_CONSTANT (1) << 51;
  memcpy (&value, &bits, sizeof value);
  return value;
}

static gboolean
is_nan (guint64 exponent, guint64 mantissa, const Format *f)
{
  if (exponent != low_bits (f->exponent_bits) || f->specials == SPECIALS_NONE)
    return FALSE;
  return f->specials == SPECIALS_IEEE ? mantissa != 0 : mantissa == low_bits (f->mantissa_bits);
}

double
tt_float_from_bits (guint64 bits, TsDtype dtype)
{
  Format f = format_of (dtype);
  guint64 mantissa = bits & low_bits (f.mantissa_bits), exponent = (bits >> f.mantissa_bits) & low_bits (f.exponent_bits);
  gboolean negative = f.specials != SPECIALS_POWERS && ((bits >> (f.mantissa_bits + f.exponent_bits)) & 1);
  double value;

  if (is_nan (exponent, mantissa, &f))
    value = make_nan (mantissa, &f);
  else if (exponent == low_bits (f.exponent_bits) && f.specials == SPECIALS_IEEE)
    value = (double) INFINITY;
  else if (exponent == 0 && f.specials != SPECIALS_POWERS)
    value = ldexp ((double) mantissa, 1 - bias_of (&f) - f.mantissa_bits);
  else
    value = ldexp ((double) mantissa + ldexp (1.0, f.mantissa_bits), (int) exponent - bias_of (&f) - f.mantissa_bits);
  return negative ? -value : value;
}

static guint64
bits_of_double (double value)
{
  guint64 bits;

  memcpy (&bits, &value, sizeof bits);
  return bits;
}

/* Bits without the sign of what is too large. */
static guint64
overflow_bits (const Format *f)
{
  switch (f->specials)
    {
    case SPECIALS_IEEE: return low_bits (f->exponent_bits) << f->mantissa_bits;
    case SPECIALS_NAN:
    case SPECIALS_NONE:
    case SPECIALS_POWERS: break;
    }
  return low_bits (f->exponent_bits + f->mantissa_bits);
}

static guint64
nan_bits (double value, const Format *f)
{
  guint64 mantissa = (bits_of_double (value) & low_bits (52)) >> (52 - f->mantissa_bits);

  if (f->specials != SPECIALS_IEEE)
    return low_bits (f->exponent_bits + f->mantissa_bits);
  return (low_bits (f->exponent_bits) << f->mantissa_bits)
         | (mantissa != 0 ? mantissa : G_GUINT64_CONSTANT (1) << (f->mantissa_bits - 1));
}

/* Bits of a finite magnitude above 0, rounded half to even, the default mode. */
static guint64
finite_bits (double magnitude, const Format *f)
{
  int bias = bias_of (f), exponent, lowest = f->specials == SPECIALS_POWERS ? -bias : 1 - bias;
  double scaled;
  guint64 bits;

  frexp (magnitude, &exponent);
  exponent = MAX (exponent - 1, lowest);
  if (exponent > bias + 1)
    return overflow_bits (f);
  scaled = nearbyint (ldexp (magnitude, f->mantissa_bits - exponent));
  if (f->specials == SPECIALS_POWERS)
    return (guint64) (exponent + bias) + (scaled >= 2);
  /* Below 2^mantissa_bits it is subnormal; at twice that the carry moves into the exponent: the sum says the right thing. */
  bits = (scaled < ldexp (1.0, f->mantissa_bits) ? 0 : (guint64) (exponent + bias - 1) << f->mantissa_bits) + (guint64) scaled;
  return MIN (bits, overflow_bits (f));
}

guint64
tt_float_to_bits (double value, TsDtype dtype)
{
  Format f = format_of (dtype);
  guint64 sign = 0;

  if (dtype == TS_DTYPE_FP64)
    return bits_of_double (value);
  if (f.specials != SPECIALS_POWERS && signbit (value))
    sign = G_GUINT64_CONSTANT (1) << (f.mantissa_bits + f.exponent_bits);
  if (isnan (value))
    return sign | nan_bits (value, &f);
  if (isinf (value))
    return sign | overflow_bits (&f);
  if (value == 0)
    return sign;
  return sign | finite_bits (fabs (value), &f);
}

double
tt_float_round (double value, TsDtype dtype)
{
  return tt_float_from_bits (tt_float_to_bits (value, dtype), dtype);
}

static gboolean
same_bits (const char *text, guint64 bits, TsDtype dtype)
{
  return tt_float_to_bits (g_ascii_strtod (text, NULL), dtype) == bits;
}

/* Six digits, and a zero behind them: 1.000000e-01. What needs a seventh is written in the exact form. */
static gboolean
append_short (GString *out, double value, guint64 bits, TsDtype dtype)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  const char *exponent;

  g_ascii_formatd (text, sizeof text, "%.5e", value);
  if (!same_bits (text, bits, dtype))
    return FALSE;
  exponent = strchr (text, 'e');
  g_string_append_len (out, text, exponent - text);
  g_string_append_printf (out, "0%s", exponent);
  return TRUE;
}

/* Digits as MLIR lays them out: a plain fraction down to 0.00123, else one digit, a dot, the others, and an exponent without a
 * leading zero (1.23456778E-6). FALSE: the number is whole and would show no dot. */
static gboolean
append_digits (GString *out, const char *digits, guint n, int exponent, gboolean negative, guint n_highest)
{
  int trailing = exponent - (int) n + 1; /* zeros behind the digits */

  if (exponent >= 0 && trailing >= 0 && trailing <= 3 && n + (guint) trailing <= n_highest)
    return FALSE;
  if (negative)
    g_string_append_c (out, '-');
  if (trailing >= 0 || exponent < -3)
    g_string_append_printf (out, "%c.%sE%+d", digits[0], n > 1 ? digits + 1 : "0", exponent);
  else if (exponent >= 0)
    g_string_append_printf (out, "%.*s.%s", exponent + 1, digits, digits + exponent + 1);
  else
    g_string_append_printf (out, "0.%.*s%s", -exponent - 1, "000", digits);
  return TRUE;
}

/* As many digits as surely tell neighbours apart: 2 + floor (significand bits * log10 (2)), without zeros in the end. */
static gboolean
append_exact (GString *out, double value, guint64 bits, TsDtype dtype)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE], digits[G_ASCII_DTOSTR_BUF_SIZE], pattern[8];
  guint n_highest = 2 + (guint) (format_of (dtype).mantissa_bits + 1) * 59 / 196, n = 0;

  g_snprintf (pattern, sizeof pattern, "%%.%ue", n_highest - 1);
  g_ascii_formatd (text, sizeof text, pattern, value);
  if (!same_bits (text, bits, dtype))
    return FALSE;
  for (const char *c = text; *c != 'e'; c++)
    if (g_ascii_isdigit (*c))
      digits[n++] = *c;
  while (n > 1 && digits[n - 1] == '0')
    n--;
  digits[n] = '\0';
  return append_digits (out, digits, n, (int) g_ascii_strtoll (strchr (text, 'e') + 1, NULL, 10), text[0] == '-', n_highest);
}

void
tt_append_float (GString *out, double value, TsDtype dtype)
{
  guint64 bits = tt_float_to_bits (value, dtype);
  double held = tt_float_from_bits (bits, dtype); /* a number too large for the type is its infinity */

  if (isfinite (held) && (append_short (out, held, bits, dtype) || append_exact (out, held, bits, dtype)))
    return;
  g_string_append_printf (out, "0x%0*" G_GINT64_MODIFIER "X", (int) (tt_float_bits (dtype) + 3) / 4, bits);
}
