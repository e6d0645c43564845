/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operation table: complete, consistent in itself, and equal to the lists of ops.md. */
#include "ir/op-info.h"

#include <string.h>

static gboolean
in_list (const char *name, const char *list)
{
  g_auto (GStrv) words = g_strsplit (list, " ", -1);
  return g_strv_contains ((const char *const *) words, name);
}

static void
test_count (void)
{
  guint tiles = 0;
  for (guint code = TS_OP_INVALID; code < TS_N_OP_CODES; code++)
    {
      const TsOpInfo *info = ts_op_info (code);
      g_assert_nonnull (info->name);
      tiles += info->dialect == TS_DIALECT_TILE;
    }
  g_assert_cmpuint (tiles, ==, 138);
  g_assert_true (ts_op_info (TS_N_OP_CODES) == ts_op_info (TS_OP_UNKNOWN));
}

static void
test_names (void)
{
  for (guint code = TS_OP_INVALID; code < TS_N_OP_CODES; code++)
    {
      const TsOpInfo *info = ts_op_info (code);
      if (info->dialect == TS_DIALECT_STRUCTURAL || info->dialect == TS_DIALECT_UNKNOWN)
        g_assert_cmpint (ts_op_code_from_name (info->name, -1), ==, TS_OP_UNKNOWN);
      else
        g_assert_cmpint (ts_op_code_from_name (info->name, -1), ==, code);
    }
  g_assert_cmpint (ts_op_code_from_name ("tile.load(x", strlen ("tile.load")), ==, TS_OP_TILE_LOAD);
  g_assert_cmpint (ts_op_code_from_name ("tile.loa", -1), ==, TS_OP_UNKNOWN);
  g_assert_cmpint (ts_op_code_from_name ("", 0), ==, TS_OP_UNKNOWN);
}

/* The counts of arguments say what the list of their names says. */
static void
test_arguments (void)
{
  for (guint code = TS_OP_INVALID; code < TS_N_OP_CODES; code++)
    {
      const TsOpInfo *info = ts_op_info (code);
      guint           needed = 0, n = 0;
      g_auto (GStrv)  names = NULL;
      if (info->args == NULL || (info->flags & TS_OPF_VARIADIC) != 0)
        continue;
      names = g_strsplit (info->args, ",", -1);
      for (; names[n] != NULL; n++)
        needed += !g_str_has_suffix (names[n], "?") && strchr (names[n], '=') == NULL;
      g_test_message ("%s (%s)", info->name, info->args);
      g_assert_cmpuint (info->min_args, ==, needed);
      g_assert_cmpuint (info->max_args, ==, n);
      g_assert_nonnull (info->help);
      if (info->buffer == TS_BUFFER_REUSES)
        g_assert_cmpuint (info->reuse_arg, <, info->min_args);
    }
}

/* Lists inside a row hold names that exist. */
static void
test_texts (void)
{
  for (guint code = TS_OP_INVALID; code < TS_N_OP_CODES; code++)
    {
      const TsOpInfo *info = ts_op_info (code);
      g_auto (GStrv)  spaces = g_strsplit_set (info->in_spaces != NULL ? info->in_spaces : "*", ",|", -1);
      g_auto (GStrv)  dtypes = g_strsplit (info->dtypes != NULL ? info->dtypes : "integer", ",", -1);
      g_auto (GStrv)  words = g_strsplit (info->call != NULL ? info->call : "", ",", -1);
      const gboolean  by_keyword = (info->flags & TS_OPF_SPACE_KEYWORD) != 0;
      g_test_message ("%s", info->name);
      for (guint i = 0; spaces[i] != NULL; i++)
        g_assert_true (strcmp (spaces[i], "*") == 0 || ts_space_from_name (spaces[i], -1) != TS_SPACE_NONE);
      for (guint i = 0; dtypes[i] != NULL; i++)
        g_assert_true (strcmp (dtypes[i], "integer") == 0 || ts_dtype_from_name (dtypes[i], -1) != TS_DTYPE_NONE);
      for (guint i = 0; words[i] != NULL; i++)
        g_assert_true (strstr (info->args, words[i]) != NULL || strstr (info->keywords, words[i]) != NULL);
      g_assert_cmpint (by_keyword, ==, info->keywords != NULL && strstr (info->keywords, "target_memory") != NULL);
      g_assert_false (by_keyword && (info->flags & TS_OPF_SPACE_INHERIT) != 0);
      g_assert_cmpuint (info->cost, <, TS_N_COST_CLASSES);
    }
}

