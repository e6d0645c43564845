/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers and strings of Python text. */
#include "lang/pypto/lexer-private.h"

#include <string.h>

#include "base/number.h"

static guint
digit_value (char c)
{
  return c >= '0' && c <= '9' ? (guint) (c - '0') : c >= 'a' && c <= 'f' ? (guint) (c - 'a') + 10
         : c >= 'A' && c <= 'F' ? (guint) (c - 'A') + 10 : 99;
}

static inline gboolean
is_digit (char c)
{
  return c >= '0' && c <= '9';
}

/* Digits with single underscores between them. Returns where they end. */
static const char *
skip_digits (const char *p, guint base)
{
  while (digit_value (*p) < base || (*p == '_' && digit_value (p[1]) < base))
    p++;
  return p;
}

/* What is beyond 2^63 - 1 is given less 2^64: a constant of type UINT64, or one with a minus sign. The reader sees to that. */
static gboolean
parse_digits (const char *p, const char *end, guint base, gint64 *out)
{
  guint64 value = 0;

  for (; p < end; p++)
    if (*p != '_')
      {
        if (!g_uint64_checked_mul (&value, value, base) || !g_uint64_checked_add (&value, value, digit_value (*p)))
          return FALSE;
      }
  *out = (gint64) value;
  return TRUE;
}

/* 15 digits and a small power of ten are exact in a double, and so is their quotient once rounded. */
static gboolean
parse_short_float (const char *p, const char *end, double *out)
{
  static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
  gint64 mantissa = 0;
  guint after_point = 0;
  gboolean point = FALSE;

  if (end - p > 16)
    return FALSE;
  for (; p < end; p++)
    if (is_digit (*p))
      {
        mantissa = mantissa * 10 + (*p - '0');
        after_point += point;
      }
    else if (*p == '.')
      point = TRUE;
    else
      return FALSE;
  *out = (double) mantissa / powers[after_point];
  return TRUE;
}

static void
parse_float (TsLexer *lexer, TsToken *token, const char *start, const char *end)
{
  token->kind = TS_TOKEN_FLOAT;
  if (parse_short_float (start, end, &token->f))
    return;
  g_string_truncate (lexer->scratch, 0);
  for (const char *p = start; p < end; p++)
    if (*p != '_')
      g_string_append_c (lexer->scratch, *p);
  token->f = g_ascii_strtod (lexer->scratch->str, NULL);
}

static const char *
scan_float_tail (const char *p, gboolean *is_float)
{
  if (*p == '.')
    {
      *is_float = TRUE;
      p = skip_digits (p + 1, 10);
    }
  if ((*p == 'e' || *p == 'E') && (is_digit (p[1]) || ((p[1] == '+' || p[1] == '-') && is_digit (p[2]))))
    {
      *is_float = TRUE;
      p = skip_digits (p + 2, 10);
    }
  return p;
}

static void
finish_integer (TsLexer *lexer, TsToken *token, const char *digits, const char *end, guint base)
{
  token->kind = TS_TOKEN_INT;
  if (digits == end)
    {
      token->kind = TS_TOKEN_BAD;
      ts_lexer_report (lexer, "syntax", token->offset, (guint32) (end - lexer->text), "a number without digits");
    }
  else if (!parse_digits (digits, end, base, &token->i))
    {
      token->kind = TS_TOKEN_BAD;
      ts_lexer_report (lexer, "limit", token->offset, (guint32) (end - lexer->text), "an integer that does not fit in 64 bits");
    }
}

/* 0777: Python refuses it, since other languages read it as octal; zeros alone are zero. */
static gboolean
has_leading_zero (const char *digits, const char *end)
{
  if (*digits != '0')
    return FALSE;
  while (digits < end && (*digits == '0' || *digits == '_'))
    digits++;
  return digits < end;
}

