/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tokens of Python text, one row a case: the text, its tokens, what is said about it. */
#include <string.h>

#include "base/limits.h"
#include "base/number.h"
#include "lang/pypto/lexer.h"

static void
append_token (GString *out, const TsToken *token)
{
  const char *name = ts_token_name ((TsTokenKind) token->kind);

  if (out->len > 0)
    g_string_append_c (out, ' ');
  switch (token->kind)
    {
    case TS_TOKEN_NEWLINE: g_string_append (out, "NL"); break;
    case TS_TOKEN_INDENT: g_string_append (out, ">>"); break;
    case TS_TOKEN_DEDENT: g_string_append (out, "<<"); break;
    case TS_TOKEN_NAME: g_string_append (out, token->name->text); break;
    case TS_TOKEN_INT: ts_append_int (out, token->i); break;
    case TS_TOKEN_FLOAT: ts_append_double (out, token->f); break;
    case TS_TOKEN_STRING: g_string_append_printf (out, "\"%s\"", token->text); break;
    case TS_TOKEN_FSTRING: g_string_append_printf (out, "f\"%s\"", token->text); break;
    case TS_TOKEN_BYTES: g_string_append_printf (out, "b\"%s\"", token->text); break;
    case TS_TOKEN_COMPLEX: g_string_append (out, "COMPLEX"); break;
    case TS_TOKEN_BAD: g_string_append (out, "BAD"); break;
    default: g_string_append_len (out, name + 1, (gssize) strlen (name) - 2); break;
    }
}

/* Returns the tokens without the final NL and END; what was reported goes to `said` as "line:column code; ...". */
static char *
tokens_of (const char *text, gsize length, GString *said)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, length);
  g_autoptr (TsSource) source = ts_source_new ("t.py", bytes);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsLexicon) lexicon = ts_lexicon_new (strings);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (TsLexer) lexer = ts_lexer_new (source, 0, lexicon, diags);
  GString *out = g_string_new (NULL);
  TsToken token;

  for (;;)
    {
      ts_lexer_next (lexer, &token);
      if (token.kind == TS_TOKEN_END)
        break;
      append_token (out, &token);
    }
  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    {
      const TsDiag *diag = ts_diag_list_get (diags, i);
      TsPlace place = ts_source_place (source, diag->span.offset);

      g_string_append_printf (said, "%s%u:%u %s", i > 0 ? "; " : "", place.line, place.column, diag->code);
    }
  return g_string_free (out, FALSE);
}

typedef struct
{
  const char *name, *text, *tokens, *said;
} Row;

static const Row rows[] = {
  { "empty", "", "NL", "" },
  { "one-line", "a = b", "a = b NL", "" },
  { "final-newline", "a\n", "a NL NL", "" },
  { "dotted-name-is-one-token", "pl.tile.load(x)", "pl.tile.load ( x ) NL", "" },
  { "dot-with-blanks", "a . b", "a . b NL", "" },
  { "dot-before-digit", "a .5", "a 0.5 NL", "" },
  { "keyword-inside-name", "iffy = inn", "iffy = inn NL", "" },
  { "underscores", "__gm_pipe_buffer", "__gm_pipe_buffer NL", "" },
  { "letters-of-other-alphabets", "größe = 1", "größe = 1 NL", "" },
  { "indent", "if a:\n    b\nc", "if a : NL >> b NL << c NL", "" },
  { "two-dedents-at-once", "if a:\n  if b:\n    c\nd", "if a : NL >> if b : NL >> c NL << << d NL", "" },
  { "dedents-at-the-end", "if a:\n  b", "if a : NL >> b NL <<", "" },
  { "blank-lines-do-not-count", "if a:\n\n    b\n\n  \n    c\n", "if a : NL >> b NL c NL << NL", NULL },
  { "tab-is-eight-columns", "if a:\n\tb\n        c", "if a : NL >> b NL c NL <<", NULL },
  { "tabs-alone", "if a:\n\tb\n\tif c:\n\t\td\n", "if a : NL >> b NL if c : NL >> d NL << << NL", NULL },
  { "dedent-to-nowhere", "if a:\n    b\n  c\n", NULL, "3:3 syntax" },
  { "tabs-and-spaces-mixed", "if a:\n        b\n\tc\n", NULL, "3:2 syntax" },
  { "join-in-brackets", "f(a,\n  b)\nc", "f ( a , b ) NL c NL", "" },
  { "join-by-backslash", "a = \\\n  b", "a = b NL", "" },
  { "comment", "a # b\n# c\nd", "a NL d NL", "" },
  { "comment-in-brackets", "(a, # b\n c)", "( a , c ) NL", "" },
  { "crlf", "if a:\r\n    b\r\nc\r\n", "if a : NL >> b NL << c NL NL", "" },
  { "old-mac-line-ends", "a\rb", "a NL b NL", "" },
  { "byte-order-mark", "\xef\xbb\xbf" "a", "a NL", "" },
  { "form-feed", "a\n\fb", "a NL b NL", "" },
  { "semicolon", "a; b", "a ; b NL", "" },
  { "integers", "1 0x1F 0b101 0o17 1_000 0xff_ff", "1 31 5 15 1000 65535 NL", "" },
  { "largest-integer", "9223372036854775807", "9223372036854775807 NL", "" },
  { "integer-of-64-bits", "18446744073709551615", "-1 NL", "" }, /* less 2^64 */
  { "integer-too-large", "18446744073709551616", "BAD NL", "1:1 limit" },
  { "hexadecimal-too-large", "0x10000000000000000", "BAD NL", "1:1 limit" },
  { "prefix-without-digits", "0x", "BAD NL", "1:1 syntax" },
  { "floats", "1.5 1. .5 1e3 1.5E-2 1_0.5", "1.5 1.0 0.5 1000.0 0.014999999999999999 10.5 NL", "" },
  { "float-of-17-digits", "0.088387999999999994", "0.088387999999999994 NL", "" },
  { "short-float-is-exact", "123456789.123456", "123456789.123456 NL", "" },
  { "complex", "1j 1.5J", "COMPLEX COMPLEX NL", "" },
  { "strings", "'a' \"b\" '''c\nd''' \"\"\"e\"\"\"", "\"a\" \"b\" \"c\nd\" \"e\" NL", "" },
  { "escapes", "'a\\n\\t\\x41\\101\\u00e9\\'\\\\\\q'", "\"a\n\tAAé'\\\\q\" NL", "" },
  { "raw-string", "r'a\\nb'", "\"a\\nb\" NL", "" },
  { "prefixes", "b'x' f'{y}' u'z' Rb'w' fr'\\d'", "b\"x\" f\"{y}\" \"z\" b\"w\" f\"\\d\" NL", "" },
  { "line-end-in-escape", "'a\\\nb'", "\"ab\" NL", "" },
  { "open-string", "a = 'b\nc", "a = BAD NL c NL", "1:5 syntax" },
  { "open-triple", "a = '''b\nc", "a = BAD NL", "1:5 syntax" },
  { "open-bracket", "f(a", "f ( a NL", "1:2 syntax" },
  { "operators", "** // >> << == != <= >= -> := += **= //= ... @ ~ ^ % &",
    "** // >> << == != <= >= -> := += **= //= ... @ ~ ^ % & NL",
    "" },
  { "stray-characters", "a ? b $", "a BAD b BAD NL", "1:3 syntax; 1:7 syntax" },
  { "bad-utf8", "a \xff b", "a BAD b NL", "1:3 bad-utf8" },
  { "half-a-character", "a \xc3", "a BAD NL", "1:3 bad-utf8" },
  { "bad-utf8-in-string", "'\xff'", "\"\xef\xbf\xbd\" NL", "1:1 bad-utf8" },
};

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (GString) said = g_string_new (NULL);
  g_autofree char *tokens = tokens_of (row->text, strlen (row->text), said);

  if (row->tokens != NULL)
    g_assert_cmpstr (tokens, ==, row->tokens);
  if (row->said != NULL)
    g_assert_cmpstr (said->str, ==, row->said);
}

