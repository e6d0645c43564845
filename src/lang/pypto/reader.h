/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to the reader: syntax trees to modules. The files share this state; each read-*.c has one topic. */
#pragma once

#include "ir/build.h"
#include "lang/pypto/eval.h"
#include "lang/pypto/meaning.h"
#include "lang/pypto/parser.h"
#include "lang/pypto/pypto.h"

G_BEGIN_DECLS

/* An operation whose region is being read and that yields go to: a loop or a branch. */
typedef struct TsOuter TsOuter;
struct TsOuter
{
  TsOuter   *up;
  TsOp      *op;
  TsName   **targets;   /* names of the results, in the lexicon */
  guint      n_targets;
  gboolean   has_yield;
  gboolean   is_broken;  /* a yield could not be read: its names are no results, but not undefined either */
};

typedef struct
{
  TsName  *name;
  TsValue *before; /* what the name meant */
} TsBinding;

/* An allocation that the author of a kernel declares. Its name is its own: a variable of that name is unrelated. */
typedef struct
{
  TsValue      *base;
  const TsNode *call;     /* the pl.MemRef(...) that a variable holds; NULL: written out where it is used */
  const TsName *variable; /* the name it goes by */
} TsDeclaredBase;

typedef struct TsReader TsReader;
struct TsReader
{
  TsModule       *module;
  TsLexicon      *lexicon;
  TsParser       *parser;
  TsPool         *pool;      /* the parser's */
  TsDiagList     *diags;
  TsSource       *source;
  guint32         file;
  gboolean        dump;      /* dump mode: trust everything */
  gboolean        strict_ssa; /* of the program: one definition for each name */
  TsFunction     *function;  /* being read */
  TsBlock        *block;     /* operations go to its end */
  TsOuter        *outer;
  guint           nesting;   /* of regions */
  gboolean        in_signature;
  gboolean        has_return; /* the function being read has a return */
  guint           n_statements;
  gboolean        stopped;   /* cancelled, or the module is full: nothing more is read */
  GCancellable   *cancellable;
  GArray         *bindings;  /* TsBinding: what to undo */
  GPtrArray      *forward;   /* names that a signature mentions before anything defines them */
  GPtrArray      *comments;  /* for the next operation; interned texts */
  GHashTable     *declared;  /* of this function: TsName, and TsNode of the call, to TsDeclaredBase */
  GHashTable     *reported;  /* undefined names of this function that have been spoken of; interned texts */
  GHashTable     *noted;     /* the same for the whole file: unknown operations, names that stay open */
  struct TsTypeCache *types; /* annotations by text, dump mode only */
  TsSource       *text;      /* the kernel asked for stands in this string of the file: to be read instead */
  gboolean        is_text;   /* it is one already */
  TsEval         *eval;      /* source mode only */
  TsScope        *scope;     /* what the function being read closes over */
  GHashTable     *kernels;   /* source mode: interned name of a function of the module to its TsKernel */
  GHashTable     *used;      /* source mode: TsStatement of each kernel that is read */
  GPtrArray      *pending;   /* TsKernel whose bodies are still to be read */
  GHashTable     *inlines;   /* source mode: name of an inline kernel of the class to its TsConst */
  GHashTable     *aliases;   /* source mode: TsValue of an inline kernel's parameter to the TsExpr it stands for */
  struct TsSpliceFrame *splice; /* the inline kernel being read, or NULL */
  GPtrArray      *tags;      /* TsExpr of what pl.dump_tag() has named in this function so far */
  GHashTable     *tag_index; /* TsValue of each to its number, from 1 */
  guint           n_suggested; /* searches for near names so far */
  guint           n_spliced; /* statements of inline kernels read so far */
  gboolean        in_condition; /* of a while loop: nothing can be computed before it */
  TsExpr         *poison_expr;
  TsValue         poison;    /* what a name is bound to after an error: using it is silent */
};

/* --- errors; each returns NULL ------------------------------------------------------------------------------------------- */

gpointer     ts_reader_error (TsReader *reader, const char *code, const TsNode *node, const char *format, ...) G_GNUC_PRINTF (4, 5);
gpointer     ts_reader_error_at (TsReader *reader, const char *code, guint32 offset, guint32 end, const char *format, ...)
  G_GNUC_PRINTF (5, 6);
