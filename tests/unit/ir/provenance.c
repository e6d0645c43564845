/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Links between snapshots recovered from the text: names with clone suffixes, kinds, order, outlined functions. */
#include <string.h>

#include "ir/build.h"
#include "ir/provenance.h"
#include "lang/pypto/pypto.h"

static TsModule *
read_text (const char *name, const char *text)
{
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsSource) source = ts_source_new_text (name, text);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  TsPyptoOptions options = { .mode = TS_PYPTO_DUMP };
  TsModule *module = ts_pypto_parse (source, strings, &options, diags);

  g_assert_nonnull (module);
  g_assert_false (ts_diag_list_has_errors (diags));
  return module;
}

static TsModule *
read_dump (const char *path)
{
  g_autofree char *full = g_build_filename (g_getenv ("TS_TEST_GOLDEN"), path, NULL), *text = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (full, &text, NULL, &error);
  g_assert_no_error (error);
  return read_text (path, text);
}

static void
test_stem (void)
{
  const struct { const char *name, *stem; } rows[] = {
    { "x", "x" }, { "x_1", "x" }, { "x_1_2", "x_1" }, { "acc__rv_v2", "acc" }, { "acc__rv_v2_1", "acc" },
      { "mem_vec_3", "mem_vec" },
    { "__gm_pipe", "__gm_pipe" }, { "q__tile_Left", "q" }, { "n_inline4__ssa_v0", "n_inline4" }, { "_1", "_1" }, { "", "" },
      { "x_", "x_" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *stem = g_strndup (rows[i].name, ts_name_stem (rows[i].name));

      g_assert_cmpstr (stem, ==, rows[i].stem);
    }
}

static void
test_written (void)
{
  const struct { const char *name, *written; } rows[] = {
    { "n", "n" }, { "n_1", "n_1" }, { "n__ssa_v0", "n" }, { "n_1__ssa_v0", "n_1" }, { "n_1__ssa_v12_3", "n_1" },
    { "block__size", "block__size" }, { "a__b__ssa_v0", "a__b" }, { "acc__rv_v2", "acc" }, { "q__tile_Left_tmp_v0", "q" },
    { "n__ssa_v", "n__ssa_v" }, { "n__ssa_v0x", "n__ssa_v0x" }, { "n__passa_v0", "n__passa_v0" }, { "__ssa_v0", "__ssa_v0" },
    { "", "" }, { "_", "_" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *written = g_strndup (rows[i].name, ts_name_written (rows[i].name));

      g_assert_cmpstr (written, ==, rows[i].written);
      g_assert_true (*written == '\0' || ts_name_answers (rows[i].name, written, strlen (written)));
      g_assert_true (*written == '\0' || ts_name_answers (rows[i].name, rows[i].name, strlen (rows[i].name)));
    }
  g_assert_false (ts_name_answers ("n_1__ssa_v0", "n", 1));
  g_assert_false (ts_name_answers ("n_1", "n", 1));
  g_assert_false (ts_name_answers ("n", "n_1", 3));
}

/* Copies of a statement and nothing else link to it, in both directions. */
static void
test_exact (void)
{
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsModule) before = ts_module_new (TS_LANGUAGE_PYPTO, strings), after = NULL;
  TsBlock *body = ts_function_block (ts_module_add_function (before, "f"));
  TsOp *a = ts_build_assign (before, body, "a", ts_type_scalar (before, TS_DTYPE_INDEX), ts_expr_index (before, 1));
  TsOp *b = ts_build_assign (before, body, "b", ts_type_scalar (before, TS_DTYPE_INDEX), ts_expr_index (before, 2));
  g_autoptr (TsProvenance) links = NULL;
  TsOp *copy;
  const gint32 *found;
  guint n;

  after = ts_module_clone (before);
  body = ts_function_block (after->functions[0]);
  copy = ts_build_assign (after, body, "a", ts_type_scalar (after, TS_DTYPE_INDEX), ts_expr_index (after, 1));
  copy->origin = (TsOrigin) { .op = a->id, .clone = 1 };
  TsOp *fresh = ts_build_assign (after, body, "n", ts_type_scalar (after, TS_DTYPE_INDEX), ts_expr_index (after, 3));
  fresh->origin = (TsOrigin) { .op = -1 };
  links = ts_provenance_exact (before, after);

  g_assert_false (ts_provenance_is_inferred (links));
  found = ts_provenance_backward (links, copy->id, &n);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpint (found[0], ==, a->id);
  found = ts_provenance_forward (links, a->id, &n);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpint (found[0], ==, a->id);
  g_assert_cmpint (found[1], ==, copy->id);
  ts_provenance_forward (links, b->id, &n);
  g_assert_cmpuint (n, ==, 1);
  ts_provenance_backward (links, fresh->id, &n);
  g_assert_cmpuint (n, ==, 0);
  ts_provenance_backward (links, -5, &n);
  g_assert_cmpuint (n, ==, 0);
  ts_provenance_forward (links, 1000, &n);
  g_assert_cmpuint (n, ==, 0);
}

typedef struct
{
  const char *name; /* of the result looked for */
  TsOp       *found;
} Search;

static gboolean
find_named (TsOp *op, gpointer data)
{
  Search *search = data;

  if (search->found == NULL && op->n_results > 0 && strcmp (op->results[0]->hint, search->name) == 0)
    search->found = op;
  return TRUE;
}

static TsOp *
op_named (const TsModule *module, const char *name)
{
  Search search = { name, NULL };

  for (guint i = 0; i < module->n_functions; i++)
    ts_region_walk (&module->functions[i]->body, find_named, &search);
  if (search.found == NULL)
    g_error ("no result %s", name);
  return search.found;
}

typedef struct
{
  const char *before, *after; /* dumps */
  const char *name, *origin;  /* result in `after`, and what it was in `before`; NULL: new */
} Match;

/* Chosen by eye from the dumps. */
static const Match matches[] = {
  { "kernels/axpy_tail/02_after_LowerPipelineToSlots.py", "kernels/axpy_tail/03_after_LowerPipelineLoops.py", "xt_2", "xt" },
  { "kernels/axpy_tail/02_after_LowerPipelineToSlots.py", "kernels/axpy_tail/03_after_LowerPipelineLoops.py", "zt_1", "zt" },
  { "kernels/axpy_tail/03_after_LowerPipelineLoops.py", "kernels/axpy_tail/04_after_CanonicalizeIOOrder.py", "xt_1", "xt_1" },
  { "kernels/axpy_tail/05_after_MaterializeTensorStrides.py", "kernels/axpy_tail/06_after_InitMemRef.py", "yt_2", "yt_2" },
  { "kernels/axpy_tail/07_after_MaterializeSemanticAliases.py", "kernels/axpy_tail/08_after_MemoryReuse.py", "mem_vec_5",
    "mem_vec_5" },
  { "kernels/axpy_tail/05_after_MaterializeTensorStrides.py", "kernels/axpy_tail/06_after_InitMemRef.py", "mem_vec_5", NULL },
  { "dumps/gelu_rows/03_after_CtrlFlowTransform.py", "dumps/gelu_rows/04_after_ConvertToSSA.py", "k__ssa_v0", "k" },
  { "dumps/gelu_rows/08_after_OutlineHierarchyScopes.py", "dumps/gelu_rows/09_after_OutlineIncoreScopes.py", "e__ssa_v0",
    "e__ssa_v0" },
  { "dumps/mix_scores/10_after_OutlineClusterScopes.py", "dumps/mix_scores/11_after_ConvertTensorToTileOps.py", "s__tile",
    "s__ssa_v0" },
  { "dumps/mix_scores/28_after_LowerPipelineToSlots.py", "dumps/mix_scores/29_after_LowerPipelineLoops.py", "kt__tile_1",
    "kt__tile" },
};

static void
test_match (gconstpointer data)
{
  const Match *row = data;
  g_autoptr (TsModule) before = read_dump (row->before), after = read_dump (row->after);
  g_autoptr (TsProvenance) links = ts_provenance_match (before, after);
  TsOp *op = op_named (after, row->name);
  guint n;
  const gint32 *found = ts_provenance_backward (links, op->id, &n);

  g_assert_true (ts_provenance_is_inferred (links));
  if (row->origin == NULL)
    {
      g_assert_cmpuint (n, ==, 0);
      return;
    }
  g_assert_cmpuint (n, ==, 1);
  g_autofree TsOp **ops = ts_module_ops_by_id (before);
  g_assert_cmpstr (ops[found[0]]->results[0]->hint, ==, row->origin);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/provenance/stem", test_stem);
  g_test_add_func ("/provenance/written", test_written);
  g_test_add_func ("/provenance/exact", test_exact);
  for (guint i = 0; i < G_N_ELEMENTS (matches); i++)
    {
      g_autofree char *path = g_strdup_printf ("/provenance/match/%u-%s", i, matches[i].name);

      g_test_add_data_func (path, &matches[i], test_match);
    }
  return g_test_run ();
}
