/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams of stores to neighbouring places, interleaved, with other accesses between. */
#include "random-private.h"

#define MAX_SLOTS 6

/* Stores of `length` elements each to places side by side, in some order. */
typedef struct
{
  Base        base;
  const char *origin; /* i32, or NULL */
  gint        length, first;
  gboolean    tiles;  /* of two rows */
  guint       n_slots, next;
  gint        slots[MAX_SLOTS];
  const char *cache;
} Stream;

Base
rg_argument (Gen *g, guint i)
{
  return (Base) { rg_words (g, "%%p%u", i), g->elements[i] };
}

const char *
rg_term (Gen *g, const char *lane, guint axis, const Shape *whole, gint stride, const char *symbol, gboolean plain)
{
  Shape thin = rg_shape (whole->rank, 1, 1, 1);
  const char *type, *factor;

  thin.dims[axis] = whole->dims[axis];
  type = rg_type (g, E_I32, &thin);
  if (plain || stride != 1 || symbol != NULL || rg_once_in (g, 2))
    {
      factor = rg_int (g, stride, E_I32);
      if (symbol != NULL)
        factor = stride == 1 ? symbol : rg_def (g, "arith.muli %s, %s : i32", symbol, factor);
      factor = plain || symbol != NULL || rg_once_in (g, 2) ? rg_def (g, "tt.splat %s : i32 -> %s", factor, type)
                                          : rg_def (g, "arith.constant dense<%d> : %s", stride, type);
      lane = plain || rg_once_in (g, 2) ? rg_def (g, "arith.muli %s, %s : %s", lane, factor, type)
                                        : rg_def (g, "arith.muli %s, %s : %s", factor, lane, type);
    }
  return rg_def (g, "tt.broadcast %s : %s -> %s", lane, type, rg_type (g, E_I32, whole));
}

/* From a base and offsets. */
static const char *
pointer (Gen *g, Base base, const Shape *s, const char *offsets)
{
  const char *type = rg_pointer_type (g, base.element, s);
  const char *splat = rg_def (g, "tt.splat %s : !tt.ptr<%s> -> %s", base.name, rg_element (base.element), type);

  return rg_def (g, "tt.addptr %s, %s : %s, %s", splat, offsets, type, rg_type (g, E_I32, s));
}

static const char *
flat_offsets (Gen *g, gint first, gint length, const char *origin)
{
  const Shape s = rg_shape (1, length, 1, 1);
  gint start = rg_once_in (g, 2) ? first : 0;
  const char *range = rg_lane (g, 1, 0, start, length), *type = rg_type (g, E_I32, &s), *moved = origin;

  if (origin == NULL && start == first)
    return range;
  if (start != first || rg_once_in (g, 4))
    {
      moved = rg_int (g, first - start, E_I32);
      if (origin != NULL)
        moved = rg_once_in (g, 2) ? rg_def (g, "arith.addi %s, %s : i32", origin, moved)
                                  : rg_def (g, "arith.addi %s, %s : i32", moved, origin);
    }
  moved = rg_def (g, "tt.splat %s : i32 -> %s", moved, type);
  return rg_once_in (g, 2) ? rg_def (g, "arith.addi %s, %s : %s", range, moved, type)
                           : rg_def (g, "arith.addi %s, %s : %s", moved, range, type);
}

static const char *
tile_offsets (Gen *g, gint first, const Shape *s)
{
  gint columns = s->dims[1];
  const char *row = rg_term (g, rg_lane (g, 2, 0, first / columns, s->dims[0]), 0, s, columns, NULL, TRUE);
  const char *column = rg_term (g, rg_lane (g, 2, 1, 0, columns), 1, s, 1, NULL, TRUE);

  return rg_once_in (g, 2) ? rg_def (g, "arith.addi %s, %s : %s", row, column, rg_type (g, E_I32, s))
                           : rg_def (g, "arith.addi %s, %s : %s", column, row, rg_type (g, E_I32, s));
}

const char *
rg_flat_load (Gen *g, Base base, gint first, const Shape *s)
{
  const Shape flat = rg_shape (1, rg_count (s), 1, 1);
  const char *type = rg_type (g, base.element, &flat), *pointers = rg_pointer_type (g, base.element, &flat), *mask, *x;
  const char *p = pointer (g, base, &flat, flat_offsets (g, first, flat.dims[0], NULL));

  if (rg_once_in (g, 3))
    {
      mask = rg_value (g, E_I1, &flat, 2);
      x = rg_def (g, "tt.load %s, %s, %s : %s", p, mask, rg_value (g, base.element, &flat, 1), pointers);
    }
  else
    x = rg_def (g, "tt.load %s : %s", p, pointers);
  return s->rank == 1 ? x : rg_def (g, "tt.reshape %s : %s -> %s", x, type, rg_type (g, base.element, s));
}

