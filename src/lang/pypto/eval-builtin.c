/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The few functions of Python and its library that constants are made with: a table, one row and one function each. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "lang/pypto/eval-private.h"

typedef const TsConst *(*Builtin) (const TsBuiltinCall *call);

static const TsConst *
argument (const TsBuiltinCall *call, guint i)
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

static const TsConst *
int_of_double (TsEval *eval, double f)
{
  return f > -9.2e18 && f < 9.2e18 ? ts_const_int (eval, (gint64) f) : NULL;
}

/* --- numbers ------------------------------------------------------------------------------------------------------------- */

static const TsConst *
call_int (const TsBuiltinCall *call)
{
  const TsConst *x = argument (call, 0);
  gint64 value;

  if (x == NULL)
    return ts_const_int (call->eval, 0);
  if (x->kind == TS_CONST_FLOAT)
    return int_of_double (call->eval, trunc (x->f));
  if (ts_const_is_number (x))
    return ts_const_int (call->eval, x->i);
  if (x->kind != TS_CONST_STRING)
    return NULL;
  if (ts_parse_int64 (x->text, &value))
    return ts_const_int (call->eval, value);
  return ts_const_opaque (call->eval, call->scope, call->offset, "int() of a text that is no integer of 64 bits: '%.40s'", x->text);
}

static const TsConst *
call_float (const TsBuiltinCall *call)
{
  const TsConst *x = argument (call, 0);
  char *end;
  double f;

  if (x != NULL && ts_const_is_number (x))
    return ts_const_float (call->eval, ts_const_as_double (x));
  if (x == NULL || x->kind != TS_CONST_STRING)
    return NULL;
  f = g_ascii_strtod (x->text, &end);
  return *end == '\0' && end != x->text ? ts_const_float (call->eval, f) : NULL;
}

static const TsConst *
call_bool (const TsBuiltinCall *call)
{
  const TsConst *x = argument (call, 0);
  gint truth = x != NULL ? ts_const_truth (x) : 0;

  return truth >= 0 ? ts_const_bool (call->eval, truth == 1) : NULL;
}

static const TsConst *
call_abs (const TsBuiltinCall *call)
{
  const TsConst *x = argument (call, 0);
  gint64 negated;

  if (x == NULL || !ts_const_is_number (x))
    return NULL;
  if (x->kind == TS_CONST_FLOAT)
    return ts_const_float (call->eval, fabs (x->f));
  return x->i >= 0 ? x : ts_sub (0, x->i, &negated) ? ts_const_int (call->eval, negated) : NULL;
}

static const TsConst *
call_round (const TsBuiltinCall *call)
{
  const TsConst *x = argument (call, 0);

  if (x == NULL || !ts_const_is_number (x) || call->arguments->n != 1)
    return NULL;
  return x->kind == TS_CONST_FLOAT ? int_of_double (call->eval, nearbyint (x->f)) : x;
}

static const TsConst *
call_floor_ceil (const TsBuiltinCall *call)
{
  const TsConst *x = argument (call, 0);

  if (x == NULL || !ts_const_is_number (x))
    return NULL;
  return x->kind != TS_CONST_FLOAT ? x : int_of_double (call->eval, strcmp (call->name, "math.ceil") == 0 ? ceil (x->f)
                                                        : floor (x->f));
}

static const TsConst *
call_math (const TsBuiltinCall *call)
{
  static const struct { const char *name; double (*function) (double); } functions[] = {
    { "math.sqrt", sqrt }, { "math.log2", log2 }, { "math.log", log }, { "math.log10", log10 }, { "math.exp", exp },
    { "math.fabs", fabs }, { "math.sin", sin }, { "math.cos", cos }, { "math.tan", tan }, { "math.tanh", tanh },
  };
  const TsConst *x = argument (call, 0);
  double result;

  if (x == NULL || !ts_const_is_number (x) || call->arguments->n != 1)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    if (strcmp (functions[i].name, call->name) == 0)
      {
        result = functions[i].function (ts_const_as_double (x));
        return isfinite (result) ? ts_const_float (call->eval, result) : NULL;
      }
  return NULL;
}

