/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The few functions of Python and its library that constants are made with: a table, one row and one function each. */
#include <string.h>

#include "base/number.h"
#include "lang/pypto/eval-private.h"

typedef const TsConst *(*Builtin) (const TsBuiltinCall *call);

const TsConst *
ts_builtin_argument (const TsBuiltinCall *call, guint i)
{
  return i < call->arguments->n_positional ? call->arguments->items[i] : NULL;
}

const TsConst *
ts_builtin_named (const TsBuiltinCall *call, const char *name)
{
  for (guint i = call->arguments->n_positional; i < call->arguments->n; i++)
    if (call->arguments->keywords[i] != NULL && strcmp (call->arguments->keywords[i], name) == 0)
      return call->arguments->items[i];
  return NULL;
}

/* --- sequences ----------------------------------------------------------------------------------------------------------- */

static const TsConst *
call_len (const TsBuiltinCall *call)
{
  const TsConst *x = ts_builtin_argument (call, 0);

  if (x != NULL && x->kind == TS_CONST_DICT)
    return ts_const_int (call->eval, x->n / 2);
  x = x != NULL ? ts_const_members (call->eval, x) : NULL;
  return x != NULL && x->detail != TS_ITEMS_ITERATOR ? ts_const_int (call->eval, x->n) : NULL;
}

static const TsConst *
call_prod (const TsBuiltinCall *call)
{
  const TsConst *x = ts_builtin_argument (call, 0), *items = x != NULL ? ts_const_iterate (call->eval, x) : NULL;
  gint64 product = 1;

  for (guint i = 0; items != NULL && i < items->n; i++)
    if (items->items[i]->kind != TS_CONST_INT || !ts_mul (product, items->items[i]->i, &product))
      return NULL;
  return items != NULL && call->arguments->n == 1 ? ts_const_int (call->eval, product) : NULL;
}

typedef struct
{
  const TsConst *key, *item;
  guint          at; /* equal ones keep their order */
} Sorted;

/* Every two were seen to have an order. */
static gint
by_key (gconstpointer a, gconstpointer b)
{
  const Sorted *x = a, *y = b;
  gint order = 0;

  ts_const_order (x->key, y->key, &order);
  return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

/* What key= makes of an item; NULL when that has no value. */
static const TsConst *
key_of (const TsBuiltinCall *call, const TsConst *item)
{
  const TsConst *key = ts_builtin_named (call, "key"), *value;
  const char *keyword = NULL;
  TsArguments arguments = { &item, &keyword, 1, 1 };

  if (key == NULL || key->kind == TS_CONST_NONE)
    return item->kind != TS_CONST_OPAQUE ? item : NULL;
  value = ts_eval_apply (call->eval, call->scope, key, &arguments, call->offset);
  return value != NULL && value->kind != TS_CONST_OPAQUE ? value : NULL;
}

/* Items with their keys, all of one kind that has an order; NULL when they are not. */
static GArray *
keyed (const TsBuiltinCall *call, const TsConst *items)
{
  g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof (Sorted));
  gint order;

  for (guint i = 0; i < items->n; i++)
    {
      Sorted one = { key_of (call, items->items[i]), items->items[i], i };

      g_array_append_val (sorted, one);
      if (one.key == NULL || !ts_const_order (one.key, g_array_index (sorted, Sorted, 0).key, &order))
        return NULL;
    }
  return g_steal_pointer (&sorted);
}

const TsConst *
ts_builtin_sorted (const TsBuiltinCall *call)
{
  const TsConst *x = ts_builtin_argument (call, 0), *items = x != NULL ? ts_const_members (call->eval, x) : NULL;
  const TsConst *reverse = ts_builtin_named (call, "reverse"), *key = ts_builtin_named (call, "key");
  g_autoptr (GArray) sorted = NULL;
  g_autoptr (GPtrArray) result = g_ptr_array_new ();
  gboolean backwards = reverse != NULL && ts_const_truth (reverse) != 0;

  if (items == NULL || call->arguments->n > 1u + (reverse != NULL) + (key != NULL) || (sorted = keyed (call, items)) == NULL)
    return NULL;
  for (guint i = 0; backwards && i < sorted->len; i++)
    g_array_index (sorted, Sorted, i).at = sorted->len - i;
  g_array_sort (sorted, by_key);
  for (guint i = 0; i < sorted->len; i++)
    g_ptr_array_add (result, (gpointer) g_array_index (sorted, Sorted, backwards ? sorted->len - 1 - i : i).item);
  return ts_const_items (call->eval, TS_CONST_LIST, (const TsConst *const *) result->pdata, result->len);
}

