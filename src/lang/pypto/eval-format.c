/* SPDX-License-Identifier: GPL-3.0-or-later */
/* f-strings: their text between the fields, the values of the fields, and how Python writes those. What it writes in a way that is
 * not modelled here is left to the caller, who keeps it open. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "lang/pypto/eval-format.h"

#define MAX_WIDTH 1000u

/* --- the parts of an f-string --------------------------------------------------------------------------------------------- */

/* Behind the string that opens at `p`, with whatever quotes. */
static const char *
skip_quotes (const char *p)
{
  char quote = *p++;

  for (; *p != '\0' && *p != quote; p++)
    p += *p == '\\' && p[1] != '\0';
  return *p != '\0' ? p + 1 : p;
}

/* Where the expression of a field ends: at "!r", ":", "=" before one of them, or "}". */
static const char *
end_of_expression (const char *p)
{
  guint depth = 0;

  while (*p != '\0')
    if (*p == '"' || *p == '\'')
      p = skip_quotes (p);
    else if (depth == 0 && (*p == '}' || *p == ':' || (*p == '!' && p[1] != '=')))
      break;
    else
      {
        depth += strchr ("([{", *p) != NULL;
        depth -= depth > 0 && strchr (")]}", *p) != NULL;
        p++;
      }
  return p;
}

/* Behind the format of a field, which may hold fields itself. */
static const char *
end_of_spec (const char *p)
{
  guint depth = 0;

  for (; *p != '\0' && (*p != '}' || depth > 0); p++)
    {
      depth += *p == '{';
      depth -= *p == '}';
    }
  return p;
}

/* "x = " in a field prints itself before its value, blanks and all. */
static void
split_equals (TsFormatPart *part)
{
  gsize length = strlen (part->text);

  while (length > 0 && part->text[length - 1] == ' ')
    length--;
  if (length < 2 || part->text[length - 1] != '=' || strchr ("=!<>", part->text[length - 2]) != NULL)
    return;
  part->shown = g_strdup (part->text);
  part->text[length - 1] = '\0';
}

static const char *
read_field (const char *p, TsFormatPart *part)
{
  const char *end = end_of_expression (p);

  part->is_field = TRUE;
  part->text = g_strndup (p, (gsize) (end - p));
  if (end[0] == '!' && end[1] != '\0')
    {
      part->conversion = end[1];
      end += 2;
    }
  if (*end == ':')
    {
      const char *close = end_of_spec (end + 1);

      part->spec = g_strndup (end + 1, (gsize) (close - end - 1));
      end = close;
    }
  split_equals (part);
  g_strstrip (part->text);
  return *end == '}' ? end + 1 : NULL;
}

gboolean
ts_format_next (const char **text, TsFormatPart *part)
{
  g_autoptr (GString) plain = g_string_new (NULL);
  const char *p = *text;

  *part = (TsFormatPart) { 0 };
  if (p == NULL || *p == '\0')
    return FALSE;
  for (; *p != '\0'; p++)
    {
      if ((*p == '{' || *p == '}') && p[1] == *p)
        p++;
      else if (*p == '{')
        break;
      g_string_append_c (plain, *p);
    }
  if (plain->len > 0)
    {
      part->text = g_string_free (g_steal_pointer (&plain), FALSE);
      *text = p;
      return TRUE;
    }
  *text = read_field (p + 1, part);
  part->is_broken = *text == NULL;
  return TRUE;
}

void
ts_format_part_clear (TsFormatPart *part)
{
  g_free (part->text);
  g_free (part->shown);
  g_free (part->spec);
}

/* --- how Python writes values ----------------------------------------------------------------------------------------------- */

/* The shortest digits that give the number again; with an exponent below 1e-4 and from 1e16 on. */
static void
append_float (GString *out, double value)
{
  char buffer[64], *mark;
  gint exponent, n;

  if (!isfinite (value))
    {
      g_string_append (out, isnan (value) ? "nan" : value > 0 ? "inf" : "-inf");
      return;
    }
  for (n = 0; n < 17; n++)
    {
      g_autofree char *format = g_strdup_printf ("%%.%de", n);

      g_ascii_formatd (buffer, sizeof buffer, format, value);
      if (g_ascii_strtod (buffer, NULL) == value)
        break;
    }
  mark = strchr (buffer, 'e');
  exponent = (gint) g_ascii_strtoll (mark + 1, NULL, 10);
  if (exponent >= -4 && exponent < 16)
    {
      g_autofree char *format = g_strdup_printf ("%%.%df", MAX (n - exponent, 1));

      g_ascii_formatd (buffer, sizeof buffer, format, value);
    }
  g_string_append (out, buffer);
}

