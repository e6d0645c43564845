/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What hostile Triton IR may cost: aliases that multiply, brackets within brackets; and what is kept without being understood. */
#include <string.h>

#include "base/limits.h"
#include "lang/ttir/aliases.h"
#include "lang/ttir/ttir.h"

static TsModule *
parse (const char *text, TsDiagList *diags)
{
  g_autoptr (TsSource) source = ts_source_new_text ("k.ttir", text);
  g_autoptr (TsStrings) strings = ts_strings_new ();

  return ts_ttir_parse (source, TS_TTIR_ALL_SECTIONS, strings, NULL, diags);
}

/* --- expansion ------------------------------------------------------------------------------------------------------------- */

/* Aliases #0, #1, ...: each names the one before `times` times; #0 stands for "x", or for the last of all in a circle. */
typedef struct
{
  GPtrArray *texts;
  guint      asked;
} Chain;

static Chain
make_chain (guint n, guint times, const char *first)
{
  Chain chain = { g_ptr_array_new_with_free_func (g_free), 0 };

  g_ptr_array_add (chain.texts, g_strdup (first));
  for (guint i = 1; i < n; i++)
    {
      GString *text = g_string_new (NULL);

      for (guint k = 0; k < times; k++)
        g_string_append_printf (text, "#%u,", i - 1);
      g_ptr_array_add (chain.texts, g_string_free (text, FALSE));
    }
  return chain;
}

static const char *
meaning_of (gpointer data, const char *name, gsize length, gsize *meaning_length)
{
  Chain *chain = data;
  g_autofree char *digits = g_strndup (name + 1, length - 1);
  guint64 number;

  chain->asked++;
  if (!g_ascii_string_to_unsigned (digits, 10, 0, chain->texts->len - 1, &number, NULL))
    return NULL;
  *meaning_length = strlen (g_ptr_array_index (chain->texts, number));
  return g_ptr_array_index (chain->texts, number);
}

/* What cannot fit is never made: the aliases are looked at once each, however many times over they stand in the text. */
static void
test_expansion (void)
{
  static const struct { guint n, times; const char *first, *text; TtExpansion result; } rows[] = {
    { 4, 2, "x", "<#3>", TT_EXPANDED },
    { 60, 2, "x", "<#59>", TT_EXPANSION_TOO_LONG },
    { 60, 2, "", "<#59 #59>", TT_EXPANSION_TOO_LONG },
    { 60, 1, "x", "<#59>", TT_EXPANDED },
    { TS_MAX_ALIAS_DEPTH + 1, 1, "x", "<#64>", TT_EXPANSION_TOO_DEEP },
    { 5000, 1, "x", "<#4999>", TT_EXPANSION_TOO_DEEP },
    { 60, 2, "#59", "<#3>", TT_EXPANSION_CIRCLE },
    { 1, 0, "#0", "<#0>", TT_EXPANSION_CIRCLE },
    { 60, 2, "x", "<\"#59\" #59<>>", TT_EXPANDED },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      Chain chain = make_chain (rows[i].n, rows[i].times, rows[i].first);
      TtExpander *x = tt_expander_new (meaning_of, &chain);
      g_autoptr (GString) out = g_string_new (NULL);
      TtExpansion result = tt_expand_aliases (x, out, rows[i].text);

      g_test_message ("%u times %u: %s", rows[i].n, rows[i].times, rows[i].text);
      g_assert_cmpint (result, ==, rows[i].result);
      g_assert_true (result == TT_EXPANDED || out->len == 0);
      g_assert_true (result == TT_EXPANDED || chain.asked <= rows[i].n * rows[i].times + 4);
      tt_expander_free (x);
      g_ptr_array_unref (chain.texts);
    }
}

/* Short texts that each stand for a long one: all together are bounded as well. */
static void
test_expansion_total (void)
{
  g_autofree char *dashes = g_strnfill (1000, '-'), *first = g_strdup_printf ("\"%s\"", dashes);
  Chain chain = make_chain (10, 2, first);
  TtExpander *x = tt_expander_new (meaning_of, &chain);
  gsize total = 0;
  guint n = 0;

  for (TtExpansion result = TT_EXPANDED; result == TT_EXPANDED; n++)
    {
      g_autoptr (GString) out = g_string_new (NULL);

      g_assert_cmpuint (n, <, 10000);
      result = tt_expand_aliases (x, out, "#9");
      g_assert_true (result == TT_EXPANDED || result == TT_EXPANSION_SPENT);
      total += out->len;
    }
  g_assert_cmpuint (n, >, 10);
  g_assert_cmpuint (total, <=, TS_MAX_ALIAS_BYTES);
  tt_expander_free (x);
  g_ptr_array_unref (chain.texts);
}

