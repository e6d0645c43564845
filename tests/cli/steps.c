/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `passes --steps` prints of CanonicalizeIOOrder. */
#include <string.h>

#include "harness.h"

/* The worked example of CanonicalizeIOOrder: ready sets (in any order) and choices, a line of --steps for each. */
static const struct
{
  const char *ready, *emit, *key;
} example[] = {
  { "scalar_0 scalar_1", "scalar_0", "(0, \"\", 0, 0)" },   { "load_0 scalar_1", "scalar_1", "(0, \"\", 0, 4)" },
  { "load_0 load_1", "load_0", "(1, \"\", 0, 1)" },         { "compute_0 load_1", "load_1", "(1, \"\", 0, 5)" },
  { "compute_0 compute_1", "compute_0", "(2, \"\", 0, 2)" }, { "compute_1 store_0", "compute_1", "(2, \"\", 0, 6)" },
  { "store_0 store_1", "store_0", "(2, \"\", 1, 3)" },       { "store_1", "store_1", "(2, \"\", 1, 7)" },
};

static int
compare_words (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* The words of an array, sorted and each once, with a blank between them. */
static char *
set_of (JsonArray *array)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new ();

  for (guint i = 0; i < json_array_get_length (array); i++)
    g_ptr_array_add (words, (gpointer) json_array_get_string_element (array, i));
  g_ptr_array_sort (words, compare_words);
  for (guint i = words->len; i-- > 1;)
    if (strcmp (words->pdata[i], words->pdata[i - 1]) == 0)
      g_ptr_array_remove_index (words, i);
  g_ptr_array_add (words, NULL);
  return g_strjoinv (" ", (char **) words->pdata);
}

static void
test_worked_example (void)
{
  Result result;
  guint n = 0;

  run_cli ("passes " EXAMPLE " --passes canonicalize-io-order --steps", NULL, &result);
  g_assert_cmpint (result.status, ==, 0);
  g_auto (GStrv) lines = g_strsplit (result.out, "\n", -1);
  for (char **line = lines; **line != '\0'; line++)
    {
      g_autoptr (JsonParser) parser = json_parser_new ();
      JsonObject *step = json_of (*line, parser);
      g_autofree char *ready = NULL;

      if (strcmp (json_object_get_string_member (step, "kind"), "emit") != 0)
        continue;
      g_assert_cmpuint (n, <, G_N_ELEMENTS (example));
      ready = set_of (json_object_get_array_member (step, "ready"));
      g_assert_cmpstr (ready, ==, example[n].ready);
      g_assert_cmpstr (json_object_get_string_member (step, "name"), ==, example[n].emit);
      g_assert_cmpstr (json_array_get_string_element (json_object_get_array_member (step, "keys"), 0), ==, example[n].key);
      n++;
    }
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (example));
  result_clear (&result);
}

/* Copies of one statement bear the names that they print under: no ready set lists a name or a statement twice. */
static void
test_copies_told_apart (void)
{
  Result result;
  guint n = 0;

  run_cli ("passes - --passes convert-to-ssa,lower-pipeline-loops,canonicalize-io-order --steps",
           USER ("pl.pipeline(0, 8, 1, stage=4)"), &result);
  g_assert_cmpint (result.status, ==, 0);
  g_auto (GStrv) lines = g_strsplit (result.out, "\n", -1);
  for (char **line = lines; **line != '\0'; line++)
    {
      g_autoptr (JsonParser) parser = json_parser_new ();
      JsonObject *step = json_of (*line, parser);
      g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal), ids = g_hash_table_new (NULL, NULL);
      JsonArray *ready, *statements;

      if (strcmp (json_object_get_string_member (step, "kind"), "emit") != 0)
        continue;
      ready = json_object_get_array_member (step, "ready");
      statements = json_object_get_array_member (step, "ready_statements");
      g_assert_cmpuint (json_array_get_length (ready), ==, json_array_get_length (statements));
      for (guint i = 0; i < json_array_get_length (ready); i++)
        {
          gint64 id = json_array_get_int_element (statements, i);

          g_assert_true (g_hash_table_add (names, (gpointer) json_array_get_string_element (ready, i)));
          g_assert_true (g_hash_table_add (ids, GINT_TO_POINTER ((gint) id)));
        }
      n++;
    }
  g_assert_cmpuint (n, ==, 8);
  result_clear (&result);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cli/steps/worked-example", test_worked_example);
  g_test_add_func ("/cli/steps/copies-told-apart", test_copies_told_apart);
  return g_test_run ();
}
