/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole kernels, and what controls the flow in them. */
#include "random-private.h"

/* --- control flow ---------------------------------------------------------------------------------------------------------- */

static const Shape scalar_shape = { 0, { 0, 0, 0 } };

static void
choice (Gen *g, Element e, const Shape *s)
{
  const char *type = rg_type (g, e, s), *condition = rg_once_in (g, 2) ? "%c" : rg_value (g, E_I1, &scalar_shape, 1);
  const char *name = rg_words (g, "%%v%u", g->n_names++);

  rg_line (g, "%s = scf.if %s -> (%s) {", name, condition, type);
  for (guint arm = 0; arm < 2; arm++)
    {
      guint mark = rg_open (g);

      rg_line (g, "scf.yield %s : %s", rg_value (g, e, s, 2), type);
      rg_close (g, mark);
      rg_line (g, arm == 0 ? "} else {" : "}");
    }
  rg_keep (g, name, e, s);
}

static void
loop (Gen *g, Element e, const Shape *s)
{
  const char *type = rg_type (g, e, s), *start = rg_value (g, e, s, 1);
  const char *from = rg_int (g, 0, E_I32), *step = rg_int (g, 1, E_I32);
  const char *to = rg_int (g, rg_below (g, 4), E_I32), *name = rg_words (g, "%%v%u", g->n_names++);
  guint mark;

  rg_line (g, "%s = scf.for %%i%s = %s to %s step %s iter_args(%%a%s = %s) -> (%s) : i32 {", name, name + 1, from, to,
           step, name + 1, start, type);
  mark = rg_open (g);
  rg_keep (g, rg_words (g, "%%a%s", name + 1), e, s);
  rg_keep (g, rg_words (g, "%%i%s", name + 1), E_I32, &scalar_shape);
  rg_line (g, "scf.yield %s : %s", rg_binary (g, e, s, rg_words (g, "%%a%s", name + 1), rg_value (g, e, s, 2)), type);
  rg_close (g, mark);
  rg_line (g, "}");
  rg_keep (g, name, e, s);
}

/* Counts down from a small number. */
static void
countdown (Gen *g)
{
  const char *start = rg_int (g, 1 + rg_below (g, 3), E_I32), *one = rg_int (g, 1, E_I32), *zero = rg_int (g, 0, E_I32);
  const char *name = rg_words (g, "%%v%u", g->n_names++), *more, *less;
  guint mark;

  rg_line (g, "%s = scf.while (%%w%s = %s) : (i32) -> i32 {", name, name + 1, start);
  mark = rg_open (g);
  more = rg_def (g, "arith.cmpi sgt, %%w%s, %s : i32", name + 1, zero);
  rg_line (g, "scf.condition(%s) %%w%s : i32", more, name + 1);
  rg_close (g, mark);
  rg_line (g, "} do {");
  rg_line (g, "^bb0(%%b%s: i32):", name + 1);
  mark = rg_open (g);
  less = rg_def (g, "arith.subi %%b%s, %s : i32", name + 1, one);
  if (rg_once_in (g, 2))
    rg_flat_store (g, rg_argument (g, 2), 40, &scalar_shape, less);
  rg_line (g, "scf.yield %s : i32", less);
  rg_close (g, mark);
  rg_line (g, "}");
  rg_keep (g, name, E_I32, &scalar_shape);
}

void
rg_control (Gen *g)
{
  const Shape s = rg_shape (1, 1 << rg_below (g, 4), 1, 1);
  Element e = g->elements[rg_below (g, RANDOM_BUFFERS)];

  switch (rg_below (g, 4))
    {
    case 0:
      choice (g, e, &s);
      break;
    case 1:
      countdown (g);
      break;
    default:
      loop (g, e, &s);
    }
}

/* --- pieces ---------------------------------------------------------------------------------------------------------------- */

static void
stores (Gen *g)
{
  Base bases[RANDOM_BUFFERS];

  for (guint i = 0; i < RANDOM_BUFFERS; i++)
    bases[i] = rg_argument (g, i);
  rg_stores (g, bases, RANDOM_BUFFERS, FALSE);
}

