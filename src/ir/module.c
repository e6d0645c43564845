/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Modules, functions, and the canonical order of functions. */
#include "ir/module.h"

#include <string.h>

#include "ir/build.h"
#include "ir/module-private.h"

/* --- function types ----------------------------------------------------------------------------------------------------------- */

static const struct
{
  const char *name, *level, *role;
} function_types[TS_N_FUNCTION_TYPES] = {
  [TS_FUNCTION_OPAQUE] = { "Opaque", NULL, NULL },
  [TS_FUNCTION_ORCHESTRATION] = { "Orchestration", "CHIP", "Orchestrator" },
  [TS_FUNCTION_INCORE] = { "InCore", "CHIP_DIE", "SubWorker" },
  [TS_FUNCTION_AIC] = { "AIC", "AIC", "SubWorker" },
  [TS_FUNCTION_AIV] = { "AIV", "AIV", "SubWorker" },
  [TS_FUNCTION_GROUP] = { "Group", "CORE_GROUP", "SubWorker" },
  [TS_FUNCTION_SPMD] = { "Spmd", NULL, NULL },
  [TS_FUNCTION_INLINE] = { "Inline", NULL, NULL },
  [TS_FUNCTION_GRAPH] = { "Graph", "CHIP", "Orchestrator" },
};

const char *
ts_function_type_name (TsFunctionType type)
{
  return (guint) type < TS_N_FUNCTION_TYPES ? function_types[type].name : "?";
}

gboolean
ts_function_type_from_name (const char *name, gssize length, TsFunctionType *out)
{
  gsize n = length < 0 ? strlen (name) : (gsize) length;

  for (guint i = 0; i < TS_N_FUNCTION_TYPES; i++)
    if (strlen (function_types[i].name) == n && memcmp (function_types[i].name, name, n) == 0)
      {
        *out = (TsFunctionType) i;
        return TRUE;
      }
  return FALSE;
}

const char *
ts_function_type_level (TsFunctionType type)
{
  return function_types[type].level;
}

const char *
ts_function_type_role (TsFunctionType type)
{
  return function_types[type].role;
}

/* --- module ------------------------------------------------------------------------------------------------------------------- */

TsModule *
ts_module_new (TsLanguage language, TsStrings *strings)
{
  TsModule *module = g_new0 (TsModule, 1);

  module->arena = ts_arena_new ();
  module->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  module->strings = ts_strings_ref (strings);
  module->language = language;
  module->prefix = ts_module_intern (module, "pl");
  module->cache = ts_arena_new0 (module->arena, TsModuleCache);
  return module;
}

void
ts_module_free (TsModule *module)
{
  if (module == NULL)
    return;
  for (guint i = 0; i < module->n_sources; i++)
    ts_source_unref (module->sources[i]);
  g_hash_table_unref (module->by_name);
  ts_arena_free (module->arena);
  ts_arena_free (module->shared);
  ts_strings_unref (module->strings);
  g_free (module);
}

guint32
ts_module_add_source (TsModule *module, TsSource *source)
{
  TsSource **grown;

  for (guint i = 0; i < module->n_sources; i++)
    if (module->sources[i] == source)
      return i;
  grown = ts_arena_array (module->arena, TsSource *, module->n_sources + 1);
  if (module->n_sources > 0)
    memcpy (grown, module->sources, sizeof (TsSource *) * module->n_sources);
  grown[module->n_sources] = ts_source_ref (source);
  module->sources = grown;
  return module->n_sources++;
}

TsSource *
ts_module_source (const TsModule *module, TsSpan span)
{
  return !ts_span_is_none (span) && span.file < module->n_sources ? module->sources[span.file] : NULL;
}

guint
ts_module_line (const TsModule *module, TsSpan span)
{
  TsSource *source = ts_module_source (module, span);

  return source != NULL ? ts_source_line_of (source, span.offset) : 0;
}

guint
ts_module_add_part (TsModule *module)
{
  if (module->n_parts == 0 || ts_array_room (module->n_parts) == module->n_parts)
    {
      TsModulePart *grown = ts_arena_array (module->arena, TsModulePart, ts_array_room (module->n_parts + 1));

      if (module->n_parts > 0)
        memcpy (grown, module->parts, sizeof *grown * module->n_parts);
      module->parts = grown;
    }
  module->parts[module->n_parts] = (TsModulePart) { NULL, 0 };
  return module->n_parts++;
}

