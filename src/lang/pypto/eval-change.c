/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What changes in place: lists, dictionaries and objects have an identity, and a change is seen under every name they have. What
 * changes in a way that is not followed is opened: it becomes opaque, under every name. */
#include <string.h>

#include "lang/pypto/eval-private.h"

/* A list that is filled one by one costs by its length: filling a long one ends in "too many steps", not in a full memory. */
#define ITEMS_PER_STEP 16u
/* Levels that filling containers with containers may add, over all of them; and items looked at to see that none holds itself. */
#define MAX_GROWTH 4000u
#define MAX_REACHED 20000u

/* --- opening ------------------------------------------------------------------------------------------------------------- */

static void
push_parts (GPtrArray *todo, const TsConst *value)
{
  GHashTableIter iter;
  gpointer field;

  if (ts_const_is_sequence (value) || value->kind == TS_CONST_DICT)
    for (guint i = 0; i < value->n; i++)
      g_ptr_array_add (todo, (gpointer) value->items[i]);
  if (value->kind == TS_CONST_OPAQUE && value->self != NULL)
    g_ptr_array_add (todo, (gpointer) value->self);
  if (value->kind != TS_CONST_INSTANCE || value->fields == NULL)
    return;
  g_hash_table_iter_init (&iter, value->fields);
  while (g_hash_table_iter_next (&iter, NULL, &field))
    g_ptr_array_add (todo, field);
}

/* Definitions are what they are: nobody replaces them in ways we do not see, or else nothing could be said of a file at all. */
static gboolean
is_definition (const TsConst *value)
{
  return value->kind == TS_CONST_FUNCTION || value->kind == TS_CONST_KERNEL || value->kind == TS_CONST_CLASS
         || value->kind == TS_CONST_MODULE || value->kind == TS_CONST_BUILTIN || value->kind == TS_CONST_SYNTAX;
}

static void
open_names (TsScope *scope, const TsConst *why)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, scope->names);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (!is_definition (value))
      g_hash_table_iter_replace (&iter, (gpointer) why);
}

static void
open_one (const TsConst *value, const TsConst *why)
{
  TsConst *changed = (TsConst *) value;

  switch ((TsConstKind) value->kind)
    {
    case TS_CONST_LIST:
    case TS_CONST_DICT:
    case TS_CONST_INSTANCE:
      *changed = *why;
      break;
    case TS_CONST_CLASS:
      open_names (value->class->members, why);
      break;
    case TS_CONST_MODULE:
      if (value->scope != NULL)
        open_names (value->scope, why);
      break;
    default:
      break;
    }
}

void
ts_const_open (TsEval *eval, TsScope *scope, guint32 offset, const TsConst *value, const char *format, ...)
{
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  g_autofree char *reason = NULL;
  const TsConst *why;
  va_list args;

  va_start (args, format);
  reason = g_strdup_vprintf (format, args);
  va_end (args);
  why = ts_const_opaque (eval, scope, offset, "%s", reason);
  g_ptr_array_add (todo, (gpointer) value);
  for (guint steps = 0; todo->len > 0 && steps < TS_EVAL_ITEMS; steps++)
    {
      const TsConst *next = g_ptr_array_steal_index_fast (todo, todo->len - 1);

      push_parts (todo, next);
      open_one (next, why);
    }
}

const TsConst *
ts_const_derived (TsEval *eval, const TsConst *opaque, const TsConst *const *values, guint n)
{
  gboolean holds = FALSE;

  for (guint i = 0; i < n; i++)
    holds = holds || values[i]->height > 0 || values[i]->kind == TS_CONST_INSTANCE || values[i]->self != NULL;
  if (opaque->kind == TS_CONST_OPAQUE && holds && opaque->self == NULL)
    {
      TsConst *copy = ts_const_new (eval, TS_CONST_OPAQUE);

      *copy = *opaque;
      copy->self = ts_const_items (eval, TS_CONST_TUPLE, values, n);
      return copy;
    }
  return opaque;
}

void
ts_eval_open_environment (TsEval *eval)
{
  eval->environment_is_open = TRUE;
  g_hash_table_remove_all (eval->environment);
}

