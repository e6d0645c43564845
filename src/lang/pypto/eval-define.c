/* SPDX-License-Identifier: GPL-3.0-or-later */
/* -D NAME=VALUE: what it says, and whatever it reaches. Source: spec dsl 9.2, item 2. */
#include <string.h>

#include "lang/pypto/eval-private.h"

const TsConst *
ts_eval_define (TsEval *eval, const char *name)
{
  const char *interned = ts_eval_intern (eval, name);
  const TsConst *value = g_hash_table_lookup (eval->defines, interned);

  if (value != NULL)
    g_hash_table_add (eval->defined, (gpointer) interned);
  return value;
}

gboolean
ts_eval_has_effect (TsEval *eval, const char *name)
{
  return g_hash_table_contains (eval->defined, ts_eval_intern (eval, name));
}

static gboolean
mentions_name (const TsNode *node)
{
  if (node->kind == TS_NODE_NAME)
    return TRUE;
  for (const TsNode *child = node->first; child != NULL; child = child->next)
    if (mentions_name (child))
      return TRUE;
  return FALSE;
}

/* What a number that we cannot hold is told by; NULL when the text is no such number. To be freed. */
static char *
number_trouble (const TsDiagList *said, const TsNode *node, const TsConst *value)
{
  for (guint i = 0; i < ts_diag_list_length (said); i++)
    if (strcmp (ts_diag_list_get (said, i)->code, "limit") == 0)
      return g_strdup (ts_diag_list_get (said, i)->message);
  return value != NULL && value->kind == TS_CONST_OPAQUE && !mentions_name (node) ? g_strdup (value->text) : NULL;
}

/* The value is a Python expression, or else the text itself. */
static const TsConst *
define_value (TsEval *eval, const char *name, const char *text)
{
  g_autofree char *trouble = NULL;
  g_autoptr (TsDiagList) silent = ts_diag_list_new ();
  TsSource *source = ts_source_new_text ("-D", text);
  TsParser *parser = ts_parser_new (source, 0, eval->lexicon, silent);
  TsNode *node = ts_parser_lone_expression (parser);
  TsScope *scope = ts_scope_new (eval, NULL, source);
  const TsConst *value = node != NULL ? ts_eval_node (eval, scope, node) : NULL;

  g_ptr_array_add (eval->sources, source);
  g_ptr_array_add (eval->parsers, parser);
  if ((trouble = number_trouble (silent, node, value)) != NULL)
    {
      g_hash_table_add (eval->defined, (gpointer) ts_eval_intern (eval, name)); /* nothing more is to be said of it */
      ts_diag_add (eval->diags, TS_SEVERITY_ERROR, "limit", NULL, TS_SPAN_NONE, "-D %s=%s: %s", name, text, trouble);
      return ts_const_opaque (eval, scope, 0, "%s", trouble);
    }
  if (value == NULL || value->kind == TS_CONST_OPAQUE)
    return ts_const_text (eval, TS_CONST_STRING, text);
  return value;
}

void
ts_eval_add_define (TsEval *eval, const char *define)
{
  const char *equals = strchr (define, '=');
  g_autofree char *name = equals != NULL ? g_strndup (define, (gsize) (equals - define)) : NULL;

  if (name != NULL && *name != '\0')
    g_hash_table_insert (eval->defines, (gpointer) ts_eval_intern (eval, name), (gpointer) define_value (eval, name, equals + 1));
}

/* --- what it reaches ------------------------------------------------------------------------------------------------------- */

/* -D BASE.NAME, with the module's name before it or not. */
static const TsConst *
define_of (TsEval *eval, const TsScope *scope, const char *base, const char *name)
{
  g_autofree char *short_name = base != NULL ? g_strconcat (base, ".", name, NULL) : g_strdup (name);
  g_autofree char *full = g_strconcat (scope->module, ".", short_name, NULL);
  const TsConst *given = ts_eval_define (eval, full);

  return given != NULL ? given : ts_eval_define (eval, short_name);
}

const TsConst *
ts_eval_define_member (TsEval *eval, const TsScope *scope, const char *class_name, const char *name)
{
  return g_hash_table_size (eval->defines) > 0 ? define_of (eval, scope, class_name, name) : NULL;
}

/* Every field of the object that -D NAME.FIELD speaks of, and what follows from them. */
static void
set_fields (TsEval *eval, TsScope *scope, const char *name, const TsConst *object)
{
  guint n;
  g_autofree gpointer *fields = g_hash_table_get_keys_as_array (object->fields, &n);
  g_autoptr (GHashTable) set = g_hash_table_new (g_direct_hash, g_direct_equal);

  for (guint i = 0; i < n; i++)
    {
      const TsConst *given = define_of (eval, scope, name, fields[i]);

      if (given != NULL)
        g_hash_table_insert (set, fields[i], (gpointer) given);
    }
  if (g_hash_table_size (set) > 0)
    ts_eval_give_fields (eval, scope, object, set);
}

const TsConst *
ts_eval_overridden (TsEval *eval, TsScope *scope, const char *name, const TsConst *value)
{
  const TsConst *given = NULL;

  if (g_hash_table_size (eval->defines) == 0)
    return value;
  if (scope->class_name != NULL)
    given = define_of (eval, scope, scope->class_name, name);
  else if (scope->is_module || scope->is_factory)
    {
      given = define_of (eval, scope, NULL, name);
      if (given == NULL && value->kind == TS_CONST_INSTANCE && value->fields != NULL
          && (value->class == NULL || !value->class->is_enum))
        set_fields (eval, scope, name, value);
    }
  return given != NULL ? given : value;
}
