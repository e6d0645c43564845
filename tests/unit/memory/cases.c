/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbered cases of the memory specification, read from cases/: a kernel in shorthand, the passes to run, where every
 * variable is to live afterwards, what is to be said, the whole text that is to be printed (or fragments of it), and what is
 * recorded as steps. With TS_CASES_SHOW set, prints what came out instead of failing at the first difference. */
#include <string.h>

#include "kernel.h"
#include "lang/pypto/pypto.h"

typedef struct
{
  char *name, *passes, *machine, *planner, *header, *kernel, *memory, *says, *steps, *prints, *printed;
} Case;

static void
case_free (gpointer data)
{
  Case *c = data;
  char **fields[] = { &c->name,   &c->passes, &c->machine, &c->planner, &c->header,
                      &c->kernel, &c->memory, &c->says,    &c->steps,   &c->prints, &c->printed };
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    g_free (*fields[i]);
  g_free (c);
}

/* One line per diagnostic: severity, code, message, and its help after a bar. */
static void
describe_diags (const TsDiagList *diags, GString *out)
{
  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    {
      const TsDiag *diag = ts_diag_list_get (diags, i);
      g_string_append_printf (out, "%s %s: %s%s%s\n", ts_severity_name (diag->severity), diag->code, diag->message,
                              diag->help != NULL ? " | " : "", diag->help != NULL ? diag->help : "");
    }
}

static char *
describe_steps (const TsPassSnapshot *snapshot)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; snapshot->steps != NULL && i < ts_steps_length (snapshot->steps); i++)
    {
      ts_step_to_json (ts_steps_get (snapshot->steps, i), snapshot->pass->name, i, out);
      g_string_append_c (out, '\n');
    }
  return g_string_free (out, FALSE);
}

/* The functions as they print, by themselves and without indentation of the class. */
static char *
print_functions (const TsModule *module)
{
  g_autofree char *text = ts_pypto_print (module, NULL, NULL);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  GString *out = g_string_new (NULL);
  gboolean inside = FALSE;
  for (guint i = 0; lines[i] != NULL; i++)
    {
      inside = g_str_has_prefix (lines[i], "    def ") || (inside && lines[i][0] != '\0');
      if (inside)
        g_string_append_printf (out, "%s\n", lines[i] + strlen ("    "));
    }
  return g_string_free (out, FALSE);
}

/* Each expected line is a fragment that has to stand in some line of the text, in this order. */
static void
expect_fragments (const char *expected, const char *actual, const char *what)
{
  g_auto (GStrv) lines = g_strsplit (expected, "\n", -1);
  const char *at = actual;
  for (guint i = 0; lines[i] != NULL; i++)
    {
      if (lines[i][0] == '\0')
        continue;
      const char *found = strstr (at, lines[i]);
      if (found == NULL)
        {
          g_test_message ("%s: nothing (more) says '%s' in:\n%s", what, lines[i], actual);
          g_test_fail ();
          return;
        }
      at = found + strlen (lines[i]);
    }
}

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (GPtrArray) snapshots = ts_kernel_run (c->kernel, c->header, c->passes, c->machine, c->planner, diags);
  const TsPassSnapshot *last = snapshots != NULL ? snapshots->pdata[snapshots->len - 1] : NULL;
  const TsModule *module = last != NULL ? last->module : NULL;
  g_autoptr (GString) says = g_string_new (NULL);
  g_autofree char *memory = last == NULL ? g_strdup ("not read\n") : module == NULL ? g_strdup ("failed\n")
                            : !last->changed ? g_strdup ("unchanged\n") : ts_kernel_memory (module);
  g_autofree char *text = module != NULL ? ts_pypto_print (module, NULL, NULL) : g_strdup ("");
  describe_diags (diags, says);
  for (guint i = 0; snapshots != NULL && i < snapshots->len; i++)
    describe_diags (((const TsPassSnapshot *) snapshots->pdata[i])->diags, says);
  if (g_getenv ("TS_CASES_SHOW") != NULL)
    {
      g_print ("=== %s\n--- memory\n%s--- says\n%s", c->name, memory, says->str);
      g_autofree char *functions = module != NULL ? print_functions (module) : g_strdup ("");
      g_print ("--- printed\n%s", functions);
      return;
    }
  g_test_message ("%s", says->str);
  g_assert_cmpstr (memory, ==, c->memory);
  g_assert_cmpstr (says->str, ==, c->says);
  expect_fragments (c->prints, text, "printed");
  if (c->printed[0] != '\0')
    {
      g_autofree char *functions = module != NULL ? print_functions (module) : g_strdup ("");
      g_assert_cmpstr (functions, ==, c->printed);
    }
  if (c->steps[0] != '\0')
    {
      g_autofree char *steps = describe_steps (last);
      expect_fragments (c->steps, steps, "steps");
    }
}