void
ts_scope_open_name (TsEval *eval, TsScope *scope, const char *name, const TsConst *why)
{
  gboolean is_bound = FALSE;
  TsScope *outermost = scope;

  for (; scope != NULL; scope = scope->up)
    {
      outermost = scope;
      if (ts_scope_get (scope, name) == NULL)
        continue;
      ts_scope_set (scope, name, why);
      is_bound = TRUE;
    }
  if (is_bound)
    return;
  if (outermost->open_names == NULL)
    outermost->open_names = ts_eval_table (eval);
  g_hash_table_replace (outermost->open_names, (gpointer) name, (gpointer) why);
}

void
ts_scope_open (TsEval *eval, TsScope *scope, guint32 offset, const char *why)
{
  const TsConst *opaque = ts_const_opaque (eval, scope, offset, "%s", why);

  for (; scope != NULL; scope = scope->up)
    {
      open_names (scope, opaque);
      scope->open = scope->open != NULL ? scope->open : opaque;
    }
}

const TsConst *
ts_eval_perhaps_bound (TsScope *scope, const char *name)
{
  for (; scope != NULL; scope = scope->up)
    {
      const TsConst *why = scope->open_names != NULL ? g_hash_table_lookup (scope->open_names, name) : NULL;

      if (why != NULL || scope->open != NULL)
        return why != NULL ? why : scope->open;
    }
  return NULL;
}

/* --- containers ---------------------------------------------------------------------------------------------------------- */

static gboolean
reaches (const TsConst *value, const TsConst *wanted, guint *budget)
{
  if (value == wanted || *budget == 0)
    return TRUE;
  (*budget)--;
  for (guint i = 0; (ts_const_is_sequence (value) || value->kind == TS_CONST_DICT) && i < value->n; i++)
    if (reaches (value->items[i], wanted, budget))
      return TRUE;
  return FALSE;
}

/* The container gets other items. FALSE, and the container is left alone, when it would get too large or hold itself. */
static gboolean
refill (TsEval *eval, const TsConst *container, const GPtrArray *items)
{
  TsConst *changed = (TsConst *) container;
  guint height = 1, budget = MAX_REACHED;

  ts_eval_charge (eval, items->len, ITEMS_PER_STEP);
  if (items->len > (container->kind == TS_CONST_DICT ? 2 : 1) * TS_EVAL_ITEMS)
    return FALSE;
  for (guint i = 0; i < items->len; i++)
    {
      const TsConst *item = items->pdata[i];

      if (item->height > 0 && reaches (item, container, &budget))
        return FALSE;
      height = MAX (height, item->height + 1u);
    }
  if (height > MAX (container->height, 2))
    eval->growth += height - MAX (container->height, 2);
  if (height > TS_EVAL_HEIGHT || eval->growth > MAX_GROWTH)
    return FALSE;
  changed->height = (guint16) MAX (height, container->height);
  changed->n = items->len;
  changed->items = ts_arena_memdup (eval->arena, items->pdata, sizeof (gpointer) * items->len);
  return TRUE;
}

static GPtrArray *
items_of (const TsConst *container)
{
  GPtrArray *items = g_ptr_array_sized_new (container->n + 1);

  for (guint i = 0; i < container->n; i++)
    g_ptr_array_add (items, (gpointer) container->items[i]);
  return items;
}

/* What can be a key, and is known to be equal to another one or not. */
static gboolean
is_key (const TsConst *key)
{
  if (key->kind == TS_CONST_LIST || key->kind == TS_CONST_DICT || key->kind == TS_CONST_OPAQUE)
    return FALSE;
  for (guint i = 0; key->kind == TS_CONST_TUPLE && i < key->n; i++)
    if (!is_key (key->items[i]))
      return FALSE;
  return TRUE;
}

/* Where the key is among the items, each `step`-th of them; -1: nowhere, -2: that is not known. */
static gint64
find_key (const TsConst *const *items, guint n, guint step, const TsConst *key)
{
  if (!is_key (key))
    return -2;
  for (guint i = 0; i < n; i += step)
    {
      gint same = items[i]->kind == key->kind && key->kind == TS_CONST_STRING ? items[i]->text == key->text
                                                                              : ts_const_equal (items[i], key);

      if (same != 0)
        return same > 0 ? (gint64) i : -2;
    }
  return -1;
}

