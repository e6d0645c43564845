/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which name each variable prints under. Source: spec dsl section 6; passes-schedule section 0, `Names`. */

#include "ir/names.h"

/* Tells a hint that several variables share from one with a single owner while a function is counted. */
#define SHARED GINT_TO_POINTER (2)
#define OWNED GINT_TO_POINTER (1)

void
ts_names_init (TsNames *names, const TsModule *module)
{
  names->module = module;
  names->names = g_new0 (const char *, (gsize) MAX (module->n_values, 1));
  names->taken = g_hash_table_new (NULL, NULL);
  names->next = g_hash_table_new (NULL, NULL);
  names->symbols = g_hash_table_new (NULL, NULL);
  names->declared = g_ptr_array_new ();
  names->open = g_ptr_array_new ();
}

void
ts_names_clear (TsNames *names)
{
  g_free (names->names);
  g_hash_table_unref (names->taken);
  g_hash_table_unref (names->next);
  g_hash_table_unref (names->symbols);
  g_ptr_array_unref (names->declared);
  g_ptr_array_unref (names->open);
}

/* --- symbols ------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  TsNames    *names;
  GHashTable *seen;
  gboolean    params_too;
} SymbolSearch;

static void
note_symbol (TsValue *value, gpointer data)
{
  SymbolSearch *search = data;

  if (value->kind != TS_VALUE_SYMBOL && !(search->params_too && value->kind == TS_VALUE_PARAM))
    return;
  if (g_hash_table_add (search->seen, value))
    g_ptr_array_add (search->names->declared, value);
}

static void
note_exprs (SymbolSearch *search, TsExpr *const *items, guint n)
{
  for (guint i = 0; items != NULL && i < n; i++)
    if (items[i]->has_values)
      ts_expr_foreach_value (items[i], note_symbol, search);
}

static void
note_type (SymbolSearch *search, const TsType *type, gboolean of_param)
{
  if (type == NULL || !type->has_values)
    return;
  note_exprs (search, type->dims, type->rank);
  if (type->view != NULL)
    {
      search->params_too = of_param;
      note_exprs (search, type->view->valid_shape, type->view->n_valid);
      search->params_too = FALSE;
      note_exprs (search, type->view->stride, type->view->n_stride);
      note_exprs (search, type->view->start_offset, type->view->n_start_offset);
    }
  for (guint i = 0; i < type->n_elems; i++)
    note_type (search, type->elems[i], of_param);
}

static gboolean
note_op (TsOp *op, gpointer data)
{
  for (guint i = 0; i < op->n_results; i++)
    note_type (data, op->results[i]->type, FALSE);
  for (guint r = 0; r < op->n_regions; r++)
    for (guint b = 0; b < op->regions[r].n_blocks; b++)
      for (guint a = 0; a < op->regions[r].blocks[b]->n_args; a++)
        note_type (data, op->regions[r].blocks[b]->args[a]->type, FALSE);
  return TRUE;
}

static gboolean
note_uses (TsOp *op, gpointer data)
{
  ts_op_foreach_use (op, note_symbol, data);
  return TRUE;
}

/* What signatures mention is known to a reader of a lone function. Names that only bodies mention, in their types or (where a
 * user's file left them open) as operands, must be declared even there, or the print could not be read. */
static void
collect_declared (TsNames *names, SymbolSearch *search)
{
  const TsModule *module = names->module;
  guint n_signature;

  for (guint f = 0; f < module->n_functions; f++)
    {
      TsFunction *function = module->functions[f];

      for (guint i = 0; i < function->n_params; i++)
        note_type (search, function->params[i]->type, TRUE);
      for (guint i = 0; i < function->n_returns; i++)
        note_type (search, function->returns[i], FALSE);
    }
  n_signature = names->declared->len;
  for (guint f = 0; f < module->n_functions; f++)
    {
      ts_region_walk (&module->functions[f]->body, note_op, search);
      if (module->n_symbols > 0)
        ts_region_walk (&module->functions[f]->body, note_uses, search);
    }
  for (guint i = n_signature; i < names->declared->len; i++)
    g_ptr_array_add (names->open, names->declared->pdata[i]);
  g_ptr_array_sort (names->open, ts_value_compare_hints);
}

