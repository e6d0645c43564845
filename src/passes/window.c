/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linear forms and the windows made of them. */
#include "passes/window.h"

#include <string.h>

#include "base/number.h"

/* Scalars are followed through this many assignments; further ones stay variables, which is always right. */
#define MAX_DEPTH 24

static gboolean
add_term (TsLinear *form, gint32 id, gint64 factor)
{
  guint i = 0;
  while (i < form->n && form->ids[i] < id)
    i++;
  if (i < form->n && form->ids[i] == id)
    {
      if (!ts_add (form->factors[i], factor, &form->factors[i]))
        return FALSE;
      if (form->factors[i] == 0)
        {
          memmove (form->ids + i, form->ids + i + 1, sizeof form->ids[0] * (form->n - i - 1u));
          memmove (form->factors + i, form->factors + i + 1, sizeof form->factors[0] * (form->n - i - 1u));
          form->n--;
        }
      return TRUE;
    }
  if (form->n == TS_WINDOW_TERMS)
    return FALSE;
  memmove (form->ids + i + 1, form->ids + i, sizeof form->ids[0] * (form->n - i));
  memmove (form->factors + i + 1, form->factors + i, sizeof form->factors[0] * (form->n - i));
  form->ids[i] = id;
  form->factors[i] = factor;
  form->n++;
  return TRUE;
}

/* Adds `scale` times the tree to the form. */
static gboolean
accumulate (const TsExpr *e, gint64 scale, const guint8 *n_defs, guint depth, TsLinear *form)
{
  gint64 c;
  if (scale == 0)
    return TRUE;
  switch ((int) e->kind)
    {
    case TS_EXPR_INT:
      return e->n == 0 && ts_mul (e->i, scale, &c) && ts_add (form->constant, c, &form->constant);

    case TS_EXPR_VALUE:
      {
        const TsOp *def = e->value->kind == TS_VALUE_RESULT ? e->value->def : NULL;
        if (def != NULL && def->code == TS_OP_ASSIGN && n_defs[e->value->id] == 1 && depth < MAX_DEPTH)
          {
            TsLinear before = *form;
            if (accumulate (def->operands[0], scale, n_defs, depth + 1, form))
              return TRUE;
            *form = before; /* not linear in there: the variable itself is a term */
          }
        return add_term (form, e->value->id, scale);
      }

    case TS_EXPR_UNARY:
      return e->op == TS_OPERATOR_NEG && scale != G_MININT64 && accumulate (e->items[0], -scale, n_defs, depth + 1, form);

    case TS_EXPR_BINARY:
      if (depth >= MAX_DEPTH)
        return FALSE;
      if (e->op == TS_OPERATOR_ADD)
        return accumulate (e->items[0], scale, n_defs, depth + 1, form) && accumulate (e->items[1], scale, n_defs, depth + 1, form);
      if (e->op == TS_OPERATOR_SUB && scale != G_MININT64)
        return accumulate (e->items[0], scale, n_defs, depth + 1, form)
               && accumulate (e->items[1], -scale, n_defs, depth + 1, form);
      if (e->op == TS_OPERATOR_MUL && ts_expr_fold_int (e->items[1], &c) && ts_mul (c, scale, &c))
        return accumulate (e->items[0], c, n_defs, depth + 1, form);
      if (e->op == TS_OPERATOR_MUL && ts_expr_fold_int (e->items[0], &c) && ts_mul (c, scale, &c))
        return accumulate (e->items[1], c, n_defs, depth + 1, form);
      return FALSE;

    default:
      return FALSE;
    }
}

gboolean
ts_linear_from_expr (const TsExpr *e, const guint8 *n_defs, TsLinear *out)
{
  *out = (TsLinear) { 0 };
  return accumulate (e, 1, n_defs, 0, out);
}

void
ts_window_init (TsWindow *window, const TsExpr *offsets, TsExpr *const *extents, guint n_extents, const guint8 *n_defs)
{
  window->rank = 0;
  if (offsets == NULL || offsets->kind != TS_EXPR_LIST || offsets->n == 0 || offsets->n > TS_WINDOW_RANK
      || (extents != NULL && n_extents != offsets->n))
    return;
  for (guint i = 0; i < offsets->n; i++)
    {
      window->extent[i] = 1;
      if (!ts_linear_from_expr (offsets->list[i], n_defs, &window->offset[i])
          || (extents != NULL && (!ts_expr_fold_int (extents[i], &window->extent[i]) || window->extent[i] <= 0)))
        return;
    }
  window->rank = offsets->n;
}

static gboolean
same_terms (const TsLinear *a, const TsLinear *b)
{
  if (a->n != b->n)
    return FALSE;
  for (guint i = 0; i < a->n; i++)
    if (a->ids[i] != b->ids[i] || a->factors[i] != b->factors[i])
      return FALSE;
  return TRUE;
}

gboolean
ts_window_comparable (const TsWindow *a, const TsWindow *b)
{
  if (a->rank == 0 || a->rank != b->rank)
    return FALSE;
  for (guint i = 0; i < a->rank; i++)
    if (!same_terms (&a->offset[i], &b->offset[i]))
      return FALSE;
  return TRUE;
}

static gint64
end_of (const TsWindow *window, guint i)
{
  return ts_add_sat (window->offset[i].constant, window->extent[i]);
}

gboolean
ts_window_overlaps (const TsWindow *a, const TsWindow *b)
{
  for (guint i = 0; i < a->rank; i++)
    if (a->offset[i].constant >= end_of (b, i) || b->offset[i].constant >= end_of (a, i))
      return FALSE;
  return TRUE;
}

gboolean
ts_window_covers (const TsWindow *outer, const TsWindow *inner)
{
  for (guint i = 0; i < outer->rank; i++)
    if (outer->offset[i].constant > inner->offset[i].constant || end_of (outer, i) < end_of (inner, i))
      return FALSE;
  return TRUE;
}