/* What follows stands in another block. */
static void
jump (Gen *g)
{
  guint id = g->n_names++;
  const char *x = rg_value (g, E_I32, &scalar_shape, 1);

  rg_line (g, "cf.br ^next%u(%s : i32)", id, x);
  rg_line (g, "^next%u(%%arg%u: i32):", id, id);
  rg_keep (g, rg_words (g, "%%arg%u", id), E_I32, &scalar_shape);
}

static void
piece (Gen *g, RandomKind kind)
{
  if (kind == RANDOM_MIXED)
    kind = (RandomKind) rg_below (g, RANDOM_MIXED);
  switch (kind)
    {
    case RANDOM_STORES:
      stores (g);
      break;
    case RANDOM_ORDERS:
      rg_orders (g);
      break;
    default:
      rg_dots (g);
    }
}

/* --- rows ------------------------------------------------------------------------------------------------------------------ */

#define ROW 64 /* elements that are a program's own, in each buffer */

static void
row_piece (Gen *g, const Base *bases, gint width)
{
  const Shape s = rg_shape (1, width, 1, 1), thin = rg_shape (2, 1, width, 1), wide = rg_shape (2, 2, width, 1);
  Base base = bases[rg_below (g, RANDOM_BUFFERS)];
  Element e = base.element;
  Shape out;
  const char *x;

  switch (rg_below (g, 10))
    {
    case 0:
    case 6:
    case 7:
      x = rg_flat_load (g, base, rg_below (g, 16), &s);
      rg_keep (g, x, e, &s);
      if (rg_once_in (g, 2))
        rg_flat_store (g, base, rg_below (g, 16), &s, x);
      break;
    case 1:
      rg_keep (g, rg_reduce (g, e, &s, 0, rg_value (g, e, &s, 2), &out), e, &out);
      break;
    case 2:
      rg_keep (g, rg_scan (g, e, &s, 0, rg_value (g, e, &s, 2)), e, &s);
      break;
    case 3:
      x = rg_def (g, "tt.expand_dims %s {axis = 0 : i32} : %s -> %s", rg_value (g, e, &s, 1), rg_type (g, e, &s),
                  rg_type (g, e, &thin));
      x = rg_def (g, "tt.broadcast %s : %s -> %s", x, rg_type (g, e, &thin), rg_type (g, e, &wide));
      x = rg_reduce (g, e, &wide, rg_below (g, 2), rg_binary (g, e, &wide, x, rg_value (g, e, &wide, 1)), &out);
      rg_keep (g, x, e, &out);
      break;
    case 4:
      rg_stores (g, bases, RANDOM_BUFFERS, TRUE);
      break;
    case 5:
      loop (g, e, &s);
      break;
    default:
      rg_flat_store (g, base, rg_below (g, 16), &s, rg_value (g, e, &s, 2));
    }
}

void
rg_rows (Gen *g)
{
  static const gint widths[] = { 4, 8, 16, 32 };
  gint width = widths[rg_below (g, 4)];
  const Shape last = rg_shape (1, width, 1, 1);
  Base bases[RANDOM_BUFFERS];
  const char *guard, *own, *early = rg_once_in (g, 2) ? rg_def (g, "arith.addi %%o, %%q : i32") : NULL;
  guint n = 1 + (guint) rg_below (g, 5);

  rg_line (g, "%%pid = tt.get_program_id %c : i32", "xyz"[rg_below (g, 3)]);
  if (early != NULL)
    rg_keep (g, early, E_I32, &scalar_shape);
  guard = rg_def (g, "arith.cmpi sge, %%pid, %%n : i32");
  rg_line (g, "cf.cond_br %s, ^out, ^work", guard);
  rg_line (g, "^out:");
  rg_line (g, "tt.return");
  rg_line (g, "^work:");
  rg_keep (g, "%pid", E_I32, &scalar_shape);
  own = rg_def (g, "arith.muli %%pid, %s : i32", rg_int (g, ROW, E_I32));
  for (guint i = 0; i < RANDOM_BUFFERS; i++)
    bases[i] = (Base) { rg_def (g, "tt.addptr %%p%u, %s : !tt.ptr<%s>, i32", i, own, rg_element (g->elements[i])),
                        g->elements[i] };
  for (guint i = 0; i < n; i++)
    row_piece (g, bases, width);
  rg_flat_store (g, bases[0], 16, &last, rg_value (g, g->elements[0], &last, 2));
}

