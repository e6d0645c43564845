/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State shared by the parts of the evaluator. */
#pragma once

#include "lang/pypto/eval.h"

/* Bounds: what a file may cost before its values are called opaque. */
#define TS_EVAL_STEPS 200000u        /* for one statement of a module, and for one value asked for later */
#define TS_EVAL_TOTAL_STEPS 1000000u /* for all of them */
#define TS_EVAL_DEPTH 100u     /* calls within calls */
#define TS_EVAL_NESTING 2000u  /* expressions within expressions, over all calls */
#define TS_EVAL_HEIGHT 500u    /* lists within lists */
#define TS_EVAL_ITEMS 100000u
#define TS_EVAL_FILES 200u

struct TsScope
{
  TsScope    *up;
  GHashTable *names;   /* interned text to TsConst */
  TsSource   *source;
  const char *module;  /* "config": for -D config.NAME */
  gboolean    is_module;
};

struct TsClass
{
  const char  *name;
  TsStatement *def;
  TsScope     *scope;     /* around it */
  TsScope     *members;   /* its own names: defaults, constants, functions */
  TsClass     *base;
  GPtrArray   *fields;    /* interned names in order, inherited ones first */
  gboolean     is_data;   /* constructed from its fields */
  gboolean     is_enum;
};

struct TsEval
{
  TsLexicon  *lexicon;
  TsStrings  *strings;
  TsArena    *arena;
  TsDiagList *diags;
  char       *folder;
  GHashTable *defines;   /* interned name to TsConst */
  GHashTable *files;     /* path to scope; the value is NULL while it is being loaded */
  GPtrArray  *tables;    /* hash tables and arrays to be freed */
  GPtrArray  *arrays;
  GPtrArray  *parsers;   /* of siblings and -D values */
  GPtrArray  *sources;
  GHashTable *noted;     /* functions whose default was taken, said once */
  guint       steps;       /* since the budget was last renewed */
  guint       total_steps; /* before that */
  guint       depth;
  guint       nesting;
  const TsConst *none;
};

/* How a statement ended. */
typedef enum { TS_FLOW_NEXT, TS_FLOW_RETURN, TS_FLOW_BREAK, TS_FLOW_CONTINUE, TS_FLOW_UNKNOWN, TS_FLOW_STOP } TsFlow;

TsConst       *ts_const_new (TsEval *eval, TsConstKind kind);
const TsConst *ts_const_int (TsEval *eval, gint64 value);
const TsConst *ts_const_bool (TsEval *eval, gboolean value);
const TsConst *ts_const_float (TsEval *eval, double value);
const TsConst *ts_const_text (TsEval *eval, TsConstKind kind, const char *text);
/* The items are copied. */
const TsConst *ts_const_items (TsEval *eval, TsConstKind kind, const TsConst *const *items, guint n);
const TsConst *ts_const_opaque (TsEval *eval, TsScope *scope, guint32 offset, const char *format, ...) G_GNUC_PRINTF (4, 5);

const TsConst *ts_scope_get (TsScope *scope, const char *name); /* this one only */
GHashTable    *ts_eval_table (TsEval *eval);
const char    *ts_eval_intern (TsEval *eval, const char *text);
/* FALSE when the budget is used up. */
gboolean       ts_eval_step (TsEval *eval);
/* Another statement of a module gets its own budget, as long as the total allows. */
void           ts_eval_renew_steps (TsEval *eval);

/* Of a FLOAT, INT or BOOL. */
static inline double
ts_const_as_double (const TsConst *value)
{
  return value->kind == TS_CONST_FLOAT ? value->f : (double) value->i;
}

/* What -D gives a variable of the environment, as text; NULL when it gives none. */
const TsConst *ts_eval_variable (TsEval *eval, const char *name);

/* 1, 0, or -1 for a value whose truth is not known. */
gint           ts_const_truth (const TsConst *value);
gboolean       ts_const_equal (const TsConst *a, const TsConst *b);