/* The largest integer whose square is not above x. */
static const TsConst *
call_isqrt (const TsBuiltinCall *call)
{
  const TsConst *x = argument (call, 0);
  gint64 root;

  if (x == NULL || x->kind != TS_CONST_INT || x->i < 0)
    return NULL;
  root = MIN ((gint64) sqrt ((double) x->i), G_GINT64_CONSTANT (3037000499));
  while (root > 0 && root * root > x->i)
    root--;
  while (root < G_GINT64_CONSTANT (3037000499) && (root + 1) * (root + 1) <= x->i)
    root++;
  return ts_const_int (call->eval, root);
}

static const TsConst *
call_gcd (const TsBuiltinCall *call)
{
  const TsConst *a = argument (call, 0), *b = argument (call, 1);
  guint64 x, y;

  if (a == NULL || b == NULL || a->kind != TS_CONST_INT || b->kind != TS_CONST_INT)
    return NULL;
  x = a->i < 0 ? -(guint64) a->i : (guint64) a->i;
  y = b->i < 0 ? -(guint64) b->i : (guint64) b->i;
  while (y != 0)
    {
      guint64 rest = x % y;

      x = y;
      y = rest;
    }
  return x <= (guint64) G_MAXINT64 ? ts_const_int (call->eval, (gint64) x) : NULL;
}

/* --- sequences ----------------------------------------------------------------------------------------------------------- */

static const TsConst *
call_len (const TsBuiltinCall *call)
{
  const TsConst *x = argument (call, 0);

  if (x != NULL && x->kind == TS_CONST_DICT)
    return ts_const_int (call->eval, x->n / 2);
  x = x != NULL ? ts_const_iterate (call->eval, x) : NULL;
  return x != NULL ? ts_const_int (call->eval, x->n) : NULL;
}

static const TsConst *
call_prod (const TsBuiltinCall *call)
{
  const TsConst *x = argument (call, 0), *items = x != NULL ? ts_const_iterate (call->eval, x) : NULL;
  gint64 product = 1;

  for (guint i = 0; items != NULL && i < items->n; i++)
    if (items->items[i]->kind != TS_CONST_INT || !ts_mul (product, items->items[i]->i, &product))
      return NULL;
  return items != NULL && call->arguments->n == 1 ? ts_const_int (call->eval, product) : NULL;
}

static gint
by_value (gconstpointer a, gconstpointer b)
{
  const TsConst *x = *(const TsConst *const *) a, *y = *(const TsConst *const *) b;

  if (x->kind == TS_CONST_STRING)
    return strcmp (x->text, y->text);
  return (ts_const_as_double (x) > ts_const_as_double (y)) - (ts_const_as_double (x) < ts_const_as_double (y));
}

/* Numbers or texts, without a key. */
static const TsConst *
call_sorted (const TsBuiltinCall *call)
{
  const TsConst *x = argument (call, 0), *items = x != NULL ? ts_const_iterate (call->eval, x) : NULL;
  const TsConst *reverse = ts_builtin_named (call, "reverse");
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();

  if (items == NULL || call->arguments->n > 1u + (reverse != NULL))
    return NULL;
  for (guint i = 0; i < items->n; i++)
    {
      gboolean is_text = items->items[0]->kind == TS_CONST_STRING;

      if (is_text ? items->items[i]->kind != TS_CONST_STRING : !ts_const_is_number (items->items[i]))
        return NULL;
      g_ptr_array_add (sorted, (gpointer) items->items[i]);
    }
  g_ptr_array_sort (sorted, by_value);
  if (reverse != NULL && ts_const_truth (reverse) == 1)
    for (guint i = 0; i < sorted->len / 2; i++)
      {
        gpointer first = sorted->pdata[i];

        sorted->pdata[i] = sorted->pdata[sorted->len - 1 - i];
        sorted->pdata[sorted->len - 1 - i] = first;
      }
  return ts_const_items (call->eval, TS_CONST_LIST, (const TsConst *const *) sorted->pdata, sorted->len);
}

