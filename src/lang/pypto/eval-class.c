/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes: dataclasses first, for configurations are made of them; named tuples, enumerations and plain classes. */
#include <string.h>

#include "lang/pypto/eval-private.h"

static gboolean
is_named (const TsNode *node, const char *name)
{
  if (node->kind == TS_NODE_CALL || node->kind == TS_NODE_SUBSCRIPT)
    node = node->first;
  if (node->kind == TS_NODE_STRING) /* "ClassVar[int]" */
    return strstr (node->text, name) != NULL;
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

/* Bases that say what the members of an enumeration are. */
static const struct { const char *name; gboolean is_enum, is_value; } enum_bases[] = {
  { "Enum", TRUE, FALSE }, { "Flag", TRUE, FALSE }, { "IntEnum", TRUE, TRUE }, { "IntFlag", TRUE, TRUE }, { "StrEnum", TRUE, TRUE },
  { "int", FALSE, TRUE }, { "str", FALSE, TRUE }, { "float", FALSE, TRUE },
};

/* Is it one of those bases? class M(int, Enum) has two of them. */
static gboolean
read_enum_base (TsClass *class, const TsNode *base, gboolean *is_mixed)
{
  for (guint i = 0; i < G_N_ELEMENTS (enum_bases); i++)
    if (is_named (base, enum_bases[i].name))
      {
        class->is_enum = class->is_enum || enum_bases[i].is_enum;
        *is_mixed = *is_mixed || enum_bases[i].is_value;
        return TRUE;
      }
  return FALSE;
}

static void
read_bases (TsEval *eval, TsScope *scope, TsClass *class)
{
  const TsNode *bases = class->def->value;
  gboolean is_mixed = FALSE;

  if (bases == NULL || bases->kind != TS_NODE_CALL)
    return;
  for (const TsNode *base = bases->first->next; base != NULL; base = base->next)
    {
      const TsConst *value;
      gboolean known = is_named (base, "NamedTuple") || read_enum_base (class, base, &is_mixed);

      if (is_named (base, "NamedTuple"))
        class->is_data = TRUE;
      value = base->kind == TS_NODE_NAME ? ts_eval_node (eval, scope, base) : NULL;
      if (value != NULL && value->kind == TS_CONST_CLASS && class->base == NULL)
        class->base = value->class;
      else if (!known && !is_named (base, "object") && !is_named (base, "ABC") && !is_named (base, "Protocol")
               && !is_named (base, "Generic") && !(base->kind == TS_NODE_KEYWORD && is_named (base->first, "ABCMeta")))
        class->is_foreign = TRUE;
      class->is_tuple = class->is_tuple || is_named (base, "NamedTuple");
    }
  if (class->base != NULL)
    class->is_enum = class->is_enum || class->base->is_enum;
  class->is_number = class->is_enum && is_mixed;
  class->is_foreign = class->is_foreign || (is_mixed && !class->is_enum);
}

static const TsNode *
keyword_of (const TsNode *call, const char *name)
{
  for (const TsNode *argument = call->kind == TS_NODE_CALL ? call->first->next : NULL; argument != NULL; argument = argument->next)
    if (argument->kind == TS_NODE_KEYWORD && strcmp (argument->name->text, name) == 0)
      return argument->first;
  return NULL;
}

/* The names with an annotation: arguments of the class in order, those behind `_: KW_ONLY` only by keyword. */
static void
read_fields (TsEval *eval, TsClass *class)
{
  gboolean by_keyword = FALSE;

  for (const TsNode *decorator = class->def->decorators; decorator != NULL; decorator = decorator->next)
    if (is_named (decorator, "dataclass"))
      {
        const TsNode *only = keyword_of (decorator, "kw_only"), *equal = keyword_of (decorator, "eq");

        by_keyword = only != NULL && only->kind != TS_NODE_FALSE;
        class->has_identity = equal != NULL && equal->kind != TS_NODE_TRUE;
      }
  class->n_positional = class->fields->len;
  for (const TsStatement *member = class->def->body; member != NULL; member = member->next)
    {
      const char *name;
      const TsNode *init;

      if (member->kind != TS_STATEMENT_ASSIGN || member->annotation == NULL || member->targets->kind != TS_NODE_NAME
          || is_named (member->annotation, "ClassVar"))
        continue;
      name = member->targets->name->text;
      if (is_named (member->annotation, "KW_ONLY"))
        {
          by_keyword = TRUE;
          continue;
        }
      /* InitVar: an argument of __post_init__ that is no field. */
      class->is_foreign = class->is_foreign || is_named (member->annotation, "InitVar");
      init = member->value != NULL && is_named (member->value, "field") ? keyword_of (member->value, "init") : NULL;
      if (init != NULL && init->kind != TS_NODE_TRUE)
        g_hash_table_add (class->unset, (gpointer) name);
      if (member->value != NULL && is_named (member->value, "field") && keyword_of (member->value, "kw_only") != NULL)
        by_keyword = TRUE;
      if (has_field (class, name))
        continue;
      g_ptr_array_add (class->fields, (gpointer) name);
      if (!by_keyword)
        class->n_positional = class->fields->len;
    }
}

/* Methods with which a class makes or reads its objects in its own way. */
static void
look_for_own_ways (TsEval *eval, TsClass *class)
{
  static const char *const words[] = { "__new__", "__getattribute__", "__setattr__", "__get__", "__init_subclass__", NULL };

  for (guint i = 0; words[i] != NULL; i++)
    if (ts_scope_get (class->members, ts_eval_intern (eval, words[i])) != NULL)
      class->is_foreign = TRUE;
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
  class->members->class_name = class->name;
  read_bases (eval, scope, class);
  for (const TsNode *decorator = def->decorators; decorator != NULL; decorator = decorator->next)
    class->is_data = class->is_data || is_named (decorator, "dataclass");
  if (class->base != NULL)
    {
      class->is_data = class->is_data || class->base->is_data;
      for (guint i = 0; i < class->base->fields->len; i++)
        g_ptr_array_add (class->fields, class->base->fields->pdata[i]);
      class->is_foreign = class->is_foreign || class->base->is_foreign;
      class->is_tuple = class->is_tuple || class->base->is_tuple;
      class->is_enum = class->is_enum || class->base->is_enum;
      class->is_number = class->is_number || class->base->is_number;
    }
  class->unset = ts_eval_table (eval);
  if (class->base != NULL)
    for (guint i = 0; i < class->fields->len; i++)
      if (g_hash_table_contains (class->base->unset, class->fields->pdata[i]))
        g_hash_table_add (class->unset, class->fields->pdata[i]);
  read_fields (eval, class);
  ts_eval_statements (eval, class->members, def->body, NULL, &ignored);
  look_around (class);
  look_for_own_ways (eval, class);
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
      if (class->is_enum && value->kind != TS_CONST_FUNCTION && value->kind != TS_CONST_OPAQUE
          && !(value->kind == TS_CONST_INSTANCE && value->class == class))
        {
          /* An enumeration's member is an object with a name and a value. */
          TsConst *member = ts_const_new (eval, TS_CONST_INSTANCE);

          member->class = class;
          member->self = class->is_number ? value : NULL;
          member->fields = ts_eval_table (eval);
          g_hash_table_replace (member->fields, (gpointer) ts_eval_intern (eval, "value"), (gpointer) value);
          g_hash_table_replace (member->fields, (gpointer) ts_eval_intern (eval, "name"),
                                (gpointer) ts_const_text (eval, TS_CONST_STRING, name));
          ts_scope_set (class->members, name, member);
          return member;
        }
      return value;
    }
  return NULL;
}