static void
append_quoted (GString *out, const char *text)
{
  char quote = strchr (text, '\'') != NULL && strchr (text, '"') == NULL ? '"' : '\'';

  g_string_append_c (out, quote);
  for (; *text != '\0'; text++)
    if (*text == quote || *text == '\\')
      g_string_append_printf (out, "\\%c", *text);
    else if (*text == '\n')
      g_string_append (out, "\\n");
    else if (*text == '\r')
      g_string_append (out, "\\r");
    else if (*text == '\t')
      g_string_append (out, "\\t");
    else if ((guchar) *text < 0x20 || *text == 0x7f)
      g_string_append_printf (out, "\\x%02x", (guchar) *text);
    else
      g_string_append_c (out, *text);
  g_string_append_c (out, quote);
}

/* A letter that Python does not print as itself in repr() is rare: of what is not ASCII only what prints is known. */
static gboolean
prints_as_itself (const char *text)
{
  for (; *text != '\0'; text = g_utf8_next_char (text))
    if ((guchar) *text >= 0x80 && (!g_unichar_isprint (g_utf8_get_char (text)) || g_unichar_isspace (g_utf8_get_char (text))))
      return FALSE;
  return TRUE;
}

static gboolean append_repr (GString *out, const TsConst *value, guint depth);

static gboolean
append_sequence (GString *out, const TsConst *value, guint depth)
{
  gboolean is_tuple = value->kind == TS_CONST_TUPLE, is_dict = value->kind == TS_CONST_DICT;

  if (depth > 50 || value->detail != 0 || out->len > 100000)
    return FALSE;
  g_string_append (out, is_dict ? "{" : is_tuple ? "(" : "[");
  for (guint i = 0; i < value->n; i++)
    {
      if (i > 0)
        g_string_append (out, is_dict && i % 2 == 1 ? ": " : ", ");
      if (!append_repr (out, value->items[i], depth + 1))
        return FALSE;
    }
  g_string_append (out, is_dict ? "}" : is_tuple ? value->n == 1 ? ",)" : ")" : "]");
  return TRUE;
}

static gboolean
append_repr (GString *out, const TsConst *value, guint depth)
{
  switch ((TsConstKind) value->kind)
    {
    case TS_CONST_NONE: g_string_append (out, "None"); return TRUE;
    case TS_CONST_BOOL: g_string_append (out, value->i != 0 ? "True" : "False"); return TRUE;
    case TS_CONST_INT: ts_append_int (out, value->i); return TRUE;
    case TS_CONST_FLOAT: append_float (out, value->f); return TRUE;
    case TS_CONST_STRING: append_quoted (out, value->text); return prints_as_itself (value->text);
    case TS_CONST_TUPLE:
    case TS_CONST_LIST:
    case TS_CONST_DICT: return append_sequence (out, value, depth);
    default: return FALSE;
    }
}

/* --- formats -------------------------------------------------------------------------------------------------------------- */

/* [[fill]align][sign][#][0][width][grouping][.precision][type] */
typedef struct
{
  gunichar fill;
  char     align; /* '\0': as the value has it */
  char     sign;
  gboolean alternate;
  guint    width;
  char     grouping;
  gint     precision; /* -1: none */
  char     type;
} Spec;

static gboolean
read_number (const char **p, guint *out)
{
  for (*out = 0; g_ascii_isdigit (**p); (*p)++)
    if ((*out = *out * 10 + (guint) (**p - '0')) > MAX_WIDTH)
      return FALSE;
  return TRUE;
}

static gboolean
read_spec (const char *p, Spec *spec)
{
  const char *next = *p != '\0' ? g_utf8_next_char (p) : p;
  guint precision;

  *spec = (Spec) { .fill = ' ', .sign = '-', .precision = -1 };
  if (*p != '\0' && *next != '\0' && strchr ("<>=^", *next) != NULL)
    {
      spec->fill = g_utf8_get_char (p);
      spec->align = *next;
      p = next + 1;
    }
  else if (*p != '\0' && strchr ("<>=^", *p) != NULL)
    spec->align = *p++;
  if (*p != '\0' && strchr ("+- ", *p) != NULL)
    spec->sign = *p++;
  spec->alternate = *p == '#';
  p += spec->alternate;
  if (*p == '0' && spec->align == '\0')
    {
      spec->fill = '0';
      spec->align = '=';
    }
  if (!read_number (&p, &spec->width))
    return FALSE;
  if (*p == ',' || *p == '_')
    spec->grouping = *p++;
  if (*p == '.')
    {
      p++;
      if (!g_ascii_isdigit (*p) || !read_number (&p, &precision))
        return FALSE;
      spec->precision = (gint) precision;
    }
  if (*p != '\0')
    spec->type = *p++;
  return *p == '\0';
}