TsDiag      *ts_reader_note (TsReader *reader, TsSeverity severity, const char *code, const TsNode *node, const char *format, ...)
  G_GNUC_PRINTF (5, 6);
gpointer     ts_reader_unsupported (TsReader *reader, const TsNode *node);
/* An error "unsupported" whose help is still to be set. */
TsDiag      *ts_reader_refuse (TsReader *reader, guint32 offset, guint32 end, const char *format, ...) G_GNUC_PRINTF (4, 5);
/* What to write instead of this construct, as messages name it; NULL: no advice. */
const char  *ts_reader_way_round (const char *what);
/* Names an undefined variable once per function, with near names. */
gpointer     ts_reader_undefined (TsReader *reader, const TsNode *node);
/* May one more error of this file search for near names? Each such search is linear. */
gboolean     ts_reader_may_suggest (TsReader *reader);
TsSpan       ts_reader_span (const TsReader *reader, guint32 offset, guint32 end);

/* Spans and messages are of another file from here on. */
void         ts_reader_set_source (TsReader *reader, TsSource *source);

/* Comments of what emits nothing (a docstring, `pass`, `else:`) go to the next statement that does. */
void         ts_reader_queue_comments (TsReader *reader, const char *const *comments, guint n);

/* Warns when a comment of the statement is a broken `pld.comm_domain:`. Source: spec dsl section 7. */
void         ts_check_comm_domain (TsReader *reader, const TsStatement *statement);

/* --- names --------------------------------------------------------------------------------------------------------------- */

void         ts_reader_bind (TsReader *reader, TsName *name, TsValue *value);
guint        ts_reader_mark (const TsReader *reader);
void         ts_reader_undo (TsReader *reader, guint mark);
/* The variable a plain name means; a forward one inside a signature; NULL (reported) otherwise. */
TsValue     *ts_reader_lookup (TsReader *reader, const TsNode *node);
/* A variable as an operand; a parameter of an inline kernel is what it stands for. */
TsExpr      *ts_reader_value_expr (TsReader *reader, TsValue *value);
/* The variable an assignment of a value of this type defines: the same one again when the types agree. */
TsValue     *ts_reader_define (TsReader *reader, const TsNode *target, const TsType *type);
/* May an assignment give the name any type? Not when it is a variable of the function already. */
gboolean     ts_reader_may_retype (const TsReader *reader, const TsName *name);
/* After an error in a statement: its targets are not undefined. */
void         ts_reader_poison (TsReader *reader, const TsNode *target);
/* The base of a MemRef by its quoted name. */
TsValue     *ts_reader_base (TsReader *reader, TsName *name);

/* --- expressions, types, calls ------------------------------------------------------------------------------------------- */

/* NULL when it cannot be read (reported). */
TsExpr      *ts_read_expr (TsReader *reader, const TsNode *node);
/* A keyword or attribute value: strings, dictionaries and None may stand there. */
TsExpr      *ts_read_keyword_value (TsReader *reader, const TsNode *node);
/* The value of a call's keyword. A literal there prints without its type, so it has none of its own: INDEX or FP32. */
TsExpr      *ts_read_keyword_argument (TsReader *reader, const TsNode *node);
/* An argument of an operation that no table knows, positional or by keyword: strings and dictionaries too, constants with their
 * types, and what is no expression of the language as it is written. NULL: an error, reported. */
