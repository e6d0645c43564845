/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lanes of values, and what single operations do to them. */
#pragma once

#include "toy.h"

typedef struct
{
  const TsModule *module;
  ToyMemory *memory;
  guint64  **values;  /* by id: lanes of a value, each the bits of its element, zero-extended */
  GPtrArray *garbage; /* lanes */
  guint      program, n_programs;
  guint64    budget;  /* operations that may still run */
  char      *why;     /* what went wrong */
} Toy;

/* What element a type has; a pointer counts as an integer of 64 bits. */
typedef struct
{
  guint    bits;
  gboolean is_float;
} ToyElement;

ToyElement toy_element (const TsType *type);
guint      toy_n_lanes (const TsType *type);
gboolean   toy_fail (Toy *toy, const TsOp *op, const char *what); /* FALSE */

static inline guint64
toy_mask (guint bits)
{
  return bits >= 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT (1) << bits) - 1;
}

static inline gint64
toy_signed (ToyElement e, guint64 x)
{
  return e.bits >= 64 ? (gint64) x : (gint64) (x << (64 - e.bits)) >> (64 - e.bits);
}

double  toy_get_float (ToyElement e, guint64 x);
guint64 toy_put_float (ToyElement e, double x);

/* Lanes of operand `i`; of a fresh result. */
guint64 *toy_in (Toy *toy, const TsOp *op, guint i);
guint64 *toy_out (Toy *toy, const TsOp *op, guint i);
/* Takes the value for another one's. */
void     toy_set (Toy *toy, const TsValue *value, const guint64 *lanes);

/* Each runs one operation that it knows. FALSE: it is none of its own, or it failed (toy->why). */
gboolean toy_run_pointwise (Toy *toy, const TsOp *op);
gboolean toy_run_shape (Toy *toy, const TsOp *op);
gboolean toy_run_memory (Toy *toy, const TsOp *op);
