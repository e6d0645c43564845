/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which name each variable of a kernel prints under, clashes resolved: passes reuse hints and rely on identity. */
#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* Names of the variables of one function at a time. */
typedef struct
{
  const TsModule *module;
  const char    **names;      /* by value id; NULL: not met yet */
  GHashTable     *taken;      /* interned names in use in the current function */
  GHashTable     *next;       /* interned hint to the next suffix to try */
  GHashTable     *symbols;    /* TsValue to its name in the whole program */
  GPtrArray      *declared;   /* symbols (and parameters) to declare on top, sorted by name */
  GPtrArray      *open;       /* those of them that no signature mentions */
} TsNames;

/* Is it the text of a variable that its function does not define: x__FREE_VAR, and x__FREE_VAR_1 for another of that hint? */
gboolean    ts_name_is_free (const char *name);

void        ts_names_init (TsNames *names, const TsModule *module);
void        ts_names_clear (TsNames *names);
/* Resolves the clashes of one function; forgets the function before. O(operations). */
void        ts_names_enter (TsNames *names, const TsFunction *function);
/* Never NULL. A variable that the function does not define gets its __FREE_VAR name. */
const char *ts_names_get (TsNames *names, const TsValue *value);
/* Fills `declared`: what stands in shapes, or was left open by a user's file, and is defined nowhere. O(size). */
void        ts_names_collect_symbols (TsNames *names);

/* The names of every function's definitions at once, by value id (NULL: defined nowhere), for module->n_values values; interned.
 * Free with g_free. O(size). */
const char **ts_names_all (const TsModule *module);

G_END_DECLS
