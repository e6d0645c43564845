/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the runs a, a_1, a_2, ... among the definitions of a function. */
#include "ir/hints.h"

#include <string.h>

/* Variables whose names are one stem with and without a number, in the order of their definitions. */
typedef struct
{
  const char *stem;    /* interned */
  GPtrArray  *values;  /* TsValue */
  gboolean    in_order; /* so far: the stem, then 1, 2, 3 */
} Run;

typedef struct
{
  TsModule   *module;
  GHashTable *runs;  /* stem to Run */
  GHashTable *known; /* values seen: before SSA a variable is defined several times */
} Search;

static void
run_free (gpointer data)
{
  Run *run = data;
  g_ptr_array_unref (run->values);
  g_free (run);
}

/* Does the name end in a number that printing may have added? Most names say no after a glance at their end. */
static gboolean
is_numbered (const char *name, gsize *stem_length)
{
  gsize length = strlen (name), digits = 0;
  while (digits < length && g_ascii_isdigit (name[length - 1 - digits]))
    digits++;
  if (digits == 0 || digits > 8 || digits + 1 >= length || name[length - digits - 1] != '_' || name[length - digits] == '0')
    return FALSE;
  *stem_length = length - digits - 1;
  const char *mark = strstr (name, "__");
  return mark != NULL && mark + 2 <= name + *stem_length;
}

/* Splits "s__tile_Vec_12" into its stem and 12; 0 when there is no number, or one that is never printed. */
static guint
split_name (Search *search, const char *name, const char **stem)
{
  gsize length;
  *stem = name;
  if (!is_numbered (name, &length))
    return 0;
  *stem = ts_intern_n (search->module->strings, name, length);
  return (guint) g_ascii_strtoull (name + length + 1, NULL, 10);
}

static void
see (Search *search, TsValue *value)
{
  if (value->hint == NULL || strstr (value->hint, "__") == NULL || !g_hash_table_add (search->known, value))
    return;
  const char *stem;
  guint number = split_name (search, value->hint, &stem);
  Run *run = g_hash_table_lookup (search->runs, stem);
  if (run == NULL)
    {
      run = g_new0 (Run, 1);
      run->stem = stem;
      run->values = g_ptr_array_new ();
      run->in_order = TRUE;
      g_hash_table_insert (search->runs, (gpointer) stem, run);
    }
  run->in_order &= number == run->values->len;
  g_ptr_array_add (run->values, value);
}

/* The order in which printing names them: a loop's variable, its results, its carried values, then what is inside. */
static gboolean
see_op (TsOp *op, gpointer data)
{
  const TsBlock *body = op->n_regions > 0 && op->regions[0].n_blocks > 0 ? ts_op_body (op, 0) : NULL;
  guint first = body != NULL && body->n_args > 0 && op->code != TS_OP_WHILE ? 1 : 0;
  if (first == 1)
    see (data, body->args[0]);
  for (guint i = 0; i < op->n_results; i++)
    see (data, op->results[i]);
  for (guint i = first; body != NULL && i < body->n_args; i++)
    see (data, body->args[i]);
  return TRUE;
}

static void
recover_in_function (TsModule *module, TsFunction *function)
{
  g_autoptr (GHashTable) runs = g_hash_table_new_full (NULL, NULL, NULL, run_free);
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  Search search = { module, runs, known };
  for (guint i = 0; i < function->n_params; i++)
    see (&search, function->params[i]);
  ts_region_walk (&function->body, see_op, &search);

  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init (&iter, runs);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const Run *run = value;
      for (guint i = 1; run->in_order && i < run->values->len; i++)
        ((TsValue *) run->values->pdata[i])->hint = run->stem;
    }
}

static gboolean
find_numbered (TsOp *op, gpointer data)
{
  gboolean *found = data;
  gsize length;
  for (guint i = 0; i < op->n_results && !*found; i++)
    *found = op->results[i]->hint != NULL && is_numbered (op->results[i]->hint, &length);
  for (guint r = 0; r < op->n_regions; r++)
    for (guint b = 0; b < op->regions[r].n_blocks; b++)
      for (guint i = 0; i < op->regions[r].blocks[b]->n_args && !*found; i++)
        *found = is_numbered (op->regions[r].blocks[b]->args[i]->hint, &length);
  return !*found;
}

void
ts_module_recover_hints (TsModule *module)
{
  for (guint f = 0; f < module->n_functions; f++)
    {
      gboolean found = FALSE;
      ts_region_walk (&module->functions[f]->body, find_numbered, &found);
      if (found)
        recover_in_function (module, module->functions[f]);
    }
}