/* The values of min(a, b, ...) or min([a, b, ...]). */
static const TsConst *
operands_of (const TsBuiltinCall *call)
{
  if (call->arguments->n_positional == 1)
    return ts_const_members (call->eval, call->arguments->items[0]);
  return ts_const_items (call->eval, TS_CONST_TUPLE, call->arguments->items, call->arguments->n_positional);
}

/* The first of the least, or of the greatest. */
static const TsConst *
call_min_max (const TsBuiltinCall *call)
{
  const TsConst *items = operands_of (call), *fallback = ts_builtin_named (call, "default");
  gboolean smallest = strcmp (call->name, "min") == 0;
  g_autoptr (GArray) all = NULL;
  guint best = 0, known = (ts_builtin_named (call, "key") != NULL) + (fallback != NULL);
  gint order;

  if (items == NULL || call->arguments->n > call->arguments->n_positional + known)
    return NULL;
  if (items->n == 0)
    return fallback != NULL ? fallback : ts_const_raises (call->eval, call->scope, call->offset, "%s() of nothing", call->name);
  if ((all = keyed (call, items)) == NULL)
    return NULL;
  for (guint i = 1; i < all->len; i++)
    {
      if (!ts_const_order (g_array_index (all, Sorted, i).key, g_array_index (all, Sorted, best).key, &order))
        return NULL;
      if (smallest ? order < 0 : order > 0)
        best = i;
    }
  return g_array_index (all, Sorted, best).item;
}

static const TsConst *
call_sum (const TsBuiltinCall *call)
{
  const TsConst *x = ts_builtin_argument (call, 0), *items = x != NULL ? ts_const_members (call->eval, x) : NULL;
  const TsConst *start = ts_builtin_argument (call, 1) != NULL ? ts_builtin_argument (call, 1) : ts_builtin_named (call, "start");
  TsNode node = { .kind = TS_NODE_CALL, .offset = call->offset };

  if (start == NULL)
    start = ts_const_int (call->eval, 0);
  if (start->kind == TS_CONST_STRING)
    return ts_const_raises (call->eval, call->scope, call->offset, "sum() of texts");
  for (guint i = 0; items != NULL && i < items->n && start->kind != TS_CONST_OPAQUE; i++)
    {
      if (!ts_eval_step (call->eval))
        return NULL;
      start = ts_eval_operator (call->eval, call->scope, &node, TS_OPERATOR_ADD, start, items->items[i]);
    }
  return items != NULL ? start : NULL;
}

static const TsConst *
call_any_all (const TsBuiltinCall *call)
{
  const TsConst *x = ts_builtin_argument (call, 0), *items = x != NULL ? ts_const_members (call->eval, x) : NULL;
  gboolean any = strcmp (call->name, "any") == 0;

  for (guint i = 0; items != NULL && i < items->n; i++)
    {
      gint truth = ts_const_truth (items->items[i]);

      if (truth < 0)
        return NULL;
      if ((truth == 1) == any)
        return ts_const_bool (call->eval, any);
    }
  return items != NULL ? ts_const_bool (call->eval, !any) : NULL;
}

static const TsConst *
call_range (const TsBuiltinCall *call)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  gint64 bounds[3] = { 0, 0, 1 }, trips;
  guint n = call->arguments->n_positional;

  if (n == 0 || n > 3)
    return NULL;
  for (guint i = 0; i < n; i++)
    {
      if (call->arguments->items[i]->kind != TS_CONST_INT)
        return NULL;
      bounds[n == 1 ? 1 : i] = call->arguments->items[i]->i;
    }
  trips = ts_trip_count (bounds[0], bounds[1], bounds[2]);
  if (trips > (gint64) TS_EVAL_ITEMS)
    return NULL;
  for (gint64 i = 0; i < trips; i++)
    g_ptr_array_add (items, (gpointer) ts_const_int (call->eval, bounds[0] + i * bounds[2]));
  return ts_const_items (call->eval, TS_CONST_LIST, (const TsConst *const *) items->pdata, items->len);
}