/* The values of min(a, b, ...) or min([a, b, ...]). */
static const TsConst *
operands_of (const TsBuiltinCall *call)
{
  if (call->arguments->n_positional == 1)
    return ts_const_iterate (call->eval, call->arguments->items[0]);
  return ts_const_items (call->eval, TS_CONST_TUPLE, call->arguments->items, call->arguments->n_positional);
}

static const TsConst *
call_min_max (const TsBuiltinCall *call)
{
  const TsConst *items = operands_of (call), *best = NULL;
  gboolean smallest = strcmp (call->name, "min") == 0;

  if (call->arguments->n > call->arguments->n_positional)
    return NULL; /* key=, default= */
  for (guint i = 0; items != NULL && i < items->n; i++)
    {
      const TsConst *x = items->items[i];

      if (!ts_const_is_number (x))
        return NULL;
      if (best == NULL
          || (smallest ? ts_const_as_double (x) < ts_const_as_double (best) : ts_const_as_double (x) > ts_const_as_double (best)))
        best = x;
    }
  return best;
}

static const TsConst *
call_sum (const TsBuiltinCall *call)
{
  const TsConst *x = argument (call, 0), *items = x != NULL ? ts_const_iterate (call->eval, x) : NULL;
  gint64 sum = 0;
  double total = 0;
  gboolean floats = FALSE;

  for (guint i = 0; items != NULL && i < items->n; i++)
    {
      if (!ts_const_is_number (items->items[i]))
        return NULL;
      floats = floats || items->items[i]->kind == TS_CONST_FLOAT;
      total += ts_const_as_double (items->items[i]);
      if (!floats && !ts_add (sum, items->items[i]->i, &sum))
        return NULL;
    }
  return items == NULL ? NULL : floats ? ts_const_float (call->eval, total) : ts_const_int (call->eval, sum);
}

static const TsConst *
call_any_all (const TsBuiltinCall *call)
{
  const TsConst *x = argument (call, 0), *items = x != NULL ? ts_const_iterate (call->eval, x) : NULL;
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
  const TsConst *x = argument (call, 0), *items = x != NULL ? ts_const_iterate (call->eval, x) : NULL;
  TsConstKind kind = strcmp (call->name, "tuple") == 0 ? TS_CONST_TUPLE : TS_CONST_LIST;

  if (x == NULL)
    return ts_const_items (call->eval, kind, NULL, 0);
  return items != NULL ? ts_const_items (call->eval, kind, items->items, items->n) : NULL;
}

static const TsConst *
call_reversed (const TsBuiltinCall *call)
{
  const TsConst *x = argument (call, 0), *items = x != NULL ? ts_const_iterate (call->eval, x) : NULL;
  g_autoptr (GPtrArray) result = g_ptr_array_new ();

  for (guint i = items != NULL ? items->n : 0; i > 0; i--)
    g_ptr_array_add (result, (gpointer) items->items[i - 1]);
  return items != NULL ? ts_const_items (call->eval, TS_CONST_LIST, (const TsConst *const *) result->pdata, result->len) : NULL;
}

/* enumerate(a) and zip(a, b): lists of tuples. */
static const TsConst *
call_zip (const TsBuiltinCall *call)
{
  g_autoptr (GPtrArray) result = g_ptr_array_new ();
  gboolean count = strcmp (call->name, "enumerate") == 0;
  guint n = G_MAXUINT, k = call->arguments->n_positional;
  const TsConst *row[8], *columns[8];

  if (k == 0 || k > 7)
    return NULL;
  for (guint i = 0; i < k; i++)
    {
      if ((columns[i] = ts_const_iterate (call->eval, call->arguments->items[i])) == NULL)
        return NULL;
      n = MIN (n, columns[i]->n);
    }
  for (guint j = 0; j < n; j++)
    {
      if (count)
        row[0] = ts_const_int (call->eval, j);
      for (guint i = 0; i < k; i++)
        row[i + count] = columns[i]->items[j];
      g_ptr_array_add (result, (gpointer) ts_const_items (call->eval, TS_CONST_TUPLE, row, k + count));
    }
  return ts_const_items (call->eval, TS_CONST_LIST, (const TsConst *const *) result->pdata, result->len);
}

