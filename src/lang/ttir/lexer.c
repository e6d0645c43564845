/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/ttir/lexer.h"

#include <string.h>

void
tt_lexer_init (TtLexer *lexer, const char *text, guint32 start, guint32 end)
{
  *lexer = (TtLexer) { .text = text, .length = end, .at = start };
  tt_lexer_next (lexer);
}

void
tt_lexer_seek (TtLexer *lexer, guint32 at)
{
  lexer->at = at;
  tt_lexer_next (lexer);
}

static gboolean
is_name_char (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '$' || c == '.' || c == '-';
}

static gboolean
is_word_char (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '$' || c == '.';
}

static char
peek (const TtLexer *lexer, guint32 ahead)
{
  return lexer->at + ahead < lexer->length ? lexer->text[lexer->at + ahead] : '\0';
}

/* Returns whether a line ended on the way. A byte order mark, which some editors write, is space at the start of the text. */
static gboolean
skip_space (TtLexer *lexer)
{
  gboolean new_line = lexer->at == 0;

  if (lexer->at == 0 && lexer->length >= 3 && memcmp (lexer->text, "\xef\xbb\xbf", 3) == 0)
    lexer->at = 3;
  while (lexer->at < lexer->length)
    {
      char c = lexer->text[lexer->at];

      if (c == '\n')
        new_line = TRUE;
      else if (c == '/' && peek (lexer, 1) == '/')
        {
          while (lexer->at < lexer->length && lexer->text[lexer->at] != '\n')
            lexer->at++;
          continue;
        }
      else if (c != ' ' && c != '\t' && c != '\r')
        break;
      lexer->at++;
    }
  return new_line;
}

static TtToken *
fail (TtLexer *lexer, const char *problem)
{
  lexer->token.kind = TT_TOKEN_ERROR;
  lexer->token.end = lexer->at;
  lexer->problem = problem;
  return &lexer->token;
}

static void
scan_while (TtLexer *lexer, gboolean (*accept) (char))
{
  while (lexer->at < lexer->length && accept (lexer->text[lexer->at]))
    lexer->at++;
}

static gboolean
is_digit (char c)
{
  return g_ascii_isdigit (c);
}

static gboolean
is_hex (char c)
{
  return g_ascii_isxdigit (c);
}

static TtTokenKind
scan_number (TtLexer *lexer)
{
  if (peek (lexer, 0) == '0' && peek (lexer, 1) == 'x' && g_ascii_isxdigit (peek (lexer, 2)))
    {
      lexer->at += 2;
      scan_while (lexer, is_hex);
      return TT_TOKEN_INTEGER;
    }
  scan_while (lexer, is_digit);
  if (peek (lexer, 0) != '.') /* digits may follow the dot, or none: 1. is a float */
    return TT_TOKEN_INTEGER;
  lexer->at++;
  scan_while (lexer, is_digit);
  if ((peek (lexer, 0) | 0x20) == 'e')
    {
      guint32 sign = peek (lexer, 1) == '+' || peek (lexer, 1) == '-';

      if (g_ascii_isdigit (peek (lexer, 1 + sign)))
        {
          lexer->at += 1 + sign;
          scan_while (lexer, is_digit);
        }
    }
  return TT_TOKEN_FLOAT;
}

static gboolean
scan_string (TtLexer *lexer)
{
  for (lexer->at++; lexer->at < lexer->length; lexer->at++)
    {
      char c = lexer->text[lexer->at];

      if (c == '\\' && peek (lexer, 1) != '\n' && peek (lexer, 1) != '\0')
        lexer->at++;
      else if (c == '"')
        {
          lexer->at++;
          return TRUE;
        }
      else if (c == '\n' || c == '\0')
        return FALSE;
    }
  return FALSE;
}

static TtToken *
scan_resources (TtLexer *lexer)
{
  const char *end = g_strstr_len (lexer->text + lexer->at, lexer->length - lexer->at, "#-}");

  if (end == NULL)
    {
      lexer->at = lexer->length;
      return fail (lexer, "\"{-#\" is not closed by \"#-}\"");
    }
  lexer->at = (guint32) (end + 3 - lexer->text);
  lexer->token.kind = TT_TOKEN_RESOURCES;
  lexer->token.end = lexer->at;
  return &lexer->token;
}