void
ts_lexer_scan_number (TsLexer *lexer, TsToken *token)
{
  const char *start = lexer->text + lexer->position;
  char mark = (char) (start[0] == '0' ? start[1] | 0x20 : 0);
  guint base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
  gboolean is_float = FALSE;
  const char *digits = base == 10 ? start : start + 2;
  const char *p = skip_digits (digits + (base != 10 && *digits == '_'), base);

  if (base == 10)
    p = scan_float_tail (p, &is_float);
  lexer->position = (guint32) (p - lexer->text);
  if (p - start > (gssize) TS_MAX_NUMBER_LENGTH)
    {
      ts_lexer_report (lexer, "limit", token->offset, lexer->position, "a number of more than %u characters", TS_MAX_NUMBER_LENGTH);
      token->kind = TS_TOKEN_BAD;
    }
  else if (base == 10 && (*p == 'j' || *p == 'J'))
    {
      lexer->position++;
      token->kind = TS_TOKEN_COMPLEX;
    }
  else if (is_float)
    parse_float (lexer, token, start, p);
  else if (base == 10 && has_leading_zero (start, p))
    {
      ts_lexer_report (lexer, "syntax", token->offset, lexer->position,
                       "leading zeros in a decimal integer are not permitted; an octal integer has the prefix 0o");
      token->kind = TS_TOKEN_BAD;
    }
  else
    finish_integer (lexer, token, digits, p, base);
}

/* --- strings ------------------------------------------------------------------------------------------------------------- */

enum { PREFIX_RAW = 1, PREFIX_BYTES = 2, PREFIX_FORMAT = 4, PREFIX_TEMPLATE = 8 };

static const char *find_format_close (const char *p, const char *end, const char *open, guint depth);

static guint
append_code_point (GString *out, const char *p, guint n_digits)
{
  gunichar c = 0;
  guint i;

  for (i = 0; i < n_digits && digit_value (p[i]) < 16; i++)
    c = c * 16 + digit_value (p[i]);
  if (g_unichar_validate (c))
    g_string_append_unichar (out, c);
  else
    g_string_append (out, "\xef\xbf\xbd");
  return i;
}

static const struct { const char *name; gunichar c; } named_characters[] = {
#define TS_CHARACTER(name, c) { name, c },
#include "lang/pypto/characters.def"
#undef TS_CHARACTER
};

/* {BULLET}: appends the character and returns the bytes it took; 0: a name that the table does not have. */
static guint
append_named (GString *out, const char *p)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 -()";
  const char *close = *p == '{' ? p + 1 + strspn (p + 1, letters) : NULL;

  for (guint i = 0; close != NULL && *close == '}' && i < G_N_ELEMENTS (named_characters); i++)
    if (strlen (named_characters[i].name) == (gsize) (close - p - 1)
        && g_ascii_strncasecmp (named_characters[i].name, p + 1, (gsize) (close - p - 1)) == 0)
      {
        g_string_append_unichar (out, named_characters[i].c);
        return (guint) (close - p + 1);
      }
  return 0;
}

/* Decodes the escape behind a backslash at `p`; returns the bytes it took. An unknown one keeps its backslash, as in Python. */
static guint
decode_escape (GString *out, const char *p)
{
  static const char letters[] = "abfnrtv\\'\"";
  static const char values[] = "\a\b\f\n\r\t\v\\'\"";
  const char *letter = *p != '\0' ? strchr (letters, *p) : NULL;
  guint length = 0;
  gunichar value = 0;

  if (letter != NULL)
    {
      g_string_append_c (out, values[letter - letters]);
      return 1;
    }
  switch (*p)
    {
    case '\n': return 1;
    case '\r': return p[1] == '\n' ? 2 : 1;
    case 'x': return 1 + append_code_point (out, p + 1, 2);
    case 'u': return 1 + append_code_point (out, p + 1, 4);
    case 'U': return 1 + append_code_point (out, p + 1, 8);
    case 'N':
      if ((length = append_named (out, p + 1)) > 0)
        return 1 + length;
      break;
    default: break;
    }
  for (; length < 3 && p[length] >= '0' && p[length] <= '7'; length++)
    value = value * 8 + digit_value (p[length]);
  if (length > 0)
    g_string_append_unichar (out, value);
  else
    g_string_append_c (out, '\\');
  return length;
}

static gboolean
is_triple (const char *open)
{
  return open[1] == *open && open[2] == *open;
}

/* Where the closing quotes begin; NULL when the string is not closed. */
static const char *
find_close (const char *p, const char *end, char quote, gboolean triple)
{
  for (; p < end; p++)
    if (*p == '\\')
      p++;
    else if (*p == quote && (!triple || (p[1] == quote && p[2] == quote)))
      return p;
    else if (!triple && (*p == '\n' || *p == '\r'))
      return NULL;
  return NULL;
}

/* --- f-strings: what stands in their braces may hold strings with the same quotes, and lines --------------------------------- */

/* f-strings in f-strings: Python itself stops at 150. */
#define MAX_FORMAT_DEPTH 32u