static const TsConst *
call_dict (const TsBuiltinCall *call)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  const TsConst *x = argument (call, 0);

  for (guint i = 0; x != NULL && x->kind == TS_CONST_DICT && i < x->n; i++)
    g_ptr_array_add (items, (gpointer) x->items[i]);
  for (guint i = call->arguments->n_positional; i < call->arguments->n; i++)
    {
      g_ptr_array_add (items, (gpointer) ts_const_text (call->eval, TS_CONST_STRING, call->arguments->keywords[i]));
      g_ptr_array_add (items, (gpointer) call->arguments->items[i]);
    }
  return ts_const_items (call->eval, TS_CONST_DICT, (const TsConst *const *) items->pdata, items->len);
}

/* --- strings and dictionaries -------------------------------------------------------------------------------------------- */

static const TsConst *
call_str (const TsBuiltinCall *call)
{
  const TsConst *x = argument (call, 0);
  g_autofree char *text = NULL;

  if (x != NULL && x->kind == TS_CONST_STRING)
    return x;
  if (x == NULL || (x->kind != TS_CONST_INT && x->kind != TS_CONST_BOOL))
    return NULL;
  text = x->kind == TS_CONST_BOOL ? g_strdup (x->i != 0 ? "True" : "False") : g_strdup_printf ("%" G_GINT64_FORMAT, x->i);
  return ts_const_text (call->eval, TS_CONST_STRING, text);
}

static const TsConst *
call_case (const TsBuiltinCall *call)
{
  g_autofree char *text = NULL;

  if (call->self->kind != TS_CONST_STRING)
    return NULL;
  if (strcmp (call->name, ".strip") == 0)
    text = g_strstrip (g_strdup (call->self->text));
  else
    text = strcmp (call->name, ".lower") == 0 ? g_utf8_strdown (call->self->text, -1) : g_utf8_strup (call->self->text, -1);
  return ts_const_text (call->eval, TS_CONST_STRING, text);
}

static const TsConst *
call_affix (const TsBuiltinCall *call)
{
  const TsConst *x = argument (call, 0);

  if (call->self->kind != TS_CONST_STRING || x == NULL || x->kind != TS_CONST_STRING)
    return NULL;
  return ts_const_bool (call->eval, strcmp (call->name, ".startswith") == 0 ? g_str_has_prefix (call->self->text, x->text)
                                                                         : g_str_has_suffix (call->self->text, x->text));
}

static const TsConst *
call_split (const TsBuiltinCall *call)
{
  const TsConst *x = argument (call, 0);
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  g_auto (GStrv) parts = NULL;

  if (call->self->kind != TS_CONST_STRING || x == NULL || x->kind != TS_CONST_STRING || x->text[0] == '\0')
    return NULL;
  parts = g_strsplit (call->self->text, x->text, -1);
  for (guint i = 0; parts[i] != NULL; i++)
    g_ptr_array_add (items, (gpointer) ts_const_text (call->eval, TS_CONST_STRING, parts[i]));
  return ts_const_items (call->eval, TS_CONST_LIST, (const TsConst *const *) items->pdata, items->len);
}

static const TsConst *
call_get (const TsBuiltinCall *call)
{
  const TsConst *key = argument (call, 0), *fallback = argument (call, 1);

  if (call->self->kind != TS_CONST_DICT || key == NULL)
    return NULL;
  for (guint i = call->self->n; i >= 2; i -= 2)
    if (ts_const_equal (call->self->items[i - 2], key))
      return call->self->items[i - 1];
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
  return ts_const_items (call->eval, TS_CONST_LIST, (const TsConst *const *) items->pdata, items->len);
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
  g_autofree char *number = NULL;

  if (given == NULL || given->kind != TS_CONST_INT)
    return given;
  number = g_strdup_printf ("%" G_GINT64_FORMAT, given->i);
  return ts_const_text (eval, TS_CONST_STRING, number);
}

