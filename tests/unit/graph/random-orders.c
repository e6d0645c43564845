/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accesses whose axes do not follow memory, and transposed matrices on their way to a product. */
#include "random-private.h"

/* How a component walks memory. */
typedef struct
{
  Shape       shape;
  gint        strides[3];
  const char *symbols[3]; /* one more factor, or NULL */
  gint        order[3];   /* of the axes, the one that runs slowest first */
  guint       inner;      /* the axis that runs fastest */
} Layout;

static void
shuffle (Gen *g, gint *order, guint n)
{
  for (guint i = 0; i < n; i++)
    order[i] = (gint) i;
  for (guint i = n; i > 1; i--)
    {
      guint k = (guint) rg_below (g, (gint) i);
      gint swap = order[i - 1];

      order[i - 1] = order[k];
      order[k] = swap;
    }
}

/* Strides anew for the axes in this order, outermost first: mostly no two lanes meet. */
static void
set_strides (Gen *g, Layout *l, const gint *order)
{
  gboolean symbolic = l->shape.rank == 2 && rg_once_in (g, 4);
  gint stride = 1;

  l->inner = (guint) order[l->shape.rank - 1];
  for (guint i = l->shape.rank; i-- > 0;)
    {
      gint extent = l->shape.dims[order[i]], slack = rg_once_in (g, 3) ? rg_below (g, 3) : 0;

      l->strides[order[i]] = symbolic && i == 0 ? 1 : stride;
      l->symbols[order[i]] = symbolic && i == 0 ? "%n" : NULL;
      stride = stride * MAX (1, extent - (rg_once_in (g, 8) ? 1 : 0)) + slack;
    }
}

static void
set_order (Gen *g, Layout *l)
{
  shuffle (g, l->order, l->shape.rank);
  if (l->shape.rank == 2 && rg_once_in (g, 2))
    l->order[0] = 1, l->order[1] = 0;
  set_strides (g, l, l->order);
}

static Layout
layout_new (Gen *g)
{
  guint rank = rg_once_in (g, 3) ? 3 : 2;
  gint side = 2 + rg_below (g, 2);
  gboolean square = rg_once_in (g, 2);
  Layout l = { .shape = rg_shape (rank, side, square ? side : 2 + rg_below (g, 3), square ? side : 2 + rg_below (g, 2)) };

  set_order (g, &l);
  return l;
}

/* A tensor of pointers; the lanes it is made of are left in `lanes`. */
static const char *
address (Gen *g, const Layout *l, Base base, gint start, const char **lanes)
{
  const Shape *s = &l->shape;
  const char *type = rg_type (g, E_I32, s), *pointers = rg_pointer_type (g, base.element, s), *sum = NULL, *splat;
  gint turn = rg_below (g, (gint) s->rank);

  for (guint i = 0; i < s->rank; i++)
    {
      guint axis = (i + (guint) turn) % s->rank;
      const char *term;

      lanes[axis] = rg_lane (g, s->rank, axis, axis == l->inner ? start : 0, s->dims[axis]);
      term = rg_term (g, lanes[axis], axis, s, l->strides[axis], l->symbols[axis], FALSE);
      sum = sum == NULL ? term : rg_def (g, "arith.addi %s, %s : %s", sum, term, type);
    }
  if (rg_once_in (g, 3))
    {
      splat = rg_def (g, "tt.splat %s : i32 -> %s", rg_once_in (g, 2) ? "%o" : rg_int (g, 7, E_I32), type);
      sum = rg_def (g, "arith.addi %s, %s : %s", sum, splat, type);
    }
  splat = rg_def (g, "tt.splat %s : !tt.ptr<%s> -> %s", base.name, rg_element (base.element), pointers);
  return rg_def (g, "tt.addptr %s, %s : %s, %s", splat, sum, pointers, type);
}

/* lane < bound, as wide as the whole. */
static const char *
bounded (Gen *g, const Layout *l, const char *lane, guint axis, const char *bound)
{
  Shape thin = rg_shape (l->shape.rank, 1, 1, 1);
  const char *type, *splat, *mask;

  thin.dims[axis] = l->shape.dims[axis];
  type = rg_type (g, E_I32, &thin);
  splat = rg_def (g, "tt.splat %s : i32 -> %s", bound, type);
  mask = rg_once_in (g, 2) ? rg_def (g, "arith.cmpi slt, %s, %s : %s", lane, splat, type)
                           : rg_def (g, "arith.cmpi sgt, %s, %s : %s", splat, lane, type);
  return rg_def (g, "tt.broadcast %s : %s -> %s", mask, rg_type (g, E_I1, &thin), rg_type (g, E_I1, &l->shape));
}