/* Behind a string that opens at `p` in the braces of an f-string; NULL when it is not closed. */
static const char *
skip_inner_string (const char *p, const char *end, guint depth)
{
  gboolean is_format = strchr ("fFtT", p[-1]) != NULL || (strchr ("rR", p[-1]) != NULL && strchr ("fFtT", p[-2]) != NULL);
  gboolean triple = is_triple (p);
  const char *close;

  if (is_format)
    return find_format_close (p + (triple ? 3 : 1), end, p, depth + 1);
  close = find_close (p + (triple ? 3 : 1), end, *p, triple);
  return close != NULL ? close + (triple ? 3 : 1) : NULL;
}

/* Behind the field whose '{' stands before `p`. Behind a ':' comes the format, plain text with fields of its own. */
static const char *
skip_field (const char *p, const char *end, guint depth)
{
  guint brackets = 0;
  gboolean in_format = FALSE;

  if (depth >= MAX_FORMAT_DEPTH)
    return NULL;
  while (p != NULL && p < end)
    if (*p == '}' && brackets == 0)
      return p + 1;
    else if (in_format)
      p = *p == '{' ? skip_field (p + 1, end, depth + 1) : p + 1;
    else if (*p == '"' || *p == '\'')
      p = skip_inner_string (p, end, depth);
    else
      {
        in_format = *p == ':' && brackets == 0;
        brackets += strchr ("([{", *p) != NULL;
        brackets -= brackets > 0 && strchr (")]}", *p) != NULL;
        p++;
      }
  return NULL;
}

/* Behind the closing quotes of the f-string that opens with the quote at `open`; NULL when its braces or quotes do not close. */
static const char *
find_format_close (const char *p, const char *end, const char *open, guint depth)
{
  gboolean triple = is_triple (open);

  end = MIN (end, open + TS_MAX_STRING_LENGTH);
  while (p != NULL && p < end)
    if (*p == '\\')
      p += 2;
    else if (*p == '{')
      p = p[1] == '{' ? p + 2 : skip_field (p + 1, end, depth);
    else if (*p == *open && (!triple || (p[1] == *open && p[2] == *open)))
      return p + (triple ? 3 : 1);
    else if (!triple && (*p == '\n' || *p == '\r'))
      return NULL;
    else
      p++;
  return NULL;
}

/* Where the closing quotes begin. An f-string whose braces make no sense ends where a plain string would. */
static const char *
find_quotes (const TsLexer *lexer, const char *open, guint prefix)
{
  const char *end = lexer->text + lexer->length;
  gboolean triple = is_triple (open);
  const char *first = open + (triple ? 3 : 1);
  const char *behind = (prefix & PREFIX_FORMAT) != 0 ? find_format_close (first, end, open, 0) : NULL;

  return behind != NULL ? behind - (triple ? 3 : 1) : find_close (first, end, *open, triple);
}

/* The text of an f-string between its fields, which stay as they are. A brace that an escape gives stands twice, as one that is
 * meant does in the file. */
static void
decode_format (GString *out, const char *p, const char *end)
{
  while (p < end)
    if (*p == '\\' && p + 1 < end)
      {
        gsize before = out->len;

        p += 1 + decode_escape (out, p + 1);
        if (out->len == before + 1 && (out->str[before] == '{' || out->str[before] == '}'))
          g_string_append_c (out, out->str[before]);
      }
    else
      {
        const char *field = *p == '{' && p[1] != '{' ? skip_field (p + 1, end, 0) : NULL;
        const char *next = field != NULL ? field : p + (*p == '{' && p[1] == '{' ? 2 : 1);

        g_string_append_len (out, p, next - p);
        p = next;
      }
}

static void
decode_string (GString *out, const char *p, const char *end)
{
  while (p < end)
    {
      const char *mark = memchr (p, '\\', (gsize) (end - p));

      g_string_append_len (out, p, (mark != NULL ? mark : end) - p);
      p = mark == NULL ? end : mark + 1 + decode_escape (out, mark + 1);
    }
}

/* "\N{...}" with a name that the table does not have: nobody knows what the string holds. */
static gboolean
has_unknown_name (const char *p, const char *end)
{
  for (; p + 2 < end; p++)
    if (*p == '\\')
      {
        g_autoptr (GString) character = g_string_new (NULL);

        if (p[1] == 'N' && p[2] == '{' && append_named (character, p + 2) == 0)
          return TRUE;
        p++;
      }
  return FALSE;
}

