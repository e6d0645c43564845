/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes: dataclasses first, for configurations are made of them; named tuples, enumerations and plain classes. */
#include <string.h>

#include "lang/pypto/eval-private.h"

static gboolean
is_named (const TsNode *node, const char *name)
{
  if (node->kind == TS_NODE_CALL)
    node = node->first;
  return node->kind == TS_NODE_NAME && strcmp (node->name->last, name) == 0;
}

static gboolean
has_field (const TsClass *class, const char *name)
{
  for (guint i = 0; i < class->fields->len; i++)
    if (class->fields->pdata[i] == name)
      return TRUE;
  return FALSE;
}

static void
read_bases (TsEval *eval, TsScope *scope, TsClass *class)
{
  const TsNode *bases = class->def->value;

  if (bases == NULL || bases->kind != TS_NODE_CALL)
    return;
  for (const TsNode *base = bases->first->next; base != NULL; base = base->next)
    {
      const TsConst *value;

      if (is_named (base, "NamedTuple"))
        class->is_data = TRUE;
      else if (is_named (base, "Enum") || is_named (base, "IntEnum"))
        class->is_enum = TRUE;
      value = base->kind == TS_NODE_NAME ? ts_eval_node (eval, scope, base) : NULL;
      if (value != NULL && value->kind == TS_CONST_CLASS && class->base == NULL)
        class->base = value->class;
    }
}

/* Functions see what stands around the class, not its own names. */
static void
look_around (TsClass *class)
{
  GHashTableIter iter;
  gpointer member;

  g_hash_table_iter_init (&iter, class->members->names);
  while (g_hash_table_iter_next (&iter, NULL, &member))
    {
      TsConst *value = member;

      if (value->kind == TS_CONST_BUILTIN && value->self != NULL)
        value = (TsConst *) value->self; /* field(default_factory=lambda: ...) */
      if (value->kind == TS_CONST_FUNCTION && value->scope == class->members)
        value->scope = class->scope;
    }
  class->members->up = NULL;
}

const TsConst *
ts_eval_class (TsEval *eval, TsScope *scope, TsStatement *def)
{
  TsClass *class = ts_arena_new0 (eval->arena, TsClass);
  TsConst *value = ts_const_new (eval, TS_CONST_CLASS);
  const TsConst *ignored;

  value->class = class;
  class->name = def->name->text;
  class->def = def;
  class->scope = scope;
  class->fields = g_ptr_array_new ();
  g_ptr_array_add (eval->arrays, class->fields);
  class->members = ts_scope_new (eval, scope, scope->source);
  read_bases (eval, scope, class);
  for (const TsNode *decorator = def->decorators; decorator != NULL; decorator = decorator->next)
    class->is_data = class->is_data || is_named (decorator, "dataclass");
  if (class->base != NULL)
    {
      class->is_data = class->is_data || class->base->is_data;
      for (guint i = 0; i < class->base->fields->len; i++)
        g_ptr_array_add (class->fields, class->base->fields->pdata[i]);
    }
  for (const TsStatement *member = def->body; member != NULL; member = member->next)
    if (member->kind == TS_STATEMENT_ASSIGN && member->annotation != NULL && member->targets->kind == TS_NODE_NAME
        && !is_named (member->annotation, "ClassVar") && !has_field (class, member->targets->name->text))
      g_ptr_array_add (class->fields, (gpointer) member->targets->name->text);
  ts_eval_statements (eval, class->members, def->body, NULL, &ignored);
  look_around (class);
  return value;
}

const TsConst *
ts_class_member (TsEval *eval, TsClass *class, const char *name)
{
  for (guint depth = 0; class != NULL && depth < TS_EVAL_DEPTH; class = class->base, depth++)
    {
      const TsConst *value = ts_scope_get (class->members, name);

      if (value == NULL)
        continue;
      if (class->is_enum && value->kind != TS_CONST_FUNCTION)
        {
          /* An enumeration's member is an object with a name and a value. */
          TsConst *member = ts_const_new (eval, TS_CONST_INSTANCE);

          member->fields = ts_eval_table (eval);
          g_hash_table_replace (member->fields, (gpointer) ts_eval_intern (eval, "value"), (gpointer) value);
          g_hash_table_replace (member->fields, (gpointer) ts_eval_intern (eval, "name"),
                                (gpointer) ts_const_text (eval, TS_CONST_STRING, name));
          ts_scope_set (class->members, name, member);
          class->is_enum = TRUE;
          return member;
        }
      return value;
    }
  return NULL;
}

static const TsConst *
field_value (TsEval *eval, const TsConst *class, const TsArguments *arguments, guint index, const char *name)
{
  if (index < arguments->n_positional)
    return arguments->items[index];
  for (guint i = arguments->n_positional; i < arguments->n; i++)
    if (arguments->keywords[i] == name)
      return arguments->items[i];
  return ts_class_member (eval, class->class, name);
}

/* Runs __init__ or __post_init__, whose assignments to self.x fill the object. */
static void
run_initialiser (TsEval *eval, TsConst *instance, const char *name, const TsArguments *arguments, guint32 offset)
{
  const TsConst *function = ts_class_member (eval, instance->class, ts_eval_intern (eval, name));
  TsConst *bound;

  if (function == NULL || function->kind != TS_CONST_FUNCTION)
    return;
  bound = ts_const_new (eval, TS_CONST_FUNCTION);
  *bound = *function;
  bound->self = instance;
  ts_eval_function (eval, bound, arguments, offset);
}

const TsConst *
ts_eval_construct (TsEval *eval, const TsConst *class, const TsArguments *arguments, TsScope *scope, guint32 offset)
{
  static const TsArguments nothing = { NULL, NULL, 0, 0 };
  TsConst *instance = ts_const_new (eval, TS_CONST_INSTANCE);

  if (class->class->is_enum)
    return ts_const_opaque (eval, scope, offset, "a call of the enumeration %s", class->class->name);
  instance->class = class->class;
  instance->fields = ts_eval_table (eval);
  if (!class->class->is_data)
    {
      run_initialiser (eval, instance, "__init__", arguments, offset);
      return instance;
    }
  for (guint i = 0; i < class->class->fields->len; i++)
    {
      const char *name = class->class->fields->pdata[i];
      const TsConst *value = field_value (eval, class, arguments, i, name);

      if (value != NULL)
        value = ts_eval_field (eval, class->class->scope, value, offset);
      else
        value = ts_const_opaque (eval, scope, offset, "%s is made without its field '%s'", class->class->name, name);
      g_hash_table_replace (instance->fields, (gpointer) name, (gpointer) value);
    }
  run_initialiser (eval, instance, "__post_init__", &nothing, offset);
  return instance;
}

const TsConst *
ts_eval_replace (TsEval *eval, const TsConst *instance, const TsArguments *arguments)
{
  TsConst *copy = ts_const_new (eval, TS_CONST_INSTANCE);
  GHashTableIter iter;
  gpointer name, value;

  copy->class = instance->class;
  copy->fields = ts_eval_table (eval);
  g_hash_table_iter_init (&iter, instance->fields);
  while (g_hash_table_iter_next (&iter, &name, &value))
    g_hash_table_replace (copy->fields, name, value);
  for (guint i = arguments->n_positional; i < arguments->n; i++)
    g_hash_table_replace (copy->fields, (gpointer) ts_eval_intern (eval, arguments->keywords[i]), (gpointer) arguments->items[i]);
  return copy;
}
