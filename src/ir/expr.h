/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expression trees: operands, bounds, dimensions, keyword values. Immutable, owned by the module's arena, freely shared
 * within it (so a tree may be a graph). An operand's simplest form is a value. Nothing here folds unless its name says so. */
#pragma once

#include "ir/type.h"

G_BEGIN_DECLS

typedef enum
{
  TS_EXPR_INT,     /* integer or BOOL constant with a dtype; `n` is 1 when the number is `i` + 2^64 (an UINT64 of 2^63 or more) */
  TS_EXPR_FLOAT,   /* floating-point constant with a dtype */
  TS_EXPR_STRING,  /* only as a keyword or attribute value */
  TS_EXPR_NONE,    /* Python's None where it is a keyword value */
  TS_EXPR_DTYPE,   /* pl.FP32 as a keyword value */
  TS_EXPR_ENUM,    /* pl.Mem.Vec, pl.TensorLayout.ND, ... : `text` is the spelling without "pl.", e.g. "Mem.Vec" */
  TS_EXPR_VALUE,   /* a variable */
  TS_EXPR_UNARY,
  TS_EXPR_BINARY,
  TS_EXPR_CAST,    /* pl.cast(x, dtype) of a scalar */
  TS_EXPR_LIST,    /* [a, b] or (a, b) */
  TS_EXPR_GET,     /* t[0] on a tuple value: items[0] is the tuple, `index` the constant */
  TS_EXPR_CALL,    /* a call nested in an expression (before FlattenCallExpr): `call` is an op without block and results */
  TS_EXPR_MEMBERSHIP, /* value of the attribute pipeline_membership: pairs (group, stage) */
  TS_EXPR_TEXT,    /* anything else, kept as written: `text` */
} TsExprKind;

typedef enum
{
#define TS_OPERATOR(id, name, precedence, symbol) TS_OPERATOR_##id,
#include "ir/operators.def"
#undef TS_OPERATOR
  TS_N_OPERATORS,
} TsOperator;

typedef struct
{
  gint32 group;
  gint32 stage;
} TsStage;

struct TsExpr
{
  guint8  kind;       /* TsExprKind */
  guint8  op;         /* TsOperator of UNARY and BINARY */
  guint8  dtype;      /* TsDtype of the result, TS_DTYPE_NONE where that has no meaning or is not known */
  guint8  has_values; /* mentions a variable (or a call): a clone must visit it */
  guint32 n;          /* entries of `items` or `pairs`; tuple index of GET */
  union
  {
    gint64      i;
    double      f;
    const char *text;  /* interned */
    TsValue    *value;
    TsExpr     *items[2]; /* UNARY, CAST, GET: [0]; BINARY: both */
    TsOp       *call;
    struct
    {
      union
      {
        TsExpr       **list;  /* LIST */
        const TsStage *pairs; /* MEMBERSHIP */
      };
      const char *raw;   /* MEMBERSHIP: the text as read when it is not the canonical one, else NULL. LIST: NULL, or in Triton IR
                            "array" (of elements of `dtype`) and "dense" (a splat: one entry); "dict" of TS_EXPR_DICT_RAW: keys
                            and values in turn, an argument of an operation that no table knows */
    };
  };
};

#define TS_EXPR_DICT_RAW "dict"
gboolean ts_expr_is_dict (const TsExpr *e);

static inline gboolean ts_operator_is_comparison (guint op) { return op >= TS_OPERATOR_EQ && op <= TS_OPERATOR_GE; }
const char *ts_operator_symbol (TsOperator op);     /* "//", "min" */
guint       ts_operator_precedence (TsOperator op); /* larger binds tighter; spec dsl 4.2 */

/* Constructors. INDEX and BOOL constants of small value are shared. */
TsExpr *ts_expr_int (TsModule *module, gint64 value, TsDtype dtype);
TsExpr *ts_expr_uint64 (TsModule *module, guint64 value); /* dtype UINT64. Beyond 2^63 - 1 no function here takes it for a number */
TsExpr *ts_expr_index (TsModule *module, gint64 value); /* dtype INDEX: lit(n) of the specification */
TsExpr *ts_expr_bool (TsModule *module, gboolean value);
TsExpr *ts_expr_float (TsModule *module, double value, TsDtype dtype);
TsExpr *ts_expr_string (TsModule *module, const char *text);
TsExpr *ts_expr_none (TsModule *module);
TsExpr *ts_expr_dtype (TsModule *module, TsDtype dtype);
TsExpr *ts_expr_enum (TsModule *module, const char *spelling); /* "Mem.Vec" */
TsExpr *ts_expr_space (TsModule *module, TsSpace space);       /* the enum "Mem.<space>" */
TsExpr *ts_expr_value (TsModule *module, TsValue *value);      /* shared: one node per value */
TsExpr *ts_expr_unary (TsModule *module, TsOperator op, TsExpr *x);
/* No folding. The result's dtype is the wider operand's (left on ties), BOOL for comparisons and logic; no cast is inserted. */
TsExpr *ts_expr_binary (TsModule *module, TsOperator op, TsExpr *a, TsExpr *b);
TsExpr *ts_expr_cast (TsModule *module, TsExpr *x, TsDtype dtype);
TsExpr *ts_expr_list (TsModule *module, TsExpr *const *items, guint n);
TsExpr *ts_expr_dict (TsModule *module, TsExpr *const *items, guint n); /* n entries: keys and values in turn */
/* Other entries for a list, which stays what it is: list, dictionary, array. */
TsExpr *ts_expr_list_like (TsModule *module, const TsExpr *list, TsExpr *const *items, guint n);
TsExpr *ts_expr_get (TsModule *module, TsExpr *tuple, guint index);
TsExpr *ts_expr_call (TsModule *module, TsOp *call);
TsExpr *ts_expr_membership (TsModule *module, const TsStage *pairs, guint n, const char *raw);
/* Parses "g:s;g:s", skipping any token that is not exactly int:int; the raw text is kept when it is not canonical. */
TsExpr *ts_expr_membership_from_text (TsModule *module, const char *text);
TsExpr *ts_expr_text (TsModule *module, const char *text);

/* off(e, n) of the specification: e when n is 0, a literal when e is one (same dtype), else Add(e, lit(n)). */
TsExpr *ts_expr_offset (TsModule *module, TsExpr *e, gint64 n);

static inline TsValue *
ts_expr_as_value (const TsExpr *e)
{
  return e != NULL && e->kind == TS_EXPR_VALUE ? e->value : NULL;
}

/* const(e): an integer constant or the negation of one. FALSE for NULL. */
gboolean ts_expr_as_int (const TsExpr *e, gint64 *out);
/* Evaluates a tree of integer constants (checked; floor division). FALSE when it mentions a value or cannot be done. */
gboolean ts_expr_fold_int (const TsExpr *e, gint64 *out);
/* Height of the tree; a leaf is 1. */
guint    ts_expr_depth (const TsExpr *e);

/* Calls `visit` for every occurrence of a variable in the tree, calls' operands and attributes included, in print order. */
typedef void (*TsValueVisitor) (TsValue *value, gpointer data);
void     ts_expr_foreach_value (const TsExpr *e, TsValueVisitor visit, gpointer data);
/* The same for the variables in a type: dimensions, view, MemRef offset, slot index and base. */
void     ts_type_foreach_value (const TsType *type, TsValueVisitor visit, gpointer data);

/* Same tree: kinds, operators, constants, dtypes, and the same variables (by identity). */
gboolean ts_expr_equal (const TsExpr *a, const TsExpr *b);

G_END_DECLS