/* ops.md 1: what each operation's result space is. */
static void
test_spaces (void)
{
  for (guint code = TS_OP_INVALID; code < TS_N_OP_CODES; code++)
    {
      const TsOpInfo *info = ts_op_info (code);
      const char     *name = info->dialect == TS_DIALECT_TILE ? info->name + strlen ("tile.") : "";
      TsSpace         space = TS_SPACE_VEC;
      if (*name == '\0')
        continue;
      if (in_list (name, "matmul matmul_acc matmul_bias gemv gemv_acc gemv_bias batch_matmul batch_matmul_acc matmul_mx "
                         "matmul_mx_acc matmul_mx_bias"))
        space = TS_SPACE_ACC;
      else if (in_list (name, "store mscatter"))
        space = TS_SPACE_DDR;
      else if (in_list (name, "aic_gather"))
        space = TS_SPACE_MAT;
      else if (in_list (name, "gather_row tget_scale_addr assemble transpose slice reshape reinterpret_view transpose_view "
                              "set_validshape alloc read get_block_idx get_block_num get_subblock_idx tpush_to_aiv tpush_to_aic "
                              "tpop_from_aic tpop_from_aiv"))
        space = TS_SPACE_NONE;
      g_test_message ("%s", name);
      g_assert_cmpint (info->out_space, ==, space);
    }
}

static void
check_flag (guint32 flag, const char *list)
{
  for (guint code = TS_OP_INVALID; code < TS_N_OP_CODES; code++)
    {
      const TsOpInfo *info = ts_op_info (code);
      if (info->dialect != TS_DIALECT_TILE)
        continue;
      g_test_message ("%s", info->name);
      g_assert_cmpint ((info->flags & flag) != 0, ==, in_list (info->name + strlen ("tile."), list));
    }
}

#define BOTH_ROW_MAJOR \
  "add sub mul div rem fmod maximum minimum and or xor shl shr abs exp log sqrt rsqrt recip not relu cast adds subs muls divs " \
  "fmods maximums lrelu addsc subsc prelu sel sels cmps gatherb sort32 mrgsort_format1 mrgsort_format2"

/* The lists of ops.md 12 and passes-memory 5.4, word for word. */
static void
test_lists (void)
{
  check_flag (TS_OPF_UNKNOWN_EVIDENCE,
              "row_expand row_expand_add col_expand expands tpush_to_aiv tpush_to_aic tpop_from_aic tpop_from_aiv aiv_shard "
              "aic_gather rem part_add part_mul part_max part_min rems xor xors prelu sel fillpad fillpad_inplace gather gatherb "
              "gather_mask gather_compare matmul_mx matmul_mx_acc matmul_mx_bias tget_scale_addr write read store mscatter mgather "
              "tri gather_row row_sum row_max row_min row_prod col_sum row_argmax row_argmin col_argmax col_argmin scatter "
              "scatter_mask mrgsort_format2 transpose assemble extract scatter_update rsqrt");
  check_flag (TS_OPF_NOT_IN_PLACE,
              "fmod fmods ands ors xors prelu fillpad_expand gather gatherb gather_mask gather_compare mgather move row_sum "
              "row_max row_min row_prod row_argmax row_argmin col_argmax col_argmin sort32 mrgsort_format1 "
              "mrgsort_format2 transpose extract concat recip rsqrt");
  check_flag (TS_OPF_ROW_MAJOR_IN, BOTH_ROW_MAJOR " mscatter");
  check_flag (TS_OPF_ROW_MAJOR_OUT, BOTH_ROW_MAJOR " full tri random");
}