static const TsConst *
call_sequence (const TsBuiltinCall *call)
{
  const TsConst *x = ts_builtin_argument (call, 0), *items = x != NULL ? ts_const_iterate (call->eval, x) : NULL;
  TsConstKind kind = strcmp (call->name, "tuple") == 0 ? TS_CONST_TUPLE : TS_CONST_LIST;

  if (strcmp (call->name, "set") == 0 || strcmp (call->name, "frozenset") == 0)
    {
      items = x != NULL ? ts_const_members (call->eval, x) : ts_const_items (call->eval, kind, NULL, 0);
      return items != NULL ? ts_const_set (call->eval, call->scope, call->offset, items->items, items->n) : NULL;
    }
  if (x == NULL)
    return ts_const_items (call->eval, kind, NULL, 0);
  return items != NULL ? ts_const_items (call->eval, kind, items->items, items->n) : NULL;
}

static const TsConst *
iterator (const TsBuiltinCall *call, const GPtrArray *items, guint8 detail)
{
  const TsConst *made = ts_const_items (call->eval, TS_CONST_LIST, (const TsConst *const *) items->pdata, items->len);

  if (made->kind == TS_CONST_LIST)
    ((TsConst *) made)->detail = detail;
  return made;
}

static const TsConst *
call_reversed (const TsBuiltinCall *call)
{
  const TsConst *x = ts_builtin_argument (call, 0), *items = x != NULL ? ts_const_iterate (call->eval, x) : NULL;
  g_autoptr (GPtrArray) result = g_ptr_array_new ();

  for (guint i = items != NULL ? items->n : 0; i > 0; i--)
    g_ptr_array_add (result, (gpointer) items->items[i - 1]);
  return items != NULL ? iterator (call, result, TS_ITEMS_ITERATOR) : NULL;
}

/* enumerate(a) and zip(a, b): lists of tuples. */
static const TsConst *
call_zip (const TsBuiltinCall *call)
{
  g_autoptr (GPtrArray) result = g_ptr_array_new ();
  gboolean count = strcmp (call->name, "enumerate") == 0;
  guint n = G_MAXUINT, k = count ? MIN (call->arguments->n_positional, 1) : call->arguments->n_positional;
  const TsConst *second = ts_builtin_argument (call, 1);
  const TsConst *start = !count ? NULL : second != NULL ? second : ts_builtin_named (call, "start");
  gint64 number = start != NULL && start->kind == TS_CONST_INT ? start->i : 0;
  const TsConst *row[8], *columns[8];

  if (k == 0 || k > 7 || call->arguments->n != k + (start != NULL) || (start != NULL && start->kind != TS_CONST_INT)
      || number > G_MAXINT32 || number < -G_MAXINT32)
    return NULL; /* strict= as well */
  for (guint i = 0; i < k; i++)
    {
      if ((columns[i] = ts_const_iterate (call->eval, call->arguments->items[i])) == NULL)
        return NULL;
      n = MIN (n, columns[i]->n);
    }
  for (guint j = 0; j < n; j++)
    {
      if (count)
        row[0] = ts_const_int (call->eval, number + j);
      for (guint i = 0; i < k; i++)
        row[i + count] = columns[i]->items[j];
      g_ptr_array_add (result, (gpointer) ts_const_items (call->eval, TS_CONST_TUPLE, row, k + count));
    }
  return iterator (call, result, TS_ITEMS_ITERATOR);
}

static const TsConst *
call_dict (const TsBuiltinCall *call)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  const TsConst *x = ts_builtin_argument (call, 0);

  if (x != NULL && !ts_const_put_all (call->eval, items, x))
    return NULL;
  for (guint i = call->arguments->n_positional; i < call->arguments->n; i++)
    ts_const_put (call->eval, items, ts_const_text (call->eval, TS_CONST_STRING, call->arguments->keywords[i]),
                  call->arguments->items[i]);
  return ts_const_items (call->eval, TS_CONST_DICT, (const TsConst *const *) items->pdata, items->len);
}