static TtToken *
scan_symbol (TtLexer *lexer)
{
  lexer->at++;
  if (peek (lexer, 0) == '"')
    {
      if (!scan_string (lexer))
        return fail (lexer, "string is not closed on its line");
    }
  else
    scan_while (lexer, is_name_char);
  lexer->token.kind = TT_TOKEN_SYMBOL;
  lexer->token.end = lexer->at;
  return &lexer->token;
}

static TtToken *
scan_punct (TtLexer *lexer)
{
  static const char pairs[][3] = { "->", "<{", "}>" };
  static const TtTokenKind kinds[] = { TT_TOKEN_ARROW, TT_TOKEN_DICT_OPEN, TT_TOKEN_DICT_CLOSE };
  char c = peek (lexer, 0);

  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    if (c == pairs[i][0] && peek (lexer, 1) == pairs[i][1])
      {
        lexer->at += 2;
        lexer->token.kind = kinds[i];
        lexer->token.end = lexer->at;
        return &lexer->token;
      }
  lexer->at++;
  if (c == '\0' || strchr ("(){}[]<>,:=?*+-|", c) == NULL)
    return fail (lexer, "unexpected character");
  lexer->token.kind = TT_TOKEN_PUNCT;
  lexer->token.punct = c;
  lexer->token.end = lexer->at;
  return &lexer->token;
}

TtToken *
tt_lexer_next (TtLexer *lexer)
{
  TtToken *token = &lexer->token;
  gboolean new_line;
  char c;

  lexer->last_end = token->end;
  new_line = skip_space (lexer);
  c = peek (lexer, 0);

  *token = (TtToken) { .kind = TT_TOKEN_END, .on_new_line = new_line, .start = lexer->at, .end = lexer->at };
  if (lexer->at >= lexer->length)
    return token;
  switch (c)
    {
    case '%':
    case '^':
    case '#':
    case '!':
      if (c == '#' && peek (lexer, 1) == '-')
        return scan_punct (lexer);
      lexer->at++;
      scan_while (lexer, c == '%' || c == '^' ? is_name_char : is_word_char);
      token->kind = c == '%' ? TT_TOKEN_VALUE : c == '^' ? TT_TOKEN_BLOCK : c == '#' ? TT_TOKEN_HASH : TT_TOKEN_BANG;
      if (lexer->at == token->start + 1)
        return fail (lexer, "a name must follow");
      break;
    case '@':
      return scan_symbol (lexer);
    case '"':
      if (!scan_string (lexer))
        return fail (lexer, "string is not closed on its line");
      token->kind = TT_TOKEN_STRING;
      break;
    case '{':
      if (peek (lexer, 1) == '-' && peek (lexer, 2) == '#')
        return scan_resources (lexer);
      return scan_punct (lexer);
    default:
      if (g_ascii_isdigit (c))
        token->kind = scan_number (lexer);
      else if (g_ascii_isalpha (c) || c == '_')
        {
          scan_while (lexer, is_word_char);
          token->kind = TT_TOKEN_WORD;
        }
      else
        return scan_punct (lexer);
    }
  token->end = lexer->at;
  return token;
}

gboolean
tt_lexer_is_word (const TtLexer *lexer, const char *word)
{
  gsize length = strlen (word);

  return lexer->token.kind == TT_TOKEN_WORD && lexer->token.end - lexer->token.start == length
         && memcmp (lexer->text + lexer->token.start, word, length) == 0;
}

char *
tt_unquote (const char *text, gsize length)
{
  GString *out = g_string_new (NULL);

  for (gsize i = 1; i + 1 < length; i++)
    {
      char c = text[i];

      if (c != '\\')
        {
          g_string_append_c (out, c);
          continue;
        }
      c = text[++i];
      if (c == 'n')
        g_string_append_c (out, '\n');
      else if (c == 't')
        g_string_append_c (out, '\t');
      else if (g_ascii_isxdigit (c) && i + 2 < length && g_ascii_isxdigit (text[i + 1]))
        {
          g_string_append_c (out, (char) (g_ascii_xdigit_value (c) * 16 + g_ascii_xdigit_value (text[i + 1])));
          i++;
        }
      else
        g_string_append_c (out, c);
    }
  return g_string_free (out, FALSE);
}

void
tt_append_quoted (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (const char *p = text; *p != '\0'; p++)
    {
      guchar c = (guchar) *p;

      if (c == '\\')
        g_string_append (out, "\\\\");
      else if (c == '"' || c < 0x20 || c == 0x7f)
        g_string_append_printf (out, "\\%02X", c);
      else
        g_string_append_c (out, (char) c);
    }
  g_string_append_c (out, '"');
}
