/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Triton IR that ends too early: an error with a place, behind whatever token it ends. */
#include <string.h>

#include "base/diag.h"
#include "base/intern.h"
#include "lang/ttir/lexer.h"
#include "lang/ttir/ttir.h"

static TsModule *
parse (const char *text, TsDiagList *diags)
{
  g_autoptr (TsSource) source = ts_source_new_text ("k.ttir", text);
  g_autoptr (TsStrings) strings = ts_strings_new ();

  return ts_ttir_parse (source, TS_TTIR_ALL_SECTIONS, strings, NULL, diags);
}

/* Behind this token a file may be whole: all brackets are closed, and what follows starts something new, or the part that is
 * there says all that its form needs. `item` is the first token of the last thing at the top, `last` the token itself. */
static gboolean
may_end (const char *text, const TtToken *item, const TtToken *last)
{
  const char *start = text + item->start;
  guint32 lines_start = last->start;

  while (lines_start > 0 && text[lines_start - 1] != '\n')
    lines_start--;
  if (start[0] == '#' || start[0] == '!') /* an alias: what it stands for may be shorter */
    return last->start > item->start && text[last->start] != '=';
  if (text[last->start] == '}' || text[last->end - 1] == '}')
    return TRUE;
  if (text[last->start] == ')' && strncmp (text + lines_start, "} loc", 5) == 0)
    return TRUE;
  if (g_str_has_prefix (start, "tt.func private") || g_str_has_prefix (start, "tt.func nested"))
    return text[last->start] == ')' || last->kind == TT_TOKEN_WORD || text[last->end - 1] == '>';
  return start[0] == '"' && text[last->start] == ')';
}

static int
depth_change (const char *text, const TtToken *token)
{
  int change = 0;

  if (token->kind == TT_TOKEN_STRING || token->kind == TT_TOKEN_ARROW)
    return 0;
  if (text[token->end] == '=' && token->end == token->start + 1 && strchr ("<>", text[token->start]) != NULL)
    return 0; /* a comparison of an affine set */
  for (const char *c = text + token->start; c < text + token->end; c++)
    change += strchr ("([{<", *c) != NULL ? 1 : strchr (")]}>", *c) != NULL ? -1 : 0;
  return change;
}

/* Cut behind each token, as a broken copy would be: whatever is not whole is an error with a place in what is left. */
static void
check_cuts (const char *text, gsize length)
{
  TtLexer lexer;
  TtToken item, last;
  int depth = 0;
  gboolean fresh = TRUE;

  tt_lexer_init (&lexer, text, 0, (guint32) length);
  last = item = lexer.token;
  for (; lexer.token.kind != TT_TOKEN_END; tt_lexer_next (&lexer))
    {
      g_autofree char *cut = g_strndup (text, lexer.token.end);
      g_autoptr (TsDiagList) diags = ts_diag_list_new ();
      g_autoptr (TsModule) module = NULL;

      last = lexer.token;
      if (fresh || (depth == 0 && last.on_new_line))
        item = last;
      fresh = FALSE;
      depth += depth_change (text, &last);
      module = parse (cut, diags);
      for (guint i = 0; i < ts_diag_list_length (diags); i++)
        {
          const TsDiag *diag = ts_diag_list_get (diags, i);

          g_assert_false (ts_span_is_none (diag->span));
          g_assert_cmpuint (diag->span.offset, <=, last.end);
        }
      if (!ts_diag_list_has_errors (diags) && (depth != 0 || !may_end (text, &item, &last)))
        g_error ("taken for whole:\n%s", cut);
    }
}

static void
test_cuts (void)
{
  static const char *const folders[] = { "golden/ttir", "fuzz/ttir-seeds", "../data/kernels" };

  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *folder = g_build_filename (g_getenv ("TS_TEST_GOLDEN"), "..", folders[i], NULL);
      g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
      const char *name;

      while ((name = g_dir_read_name (dir)) != NULL)
        {
          g_autofree char *path = g_build_filename (folder, name, NULL), *text = NULL;
          gsize length;

          if (!g_str_has_suffix (name, ".ttir"))
            continue;
          g_assert_true (g_file_get_contents (path, &text, &length, NULL));
          if (memchr (text, '\0', length) != NULL) /* an error by itself */
            continue;
          g_test_message ("%s", path);
          check_cuts (text, length);
        }
    }
}

static void
test_short_cuts (void)
{
  static const char *const rows[] = {
    "\"a\"() : () -> ", "\"a\"() : ", "\"a\"()", "\"a\"", "#x =", "!x =", "#x", "#x = loc", "#x = [1", "{-#", "x.y : ",
    "x.y {", "x.y a,", "x.y -> ", "tt.func", "tt.func @f", "tt.func @f(", "tt.func @f()", "tt.func private @f(%a: i32)",
    "tt.func private @f(i32", "tt.func private", "tt.func private @f() ->", "tt.func private @f() attributes", "module",
    "module @m", "module attributes {a}", "module {", "module { tt.func private @f() }  loc(", "// nothing", "@f", "\"a",
    "tt.func private @f() loc", "\"a\"() ({", "\"a\"() {b =} : () -> ()",
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (TsDiagList) diags = ts_diag_list_new ();
      g_autoptr (TsModule) module = parse (rows[i], diags);

      g_test_message ("%s", rows[i]);
      g_assert_true (ts_diag_list_has_errors (diags));
      for (guint k = 0; k < ts_diag_list_length (diags); k++)
        {
          g_assert_false (ts_span_is_none (ts_diag_list_get (diags, k)->span));
          g_assert_cmpuint (ts_diag_list_get (diags, k)->span.offset, <=, strlen (rows[i]));
        }
    }
}

/* A header without its bracket: told where it opens when the body was taken for the last argument's dictionary. */
static void
test_open_header (void)
{
  static const struct { const char *text, *message; guint line, column; } rows[] = {
    { "tt.func @k(%a: i32 {\n  tt.return\n}\n", "has no ')'", 1, 11 },
    { "module {\n  tt.func @k(%a: i32 {\n    tt.return\n  }\n}\n", "has no ')'", 2, 13 },
    { "tt.func @k(%a: i32 {\n  tt.return\n}\ntt.func @l() {\n  tt.return\n}\n", "has no ')'", 1, 11 },
    { "tt.func @k(%a: i32 -> i32 {\n  tt.return %a : i32\n}\n", "expected ')'", 1, 20 },
    { "tt.func @k(%a: i32 {tt.d = 1 : i32} %b: i32) {\n  tt.return\n}\n", "expected ')'", 1, 37 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (TsDiagList) diags = ts_diag_list_new ();
      g_autoptr (TsModule) module = parse (rows[i].text, diags);
      const TsDiag *diag = ts_diag_list_get (diags, 0);

      g_test_message ("%s: %s", rows[i].text, diag->message);
      g_assert_nonnull (strstr (diag->message, rows[i].message));
      g_assert_cmpuint (ts_source_place (diag->source, diag->span.offset).line, ==, rows[i].line);
      g_assert_cmpuint (ts_source_place (diag->source, diag->span.offset).column, ==, rows[i].column);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ttir/cuts", test_cuts);
  g_test_add_func ("/ttir/short-cuts", test_short_cuts);
  g_test_add_func ("/ttir/open-header", test_open_header);
  return g_test_run ();
}