/* Does no function before this one have its name? Then it answers to it. */
static void
claim_name (TsModule *module, TsFunction *function)
{
  const TsFunction *holder = g_hash_table_lookup (module->by_name, function->name);

  if (holder == NULL || holder->id > function->id)
    g_hash_table_replace (module->by_name, (gpointer) function->name, function);
}

static void
append_function (TsModule *module, TsFunction *function)
{
  TsFunction **grown = module->functions;

  if (module->n_functions == 0 || ts_array_room (module->n_functions) == module->n_functions)
    {
      grown = ts_arena_array (module->arena, TsFunction *, ts_array_room (module->n_functions + 1));
      if (module->n_functions > 0)
        memcpy (grown, module->functions, sizeof (TsFunction *) * module->n_functions);
    }
  function->id = (gint32) module->n_functions;
  grown[module->n_functions++] = function;
  module->functions = grown;
  claim_name (module, function);
}

/* The function no longer answers to its name: the next of that name does, if there is one. */
static void
release_name (TsModule *module, const TsFunction *function)
{
  if (g_hash_table_lookup (module->by_name, function->name) != function)
    return;
  g_hash_table_remove (module->by_name, function->name);
  for (guint i = (guint) function->id + 1; i < module->n_functions; i++) /* it was the first */
    if (strcmp (module->functions[i]->name, function->name) == 0)
      {
        g_hash_table_insert (module->by_name, (gpointer) module->functions[i]->name, module->functions[i]);
        return;
      }
}

TsFunction *
ts_module_add_function (TsModule *module, const char *name)
{
  TsFunction *function = ts_arena_new0 (module->arena, TsFunction);

  function->name = ts_module_intern (module, name);
  function->auto_scope = TRUE;
  function->span = TS_SPAN_NONE;
  function->body.function = function;
  ts_region_add_block (module, &function->body);
  append_function (module, function);
  return function;
}

TsFunction *
ts_module_find_function (const TsModule *module, const char *name)
{
  return g_hash_table_lookup (module->by_name, name);
}

void
ts_module_rename_function (TsModule *module, TsFunction *function, const char *name)
{
  release_name (module, function);
  function->name = ts_module_intern (module, name);
  claim_name (module, function);
}

void
ts_module_remove_function (TsModule *module, TsFunction *function)
{
  guint at = (guint) function->id;

  g_assert (at < module->n_functions && module->functions[at] == function);
  release_name (module, function);
  for (guint i = at; i + 1 < module->n_functions; i++)
    {
      module->functions[i] = module->functions[i + 1];
      module->functions[i]->id = (gint32) i;
    }
  module->n_functions--;
}

static gboolean
reset_origin (TsOp *op, gpointer data)
{
  op->origin = (TsOrigin) { op->id, 0, NULL };
  return TRUE;
}

void
ts_module_reset_origins (TsModule *module)
{
  for (guint i = 0; i < module->n_functions; i++)
    ts_region_walk (&module->functions[i]->body, reset_origin, NULL);
}

static gboolean
note_op (TsOp *op, gpointer data)
{
  TsOp **ops = data;

  ops[op->id] = op;
  return TRUE;
}

TsOp **
ts_module_ops_by_id (const TsModule *module)
{
  TsOp **ops = g_new0 (TsOp *, MAX (module->n_ops, 1));

  for (guint i = 0; i < module->n_functions; i++)
    ts_region_walk (&module->functions[i]->body, note_op, ops);
  return ops;
}

/* --- canonical order ------------------------------------------------------------------------------------------------------- */

typedef struct
{
  GHashTable *by_name; /* name to TsFunction */
  GPtrArray  *callees; /* of the function being looked at */
} CallCollector;

static void collect_from_expr (const TsExpr *e, CallCollector *collector);

static void
collect_from_op (const TsOp *op, CallCollector *collector)
{
  if (op->code == TS_OP_CALL || op->code == TS_OP_SUBMIT || op->code == TS_OP_SPMD_SUBMIT)
    {
      gpointer callee = g_hash_table_lookup (collector->by_name, op->name);

      if (callee != NULL)
        g_ptr_array_add (collector->callees, callee);
    }
  for (guint i = 0; i < op->n_operands; i++)
    collect_from_expr (op->operands[i], collector);
}

