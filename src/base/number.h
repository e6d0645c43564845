/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checked 64-bit arithmetic with the meaning the kernel language gives it, and number texts. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Each returns FALSE and leaves *out alone when the result does not fit in 64 bits (or the divisor is 0). */
static inline gboolean
ts_add (gint64 a, gint64 b, gint64 *out)
{
  gint64 r;
  if (__builtin_add_overflow (a, b, &r))
    return FALSE;
  *out = r;
  return TRUE;
}

static inline gboolean
ts_sub (gint64 a, gint64 b, gint64 *out)
{
  gint64 r;
  if (__builtin_sub_overflow (a, b, &r))
    return FALSE;
  *out = r;
  return TRUE;
}

static inline gboolean
ts_mul (gint64 a, gint64 b, gint64 *out)
{
  gint64 r;
  if (__builtin_mul_overflow (a, b, &r))
    return FALSE;
  *out = r;
  return TRUE;
}

/* Quotient rounded towards minus infinity, and the remainder that goes with it (Python's // and %). */
gboolean ts_floor_div (gint64 a, gint64 b, gint64 *out);
gboolean ts_floor_mod (gint64 a, gint64 b, gint64 *out);

/* ceil(a / b) for a >= 0, b > 0; never overflows. */
static inline gint64
ts_ceil_div (gint64 a, gint64 b)
{
  return a / b + (a % b != 0);
}

/* Smallest multiple of `unit` (> 0) that is >= a (>= 0); saturates at G_MAXINT64. */
gint64 ts_round_up (gint64 a, gint64 unit);

/* ceil(|stop - start| / |step|); 0 when step is 0 or its direction disagrees; saturates at G_MAXINT64.
 * Source: spec passes-schedule, section 0, `trip`. */
gint64 ts_trip_count (gint64 start, gint64 stop, gint64 step);
/* The same for who has to know: FALSE when *trip (saturated) is not the count, since that does not fit in 64 bits. */
gboolean ts_trip_count_exact (gint64 start, gint64 stop, gint64 step, gint64 *trip);

/* Adds and multiplies that saturate at the ends of the range: for sums of costs, where an absurd input must not wrap. */
gint64 ts_add_sat (gint64 a, gint64 b);
gint64 ts_mul_sat (gint64 a, gint64 b);

/* Parses a whole decimal number with optional sign; FALSE when there is anything else or it does not fit. */
gboolean ts_parse_int64 (const char *text, gint64 *out);

/* A share of a whole in whole per cent, rounded to the nearest (half rounds up): one rule for tables, labels and captions. */
int ts_percent (double share);

/* The printed form of a float literal: %.17g in the C locale, with ".0" when finite and without '.' or 'e'.
 * Source: spec dsl, section 4.1. */
void ts_append_double (GString *out, double value);
/* Decimal digits without locale grouping. Much cheaper than g_string_append_printf. */
void ts_append_int (GString *out, gint64 value);

G_END_DECLS