/* --- files ----------------------------------------------------------------------------------------------------------------- */

static char *
repeat_aliases (const char *first, const char *name, const char *open, const char *close, guint n, const char *rest)
{
  g_autoptr (GString) text = g_string_new (first);

  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "%s%u = %s%s%u, %s%u%s\n", name, i, open, name, i - 1, name, i - 1, close);
  g_string_append (text, rest);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* One message for each cause, whatever mentions it again: in the aliases that follow, in operations, by the values of those. */
static void
test_alias_limits (void)
{
#define USES(a, b)                                                                                                               \
  "tt.func public @f() {\n  %r = \"x\"() {a = " a "} : () -> i32\n  \"y\"(%r) {a = " b "} : (i32) -> ()\n  tt.return\n}\n"
#define TYPES(a, b) "tt.func public @f() {\n  %r = \"x\"() : () -> " a "\n  \"y\"(%r) : (" a ") -> " b "\n  tt.return\n}\n"
  static const struct { const char *first, *name, *open, *close; guint n; const char *rest; guint n_errors, n_notes; } rows[] = {
    { "!t0 = i32\n", "!t", "tensor<1x!foo.b<", ">>", 60, TYPES ("!t59", "!t58"), 0, 1 },
    { "#t0 = #x.y\n", "#t", "#x.y<", ">", 60, TYPES ("tensor<4xf32, #t59>", "!x.y<#t58>"), 0, 1 },
    { "#t0 = 1\n", "#t", "[", "]", 60, USES ("#t59", "#t57"), 1, 0 },
    { "!t0 = i32\n", "!t", "(", ") -> ()", 60, TYPES ("!t59", "!t58"), 1, 0 },
    { "!t0 = i32\n", "!t", "(", ") -> ()", 10, TYPES ("!t9", "!t8"), 0, 0 },
  };
#undef USES
#undef TYPES

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text
          = repeat_aliases (rows[i].first, rows[i].name, rows[i].open, rows[i].close, rows[i].n, rows[i].rest);
      g_autoptr (TsDiagList) diags = ts_diag_list_new ();
      g_autoptr (TsModule) module = parse (text, diags);
      g_autofree char *printed = ts_ttir_print (module, TS_TTIR_LOCATIONS_INLINE, NULL, NULL);

      g_test_message ("%s", rows[i].open);
      g_assert_cmpuint (ts_diag_list_count (diags, TS_SEVERITY_ERROR), ==, rows[i].n_errors);
      g_assert_cmpuint (ts_diag_list_count (diags, TS_SEVERITY_NOTE), ==, rows[i].n_notes);
      if (rows[i].n_errors + rows[i].n_notes > 0)
        g_assert_cmpstr (ts_diag_list_get (diags, 0)->code, ==, "limit");
      g_assert_cmpuint (strlen (printed), <, 2 * strlen (text));
    }
}

/* How deep an alias of aliases goes counts the same whether its members were read before it or for it. */
static void
test_alias_order (void)
{
#define USE(n) "tt.func public @f" n "() {\n  \"x\"() {a = #t" n "} : () -> ()\n  tt.return\n}\n"
  static const struct { guint n; gboolean too_deep; } rows[] = { { 90, FALSE }, { 105, TRUE }, { 205, TRUE } };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (rows); i++)
    {
      const guint n = rows[i / 2].n;
      const char *const early = i % 2 ? USE ("30") USE ("60") : "", *const late = i % 2 ? "" : USE ("30") USE ("60");
      g_autofree char *uses
          = g_strdup_printf ("%stt.func public @f() {\n  \"x\"() {a = #t%u} : () -> ()\n  tt.return\n}\n%s", early, n - 1, late);
      g_autoptr (GString) all = g_string_new ("#t0 = 1\n");
      g_autoptr (TsDiagList) diags = ts_diag_list_new ();
      g_autoptr (TsModule) module = NULL;

      for (guint k = 1; k < n; k++)
        g_string_append_printf (all, "#t%u = [#t%u]\n", k, k - 1);
      g_string_append (all, uses);
      module = parse (all->str, diags);
      g_test_message ("%u, %s", n, i % 2 ? "members first" : "members last");
      g_assert_cmpint (ts_diag_list_has_errors (diags), ==, rows[i / 2].too_deep);
      if (rows[i / 2].too_deep)
        g_assert_nonnull (strstr (ts_diag_list_get (diags, 0)->message, "deeper than 200 levels, each alias"));
    }
#undef USE
}

