/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of numbers: int, round, math.*. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "lang/pypto/eval-private.h"

static const TsConst *
int_of_double (TsEval *eval, double f)
{
  return f > -9.2e18 && f < 9.2e18 ? ts_const_int (eval, (gint64) f) : NULL;
}

/* Digits of a base, with blanks around, a sign, underscores and a prefix such as 0x where the base allows it. */
static gboolean
parse_digits (const char *text, gint64 base, gint64 *out)
{
  g_autofree char *digits = g_strstrip (g_strdup (text));
  char *p = digits + (*digits == '-' || *digits == '+'), *to, *end;
  guint64 value;
  gint64 prefix = p[0] != '0' ? 0 : g_ascii_tolower (p[1]) == 'x' ? 16 : g_ascii_tolower (p[1]) == 'b' ? 2
                  : g_ascii_tolower (p[1]) == 'o' ? 8 : 0;
  gboolean negative = *digits == '-';

  if (prefix != 0 && (base == prefix || base == 0))
    {
      p += 2;
      base = prefix;
    }
  if (base == 0 && p[0] == '0' && strspn (p, "0_") != strlen (p))
    return FALSE; /* 007 */
  base = base == 0 ? 10 : base;
  if (!g_ascii_isalnum (*p) || strstr (p, "__") != NULL || g_str_has_suffix (p, "_"))
    return FALSE;
  for (end = to = p; *end != '\0'; end++)
    if (*end != '_')
      *to++ = *end;
  *to = '\0';
  if (!g_ascii_string_to_unsigned (p, (guint) base, 0, negative ? (guint64) G_MAXINT64 + 1 : (guint64) G_MAXINT64, &value, NULL))
    return FALSE;
  *out = negative ? (gint64) (0 - value) : (gint64) value;
  return TRUE;
}

const TsConst *
ts_builtin_int (const TsBuiltinCall *call)
{
  const TsConst *x = ts_builtin_argument (call, 0), *second = ts_builtin_argument (call, 1);
  const TsConst *base = second != NULL ? second : ts_builtin_named (call, "base");
  gint64 value;

  if (x == NULL)
    return call->arguments->n == 0 ? ts_const_int (call->eval, 0) : NULL;
  if (base != NULL && (base->kind != TS_CONST_INT || base->i < 0 || base->i == 1 || base->i > 36 || x->kind != TS_CONST_STRING))
    return NULL;
  if (x->kind == TS_CONST_FLOAT)
    return int_of_double (call->eval, trunc (x->f));
  if (ts_const_is_number (x))
    return ts_const_int (call->eval, x->i);
  if (x->kind != TS_CONST_STRING)
    return NULL;
  if (parse_digits (x->text, base != NULL ? base->i : 10, &value))
    return ts_const_int (call->eval, value);
  return ts_const_raises (call->eval, call->scope, call->offset, "int() of a text that is no integer of 64 bits: '%.40s'", x->text);
}

const TsConst *
ts_builtin_float (const TsBuiltinCall *call)
{
  const TsConst *x = ts_builtin_argument (call, 0);
  char *end;
  double f;

  if (x != NULL && ts_const_is_number (x))
    return ts_const_float (call->eval, ts_const_as_double (x));
  if (x == NULL || x->kind != TS_CONST_STRING)
    return NULL;
  if (strpbrk (x->text, "xX") != NULL)
    return NULL;
  f = g_ascii_strtod (x->text, &end);
  while (g_ascii_isspace (*end))
    end++;
  return *end == '\0' && end != x->text ? ts_const_float (call->eval, f) : NULL;
}

const TsConst *
ts_builtin_bool (const TsBuiltinCall *call)
{
  const TsConst *x = ts_builtin_argument (call, 0);
  gint truth = x != NULL ? ts_const_truth (x) : 0;

  return truth >= 0 ? ts_const_bool (call->eval, truth == 1) : NULL;
}

const TsConst *
ts_builtin_abs (const TsBuiltinCall *call)
{
  const TsConst *x = ts_builtin_argument (call, 0);
  gint64 negated;

  if (x == NULL || !ts_const_is_number (x))
    return NULL;
  if (x->kind == TS_CONST_FLOAT)
    return ts_const_float (call->eval, fabs (x->f));
  return x->i >= 0 ? ts_const_int (call->eval, x->i) : ts_sub (0, x->i, &negated) ? ts_const_int (call->eval, negated) : NULL;
}

/* To tens, hundreds, ...: half to even. */
static const TsConst *
round_tens (TsEval *eval, gint64 x, gint64 zeros)
{
  gint64 unit = 1, rest, down;

  for (; zeros > 0; zeros--)
    if (!ts_mul (unit, 10, &unit))
      return NULL;
  if (!ts_floor_mod (x, unit, &rest) || !ts_sub (x, rest, &down))
    return NULL;
  if ((rest > unit - rest || (rest == unit - rest && down / unit % 2 != 0)) && !ts_add (down, unit, &down))
    return NULL;
  return ts_const_int (eval, down);
}

