/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Triton IR keeps beside the shared structures: immutable, in the module's shared arena, reached through `extra`. */
#pragma once

#include "ir/module.h"

/* TsExpr.raw of a constant that is an alias (TS_EXPR_TEXT) and was written without a type: the alias states it. */
#define TT_TYPED_ALIAS "typed-alias"

/* TsOp.extra and TsValue.extra: text between the parentheses of loc(...), as written, or NULL. */
typedef struct
{
  const char *location;
  const char *dict;     /* of a function argument: text of its dictionary with braces, or NULL */
} TsTtirValueInfo;

typedef struct
{
  const char *location;      /* behind the closing brace */
  const char *result_text;   /* results with dictionaries, as written; NULL: print the declared types */
  gboolean    is_declaration;
  const char *symbol;        /* when the function goes by another name, because one of an earlier module has this; else NULL */
} TsTtirFunctionInfo;

typedef struct
{
  const char *name; /* with its # or ! */
  const char *text; /* what stands behind = */
  gboolean    after; /* stood behind the module */
} TsTtirAlias;

/* One module of the file. */
typedef struct
{
  gboolean           is_implicit; /* no `module { }` was written */
  const char        *name;        /* with its @, or NULL */
  const char        *location;
  const TsTtirAlias *aliases;
  guint              n_aliases;
  guint              n_before;    /* functions written in front of `module {`; none when it is implicit */
  guint              n_inside;    /* and in it; what follows stood behind its '}' */
  const char        *resources;   /* text of {-# ... #-} with its brackets, or NULL */
} TsTtirModuleInfo;

/* TsModule.extra: beside the module's parts. */
typedef struct
{
  const TsTtirModuleInfo *const *modules;
  guint                          n_modules;
} TsTtirFileInfo;