/* --- strings and dictionaries -------------------------------------------------------------------------------------------- */

static const TsConst *
call_str (const TsBuiltinCall *call)
{
  const TsConst *x = ts_builtin_argument (call, 0);
  g_autofree char *text = NULL;

  if (x != NULL && x->kind == TS_CONST_STRING)
    return x;
  if (x == NULL || (x->kind != TS_CONST_INT && x->kind != TS_CONST_BOOL))
    return NULL;
  text = x->kind == TS_CONST_BOOL ? g_strdup (x->i != 0 ? "True" : "False") : g_strdup_printf ("%" G_GINT64_FORMAT, x->i);
  return ts_const_text (call->eval, TS_CONST_STRING, text);
}

/* Is it one of the letters of `set`? NULL: a blank, as Python counts them. */
static gboolean
is_stripped (gunichar c, const char *set)
{
  if (set != NULL)
    return g_utf8_strchr (set, -1, c) != NULL;
  return g_unichar_isspace (c) || c == 0x0b || c == 0x85 || (c >= 0x1c && c <= 0x1f);
}

/* .strip () and .strip ("letters") */
static const TsConst *
call_strip (const TsBuiltinCall *call)
{
  const TsConst *x = ts_builtin_argument (call, 0);
  const char *set = x != NULL && x->kind == TS_CONST_STRING ? x->text : NULL, *start, *end;
  g_autofree char *text = NULL;

  if (call->self->kind != TS_CONST_STRING || call->arguments->n > 1 || (x != NULL && set == NULL && x->kind != TS_CONST_NONE))
    return NULL;
  start = call->self->text;
  end = start + strlen (start);
  while (start < end && is_stripped (g_utf8_get_char (start), set))
    start = g_utf8_next_char (start);
  while (end > start && is_stripped (g_utf8_get_char (g_utf8_prev_char (end)), set))
    end = g_utf8_prev_char (end);
  text = g_strndup (start, (gsize) (end - start));
  return ts_const_text (call->eval, TS_CONST_STRING, text);
}

static const TsConst *
call_case (const TsBuiltinCall *call)
{
  g_autofree char *text = NULL;

  if (call->self->kind != TS_CONST_STRING || call->arguments->n > 0)
    return NULL;
  text = strcmp (call->name, ".lower") == 0 ? g_utf8_strdown (call->self->text, -1) : g_utf8_strup (call->self->text, -1);
  return ts_const_text (call->eval, TS_CONST_STRING, text);
}

static const TsConst *
call_affix (const TsBuiltinCall *call)
{
  const TsConst *x = ts_builtin_argument (call, 0);

  if (call->self->kind != TS_CONST_STRING || x == NULL || x->kind != TS_CONST_STRING || call->arguments->n > 1)
    return NULL; /* a start and an end as well */
  return ts_const_bool (call->eval, strcmp (call->name, ".startswith") == 0 ? g_str_has_prefix (call->self->text, x->text)
                                                                         : g_str_has_suffix (call->self->text, x->text));
}

static const TsConst *
call_split (const TsBuiltinCall *call)
{
  const TsConst *x = ts_builtin_argument (call, 0);
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  g_auto (GStrv) parts = NULL;

  if (call->self->kind != TS_CONST_STRING || x == NULL || x->kind != TS_CONST_STRING || x->text[0] == '\0'
      || call->arguments->n > 1)
    return NULL; /* maxsplit= as well */
  parts = g_strsplit (call->self->text, x->text, -1);
  for (guint i = 0; parts[i] != NULL; i++)
    g_ptr_array_add (items, (gpointer) ts_const_text (call->eval, TS_CONST_STRING, parts[i]));
  if (items->len == 0) /* of an empty text GLib makes no part, Python one */
    g_ptr_array_add (items, (gpointer) call->self);
  return ts_const_items (call->eval, TS_CONST_LIST, (const TsConst *const *) items->pdata, items->len);
}

