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
field_value (TsEval *eval, const TsConst *class, const TsArguments *arguments, GHashTable *set, guint *index, guint field)
{
  const char *name = class->class->fields->pdata[field];
  const TsConst *given = set != NULL ? g_hash_table_lookup (set, name) : NULL;

  if (given == NULL)
    given = ts_eval_define_member (eval, class->class->scope, class->class->name, name);

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

static const TsArguments *
copy_arguments (TsEval *eval, const TsArguments *arguments)
{
  TsArguments *copy = ts_arena_new0 (eval->arena, TsArguments);

  *copy = *arguments;
  copy->items = ts_arena_array (eval->arena, const TsConst *, MAX (arguments->n, 1));
  copy->keywords = ts_arena_array (eval->arena, const char *, MAX (arguments->n, 1));
  for (guint i = 0; i < arguments->n; i++)
    {
      copy->items[i] = arguments->items[i];
      copy->keywords[i] = i < arguments->n_positional ? NULL : arguments->keywords[i];
    }
  return copy;
}

/* `set` gives fields whatever the arguments say; it may be NULL. */
static const TsConst *
construct (TsEval *eval, const TsConst *class, const TsArguments *arguments, GHashTable *set, TsScope *scope, guint32 offset)
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
  instance->made_with = g_hash_table_size (eval->defines) > 0 ? copy_arguments (eval, arguments) : NULL;
  if (!class->class->is_data || has_initialiser (eval, class->class))
    {
      run_initialiser (eval, instance, "__init__", arguments, offset);
      return instance;
    }
  for (guint i = 0; i < class->class->fields->len; i++)
    {
      const char *name = class->class->fields->pdata[i];
      const TsConst *value = field_value (eval, class, arguments, set, &index, i);

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
ts_eval_construct (TsEval *eval, const TsConst *class, const TsArguments *arguments, TsScope *scope, guint32 offset)
{
  return construct (eval, class, arguments, NULL, scope, offset);
}

/* The arguments of __init__ with what `set` gives those of its parameters that are named like a field. */
static TsArguments
arguments_with (TsEval *eval, const TsConst *instance, GHashTable *set)
{
  const TsArguments *made = copy_arguments (eval, instance->made_with);
  const TsConst *function = ts_class_member (eval, instance->class, ts_eval_intern (eval, "__init__"));
  const TsParameter *param = function != NULL && function->kind == TS_CONST_FUNCTION ? function->def->params : NULL;
  guint n_more = g_hash_table_size (set), position = 0;
  TsArguments all = *made;

  all.items = ts_arena_array (eval->arena, const TsConst *, made->n + n_more);
  all.keywords = ts_arena_array (eval->arena, const char *, made->n + n_more);
  for (guint i = 0; i < made->n; i++)
    {
      all.items[i] = made->items[i];
      all.keywords[i] = made->keywords[i];
    }
  for (param = param != NULL ? param->next : NULL; param != NULL; param = param->next) /* the first is self */
    {
      const char *name = param->name != NULL && param->stars == 0 ? param->name->text : NULL;
      const TsConst *given = name != NULL ? g_hash_table_lookup (set, name) : NULL;
      guint at = position;

      if (name == NULL)
        position = made->n_positional; /* a lone *, or *args */
      else if (position < made->n_positional)
        position++;
      if (given == NULL)
        continue;
      if (at >= made->n_positional)
        for (at = made->n_positional; at < all.n && all.keywords[at] != name; at++)
          ;
      if (at == all.n)
        all.keywords[all.n++] = name;
      all.items[at] = given;
    }
  return all;
}

/* What depends on the fields is what becomes another when they are given; what was changed since the object was made stays. */
void
ts_eval_give_fields (TsEval *eval, TsScope *scope, const TsConst *instance, GHashTable *given)
{
  const TsConst class = { .kind = TS_CONST_CLASS, .class = instance->class };
  GHashTableIter iter;
  gpointer name, value;

  if (instance->made_with != NULL && instance->class != NULL)
    {
      TsArguments with = instance->class->is_data ? *instance->made_with : arguments_with (eval, instance, given);
      const TsConst *before = construct (eval, &class, instance->made_with, NULL, scope, instance->offset);
      const TsConst *after = construct (eval, &class, &with, given, scope, instance->offset);

      g_hash_table_iter_init (&iter, instance->fields);
      while (before->kind == TS_CONST_INSTANCE && after->kind == TS_CONST_INSTANCE && g_hash_table_iter_next (&iter, &name, &value))
        {
          const TsConst *old = g_hash_table_lookup (before->fields, name), *new = g_hash_table_lookup (after->fields, name);

          if (old != NULL && new != NULL && (old == value || ts_const_equal (old, value) == 1))
            g_hash_table_iter_replace (&iter, (gpointer) new);
        }
    }
  g_hash_table_iter_init (&iter, given);
  while (g_hash_table_iter_next (&iter, &name, &value))
    g_hash_table_replace (instance->fields, name, value);
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

/* --- methods of bases ---------------------------------------------------------------------------------------------------- */

const TsConst *
ts_builtin_object_setattr (const TsBuiltinCall *call)
{
  const TsArguments *arguments = call->arguments;
  const TsConst *object = arguments->n > 0 ? arguments->items[0] : NULL;

  if (object == NULL || object->kind != TS_CONST_INSTANCE)
    return NULL;
  if (arguments->n != 3 || arguments->items[1]->kind != TS_CONST_STRING
      || !ts_eval_set_attribute (call->eval, call->scope, call->offset, object, arguments->items[1]->text, arguments->items[2]))
    ts_const_open (call->eval, call->scope, call->offset, object, "an attribute is set in a way that is not followed");
  return call->eval->none;
}

/* The class in whose body the function that runs was written. */
static const TsClass *
class_of_method (const TsConst *function)
{
  const TsClass *class = function->self->class;

  for (guint depth = 0; class != NULL && depth < TS_EVAL_DEPTH; class = class->base, depth++)
    {
      const TsConst *member = ts_scope_get (class->members, function->def->name->text);

      if (member != NULL && member->kind == TS_CONST_FUNCTION && member->def == function->def)
        return class;
    }
  return NULL;
}

/* A method of no base that we hold: that of `object`, or of a class whose file is not here. */
static const TsConst *
call_foreign_base (TsEval *eval, TsScope *scope, const TsClass *class, const TsConst *self, const char *name,
                   const TsArguments *arguments, guint32 offset)
{
  gboolean is_init = strcmp (name, "__init__") == 0;

  if (strcmp (name, "__setattr__") == 0 && arguments->n == 2 && arguments->items[0]->kind == TS_CONST_STRING)
    {
      ts_eval_set_attribute (eval, scope, offset, self, arguments->items[0]->text, arguments->items[1]);
      return eval->none;
    }
  if (is_init && (class->base == NULL || !class->base->is_data))
    return eval->none; /* what a class that is not here sets are attributes of its own, we hope */
  ts_const_open (eval, scope, offset, self, "perhaps changed by a call to super().%s", name);
  return ts_const_opaque (eval, scope, offset, "a call to super().%s", name);
}

const TsConst *
ts_eval_super (TsEval *eval, TsScope *scope, const TsNode *call)
{
  const char *name = ts_eval_intern (eval, call->first->name->text);
  const TsConst *running = NULL, *method, *result = NULL;
  const TsClass *class;
  TsArguments arguments;
  TsConst *bound;

  for (const TsScope *at = scope; at != NULL && running == NULL; at = at->up)
    running = at->running;
  if (running == NULL || running->self == NULL || running->self->kind != TS_CONST_INSTANCE || running->def->name == NULL
      || (class = class_of_method (running)) == NULL)
    return NULL;
  ts_eval_arguments (eval, scope, call, &arguments);
  method = class->base != NULL ? ts_class_member (eval, class->base, name) : NULL;
  if (arguments.open != NULL)
    {
      ts_eval_forget_call (eval, scope, call, FALSE, NULL);
      ts_const_open (eval, scope, call->offset, running->self, "perhaps changed by its base");
      result = arguments.open;
    }
  else if (method != NULL && method->kind == TS_CONST_FUNCTION && method->def->decorators == NULL)
    {
      bound = ts_const_new (eval, TS_CONST_FUNCTION);
      *bound = *method;
      bound->self = running->self;
      result = ts_eval_function (eval, bound, &arguments, call->offset);
    }
  else
    result = call_foreign_base (eval, scope, class, running->self, name, &arguments, call->offset);
  ts_arguments_clear (&arguments);
  return result;
}
