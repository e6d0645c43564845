/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Life of an evaluator; values; scopes. */
#include <math.h>
#include <string.h>

#include "lang/pypto/eval-private.h"

TsConst *
ts_const_new (TsEval *eval, TsConstKind kind)
{
  TsConst *value = ts_arena_new0 (eval->arena, TsConst);

  value->kind = (guint8) kind;
  return value;
}

const TsConst *
ts_const_int (TsEval *eval, gint64 i)
{
  TsConst *value = ts_const_new (eval, TS_CONST_INT);

  value->i = i;
  return value;
}

const TsConst *
ts_const_bool (TsEval *eval, gboolean b)
{
  TsConst *value = ts_const_new (eval, TS_CONST_BOOL);

  value->i = b ? 1 : 0;
  return value;
}

const TsConst *
ts_const_float (TsEval *eval, double f)
{
  TsConst *value = ts_const_new (eval, TS_CONST_FLOAT);

  value->f = f;
  return value;
}

const TsConst *
ts_const_text (TsEval *eval, TsConstKind kind, const char *text)
{
  TsConst *value = ts_const_new (eval, kind);

  value->text = ts_eval_intern (eval, text);
  return value;
}

const TsConst *
ts_const_items (TsEval *eval, TsConstKind kind, const TsConst *const *items, guint n)
{
  TsConst *value = ts_const_new (eval, kind);

  value->height = 1;
  for (guint i = 0; i < n; i++)
    value->height = MAX (value->height, items[i]->height + 1);
  if (value->height > TS_EVAL_HEIGHT)
    {
      value->kind = TS_CONST_OPAQUE;
      value->text = ts_eval_intern (eval, "a value nested too deeply");
      value->height = 0;
      return value;
    }
  ts_eval_charge (eval, n, TS_EVAL_ITEMS_PER_STEP);
  value->n = n;
  value->items = ts_arena_memdup (eval->arena, items, sizeof (gpointer) * n);
  return value;
}

static TsConst *opaque_value (TsEval *eval, TsScope *scope, guint32 offset, const char *format, va_list args) G_GNUC_PRINTF (4, 0);

static TsConst *
opaque_value (TsEval *eval, TsScope *scope, guint32 offset, const char *format, va_list args)
{
  TsConst *value = ts_const_new (eval, TS_CONST_OPAQUE);
  g_autofree char *reason = g_strdup_vprintf (format, args);

  value->text = ts_eval_intern (eval, reason);
  value->source = scope->source;
  value->offset = offset;
  return value;
}

const TsConst *
ts_const_opaque (TsEval *eval, TsScope *scope, guint32 offset, const char *format, ...)
{
  const TsConst *value;
  va_list args;

  va_start (args, format);
  value = opaque_value (eval, scope, offset, format, args);
  va_end (args);
  return value;
}

const TsConst *
ts_const_raises (TsEval *eval, TsScope *scope, guint32 offset, const char *format, ...)
{
  TsConst *value;
  va_list args;

  va_start (args, format);
  value = opaque_value (eval, scope, offset, format, args);
  va_end (args);
  value->detail = TS_OPAQUE_RAISES;
  return value;
}

char *
ts_const_reason (const TsConst *value)
{
  TsPlace place;

  if (value->source == NULL)
    return g_strdup (value->text);
  place = ts_source_place (value->source, value->offset);
  return g_strdup_printf ("%s:%u: %s", ts_source_name (value->source), place.line, value->text);
}

const char *
ts_const_kind_name (const TsConst *value)
{
  static const char *const names[] = {
    [TS_CONST_OPAQUE] = "a value that is not known", [TS_CONST_NONE] = "None", [TS_CONST_BOOL] = "a bool",
      [TS_CONST_INT] = "an integer",
    [TS_CONST_FLOAT] = "a float", [TS_CONST_STRING] = "a string", [TS_CONST_TUPLE] = "a tuple", [TS_CONST_LIST] = "a list",
    [TS_CONST_DICT] = "a dictionary", [TS_CONST_DTYPE] = "an element type", [TS_CONST_ENUM] = "an enumeration value",
    [TS_CONST_DYNAMIC] = "a dynamic dimension", [TS_CONST_SYNTAX] = "a type", [TS_CONST_FUNCTION] = "a Python function",
    [TS_CONST_KERNEL] = "a kernel", [TS_CONST_CLASS] = "a class", [TS_CONST_INSTANCE] = "an object", [TS_CONST_MODULE] = "a module",
    [TS_CONST_PARSER] = "a parser of the command line", [TS_CONST_BUILTIN] = "a Python function",
  };

  return names[value->kind];
}

