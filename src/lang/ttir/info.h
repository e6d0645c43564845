/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Triton IR keeps beside the shared structures: immutable, in the module's shared arena, reached through `extra`. */
#pragma once

#include "ir/module.h"

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
} TsTtirFunctionInfo;

typedef struct
{
  const char *name; /* with its # or ! */
  const char *text; /* what stands behind = */
  gboolean    after; /* stood behind the module */
} TsTtirAlias;

/* TsModule.extra */
typedef struct
{
  gboolean           is_implicit; /* no `module { }` was written */
  const char        *location;
  const TsTtirAlias *aliases;
  guint              n_aliases;
  const char        *resources;   /* text of {-# ... #-} with its brackets, or NULL */
} TsTtirModuleInfo;
