/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State shared by the parts of the evaluator. */
#pragma once

#include "lang/pypto/eval.h"

/* Bounds: what a file may cost before its values are called opaque. */
#define TS_EVAL_STEPS 200000u        /* for one statement of a module, and for one value asked for later */
#define TS_EVAL_TOTAL_STEPS 1000000u /* for all of them */
#define TS_EVAL_LEAST_STEPS 100u     /* for one statement when those are used up, until twice as many are */
#define TS_EVAL_ITEMS_PER_STEP 4u    /* what a list costs that is made, whatever lists are within lists */
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
  gboolean    is_running;  /* a module whose statements have not all run: what imports it now gets what it has so far */
  gboolean    is_factory;  /* the body of a factory that is opened: -D reaches its names as it does a module's */
  gboolean    is_comprehension;
  const TsConst *running;  /* the body of a function that is called: the function, bound to its object; else NULL */
  const char *class_name;  /* the body of a class, else NULL: for -D CLASS.NAME */
  const TsConst *open;   /* why any name that is bound nowhere may be bound all the same (exec); NULL: it is not */
  GHashTable *open_names; /* names bound nowhere that may be bound all the same (setattr), to why; NULL: none */
  GHashTable *elsewhere; /* names that `global` and `nonlocal` give away, to the scope they live in; NULL: none */
};

/* What a list or tuple stands for: its `detail`. */
enum
{
  TS_ITEMS_PLAIN,
  TS_ITEMS_SET,      /* no order, no duplicates */
  TS_ITEMS_VIEW,     /* keys () of a dictionary, which changes with it */
  TS_ITEMS_ITERATOR, /* zip, a generator: spent when it is used */
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
  gboolean     is_foreign;  /* a base, a metaclass or a method we do not model has a say in how objects are made */
  gboolean     is_tuple;    /* NamedTuple: an object that is a tuple as well */
  gboolean     is_number;   /* IntEnum, StrEnum: its members are their values as well */
  gboolean     has_identity; /* @dataclass (eq=False) */
  guint        n_positional; /* of the fields: those behind `_: KW_ONLY` have to be named */
  GHashTable  *unset;       /* fields that are no arguments: field (init=False) */
};

struct TsEval
{
  TsLexicon  *lexicon;
  TsStrings  *strings;
  TsArena    *arena;
  TsDiagList *diags;
  char       *folder;
  GHashTable *defines;   /* interned name to TsConst */
  GHashTable *defined;   /* names in it that had an effect */
  GHashTable *formats;   /* interned text of an f-string's field to TsNode, NULL when it is no expression */
  GHashTable *files;     /* path to scope; the value is NULL while it is being loaded */
  GPtrArray  *tables;    /* hash tables and arrays to be freed */
  GPtrArray  *arrays;
  GPtrArray  *parsers;   /* of siblings and -D values */
  GPtrArray  *sources;
  GHashTable *noted;     /* functions whose default was taken, files that read the command line: said once */
  guint       n_unknown_reads; /* of the command line, and of variables of the environment that nobody gave a value */
  guint       steps;       /* since the budget was last renewed */
  guint       most_steps;  /* that they may become */
  guint       total_steps; /* before that */
  guint       forget_steps; /* calls looked at by ts_eval_forget_call since then */
  const TsConst *failure; /* why the budget is used up; NULL while it is not */
  guint       base_depth; /* calls around the module that runs */
  guint       looping;    /* loops around what runs: all their rounds have one budget */
  GHashTable *forgotten;   /* functions it has looked into: TsStatement to TsScope */
  GHashTable *environment; /* variables the file sets itself: interned name to TsConst */
  gboolean    environment_is_open;
  guint       trying;      /* try blocks around what runs, within one function */
  gboolean    may_fail;    /* something in the try block may raise an exception, or not */
  const TsNode *discarded; /* the call that is a statement of its own */
  guint       growth;      /* of the height of containers filled in place: bounds how deep values nest */
  guint       forgetting;  /* depth of ts_eval_forget_call */
  guint       depth;
  guint       nesting;
  const TsConst *none;
};

/* The `detail` of an opaque value whose evaluation raises an exception, for sure. */
#define TS_OPAQUE_RAISES 1

/* How a statement ended. */
typedef enum { TS_FLOW_NEXT, TS_FLOW_RETURN, TS_FLOW_RAISE, TS_FLOW_BREAK, TS_FLOW_CONTINUE, TS_FLOW_UNKNOWN, TS_FLOW_STOP } TsFlow;