/* The environment of whoever opens the file says nothing about the kernel: the default counts. */
static const TsConst *
call_environ (const TsBuiltinCall *call)
{
  const TsConst *name = argument (call, 0), *fallback = argument (call, 1);
  const TsConst *given = name != NULL && name->kind == TS_CONST_STRING ? ts_eval_variable (call->eval, name->text) : NULL;

  if (given != NULL)
    return given;
  if (fallback == NULL)
    fallback = ts_builtin_named (call, "default");
  return fallback != NULL ? fallback : call->eval->none;
}

static const TsConst *
call_replace (const TsBuiltinCall *call)
{
  const TsConst *x = argument (call, 0);

  return x != NULL && x->kind == TS_CONST_INSTANCE ? ts_eval_replace (call->eval, x, call->arguments) : NULL;
}

/* field(default=V), field(default_factory=F): the latter stays a call, made when an object is. */
static const TsConst *
call_field (const TsBuiltinCall *call)
{
  const TsConst *value = ts_builtin_named (call, "default"), *factory = ts_builtin_named (call, "default_factory");
  TsConst *field;

  if (value != NULL || factory == NULL)
    return value;
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
  { "int", call_int }, { "float", call_float }, { "bool", call_bool }, { "abs", call_abs }, { "round", call_round },
  { "len", call_len }, { "min", call_min_max }, { "max", call_min_max }, { "sum", call_sum }, { "any", call_any_all },
  { "all", call_any_all }, { "range", call_range }, { "tuple", call_sequence }, { "list", call_sequence },
  { "reversed", call_reversed }, { "enumerate", call_zip }, { "zip", call_zip }, { "dict", call_dict },
  { "str", call_str },
  { "math.floor", call_floor_ceil }, { "math.ceil", call_floor_ceil }, { "math.sqrt", call_math }, { "math.log2", call_math },
  { "math.log", call_math }, { "math.log10", call_math }, { "math.exp", call_math }, { "math.gcd", call_gcd },
  { "math.fabs", call_math }, { "math.sin", call_math }, { "math.cos", call_math }, { "math.tan", call_math },
  { "math.tanh", call_math }, { "math.trunc", call_int }, { "math.isqrt", call_isqrt }, { "math.prod", call_prod },
  { "sorted", call_sorted },
  { ".lower", call_case }, { ".upper", call_case }, { ".strip", call_case }, { ".startswith", call_affix },
  { ".endswith", call_affix }, { ".split", call_split }, { ".get", call_get }, { ".items", call_entries },
  { ".keys", call_entries }, { ".values", call_entries }, { ".get_byte", call_get_byte },
  { "os.environ.get", call_environ }, { "os.getenv", call_environ }, { "os.environ.setdefault", call_environ },
  { "argparse.ArgumentParser", ts_builtin_parser }, { ".add_argument", ts_builtin_add_argument },
  { ".add_argument_group", ts_builtin_argument_group }, { ".add_mutually_exclusive_group", ts_builtin_argument_group },
  { ".set_defaults", ts_builtin_set_defaults }, { ".parse_args", ts_builtin_parse_args },
  { ".parse_known_args", ts_builtin_parse_args },
  { "dataclasses.replace", call_replace }, { "dataclasses.field", call_field }, { "types.SimpleNamespace", call_namespace },
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
  return function == call_environ || function == ts_builtin_parser || function == ts_builtin_argument_group
         || function == ts_builtin_add_argument || function == ts_builtin_set_defaults || function == ts_builtin_parse_args;
}

const TsConst *
ts_eval_builtin (TsEval *eval, TsScope *scope, const TsConst *builtin, const TsArguments *arguments, guint32 offset)
{
  TsBuiltinCall call = { eval, scope, builtin->self, arguments, builtin->text, offset };
  Builtin function = find_builtin (builtin->text);
  const TsConst *result;

  for (guint i = 0; i < arguments->n; i++)
    if (arguments->items[i]->kind == TS_CONST_OPAQUE && !takes_unknown (function))
      return arguments->items[i];
  result = function != NULL ? function (&call) : NULL;
  return result != NULL ? result : ts_const_opaque (eval, scope, offset, "a call to %s that is not evaluated", builtin->text);
}