void
ts_names_collect_symbols (TsNames *names)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) used = g_hash_table_new (NULL, NULL);
  SymbolSearch search = { names, seen, FALSE };

  collect_declared (names, &search);
  g_ptr_array_sort (names->declared, ts_value_compare_hints);

  /* Renamed once for the whole program: M, M_1. Parameters keep the name that their function gives them. */
  for (guint i = 0; i < names->declared->len; i++)
    {
      TsValue *value = g_ptr_array_index (names->declared, i);
      const char *name = value->hint;

      for (guint n = 1; value->kind == TS_VALUE_SYMBOL && !g_hash_table_add (used, (gpointer) name); n++)
        {
          g_autofree char *text = g_strdup_printf ("%s_%u", value->hint, n);

          name = ts_intern (names->module->strings, text);
        }
      g_hash_table_insert (names->symbols, value, (gpointer) name);
    }
}

/* --- one function ---------------------------------------------------------------------------------------------------------- */

/* Calls `visit` for every definition in the order that decides who keeps its name: parameters, then statements in pre-order, a loop
 * with its variable, its results, its carried values, its body. */
typedef void (*DefinitionVisitor) (TsNames *names, const TsValue *value);

static void visit_block (TsNames *names, const TsBlock *block, DefinitionVisitor visit);

static void
visit_op (TsNames *names, const TsOp *op, DefinitionVisitor visit)
{
  gboolean has_args = op->n_regions > 0 && op->regions[0].n_blocks > 0 && ts_op_body (op, 0)->n_args > 0;
  guint first = 0;

  if (has_args && op->code != TS_OP_WHILE)
    {
      visit (names, ts_op_body (op, 0)->args[0]);
      first = 1;
    }
  for (guint i = 0; i < op->n_results; i++)
    visit (names, op->results[i]);
  for (guint i = first; has_args && i < ts_op_body (op, 0)->n_args; i++)
    visit (names, ts_op_body (op, 0)->args[i]);
  for (guint r = 0; r < op->n_regions; r++)
    if (op->regions[r].n_blocks > 0)
      visit_block (names, ts_op_body (op, r), visit);
}

static void
visit_block (TsNames *names, const TsBlock *block, DefinitionVisitor visit)
{
  for (const TsOp *op = block->first; op != NULL; op = op->next)
    if (op->n_results > 0 || op->n_regions > 0)
      visit_op (names, op, visit);
}

/* The mark of a variable that has been counted but not named yet: no variable prints under the empty text. */
static const char counted[] = "";

static void
count_definition (TsNames *names, const TsValue *value)
{
  if (names->names[value->id] == counted)
    return;
  names->names[value->id] = counted;
  if (g_hash_table_lookup (names->next, value->hint) == NULL)
    g_hash_table_insert (names->next, (gpointer) value->hint, OWNED);
  else
    g_hash_table_insert (names->next, (gpointer) value->hint, SHARED);
}

/* The first free of x, x_1, x_2, ... Names only ever become taken, so the search goes on where it stopped. */
static const char *
take_free_name (TsNames *names, const char *hint)
{
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (names->next, hint));
  const char *name = hint;
  char text[24];

  n = n < 3 ? 3 : n; /* 1 and 2 are OWNED and SHARED; 3 stands for "no suffix yet" */
  if (n > 3 || !g_hash_table_add (names->taken, (gpointer) hint))
    {
      g_autoptr (GString) candidate = g_string_new (hint);
      gsize stem = candidate->len;

      do
        {
          n = n < 4 ? 4 : n;
          g_snprintf (text, sizeof text, "_%u", n - 3);
          g_string_truncate (candidate, stem);
          g_string_append (candidate, text);
          name = ts_intern_n (names->module->strings, candidate->str, candidate->len);
          n++;
        }
      while (!g_hash_table_add (names->taken, (gpointer) name));
    }
  else
    n = 4;
  g_hash_table_insert (names->next, (gpointer) hint, GUINT_TO_POINTER (n));
  return name;
}

static void
name_definition (TsNames *names, const TsValue *value)
{
  if (names->names[value->id] != counted)
    return;
  if (g_hash_table_lookup (names->next, value->hint) == OWNED)
    names->names[value->id] = value->hint;
  else
    names->names[value->id] = take_free_name (names, value->hint);
}

