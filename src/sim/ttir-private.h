/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of Triton IR share: questions about types, places of lanes. */
#pragma once

#include "sim/execute-private.h"

G_BEGIN_DECLS

/* Type of an operand that is a variable; NULL otherwise. */
/* The tensor type whose lanes an access has: of a block pointer the pointee, else the type itself. */
const TsType *ttir_lanes (const TsType *type);
/* Extents of at most TS_MAX_PLACE_RANK axes, 1 at least; returns how many. 0: a scalar, or too many. */
guint         ttir_extents (const TsType *type, gint64 *out);
gint64        ttir_count (const TsType *type);
/* Element type behind tensors and pointers. */
TsDtype       ttir_dtype (const TsType *type);
/* A pointer or a tensor of them. */
gboolean      ttir_is_pointer (const TsType *type);
/* Bytes of a tensor. */
gint64        ttir_bytes (const TsType *type);

/* Integer operations of two known values. FALSE: no 64-bit result, or not followed. */
gboolean      ttir_binary (const TsOp *op, gint64 a, gint64 b, gint64 *out);
/* What an operation of two integers computes; TS_N_OPERATORS: no entry of the table. */
TsOperator    ttir_operator (const TsOp *op);
/* Casts that keep an integer or a pointer as it is. */
gboolean      ttir_passes_through (guint code);

gboolean      ttir_is_unsigned (const TsOp *op);
/* How the result of an operation of two numbers changes from one iteration to the next. */
void          ttir_combine (Exec *x, const TsOp *op, const Cell *a, gint64 value_a, const Cell *b, gint64 value_b, Cell *result);

/* ttir-place.c: sets `placed`, `offset`, `steps` of a result from its operands, and how it changes; other fields are kept. */
void          ttir_place (Exec *x, const TsOp *op, const Cell *cells, Cell *result);
/* Lowest and highest lane; FALSE when they are not known or do not fit. */
gboolean      ttir_place_range (const Cell *place, const TsType *type, gint64 *low, gint64 *high);

/* ttir-access.c: the window of global memory that the instruction just emitted touches through `pointer`. */
void          ttir_add_window (Exec *x, const TsOp *op, const Cell *pointer, guint access);

G_END_DECLS