static const TsConst *
call_get (const TsBuiltinCall *call)
{
  const TsConst *key = ts_builtin_argument (call, 0), *fallback = ts_builtin_argument (call, 1);

  if (call->self->kind != TS_CONST_DICT || key == NULL)
    return NULL;
  for (guint i = 0; i < call->self->n; i += 2)
    {
      gint same = ts_const_equal (call->self->items[i], key);

      if (same != 0)
        return same > 0 ? call->self->items[i + 1] : NULL;
    }
  return fallback != NULL ? fallback : call->eval->none;
}

static const TsConst *
call_entries (const TsBuiltinCall *call)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();

  if (call->self->kind != TS_CONST_DICT)
    return NULL;
  for (guint i = 0; i < call->self->n; i += 2)
    if (strcmp (call->name, ".items") == 0)
      g_ptr_array_add (items, (gpointer) ts_const_items (call->eval, TS_CONST_TUPLE, call->self->items + i, 2));
    else
      g_ptr_array_add (items, (gpointer) call->self->items[i + (strcmp (call->name, ".values") == 0)]);
  return iterator (call, items, TS_ITEMS_VIEW);
}

/* Another list, set or dictionary with the same items. */
static const TsConst *
call_copy (const TsBuiltinCall *call)
{
  const TsConst *made;

  if (call->arguments->n != 0 || (call->self->kind != TS_CONST_LIST && call->self->kind != TS_CONST_DICT))
    return NULL;
  made = ts_const_items (call->eval, (TsConstKind) call->self->kind, call->self->items, call->self->n);
  if (made->kind == TS_CONST_LIST)
    ((TsConst *) made)->detail = call->self->detail;
  return made;
}

/* pl.FP32.get_byte() */
static const TsConst *
call_get_byte (const TsBuiltinCall *call)
{
  return call->self->kind == TS_CONST_DTYPE ? ts_const_int (call->eval, ts_dtype_bits ((TsDtype) call->self->detail) / 8) : NULL;
}

/* --- environment and objects --------------------------------------------------------------------------------------------- */

const TsConst *
ts_eval_variable (TsEval *eval, const char *name)
{
  const TsConst *given = ts_eval_define (eval, name);
  const char *interned = ts_eval_intern (eval, name);
  g_autofree char *number = NULL;

  if (given == NULL)
    return g_hash_table_lookup (eval->environment, interned); /* the file's own doing */
  if (given->kind != TS_CONST_INT)
    return given;
  number = g_strdup_printf ("%" G_GINT64_FORMAT, given->i);
  return ts_const_text (eval, TS_CONST_STRING, number);
}

const TsConst *
ts_eval_has_variable (TsEval *eval, const char *name)
{
  gboolean given = ts_eval_variable (eval, name) != NULL;

  if (eval->environment_is_open && ts_eval_define (eval, name) == NULL)
    return NULL;
  eval->n_unknown_reads += !given;
  return ts_const_bool (eval, given);
}

/* Nobody types a command line when a kernel is opened. Within a function its caller says so, see eval-call.c. */
const TsConst *
ts_eval_command_line (TsEval *eval, TsScope *scope, guint32 offset)
{
  const TsConst *program = ts_const_text (eval, TS_CONST_STRING, ts_source_name (scope->source));

  eval->n_unknown_reads++;
  if (eval->depth == 0 && g_hash_table_add (eval->noted, scope->source))
    ts_diag_add (eval->diags, TS_SEVERITY_NOTE, "assumed-default", scope->source, (TsSpan) { offset, strlen ("sys.argv"), 0 },
                 "the command line is read as one without arguments; -D NAME=VALUE overrides what depends on it");
  return ts_const_items (eval, TS_CONST_LIST, &program, 1);
}

/* The environment of whoever opens the file says nothing about the kernel: the default counts. */
static const TsConst *
call_environ (const TsBuiltinCall *call)
{
  const TsConst *name = ts_builtin_argument (call, 0), *fallback = ts_builtin_argument (call, 1);
  const TsConst *given = name != NULL && name->kind == TS_CONST_STRING ? ts_eval_variable (call->eval, name->text) : NULL;

  if (given != NULL)
    return given;
  if (call->eval->environment_is_open)
    return ts_const_opaque (call->eval, call->scope, call->offset,
                            "the file sets variables of the environment in a way that is not followed");
  if (fallback == NULL)
    fallback = ts_builtin_named (call, "default");
  if (name != NULL && name->kind == TS_CONST_STRING && fallback != NULL && strcmp (call->name, "os.environ.setdefault") == 0)
    g_hash_table_replace (call->eval->environment, (gpointer) name->text, (gpointer) fallback);
  else
    call->eval->n_unknown_reads++;
  return fallback != NULL ? fallback : call->eval->none;
}