void
rg_flat_store (Gen *g, Base base, gint first, const Shape *s, const char *x)
{
  const Shape flat = rg_shape (1, rg_count (s), 1, 1);
  const char *p;

  if (s->rank != 1)
    x = s->rank == 0 ? rg_def (g, "tt.splat %s : %s -> %s", x, rg_element (base.element), rg_type (g, base.element, &flat))
                     : rg_def (g, "tt.reshape %s : %s -> %s", x, rg_type (g, base.element, s), rg_type (g, base.element, &flat));
  p = pointer (g, base, &flat, flat_offsets (g, first, flat.dims[0], NULL));
  rg_line (g, "tt.store %s, %s : %s", p, x, rg_pointer_type (g, base.element, &flat));
}

/* --- streams --------------------------------------------------------------------------------------------------------------- */

/* Now and then a pointer of which nobody can tell where it comes from. */
static Base
derive (Gen *g, Base base)
{
  const char *type = rg_words (g, "!tt.ptr<%s>", rg_element (base.element)), *number;

  switch (rg_below (g, 12))
    {
    case 0:
      number = rg_def (g, "tt.ptr_to_int %s : %s -> i64", base.name, type);
      base.name = rg_def (g, "tt.int_to_ptr %s : i64 -> %s", number, type);
      break;
    case 1:
    case 2:
      base.name = rg_def (g, "tt.addptr %s, %s : %s, i32", base.name, rg_int (g, rg_below (g, 12), E_I32), type);
      break;
    case 3:
      number = rg_def (g, "tt.addptr %s, %s : %s, i32", base.name, rg_int (g, 4, E_I32), type);
      base.name = rg_def (g, "arith.select %%c, %s, %s : %s", base.name, number, type);
      break;
    default:
      break;
    }
  return base;
}

static const char *
random_origin (Gen *g)
{
  static const char *const names[] = { "%o", "%n", "%q" };
  const Shape scalar = rg_shape (0, 0, 0, 0);

  /* A scalar that may have to wait for the stores before it; in bounds whatever it is. */
  if (rg_once_in (g, 6))
    return rg_def (g, "arith.andi %s, %s : i32", rg_value (g, E_I32, &scalar, 2), rg_int (g, 63, E_I32));
  return names[rg_below (g, 3)];
}

static void
shuffle (Gen *g, gint *slots, guint n)
{
  for (guint i = n; i > 1; i--)
    {
      guint k = (guint) rg_below (g, (gint) i);
      gint swap = slots[i - 1];

      slots[i - 1] = slots[k];
      slots[k] = swap;
    }
}

static Stream
stream_new (Gen *g, const Base *bases, guint n_bases, const Stream *before, gboolean in_rows)
{
  static const char *const caches[] = { "", "", "", " cacheModifier = cg", " evictionPolicy = evict_last" };
  Stream s = { .length = 1 << rg_below (g, 4) };
  gboolean twin = before != NULL && rg_once_in (g, 3); /* reaches the same, and is told from the other by its cache alone */

  s.base = twin || (before != NULL && rg_once_in (g, 2)) ? before->base : derive (g, bases[rg_below (g, (gint) n_bases)]);
  if (twin)
    s.origin = before->origin;
  else if (!in_rows && rg_once_in (g, 2))
    s.origin = before != NULL && rg_once_in (g, 2) ? before->origin : random_origin (g);
  s.length = before != NULL && rg_once_in (g, 2) ? before->length : in_rows ? MIN (s.length, 4) : s.length;
  s.first = rg_below (g, 4) * s.length;
  s.tiles = s.length >= 4 && s.origin == NULL && rg_once_in (g, 3);
  s.n_slots = (guint) rg_below (g, MAX_SLOTS - 1) + 2;
  for (guint i = 0; i < s.n_slots; i++)
    s.slots[i] = (gint) i;
  if (rg_once_in (g, 2))
    shuffle (g, s.slots, s.n_slots);
  if (rg_once_in (g, 10))
    s.slots[rg_below (g, (gint) s.n_slots)] = rg_below (g, MAX_SLOTS);
  s.cache = twin ? (before->cache[0] == '\0' ? caches[3] : "") : caches[rg_below (g, 5)];
  return s;
}

static const char *
slot_pointer (Gen *g, const Stream *s, gint slot, Shape *shape)
{
  gint first = s->first + slot * s->length;

  *shape = rg_shape (s->tiles ? 2 : 1, s->tiles ? 2 : s->length, s->length / 2, 1);
  return pointer (g, s->base, shape,
                  s->tiles ? tile_offsets (g, first, shape) : flat_offsets (g, first, s->length, s->origin));
}