/* `before` and `after` stand `n` times around `inside`. */
static char *
nest (const char *before, const char *inside, const char *after, guint n)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append (text, before);
  g_string_append (text, inside);
  for (guint i = 0; i < n; i++)
    g_string_append (text, after);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Brackets within brackets end at TS_MAX_NESTING in every place that may hold any; the error is one. */
static void
test_nesting (void)
{
  static const struct { const char *head, *before, *inside, *after, *tail; } rows[] = {
    { "\"u.v\"() {a = ", "{a = ", "1", "}", "} : () -> ()" },
    { "\"u.v\"() {a = ", "[", "1", "]", "} : () -> ()" },
    { "\"u.v\"() {a = #d.a<", "[", "1", "]", ">} : () -> ()" },
    { "\"u.v\"() {a = #d.a", "<", "1", ">", "} : () -> ()" },
    { "\"u.v\"() {a = word", "<", "1", ">", "} : () -> ()" },
    { "\"u.v\"() {a = ", "(", "i32", ") -> ()", "} : () -> ()" },
    { "\"u.v\"() : () -> !d.t<", "(", "1", ")", ">" },
    { "\"u.v\"() : () -> tensor<4xi32, #d.t<", "{", "1", "}", ">>" },
    { "\"u.v\"() : () -> () loc(fused<", "[", "1", "]", ">[\"a\"])" },
    { "\"u.v\"() : () -> () loc(", "\"n\"(", "\"a\"", ")", ")" },
    { "u.v ", "(", "1", ")", "" },
  };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (rows); i++)
    {
      const gboolean too_deep = i % 2;
      g_autofree char *middle
          = nest (rows[i / 2].before, rows[i / 2].inside, rows[i / 2].after, TS_MAX_NESTING + (too_deep ? 20 : -20));
      g_autofree char *text = g_strdup_printf ("tt.func public @f() {\n  %s%s%s\n  tt.return\n}\n", rows[i / 2].head, middle,
                                               rows[i / 2].tail);
      g_autoptr (TsDiagList) diags = ts_diag_list_new ();
      g_autoptr (TsModule) module = parse (text, diags);

      g_test_message ("%s%s", rows[i / 2].head, rows[i / 2].before);
      g_assert_cmpuint (ts_diag_list_count (diags, TS_SEVERITY_ERROR), ==, too_deep);
      if (too_deep)
        g_assert_nonnull (strstr (ts_diag_list_get (diags, 0)->message, "deeper than 200 levels"));
    }
}