static const char *
mask_for (Gen *g, const Layout *l, const char *const *lanes)
{
  gboolean symbolic = FALSE;
  const char *mask, *more;
  guint axis = (guint) rg_below (g, (gint) l->shape.rank);

  for (guint i = 0; i < l->shape.rank; i++)
    symbolic = symbolic || l->symbols[i] != NULL;
  if (!symbolic && rg_once_in (g, 2))
    return NULL;
  if (!symbolic && rg_once_in (g, 3))
    return rg_value (g, E_I1, &l->shape, 1);
  mask = bounded (g, l, lanes[l->inner], l->inner, symbolic ? "%n" : rg_int (g, 1 + rg_below (g, 3), E_I32));
  if (rg_once_in (g, 2))
    return mask;
  more = bounded (g, l, lanes[axis], axis, rg_once_in (g, 2) ? "%n" : rg_int (g, 1 + rg_below (g, 3), E_I32));
  return rg_def (g, "arith.andi %s, %s : %s", mask, more, rg_type (g, E_I1, &l->shape));
}

static const char *
other_for (Gen *g, Element e, const Shape *s)
{
  const Shape scalar = rg_shape (0, 0, 0, 0);

  if (rg_once_in (g, 8))
    return rg_value (g, e, s, 1);
  return rg_once_in (g, 2) ? rg_def (g, "arith.constant dense<%d%s> : %s", rg_below (g, 9) - 4, rg_is_float (e) ? ".0" : "",
                                     rg_type (g, e, s))
                           : rg_def (g, "tt.splat %s : %s -> %s", rg_value (g, e, &scalar, 0), rg_element (e), rg_type (g, e, s));
}

static void
load (Gen *g, const Shape *s, Element e, const char *p, const char *mask)
{
  const char *type = rg_pointer_type (g, e, s), *x;

  if (mask == NULL)
    x = rg_def (g, "tt.load %s : %s", p, type);
  else if (rg_once_in (g, 3))
    x = rg_def (g, "tt.load %s, %s : %s", p, mask, type);
  else
    x = rg_def (g, "tt.load %s, %s, %s : %s", p, mask, other_for (g, e, s), type);
  rg_keep (g, x, e, s);
}

static void
store (Gen *g, const Shape *s, Element e, const char *p, const char *mask, const char *x)
{
  rg_line (g, "tt.store %s, %s%s%s : %s", p, x, mask != NULL ? ", " : "", mask != NULL ? mask : "", rg_pointer_type (g, e, s));
}

/* There and, where the extents differ, back again. */
static void
transposed (Gen *g, Element e, const Shape *s)
{
  gint order[3], back[3];
  Shape other;
  const char *x = rg_value (g, e, s, 1);

  shuffle (g, order, s->rank);
  x = rg_trans (g, e, s, order, x, &other);
  for (guint i = 0; i < s->rank; i++)
    back[order[i]] = (gint) i;
  for (guint i = 0; i < s->rank; i++)
    if (other.dims[i] != s->dims[i])
      {
        x = rg_trans (g, e, &other, back, rg_unary (g, e, &other, x), &other);
        break;
      }
  rg_keep (g, x, e, s);
}

static void
access_some (Gen *g, Layout *l, gboolean is_store)
{
  Base base = rg_argument (g, (guint) rg_below (g, RANDOM_BUFFERS));
  const char *lanes[3], *p, *mask;

  if (rg_once_in (g, 3))
    set_strides (g, l, l->order);
  p = address (g, l, base, rg_once_in (g, 3) ? rg_below (g, 4) : 0, lanes);
  mask = mask_for (g, l, lanes);

  if (is_store)
    store (g, &l->shape, base.element, p, mask, rg_value (g, base.element, &l->shape, 2));
  else
    load (g, &l->shape, base.element, p, mask);
}

/* What is inside uses a value of the block around. */
static void
escape (Gen *g, const Shape *s)
{
  const char *x = rg_value (g, E_F32, s, 1);
  guint mark;

  rg_line (g, "scf.if %%c {");
  mark = rg_open (g);
  rg_flat_store (g, rg_argument (g, 0), 130, s, x);
  rg_close (g, mark);
  rg_line (g, "}");
}

static void
in_block (Gen *g)
{
  Layout l = layout_new (g);
  guint n = 1 + (guint) rg_below (g, 5);

  access_some (g, &l, FALSE);
  for (guint i = 0; i < n; i++)
    {
      Element e = g->elements[rg_below (g, RANDOM_BUFFERS)];

      switch (rg_below (g, 5))
        {
        case 0:
          access_some (g, &l, FALSE);
          break;
        case 1:
          access_some (g, &l, TRUE);
          break;
        case 2:
          transposed (g, e, &l.shape);
          break;
        case 3:
          rg_keep (g, rg_unary (g, e, &l.shape, rg_value (g, e, &l.shape, 1)), e, &l.shape);
          break;
        default:
          rg_value (g, e, &l.shape, 2);
        }
      if (rg_once_in (g, 30))
        set_order (g, &l);
      if (rg_once_in (g, 15))
        escape (g, &l.shape);
    }
  access_some (g, &l, TRUE);
}