static void
store_slot (Gen *g, const Stream *s, gint slot)
{
  Shape shape = rg_shape (s->tiles ? 2 : 1, s->tiles ? 2 : s->length, s->length / 2, 1);
  const char *x, *p, *mask = "";

  p = rg_once_in (g, 2) ? slot_pointer (g, s, slot, &shape) : NULL;
  x = rg_value (g, s->base.element, &shape, 2);
  if (rg_once_in (g, 20))
    mask = rg_words (g, ", %s", rg_value (g, E_I1, &shape, 1));
  if (p == NULL)
    p = slot_pointer (g, s, slot, &shape);
  rg_line (g, "tt.store %s, %s%s%s : %s", p, x, mask, rg_once_in (g, 25) ? " cacheModifier = wb" : s->cache,
           rg_pointer_type (g, s->base.element, &shape));
}

static void
load_slot (Gen *g, const Stream *s, gint slot)
{
  Shape shape;
  const char *p = slot_pointer (g, s, slot, &shape);
  const char *x = rg_once_in (g, 8) ? rg_def (g, "tt.load %s, %s, %s : %s", p, rg_value (g, E_I1, &shape, 1),
                                              rg_value (g, s->base.element, &shape, 1),
                                              rg_pointer_type (g, s->base.element, &shape))
                                    : rg_def (g, "tt.load %s : %s", p, rg_pointer_type (g, s->base.element, &shape));

  rg_keep (g, x, s->base.element, &shape);
}

static const char *
element_pointer (Gen *g, Base base)
{
  return rg_def (g, "tt.addptr %s, %s : !tt.ptr<%s>, i32", base.name, rg_int (g, rg_below (g, 40), E_I32),
                 rg_element (base.element));
}

static void
block_access (Gen *g, Base base)
{
  const Shape s = rg_shape (2, 2, 1 + rg_below (g, 3), 1);
  const char *wide = rg_int (g, s.dims[1] + 1, E_I64), *high = rg_int (g, 2, E_I64), *one = rg_int (g, 1, E_I64);
  const char *from = rg_int (g, rg_below (g, 8), E_I32), *zero = rg_int (g, rg_below (g, 2), E_I32);
  const char *type = rg_words (g, "!tt.ptr<%s>", rg_type (g, base.element, &s));
  const char *check = rg_once_in (g, 2) ? " {boundaryCheck = array<i32: 0, 1>}" : "";
  const char *p = rg_def (g, "tt.make_tensor_ptr %s, [%s, %s], [%s, %s], [%s, %s] {order = array<i32: 1, 0>} : <%s>", base.name,
                          high, wide, wide, one, zero, from, rg_type (g, base.element, &s));

  if (rg_once_in (g, 2))
    p = rg_def (g, "tt.advance %s, [%s, %s] : <%s>", p, zero, from, rg_type (g, base.element, &s));
  if (rg_once_in (g, 2))
    rg_keep (g, rg_def (g, "tt.load %s%s : %s", p, check, type), base.element, &s);
  else
    rg_line (g, "tt.store %s, %s%s : %s", p, rg_value (g, base.element, &s, 1), check, type);
}

/* Something that is no store of a stream. */
static void
disturb (Gen *g, const Base *bases, guint n_bases, const Stream *s, gboolean in_rows)
{
  const Shape scalar = rg_shape (0, 0, 0, 0);
  Base base = bases[rg_below (g, (gint) n_bases)];

  switch (rg_below (g, in_rows ? 5 : 9))
    {
    case 0:
    case 1:
      load_slot (g, s, rg_below (g, MAX_SLOTS));
      break;
    case 2:
    case 3:
      rg_keep (g, rg_def (g, "tt.load %s : !tt.ptr<%s>", element_pointer (g, base), rg_element (base.element)),
               base.element, &scalar);
      break;
    case 4:
      rg_line (g, "tt.store %s, %s : !tt.ptr<%s>", element_pointer (g, base), rg_value (g, base.element, &scalar, 1),
               rg_element (base.element));
      break;
    case 5:
      if (base.element == E_I32)
        rg_def (g, "tt.atomic_rmw add, acq_rel, gpu, %s, %s : (!tt.ptr<i32>, i32) -> i32", element_pointer (g, base),
                rg_value (g, E_I32, &scalar, 1));
      else
        rg_line (g, "gpu.barrier");
      break;
    case 6:
      block_access (g, base);
      break;
    default:
      rg_control (g);
    }
}

void
rg_stores (Gen *g, const Base *bases, guint n_bases, gboolean in_rows)
{
  guint n = 1 + (guint) rg_below (g, in_rows ? 2 : 4), left = 0;
  Stream streams[4];

  for (guint i = 0; i < n; i++)
    {
      streams[i] = stream_new (g, bases, n_bases, i > 0 ? &streams[i - 1] : NULL, in_rows);
      left += streams[i].n_slots;
    }
  while (left > 0)
    {
      Stream *s = &streams[rg_below (g, (gint) n)];

      if (s->next == s->n_slots)
        continue;
      store_slot (g, s, s->slots[s->next++]);
      left--;
      if (rg_once_in (g, 6))
        disturb (g, bases, n_bases, &streams[rg_below (g, (gint) n)], in_rows);
    }
}