TsConst       *ts_const_new (TsEval *eval, TsConstKind kind);
const TsConst *ts_const_int (TsEval *eval, gint64 value);
const TsConst *ts_const_bool (TsEval *eval, gboolean value);
const TsConst *ts_const_float (TsEval *eval, double value);
const TsConst *ts_const_text (TsEval *eval, TsConstKind kind, const char *text);
/* The items are copied. */
const TsConst *ts_const_items (TsEval *eval, TsConstKind kind, const TsConst *const *items, guint n);
const TsConst *ts_const_opaque (TsEval *eval, TsScope *scope, guint32 offset, const char *format, ...) G_GNUC_PRINTF (4, 5);

/* Likewise, where Python raises an exception. */
const TsConst *ts_const_raises (TsEval *eval, TsScope *scope, guint32 offset, const char *format, ...) G_GNUC_PRINTF (4, 5);

const TsConst *ts_scope_get (TsScope *scope, const char *name); /* this one only */
GHashTable    *ts_eval_table (TsEval *eval);
const char    *ts_eval_intern (TsEval *eval, const char *text);
/* An expression that perhaps is evaluated: what its calls change and the names it binds are open. */
void           ts_eval_forget_expression (TsEval *eval, TsScope *scope, const TsNode *node, const TsConst *why);
/* The same of the parts of `node` from `rest` on, where the truth of `decider` is not known. Returns an opaque value. */
const TsConst *ts_eval_perhaps (TsEval *eval, TsScope *scope, const TsNode *node, const TsConst *decider, const TsNode *rest);
/* name := value */
const TsConst *ts_eval_walrus (TsEval *eval, TsScope *scope, const TsNode *node);
/* "NAME=VALUE" */
void           ts_eval_add_define (TsEval *eval, const char *define);
/* FALSE when the budget is used up. */
gboolean       ts_eval_step (TsEval *eval);
/* The price of `n` items, each `per_step` of them a step. */
void           ts_eval_charge (TsEval *eval, guint n, guint per_step);
/* Why the budget is used up, and where it was: the same for all that is asked of it until it is renewed. */
const TsConst *ts_eval_exhausted (TsEval *eval, TsScope *scope, guint32 offset);
/* Nothing more is evaluated until the budget is renewed. */
const TsConst *ts_eval_give_up (TsEval *eval, const TsConst *why);
/* Another statement, or another value asked for, gets its own budget, as long as the total allows. */
void           ts_eval_renew_steps (TsEval *eval);

/* Of a FLOAT, INT or BOOL. */
static inline double
ts_const_as_double (const TsConst *value)
{
  return value->kind == TS_CONST_FLOAT ? value->f : (double) value->i;
}

/* A bool counts as an integer wherever one is asked for. */
static inline gboolean
ts_const_is_integer (const TsConst *value)
{
  return value->kind == TS_CONST_INT || value->kind == TS_CONST_BOOL;
}

/* os.environ */
static inline gboolean
ts_const_is_environment (const TsConst *value)
{
  return value->kind == TS_CONST_MODULE && g_strcmp0 (value->text, "os.environ") == 0;
}

/* What a name gets when it is assigned `value`, a class or a module has it imported: -D wins. For an object, -D NAME.FIELD sets its
 * fields. */
const TsConst *ts_eval_overridden (TsEval *eval, TsScope *scope, const char *name, const TsConst *value);
/* What -D CLASS.FIELD gives, or NULL. */
const TsConst *ts_eval_define_member (TsEval *eval, const TsScope *scope, const char *class_name, const char *name);
/* What -D gives a variable of the environment, as text; NULL when it gives none. */
const TsConst *ts_eval_variable (TsEval *eval, const char *name);
/* NAME in os.environ; NULL when that is not known. */
const TsConst *ts_eval_has_variable (TsEval *eval, const char *name);
/* sys.argv, read at `offset`: the name of the program alone. */
const TsConst *ts_eval_command_line (TsEval *eval, TsScope *scope, guint32 offset);

/* 1, 0, or -1 for a value whose truth is not known. */
gint           ts_const_truth (const TsConst *value);
/* 1, 0, or -1 when that is not known. */
gint           ts_const_equal (const TsConst *a, const TsConst *b);
/* `value` when it is opaque itself, else an opaque value: its truth is not known. */
const TsConst *ts_const_undecided (TsEval *eval, TsScope *scope, guint32 offset, const TsConst *value);