/* --- loops ----------------------------------------------------------------------------------------------------------------- */

#define MAX_POINTERS 3

typedef struct
{
  Layout      layout;
  guint       n;
  Base        bases[MAX_POINTERS];
  const char *inits[MAX_POINTERS], *masks[MAX_POINTERS], *names[MAX_POINTERS], *types[MAX_POINTERS];
  Element     sum;
  const char *sum_type;
} Loop;

static void
body (Gen *g, const Loop *l, guint id)
{
  const Shape *s = &l->layout.shape;
  const char *next[MAX_POINTERS], *total, *type = rg_type (g, E_I32, s);

  for (guint i = 0; i < l->n; i++)
    {
      Element e = l->bases[i].element;

      if (i == 0)
        load (g, s, e, l->names[i], l->masks[i]);
      else if (rg_once_in (g, 4))
        transposed (g, e, s);
      if (i > 0)
        store (g, s, e, l->names[i], l->masks[i], rg_value (g, e, s, 2));
    }
  for (guint i = 0; i < l->n; i++)
    {
      const char *step = rg_def (g, "arith.constant dense<%d> : %s", rg_below (g, 5), type);

      next[i] = rg_def (g, "tt.addptr %s, %s : %s, %s", l->names[i], step, l->types[i], type);
    }
  total = rg_binary (g, l->sum, s, rg_words (g, "%%sum%u", id), rg_value (g, l->sum, s, 1));
  if (l->n == 2)
    rg_line (g, "scf.yield %s, %s, %s : %s, %s, %s", next[0], next[1], total, l->types[0], l->types[1], l->sum_type);
  else
    rg_line (g, "scf.yield %s, %s, %s, %s : %s, %s, %s, %s", next[0], next[1], next[2], total, l->types[0], l->types[1],
             l->types[2], l->sum_type);
}

static void
after_loop (Gen *g, const Loop *l, const char *total)
{
  gint axis = rg_below (g, (gint) l->layout.shape.rank);
  Shape left;
  const char *x = rg_reduce (g, l->sum, &l->layout.shape, axis, total, &left);

  if (left.rank == 2 && rg_once_in (g, 2))
    x = rg_reduce (g, l->sum, &left, rg_below (g, 2), x, &left);
  for (guint i = 0; i < RANDOM_BUFFERS; i++)
    if (g->elements[i] == l->sum)
      {
        rg_flat_store (g, rg_argument (g, i), 100 + rg_below (g, 20), &left, x);
        break;
      }
}

static void
in_loop (Gen *g)
{
  Loop l = { .layout = layout_new (g), .n = 2 + (guint) rg_below (g, 2), .sum = g->elements[rg_below (g, RANDOM_BUFFERS)] };
  const Shape *s = &l.layout.shape;
  const char *from = rg_int (g, 0, E_I32), *to = rg_once_in (g, 3) ? "%n" : rg_int (g, rg_below (g, 4), E_I32);
  const char *step = rg_int (g, 1, E_I32);
  const char *lanes[3], *init, *total;
  guint id = g->n_names++, mark;
  g_autoptr (GString) args = g_string_new (NULL), types = g_string_new (NULL);

  l.sum_type = rg_type (g, l.sum, s);
  for (guint i = 0; i < l.n; i++)
    {
      if (rg_once_in (g, 3))
        set_strides (g, &l.layout, l.layout.order);
      l.bases[i] = rg_argument (g, (guint) rg_below (g, RANDOM_BUFFERS));
      l.inits[i] = address (g, &l.layout, l.bases[i], rg_below (g, 3), lanes);
      l.masks[i] = mask_for (g, &l.layout, lanes);
      l.types[i] = rg_pointer_type (g, l.bases[i].element, s);
      l.names[i] = rg_words (g, "%%ptr%u_%u", id, i);
      g_string_append_printf (args, "%s = %s, ", l.names[i], l.inits[i]);
      g_string_append_printf (types, "%s, ", l.types[i]);
    }
  init = rg_def (g, "arith.constant dense<%s> : %s", rg_is_float (l.sum) ? "1.0" : "1", l.sum_type);
  rg_line (g, "%%loop%u:%u = scf.for %%i%u = %s to %s step %s iter_args(%s%%sum%u = %s) -> (%s%s) : i32 {", id, l.n + 1,
           id, from, to, step, args->str, id, init, types->str, l.sum_type);
  mark = rg_open (g);
  body (g, &l, id);
  rg_close (g, mark);
  rg_line (g, "}");
  total = rg_words (g, "%%loop%u#%u", id, l.n);
  if (!rg_once_in (g, 8))
    after_loop (g, &l, total);
  if (rg_once_in (g, 12))
    rg_keep (g, total, l.sum, s);
}