/* Has the class, or one it is made from, a method of this name? */
static gboolean
class_defines (TsClass *class, const char *name)
{
  GHashTableIter iter;
  gpointer key;

  for (guint depth = 0; class != NULL && depth < TS_EVAL_DEPTH; class = class->base, depth++)
    {
      g_hash_table_iter_init (&iter, class->members->names);
      while (g_hash_table_iter_next (&iter, &key, NULL))
        if (strcmp (key, name) == 0)
          return TRUE;
    }
  return FALSE;
}

static gboolean
is_foreign (const TsClass *class)
{
  for (guint depth = 0; class != NULL && depth < TS_EVAL_DEPTH; class = class->base, depth++)
    if (class->is_foreign || class->is_tuple || class->is_number)
      return TRUE;
  return FALSE;
}

const TsConst *
ts_const_plain (const TsConst *value)
{
  return value->kind == TS_CONST_INSTANCE && value->class != NULL && value->class->is_number && value->self != NULL
           ? value->self : value;
}

const char *
ts_const_member_name (TsEval *eval, const TsConst *value)
{
  const TsConst *name = NULL;
  g_autofree char *full = NULL;

  if (value->kind == TS_CONST_INSTANCE && value->class != NULL && value->class->is_enum && value->fields != NULL)
    name = g_hash_table_lookup (value->fields, ts_eval_intern (eval, "name"));
  if (name == NULL || name->kind != TS_CONST_STRING)
    return NULL;
  full = g_strconcat (value->class->name, ".", name->text, NULL);
  return ts_eval_intern (eval, full);
}

static gint
instance_truth (const TsConst *value)
{
  TsClass *class = value->class;

  if (class == NULL || (!is_foreign (class) && !class_defines (class, "__bool__") && !class_defines (class, "__len__")))
    return 1;
  return -1;
}

const TsConst *
ts_const_undecided (TsEval *eval, TsScope *scope, guint32 offset, const TsConst *value)
{
  return value->kind == TS_CONST_OPAQUE ? value
                                        : ts_const_opaque (eval, scope, offset, "the truth of %s", ts_const_kind_name (value));
}

gint
ts_const_truth (const TsConst *value)
{
  switch ((TsConstKind) value->kind)
    {
    case TS_CONST_NONE: return 0;
    case TS_CONST_BOOL:
    case TS_CONST_INT: return value->i != 0;
    case TS_CONST_FLOAT: return value->f != 0;
    case TS_CONST_STRING: return value->text[0] != '\0';
    case TS_CONST_TUPLE:
    case TS_CONST_LIST:
    case TS_CONST_DICT: return value->n > 0 || value->detail == TS_ITEMS_ITERATOR;
    case TS_CONST_INSTANCE: return ts_const_plain (value) != value ? ts_const_truth (value->self) : instance_truth (value);
    case TS_CONST_OPAQUE: return -1;
    default: return 1;
    }
}

/* Pairs that one comparison looks at: values may share their parts, so that a small file holds a value of any size. */
#define MAX_COMPARED 1000000u

static gint equal_within (const TsConst *a, const TsConst *b, guint *budget, guint depth);

/* An integer and a float are compared exactly: not every integer is a float. */
static gint
equal_numbers (const TsConst *a, const TsConst *b)
{
  if (a->kind == TS_CONST_FLOAT && b->kind == TS_CONST_FLOAT)
    return a->f == b->f;
  if (a->kind == TS_CONST_FLOAT)
    return equal_numbers (b, a);
  if (b->kind == TS_CONST_FLOAT)
    return b->f >= -9223372036854775808.0 && b->f < 9223372036854775808.0 && (double) (gint64) b->f == b->f
           && (gint64) b->f == a->i;
  return a->i == b->i;
}