gboolean
ts_const_put (TsEval *eval, GPtrArray *entries, const TsConst *key, const TsConst *value)
{
  gint64 at = find_key ((const TsConst *const *) entries->pdata, entries->len, 2, key);

  ts_eval_charge (eval, entries->len / 2, ITEMS_PER_STEP);
  if (at >= 0)
    entries->pdata[at + 1] = (gpointer) value;
  else if (at == -1)
    {
      g_ptr_array_add (entries, (gpointer) key);
      g_ptr_array_add (entries, (gpointer) value);
    }
  return at != -2;
}

gboolean
ts_const_put_all (TsEval *eval, GPtrArray *entries, const TsConst *other)
{
  const TsConst *pairs = other->kind == TS_CONST_DICT ? NULL : ts_const_iterate (eval, other);

  if (other->kind == TS_CONST_DICT)
    {
      for (guint i = 0; i < other->n; i += 2)
        if (!ts_const_put (eval, entries, other->items[i], other->items[i + 1]))
          return FALSE;
      return TRUE;
    }
  for (guint i = 0; pairs != NULL && i < pairs->n; i++)
    {
      const TsConst *pair = pairs->items[i];

      if (!ts_const_is_sequence (pair) || pair->n != 2 || !ts_const_put (eval, entries, pair->items[0], pair->items[1]))
        return FALSE;
    }
  return pairs != NULL;
}

gboolean
ts_const_put_member (TsEval *eval, GPtrArray *members, const TsConst *member)
{
  gint64 at = find_key ((const TsConst *const *) members->pdata, members->len, 1, member);

  ts_eval_charge (eval, members->len, ITEMS_PER_STEP);
  if (at == -1)
    g_ptr_array_add (members, (gpointer) member);
  return at != -2;
}

/* --- methods ------------------------------------------------------------------------------------------------------------- */

/* One change: the items in `items` become those it has afterwards. NULL: it is not followed. */
typedef const TsConst *(*Change) (const TsBuiltinCall *call, GPtrArray *items);

static const TsConst *
change_append (const TsBuiltinCall *call, GPtrArray *items)
{
  if (call->arguments->n != 1 || ts_builtin_argument (call, 0) == NULL)
    return NULL;
  g_ptr_array_add (items, (gpointer) ts_builtin_argument (call, 0));
  return call->eval->none;
}

static const TsConst *
change_extend (const TsBuiltinCall *call, GPtrArray *items)
{
  const TsConst *more = ts_builtin_argument (call, 0) != NULL ? ts_const_iterate (call->eval, ts_builtin_argument (call, 0)) : NULL;

  for (guint i = 0, n = more != NULL ? more->n : 0; i < n; i++)
    g_ptr_array_add (items, (gpointer) more->items[i]);
  return more != NULL ? call->eval->none : NULL;
}

static const TsConst *
change_insert (const TsBuiltinCall *call, GPtrArray *items)
{
  const TsConst *at = ts_builtin_argument (call, 0), *value = ts_builtin_argument (call, 1);
  gint64 i;

  if (at == NULL || value == NULL || at->kind != TS_CONST_INT)
    return NULL;
  i = CLAMP (at->i < 0 ? at->i + (gint64) items->len : at->i, 0, (gint64) items->len);
  g_ptr_array_insert (items, (gint) i, (gpointer) value);
  return call->eval->none;
}

static const TsConst *
change_pop (const TsBuiltinCall *call, GPtrArray *items)
{
  const TsConst *at = ts_builtin_argument (call, 0);
  gint64 i = at != NULL && at->kind == TS_CONST_INT ? at->i : -1;

  if (at != NULL && at->kind != TS_CONST_INT)
    return NULL;
  i = i < 0 ? i + (gint64) items->len : i;
  return i >= 0 && i < (gint64) items->len ? g_ptr_array_remove_index (items, (guint) i) : NULL;
}

static const TsConst *
change_remove (const TsBuiltinCall *call, GPtrArray *items)
{
  const TsConst *value = ts_builtin_argument (call, 0);

  for (guint i = 0; value != NULL && i < items->len; i++)
    {
      gint same = ts_const_equal (items->pdata[i], value);

      if (same < 0)
        return NULL;
      if (same == 1)
        {
          g_ptr_array_remove_index (items, i);
          return call->eval->none;
        }
    }
  return NULL;
}