const TsConst *
ts_builtin_round (const TsBuiltinCall *call)
{
  const TsConst *x = ts_builtin_argument (call, 0), *second = ts_builtin_argument (call, 1);
  const TsConst *digits = second != NULL ? second : ts_builtin_named (call, "ndigits");
  g_autofree char *text = NULL;

  if (x == NULL || !ts_const_is_number (x) || call->arguments->n > 2)
    return NULL;
  if (digits == NULL || digits->kind == TS_CONST_NONE)
    return x->kind == TS_CONST_FLOAT ? int_of_double (call->eval, nearbyint (x->f)) : ts_const_int (call->eval, x->i);
  if (digits->kind != TS_CONST_INT || digits->i < -18 || digits->i > 300 || (x->kind == TS_CONST_FLOAT && digits->i < 0))
    return NULL;
  if (x->kind != TS_CONST_FLOAT)
    return digits->i >= 0 ? ts_const_int (call->eval, x->i) : round_tens (call->eval, x->i, -digits->i);
  /* The digits that are nearest to the exact value of the float, and the float nearest to them. */
  text = g_strdup_printf ("%.*f", (int) digits->i, x->f);
  return ts_const_float (call->eval, g_ascii_strtod (g_strdelimit (text, ",", '.'), NULL));
}

const TsConst *
ts_builtin_floor_ceil (const TsBuiltinCall *call)
{
  const TsConst *x = ts_builtin_argument (call, 0);

  if (x == NULL || !ts_const_is_number (x))
    return NULL;
  if (x->kind != TS_CONST_FLOAT)
    return ts_const_int (call->eval, x->i);
  return int_of_double (call->eval, strcmp (call->name, "math.ceil") == 0 ? ceil (x->f) : floor (x->f));
}

/* Where log (x, base) raises no exception. */
static gboolean
is_logarithm (double x, double base)
{
  return x > 0 && base > 0 && base != 1;
}

/* Functions of two numbers; log (x, base) is the quotient of two logarithms. */
const TsConst *
ts_builtin_math2 (const TsBuiltinCall *call)
{
  static const struct { const char *name; double (*function) (double, double); } functions[] = {
    { "math.fmod", fmod }, { "math.pow", pow }, { "math.copysign", copysign }, { "math.hypot", hypot }, { "math.atan2", atan2 },
  };
  const TsConst *x = ts_builtin_argument (call, 0), *y = ts_builtin_argument (call, 1);
  double result = NAN;

  if (x == NULL || y == NULL || call->arguments->n != 2 || !ts_const_is_number (x) || !ts_const_is_number (y))
    return NULL;
  if (strcmp (call->name, "math.log") == 0 && is_logarithm (ts_const_as_double (x), ts_const_as_double (y)))
    result = log (ts_const_as_double (x)) / log (ts_const_as_double (y));
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    if (strcmp (functions[i].name, call->name) == 0)
      result = functions[i].function (ts_const_as_double (x), ts_const_as_double (y));
  return isfinite (result) ? ts_const_float (call->eval, result) : NULL;
}

const TsConst *
ts_builtin_math (const TsBuiltinCall *call)
{
  static const struct { const char *name; double (*function) (double); } functions[] = {
    { "math.sqrt", sqrt }, { "math.log2", log2 }, { "math.log", log }, { "math.log10", log10 }, { "math.exp", exp },
    { "math.fabs", fabs }, { "math.sin", sin }, { "math.cos", cos }, { "math.tan", tan }, { "math.tanh", tanh },
  };
  const TsConst *x = ts_builtin_argument (call, 0);
  double result;

  if (call->arguments->n == 2)
    return ts_builtin_math2 (call);
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
const TsConst *
ts_builtin_isqrt (const TsBuiltinCall *call)
{
  const TsConst *x = ts_builtin_argument (call, 0);
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

static gboolean
gcd_of (guint64 x, guint64 y, guint64 *out)
{
  while (y != 0)
    {
      guint64 rest = x % y;

      x = y;
      y = rest;
    }
  *out = x;
  return TRUE;
}

/* gcd (a, b, ...) and lcm (a, b, ...) */
const TsConst *
ts_builtin_gcd (const TsBuiltinCall *call)
{
  gboolean least = strcmp (call->name, "math.lcm") == 0;
  guint64 result = least ? 1 : 0, common, product;

  for (guint i = 0; i < call->arguments->n; i++)
    {
      const TsConst *a = call->arguments->items[i];
      guint64 x = a->kind == TS_CONST_INT && a->i < 0 ? -(guint64) a->i : (guint64) a->i;

      if (a->kind != TS_CONST_INT || !gcd_of (result, x, &common))
        return NULL;
      if (!least)
        result = common;
      else if (x == 0 || result == 0)
        result = 0;
      else if (__builtin_mul_overflow (result / common, x, &product))
        return NULL;
      else
        result = product;
    }
  return result <= (guint64) G_MAXINT64 ? ts_const_int (call->eval, (gint64) result) : NULL;
}

/* comb (n, k), perm (n, k), factorial (n) */
const TsConst *
ts_builtin_choose (const TsBuiltinCall *call)
{
  const TsConst *n = ts_builtin_argument (call, 0), *k = ts_builtin_argument (call, 1);
  gboolean choose = strcmp (call->name, "math.comb") == 0;
  gint64 result = 1, count;

  if (n == NULL || n->kind != TS_CONST_INT || n->i < 0 || (k != NULL && (k->kind != TS_CONST_INT || k->i < 0))
      || (choose && k == NULL))
    return NULL;
  count = k != NULL ? k->i : n->i;
  if (count > n->i)
    return ts_const_int (call->eval, 0);
  if (choose)
    count = MIN (count, n->i - count);
  for (gint64 i = 0; i < count; i++)
    {
      if (!ts_mul (result, n->i - i, &result))
        return NULL;
      if (choose)
        result /= i + 1;
    }
  return ts_const_int (call->eval, result);
}