static const TsConst *
field_value (TsEval *eval, const TsConst *class, const TsArguments *arguments, guint *index, guint field)
{
  const char *name = class->class->fields->pdata[field];
  const TsConst *given = ts_eval_define_member (eval, class->class->scope, class->class->name, name);

  if (given != NULL)
    {
      *index += *index < arguments->n_positional && field < class->class->n_positional
                && !g_hash_table_contains (class->class->unset, name);
      return given;
    }
  if (!g_hash_table_contains (class->class->unset, name))
    {
      if (field < class->class->n_positional && *index < arguments->n_positional)
        return arguments->items[(*index)++];
      for (guint i = arguments->n_positional; i < arguments->n; i++)
        if (arguments->keywords[i] == name)
          return arguments->items[i];
    }
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

static gboolean
has_initialiser (TsEval *eval, TsClass *class)
{
  return ts_class_member (eval, class, ts_eval_intern (eval, "__init__")) != NULL
         && ts_class_member (eval, class, ts_eval_intern (eval, "__new__")) == NULL;
}

const TsConst *
ts_eval_construct (TsEval *eval, const TsConst *class, const TsArguments *arguments, TsScope *scope, guint32 offset)
{
  static const TsArguments nothing = { NULL, NULL, 0, 0 };
  TsConst *instance = ts_const_new (eval, TS_CONST_INSTANCE);
  guint index = 0;

  if (class->class->is_enum)
    return ts_const_opaque (eval, scope, offset, "a call of the enumeration %s", class->class->name);
  if (class->class->is_foreign && (class->class->is_data || !has_initialiser (eval, class->class)))
    {
      ts_const_open (eval, scope, offset, class, "perhaps changed where an object is made");
      return ts_const_opaque (eval, scope, offset, "an object of %s, whose making is not followed", class->class->name);
    }
  instance->class = class->class;
  instance->fields = ts_eval_table (eval);
  if (!class->class->is_data || has_initialiser (eval, class->class))
    {
      run_initialiser (eval, instance, "__init__", arguments, offset);
      return instance;
    }
  for (guint i = 0; i < class->class->fields->len; i++)
    {
      const char *name = class->class->fields->pdata[i];
      const TsConst *value = field_value (eval, class, arguments, &index, i);

      if (value != NULL)
        value = ts_eval_field (eval, class->class->scope, value, offset);
      else
        value = ts_const_opaque (eval, scope, offset, "%s is made without its field '%s'", class->class->name, name);
      g_hash_table_replace (instance->fields, (gpointer) name, (gpointer) value);
    }
  run_initialiser (eval, instance, "__post_init__", &nothing, offset);
  return instance;
}

/* Another object of the class, made from the fields of this one and those that are named. */
const TsConst *
ts_eval_replace (TsEval *eval, TsScope *scope, const TsConst *instance, const TsArguments *arguments, guint32 offset)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new (), names = g_ptr_array_new ();
  TsConst class = { .kind = TS_CONST_CLASS, .class = instance->class };
  TsArguments all = { NULL, NULL, 0, 0 };

  if (instance->class == NULL || !instance->class->is_data)
    return NULL;
  for (guint i = 0; i < instance->class->fields->len; i++)
    {
      gpointer name = instance->class->fields->pdata[i], value = g_hash_table_lookup (instance->fields, name);

      for (guint k = arguments->n_positional; k < arguments->n; k++)
        if (arguments->keywords[k] == name)
          value = (gpointer) arguments->items[k];
      if (value == NULL || g_hash_table_contains (instance->class->unset, name))
        continue;
      g_ptr_array_add (values, value);
      g_ptr_array_add (names, name);
    }
  all = (TsArguments) { (const TsConst **) values->pdata, (const char **) names->pdata, values->len, 0 };
  return ts_eval_construct (eval, &class, &all, scope, offset);
}