/* --- reading the files -------------------------------------------------------------------------------------------------- */

static char **
section_of (Case *c, const char *name)
{
  const struct { const char *name; char **text; } sections[] = {
    { "kernel", &c->kernel }, { "memory", &c->memory }, { "says", &c->says }, { "steps", &c->steps }, { "prints", &c->prints },
    { "printed", &c->printed },
  };
  for (guint i = 0; i < G_N_ELEMENTS (sections); i++)
    if (strcmp (name, sections[i].name) == 0)
      return sections[i].text;
  return NULL;
}

static void
set_option (Case *c, const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", 2);
  char **field = strcmp (words[0], "passes") == 0 ? &c->passes : strcmp (words[0], "machine") == 0 ? &c->machine
                 : strcmp (words[0], "planner") == 0 ? &c->planner : strcmp (words[0], "header") == 0 ? &c->header : NULL;
  g_assert_nonnull (field);
  g_assert_nonnull (words[1]);
  g_free (*field);
  *field = g_strdup (words[1]);
}

static void
add_case (Case *c)
{
  g_autofree char *path = g_strdup_printf ("/memory/%s", c->name);
  g_test_add_data_func_full (path, c, test_case, case_free);
}

static Case *
new_case (const char *name)
{
  Case *c = g_new0 (Case, 1);
  c->name = g_strdup (name);
  c->machine = g_strdup ("ascend910b");
  c->planner = g_strdup ("pypto");
  c->passes = g_strdup ("InitMemRef");
  c->header = g_strdup ("InCore");
  c->kernel = g_strdup ("");
  c->memory = g_strdup ("");
  c->says = g_strdup ("");
  c->steps = g_strdup ("");
  c->prints = g_strdup ("");
  c->printed = g_strdup ("");
  return c;
}

static void
read_file (const char *path)
{
  g_autofree char *text = NULL;
  Case *c = NULL;
  char **section = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      if (g_str_has_prefix (lines[i], "=== "))
        {
          if (c != NULL)
            add_case (c);
          c = new_case (lines[i] + 4);
          section = NULL;
        }
      else if (g_str_has_prefix (lines[i], "--- "))
        {
          section = section_of (c, lines[i] + 4);
          g_assert_nonnull (section);
        }
      else if (c != NULL && section != NULL && lines[i][0] != '\0')
        {
          char *longer = g_strconcat (*section, lines[i], "\n", NULL);
          g_free (*section);
          *section = longer;
        }
      else if (c != NULL && section == NULL && lines[i][0] != '\0')
        set_option (c, lines[i]);
    }
  if (c != NULL)
    add_case (c);
}

static gint
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "unit", "memory", "cases", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;
  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".cases"))
      g_ptr_array_add (names, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (names, by_name);
  for (guint i = 0; i < names->len; i++)
    read_file (names->pdata[i]);
  g_assert_cmpuint (names->len, >, 0);
  return g_test_run ();
}