static const TsConst *
change_clear (const TsBuiltinCall *call, GPtrArray *items)
{
  g_ptr_array_set_size (items, 0);
  return call->eval->none;
}

static const TsConst *
change_reverse (const TsBuiltinCall *call, GPtrArray *items)
{
  for (guint i = 0; i < items->len / 2; i++)
    {
      gpointer first = items->pdata[i];

      items->pdata[i] = items->pdata[items->len - 1 - i];
      items->pdata[items->len - 1 - i] = first;
    }
  return call->eval->none;
}

static const TsConst *
change_sort (const TsBuiltinCall *call, GPtrArray *items)
{
  const TsConst *list = ts_const_items (call->eval, TS_CONST_LIST, (const TsConst *const *) items->pdata, items->len);
  TsBuiltinCall sorting = *call;
  TsArguments arguments = { g_new (const TsConst *, call->arguments->n + 1), g_new (const char *, call->arguments->n + 1),
                            call->arguments->n + 1, 1 };
  const TsConst *sorted = NULL;

  arguments.items[0] = list;
  arguments.keywords[0] = NULL;
  for (guint i = 0; i < call->arguments->n; i++)
    {
      arguments.items[i + 1] = call->arguments->items[i];
      arguments.keywords[i + 1] = call->arguments->keywords[i];
    }
  sorting.arguments = &arguments;
  if (call->arguments->n_positional == 0)
    sorted = ts_builtin_sorted (&sorting);
  for (guint i = 0; sorted != NULL && i < items->len; i++)
    items->pdata[i] = (gpointer) sorted->items[i];
  ts_arguments_clear (&arguments);
  return sorted != NULL ? call->eval->none : NULL;
}

static const TsConst *
change_add (const TsBuiltinCall *call, GPtrArray *items)
{
  const TsConst *member = ts_builtin_argument (call, 0);

  return member != NULL && ts_const_put_member (call->eval, items, member) ? call->eval->none : NULL;
}

static const TsConst *
change_discard (const TsBuiltinCall *call, GPtrArray *items)
{
  const TsConst *member = ts_builtin_argument (call, 0);
  gint64 at = member != NULL ? find_key ((const TsConst *const *) items->pdata, items->len, 1, member) : -2;

  if (at >= 0)
    g_ptr_array_remove_index (items, (guint) at);
  return at != -2 ? call->eval->none : NULL;
}

static const TsConst *
change_join (const TsBuiltinCall *call, GPtrArray *items)
{
  for (guint k = 0; k < call->arguments->n; k++)
    {
      const TsConst *more = ts_const_members (call->eval, call->arguments->items[k]);

      for (guint i = 0, n = more != NULL ? more->n : 0; i < n; i++)
        if (!ts_const_put_member (call->eval, items, more->items[i]))
          return NULL;
      if (more == NULL)
        return NULL;
    }
  return call->eval->none;
}

/* d.update (other), d.update (pairs), d.update (a=1) */
static const TsConst *
change_update (const TsBuiltinCall *call, GPtrArray *items)
{
  const TsConst *other = ts_builtin_argument (call, 0);

  if (call->arguments->n_positional > 1 || (other != NULL && !ts_const_put_all (call->eval, items, other)))
    return NULL;
  for (guint i = call->arguments->n_positional; i < call->arguments->n; i++)
    if (!ts_const_put (call->eval, items, ts_const_text (call->eval, TS_CONST_STRING, call->arguments->keywords[i]),
                       call->arguments->items[i]))
      return NULL;
  return call->eval->none;
}

static const TsConst *
change_pop_key (const TsBuiltinCall *call, GPtrArray *items)
{
  const TsConst *key = ts_builtin_argument (call, 0), *value;
  gint64 at = key != NULL ? find_key ((const TsConst *const *) items->pdata, items->len, 2, key) : -2;

  if (at < 0)
    return at == -1 ? ts_builtin_argument (call, 1) : NULL;
  value = items->pdata[at + 1];
  g_ptr_array_remove_range (items, (guint) at, 2);
  return value;
}