static void
store_string (TsLexer *lexer, TsToken *token, const char *p, const char *end, guint prefix)
{
  GString *out = lexer->scratch;
  gboolean is_raw = (prefix & PREFIX_RAW) != 0;

  g_string_truncate (out, 0);
  if (is_raw)
    g_string_append_len (out, p, end - p);
  else if ((prefix & PREFIX_FORMAT) != 0)
    decode_format (out, p, end);
  else
    decode_string (out, p, end);
  if ((prefix & (PREFIX_BYTES | PREFIX_TEMPLATE)) != 0 || (!is_raw && has_unknown_name (p, end)))
    {
      /* Nobody asks what is in it. */
      token->text = out->str;
      token->kind = TS_TOKEN_BYTES;
      return;
    }
  if (!g_utf8_validate_len (out->str, out->len, NULL))
    {
      g_autofree char *valid = g_utf8_make_valid (out->str, (gssize) out->len);

      ts_lexer_report (lexer, "bad-utf8", token->offset, lexer->position, "a string that is not UTF-8 or holds a NUL byte");
      g_string_assign (out, valid);
    }
  token->text = out->str;
  token->kind = (prefix & PREFIX_FORMAT) != 0 ? TS_TOKEN_FSTRING : TS_TOKEN_STRING;
}

static void
scan_quoted (TsLexer *lexer, TsToken *token, const char *open, guint prefix)
{
  gboolean triple = is_triple (open);
  const char *first = open + (triple ? 3 : 1);
  const char *close = find_quotes (lexer, open, prefix);

  token->kind = TS_TOKEN_BAD;
  if (close == NULL)
    {
      guint32 start = (guint32) (open - lexer->text);

      ts_lexer_report (lexer, "syntax", start, start + 1, "the string is never closed");
      lexer->position = triple ? lexer->length : start + 1;
      while (lexer->position < lexer->length && lexer->text[lexer->position] != '\n' && lexer->text[lexer->position] != '\r')
        lexer->position++;
      return;
    }
  lexer->position = (guint32) (close + (triple ? 3 : 1) - lexer->text);
  if (close - first > (gssize) TS_MAX_STRING_LENGTH)
    ts_lexer_report (lexer, "limit", token->offset, token->offset + 1, "a string longer than %u bytes", TS_MAX_STRING_LENGTH);
  else
    store_string (lexer, token, first, close, prefix);
}

void
ts_lexer_scan_string (TsLexer *lexer, TsToken *token, guint32 start, guint32 prefix_length)
{
  guint prefix = 0;

  for (guint32 i = 0; i < prefix_length; i++)
    switch (lexer->text[start + i] | 0x20)
      {
      case 'r': prefix |= PREFIX_RAW; break;
      case 'b': prefix |= PREFIX_BYTES; break;
      case 'f': prefix |= PREFIX_FORMAT; break;
      case 't': prefix |= PREFIX_FORMAT | PREFIX_TEMPLATE; break;
      default: break;
      }
  scan_quoted (lexer, token, lexer->text + start + prefix_length, prefix);
}

gboolean
ts_lexer_scan_prefixed_string (TsLexer *lexer, TsToken *token, guint32 prefix_length)
{
  static const char *const prefixes[] = { "r", "b", "f", "u", "br", "rb", "fr", "rf", "t", "tr", "rt" };
  const char *start = lexer->text + lexer->position;

  for (guint i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (strlen (prefixes[i]) == prefix_length && g_ascii_strncasecmp (prefixes[i], start, prefix_length) == 0)
      {
        ts_lexer_scan_string (lexer, token, lexer->position, prefix_length);
        return TRUE;
      }
  return FALSE;
}

/* --- adjacent strings ------------------------------------------------------------------------------------------------------ */

/* Braces of a plain string mean nothing: in an f-string they stand twice. */
static void
double_braces (GString *text)
{
  g_string_replace (text, "{", "{{", 0);
  g_string_replace (text, "}", "}}", 0);
}

gboolean
ts_string_join (GString *joined, gboolean is_format, const TsToken *token)
{
  gboolean adds_format = token->kind == TS_TOKEN_FSTRING;
  g_autoptr (GString) added = g_string_new (token->text);

  if (!is_format && adds_format)
    double_braces (joined);
  if (is_format && !adds_format)
    double_braces (added);
  g_string_append_len (joined, added->str, (gssize) added->len);
  return is_format || adds_format;
}
