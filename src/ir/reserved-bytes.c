/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading the reserve_buffer statements of a function. */
#include "ir/reserved-bytes.h"

#include "base/number.h"

typedef struct
{
  gint64 start, end;
} Range;

typedef struct
{
  TsModule  *module;   /* NULL: read only */
  GArray    *ranges;
  TsReserved reserved;
} Reserve;

static gboolean
reserve_op (TsOp *op, gpointer data)
{
  Reserve *state = data;
  gint64 size, base;
  if (op->code != TS_OP_SYSTEM_RESERVE_BUFFER || !ts_expr_as_int (ts_op_keyword (op, "size"), &size) || size <= 0)
    return TRUE;
  TsExpr *given = ts_op_keyword (op, "base");
  if (given == NULL || !ts_expr_as_int (given, &base) || base < 0)
    {
      base = state->reserved.end;
      state->reserved.n_chosen++;
      TsDtype dtype = given != NULL ? given->dtype : TS_DTYPE_INDEX;
      if (state->module != NULL)
        ts_op_set_keyword (state->module, op, "base", ts_expr_int (state->module, base, dtype));
    }
  Range range = { base, ts_round_up (ts_add_sat (base, size), TS_BUFFER_ALIGNMENT) };
  g_array_append_val (state->ranges, range);
  state->reserved.end = MAX (state->reserved.end, range.end);
  return TRUE;
}

static int
compare_ranges (gconstpointer x, gconstpointer y)
{
  const Range *a = x, *b = y;
  return a->start < b->start ? -1 : a->start > b->start;
}

static TsReserved
read_reserved (TsModule *module, TsFunction *function)
{
  Reserve state = { module, g_array_new (FALSE, FALSE, sizeof (Range)), { TS_SPACE_VEC, 0, FALSE, 0 } };
  state.reserved.space = function->type == TS_FUNCTION_AIC ? TS_SPACE_MAT : TS_SPACE_VEC;
  ts_region_walk (&function->body, reserve_op, &state);
  g_array_sort (state.ranges, compare_ranges);
  for (guint i = 1; i < state.ranges->len; i++)
    if (g_array_index (state.ranges, Range, i).start < g_array_index (state.ranges, Range, i - 1).end)
      state.reserved.overlap = TRUE;
  g_array_unref (state.ranges);
  return state.reserved;
}

TsReserved
ts_reserved_bytes (const TsFunction *function)
{
  return read_reserved (NULL, (TsFunction *) function);
}

TsReserved
ts_reserved_bytes_choose (TsModule *module, TsFunction *function)
{
  return read_reserved (module, function);
}

char *
ts_bytes_number (gint64 bytes)
{
  return g_strdup_printf ("%s%" G_GINT64_FORMAT, bytes == G_MAXINT64 ? "at least " : "", bytes);
}

char *
ts_bytes_text (gint64 bytes)
{
  g_autofree char *number = ts_bytes_number (bytes);
  return g_strconcat (number, " bytes", NULL);
}