static const TsConst *
change_setdefault (const TsBuiltinCall *call, GPtrArray *items)
{
  const TsConst *key = ts_builtin_argument (call, 0), *given = ts_builtin_argument (call, 1);
  const TsConst *value = given != NULL ? given : call->eval->none;
  gint64 at = key != NULL ? find_key ((const TsConst *const *) items->pdata, items->len, 2, key) : -2;

  if (at >= 0)
    return items->pdata[at + 1];
  return at == -1 && ts_const_put (call->eval, items, key, value) ? value : NULL;
}

enum { OF_LIST, OF_SET, OF_DICT };

static const struct { const char *name; guint8 of; Change change; } changes[] = {
  { ".append", OF_LIST, change_append }, { ".extend", OF_LIST, change_extend }, { ".insert", OF_LIST, change_insert },
  { ".pop", OF_LIST, change_pop }, { ".remove", OF_LIST, change_remove }, { ".clear", OF_LIST, change_clear },
  { ".reverse", OF_LIST, change_reverse }, { ".sort", OF_LIST, change_sort },
  { ".add", OF_SET, change_add }, { ".discard", OF_SET, change_discard }, { ".remove", OF_SET, change_remove },
  { ".update", OF_SET, change_join }, { ".clear", OF_SET, change_clear },
  { ".update", OF_DICT, change_update }, { ".pop", OF_DICT, change_pop_key }, { ".setdefault", OF_DICT, change_setdefault },
  { ".clear", OF_DICT, change_clear },
};

gboolean
ts_eval_changes (const char *method)
{
  static const char *const methods[] = {
    "append", "extend", "insert", "remove", "pop", "popitem", "clear", "sort", "reverse", "update", "setdefault", "add", "discard",
    "intersection_update", "difference_update", "symmetric_difference_update", "__setitem__", "__delitem__", "__iadd__", "__ior__",
    "__imul__", "__setattr__", "__delattr__", "__init__", NULL,
  };

  return g_strv_contains (methods, method);
}

const TsConst *
ts_builtin_change (const TsBuiltinCall *call)
{
  const TsConst *self = call->self, *result = NULL;
  guint of = self->kind == TS_CONST_DICT ? OF_DICT : self->detail == TS_ITEMS_SET ? OF_SET : OF_LIST;
  g_autoptr (GPtrArray) items = NULL;

  if (self->kind != TS_CONST_DICT && self->kind != TS_CONST_LIST)
    return NULL;
  items = items_of (self);
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    if (changes[i].of == of && strcmp (changes[i].name, call->name) == 0)
      result = changes[i].change (call, items);
  if (result != NULL && refill (call->eval, self, items))
    return result;
  ts_const_open (call->eval, call->scope, call->offset, self, "changed in place by '%s'", call->name + 1);
  return NULL;
}

/* --- entries and attributes ---------------------------------------------------------------------------------------------- */

static gboolean
set_item (TsEval *eval, const TsConst *list, const TsConst *key, const TsConst *value)
{
  g_autoptr (GPtrArray) items = items_of (list);
  gint64 i;

  if (key->kind != TS_CONST_INT || list->detail != TS_ITEMS_PLAIN)
    return FALSE;
  i = key->i < 0 ? key->i + list->n : key->i;
  if (i < 0 || i >= list->n)
    return FALSE;
  if (value != NULL)
    items->pdata[i] = (gpointer) value;
  else
    g_ptr_array_remove_index (items, (guint) i);
  return refill (eval, list, items);
}

static gboolean
set_key (TsEval *eval, const TsConst *dict, const TsConst *key, const TsConst *value)
{
  g_autoptr (GPtrArray) items = items_of (dict);
  gint64 at;

  if (value != NULL)
    return ts_const_put (eval, items, key, value) && refill (eval, dict, items);
  at = find_key ((const TsConst *const *) items->pdata, items->len, 2, key);
  if (at < 0)
    return FALSE;
  g_ptr_array_remove_range (items, (guint) at, 2);
  return refill (eval, dict, items);
}