/* --- kernels --------------------------------------------------------------------------------------------------------------- */

static void
choose_arguments (Gen *g, RandomKind kind)
{
  static const Element any[] = { E_F32, E_I32, E_I8, E_I16, E_I64, E_BF16 };
  RandomKernel *k = g->kernel;

  g->elements[0] = E_F32;
  g->elements[1] = rg_once_in (g, 2) ? E_F32 : any[rg_below (g, 6)];
  g->elements[2] = E_I32;
  g->elements[3] = any[rg_below (g, 6)];
  k->may_alias = kind != RANDOM_ROWS && rg_once_in (g, 4);
  k->n_programs = kind == RANDOM_ROWS ? 1 + (guint) rg_below (g, 20) : 1;
  for (guint i = 0; i < RANDOM_BUFFERS; i++)
    {
      k->elements[i] = rg_element (g->elements[i]);
      k->offsets[i] = i > 0 ? 8 * rg_below (g, 12) : 0;
    }
  k->scalars[0] = kind == RANDOM_ROWS ? rg_below (g, (gint) k->n_programs + 1) : 1 + rg_below (g, 6);
  k->scalars[1] = rg_below (g, 50);
  k->scalars[2] = rg_once_in (g, 2) ? k->scalars[1] : k->scalars[1] + 4 * rg_below (g, 4);
  k->scalars[3] = !rg_once_in (g, 4);
}

static void
signature (Gen *g, const char *visibility, const char *name)
{
  rg_line (g, "tt.func %s @%s(%%p0: !tt.ptr<%s>, %%p1: !tt.ptr<%s>, %%p2: !tt.ptr<%s>, %%p3: !tt.ptr<%s>, %%n: i32, %%o: i32, "
              "%%q: i32, %%c: i1) {", visibility, name, g->kernel->elements[0], g->kernel->elements[1], g->kernel->elements[2],
           g->kernel->elements[3]);
}

/* Somebody who calls @f: its arguments may be anything then. */
static void
caller (Gen *g)
{
  const char *const *e = g->kernel->elements;

  signature (g, "public", "g");
  rg_line (g, "  tt.call @f(%%p0, %%p1, %%p2, %%p3, %%n, %%o, %%q, %%c) : (!tt.ptr<%s>, !tt.ptr<%s>, !tt.ptr<%s>, !tt.ptr<%s>, "
              "i32, i32, i32, i1) -> ()", e[0], e[1], e[2], e[3]);
  rg_line (g, "  tt.return");
  rg_line (g, "}");
}

static void
write_body (Gen *g, RandomKind kind)
{
  guint n = 1 + (guint) rg_below (g, kind == RANDOM_MIXED ? 4 : 3);

  if (kind == RANDOM_ROWS)
    {
      rg_rows (g);
      return;
    }
  for (guint i = 0; i < n; i++)
    {
      piece (g, kind);
      if (rg_once_in (g, 6))
        rg_control (g);
      if (rg_once_in (g, 12))
        jump (g);
    }
}

RandomKernel *
random_kernel_new (guint32 seed, RandomKind kind)
{
  Gen g = { .rand = g_rand_new_with_seed (seed), .text = g_string_new ("module {\n"), .depth = 1 };
  gboolean called;

  g.words = g_string_chunk_new (4096);
  g.pool = g_array_new (FALSE, FALSE, sizeof (Tensor));
  g.kernel = g_new0 (RandomKernel, 1);
  choose_arguments (&g, kind);
  called = g.kernel->may_alias && rg_once_in (&g, 2);
  signature (&g, g.kernel->may_alias && !called ? "private" : "public", "f");
  g.depth++;
  write_body (&g, kind);
  rg_line (&g, "tt.return");
  g.depth--;
  rg_line (&g, "}");
  if (called)
    caller (&g);
  g_string_append (g.text, "}\n");
  g.kernel->text = g_string_free (g.text, FALSE);
  g_array_unref (g.pool);
  g_string_chunk_free (g.words);
  g_rand_free (g.rand);
  return g.kernel;
}

void
random_kernel_free (RandomKernel *kernel)
{
  g_free (kernel->text);
  g_free (kernel);
}