/* Sets and dictionaries: every entry of one is in the other, and there are as many. */
static gint
equal_entries (const TsConst *a, const TsConst *b, guint *budget, guint depth)
{
  guint step = a->kind == TS_CONST_DICT ? 2 : 1;

  if (a->n != b->n)
    return 0;
  for (guint i = 0; i < a->n; i += step)
    {
      gint found = 0;

      for (guint j = 0; j < b->n && found == 0; j += step)
        {
          found = equal_within (a->items[i], b->items[j], budget, depth);
          if (found == 1 && step == 2)
            {
              found = equal_within (a->items[i + 1], b->items[j + 1], budget, depth);
              if (found == 0)
                return 0;
            }
        }
      if (found != 1)
        return found;
    }
  return 1;
}

static gint
equal_sequences (const TsConst *a, const TsConst *b, guint *budget, guint depth)
{
  if (a->detail != b->detail)
    return a->detail > TS_ITEMS_SET || b->detail > TS_ITEMS_SET ? -1 : 0;
  if (a->detail > TS_ITEMS_SET)
    return -1;
  if (a->detail == TS_ITEMS_SET)
    return equal_entries (a, b, budget, depth);
  if (a->n != b->n)
    return 0;
  for (guint i = 0; i < a->n; i++)
    {
      gint same = a->items[i] == b->items[i] && a->items[i]->kind != TS_CONST_OPAQUE
                    ? 1 : equal_within (a->items[i], b->items[i], budget, depth);

      if (same != 1)
        return same;
    }
  return 1;
}

/* Dataclasses are equal when their fields are; other objects are only equal to themselves, unless their class says more. */
static gint
equal_objects (const TsConst *a, const TsConst *b, guint *budget, guint depth)
{
  TsClass *class = a->class;

  if (class != b->class)
    return class == NULL || b->class == NULL || is_foreign (class) || is_foreign (b->class) || class_defines (class, "__eq__")
               || class_defines (b->class, "__eq__") ? -1 : 0;
  if (class == NULL || is_foreign (class) || class_defines (class, "__eq__"))
    return -1;
  if (!class->is_data || class->has_identity)
    return 0;
  for (guint i = 0; i < class->fields->len; i++)
    {
      const TsConst *x = g_hash_table_lookup (a->fields, class->fields->pdata[i]);
      const TsConst *y = g_hash_table_lookup (b->fields, class->fields->pdata[i]);
      gint same = x != NULL && y != NULL ? equal_within (x, y, budget, depth) : -1;

      if (same != 1)
        return same;
    }
  return 1;
}

/* Two of different kinds: never equal, but for objects that may say otherwise. */
static gint
equal_kinds (const TsConst *a, const TsConst *b)
{
  const TsConst *object = a->kind == TS_CONST_INSTANCE ? a : b->kind == TS_CONST_INSTANCE ? b : NULL;

  if (a->kind == TS_CONST_OPAQUE || b->kind == TS_CONST_OPAQUE)
    return -1;
  if (object == NULL)
    return 0;
  return object->class != NULL && !is_foreign (object->class) && !class_defines (object->class, "__eq__") ? 0 : -1;
}