const TsConst *ts_eval_operator (TsEval *eval, TsScope *scope, const TsNode *node, guint8 op, const TsConst *a, const TsConst *b);
const TsConst *ts_eval_attribute (TsEval *eval, TsScope *scope, guint32 offset, const TsConst *base, const char *name);
const TsConst *ts_eval_call_node (TsEval *eval, TsScope *scope, const TsNode *node);
const TsConst *ts_eval_comprehension (TsEval *eval, TsScope *scope, const TsNode *node);

/* Arguments of a call. */
typedef struct
{
  const TsConst **items;    /* positional, then by keyword */
  const char    **keywords; /* NULL for positional ones */
  guint           n, n_positional;
} TsArguments;

/* A call of a builtin. */
typedef struct
{
  TsEval            *eval;
  TsScope           *scope;
  const TsConst     *self;      /* of a method */
  const TsArguments *arguments;
  const char        *name;      /* of the builtin: several share a function */
  guint32            offset;
} TsBuiltinCall;

/* The keyword argument `name` of a call; NULL when it is not given. */
const TsConst *ts_builtin_named (const TsBuiltinCall *call, const char *name);

/* Command lines: argparse.ArgumentParser() and its methods. */
const TsConst *ts_builtin_parser (const TsBuiltinCall *call);
const TsConst *ts_builtin_argument_group (const TsBuiltinCall *call);
const TsConst *ts_builtin_add_argument (const TsBuiltinCall *call);
const TsConst *ts_builtin_set_defaults (const TsBuiltinCall *call);
const TsConst *ts_builtin_parse_args (const TsBuiltinCall *call);

/* A list or dictionary after container.method(arguments), container[key] = value; NULL when that is not followed. */
const TsConst *ts_eval_changed (TsEval *eval, const TsConst *container, const char *method, const TsArguments *arguments);
const TsConst *ts_eval_with_entry (TsEval *eval, const TsConst *container, const TsConst *key, const TsConst *value);
/* Is it the name of a method that changes what it is called on? */
gboolean       ts_eval_changes (const char *method);
/* Reads a call's arguments; free with ts_arguments_clear(). */
void           ts_eval_arguments (TsEval *eval, TsScope *scope, const TsNode *call, TsArguments *out);
void           ts_arguments_clear (TsArguments *arguments);

/* Calls anything: a function, a class, a builtin. NULL when it is none of them. */
const TsConst *ts_eval_apply (TsEval *eval, TsScope *scope, const TsConst *callee, const TsArguments *arguments, guint32 offset);
const TsConst *ts_eval_function (TsEval *eval, const TsConst *function, const TsArguments *arguments, guint32 offset);
const TsConst *ts_eval_construct (TsEval *eval, const TsConst *class, const TsArguments *arguments, TsScope *scope, guint32 offset);
const TsConst *ts_eval_replace (TsEval *eval, const TsConst *instance, const TsArguments *arguments);
const TsConst *ts_eval_class (TsEval *eval, TsScope *scope, TsStatement *def);
/* The default that field(default_factory=F) stands for, made anew; any other value is itself. */
const TsConst *ts_eval_field (TsEval *eval, TsScope *scope, const TsConst *value, guint32 offset);
const TsConst *ts_class_member (TsEval *eval, TsClass *class, const char *name);
const TsConst *ts_eval_builtin (TsEval *eval, TsScope *scope, const TsConst *builtin, const TsArguments *arguments, guint32 offset);
gboolean       ts_eval_is_builtin (const char *name);

/* Runs statements up to `until` (may be NULL). *result is set on TS_FLOW_RETURN. */
TsFlow         ts_eval_statements (TsEval *eval, TsScope *scope, TsStatement *first, const TsStatement *until,
                                   const TsConst **result);
void           ts_eval_assign (TsEval *eval, TsScope *scope, const TsNode *target, const TsConst *value);
void           ts_eval_import (TsEval *eval, TsScope *scope, const TsStatement *statement);
