/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the checks of Triton IR operations share. Each check returns NULL or a new sentence that says what is wrong. */
#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* Nobody can say anything about this type: it is not known yet, or that of another dialect. */
static inline gboolean
ts_ttir_is_open (const TsType *type)
{
  return type == NULL || type->kind == TS_TYPE_OPAQUE;
}

static inline gboolean
ts_ttir_is_tensor (const TsType *type)
{
  return ts_type_is (type, TS_TYPE_RANKED);
}

/* 0 for what is no tensor. */
static inline guint
ts_ttir_rank (const TsType *type)
{
  return ts_ttir_is_tensor (type) ? type->rank : 0;
}

/* -1: known at run time only. */
static inline gint64
ts_ttir_extent (const TsType *type, guint i)
{
  return type->dims[i]->i;
}

/* Element of the pointers that a type consists of; NULL when it consists of none. */
static inline const TsType *
ts_ttir_pointer_of (const TsType *type)
{
  const TsType *element = ts_ttir_is_open (type) ? NULL : ts_type_element (type);

  return ts_type_is (element, TS_TYPE_POINTER) ? element : NULL;
}

static inline gboolean
ts_ttir_is_scalar (const TsType *type, TsDtype dtype)
{
  return ts_type_is (type, TS_TYPE_SCALAR) && type->dtype == dtype;
}

/* Both are tensors of the same extents, or neither is one. */
gboolean ts_ttir_same_shape (const TsType *a, const TsType *b);
/* FALSE: the operation has no such attribute, or it is no number. */
gboolean ts_ttir_int_attr (const TsOp *op, const char *key, gint64 *out);
/* Does the list name each of 0 .. n - 1 at most once? NULL is such a list. With `all` it must name every one. */
gboolean ts_ttir_is_choice (const TsExpr *list, guint n, gboolean all);
/* The type of part k; operandSegmentSizes, when the operation has it, counts the operands of each part, 0 or 1. NULL: absent. */
const TsType *ts_ttir_part_type (const TsOp *op, guint k);

/* The checks that types-ttir.def names. */
#define TS_TTIR_TYPES(first, last, regions, results, operands, result, widths, check) char *ts_ttir_check_##check (const TsOp *op);
#include "ir/types-ttir.def"
#undef TS_TTIR_TYPES

G_END_DECLS