static void
append_fill (GString *out, gunichar fill, guint n)
{
  for (guint i = 0; i < n; i++)
    g_string_append_unichar (out, fill);
}

/* `sign` (with a prefix such as 0x) and `body`, filled up to the width. */
static void
append_aligned (GString *out, const Spec *spec, const char *sign, const char *body, char natural)
{
  guint length = (guint) (g_utf8_strlen (sign, -1) + g_utf8_strlen (body, -1));
  guint n = spec->width > length ? spec->width - length : 0;
  char align = spec->align != '\0' ? spec->align : natural;
  guint before = align == '<' ? 0 : align == '^' ? n / 2 : n;

  if (align != '=')
    append_fill (out, spec->fill, before);
  g_string_append (out, sign);
  if (align == '=')
    append_fill (out, spec->fill, n);
  g_string_append (out, body);
  if (align != '=')
    append_fill (out, spec->fill, n - before);
}

static const char *
sign_of (const Spec *spec, gboolean negative)
{
  return negative ? "-" : spec->sign == '+' ? "+" : spec->sign == ' ' ? " " : "";
}

static char *
digits_of (guint64 value, guint base, gboolean upper, char grouping)
{
  const char *letters = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  guint every = base == 10 ? 3 : 4;
  GString *out = g_string_new (NULL);

  for (guint i = 0; i == 0 || value != 0; i++, value /= base)
    {
      if (grouping != '\0' && i > 0 && i % every == 0)
        g_string_prepend_c (out, grouping);
      g_string_prepend_c (out, letters[value % base]);
    }
  return g_string_free (out, FALSE);
}

static gboolean
format_integer (GString *out, const Spec *spec, gint64 value)
{
  guint base = spec->type == 'x' || spec->type == 'X' ? 16 : spec->type == 'o' ? 8 : spec->type == 'b' ? 2 : 10;
  guint64 size = value < 0 ? 0 - (guint64) value : (guint64) value;
  g_autofree char *digits = NULL, *sign = NULL;

  /* Zeros in front would be grouped as well. */
  if (spec->precision >= 0 || (spec->grouping != '\0' && spec->align == '=') || (spec->grouping == ',' && base != 10))
    return FALSE;
  digits = digits_of (size, base, spec->type == 'X', spec->grouping);
  sign = g_strdup_printf ("%s%s%c", sign_of (spec, value < 0), spec->alternate && base != 10 ? "0" : "",
                          spec->alternate && base != 10 ? spec->type : '\0');
  append_aligned (out, spec, sign, digits, '>');
  return TRUE;
}

static gboolean
format_float (GString *out, const Spec *spec, double value)
{
  g_autoptr (GString) body = g_string_new (NULL);
  g_autofree char *format = NULL;
  char buffer[1500];
  gboolean is_percent = spec->type == '%';

  if (spec->grouping != '\0' || spec->alternate || !isfinite (value))
    return FALSE;
  if (spec->type == '\0' && spec->precision >= 0)
    return FALSE;
  if (spec->type == '\0')
    append_float (body, fabs (value));
  else
    {
      format = g_strdup_printf ("%%.%d%c", spec->precision >= 0 ? spec->precision : 6, is_percent ? 'f' : spec->type);
      g_string_append (body, g_ascii_formatd (buffer, sizeof buffer, format, is_percent ? fabs (value) * 100 : fabs (value)));
      g_string_append (body, is_percent ? "%" : "");
    }
  append_aligned (out, spec, sign_of (spec, signbit (value)), body->str, '>');
  return TRUE;
}

static gboolean
format_text (GString *out, const Spec *spec, const char *text)
{
  g_autofree char *cut = spec->precision >= 0 ? g_utf8_substring (text, 0, MIN (spec->precision, g_utf8_strlen (text, -1)))
                                              : g_strdup (text);

  if (spec->align == '=' || spec->sign != '-' || spec->alternate || spec->grouping != '\0'
      || (spec->type != '\0' && spec->type != 's'))
    return FALSE;
  append_aligned (out, spec, "", cut, '<');
  return TRUE;
}