const TsConst *ts_eval_operator (TsEval *eval, TsScope *scope, const TsNode *node, guint8 op, const TsConst *a, const TsConst *b);
const TsConst *ts_eval_attribute (TsEval *eval, TsScope *scope, guint32 offset, const TsConst *base, const char *name);
const TsConst *ts_eval_call_node (TsEval *eval, TsScope *scope, const TsNode *node);
const TsConst *ts_eval_comprehension (TsEval *eval, TsScope *scope, const TsNode *node);

/* Arguments of a call. */
typedef struct TsArguments
{
  const TsConst **items;    /* positional, then by keyword */
  const char    **keywords; /* NULL for positional ones */
  guint           n, n_positional;
  const TsConst  *open; /* what stands behind a star and is not known: nobody can say how many arguments there are; or NULL */
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

/* The positional argument; NULL when it is not given. */
const TsConst *ts_builtin_argument (const TsBuiltinCall *call, guint i);

/* Functions of numbers. */
const TsConst *ts_builtin_abs (const TsBuiltinCall *call);
const TsConst *ts_builtin_bool (const TsBuiltinCall *call);
const TsConst *ts_builtin_choose (const TsBuiltinCall *call);
const TsConst *ts_builtin_float (const TsBuiltinCall *call);
const TsConst *ts_builtin_floor_ceil (const TsBuiltinCall *call);
const TsConst *ts_builtin_gcd (const TsBuiltinCall *call);
const TsConst *ts_builtin_int (const TsBuiltinCall *call);
const TsConst *ts_builtin_isqrt (const TsBuiltinCall *call);
const TsConst *ts_builtin_math (const TsBuiltinCall *call);
const TsConst *ts_builtin_math2 (const TsBuiltinCall *call);
const TsConst *ts_builtin_round (const TsBuiltinCall *call);

/* Command lines: argparse.ArgumentParser() and its methods. */
const TsConst *ts_builtin_parser (const TsBuiltinCall *call);
const TsConst *ts_builtin_argument_group (const TsBuiltinCall *call);
const TsConst *ts_builtin_add_argument (const TsBuiltinCall *call);
const TsConst *ts_builtin_set_defaults (const TsBuiltinCall *call);
const TsConst *ts_builtin_parse_args (const TsBuiltinCall *call);

/* Methods that change what they are called on; NULL when that is not followed. The container is then open. */
const TsConst *ts_builtin_change (const TsBuiltinCall *call);
/* An entry of a dictionary being made: a key that is there gets another value. FALSE: the key is not known. */
gboolean       ts_const_put (TsEval *eval, GPtrArray *entries, const TsConst *key, const TsConst *value);
/* All entries of a dictionary, or of pairs; FALSE when they are not known. */
gboolean       ts_const_put_all (TsEval *eval, GPtrArray *entries, const TsConst *other);
const TsConst *ts_builtin_sorted (const TsBuiltinCall *call);
/* An item of a set being made, as the keys of a dictionary. */
gboolean       ts_const_put_member (TsEval *eval, GPtrArray *members, const TsConst *member);
/* A set, or an opaque value. */
const TsConst *ts_const_set (TsEval *eval, TsScope *scope, guint32 offset, const TsConst *const *items, guint n);
/* What may have been changed in a way that is not followed has no value any more, under whatever name: it and all it holds. */
void           ts_const_open (TsEval *eval, TsScope *scope, guint32 offset, const TsConst *value, const char *format, ...)
                              G_GNUC_PRINTF (5, 6);
/* object.name = value, also for a class or a module; FALSE when the object is none of them. */
gboolean       ts_eval_set_attribute (TsEval *eval, TsScope *scope, guint32 offset, const TsConst *object, const char *name,
                                      const TsConst *value);
/* container[key] = value; value NULL: del container[key]. */
void           ts_eval_set_entry (TsEval *eval, TsScope *scope, const TsNode *node, const TsConst *container, const TsConst *key,
                                  const TsConst *value);
/* a += b where `a` is changed in place; NULL when it is not of such a kind. */
const TsConst *ts_eval_augment (TsEval *eval, TsScope *scope, const TsNode *node, guint8 op, const TsConst *a, const TsConst *b);
/* An opaque value that may hold, or be, one of the values: what changes it may change them. */
const TsConst *ts_const_derived (TsEval *eval, const TsConst *opaque, const TsConst *const *values, guint n);
/* The file changes variables of the environment in a way that is not followed. */
void           ts_eval_open_environment (TsEval *eval);
/* exec, setattr, globals () ...: every name of the scope and of its module that is no definition may have any value now, and so may
 * those that nothing binds. */
void           ts_scope_open (TsEval *eval, TsScope *scope, guint32 offset, const char *why);
/* The interned name, wherever it is bound around the scope, may have any value now; bound nowhere it may be so all the same. */
void           ts_scope_open_name (TsEval *eval, TsScope *scope, const char *name, const TsConst *why);
/* Is it the name of a method that changes what it is called on? */
gboolean       ts_eval_changes (const char *method);
/* What a call may do that is not made, or not followed; `why` NULL: for that reason alone. */
void           ts_eval_forget_call (TsEval *eval, TsScope *scope, const TsNode *call, gboolean is_discarded, const TsConst *why);
void           ts_eval_forget_body (TsEval *eval, TsScope *scope, const TsStatement *body, const TsConst *why);
/* global and nonlocal: the names live elsewhere from here on. */
void           ts_eval_give_away (TsEval *eval, TsScope *scope, const TsStatement *statement);
/* Where a plain name is bound when it is assigned in the scope: `global` and `nonlocal` name another one. */
TsScope       *ts_scope_home (TsScope *scope, const char *name);
/* Items in any order: also those of a set. */
const TsConst *ts_const_members (TsEval *eval, const TsConst *value);
/* -1, 0, 1; FALSE when the two have no order that we know. */
gboolean       ts_const_order (const TsConst *a, const TsConst *b, gint *order);
/* Reads a call's arguments; free with ts_arguments_clear(). */
void           ts_eval_arguments (TsEval *eval, TsScope *scope, const TsNode *call, TsArguments *out);
void           ts_arguments_clear (TsArguments *arguments);

/* Calls anything: a function, a class, a builtin. NULL when it is none of them. */
const TsConst *ts_eval_apply (TsEval *eval, TsScope *scope, const TsConst *callee, const TsArguments *arguments, guint32 offset);
const TsConst *ts_eval_function (TsEval *eval, const TsConst *function, const TsArguments *arguments, guint32 offset);
const TsConst *ts_eval_construct (TsEval *eval, const TsConst *class, const TsArguments *arguments, TsScope *scope, guint32 offset);
/* The call super ().name (...) in a method. NULL: it does nothing that we know of, or stands in no method we follow. */
const TsConst *ts_eval_super (TsEval *eval, TsScope *scope, const TsNode *call);
/* object.__setattr__ (self, "name", value), past any __setattr__ of the class: how a frozen dataclass fills its fields. */
const TsConst *ts_builtin_object_setattr (const TsBuiltinCall *call);
/* Fields of an object that -D gives: what its __init__ or __post_init__ makes of them is made again. `given` holds interned names
 * and TsConst. */
void           ts_eval_give_fields (TsEval *eval, TsScope *scope, const TsConst *instance, GHashTable *given);
const TsConst *ts_eval_replace (TsEval *eval, TsScope *scope, const TsConst *instance, const TsArguments *arguments,
                                guint32 offset);
const TsConst *ts_eval_class (TsEval *eval, TsScope *scope, TsStatement *def);
/* The default that field(default_factory=F) stands for, made anew; any other value is itself. */
const TsConst *ts_eval_field (TsEval *eval, TsScope *scope, const TsConst *value, guint32 offset);
const TsConst *ts_class_member (TsEval *eval, TsClass *class, const char *name);
const TsConst *ts_eval_builtin (TsEval *eval, TsScope *scope, const TsConst *builtin, const TsArguments *arguments, guint32 offset);
/* A function with the defaults of its parameters, evaluated where it is defined. */
const TsConst *ts_eval_lambda (TsEval *eval, TsScope *scope, TsStatement *def);
gboolean       ts_eval_is_builtin (const char *name);

/* Runs statements up to `until` (may be NULL). *result is set on TS_FLOW_RETURN. */
TsFlow         ts_eval_statements (TsEval *eval, TsScope *scope, TsStatement *first, const TsStatement *until,
                                   const TsConst **result);
void           ts_eval_assign (TsEval *eval, TsScope *scope, const TsNode *target, const TsConst *value);
void           ts_eval_import (TsEval *eval, TsScope *scope, const TsStatement *statement);