static void
test_nul (void)
{
  g_autoptr (GString) said = g_string_new (NULL);
  g_autofree char *tokens = tokens_of ("a \0 b", 5, said);

  g_assert_cmpstr (tokens, ==, "a BAD b NL");
  g_assert_cmpstr (said->str, ==, "1:3 syntax");
}

/* `n` times the piece. */
static char *
repeat (const char *piece, gsize n)
{
  GString *out = g_string_new (NULL);

  while (n-- > 0)
    g_string_append (out, piece);
  return g_string_free (out, FALSE);
}

static void
assert_says (const char *text, const char *code)
{
  g_autoptr (GString) said = g_string_new (NULL);
  g_autofree char *tokens = tokens_of (text, strlen (text), said);

  g_assert_nonnull (tokens);
  g_assert_nonnull (strstr (said->str, code));
}

/* What is too large is refused with a word, never with a crash. */
static void
test_limits (void)
{
  g_autofree char *brackets = repeat ("(", TS_MAX_EXPR_DEPTH + 5);
  g_autofree char *digits = repeat ("1", TS_MAX_NUMBER_LENGTH + 5);
  g_autofree char *letters = repeat ("x", TS_MAX_STRING_LENGTH + 5);
  g_autofree char *string = g_strconcat ("'", letters, "'", NULL);
  GString *blocks = g_string_new (NULL);

  for (guint i = 0; i < TS_MAX_NESTING + 10; i++)
    {
      g_autofree char *blanks = repeat (" ", i);

      g_string_append_printf (blocks, "%sif a:\n", blanks);
    }
  assert_says (brackets, "limit");
  assert_says (digits, "limit");
  assert_says (letters, "limit");
  assert_says (string, "limit");
  assert_says (blocks->str, "limit");
  g_string_free (blocks, TRUE);
}

/* Ten megabytes on one line take a moment, not minutes. */
static void
test_long_line (void)
{
  g_autofree char *line = repeat ("a, ", 3500000);
  g_autoptr (GString) said = g_string_new (NULL);
  gint64 start = g_get_monotonic_time ();
  g_autofree char *tokens = tokens_of (line, strlen (line), said);

  g_assert_cmpuint (strlen (tokens), >, 10000000);
  g_assert_cmpstr (said->str, ==, "");
  g_assert_cmpint (g_get_monotonic_time () - start, <, 60 * G_USEC_PER_SEC);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strconcat ("/pypto/lexer/", rows[i].name, NULL);

      g_test_add_data_func (path, &rows[i], test_row);
    }
  g_test_add_func ("/pypto/lexer/nul", test_nul);
  g_test_add_func ("/pypto/lexer/limits", test_limits);
  g_test_add_func ("/pypto/lexer/long-line", test_long_line);
  return g_test_run ();
}
