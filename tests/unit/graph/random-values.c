/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <string.h>

#include "random-private.h"

static const struct { const char *name; gboolean is_float; } elements[N_ELEMENTS] = {
  [E_I1] = { "i1", FALSE }, [E_I8] = { "i8", FALSE }, [E_I16] = { "i16", FALSE }, [E_I32] = { "i32", FALSE },
  [E_I64] = { "i64", FALSE }, [E_F32] = { "f32", TRUE }, [E_BF16] = { "bf16", TRUE },
};

gint
rg_below (Gen *g, gint n)
{
  return g_rand_int_range (g->rand, 0, n);
}

const char *
rg_words (Gen *g, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  return g_string_chunk_insert (g->words, text);
}

static void
append_line (Gen *g, const char *name, const char *format, va_list args)
{
  g_string_append_printf (g->text, "%*s", (int) (2 * g->depth), "");
  if (name != NULL)
    g_string_append_printf (g->text, "%s = ", name);
  g_string_append_vprintf (g->text, format, args);
  g_string_append_c (g->text, '\n');
}

void
rg_line (Gen *g, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  append_line (g, NULL, format, args);
  va_end (args);
}

const char *
rg_def (Gen *g, const char *format, ...)
{
  const char *name = rg_words (g, "%%v%u", g->n_names++);
  va_list args;

  va_start (args, format);
  append_line (g, name, format, args);
  va_end (args);
  return name;
}

const char *
rg_element (Element e)
{
  return elements[e].name;
}

gboolean
rg_is_float (Element e)
{
  return elements[e].is_float;
}

gint
rg_count (const Shape *s)
{
  gint n = 1;

  for (guint i = 0; i < s->rank; i++)
    n *= s->dims[i];
  return n;
}

Shape
rg_shape (guint rank, gint a, gint b, gint c)
{
  return (Shape) { rank, { a, b, c } };
}

static const char *
tensor_of (Gen *g, const char *element, const Shape *s)
{
  g_autoptr (GString) out = g_string_new (NULL);

  if (s->rank == 0)
    return g_string_chunk_insert (g->words, element);
  g_string_append (out, "tensor<");
  for (guint i = 0; i < s->rank; i++)
    g_string_append_printf (out, "%dx", s->dims[i]);
  g_string_append_printf (out, "%s>", element);
  return g_string_chunk_insert (g->words, out->str);
}

const char *
rg_type (Gen *g, Element e, const Shape *s)
{
  return tensor_of (g, elements[e].name, s);
}

const char *
rg_pointer_type (Gen *g, Element e, const Shape *s)
{
  return tensor_of (g, rg_words (g, "!tt.ptr<%s>", elements[e].name), s);
}

const char *
rg_int (Gen *g, gint64 value, Element e)
{
  return rg_def (g, "arith.constant %" G_GINT64_FORMAT " : %s", value, elements[e].name);
}

void
rg_keep (Gen *g, const char *name, Element e, const Shape *s)
{
  const Tensor t = { name, e, *s };

  g_array_append_val (g->pool, t);
}

guint
rg_open (Gen *g)
{
  g->depth++;
  return g->pool->len;
}

void
rg_close (Gen *g, guint mark)
{
  g->depth--;
  g_array_set_size (g->pool, mark);
}

/* --- tensors --------------------------------------------------------------------------------------------------------------- */

static gboolean
same_shape (const Shape *a, const Shape *b)
{
  return a->rank == b->rank && memcmp (a->dims, b->dims, a->rank * sizeof a->dims[0]) == 0;
}

/* One that is there, from a random place on; NULL: none. `e`: N_ELEMENTS is any. */
static const Tensor *
pick (Gen *g, Element e, const Shape *s)
{
  guint n = g->pool->len - g->hidden, from = n > 0 ? (guint) rg_below (g, (gint) n) : 0;

  for (guint i = 0; i < n; i++)
    {
      const Tensor *t = &g_array_index (g->pool, Tensor, g->hidden + (from + i) % n);

      if ((e == N_ELEMENTS || t->element == e) && same_shape (&t->shape, s))
        return t;
    }
  return NULL;
}

