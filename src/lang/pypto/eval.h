/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of a user file's Python, found without an interpreter. Source: spec dsl 9.1, 9.2. What cannot be evaluated is opaque, with
 * a place and a reason, and harmless until something needs it. Every loop and depth is bounded. */
#pragma once

#include "base/arena.h"
#include "base/diag.h"
#include "lang/pypto/meaning.h"
#include "lang/pypto/parser.h"

G_BEGIN_DECLS

typedef enum
{
  TS_CONST_OPAQUE,   /* text: the reason; place */
  TS_CONST_NONE,
  TS_CONST_BOOL,     /* i */
  TS_CONST_INT,
  TS_CONST_FLOAT,
  TS_CONST_STRING,
  TS_CONST_TUPLE,    /* items */
  TS_CONST_LIST,
  TS_CONST_DICT,     /* items: key, value, ... */
  TS_CONST_DTYPE,    /* detail */
  TS_CONST_ENUM,     /* text: "Mem.Vec" */
  TS_CONST_DYNAMIC,  /* text: name of the dimension */
  TS_CONST_SYNTAX,   /* node, scope: a type, view or MemRef to be read where it is used */
  TS_CONST_FUNCTION, /* def, scope, self */
  TS_CONST_KERNEL,   /* def, scope: decorated with @pl.function, @pl.inline or @pl.jit, or a @pl.program class */
  TS_CONST_CLASS,    /* class */
  TS_CONST_INSTANCE, /* class, fields */
  TS_CONST_MODULE,   /* scope of a sibling, or text: a module we only know by name */
  TS_CONST_PARSER,   /* of a command line: fields are the arguments' defaults */
  TS_CONST_BUILTIN,  /* text: "len", "os.environ.get" ...; self */
} TsConstKind;

typedef struct TsConst TsConst;
typedef struct TsScope TsScope;
typedef struct TsClass TsClass;
typedef struct TsEval  TsEval;

struct TsConst
{
  guint8         kind;   /* TsConstKind */
  guint8         detail;
  guint16        height; /* of nested sequences; bounded, so that walking a value cannot overflow the stack */
  guint32        n;      /* items */
  guint32        offset; /* OPAQUE: where it arose */
  TsSource      *source;
  union
  {
    gint64          i;
    double          f;
    const char     *text;
    const TsConst **items;
    const TsNode   *node;
    TsStatement    *def;
    TsClass        *class;
  };
  TsScope       *scope;
  const TsConst *self;
  GHashTable    *fields; /* INSTANCE, PARSER: interned name to TsConst */
  const struct TsArguments *made_with; /* INSTANCE: the arguments it was made with; NULL: not known, or no -D asks for them */
};

/* Borrows everything; the sources it loads are kept until it is freed. `folder` NULL: no siblings. `defines` as in
 * TsPyptoOptions. */
TsEval        *ts_eval_new (TsLexicon *lexicon, const char *const *defines, const char *folder, TsDiagList *diags);
void           ts_eval_free (TsEval *eval);

/* Runs a module's statements in order. The scope holds what they bind. */
TsScope       *ts_eval_module (TsEval *eval, TsSource *source, TsStatement *body);
/* The same in two steps: what a module has defined so far can be imported while the rest of it runs. */
TsScope       *ts_eval_module_scope (TsEval *eval, TsSource *source);
void           ts_eval_run_module (TsEval *eval, TsScope *scope, TsStatement *body);
/* A scope inside another, for the body of a factory: parameters get their -D values, defaults, or stay opaque. Statements up to
 * `until` (excluded; found at any depth) are run. */
TsScope       *ts_eval_enter (TsEval *eval, TsScope *scope, TsStatement *def, const TsStatement *until);

/* Never NULL: OPAQUE when it has no value we can find. */
const TsConst *ts_eval_node (TsEval *eval, TsScope *scope, const TsNode *node);
/* A scope inside `scope` in which the target is bound to the value. */
TsScope       *ts_eval_bind (TsEval *eval, TsScope *scope, const TsNode *target, const TsConst *value);
/* The items of a sequence, the keys of a dictionary, the letters of a string; NULL when it is none. */
const TsConst *ts_const_iterate (TsEval *eval, const TsConst *value);
/* An empty scope inside another (or NULL); interned names are set in it. */
TsScope       *ts_scope_new (TsEval *eval, TsScope *up, TsSource *source);
void           ts_scope_set (TsScope *scope, const char *name, const TsConst *value);
/* A decorated function as a value. */
const TsConst *ts_eval_kernel (TsEval *eval, TsScope *scope, TsStatement *def);
/* NULL: nothing binds the name. */
const TsConst *ts_eval_lookup (TsEval *eval, TsScope *scope, TsName *name);
/* Why an interned name that nothing binds may have a value all the same: exec, setattr, globals () ... may have bound it. NULL:
 * they have not, it is undefined. */
const TsConst *ts_eval_perhaps_bound (TsScope *scope, const char *name);
/* The value -D gives to a name, or NULL. */
const TsConst *ts_eval_define (TsEval *eval, const char *name);
/* Has -D NAME=... reached anything so far? */
gboolean       ts_eval_has_effect (TsEval *eval, const char *name);
TsSource      *ts_scope_source (const TsScope *scope);
/* What a member of an IntEnum, an IntFlag or a StrEnum is where its value counts; any other value is itself. */
const TsConst *ts_const_plain (const TsConst *value);
/* "CLASS.NAME" of a member of an enumeration, interned; NULL: it is none. */
const char    *ts_const_member_name (TsEval *eval, const TsConst *value);
/* "assigned at config.py:12 from a call to load_cfg": what to say about an opaque value. Free with g_free. */
char          *ts_const_reason (const TsConst *value);
const char    *ts_const_kind_name (const TsConst *value);
/* Calls `visit` for every name of the scope and those around it. */
void           ts_scope_foreach (TsScope *scope, void (*visit) (const char *name, gpointer data), gpointer data);

static inline gboolean
ts_const_is_number (const TsConst *value)
{
  return value->kind == TS_CONST_BOOL || value->kind == TS_CONST_INT || value->kind == TS_CONST_FLOAT;
}

static inline gboolean
ts_const_is_sequence (const TsConst *value)
{
  return value->kind == TS_CONST_TUPLE || value->kind == TS_CONST_LIST;
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsEval, ts_eval_free)

G_END_DECLS
