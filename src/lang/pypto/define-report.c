/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a -D reaches nothing: what has the name is no constant, or nothing has it. Source: spec dsl 9.2, item 2. */
#include <string.h>

#include "ir/provenance.h"
#include "lang/pypto/near-name.h"
#include "lang/pypto/source.h"

/* --- names of a module ---------------------------------------------------------------------------------------------------- */

/* A dump has numbered it: `n` is found as n__ssa_v0. */
static gboolean
has_name (const TsValue *value, const char *name)
{
  return value->hint != NULL && ts_name_answers (value->hint, name, strlen (name));
}

gboolean
ts_pypto_binds (const TsModule *module, const char *name)
{
  for (guint i = 0; i < module->n_symbols; i++)
    if (has_name (module->symbols[i], name))
      return TRUE;
  for (guint f = 0; f < module->n_functions; f++)
    for (guint i = 0; i < module->functions[f]->n_params; i++)
      {
        const TsValue *param = module->functions[f]->params[i];

        if (has_name (param, name) && ts_type_is_scalar (param->type))
          return TRUE;
      }
  return FALSE;
}

typedef struct
{
  const char    *name;
  const TsValue *found;
  const TsOp    *op;
} Search;

static gboolean
visit (TsOp *op, gpointer data)
{
  Search *search = data;

  for (guint i = 0; i < op->n_results && search->found == NULL; i++)
    if (has_name (op->results[i], search->name))
      search->found = op->results[i];
  for (guint r = 0; r < op->n_regions && search->found == NULL; r++)
    for (guint i = 0; i < ts_op_body (op, r)->n_args && search->found == NULL; i++)
      if (has_name (ts_op_body (op, r)->args[i], search->name))
        search->found = ts_op_body (op, r)->args[i];
  if (search->found != NULL && search->op == NULL)
    search->op = op;
  return search->found == NULL;
}

char *
ts_pypto_why_unbound (const TsModule *module, const char *name)
{
  for (guint f = 0; f < module->n_functions; f++)
    {
      TsFunction *function = module->functions[f];
      Search search = { .name = name };

      for (guint i = 0; i < function->n_params; i++)
        if (has_name (function->params[i], name))
          return g_strdup_printf ("'%s' is a parameter of '%s' that is no scalar", name, function->name);
      ts_region_walk (&function->body, visit, &search);
      if (search.found == NULL)
        continue;
      if (ts_span_is_none (search.op->span))
        return g_strdup_printf ("'%s' is a variable of '%s', which computes it", name, function->name);
      return g_strdup_printf ("'%s' is a variable of '%s', which computes it on line %u", name, function->name,
                              ts_module_line (module, search.op->span));
    }
  return NULL;
}

/* --- names of the file's Python --------------------------------------------------------------------------------------------- */

static char *
dotted_problem (TsReader *reader, TsScope *scope, const char *name)
{
  const char *dot = strrchr (name, '.');
  TsName *base = ts_lexicon_get (reader->lexicon, name, (gsize) (dot - name));
  const TsNode node = { .kind = TS_NODE_NAME, .name = base };
  const TsConst *value = base->parent == NULL ? ts_eval_lookup (reader->eval, scope, base)
                                              : ts_eval_node (reader->eval, scope, &node);

  if (value == NULL || value->kind == TS_CONST_OPAQUE)
    return g_strdup_printf ("the file has nothing named '%s' that holds names", base->text);
  if (value->kind == TS_CONST_FUNCTION)
    return g_strdup_printf ("'%s' is a function, whose parameters are what its calls give them", base->text);
  if (value->kind == TS_CONST_MODULE && value->scope == NULL)
    return g_strdup_printf ("the module '%s' is not beside the file", base->text);
  return g_strdup_printf ("'%s' has no '%s' that a constant of the file comes from", base->text, dot + 1);
}

static char *
plain_problem (TsReader *reader, TsScope *scope, const char *name)
{
  const TsConst *value = ts_eval_lookup (reader->eval, scope, ts_lexicon_get (reader->lexicon, name, strlen (name)));

  /* What nothing binds is looked up in the -D themselves. */
  if (value == NULL || value == ts_eval_define (reader->eval, name))
    return NULL;
  return g_strdup_printf ("'%s' is %s, no constant", name, ts_const_kind_name (value));
}

static void
consider (const char *name, gpointer data)
{
  ts_near_name_consider (data, name);
}

static char *
near_names (TsReader *reader, TsScope *scope, const char *name)
{
  TsNearName near = { name, NULL, 0 };

  if (!ts_reader_may_suggest (reader))
    return NULL;
  ts_scope_foreach (scope, consider, &near);
  return near.best != NULL ? g_strdup_printf ("did you mean '%s'?", near.best) : NULL;
}

/* One that is known to reach nothing. */
static void
report (TsReader *reader, TsScope *scope, const char *define, const char *name, gboolean (*is_elsewhere) (const char *name))
{
  g_autofree char *why = ts_pypto_why_unbound (reader->module, name);
  gboolean is_variable = why != NULL, is_missing = FALSE;
  TsDiag *diag;

  /* The language's question has another name than what answers it. */
  if (why == NULL && is_elsewhere != NULL && g_str_has_prefix (name, "get_") && is_elsewhere (name + strlen ("get_")))
    why = g_strdup_printf ("what %s() gives is bound as '%s'", name, name + strlen ("get_"));
  if (why == NULL)
    why = strchr (name, '.') != NULL ? dotted_problem (reader, scope, name) : plain_problem (reader, scope, name);
  if (why == NULL && ts_source_has_word (reader->source, name, NULL))
    why = g_strdup_printf ("'%s' stands only where functions, fields or arguments have names of their own", name);
  if (why == NULL)
    {
      is_missing = TRUE;
      why = g_strdup_printf ("%s has no such name", ts_source_name (reader->source));
    }
  diag = ts_diag_add (reader->diags, TS_SEVERITY_WARNING, "unused-define", NULL, TS_SPAN_NONE, "-D %s binds nothing: %s", define,
                      why);
  if (is_missing)
    diag->help = near_names (reader, scope, name);
  else if (is_variable)
    diag->help = g_strdup ("-D binds scalar parameters, dynamic dimensions and the block's own numbers (block_idx, block_num)");
  else
    diag->help = g_strdup ("-D binds constants of the file and of modules beside it (NAME, module.NAME), fields (OBJECT.FIELD, "
                           "CLASS.FIELD), arguments of a command line, variables of the environment and parameters of factories");
}

void
ts_report_defines (TsReader *reader, const TsPyptoOptions *options, TsScope *scope)
{
  for (const char *const *define = options != NULL ? options->defines : NULL; define != NULL && *define != NULL; define++)
    {
      g_autofree char *name = g_strndup (*define, strcspn (*define, "="));

      if (*name != '\0' && !ts_eval_has_effect (reader->eval, name) && !ts_pypto_binds (reader->module, name)
          && (options->is_elsewhere == NULL || !options->is_elsewhere (name)))
        report (reader, scope, *define, name, options->is_elsewhere);
    }
}