static const char *
constant (Gen *g, Element e, const Shape *s)
{
  gint value = rg_below (g, 9) - 4;
  const char *word = e == E_I1 ? (value > 0 ? "true" : "false")
                     : rg_is_float (e) ? rg_words (g, "%d.0", value) : rg_words (g, "%d", value);

  if (s->rank == 1 && e != E_I1 && rg_once_in (g, 8))
    {
      g_autoptr (GString) list = g_string_new (NULL);

      for (gint i = 0; i < s->dims[0]; i++)
        g_string_append_printf (list, "%s%d%s", i > 0 ? ", " : "", rg_below (g, 9) - 4, rg_is_float (e) ? ".0" : "");
      return rg_def (g, "arith.constant dense<[%s]> : %s", list->str, rg_type (g, e, s));
    }
  if (s->rank == 0)
    return e == E_I1 ? rg_def (g, "arith.constant %s", word) : rg_def (g, "arith.constant %s : %s", word, elements[e].name);
  return rg_def (g, "arith.constant dense<%s> : %s", word, rg_type (g, e, s));
}

const char *
rg_unary (Gen *g, Element e, const Shape *s, const char *x)
{
  static const char *const floats[] = { "arith.negf", "math.absf", "math.floor", "arith.negf", "tt.precise_sqrt", "math.atan" };
  const char *type = rg_type (g, e, s);

  if (rg_is_float (e))
    return rg_def (g, "%s %s : %s", floats[rg_below (g, rg_once_in (g, 6) ? 6 : 4)], x, type);
  if (e == E_I1)
    return x;
  return rg_def (g, "math.absi %s : %s", x, type);
}

const char *
rg_binary (Gen *g, Element e, const Shape *s, const char *x, const char *y)
{
  static const char *const floats[] = { "addf", "subf", "maximumf", "minimumf", "addf", "mulf" };
  static const char *const integers[] = { "addi", "subi", "maxsi", "minsi", "xori", "muli", "andi" };
  static const char *const bits[] = { "andi", "ori", "xori" };
  const char *op = rg_is_float (e) ? floats[rg_below (g, 6)] : e == E_I1 ? bits[rg_below (g, 3)] : integers[rg_below (g, 7)];

  return rg_def (g, "arith.%s %s, %s : %s", op, x, y, rg_type (g, e, s));
}

static void
combining (Gen *g, const char *op, Element e, const Shape *s, gint axis, const char *x, const char *more, const char *type)
{
  static const char *const floats[] = { "addf", "maximumf", "subf" }, *const integers[] = { "addi", "maxsi", "subi" };
  const char *element = elements[e].name, *name = rg_words (g, "%%v%u", g->n_names++);

  rg_line (g, "%s = \"tt.%s\"(%s) <{axis = %d : i32%s}> ({", name, op, x, axis, more);
  rg_line (g, "^bb0(%%x%s: %s, %%y%s: %s):", name + 1, element, name + 1, element);
  rg_line (g, "  %%z%s = arith.%s %%x%s, %%y%s : %s", name + 1,
           e == E_I1 ? "xori" : (rg_is_float (e) ? floats : integers)[rg_below (g, 3)], name + 1, name + 1, element);
  rg_line (g, "  tt.%s.return %%z%s : %s", op, name + 1, element);
  rg_line (g, "}) : (%s) -> %s", rg_type (g, e, s), type);
}

static const char *
last_name (Gen *g)
{
  return rg_words (g, "%%v%u", g->n_names - 1);
}

const char *
rg_reduce (Gen *g, Element e, const Shape *s, gint axis, const char *x, Shape *out)
{
  const Shape from = *s; /* `out` may be the same */

  *out = (Shape) { 0 };
  for (guint i = 0; i < from.rank; i++)
    if ((gint) i != axis)
      out->dims[out->rank++] = from.dims[i];
  combining (g, "reduce", e, &from, axis, x, "", rg_type (g, e, out));
  return last_name (g);
}

const char *
rg_scan (Gen *g, Element e, const Shape *s, gint axis, const char *x)
{
  combining (g, "scan", e, s, axis, x, rg_once_in (g, 2) ? ", reverse = true" : ", reverse = false", rg_type (g, e, s));
  return last_name (g);
}

const char *
rg_trans (Gen *g, Element e, const Shape *s, const gint *order, const char *x, Shape *out)
{
  g_autoptr (GString) list = g_string_new (NULL);
  const Shape from = *s; /* `out` may be the same */

  out->rank = from.rank;
  for (guint i = 0; i < from.rank; i++)
    {
      out->dims[i] = from.dims[order[i]];
      g_string_append_printf (list, "%s%d", i > 0 ? ", " : "", order[i]);
    }
  return rg_def (g, "tt.trans %s {order = array<i32: %s>} : %s -> %s", x, list->str, rg_type (g, e, &from),
                 rg_type (g, e, out));
}