/* os.environ["N"] = text */
static void
set_variable (TsEval *eval, TsScope *scope, guint32 offset, const TsConst *key, const TsConst *value)
{
  if (key->kind != TS_CONST_STRING)
    ts_eval_open_environment (eval);
  else if (value != NULL)
    g_hash_table_replace (eval->environment, (gpointer) key->text, (gpointer) value);
  else
    g_hash_table_replace (eval->environment, (gpointer) key->text,
                          (gpointer) ts_const_opaque (eval, scope, offset, "the file deletes the variable '%s'", key->text));
}

void
ts_eval_set_entry (TsEval *eval, TsScope *scope, const TsNode *node, const TsConst *container, const TsConst *key,
                   const TsConst *value)
{
  gboolean done = FALSE;

  switch ((TsConstKind) container->kind)
    {
    case TS_CONST_LIST:
      done = set_item (eval, container, key, value);
      break;
    case TS_CONST_DICT:
      done = set_key (eval, container, key, value);
      break;
    case TS_CONST_MODULE:
      done = container->scope == NULL;
      if (done && g_strcmp0 (container->text, "os.environ") == 0)
        set_variable (eval, scope, node->offset, key, value);
      else if (key->kind == TS_CONST_STRING && container->scope != NULL)
        {
          ts_scope_set (container->scope, key->text,
                        ts_const_opaque (eval, scope, node->offset, "'%s' is set by its name as text", key->text));
          done = TRUE;
        }
      break;
    default:
      break;
    }
  if (!done)
    ts_const_open (eval, scope, node->offset, container, "an entry is changed in place");
}

gboolean
ts_eval_set_attribute (TsEval *eval, TsScope *scope, guint32 offset, const TsConst *object, const char *name, const TsConst *value)
{
  const char *interned = ts_eval_intern (eval, name);
  const TsConst *member;

  switch ((TsConstKind) object->kind)
    {
    case TS_CONST_INSTANCE:
      member = object->class != NULL ? ts_class_member (eval, object->class, interned) : NULL;
      if (object->fields == NULL || value == NULL || (member != NULL && member->kind == TS_CONST_FUNCTION)
          || (object->class != NULL && ts_class_member (eval, object->class, ts_eval_intern (eval, "__setattr__")) != NULL))
        ts_const_open (eval, scope, offset, object, "its attribute '%s' is set in a way that is not followed", name);
      else
        g_hash_table_replace (object->fields, (gpointer) interned, (gpointer) value);
      return TRUE;
    case TS_CONST_CLASS:
      if (value == NULL || object->class->is_enum || object->class->is_data)
        value = ts_const_opaque (eval, scope, offset, "'%s' of the class %s is set from outside", name, object->class->name);
      ts_scope_set (object->class->members, interned, value);
      return TRUE;
    case TS_CONST_MODULE:
      if (object->scope != NULL)
        ts_scope_set (object->scope, interned,
                      value != NULL ? value : ts_const_opaque (eval, scope, offset, "'%s' is deleted", name));
      return TRUE;
    default:
      return FALSE;
    }
}

const TsConst *
ts_eval_augment (TsEval *eval, TsScope *scope, const TsNode *node, guint8 op, const TsConst *a, const TsConst *b)
{
  g_autoptr (GPtrArray) items = NULL;
  const TsConst *result, *more;

  if (a->kind != TS_CONST_LIST && a->kind != TS_CONST_DICT && a->kind != TS_CONST_INSTANCE)
    return NULL;
  if (a->kind == TS_CONST_LIST && a->detail == TS_ITEMS_PLAIN && op == TS_OPERATOR_ADD
      && (more = ts_const_iterate (eval, b)) != NULL)
    {
      items = items_of (a);
      for (guint i = 0, n = more->n; i < n; i++)
        g_ptr_array_add (items, (gpointer) more->items[i]);
      if (refill (eval, a, items))
        return a;
    }
  else if (a->kind == TS_CONST_LIST && a->detail == TS_ITEMS_PLAIN && op == TS_OPERATOR_MUL)
    {
      result = ts_eval_operator (eval, scope, node, op, a, b);
      if (result->kind == TS_CONST_LIST)
        {
          *(TsConst *) a = *result;
          return a;
        }
    }
  ts_const_open (eval, scope, node->offset, a, "changed in place");
  return a->kind == TS_CONST_OPAQUE ? a : ts_const_opaque (eval, scope, node->offset, "changed in place");
}