/* A mistake within brackets is one error: reading goes on behind what they close. */
static void
test_one_error (void)
{
  static const struct { const char *text, *code; } rows[] = {
    { "tt.func public @f() {\n  \"u.v\"() {a = {a={a=}}} : () -> ()\n  tt.return\n}\n", "syntax" },
    { "tt.func public @f() {\n  \"u.v\"() {a = {b = 1, b = 2}} : () -> ()\n  tt.return\n}\n", "duplicate-attribute" },
    { "tt.func public @f() {\n  \"u.v\"() {a = {1}} : () -> ()\n  tt.return\n}\n", "syntax" },
    { "tt.func public @f() {\n  \"u.v\"() <{a = {b}>} : () -> ()\n  tt.return\n}\n", "syntax" },
    { "tt.func public @f() {\n  \"u.v\"() {a = (i32)} : () -> ()\n  tt.return\n}\n", "syntax" },
    { "tt.func public @f() {\n  \"u.v\"() : () -> () loc(fused<{a = }>[\"a\"])\n  tt.return\n}\n", "syntax" },
    { "tt.func public @f(%x: i32 {a = {b = }}) {\n  tt.return\n}\n", "syntax" },
    { "tt.func public @f(%x: i32) -> (i32 {a = }) {\n  tt.return %x : i32\n}\n", "syntax" },
    { "module attributes {a = {b = }} {\n  tt.func public @f() {\n    tt.return\n  }\n}\n", "syntax" },
    { "\"tt.func\"() <{function_type = (i32) -> i32, sym_name = \"b\", sym_visibility = \"public\"}> ({\n}) : () -> ()\n",
      "syntax" },
    { "\"tt.func\"() <{function_type = (i32) -> i32, sym_name = \"b\"}> ({\n}) : () -> ()\n", "syntax" },
    { "module {\n  tt.func public @f() {\n    tt.return\n  }\n}\nmodule {\n  tt.func public @g() {\n    tt.return\n  }\n}\n",
      "syntax" },
    { "module {\n  tt.func public @f(%x: wrong) {\n    tt.return\n  }\n  tt.func public @g() {\n    tt.return\n  }\n}\n",
      "unknown-type" },
    { "tt.func public @f() {\n  \"u.v\"() : () -> tensor<4xtensor<*xf32>>\n  tt.return\n}\n", "syntax" },
    { "tt.func public @f() {\n  \"u.v\"() : () -> tensor<*f32>\n  tt.return\n}\n", "syntax" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (TsDiagList) diags = ts_diag_list_new ();
      g_autoptr (TsModule) module = parse (rows[i].text, diags);

      g_test_message ("%s", rows[i].text);
      g_assert_cmpuint (ts_diag_list_count (diags, TS_SEVERITY_ERROR), ==, 1);
      g_assert_cmpstr (ts_diag_list_get (diags, 0)->code, ==, rows[i].code);
    }
}

/* --- kept as written ------------------------------------------------------------------------------------------------------- */

static void
test_kept (void)
{
  static const char *const rows[] = {
    "tt.func public @f() {\n  \"u.v\"() {a = dense_resource<x> : tensor<4xf32>, b = sparse<[[0]], [1]> : tensor<4xi32>, "
    "c = #d.a<1> : i32, d = {b, c = [1, {d = \"x\"}], \"q-r\" = (i32) -> f32}} : () -> ()\n  tt.return\n}\n"
    "{-#\n  dialect_resources: { builtin: { x: \"0x08000000\" } }\n#-}\n",
    "tt.func public @f() {\n  %0 = arith.constant dense_resource<x> : tensor<4xf32>\n"
    "  %1 = \"u.v\"() {t = tensor<*x!tt.ptr<f32>>} : () -> tensor<*xf32>\n"
    "  \"u.w\"(%1) : (tensor<*xf32>) -> ()\n  tt.return\n}\n",
    "tt.func public @f(%x: i32 {a = {b}, c = dense<1> : tensor<2xi32>}) -> (i32 {r = {x = 1}}) {\n  tt.return %x : i32\n}\n",
    "tt.func public @f() {\n  \"u.v\"() : () -> () loc(fused<{a = 1 : i32, b = {c}}>[\"a\", fused<#x.y<\">\">>[unknown]])\n"
    "  tt.return\n}\n",
    "tt.func public @f(%c: tensor<4xi1>) -> tensor<4xi1> {\n  %0 = arith.select %c, %c, %c : tensor<4xi1>, tensor<4xi1>\n"
    "  tt.return %0 : tensor<4xi1>\n}\n",
    "module {\n  tt.func public @f() {\n    tt.return\n  }\n  module @inner attributes {x} {\n    tt.func public @f() {\n"
    "      tt.return\n    }\n  }\n  builtin.module {\n  }\n}\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (TsDiagList) diags = ts_diag_list_new ();
      g_autoptr (TsModule) module = parse (rows[i], diags);
      g_autoptr (GString) said = g_string_new (NULL);
      g_autofree char *text = NULL;

      ts_diag_list_format (diags, FALSE, said);
      g_test_message ("%s%s", rows[i], said->str);
      g_assert_false (ts_diag_list_has_errors (diags));
      text = ts_ttir_print (module, TS_TTIR_LOCATIONS_KEEP, NULL, NULL);
      g_assert_cmpstr (text, ==, rows[i]);
    }
}

/* Space and line ends around the `x` of dimensions. */
static void
test_dimensions (void)
{
  static const char *const spellings[] = { "tensor<4x8xf32>", "tensor< 4x8xf32 >", "tensor<4 x 8 x f32>", "tensor<4\n x\t8x f32>" };

  for (guint i = 0; i < G_N_ELEMENTS (spellings); i++)
    {
      g_autofree char *text = g_strdup_printf ("tt.func private @f(%s)\n", spellings[i]);
      g_autoptr (TsDiagList) diags = ts_diag_list_new ();
      g_autoptr (TsModule) module = parse (text, diags);
      g_autofree char *printed = NULL;

      g_test_message ("%s", spellings[i]);
      g_assert_false (ts_diag_list_has_errors (diags));
      printed = ts_ttir_print (module, TS_TTIR_LOCATIONS_KEEP, NULL, NULL);
      g_assert_cmpstr (printed, ==, "tt.func private @f(tensor<4x8xf32>)\n");
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ttir/limits/expansion", test_expansion);
  g_test_add_func ("/ttir/limits/expansion-total", test_expansion_total);
  g_test_add_func ("/ttir/limits/aliases", test_alias_limits);
  g_test_add_func ("/ttir/limits/alias-order", test_alias_order);
  g_test_add_func ("/ttir/limits/nesting", test_nesting);
  g_test_add_func ("/ttir/limits/one-error", test_one_error);
  g_test_add_func ("/ttir/limits/kept", test_kept);
  g_test_add_func ("/ttir/limits/dimensions", test_dimensions);
  return g_test_run ();
}
