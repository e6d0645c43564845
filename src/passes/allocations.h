/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared work of the memory passes: alloc statements, MemRefs of variables. Source: spec passes-memory 1 and 3.5. */
#pragma once

#include "ir/lifetimes.h"
#include "ir/reserved-bytes.h"
#include "passes/pass.h"

G_BEGIN_DECLS

/* The MemRef of a variable of tile type; NULL for anything else and for tiles without a buffer. */
static inline const TsMemRef *
ts_tile_memref (const TsValue *value)
{
  return value != NULL && ts_type_is_tile (value->type) ? value->type->memref : NULL;
}

/* The interval of the buffer a tile lies in; TS_LIFE_NONE for what has none. */
static inline guint32
ts_tile_interval (const TsLifetimes *life, const TsValue *value)
{
  const TsMemRef *memref = ts_tile_memref (value);
  return memref != NULL ? ts_lifetimes_interval (life, memref->base) : TS_LIFE_NONE;
}

static inline gboolean
ts_memref_same_base (const TsMemRef *a, const TsMemRef *b)
{
  return a != NULL && b != NULL && a->base == b->base;
}

/* Retypes a variable in place; the passes own their clone of the module, and MemRefs do not change what a variable is. */
void            ts_value_set_memref (TsModule *module, TsValue *value, const TsMemRef *memref);
/* A constant offset of dtype INT64, as fresh allocations and addresses have it. */
TsExpr         *ts_expr_bytes (TsModule *module, gint64 bytes);
/* The MemRef moved onto another allocation: same size and options, new base and offset. */
const TsMemRef *ts_memref_at (TsModule *module, const TsMemRef *memref, TsValue *base, TsExpr *offset, gint64 size);

/* Physical bytes of a tile on this machine; FALSE when a dimension is not a positive constant. */
gboolean        ts_tile_bytes (const TsMachine *machine, const TsType *type, gint64 *out);

/* Adds a diagnostic of this pass that speaks of a buffer or a memory space (`subject`, may be NULL). It stands at `op`, or at the
 * function when that is NULL. The caller may add help. */
TsDiag         *ts_report_about (TsPassContext *context, const TsModule *module, const TsFunction *function, const TsOp *op,
                                 TsSeverity severity, const char *code, const char *subject, const char *format, ...)
  G_GNUC_PRINTF (8, 9);

/* Bytes an alloc statement asks for; FALSE when that is no positive constant. */
gboolean        ts_alloc_bytes (const TsOp *alloc, gint64 *out);

/* Every variable of the function in program order: parameters, then per operation block arguments, body, results. */
typedef void (*TsValueVisit) (TsValue *value, TsOp *op, gpointer data);
void            ts_function_foreach_value (TsFunction *function, TsValueVisit visit, gpointer data);

/* Runs a memory pass on every function that has statements and is not an orchestration: `run_function` adds what it changed to
 * `changes` and returns FALSE when it gives up, with a diagnostic. */
typedef gboolean (*TsFunctionPass) (TsPassContext *context, TsModule *module, TsFunction *function, guint *changes);
TsPassResult    ts_run_on_functions (TsPassContext *context, TsModule *module, TsFunctionPass run_function);

/* What an error about too little memory adds where part of the space is reserved, "" elsewhere (free with g_free). */
char           *ts_reserved_note (const TsFunction *function, const TsReserved *reserved, TsSpace space);

/* A fresh allocation of these bytes, its statement at the head of the body, named like those of InitMemRef with the next number
 * that is free there. */
TsValue        *ts_alloc_new (TsModule *module, TsFunction *function, TsSpace space, gint64 bytes);
/* Drops alloc statements at the head of the body whose base no type mentions. Returns how many. */
guint           ts_remove_dead_allocs (TsFunction *function);
/* Removes `pipeline_membership` everywhere. Returns how many operations had it. */
guint           ts_strip_membership (TsFunction *function);

G_END_DECLS
