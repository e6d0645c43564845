/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Modules and functions. A module owns everything in it through one arena. */
#pragma once

#include "base/arena.h"
#include "base/source.h"
#include "base/intern.h"
#include "ir/op.h"

G_BEGIN_DECLS

typedef enum { TS_LANGUAGE_PYPTO, TS_LANGUAGE_TTIR } TsLanguage;

typedef enum
{
  TS_FUNCTION_OPAQUE,
  TS_FUNCTION_ORCHESTRATION,
  TS_FUNCTION_INCORE,
  TS_FUNCTION_AIC,
  TS_FUNCTION_AIV,
  TS_FUNCTION_GROUP,
  TS_FUNCTION_SPMD,
  TS_FUNCTION_INLINE,
  TS_FUNCTION_GRAPH,
  TS_N_FUNCTION_TYPES,
} TsFunctionType;

const char *ts_function_type_name (TsFunctionType type); /* "InCore" */
gboolean    ts_function_type_from_name (const char *name, gssize length, TsFunctionType *out);
/* Canonical level and role names a type implies ("CHIP_DIE", "SubWorker"), or NULL. Source: spec dsl 2.3. */
const char *ts_function_type_level (TsFunctionType type);
const char *ts_function_type_role (TsFunctionType type);

typedef enum { TS_DIRECTION_IN, TS_DIRECTION_OUT, TS_DIRECTION_INOUT } TsDirection;

typedef enum { TS_BODY_STATEMENTS, TS_BODY_ELLIPSIS, TS_BODY_TEXT } TsBodyKind;

struct TsFunction
{
  const char     *name;
  TsFunctionType  type;
  const char     *level; /* canonical name without "pl.Level.", interned, or NULL */
  const char     *role;
  gboolean        auto_scope;       /* default TRUE */
  gboolean        is_inline;        /* @pl.inline */
  gboolean        strict_ssa;       /* a parse mode, never printed */
  gboolean        has_self;         /* Triton IR: unused */
  const char     *external_source;  /* or NULL */
  TsValue       **params;
  guint8         *directions;       /* TsDirection per parameter */
  guint           n_params;
  const TsType  **returns;          /* declared return types */
  guint           n_returns;
  gboolean        returns_tuple;    /* tuple[...] written, also for one element */
  TsAttr         *attrs;            /* pl.func_attr({...}) / Triton IR function attributes */
  guint           n_attrs;
  TsRegion        body;             /* one block in the kernel language */
  TsBodyKind      body_kind;
  const char     *body_text;        /* TEXT: verbatim lines, re-indented to column 0 */
  const char    **comments;
  guint           n_comments;
  TsSpan          span;
  gint32          id;               /* index in the module */
  const char     *written_attrs;    /* Triton IR: attributes of arguments and results as the file has them, or NULL */
  guint32         part;             /* index in the module's parts; functions of one part stand together */
  gconstpointer   extra;            /* language-private and immutable, in the module's shared arena */
};

/* InCore, AIC, AIV: functions that run on a core and get addresses. */
static inline gboolean
ts_function_is_on_core (const TsFunction *function)
{
  return function->type == TS_FUNCTION_INCORE || function->type == TS_FUNCTION_AIC || function->type == TS_FUNCTION_AIV;
}

/* Triton IR: one of the independent modules that a file holds. Symbols of one mean nothing in another. */
typedef struct
{
  TsAttr *attrs; /* of the module operation */
  guint   n_attrs;
} TsModulePart;

struct TsModule
{
  TsArena     *arena;
  TsStrings   *strings;     /* shared with the other snapshots of the run */
  TsLanguage   language;
  const char  *name;        /* program name, "Program" when unnamed, or NULL */
  gboolean     is_program;  /* class with functions; FALSE: a lone function */
  const char  *prefix;      /* "pl" unless imported under another name */
  TsModulePart *parts;      /* Triton IR: the modules of the file, at least one; else none */
  guint        n_parts;
  TsFunction **functions;   /* in printed order as read; ts_module_print_order() gives the canonical one */
  guint        n_functions;
  GHashTable  *by_name;     /* private to module.c: name to the first function that has it */
  TsSource   **sources;     /* referenced; spans index them */
  guint        n_sources;
  TsValue    **symbols;     /* dynamic symbols declared at file level, sorted by name */
  guint        n_symbols;
  gint32       n_ops;       /* ids handed out so far */
  gint32       n_values;
  TsArena     *shared;      /* holds every `extra`; filled while loading, then immutable and shared by all clones; may be NULL */
  gconstpointer extra;      /* language-private (Triton IR: location aliases, module attributes) */
  gpointer     cache;       /* private to module.c: shared constants and types */
};

/* `strings` is referenced. */
TsModule   *ts_module_new (TsLanguage language, TsStrings *strings);
void        ts_module_free (TsModule *module);
/* Returns the index of the source in the module (added and referenced when it is new). */
guint32     ts_module_add_source (TsModule *module, TsSource *source);
TsSource   *ts_module_source (const TsModule *module, TsSpan span); /* NULL for no place */
/* Line (from 1) of a span in its source; 0 for no place. */
guint       ts_module_line (const TsModule *module, TsSpan span);

TsFunction *ts_module_add_function (TsModule *module, const char *name); /* with one empty block and body kind STATEMENTS */
/* Adds an empty part and returns its index. */
guint       ts_module_add_part (TsModule *module);
/* The first function of this name. */
TsFunction *ts_module_find_function (const TsModule *module, const char *name);
void        ts_module_rename_function (TsModule *module, TsFunction *function, const char *name);
void        ts_module_remove_function (TsModule *module, TsFunction *function);

static inline const char *
ts_module_intern (TsModule *module, const char *text)
{
  return ts_intern (module->strings, text);
}

/* Structural copy with the same ids; every origin is reset to {own id, 0}. O(size). The result is independent of `module`. */
TsModule   *ts_module_clone (const TsModule *module);
/* Sets every origin to {own id, 0}: what was a result becomes the base for the next snapshot. */
void        ts_module_reset_origins (TsModule *module);

/* Operations by id: an array of n_ops entries with NULL for ids that no longer stand in the module. Free with g_free. O(size). */
TsOp      **ts_module_ops_by_id (const TsModule *module);
/* Function by op type, for a loop over the bodies worth showing. */
static inline TsBlock *ts_function_block (const TsFunction *function) { return function->body.blocks[0]; }

/* Functions in the canonical printed order: callees before callers, depth first from name order; a cycle falls back to name
 * order. Source: spec dsl 2.1. Returns an array of n_functions pointers; free with g_free. */
TsFunction **ts_module_print_order (const TsModule *module);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsModule, ts_module_free)

G_END_DECLS