static const TsConst *
call_replace (const TsBuiltinCall *call)
{
  const TsConst *x = ts_builtin_argument (call, 0);

  return x != NULL && x->kind == TS_CONST_INSTANCE ? ts_eval_replace (call->eval, call->scope, x, call->arguments, call->offset)
                                                     : NULL;
}

/* field(default=V), field(default_factory=F): the latter stays a call, made when an object is. */
static const TsConst *
call_field (const TsBuiltinCall *call)
{
  const TsConst *value = ts_builtin_named (call, "default"), *factory = ts_builtin_named (call, "default_factory");
  TsConst *field;

  if (value != NULL || factory == NULL)
    return value != NULL ? value : ts_const_opaque (call->eval, call->scope, call->offset, "a field without a default");
  field = ts_const_new (call->eval, TS_CONST_BUILTIN);
  field->text = call->name;
  field->self = factory;
  return field;
}

const TsConst *
ts_eval_field (TsEval *eval, TsScope *scope, const TsConst *value, guint32 offset)
{
  const TsArguments nothing = { NULL, NULL, 0, 0 };
  const TsConst *made;

  if (value->kind != TS_CONST_BUILTIN || value->self == NULL || strcmp (value->text, "dataclasses.field") != 0)
    return value;
  made = ts_eval_apply (eval, scope, value->self, &nothing, offset);
  return made != NULL ? made : ts_const_opaque (eval, scope, offset, "a default made by %s", ts_const_kind_name (value->self));
}

static const TsConst *
call_namespace (const TsBuiltinCall *call)
{
  TsConst *value = ts_const_new (call->eval, TS_CONST_INSTANCE);

  value->fields = ts_eval_table (call->eval);
  for (guint i = call->arguments->n_positional; i < call->arguments->n; i++)
    g_hash_table_replace (value->fields, (gpointer) ts_eval_intern (call->eval, call->arguments->keywords[i]),
                          (gpointer) call->arguments->items[i]);
  return value;
}