static void
collect_from_expr (const TsExpr *e, CallCollector *collector)
{
  if (!e->has_values)
    return;
  switch ((int) e->kind)
    {
    case TS_EXPR_CALL:
      collect_from_op (e->call, collector);
      break;
    case TS_EXPR_BINARY:
      collect_from_expr (e->items[1], collector);
      G_GNUC_FALLTHROUGH;
    case TS_EXPR_UNARY:
    case TS_EXPR_CAST:
    case TS_EXPR_GET:
      collect_from_expr (e->items[0], collector);
      break;
    case TS_EXPR_LIST:
      for (guint i = 0; i < e->n; i++)
        collect_from_expr (e->list[i], collector);
      break;
    default:
      break;
    }
}

static gboolean
collect_visitor (TsOp *op, gpointer data)
{
  collect_from_op (op, data);
  return TRUE;
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(TsFunction *const *) a)->name, (*(TsFunction *const *) b)->name);
}

/* Callees of each function in name order, indexed by function id. */
static GPtrArray **
collect_callees (const TsModule *module)
{
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray **callees = g_new0 (GPtrArray *, module->n_functions);

  for (guint i = 0; i < module->n_functions; i++)
    if (!g_hash_table_contains (by_name, module->functions[i]->name))
      g_hash_table_insert (by_name, (gpointer) module->functions[i]->name, module->functions[i]);
  for (guint i = 0; i < module->n_functions; i++)
    {
      CallCollector collector = { by_name, g_ptr_array_new () };

      ts_region_walk (&module->functions[i]->body, collect_visitor, &collector);
      g_ptr_array_sort (collector.callees, compare_names);
      callees[i] = collector.callees;
    }
  return callees;
}

typedef enum { UNSEEN, OPEN, DONE } Mark;

/* Depth-first with a stack of our own (a chain of calls may be as long as the file). FALSE: a cycle. */
static gboolean
visit_callees_first (TsFunction *root, GPtrArray **callees, Mark *marks, guint *next, TsFunction **order, guint *n_order)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();

  g_ptr_array_add (stack, root);
  marks[root->id] = OPEN;
  while (stack->len > 0)
    {
      TsFunction *function = g_ptr_array_index (stack, stack->len - 1);
      GPtrArray *list = callees[function->id];

      if (next[function->id] < list->len)
        {
          TsFunction *callee = g_ptr_array_index (list, next[function->id]++);

          if (marks[callee->id] == OPEN)
            return FALSE;
          if (marks[callee->id] == UNSEEN)
            {
              marks[callee->id] = OPEN;
              g_ptr_array_add (stack, callee);
            }
          continue;
        }
      marks[function->id] = DONE;
      order[(*n_order)++] = function;
      g_ptr_array_set_size (stack, (gint) stack->len - 1);
    }
  return TRUE;
}

TsFunction **
ts_module_print_order (const TsModule *module)
{
  guint n = module->n_functions;
  TsFunction **by_name = g_new0 (TsFunction *, MAX (n, 1u));
  TsFunction **order = g_new0 (TsFunction *, MAX (n, 1u));
  GPtrArray **callees = collect_callees (module);
  g_autofree Mark *marks = g_new0 (Mark, MAX (n, 1u));
  g_autofree guint *next = g_new0 (guint, MAX (n, 1u));
  gboolean acyclic = TRUE;
  guint n_order = 0;

  if (n > 0)
    memcpy (by_name, module->functions, sizeof (TsFunction *) * n);
  qsort (by_name, n, sizeof (TsFunction *), compare_names);
  for (guint i = 0; i < n && acyclic; i++)
    if (marks[by_name[i]->id] == UNSEEN)
      acyclic = visit_callees_first (by_name[i], callees, marks, next, order, &n_order);
  for (guint i = 0; i < n; i++)
    g_ptr_array_unref (callees[i]);
  g_free (callees);
  g_free (acyclic ? by_name : order);
  return acyclic ? order : by_name;
}