TsExpr      *ts_read_foreign_argument (TsReader *reader, const TsNode *node);
TsExpr      *ts_reader_bare_literal (TsReader *reader, TsExpr *e);
/* The entries of a LIST or TUPLE node as expressions, in the pool. *n is set. */
TsExpr     **ts_read_items (TsReader *reader, const TsNode *node, guint *n);
/* The same for dimensions, offsets and strides: every entry must be a whole number. */
TsExpr      *ts_read_whole_number (TsReader *reader, const TsNode *node);
TsExpr     **ts_read_whole_numbers (TsReader *reader, const TsNode *node, guint *n);
const TsType *ts_read_type (TsReader *reader, const TsNode *node);
/* Out[...] and InOut[...] are taken off. */
const TsType *ts_read_parameter_type (TsReader *reader, const TsNode *node, TsDirection *direction);
/* Same type but for MemRefs. */
gboolean     ts_types_agree (const TsType *a, const TsType *b);
/* A call that is an operation: detached, without results. NULL when it is an expression (*is_expr) or an error. */
TsOp        *ts_read_call (TsReader *reader, const TsNode *node, gboolean *is_expr);
/* Adds the entries of a dictionary node as attributes. */
gboolean     ts_read_attrs (TsReader *reader, TsOp *op, const TsNode *dict);
/* Adds a keyword of an operation. The name of a window buffer is that of the variable and not kept twice. Source: dsl 4.5, 8.3. */
void         ts_reader_add_keyword (TsReader *reader, TsOp *op, const char *key, TsExpr *value);
/* pl.Level.X, Level.X: the canonical X, interned; old names are aliases. NULL: an error, reported. Source: dsl 2.3. */
const char  *ts_read_level (TsReader *reader, const TsNode *node);
/* Puts keywords or attributes into the order of a list that NULL ends; the others follow as they stood. The list is short. */
void         ts_reader_order (TsAttr *attrs, guint n, const char *const *order);
/* Inside pl.split_aiv() an operation that says no split has the scope's. Source: dsl 4.5. */
void         ts_reader_inherit_split (TsReader *reader, TsOp *op);
/* pl.tensor.add() of a constant is pl.tensor.adds(), as which it prints. Source: dsl 4.5. */
void         ts_reader_settle_name (TsReader *reader, TsOp *op);
/* A call's keyword argument by name, or NULL. */
const TsNode *ts_node_keyword (const TsNode *call, const char *key);

struct TsTypeCache *ts_type_cache_new (void);
void          ts_type_cache_free (struct TsTypeCache *cache);
const TsType *ts_type_cache_find (gpointer reader, const char *text, gsize length);
/* Forgets what mentions variables: another function begins, or a name changed its meaning. */
void          ts_type_cache_forget (struct TsTypeCache *cache);

/* --- statements ---------------------------------------------------------------------------------------------------------- */

/* Appends an operation and gives it the statement's span and comments. */
void         ts_reader_emit (TsReader *reader, TsOp *op, const TsStatement *statement);
void         ts_read_statement (TsReader *reader, TsStatement *statement);
/* The next statement of a suite; NULL at its end, when cancelled, or when the module is full (reported). */
TsStatement *ts_reader_next (TsReader *reader, TsSuite *suite);
/* Reads a suite into a block. */
void         ts_read_suite (TsReader *reader, TsStatement *header, TsBlock *block);
void         ts_read_for (TsReader *reader, TsStatement *statement);
/* A for loop over something that is none of the language's loops: an error, and its body read for its own. */
void         ts_read_strange_for (TsReader *reader, TsStatement *statement);
void         ts_read_while (TsReader *reader, TsStatement *statement);
void         ts_read_if (TsReader *reader, TsStatement *statement);
/* An expression that must be BOOL. */
TsExpr      *ts_read_condition (TsReader *reader, const TsNode *node);
void         ts_read_with (TsReader *reader, TsStatement *statement);
void         ts_read_scope_for (TsReader *reader, TsStatement *statement);
void         ts_read_yield (TsReader *reader, TsStatement *statement, const TsNode *call);
/* FALSE (reported) when one more region would be too deep; then the suite is skipped. */
gboolean     ts_reader_enter (TsReader *reader, TsStatement *header);
void         ts_reader_leave (TsReader *reader);

/* --- source mode --------------------------------------------------------------------------------------------------------- */

/* A function whose signature is known and whose body is read later, so that calls know what they give. */
typedef struct
{
  TsFunction  *function;
  TsStatement *def;
  TsScope     *scope;
} TsKernel;

/* The value of an expression that mentions no variable of the kernel, as the language folds it; NULL (silent) when it has none. */
TsExpr      *ts_read_constant (TsReader *reader, const TsNode *node);
/* What a name means outside the kernel; NULL (reported) when nothing. */
TsExpr      *ts_read_closure_name (TsReader *reader, const TsNode *node);
/* Says that the name called is defined nowhere, and how it could be called. Returns NULL. */
gpointer     ts_reader_undefined_callee (TsReader *reader, const TsNode *callee);
/* The closure's value of a node, or NULL when it is not known or mentions a variable of the kernel. */
const TsConst *ts_reader_closure (TsReader *reader, const TsNode *node);
/* Why ts_read_constant() gives nothing though no variable of the kernel is mentioned; NULL: for another reason. To be freed. */
char        *ts_reader_why_not (TsReader *reader, const TsNode *node);
/* Which name in it has no value, why, and how to give it one: the help of an error that asks for a value. NULL: none lacks one.
 * Searches the whole of it, so only the first few errors of a file get an answer. Free with g_free. */
