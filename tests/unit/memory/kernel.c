/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shorthand to kernel, kernel to snapshots, snapshot to the list of who lives where. */
#include "kernel.h"

#include <string.h>

#include "lang/pypto/pypto.h"
#include "passes/allocations.h"

static const struct
{
  const char *pattern, *replacement;
} shorthand[] = {
  { "Tile\\(([^;()]*); (\\w+); (\\w+)\\)", "pl.Tile[[\\1], pl.\\2, pl.Mem.\\3]" },
  { "Tile\\(([^;()]*); (\\w+); (\\w+); (MemRef\\([^)]*\\)(?:\\[[^;]*\\])?)\\)", "pl.Tile[[\\1], pl.\\2, \\4, pl.Mem.\\3]" },
  { "Tile\\(([^;()]*); (\\w+); (\\w+); ; ([^;]*)\\) =", "pl.Tile[[\\1], pl.\\2, pl.Mem.\\3, \\4] =" },
  { "Tile\\(([^;()]*); (\\w+)\\)", "pl.Tile[[\\1], pl.\\2]" },
  { "Tensor\\(([^;()]*); (\\w+)\\)", "pl.Tensor[[\\1], pl.\\2]" },
  { "Tensor\\(([^;()]*); (\\w+); (TensorView\\([^)]*\\))\\)", "pl.Tensor[[\\1], pl.\\2, \\3]" },
  { "(?<![\\w.])(tile|tensor|system|Mem|PadValue|TensorLayout|TileLayout)\\.", "pl.\\1." },
  { "(?<![\\w.])(yield_|range|while_|cond|MemRef|const|TensorView|TileView|submit)(?=\\()", "pl.\\1" },
  { "(?<![\\w.])(Out|InOut|Scalar|Tuple)(?=\\[)", "pl.\\1" },
  { "(?<![\\w.])(INDEX|INT32|INT64|FP32|FP16|BF16|FP4|BOOL)(?=[\\],)])", "pl.\\1" },
};

static char *
expand (const char *text)
{
  char *expanded = g_strdup (text);
  for (guint i = 0; i < G_N_ELEMENTS (shorthand); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GRegex) regex = g_regex_new (shorthand[i].pattern, 0, 0, &error);
      g_assert_no_error (error);
      char *next = g_regex_replace (regex, expanded, -1, 0, shorthand[i].replacement, 0, &error);
      g_assert_no_error (error);
      g_free (expanded);
      expanded = next;
    }
  return expanded;
}

static char *
compose (const char *kernel, const char *header)
{
  gboolean source = g_str_has_prefix (header, "source ");
  g_auto (GStrv) words = g_strsplit (header + (source ? strlen ("source ") : 0), " ", 3);
  const char *name = words[1] != NULL ? words[1] : "f", *attrs = words[1] != NULL ? words[2] : NULL;
  g_autofree char *body = expand (kernel);
  const char *line_end = strchr (body, '\n');
  g_assert_nonnull (line_end);
  GString *text = g_string_new (source ? "" : "# pypto.program: T\n");
  g_string_append_printf (text, "import pypto.language as pl\n\n@pl.program\nclass T:\n    @pl.function(type=pl.FunctionType.%s)\n"
                          "    def %s(%s%.*s\n", words[0], name, source ? "self, " : "", (int) (line_end - body) - 1, body + 1);
  if (attrs != NULL)
    g_string_append_printf (text, "        pl.func_attr(%s)\n", attrs);
  g_auto (GStrv) lines = g_strsplit (line_end + 1, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (lines[i][0] != '\0')
      g_string_append_printf (text, "    %s\n", lines[i]);
  return g_string_free (text, FALSE);
}

TsModule *
ts_kernel_parse (const char *kernel, const char *header, TsDiagList *diags)
{
  g_autofree char *text = compose (kernel, header);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsSource) source = ts_source_new_text ("kernel.py", text);
  TsModule *module = ts_pypto_parse (source, strings, NULL, diags);
  if (ts_diag_list_has_errors (diags))
    g_clear_pointer (&module, ts_module_free);
  return module;
}

TsMachine *
ts_kernel_machine (const char *name)
{
  g_autoptr (GError) error = NULL;
  static const char *const unlimited[] = { "core.backend=none", "memory.vec=0", "memory.mat=0", "memory.left=0", "memory.right=0",
                                           "memory.acc=0", "memory.bias=0", NULL };
  TsMachine *machine = strcmp (name, "none") == 0 ? ts_machine_load ("teaching", unlimited, &error)
                                                  : ts_machine_load (name, NULL, &error);
  g_assert_no_error (error);
  return machine;
}

GPtrArray *
ts_kernel_run (const char *kernel, const char *header, const char *passes, const char *machine, const char *planner,
               TsDiagList *diags)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TsMachine) m = ts_kernel_machine (machine);
  TsPipelineOptions options = { .machine = m, .verify = TS_VERIFY_NONE, .record_steps = TRUE };
  g_assert_true (ts_planner_from_name (planner, &options.planner));
  g_autoptr (GArray) plan = ts_pass_plan_parse (passes, TS_LANGUAGE_PYPTO, options.planner, &error);
  g_assert_no_error (error);
  TsModule *module = ts_kernel_parse (kernel, header, diags);
  return module != NULL ? ts_pipeline_run (module, plan, &options) : NULL;
}

typedef struct
{
  const TsModule *module;
  GPtrArray      *names; /* by value id */
  GString        *out;
} Describe;

static const char *
name_of (const Describe *d, const TsValue *value)
{
  const char *name = (guint) value->id < d->names->len ? d->names->pdata[value->id] : NULL;
  return name != NULL ? name : value->hint;
}

static void
describe_value (TsValue *value, TsOp *op, gpointer data)
{
  Describe *d = data;
  const TsType *type = value->type;
  gint64 bytes;
  if (op != NULL && ts_alloc_of (value) == op)
    {
      ts_alloc_bytes (op, &bytes);
      g_autofree char *space = ts_pypto_print_expr (d->module, op->operands[0]);
      g_string_append_printf (d->out, "alloc %s %s %" G_GINT64_FORMAT "%s\n", name_of (d, value), strrchr (space, '.') + 1, bytes,
                              ts_alloc_is_pinned (op) ? " pinned" : "");
    }
  if (!ts_type_is_tile (type) && !ts_type_is_tensor (type))
    return;
  if (type->memref == NULL)
    {
      g_string_append_printf (d->out, "%s -\n", name_of (d, value));
      return;
    }
  g_autofree char *offset = type->memref->offset != NULL ? ts_pypto_print_expr (d->module, type->memref->offset) : g_strdup ("?");
  if (ts_expr_as_int (type->memref->offset, &bytes))
    {
      g_free (offset);
      offset = g_strdup_printf ("%" G_GINT64_FORMAT, bytes);
    }
  g_string_append_printf (d->out, "%s %s+%s %" G_GINT64_FORMAT "\n", name_of (d, value), name_of (d, type->memref->base), offset,
                          type->memref->size);
}

char *
ts_kernel_memory (const TsModule *module)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_free (ts_pypto_print (module, NULL, names));
  Describe d = { module, names, g_string_new (NULL) };
  for (guint i = 0; i < module->n_functions; i++)
    ts_function_foreach_value (module->functions[i], describe_value, &d);
  return g_string_free (d.out, FALSE);
}