static const char *
compared (Gen *g, const Shape *s, guint effort)
{
  static const char *const predicates[] = { "eq", "ne", "slt", "sge", "ult" };
  const char *x = rg_value (g, E_I32, s, effort), *y = rg_value (g, E_I32, s, effort);

  return rg_def (g, "arith.cmpi %s, %s, %s : %s", predicates[rg_below (g, 5)], x, y, rg_type (g, E_I32, s));
}

/* From another element of the same shape. */
static const char *
converted (Gen *g, Element e, const Shape *s, const Tensor *t)
{
  gboolean from_float = rg_is_float (t->element), to_float = rg_is_float (e);
  const char *op = from_float ? (to_float ? (e == E_F32 ? "extf" : "truncf") : "fptosi")
                   : to_float ? "sitofp" : t->element < e ? "extsi" : "trunci";

  return rg_def (g, "arith.%s %s : %s to %s", op, t->name, rg_type (g, t->element, s), rg_type (g, e, s));
}

static const char *
spread (Gen *g, Element e, const Shape *s, guint effort)
{
  const Shape scalar = rg_shape (0, 0, 0, 0);
  Shape thin = *s;
  const char *x;

  if (s->rank < 2 || rg_once_in (g, 3))
    return rg_def (g, "tt.splat %s : %s -> %s", rg_value (g, e, &scalar, effort), elements[e].name, rg_type (g, e, s));
  thin.dims[rg_below (g, (gint) s->rank)] = 1;
  x = rg_value (g, e, &thin, effort);
  return same_shape (&thin, s) ? x : rg_def (g, "tt.broadcast %s : %s -> %s", x, rg_type (g, e, &thin), rg_type (g, e, s));
}

static const char *
computed (Gen *g, Element e, const Shape *s, guint effort)
{
  const char *x = rg_value (g, e, s, effort);

  switch (rg_below (g, 5))
    {
    case 0:
      return rg_unary (g, e, s, x);
    case 1:
      return rg_def (g, "arith.select %s, %s, %s : %s, %s", rg_value (g, E_I1, s, 0), x, rg_value (g, e, s, 0),
                     rg_type (g, E_I1, s), rg_type (g, e, s));
    default:
      return rg_binary (g, e, s, x, rg_value (g, e, s, effort));
    }
}

const char *
rg_value (Gen *g, Element e, const Shape *s, guint effort)
{
  const Tensor *there = pick (g, e, s), *other = pick (g, N_ELEMENTS, s);
  const char *name;

  if (there != NULL && (effort == 0 || rg_once_in (g, 3)))
    return there->name;
  if (effort == 0 || rg_once_in (g, 8))
    name = constant (g, e, s);
  else if (e == E_I1)
    name = s->rank == 0 && rg_once_in (g, 2) ? constant (g, e, s) : compared (g, s, effort - 1);
  else if (other != NULL && other->element != e && other->element != E_I1 && rg_once_in (g, 4))
    name = converted (g, e, s, other);
  else if (s->rank == 1 && e == E_I32 && rg_once_in (g, 3))
    name = rg_lane (g, 1, 0, rg_below (g, 4), s->dims[0]);
  else if (s->rank > 0 && rg_once_in (g, 3))
    name = spread (g, e, s, effort - 1);
  else
    name = computed (g, e, s, effort - 1);
  rg_keep (g, name, e, s);
  return name;
}

const char *
rg_lane (Gen *g, guint rank, guint axis, gint start, gint extent)
{
  const char *lane = rg_def (g, "tt.make_range {end = %d : i32, start = %d : i32} : tensor<%dxi32>", start + extent, start,
                             extent);
  Shape shape = rg_shape (1, extent, 1, 1);
  guint before = axis, behind = rank - 1 - axis;

  while (before + behind > 0)
    {
      gboolean front = before > 0 && (behind == 0 || rg_once_in (g, 2));
      Shape wider = { shape.rank + 1, { 1, 1, 1 } };
      guint at = front ? 0 : shape.rank;

      for (guint i = 0; i < shape.rank; i++)
        wider.dims[i + (front ? 1 : 0)] = shape.dims[i];
      lane = rg_def (g, "tt.expand_dims %s {axis = %u : i32} : %s -> %s", lane, at, rg_type (g, E_I32, &shape),
                     rg_type (g, E_I32, &wider));
      shape = wider;
      front ? before-- : behind--;
    }
  return lane;
}
