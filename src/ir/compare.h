/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Structural comparison up to renaming of variables. Source: spec dsl section 8.1. */
#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

typedef enum
{
  TS_COMPARE_DEFAULT = 0,
  TS_COMPARE_VALUES = 1 << 0, /* also names, MemRefs, and attributes that types ignore */
} TsCompareFlags;

typedef struct
{
  const char *function;  /* name in a, or in b where a has none; TS_DIFFERENCE_MODULE: of the module itself */
  const TsOp *a, *b;     /* first differing operations; NULL: a function, its signature, or one side ended */
  char       *reason;    /* one sentence: what differs, with both sides */
} TsDifference;

#define TS_DIFFERENCE_MODULE "module"

/* Returns the first difference of each function, in order of `a`, then functions only `b` has, then of the attributes of each
 * module of a Triton IR file: empty when equal.
 * Free with g_ptr_array_unref (elements are freed too). O(size). */
GPtrArray *ts_module_compare (const TsModule *a, const TsModule *b, TsCompareFlags flags);
gboolean   ts_module_equal (const TsModule *a, const TsModule *b, TsCompareFlags flags);

G_END_DECLS