/* passes-memory 3.2: who shares the memory of which argument. */
static void
test_buffers (void)
{
  for (guint code = TS_OP_INVALID; code < TS_N_OP_CODES; code++)
    {
      const TsOpInfo *info = ts_op_info (code);
      const char     *name = info->name;
      const gboolean  view = in_list (name, "tile.slice tile.reshape tile.reinterpret_view tile.transpose_view tile.assemble "
                                            "tile.set_validshape tile.tget_scale_addr tensor.slice tensor.reshape "
                                            "tensor.reinterpret_view tensor.view tensor.set_validshape");
      if (info->dialect != TS_DIALECT_TILE && info->dialect != TS_DIALECT_TENSOR)
        continue;
      g_test_message ("%s", name);
      g_assert_cmpint (info->buffer == TS_BUFFER_VIEW, ==, view);
      if (in_list (name, "tile.matmul_acc tile.batch_matmul_acc tile.gemv_acc tile.matmul_mx_acc tile.fillpad_inplace "
                         "tile.gather_row tile.scatter tile.scatter_mask tile.scatter_update tensor.assemble"))
        g_assert_true (info->buffer == TS_BUFFER_REUSES && info->reuse_arg == 0);
      else if (in_list (name, "tile.store tile.mscatter"))
        g_assert_true (info->buffer == TS_BUFFER_REUSES && info->reuse_arg == 2);
      else
        g_assert_true (info->buffer != TS_BUFFER_REUSES);
    }
}

/* "keyword Vec", "inherit", "Acc", "-" */
static char *
describe_space (const TsOpInfo *info)
{
  const char *name = info->out_space == TS_SPACE_NONE ? "-" : ts_space_name ((TsSpace) info->out_space);
  if ((info->flags & TS_OPF_SPACE_INHERIT) != 0)
    return g_strdup ("inherit");
  return g_strdup_printf ("%s%s", (info->flags & TS_OPF_SPACE_KEYWORD) != 0 ? "keyword " : "", name);
}

static char *
describe_buffer (const TsOpInfo *info)
{
  GString *out = g_string_new (NULL);
  if ((info->flags & TS_OPF_NOT_IN_PLACE) != 0)
    g_string_append (out, " N");
  for (guint k = 0; k < 8; k++)
    if ((info->no_alias >> k & 1) != 0)
      g_string_append_printf (out, " A(%u)", k);
  if (info->buffer == TS_BUFFER_REUSES)
    g_string_append_printf (out, " R(%u)", info->reuse_arg);
  if (info->buffer == TS_BUFFER_VIEW)
    g_string_append (out, " V");
  if (info->buffer == TS_BUFFER_NONE)
    g_string_append (out, " -");
  if ((info->flags & TS_OPF_NO_PIPE) != 0)
    g_string_append (out, " 0");
  return out->len > 0 ? g_string_free (g_string_erase (out, 0, 1), FALSE) : (g_string_free (out, TRUE), g_strdup ("fresh"));
}

static char *
describe_row (const TsOpInfo *info)
{
  static const char *const categories[] = { "compute", "load", "store", "scalar", "extract", "assemble" };
  g_autofree char *space = describe_space (info), *buffer = describe_buffer (info);
  return g_strdup_printf ("%s | %s | %s | %s -> %s | %s | %s | %s", info->name + strlen ("tile."),
                          info->args != NULL && *info->args != '\0' ? info->args : "-",
                          info->keywords != NULL ? info->keywords : "-",
                          info->in_spaces != NULL ? info->in_spaces : "-", space, buffer, categories[info->category],
                          ts_cost_class_name ((TsCostClass) info->cost));
}