static gint
equal_within (const TsConst *a, const TsConst *b, guint *budget, guint depth)
{
  a = ts_const_plain (a);
  b = ts_const_plain (b);
  if (ts_const_is_number (a) && ts_const_is_number (b))
    return equal_numbers (a, b);
  if (a->kind != b->kind)
    return equal_kinds (a, b);
  if (*budget == 0 || depth > TS_EVAL_HEIGHT)
    return -1;
  (*budget)--;
  switch ((TsConstKind) a->kind)
    {
    case TS_CONST_NONE: return 1;
    case TS_CONST_STRING:
    case TS_CONST_ENUM: return strcmp (a->text, b->text) == 0;
    case TS_CONST_DYNAMIC: return strcmp (a->text, b->text) == 0 ? 1 : -1;
    case TS_CONST_DTYPE: return a->detail == b->detail;
    case TS_CONST_TUPLE:
    case TS_CONST_LIST: return a == b ? 1 : equal_sequences (a, b, budget, depth + 1);
    case TS_CONST_DICT: return a == b ? 1 : equal_entries (a, b, budget, depth + 1);
    case TS_CONST_CLASS: return a->class == b->class;
    case TS_CONST_INSTANCE:
      if (a == b && a->class != NULL && !is_foreign (a->class) && !class_defines (a->class, "__eq__"))
        return 1;
      return equal_objects (a, b, budget, depth + 1);
    case TS_CONST_OPAQUE: return -1;
    default: return a == b ? 1 : -1;
    }
}

gint
ts_const_equal (const TsConst *a, const TsConst *b)
{
  guint budget = MAX_COMPARED;

  return equal_within (a, b, &budget, 0);
}

gboolean
ts_const_order (const TsConst *a, const TsConst *b, gint *order)
{
  a = ts_const_plain (a);
  b = ts_const_plain (b);
  if (ts_const_is_number (a) && ts_const_is_number (b))
    {
      double x = ts_const_as_double (a), y = ts_const_as_double (b);

      if (a->kind != TS_CONST_FLOAT && b->kind != TS_CONST_FLOAT)
        *order = (a->i > b->i) - (a->i < b->i);
      else
        *order = (x > y) - (x < y);
      return !isnan (x) && !isnan (y);
    }
  if (a->kind == TS_CONST_STRING && b->kind == TS_CONST_STRING)
    {
      *order = strcmp (a->text, b->text);
      *order = (*order > 0) - (*order < 0);
      return TRUE;
    }
  /* The first two that differ decide. */
  if (a->kind != b->kind || !ts_const_is_sequence (a) || a->detail != TS_ITEMS_PLAIN || b->detail != TS_ITEMS_PLAIN)
    return FALSE;
  for (guint i = 0; i < MIN (a->n, b->n); i++)
    {
      gint same = ts_const_equal (a->items[i], b->items[i]);

      if (same != 1)
        return same == 0 && !ts_const_is_sequence (a->items[i]) && ts_const_order (a->items[i], b->items[i], order);
    }
  *order = (a->n > b->n) - (a->n < b->n);
  return TRUE;
}

const TsConst *
ts_const_members (TsEval *eval, const TsConst *value)
{
  return ts_const_is_sequence (value) ? value : ts_const_iterate (eval, value);
}

const TsConst *
ts_const_iterate (TsEval *eval, const TsConst *value)
{
  g_autoptr (GPtrArray) items = NULL;

  /* The order of a set is the interpreter's own. */
  if (ts_const_is_sequence (value))
    return value->detail == TS_ITEMS_SET && value->n > 1 ? NULL : value;
  items = g_ptr_array_new ();
  if (value->kind == TS_CONST_DICT)
    for (guint i = 0; i < value->n; i += 2)
      g_ptr_array_add (items, (gpointer) value->items[i]);
  else if (value->kind == TS_CONST_STRING)
    for (const char *p = value->text; *p != '\0'; p = g_utf8_next_char (p))
      {
        g_autofree char *letter = g_strndup (p, (gsize) (g_utf8_next_char (p) - p));

        g_ptr_array_add (items, (gpointer) ts_const_text (eval, TS_CONST_STRING, letter));
      }
  else
    return NULL;
  return ts_const_items (eval, TS_CONST_LIST, (const TsConst *const *) items->pdata, items->len);
}

/* --- scopes -------------------------------------------------------------------------------------------------------------- */

const char *
ts_eval_intern (TsEval *eval, const char *text)
{
  return ts_intern (eval->strings, text);
}

GHashTable *
ts_eval_table (TsEval *eval)
{
  GHashTable *table = g_hash_table_new (NULL, NULL);

  g_ptr_array_add (eval->tables, table);
  return table;
}