static void
reserve_owned (gpointer hint, gpointer state, gpointer data)
{
  if (state == OWNED)
    g_hash_table_add (data, hint);
}

static void
take_symbol (TsValue *value, gpointer data)
{
  TsNames *names = data;
  const char *name = g_hash_table_lookup (names->symbols, value);

  if (name != NULL && value->kind == TS_VALUE_SYMBOL)
    g_hash_table_add (names->taken, (gpointer) name);
}

static gboolean
take_symbols_of_op (TsOp *op, gpointer data)
{
  for (guint i = 0; i < op->n_results; i++)
    if (op->results[i]->type != NULL && op->results[i]->type->has_values)
      ts_type_foreach_value (op->results[i]->type, take_symbol, data);
  ts_op_foreach_use (op, take_symbol, data);
  return TRUE;
}

static void
forget (TsNames *names, const TsValue *value)
{
  names->names[value->id] = NULL;
}

void
ts_names_enter (TsNames *names, const TsFunction *function)
{
  const TsBlock *body = function->body.n_blocks > 0 ? ts_function_block (function) : NULL;

  g_hash_table_remove_all (names->taken);
  g_hash_table_remove_all (names->next);
  for (guint i = 0; i < function->n_params; i++)
    forget (names, function->params[i]);
  if (body != NULL)
    visit_block (names, body, forget);

  if (g_hash_table_size (names->symbols) > 0)
    {
      for (guint i = 0; i < function->n_params; i++)
        if (function->params[i]->type != NULL)
          ts_type_foreach_value (function->params[i]->type, take_symbol, names);
      for (guint i = 0; i < function->n_returns; i++)
        ts_type_foreach_value (function->returns[i], take_symbol, names);
      ts_region_walk ((TsRegion *) &function->body, take_symbols_of_op, names);
    }
  for (guint i = 0; i < function->n_params; i++)
    count_definition (names, function->params[i]);
  if (body != NULL)
    visit_block (names, body, count_definition);
  /* A local that bears a symbol's name gives way to it. */
  if (g_hash_table_size (names->taken) > 0)
    {
      GHashTableIter iter;
      gpointer name;

      g_hash_table_iter_init (&iter, names->taken);
      while (g_hash_table_iter_next (&iter, &name, NULL))
        if (g_hash_table_lookup (names->next, name) == OWNED)
          g_hash_table_insert (names->next, name, SHARED);
    }
  g_hash_table_foreach (names->next, reserve_owned, names->taken);
  for (guint i = 0; i < function->n_params; i++)
    name_definition (names, function->params[i]);
  if (body != NULL)
    visit_block (names, body, name_definition);
}

static const char free_suffix[] = "__FREE_VAR";

gboolean
ts_name_is_free (const char *name)
{
  gsize digits = strlen (name);

  if (g_str_has_suffix (name, free_suffix))
    return TRUE;
  while (digits > 0 && g_ascii_isdigit (name[digits - 1]))
    digits--;
  if (digits < sizeof free_suffix || name[digits] == '\0' || name[digits - 1] != '_')
    return FALSE;
  return strncmp (name + digits - sizeof free_suffix, free_suffix, strlen (free_suffix)) == 0;
}

const char *
ts_names_get (TsNames *names, const TsValue *value)
{
  const char *name = names->names[value->id];
  g_autofree char *text = NULL;

  if (G_LIKELY (name != NULL && name != counted))
    return name;
  if (value->kind == TS_VALUE_BASE)
    name = value->hint;
  else if (value->kind == TS_VALUE_SYMBOL)
    {
      name = g_hash_table_lookup (names->symbols, value);
      name = name != NULL ? name : value->hint;
    }
  else
    {
      text = ts_name_is_free (value->hint) ? g_strdup (value->hint) : g_strconcat (value->hint, free_suffix, NULL);
      name = take_free_name (names, ts_intern (names->module->strings, text));
    }
  names->names[value->id] = name;
  return name;
}

const char **
ts_names_all (const TsModule *module)
{
  TsNames names;
  const char **all;

  ts_names_init (&names, module);
  ts_names_collect_symbols (&names);
  for (guint i = 0; i < module->n_functions; i++)
    ts_names_enter (&names, module->functions[i]);
  all = g_steal_pointer (&names.names);
  ts_names_clear (&names);
  return all;
}