/* Row by row: names, arguments, keywords, spaces, buffers, categories, costs. */
static void
test_rows (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "unit", "ir", "ops.rows", NULL);
  g_autofree char *text = NULL;
  guint            n = 0;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_auto (GStrv)  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_autofree char *name = NULL, *row = NULL;
      if (lines[i][0] == '#' || lines[i][0] == '\0')
        continue;
      name = g_strdup_printf ("tile.%.*s", (int) strcspn (lines[i], " "), lines[i]);
      row = describe_row (ts_op_info (ts_op_code_from_name (name, -1)));
      g_assert_cmpstr (row, ==, lines[i]);
      n++;
    }
  g_assert_cmpuint (n, ==, 138);
}

/* name | arguments | keywords | order of a user's call | space of the result | buffer | arguments written to | cost class */
static char *
describe_other_row (const TsOpInfo *info)
{
  g_autofree char *space = describe_space (info), *buffer = describe_buffer (info);
  g_autoptr (GString) writes = g_string_new (NULL);
  for (guint k = 0; k < 8; k++)
    if ((info->writes >> k & 1) != 0)
      g_string_append_printf (writes, "%s%u", writes->len > 0 ? " " : "", k);
  return g_strdup_printf ("%s | %s | %s | %s | %s | %s | %s | %s", info->name,
                          info->args != NULL && *info->args != '\0' ? info->args : "-",
                          info->keywords != NULL ? info->keywords : "-", info->call != NULL ? info->call : "-", space, buffer,
                          writes->len > 0 ? writes->str : "-", ts_cost_class_name ((TsCostClass) info->cost));
}

/* The operations above and beside tiles, all of them and no others. */
static void
test_other_rows (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "unit", "ir", "ops-tensor.rows", NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv)  lines = NULL;
  guint           n = 0, rows = 0;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_autofree char *name = NULL, *row = NULL;
      if (lines[i][0] == '#' || lines[i][0] == '\0')
        continue;
      name = g_strndup (lines[i], strcspn (lines[i], " "));
      row = describe_other_row (ts_op_info (ts_op_code_from_name (name, -1)));
      g_assert_cmpstr (row, ==, lines[i]);
      n++;
    }
  for (guint code = TS_OP_INVALID; code < TS_N_OP_CODES; code++)
    rows += ts_op_info (code)->dialect == TS_DIALECT_TENSOR || ts_op_info (code)->dialect == TS_DIALECT_ARRAY
            || ts_op_info (code)->dialect == TS_DIALECT_SYSTEM || ts_op_info (code)->dialect == TS_DIALECT_PLD;
  g_assert_cmpuint (n, ==, rows);
}

/* Every operation that a text calls by its full name; returns how many calls there are. */
static guint
check_calls (const char *path)
{
  g_autoptr (GRegex) regex = g_regex_new ("\\bpld?\\.(?:tensor|tile|system|array)\\.[a-z_0-9]+(?=\\()", 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree char *text = NULL;
  guint n = 0;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (g_regex_match (regex, text, 0, &match); g_match_info_matches (match); g_match_info_next (match, NULL), n++)
    {
      g_autofree char *call = g_match_info_fetch (match, 0);
      const char      *name = g_str_has_prefix (call, "pl.") ? call + 3 : call;
      gsize            length = strlen (name);
      length -= name[length - 1] == '_'; /* and_, or_, not_ */
      g_test_message ("%s: %s", path, call);
      g_assert_cmpint (ts_op_code_from_name (name, (gssize) length), !=, TS_OP_UNKNOWN);
    }
  return n;
}

static guint
check_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  guint n = 0;
  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);
      if (g_file_test (child, G_FILE_TEST_IS_DIR))
        n += check_folder (child);
      else if (g_str_has_suffix (name, ".py"))
        n += check_calls (child);
    }
  return n;
}

/* What occurs in reference dumps has a row. */
static void
test_dumps (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "golden", "dumps", NULL);
  g_assert_cmpuint (check_folder (path), >, 1000);
}