TsScope *
ts_scope_new (TsEval *eval, TsScope *up, TsSource *source)
{
  TsScope *scope = ts_arena_new0 (eval->arena, TsScope);

  scope->up = up;
  scope->names = ts_eval_table (eval);
  scope->source = source;
  scope->module = up != NULL ? up->module : "";
  return scope;
}

TsSource *
ts_scope_source (const TsScope *scope)
{
  return scope->source;
}

void
ts_scope_set (TsScope *scope, const char *name, const TsConst *value)
{
  g_hash_table_replace (scope->names, (gpointer) name, (gpointer) value);
}

const TsConst *
ts_scope_get (TsScope *scope, const char *name)
{
  return g_hash_table_lookup (scope->names, name);
}

TsScope *
ts_scope_home (TsScope *scope, const char *name)
{
  TsScope *home = scope->elsewhere != NULL ? g_hash_table_lookup (scope->elsewhere, name) : NULL;

  return home != NULL ? home : scope;
}

static gint
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

void
ts_scope_foreach (TsScope *scope, void (*visit) (const char *name, gpointer data), gpointer data)
{
  for (; scope != NULL; scope = scope->up)
    {
      /* Hash tables keep no order; texts must come in one. */
      g_autoptr (GPtrArray) names = g_ptr_array_new ();
      GHashTableIter iter;
      gpointer name;

      g_hash_table_iter_init (&iter, scope->names);
      while (g_hash_table_iter_next (&iter, &name, NULL))
        g_ptr_array_add (names, name);
      g_ptr_array_sort (names, by_text);
      for (guint i = 0; i < names->len; i++)
        visit (names->pdata[i], data);
    }
}

gboolean
ts_eval_step (TsEval *eval)
{
  return eval->steps < eval->most_steps && ++eval->steps < eval->most_steps;
}

void
ts_eval_renew_steps (TsEval *eval)
{
  eval->total_steps += eval->steps;
  eval->steps = eval->forget_steps = 0;
  eval->failure = NULL;
  if (eval->total_steps < TS_EVAL_TOTAL_STEPS)
    eval->most_steps = TS_EVAL_STEPS;
  else
    eval->most_steps = eval->total_steps < 2 * TS_EVAL_TOTAL_STEPS ? TS_EVAL_LEAST_STEPS : 0;
}

void
ts_eval_charge (TsEval *eval, guint n, guint per_step)
{
  eval->steps = MIN (eval->most_steps, eval->steps + n / per_step);
}

const TsConst *
ts_eval_exhausted (TsEval *eval, TsScope *scope, guint32 offset)
{
  if (eval->failure != NULL)
    return eval->failure;
  if (eval->most_steps < TS_EVAL_STEPS)
    eval->failure = ts_const_opaque (eval, scope, offset, "more than %u steps of evaluation over the whole file",
                                     TS_EVAL_TOTAL_STEPS);
  else
    eval->failure = ts_const_opaque (eval, scope, offset, "more than %u steps of evaluation", TS_EVAL_STEPS);
  return eval->failure;
}

const TsConst *
ts_eval_give_up (TsEval *eval, const TsConst *why)
{
  if (eval->failure == NULL)
    eval->failure = why;
  eval->steps = eval->most_steps;
  return eval->failure;
}

/* --- life ---------------------------------------------------------------------------------------------------------------- */

TsEval *
ts_eval_new (TsLexicon *lexicon, const char *const *defines, const char *folder, TsDiagList *diags)
{
  TsEval *eval = g_new0 (TsEval, 1);

  eval->lexicon = lexicon;
  eval->strings = ts_lexicon_strings (lexicon);
  eval->arena = ts_arena_new ();
  eval->diags = diags;
  eval->folder = g_strdup (folder);
  eval->defines = g_hash_table_new (NULL, NULL);
  eval->defined = g_hash_table_new (NULL, NULL);
  eval->formats = g_hash_table_new (NULL, NULL);
  eval->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  eval->tables = g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
  eval->arrays = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  eval->parsers = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_parser_free);
  eval->sources = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_source_unref);
  eval->noted = g_hash_table_new (NULL, NULL);
  eval->environment = g_hash_table_new (NULL, NULL);
  eval->forgotten = g_hash_table_new (NULL, NULL);
  eval->most_steps = TS_EVAL_STEPS;
  eval->none = ts_const_new (eval, TS_CONST_NONE);
  for (; defines != NULL && *defines != NULL; defines++)
    ts_eval_add_define (eval, *defines);
  return eval;
}