char        *ts_reader_missing_value (TsReader *reader, const TsNode *node);
TsExpr      *ts_reader_const_expr (TsReader *reader, const TsNode *node, const TsConst *value);
/* The symbol of a dynamic dimension. */
TsValue     *ts_reader_symbol (TsReader *reader, const char *name);
/* [f(i) for i in range(n)], unrolled. */
TsExpr      *ts_read_comprehension (TsReader *reader, const TsNode *node);
/* Types the operands alike and inserts the casts that the language prints. Source: spec dsl 4.3. */
TsExpr      *ts_typed_binary (TsReader *reader, const TsNode *node, TsOperator op, TsExpr *a, TsExpr *b);
TsExpr      *ts_typed_unary (TsReader *reader, const TsNode *node, TsOperator op, TsExpr *x);
/* The type of an operand, or NULL; silent. */
const TsType *ts_reader_type_of (TsReader *reader, const TsExpr *e);
/* pl.add(...) and pl.tile.add(...) as users write them: resolved and completed. NULL with *is_expr when it is scalar arithmetic,
 * then *expr is set. */
TsOp        *ts_read_user_call (TsReader *reader, const TsNode *call, gboolean *is_expr, TsExpr **expr);
/* self.f(...) or f(...): arguments by name in their places, result types from the callee. */
TsOp        *ts_read_program_call (TsReader *reader, const TsNode *call);
/* Warns when an operation calls a function of the program that returns a value and declares none: its result has no type. */
void         ts_warn_undeclared_result (TsReader *reader, const TsOp *op, const TsNode *node);
/* The type of what an operation gives; NULL: nothing, or an error that has been reported (*failed). */
const TsType *ts_reader_result_type (TsReader *reader, const TsOp *op, const TsNode *node, gboolean *failed);
/* x[...] on tensors, tiles, arrays, tuples. */
TsOp        *ts_read_subscript (TsReader *reader, const TsNode *node, TsExpr **expr);
void         ts_read_subscript_store (TsReader *reader, TsStatement *statement);
void         ts_read_source_assignment (TsReader *reader, TsStatement *statement);
/* Does a value fit what was said of it, in kind, dtype (INDEX fits any integer), rank and static dimensions? FALSE: reported. */
gboolean     ts_reader_check_declared (TsReader *reader, const TsNode *node, const char *what, const TsType *annotation,
                                       const TsType *type);
/* Makes a variable the (next) result of an operation. */
void         ts_reader_define_result (TsReader *reader, TsOp *op, const TsNode *target, const TsType *type);
/* A kernel outside the class that is called by its bare name joins the program. NULL when the name is none. */
TsKernel    *ts_reader_join (TsReader *reader, const TsNode *callee);
void         ts_read_source (TsReader *reader, const TsPyptoOptions *options);

/* --- functions and modules ----------------------------------------------------------------------------------------------- */

/* A decorated function; its suite is read too. */
void         ts_read_function (TsReader *reader, TsStatement *def);
/* The same in two parts. The signature's names are bound by the first and unbound by the second. */
TsFunction  *ts_read_function_head (TsReader *reader, TsStatement *def);
void         ts_read_function_body (TsReader *reader, TsFunction *function, TsStatement *def, guint mark);
void         ts_reader_store_symbols (TsReader *reader);
/* The first of a list of decorators that is pl.NAME or a call of it and known: that name, or NULL. */
TsName      *ts_read_decorator (TsReader *reader, const TsNode *decorators);
/* Dump mode: the whole file, a statement at a time. */
void         ts_read_module (TsReader *reader);

/* A call whose callee has this meaning. */
static inline gboolean
ts_reader_is_call_of (TsReader *reader, const TsNode *node, TsNameMeaning meaning)
{
  return node->kind == TS_NODE_CALL && node->first->kind == TS_NODE_NAME
         && ts_name_meaning (reader->lexicon, node->first->name) == meaning;
}

G_END_DECLS