static gboolean
format_spec (GString *out, const TsConst *value, const char *text)
{
  Spec spec;

  if (!read_spec (text, &spec))
    return FALSE;
  if (value->kind == TS_CONST_STRING)
    return format_text (out, &spec, value->text);
  if (!ts_const_is_number (value))
    return FALSE;
  if (value->kind != TS_CONST_FLOAT && (spec.type == '\0' || strchr ("dxXob", spec.type) != NULL))
    return format_integer (out, &spec, value->i);
  if (spec.type == '\0' || strchr ("eEfFgG%", spec.type) != NULL)
    return format_float (out, &spec, ts_const_as_double (value));
  return FALSE;
}

gboolean
ts_format_value (GString *out, const TsConst *value, char conversion, const char *spec)
{
  g_autoptr (GString) text = g_string_new (NULL);
  TsConst as_text = { .kind = TS_CONST_STRING };
  gboolean plain = conversion == '\0' && (spec == NULL || *spec == '\0');

  if (value->kind == TS_CONST_STRING && conversion != 'r')
    g_string_append (text, value->text);
  else if (conversion != '\0' || plain)
    {
      if ((conversion != '\0' && conversion != 'r' && conversion != 's') || !append_repr (text, value, 0))
        return FALSE;
    }
  if (spec == NULL || *spec == '\0')
    {
      g_string_append (out, text->str);
      return TRUE;
    }
  as_text.text = text->str;
  return format_spec (out, conversion != '\0' ? &as_text : value, spec);
}

/* --- whole f-strings -------------------------------------------------------------------------------------------------------- */

/* Equal texts give one tree: an f-string of a loop is met often. */
const TsNode *
ts_format_expression (TsEval *eval, const char *text)
{
  const char *name = ts_eval_intern (eval, text);
  g_autoptr (TsDiagList) silent = NULL;
  TsSource *source;
  TsParser *parser;
  gpointer known;

  if (g_hash_table_lookup_extended (eval->formats, name, NULL, &known))
    return known;
  silent = ts_diag_list_new ();
  source = ts_source_new_text ("f-string", name);
  parser = ts_parser_new (source, 0, eval->lexicon, silent);
  g_ptr_array_add (eval->sources, source);
  g_ptr_array_add (eval->parsers, parser);
  known = ts_parser_lone_expression (parser);
  if (ts_diag_list_has_errors (silent))
    known = NULL;
  g_hash_table_insert (eval->formats, (gpointer) name, known);
  return known;
}

/* The value of a field as text; FALSE when it has none. `why` gets the reason. */
static gboolean
format_field (TsEval *eval, TsScope *scope, const TsNode *node, const TsFormatPart *part, GString *out, const TsConst **why)
{
  const TsNode *expression = part->is_broken ? NULL : ts_format_expression (eval, part->text);
  const TsConst *value = expression != NULL ? ts_eval_node (eval, scope, expression) : NULL;
  char conversion = part->conversion;
  const TsConst *spec = part->spec != NULL ? ts_eval_format (eval, scope, node, part->spec) : NULL;

  if (value != NULL && value->kind == TS_CONST_OPAQUE)
    *why = value;
  if (value == NULL || value->kind == TS_CONST_OPAQUE || (spec != NULL && spec->kind != TS_CONST_STRING))
    return FALSE;
  /* {x=} shows repr (x), unless it is formatted. */
  if (part->shown != NULL && conversion == '\0' && spec == NULL)
    conversion = 'r';
  g_string_append (out, part->shown != NULL ? part->shown : "");
  return ts_format_value (out, value, conversion, spec != NULL ? spec->text : NULL);
}

const TsConst *
ts_eval_format (TsEval *eval, TsScope *scope, const TsNode *node, const char *text)
{
  g_autoptr (GString) out = g_string_new (NULL);
  const TsConst *why = NULL;
  gboolean good = eval->nesting < TS_EVAL_NESTING;
  TsFormatPart part;

  eval->nesting++;
  while (good && ts_format_next (&text, &part))
    {
      if (part.is_field)
        good = format_field (eval, scope, node, &part, out, &why) && out->len <= TS_EVAL_ITEMS;
      else
        g_string_append (out, part.text);
      ts_format_part_clear (&part);
    }
  eval->nesting--;
  if (good)
    return ts_const_text (eval, TS_CONST_STRING, out->str);
  return why != NULL ? ts_const_opaque (eval, scope, node->offset, "an f-string with a part that has no value: %s", why->text)
                     : ts_const_opaque (eval, scope, node->offset, "an f-string with a part that is not evaluated");
}
