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

/* Splits "s__tile_Vec_12" into its stem and 12; 0 when there is no number, or one that is never printed. */
static guint
split_name (Search *search, const char *name, const char **stem)
{
  gsize length = strlen (name), digits = 0;
  while (digits < length && g_ascii_isdigit (name[length - 1 - digits]))
    digits++;
  *stem = name;
  if (digits == 0 || digits > 8 || digits + 1 >= length || name[length - digits - 1] != '_' || name[length - digits] == '0')
    return 0;
  g_autofree char *text = g_strndup (name, length - digits - 1);
  if (strstr (text, "__") == NULL)
    return 0;
  *stem = ts_module_intern (search->module, text);
  return (guint) g_ascii_strtoull (name + length - digits, NULL, 10);
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

void
ts_module_recover_hints (TsModule *module)
{
  for (guint f = 0; f < module->n_functions; f++)
    {
      TsFunction *function = module->functions[f];
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
}
