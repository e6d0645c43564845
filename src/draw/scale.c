/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Integer values to pixels and back, and the distances of ticks. */
#include "draw/scale.h"

#include <math.h>

#include "base/number.h"

/* Widest a cycle gets, in pixels. Source: ux.md 2.1 rule 8 asks for at least 40 at the deepest level. */
#define DEEPEST_CYCLE_PX 80.0

double
ts_scale_to_x (TsScale scale, gint64 value)
{
  double per_unit = ts_scale_per_unit (scale);
  gint64 offset;
  double x;

  if (!ts_sub (value, scale.from, &offset))
    offset = value < scale.from ? G_MININT64 : G_MAXINT64;
  x = (double) offset * per_unit;
  return scale.x + CLAMP (x, -scale.width, 2 * scale.width);
}

gint64
ts_scale_to_value (TsScale scale, double x)
{
  double per_unit = ts_scale_per_unit (scale);
  double offset;

  if (per_unit <= 0)
    return scale.from;
  offset = floor ((x - scale.x) / per_unit);
  if (offset >= 9.2e18)
    return G_MAXINT64;
  if (offset <= -9.2e18)
    return G_MININT64;
  return ts_add_sat (scale.from, (gint64) offset);
}

gint64
ts_scale_step (TsScale scale, double room)
{
  static const gint64 FACTORS[] = { 1, 2, 5 };
  double per_unit = ts_scale_per_unit (scale);
  gint64 power = 1;

  if (per_unit <= 0)
    return 1;
  for (;;)
    {
      for (guint i = 0; i < G_N_ELEMENTS (FACTORS); i++)
        {
          gint64 step = ts_mul_sat (power, FACTORS[i]);

          if ((double) step * per_unit >= room || step == G_MAXINT64)
            return step;
        }
      power = ts_mul_sat (power, 10);
    }
}

gint64
ts_scale_step_bytes (TsScale scale, double room)
{
  double per_unit = ts_scale_per_unit (scale);
  gint64 step = 1;

  while (per_unit > 0 && (double) step * per_unit < room && step < G_MAXINT64 / 2)
    step *= 2;
  return step;
}

gint64
ts_scale_first_tick (gint64 value, gint64 step)
{
  gint64 rest;

  if (step <= 0 || !ts_floor_mod (value, step, &rest) || rest == 0)
    return value;
  return ts_add_sat (value, step - rest);
}

TsScale
ts_scale_zoom (TsScale scale, double factor, gint64 anchor, gint64 total)
{
  double span = (double) (scale.to - scale.from);
  double narrowest = scale.width > 0 ? MAX (1.0, ceil (scale.width / DEEPEST_CYCLE_PX)) : 1.0;
  double wanted = factor > 0 ? span / factor : span;
  double share = span > 0 ? (double) (anchor - scale.from) / span : 0.5;
  gint64 length;

  total = MAX (total, 1);
  wanted = CLAMP (wanted, MIN (narrowest, (double) total), (double) total);
  length = (gint64) llround (wanted);
  /* Rounding must not stall a small zoom step at deep levels. */
  if (length == scale.to - scale.from && factor > 1 && (double) length > narrowest)
    length--;
  else if (length == scale.to - scale.from && factor < 1 && length < total)
    length++;
  scale.from = anchor - (gint64) llround (share * (double) length);
  scale.to = scale.from + length;
  return ts_scale_pan (scale, 0, total);
}

TsScale
ts_scale_pan (TsScale scale, gint64 by, gint64 total)
{
  gint64 length = scale.to - scale.from;

  scale.from = ts_add_sat (scale.from, by);
  scale.from = MIN (scale.from, MAX (total - length, 0));
  scale.from = MAX (scale.from, 0);
  scale.to = ts_add_sat (scale.from, length);
  return scale;
}

void
ts_append_cycles (GString *out, gint64 cycles)
{
  char digits[24];
  int length = g_snprintf (digits, sizeof digits, "%" G_GINT64_FORMAT, cycles);
  int start = digits[0] == '-' ? 1 : 0;

  g_string_append_len (out, digits, start);
  for (int i = start; i < length; i++)
    {
      /* Four digits read well unbroken; a narrow no-break space groups longer numbers. */
      if (i > start && (length - i) % 3 == 0 && length - start > 4)
        g_string_append (out, "\u202f");
      g_string_append_c (out, digits[i]);
    }
}

void
ts_append_bytes (GString *out, gint64 bytes)
{
  static const char *const UNITS[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
  double value = (double) bytes;
  guint unit = 0;

  while (fabs (value) >= 1024 && unit + 1 < G_N_ELEMENTS (UNITS))
    {
      value /= 1024;
      unit++;
    }
  if (value == floor (value))
    g_string_append_printf (out, "%.0f %s", value, UNITS[unit]);
  else
    {
      char buffer[G_ASCII_DTOSTR_BUF_SIZE];

      g_string_append_printf (out, "%s %s", g_ascii_formatd (buffer, sizeof buffer, "%.1f", value), UNITS[unit]);
    }
}
