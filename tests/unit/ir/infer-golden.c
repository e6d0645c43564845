/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inferred types against those the compiler printed, and calls completed against calls printed: every statement of every reference
 * output whose operation the table knows. */
#include <string.h>

#include "base/file.h"
#include "ir/infer.h"
#include "ir/op-info.h"
#include "lang/pypto/pypto.h"

typedef struct
{
  TsModule   *module;
  const char *path;
  TsOpVisitor visit;
  guint       compared, different;
} Walk;

static char *
bare_type (TsModule *module, const TsType *type)
{
  if (type != NULL && type->memref != NULL)
    type = ts_type_with_memref (module, type, NULL);
  return type != NULL ? ts_pypto_print_type (module, type) : g_strdup ("none");
}

static gboolean
compare (TsOp *op, gpointer data)
{
  Walk                  *walk = data;
  const TsOpInfo        *info = ts_op_info (op->code);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autofree char       *inferred = NULL, *annotated = NULL;
  if (op->n_results != 1 || op->code == TS_OP_UNKNOWN || info->dialect == TS_DIALECT_STRUCTURAL || info->result == TS_RESULT_NONE)
    return TRUE;
  inferred = bare_type (walk->module, ts_infer_result (walk->module, op, diags, op->span));
  annotated = bare_type (walk->module, op->results[0]->type);
  walk->compared++;
  if (strcmp (inferred, annotated) == 0)
    return TRUE;
  walk->different++;
  g_test_message ("%s:%u: %s: inferred %s, printed %s", walk->path, ts_module_line (walk->module, op->span), info->name, inferred,
                  annotated);
  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    g_test_message ("  %s", ts_diag_list_get (diags, i)->message);
  return TRUE;
}

/* What the compiler printed is complete: completing it again changes nothing. */
static gboolean
complete (TsOp *op, gpointer data)
{
  Walk                  *walk = data;
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autofree char       *before = NULL, *after = NULL;
  if (op->code == TS_OP_UNKNOWN || ts_op_info (op->code)->dialect == TS_DIALECT_STRUCTURAL)
    return TRUE;
  before = ts_pypto_print_op (walk->module, op);
  g_assert_true (ts_infer_complete (walk->module, op, diags, op->span));
  after = ts_pypto_print_op (walk->module, op);
  g_assert_cmpstr (after, ==, before);
  walk->compared++;
  return TRUE;
}

static void
walk_file (const char *path, Walk *walk)
{
  const TsPyptoOptions   options = { .mode = TS_PYPTO_DUMP };
  g_autoptr (GError)     error = NULL;
  g_autoptr (GBytes)     bytes = ts_file_read (path, NULL, &error);
  g_autoptr (TsStrings)  strings = ts_strings_new ();
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (TsSource)   source = NULL;
  g_autoptr (TsModule)   module = NULL;
  g_assert_no_error (error);
  source = ts_source_new (path, bytes);
  module = ts_pypto_parse (source, strings, &options, diags);
  g_assert_nonnull (module);
  if (ts_diag_list_has_errors (diags))
    g_test_message ("%s: %s", path, ts_diag_list_get (diags, 0)->message);
  g_assert_false (ts_diag_list_has_errors (diags));
  walk->module = module;
  walk->path = path;
  for (guint i = 0; i < module->n_functions; i++)
    ts_region_walk (&module->functions[i]->body, walk->visit, walk);
}

static void
walk_folder (const char *folder, Walk *walk)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char      *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        walk_folder (path, walk);
      else if (g_ascii_isdigit (name[0]) && g_str_has_suffix (name, ".py")) /* kernel.py is a user's form */
        walk_file (path, walk);
    }
}

static void
test_types (void)
{
  Walk walk = { .visit = compare };
  walk_folder (g_getenv ("TS_TEST_GOLDEN"), &walk);
  g_test_message ("%u statements compared", walk.compared);
  g_assert_cmpuint (walk.compared, >, 2500);
  g_assert_cmpuint (walk.different, ==, 0);
}

static void
test_calls (void)
{
  Walk walk = { .visit = complete };
  walk_folder (g_getenv ("TS_TEST_GOLDEN"), &walk);
  g_assert_cmpuint (walk.compared, >, 2900);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ir/infer/reference-types", test_types);
  g_test_add_func ("/ir/infer/reference-calls", test_calls);
  return g_test_run ();
}