static const struct { const char *name; Builtin function; } builtins[] = {
  { "int", ts_builtin_int }, { "float", ts_builtin_float }, { "bool", ts_builtin_bool }, { "abs", ts_builtin_abs },
  { "round", ts_builtin_round }, { "len", call_len }, { "min", call_min_max }, { "max", call_min_max }, { "sum", call_sum },
  { "any", call_any_all }, { "all", call_any_all }, { "range", call_range }, { "tuple", call_sequence },
  { "list", call_sequence }, { "set", call_sequence }, { "frozenset", call_sequence }, { "reversed", call_reversed },
  { "enumerate", call_zip }, { "zip", call_zip }, { "dict", call_dict }, { "str", call_str },
  { "math.floor", ts_builtin_floor_ceil }, { "math.ceil", ts_builtin_floor_ceil }, { "math.sqrt", ts_builtin_math },
  { "math.log2", ts_builtin_math }, { "math.log", ts_builtin_math }, { "math.log10", ts_builtin_math },
  { "math.exp", ts_builtin_math }, { "math.gcd", ts_builtin_gcd }, { "math.fabs", ts_builtin_math },
  { "math.sin", ts_builtin_math }, { "math.cos", ts_builtin_math }, { "math.tan", ts_builtin_math },
  { "math.tanh", ts_builtin_math }, { "math.trunc", ts_builtin_int }, { "math.isqrt", ts_builtin_isqrt },
  { "math.prod", call_prod }, { "math.lcm", ts_builtin_gcd }, { "math.comb", ts_builtin_choose },
  { "math.perm", ts_builtin_choose }, { "math.factorial", ts_builtin_choose }, { "math.fmod", ts_builtin_math2 },
  { "math.pow", ts_builtin_math2 }, { "math.copysign", ts_builtin_math2 }, { "math.hypot", ts_builtin_math2 },
  { "sorted", ts_builtin_sorted }, { ".append", ts_builtin_change }, { ".extend", ts_builtin_change },
  { ".insert", ts_builtin_change }, { ".remove", ts_builtin_change }, { ".pop", ts_builtin_change },
  { ".popitem", ts_builtin_change }, { ".clear", ts_builtin_change }, { ".sort", ts_builtin_change },
  { ".reverse", ts_builtin_change }, { ".update", ts_builtin_change }, { ".setdefault", ts_builtin_change },
  { ".add", ts_builtin_change }, { ".discard", ts_builtin_change }, { ".intersection_update", ts_builtin_change },
  { ".difference_update", ts_builtin_change }, { ".symmetric_difference_update", ts_builtin_change },
  { ".__setitem__", ts_builtin_change }, { ".__delitem__", ts_builtin_change }, { ".__iadd__", ts_builtin_change },
  { ".__ior__", ts_builtin_change }, { ".__imul__", ts_builtin_change }, { ".__init__", ts_builtin_change },
  { ".lower", call_case }, { ".upper", call_case }, { ".strip", call_strip }, { ".startswith", call_affix },
  { ".endswith", call_affix }, { ".split", call_split }, { ".get", call_get }, { ".items", call_entries },
  { ".keys", call_entries }, { ".values", call_entries }, { ".get_byte", call_get_byte }, { ".copy", call_copy },
  { "os.environ.get", call_environ }, { "os.getenv", call_environ }, { "os.environ.setdefault", call_environ },
  { "argparse.ArgumentParser", ts_builtin_parser }, { ".add_argument", ts_builtin_add_argument },
  { ".add_argument_group", ts_builtin_argument_group }, { ".add_mutually_exclusive_group", ts_builtin_argument_group },
  { ".set_defaults", ts_builtin_set_defaults }, { ".parse_args", ts_builtin_parse_args },
  { ".parse_known_args", ts_builtin_parse_args }, { "dataclasses.replace", call_replace }, { "dataclasses.field", call_field },
  { "types.SimpleNamespace", call_namespace }, { "object.__setattr__", ts_builtin_object_setattr },
};

static Builtin
find_builtin (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (builtins); i++)
    if (strcmp (builtins[i].name, name) == 0)
      return builtins[i].function;
  return NULL;
}

gboolean
ts_eval_is_builtin (const char *name)
{
  return find_builtin (name) != NULL;
}

/* Functions to which it does not matter that an argument (a help text, a description) is not known. */
static gboolean
takes_unknown (Builtin function)
{
  return function == call_environ || function == ts_builtin_change || function == ts_builtin_parser
         || function == ts_builtin_object_setattr
         || function == ts_builtin_argument_group
         || function == ts_builtin_add_argument || function == ts_builtin_set_defaults || function == ts_builtin_parse_args;
}

/* Functions of numbers take the value of a member of an IntEnum; others take the member itself. */
static const TsConst *
number_of (const char *name, const TsConst *value)
{
  static const char *const words[] = { "int", "float", "abs", "round", "range", NULL };

  return g_str_has_prefix (name, "math.") || g_strv_contains (words, name) ? ts_const_plain (value) : value;
}

const TsConst *
ts_eval_builtin (TsEval *eval, TsScope *scope, const TsConst *builtin, const TsArguments *arguments, guint32 offset)
{
  TsBuiltinCall call = { eval, scope, builtin->self, arguments, builtin->text, offset };
  Builtin function = find_builtin (builtin->text);
  const TsConst *result;

  for (guint i = 0; i < arguments->n; i++)
    {
      arguments->items[i] = number_of (builtin->text, arguments->items[i]);
      if (arguments->items[i]->kind == TS_CONST_OPAQUE && !takes_unknown (function))
        return arguments->items[i];
    }
  result = function != NULL ? function (&call) : NULL;
  if (result != NULL)
    return result;
  result = ts_const_opaque (eval, scope, offset, "a call to %s that is not evaluated", builtin->text);
  result = ts_const_derived (eval, result, arguments->items, arguments->n);
  return builtin->self != NULL ? ts_const_derived (eval, result, &builtin->self, 1) : result;
}
