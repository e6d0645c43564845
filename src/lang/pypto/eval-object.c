/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsers of command lines: every argument has its default. */
#include <string.h>

#include "lang/pypto/eval-private.h"

/* --- command lines ------------------------------------------------------------------------------------------------------- */

static const char *
text_of (const TsConst *value)
{
  return value != NULL && value->kind == TS_CONST_STRING ? value->text : NULL;
}

const TsConst *
ts_builtin_parser (const TsBuiltinCall *call)
{
  TsConst *parser = ts_const_new (call->eval, TS_CONST_PARSER);

  parser->fields = ts_eval_table (call->eval);
  return parser;
}

const TsConst *
ts_builtin_argument_group (const TsBuiltinCall *call)
{
  return call->self->kind == TS_CONST_PARSER ? call->self : NULL;
}

/* Where the value goes: dest=, else the first long option, else the first name; dashes become underscores. */
static char *
destination (const TsBuiltinCall *call)
{
  const char *name = text_of (ts_builtin_named (call, "dest"));

  for (guint i = 0; i < call->arguments->n_positional && name == NULL; i++)
    if (text_of (call->arguments->items[i]) != NULL && g_str_has_prefix (text_of (call->arguments->items[i]), "--"))
      name = call->arguments->items[i]->text;
  if (name == NULL && call->arguments->n_positional > 0)
    name = text_of (call->arguments->items[0]);
  while (name != NULL && *name == '-')
    name++;
  return name != NULL && *name != '\0' ? g_strdelimit (g_strdup (name), "-", '_') : NULL;
}

/* A default given as text goes through type= like what is typed on the command line. */
static const TsConst *
converted (const TsBuiltinCall *call, const TsConst *value)
{
  const TsConst *type = ts_builtin_named (call, "type");
  TsArguments arguments = { &value, NULL, 1, 1 };

  if (value->kind != TS_CONST_STRING || type == NULL)
    return value;
  if (type->kind == TS_CONST_BUILTIN)
    return ts_eval_builtin (call->eval, call->scope, type, &arguments, call->offset);
  if (type->kind == TS_CONST_FUNCTION)
    {
      const char *no_keyword = NULL;

      arguments.keywords = &no_keyword;
      return ts_eval_function (call->eval, type, &arguments, call->offset);
    }
  return value;
}

static const TsConst *
default_of (const TsBuiltinCall *call, const char *name)
{
  const TsConst *given = ts_eval_define (call->eval, name), *value = ts_builtin_named (call, "default");
  const char *action = text_of (ts_builtin_named (call, "action"));
  gboolean is_option = call->arguments->n_positional == 0
                       || (text_of (call->arguments->items[0]) != NULL && text_of (call->arguments->items[0])[0] == '-');

  if (given != NULL)
    return given;
  if (value != NULL)
    return converted (call, value);
  if (g_strcmp0 (action, "store_true") == 0 || g_strcmp0 (action, "store_false") == 0)
    return ts_const_bool (call->eval, strcmp (action, "store_false") == 0);
  if (!is_option || ts_builtin_named (call, "required") != NULL)
    return ts_const_opaque (call->eval, call->scope, call->offset, "the argument '%s', which has no default", name);
  return call->eval->none;
}

const TsConst *
ts_builtin_add_argument (const TsBuiltinCall *call)
{
  g_autofree char *name = destination (call);

  if (call->self->kind != TS_CONST_PARSER || name == NULL)
    return NULL;
  g_hash_table_replace (call->self->fields, (gpointer) ts_eval_intern (call->eval, name), (gpointer) default_of (call, name));
  return call->eval->none;
}

const TsConst *
ts_builtin_set_defaults (const TsBuiltinCall *call)
{
  if (call->self->kind != TS_CONST_PARSER)
    return NULL;
  for (guint i = call->arguments->n_positional; i < call->arguments->n; i++)
    if (ts_eval_define (call->eval, call->arguments->keywords[i]) == NULL)
      g_hash_table_replace (call->self->fields, (gpointer) ts_eval_intern (call->eval, call->arguments->keywords[i]),
                            (gpointer) call->arguments->items[i]);
  return call->eval->none;
}

/* Nobody types a command line when a kernel is opened: every argument has its default, and we say so. */
const TsConst *
ts_builtin_parse_args (const TsBuiltinCall *call)
{
  TsConst *values;
  const TsConst *pair[2];

  if (call->self->kind != TS_CONST_PARSER)
    return NULL;
  values = ts_const_new (call->eval, TS_CONST_INSTANCE);
  values->fields = call->self->fields;
  if (g_hash_table_add (call->eval->noted, values->fields))
    ts_diag_add (call->eval->diags, TS_SEVERITY_NOTE, "assumed-default", call->scope->source, (TsSpan) { call->offset, 1, 0 },
                 "the arguments of the command line have their defaults; -D NAME=VALUE overrides");
  pair[0] = values;
  pair[1] = ts_const_items (call->eval, TS_CONST_LIST, NULL, 0);
  return strcmp (call->name, ".parse_known_args") == 0 ? ts_const_items (call->eval, TS_CONST_TUPLE, pair, 2) : values;
}