void
rg_orders (Gen *g)
{
  guint hidden = g->hidden, before = g->pool->len;
  gboolean nested = rg_once_in (g, 2), has_else = nested && rg_once_in (g, 3);
  guint mark = 0;

  if (!rg_once_in (g, 6))
    g->hidden = g->pool->len;
  if (nested)
    {
      rg_line (g, "scf.if %%c {");
      mark = rg_open (g);
    }
  if (rg_once_in (g, 3))
    in_loop (g);
  else
    in_block (g);
  if (nested)
    {
      rg_close (g, mark);
      rg_line (g, has_else ? "} else {" : "}");
    }
  if (has_else)
    {
      mark = rg_open (g);
      in_block (g);
      rg_close (g, mark);
      rg_line (g, "}");
    }
  g->hidden = hidden;
  if (!rg_once_in (g, 6))
    g_array_set_size (g->pool, before);
}

/* --- products -------------------------------------------------------------------------------------------------------------- */

/* Now and then somebody else wants the value, too. */
static void
use_again (Gen *g, Element e, const Shape *s, const char *x)
{
  guint i = (guint) rg_below (g, RANDOM_BUFFERS);

  if (rg_once_in (g, 12))
    rg_keep (g, x, e, s);
  if (g->elements[i] == e && rg_once_in (g, 6))
    rg_flat_store (g, rg_argument (g, i), 150 + rg_below (g, 30), s, x);
}

/* One operand of a product: often a transpose, element-wise operations behind it. */
static const char *
operand (Gen *g, Element target, const Shape *s)
{
  Shape source = *s, same;
  gint order[3] = { 0, 1, 2 };
  Element e = target == E_F32 && rg_once_in (g, 3) ? E_BF16 : target == E_BF16 && rg_once_in (g, 2) ? E_F32
              : target == E_F32 && rg_once_in (g, 4) ? E_I32 : target;
  guint n = (guint) rg_below (g, 3);
  const char *x;

  order[s->rank - 1] = (gint) s->rank - 2;
  order[s->rank - 2] = (gint) s->rank - 1;
  for (guint i = 0; i < s->rank; i++)
    source.dims[order[i]] = s->dims[i];
  x = rg_value (g, e, &source, 1);
  for (guint i = 0; i < RANDOM_BUFFERS; i++)
    if (g->elements[i] == e && !rg_once_in (g, 3))
      x = rg_flat_load (g, rg_argument (g, i), rg_below (g, 30), &source);
  x = rg_trans (g, e, &source, order, x, &same);
  use_again (g, e, s, x);
  for (guint i = 0; i < n; i++)
    x = rg_unary (g, e, s, x);
  if (e != target)
    x = rg_def (g, "arith.%s %s : %s to %s",
                e == E_I32 ? (rg_once_in (g, 2) ? "bitcast" : "sitofp") : target == E_F32 ? "extf" : "truncf",
                x, rg_type (g, e, s), rg_type (g, target, s));
  if (rg_once_in (g, 3))
    x = rg_unary (g, target, s, x);
  use_again (g, target, s, x);
  return rg_once_in (g, 10) ? rg_binary (g, target, s, x, rg_value (g, target, s, 0)) : x;
}

void
rg_dots (Gen *g)
{
  static const Element inputs[] = { E_F32, E_BF16, E_I8 };
  Element e = inputs[rg_below (g, 3)], sum = e == E_I8 ? E_I32 : E_F32;
  gint rows = 2 + rg_below (g, 2), depth = 2 + rg_below (g, 3), columns = 2 + rg_below (g, 2);
  gboolean batch = rg_once_in (g, 4);
  Shape a = batch ? rg_shape (3, 2, rows, depth) : rg_shape (2, rows, depth, 1);
  Shape b = batch ? rg_shape (3, 2, depth, columns) : rg_shape (2, depth, columns, 1);
  Shape c = batch ? rg_shape (3, 2, rows, columns) : rg_shape (2, rows, columns, 1);
  const char *x = operand (g, e, &a), *y = operand (g, e, &b), *z = rg_value (g, sum, &c, 1);
  const char *d = rg_def (g, "tt.dot %s, %s, %s : %s * %s -> %s", x, y, z, rg_type (g, e, &a), rg_type (g, e, &b),
                          rg_type (g, sum, &c));

  rg_keep (g, d, sum, &c);
  for (guint i = 0; i < RANDOM_BUFFERS; i++)
    if (g->elements[i] == sum)
      {
        rg_flat_store (g, rg_argument (g, i), rg_below (g, 60), &c, d);
        return;
      }
}