static void
test_transfers (void)
{
  g_assert_cmpint (ts_transfer_pipe (TS_SPACE_DDR, TS_SPACE_VEC, TS_BACKEND_A2A3), ==, TS_PIPE_MTE2);
  g_assert_cmpint (ts_transfer_pipe (TS_SPACE_DDR, TS_SPACE_MAT, TS_BACKEND_A5), ==, TS_PIPE_MTE2);
  g_assert_cmpint (ts_transfer_pipe (TS_SPACE_DDR, TS_SPACE_LEFT, TS_BACKEND_A5), ==, TS_PIPE_NONE);
  g_assert_cmpint (ts_transfer_pipe (TS_SPACE_VEC, TS_SPACE_DDR, TS_BACKEND_A2A3), ==, TS_PIPE_MTE3);
  g_assert_cmpint (ts_transfer_pipe (TS_SPACE_VEC, TS_SPACE_MAT, TS_BACKEND_A2A3), ==, TS_PIPE_NONE);
  g_assert_cmpint (ts_transfer_pipe (TS_SPACE_VEC, TS_SPACE_MAT, TS_BACKEND_A5), ==, TS_PIPE_MTE3);
  g_assert_cmpint (ts_transfer_pipe (TS_SPACE_MAT, TS_SPACE_DDR, TS_BACKEND_A5), ==, TS_PIPE_NONE);
  g_assert_cmpint (ts_transfer_pipe (TS_SPACE_MAT, TS_SPACE_BIAS, TS_BACKEND_A2A3), ==, TS_PIPE_MTE1);
  g_assert_cmpint (ts_transfer_pipe (TS_SPACE_MAT, TS_SPACE_LEFT_SCALE, TS_BACKEND_A2A3), ==, TS_PIPE_NONE);
  g_assert_cmpint (ts_transfer_pipe (TS_SPACE_MAT, TS_SPACE_LEFT_SCALE, TS_BACKEND_A5), ==, TS_PIPE_MTE1);
  g_assert_cmpint (ts_transfer_pipe (TS_SPACE_ACC, TS_SPACE_DDR, TS_BACKEND_A2A3), ==, TS_PIPE_FIX);
  g_assert_cmpint (ts_transfer_pipe (TS_SPACE_ACC, TS_SPACE_VEC, TS_BACKEND_A2A3), ==, TS_PIPE_NONE);
  g_assert_cmpint (ts_transfer_pipe (TS_SPACE_ACC, TS_SPACE_VEC, TS_BACKEND_A5), ==, TS_PIPE_FIX);
}

static void
test_small_names (void)
{
  for (guint i = 0; i < TS_N_PIPES; i++)
    {
      TsPipe pipe = TS_PIPE_NONE;
      g_assert_true (ts_pipe_from_name (ts_pipe_name (i), &pipe));
      g_assert_cmpint (pipe, ==, i);
    }
  g_assert_false (ts_pipe_from_name ("none", &(TsPipe){ 0 }));
  g_assert_cmpstr (ts_lane_name (ts_pipe_lane (TS_PIPE_MTE1)), ==, "mte-in");
  g_assert_cmpstr (ts_lane_name (ts_pipe_lane (TS_PIPE_FIX)), ==, "mte-out");
  g_assert_cmpstr (ts_cost_class_name (TS_COST_SCALAR_ARITH), ==, "scalar-arith");
  g_assert_cmpstr (ts_backend_name (TS_BACKEND_A5), ==, "a5");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ir/op-info/count", test_count);
  g_test_add_func ("/ir/op-info/names", test_names);
  g_test_add_func ("/ir/op-info/arguments", test_arguments);
  g_test_add_func ("/ir/op-info/texts", test_texts);
  g_test_add_func ("/ir/op-info/spaces", test_spaces);
  g_test_add_func ("/ir/op-info/lists", test_lists);
  g_test_add_func ("/ir/op-info/buffers", test_buffers);
  g_test_add_func ("/ir/op-info/rows", test_rows);
  g_test_add_func ("/ir/op-info/other-rows", test_other_rows);
  g_test_add_func ("/ir/op-info/dumps", test_dumps);
  g_test_add_func ("/ir/op-info/transfers", test_transfers);
  g_test_add_func ("/ir/op-info/small-names", test_small_names);
  return g_test_run ();
}