void
ts_eval_free (TsEval *eval)
{
  if (eval == NULL)
    return;
  g_hash_table_unref (eval->defines);
  g_hash_table_unref (eval->defined);
  g_hash_table_unref (eval->formats);
  g_hash_table_unref (eval->files);
  g_ptr_array_unref (eval->tables);
  g_ptr_array_unref (eval->arrays);
  g_ptr_array_unref (eval->parsers);
  g_ptr_array_unref (eval->sources);
  g_hash_table_unref (eval->noted);
  g_hash_table_unref (eval->environment);
  g_hash_table_unref (eval->forgotten);
  ts_arena_free (eval->arena);
  g_free (eval->folder);
  g_free (eval);
}

TsScope *
ts_eval_module_scope (TsEval *eval, TsSource *source)
{
  TsScope *scope = ts_scope_new (eval, NULL, source);
  g_autofree char *base = g_path_get_basename (ts_source_name (source));
  char *dot = strrchr (base, '.');

  if (dot != NULL)
    *dot = '\0';
  scope->is_module = TRUE;
  scope->module = ts_eval_intern (eval, base);
  /* Not "__main__": the part of a file that runs it is not for us. */
  ts_scope_set (scope, ts_eval_intern (eval, "__name__"), ts_const_text (eval, TS_CONST_STRING, base));
  ts_scope_set (scope, ts_eval_intern (eval, "__file__"), ts_const_text (eval, TS_CONST_STRING, ts_source_name (source)));
  return scope;
}

void
ts_eval_run_module (TsEval *eval, TsScope *scope, TsStatement *body)
{
  const TsConst *ignored;

  scope->is_running = TRUE;
  ts_eval_statements (eval, scope, body, NULL, &ignored);
  scope->is_running = FALSE;
  ts_eval_renew_steps (eval);
}

TsScope *
ts_eval_module (TsEval *eval, TsSource *source, TsStatement *body)
{
  TsScope *scope = ts_eval_module_scope (eval, source);

  ts_eval_run_module (eval, scope, body);
  return scope;
}

/* The value a factory's parameter has when nobody calls it. */
static const TsConst *
parameter_value (TsEval *eval, TsScope *scope, const TsParameter *param)
{
  const TsConst *given = ts_eval_define (eval, param->name->text);

  if (given != NULL)
    return given;
  if (param->value != NULL)
    return ts_eval_node (eval, scope, param->value);
  return ts_const_opaque (eval, scope, param->offset, "the parameter '%s' has no default", param->name->text);
}

TsScope *
ts_eval_enter (TsEval *eval, TsScope *scope, TsStatement *def, const TsStatement *until)
{
  TsScope *inner = ts_scope_new (eval, scope, scope->source);
  const TsConst *ignored;

  inner->is_factory = TRUE;
  for (const TsParameter *param = def->params; param != NULL; param = param->next)
    if (param->name != NULL)
      ts_scope_set (inner, param->name->text, parameter_value (eval, scope, param));
  ts_eval_statements (eval, inner, def->body, until, &ignored);
  return inner;
}

TsScope *
ts_eval_bind (TsEval *eval, TsScope *scope, const TsNode *target, const TsConst *value)
{
  TsScope *inner = ts_scope_new (eval, scope, scope->source);

  ts_eval_assign (eval, inner, target, value);
  return inner;
}

const TsConst *
ts_eval_lookup (TsEval *eval, TsScope *scope, TsName *name)
{
  for (TsScope *each = scope; each != NULL; each = each->up)
    {
      const TsConst *value;

      each = ts_scope_home (each, name->text);
      if ((value = ts_scope_get (each, name->text)) != NULL)
        return value;
    }
  return ts_eval_define (eval, name->text);
}
