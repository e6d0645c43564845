/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/number.h"

#include <math.h>
#include <string.h>

gboolean
ts_floor_div (gint64 a, gint64 b, gint64 *out)
{
  gint64 q;

  if (b == 0 || (a == G_MININT64 && b == -1))
    return FALSE;
  q = a / b;
  if (a % b != 0 && ((a < 0) != (b < 0)))
    q--;
  *out = q;
  return TRUE;
}

gboolean
ts_floor_mod (gint64 a, gint64 b, gint64 *out)
{
  gint64 r;

  if (b == 0)
    return FALSE;
  if (b == -1)
    {
      *out = 0; /* G_MININT64 % -1 traps on some machines */
      return TRUE;
    }
  r = a % b;
  if (r != 0 && ((r < 0) != (b < 0)))
    r += b;
  *out = r;
  return TRUE;
}

gint64
ts_round_up (gint64 a, gint64 unit)
{
  gint64 rest = a % unit;

  if (rest == 0)
    return a;
  return ts_add_sat (a, unit - rest);
}

gboolean
ts_trip_count_exact (gint64 start, gint64 stop, gint64 step, gint64 *out)
{
  guint64 distance, stride, trip;

  *out = 0;
  if (step == 0 || start == stop || (step > 0) != (stop > start))
    return TRUE;
  distance = stop > start ? (guint64) stop - (guint64) start : (guint64) start - (guint64) stop;
  stride = step > 0 ? (guint64) step : 0 - (guint64) step;
  trip = distance / stride + (distance % stride != 0);
  *out = trip > (guint64) G_MAXINT64 ? G_MAXINT64 : (gint64) trip;
  return trip <= (guint64) G_MAXINT64;
}

gint64
ts_trip_count (gint64 start, gint64 stop, gint64 step)
{
  gint64 trip;

  ts_trip_count_exact (start, stop, step, &trip);
  return trip;
}

gint64
ts_add_sat (gint64 a, gint64 b)
{
  gint64 r;

  if (ts_add (a, b, &r))
    return r;
  return a > 0 ? G_MAXINT64 : G_MININT64;
}

gint64
ts_mul_sat (gint64 a, gint64 b)
{
  gint64 r;

  if (ts_mul (a, b, &r))
    return r;
  return (a > 0) == (b > 0) ? G_MAXINT64 : G_MININT64;
}

int
ts_percent (double share)
{
  return (int) floor (CLAMP (share, 0.0, 1e6) * 100.0 + 0.5);
}

gboolean
ts_parse_int64 (const char *text, gint64 *out)
{
  return g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, out, NULL);
}

void
ts_append_double (GString *out, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan (value))
    g_strlcpy (buffer, "nan", sizeof buffer);
  else
    g_ascii_formatd (buffer, sizeof buffer, "%.17g", value);
  g_string_append (out, buffer);
  if (isfinite (value) && strpbrk (buffer, ".e") == NULL)
    g_string_append (out, ".0");
}

void
ts_append_int (GString *out, gint64 value)
{
  char buffer[24];
  char *p = buffer + sizeof buffer;
  guint64 rest = value < 0 ? 0 - (guint64) value : (guint64) value;

  do
    *--p = (char) ('0' + rest % 10);
  while ((rest /= 10) != 0);
  if (value < 0)
    *--p = '-';
  g_string_append_len (out, p, buffer + sizeof buffer - p);
}
