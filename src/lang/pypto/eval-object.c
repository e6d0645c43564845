/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What changes in place: lists and dictionaries that are filled, parsers of command lines. A list or dictionary is replaced under
 * its name, so that values never contain themselves. */
#include <string.h>

#include "base/number.h"
#include "lang/pypto/eval-private.h"

/* --- lists and dictionaries ---------------------------------------------------------------------------------------------- */

/* A list that is filled one by one costs by its length: filling a long one ends in "too many steps", not in a full memory. */
#define ITEMS_PER_STEP 16u

static const TsConst *
with_items (TsEval *eval, const TsConst *container, const TsConst *const *items, guint n)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();

  eval->steps = MIN (TS_EVAL_STEPS, eval->steps + (container->n + n) / ITEMS_PER_STEP);
  if (container->n + n > TS_EVAL_ITEMS)
    return NULL;
  for (guint i = 0; i < container->n; i++)
    g_ptr_array_add (all, (gpointer) container->items[i]);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (all, (gpointer) items[i]);
  return ts_const_items (eval, (TsConstKind) container->kind, (const TsConst *const *) all->pdata, all->len);
}

/* d.update(other), d.update(a=1); later entries win when a dictionary is looked up. */
static const TsConst *
updated (TsEval *eval, const TsConst *dict, const TsArguments *arguments)
{
  const TsConst *other = arguments->n_positional == 1 ? arguments->items[0] : NULL;

  if (arguments->n_positional > 1 || (other != NULL && other->kind != TS_CONST_DICT))
    return NULL;
  if (other != NULL)
    dict = with_items (eval, dict, other->items, other->n);
  for (guint i = arguments->n_positional; i < arguments->n && dict != NULL; i++)
    {
      const TsConst *entry[2] = { ts_const_text (eval, TS_CONST_STRING, arguments->keywords[i]), arguments->items[i] };

      dict = with_items (eval, dict, entry, 2);
    }
  return dict;
}

const TsConst *
ts_eval_changed (TsEval *eval, const TsConst *container, const char *method, const TsArguments *arguments)
{
  const TsConst *items;

  if (container->kind == TS_CONST_DICT)
    return strcmp (method, "update") == 0 ? updated (eval, container, arguments) : NULL;
  if (arguments->n != 1 || arguments->n_positional != 1)
    return NULL;
  if (strcmp (method, "append") == 0)
    return with_items (eval, container, arguments->items, 1);
  items = strcmp (method, "extend") == 0 ? ts_const_iterate (eval, arguments->items[0]) : NULL;
  return items != NULL ? with_items (eval, container, items->items, items->n) : NULL;
}

gboolean
ts_eval_changes (const char *method)
{
  static const char *const methods[] = {
    "append", "extend", "insert", "remove", "pop", "popitem", "clear", "sort", "reverse", "update", "setdefault", "add", "discard",
    NULL,
  };

  return g_strv_contains (methods, method);
}

const TsConst *
ts_eval_with_entry (TsEval *eval, const TsConst *container, const TsConst *key, const TsConst *value)
{
  const TsConst *entry[2] = { key, value };
  g_autofree const TsConst **items = NULL;
  gint64 i;

  if (container->kind == TS_CONST_DICT && key->kind != TS_CONST_OPAQUE)
    return with_items (eval, container, entry, 2);
  if (container->kind != TS_CONST_LIST || key->kind != TS_CONST_INT)
    return NULL;
  i = key->i < 0 ? key->i + container->n : key->i;
  if (i < 0 || i >= container->n)
    return NULL;
  items = g_new (const TsConst *, container->n);
  memcpy (items, container->items, sizeof (gpointer) * container->n);
  items[i] = value;
  eval->steps = MIN (TS_EVAL_STEPS, eval->steps + container->n / ITEMS_PER_STEP);
  return ts_const_items (eval, TS_CONST_LIST, items, container->n);
}

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
