/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The printed form, from modules made by hand: expressions, types, names, statements. Source: spec dsl, everything marked [P]. */
#include <string.h>

#include "ir/build.h"
#include "ir/op-info.h"
#include "lang/pypto/pypto.h"

typedef struct
{
  TsStrings  *strings;
  TsModule   *m;
  TsFunction *f;
  TsBlock    *body;
  TsExpr     *a, *b, *n;
} Fixture;

static void
set_up (Fixture *x, gconstpointer data)
{
  x->strings = ts_strings_new ();
  x->m = ts_module_new (TS_LANGUAGE_PYPTO, x->strings);
  x->f = ts_module_add_function (x->m, "main");
  x->body = ts_function_block (x->f);
  const TsType *index = ts_type_scalar (x->m, TS_DTYPE_INDEX);
  x->a = ts_expr_value (x->m, ts_function_add_param (x->m, x->f, "a", index, TS_DIRECTION_IN));
  x->b = ts_expr_value (x->m, ts_function_add_param (x->m, x->f, "b", index, TS_DIRECTION_IN));
  x->n = ts_expr_value (x->m, ts_function_add_param (x->m, x->f, "n", ts_type_scalar (x->m, TS_DTYPE_INT32), TS_DIRECTION_IN));
}

static void
tear_down (Fixture *x, gconstpointer data)
{
  ts_module_free (x->m);
  ts_strings_unref (x->strings);
}

static void
check_expr (Fixture *x, TsExpr *e, const char *expected)
{
  g_autofree char *text = ts_pypto_print_expr (x->m, e);

  g_assert_cmpstr (text, ==, expected);
}

static void
check_type (Fixture *x, const TsType *type, const char *expected)
{
  g_autofree char *text = ts_pypto_print_type (x->m, type);

  g_assert_cmpstr (text, ==, expected);
}

static TsExpr *
idx (Fixture *x, gint64 v)
{
  return ts_expr_index (x->m, v);
}

static TsExpr *
bin (Fixture *x, TsOperator op, TsExpr *l, TsExpr *r)
{
  return ts_expr_binary (x->m, op, l, r);
}

#define ADD TS_OPERATOR_ADD
#define SUB TS_OPERATOR_SUB
#define MUL TS_OPERATOR_MUL
#define FDIV TS_OPERATOR_FLOOR_DIV

static void
test_literals (Fixture *x, gconstpointer data)
{
  check_expr (x, idx (x, 3), "3");
  check_expr (x, idx (x, -3), "-3");
  check_expr (x, ts_expr_int (x->m, 3, TS_DTYPE_INT32), "pl.const(3, pl.INT32)");
  check_expr (x, ts_expr_int (x->m, -1, TS_DTYPE_INT64), "pl.const(-1, pl.INT64)");
  check_expr (x, ts_expr_int (x->m, G_MININT64, TS_DTYPE_INT64), "pl.const(-9223372036854775808, pl.INT64)");
  check_expr (x, ts_expr_float (x->m, 1.5, TS_DTYPE_BF16), "pl.const(1.5, pl.BF16)");
  check_expr (x, ts_expr_float (x->m, 3, TS_DTYPE_FP16), "pl.const(3.0, pl.FP16)");
  check_expr (x, ts_expr_float (x->m, 0.1, TS_DTYPE_FP32), "0.10000000000000001");
  check_expr (x, ts_expr_float (x->m, 1e20, TS_DTYPE_FP32), "1e+20");
  check_expr (x, ts_expr_bool (x->m, TRUE), "True");
  check_expr (x, ts_expr_bool (x->m, FALSE), "False");
  check_expr (x, ts_expr_none (x->m), "None");
  check_expr (x, ts_expr_dtype (x->m, TS_DTYPE_FP8E4M3FN), "pl.FP8E4M3FN");
  check_expr (x, ts_expr_space (x->m, TS_SPACE_LEFT_SCALE), "pl.Mem.LeftScale");
  check_expr (x, ts_expr_enum (x->m, "TensorLayout.NZ"), "pl.TensorLayout.NZ");
  check_expr (x, ts_expr_string (x->m, "a\"b\\c\nd"), "\"a\\\"b\\\\c\\nd\"");
}

static void
test_operators (Fixture *x, gconstpointer data)
{
  TsExpr *a = x->a, *b = x->b;
  const struct { TsExpr *e; const char *text; } rows[] = {
    { bin (x, SUB, a, bin (x, SUB, b, idx (x, 1))), "a - (b - 1)" },
    { bin (x, MUL, bin (x, ADD, a, b), idx (x, 2)), "(a + b) * 2" },
    { bin (x, MUL, bin (x, FDIV, bin (x, FDIV, a, idx (x, 3)), idx (x, 3)), idx (x, 9)), "a // 3 // 3 * 9" },
    { bin (x, MUL, a, bin (x, FDIV, b, idx (x, 2))), "a * (b // 2)" },
    { bin (x, ADD, bin (x, MUL, a, b), idx (x, 1)), "a * b + 1" },
    { bin (x, ADD, a, bin (x, ADD, b, idx (x, 1))), "a + (b + 1)" },
    { bin (x, MUL, idx (x, -5), a), "-5 * a" },
    { ts_expr_unary (x->m, TS_OPERATOR_NOT, bin (x, TS_OPERATOR_EQ, a, idx (x, 3))), "not a == 3" },
    { ts_expr_unary (x->m, TS_OPERATOR_NEG, bin (x, ADD, a, b)), "-(a + b)" },
    { ts_expr_unary (x->m, TS_OPERATOR_NEG, a), "-a" },
    { ts_expr_unary (x->m, TS_OPERATOR_BIT_NOT, a), "~a" },
    { bin (x, TS_OPERATOR_POW, bin (x, TS_OPERATOR_POW, a, b), idx (x, 2)), "(a ** b) ** 2" },
    { bin (x, TS_OPERATOR_POW, a, bin (x, TS_OPERATOR_POW, b, idx (x, 2))), "a ** b ** 2" },
    { bin (x, TS_OPERATOR_MIN, a, bin (x, ADD, b, idx (x, 1))), "pl.min(a, b + 1)" },
    { bin (x, TS_OPERATOR_MAX, idx (x, 4), idx (x, 8)), "pl.max(4, 8)" },
    { ts_expr_unary (x->m, TS_OPERATOR_ABS, a), "abs(a)" },
    { ts_expr_cast (x->m, x->n, TS_DTYPE_INDEX), "pl.cast(n, pl.INDEX)" },
    { bin (x, TS_OPERATOR_AND, bin (x, TS_OPERATOR_LT, a, b),
           bin (x, TS_OPERATOR_OR, bin (x, TS_OPERATOR_GE, a, b), bin (x, TS_OPERATOR_NE, a, b))),
      "a < b and (a >= b or a != b)" },
    { bin (x, TS_OPERATOR_SHL, a, bin (x, ADD, b, idx (x, 1))), "a << b + 1" },
    { bin (x, TS_OPERATOR_BIT_OR, bin (x, TS_OPERATOR_BIT_AND, a, b), bin (x, TS_OPERATOR_BIT_XOR, a, b)), "a & b | a ^ b" },
    { bin (x, TS_OPERATOR_FLOOR_MOD, a, idx (x, 3)), "a % 3" },
    { bin (x, TS_OPERATOR_DIV, a, idx (x, 3)), "a / 3" },
    { bin (x, TS_OPERATOR_XOR, bin (x, TS_OPERATOR_EQ, a, b), bin (x, TS_OPERATOR_EQ, b, a)), "a == b xor b == a" },
    /* Only constants: typed leaves, so that no reader folds them. */
    { bin (x, MUL, idx (x, 8), idx (x, 128)), "pl.const(8, pl.INDEX) * pl.const(128, pl.INDEX)" },
    { bin (x, ADD, a, bin (x, MUL, idx (x, 8), idx (x, 128))), "a + pl.const(8, pl.INDEX) * pl.const(128, pl.INDEX)" },
    { ts_expr_get (x->m, a, 1), "a[1]" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    check_expr (x, rows[i].e, rows[i].text);
}

static void
test_membership (Fixture *x, gconstpointer data)
{
  const TsStage pairs[] = { { 0, 1 }, { 12, 0 } };

  check_expr (x, ts_expr_membership (x->m, pairs, 2, NULL), "\"0:1;12:0\"");
  check_expr (x, ts_expr_membership_from_text (x->m, "0:1;x;3:2"), "\"0:1;x;3:2\"");
}

/* --- types ------------------------------------------------------------------------------------------------------------------- */

static const TsType *
tile (Fixture *x, gint64 rows, gint64 cols, TsSpace space, const TsView *view, const TsMemRef *memref)
{
  TsExpr *dims[] = { idx (x, rows), idx (x, cols) };

  return ts_type_tile (x->m, dims, 2, TS_DTYPE_FP16, space, view, memref);
}

static void
test_types (Fixture *x, gconstpointer data)
{
  TsModule *m = x->m;
  TsExpr *dims[] = { idx (x, 64), ts_expr_int (m, 128, TS_DTYPE_INT64) };
  TsExpr *composite[] = { bin (x, ADD, bin (x, MUL, x->a, idx (x, 2)), idx (x, 1)), x->b };
  const TsType *fp32 = ts_type_scalar (m, TS_DTYPE_FP32);
  const TsType *elems[] = { fp32, ts_type_ptr (m) };
  TsView nz = { .layout = TS_LAYOUT_NZ }, plain = { 0 }, valid = { .valid_shape = composite, .n_valid = 2, .pad = TS_PAD_MIN };

  check_type (x, fp32, "pl.Scalar[pl.FP32]");
  check_type (x, ts_type_tensor (m, dims, 2, TS_DTYPE_FP32, NULL, NULL), "pl.Tensor[[64, 128], pl.FP32]");
  check_type (x, ts_type_distributed (m, dims, 2, TS_DTYPE_FP32, NULL, NULL), "pld.DistributedTensor[[64, 128], pl.FP32]");
  check_type (x, ts_type_tensor (m, composite, 2, TS_DTYPE_BF16, NULL, NULL),
              "pl.Tensor[[a * pl.const(2, pl.INDEX) + pl.const(1, pl.INDEX), b], pl.BF16]");
  check_type (x, ts_type_tensor (m, dims, 2, TS_DTYPE_FP32, &nz, NULL),
              "pl.Tensor[[64, 128], pl.FP32, pl.TensorView(stride=[], layout=pl.TensorLayout.NZ)]");
  check_type (x, ts_type_tensor (m, dims, 2, TS_DTYPE_FP32, &plain, NULL), "pl.Tensor[[64, 128], pl.FP32, pl.TensorView()]");
  check_type (x, ts_type_tensor (m, dims, 2, TS_DTYPE_FP32, &valid, NULL),
              "pl.Tensor[[64, 128], pl.FP32, pl.TensorView(valid_shape=[a * pl.const(2, pl.INDEX) + pl.const(1, pl.INDEX), b], "
              "stride=[], "
              "layout=pl.TensorLayout.ND, pad=pl.PadValue.min)]");
  check_type (x, ts_type_array (m, idx (x, 4), TS_DTYPE_INT32), "pl.Array[4, pl.INT32]");
  check_type (x, ts_type_tuple (m, elems, 2), "pl.Tuple[pl.Scalar[pl.FP32], pl.Ptr]");
  check_type (x, ts_type_tuple (m, NULL, 0), "pl.Tuple[()]");
  check_type (x, ts_type_marker (m, "pl.UnknownType"), "pl.UnknownType");
  check_type (x, ts_type_marker (m, "pld.CommCtxType"), "pld.CommCtxType");
}

static void
test_tiles (Fixture *x, gconstpointer data)
{
  TsModule *m = x->m;
  TsValue *ddr = ts_value_new (m, TS_VALUE_BASE, "mem_ddr_0", ts_type_ptr (m));
  TsMemRef *slots = (TsMemRef *) ts_memref_copy (m, ts_memref_new (m, ddr, bin (x, MUL, x->a, idx (x, 8192)), 8192));
  TsMemRef *declared = (TsMemRef *) ts_memref_copy (m, slots);
  TsView view = ts_type_implicit_view (tile (x, 16, 16, TS_SPACE_LEFT, NULL, NULL));
  TsExpr *zero[] = { idx (x, 0), idx (x, 0) };

  slots->slots = 3;
  slots->slot_index = x->a;
  declared->slots = 2;
  declared->declared = TRUE;
  check_type (x, tile (x, 16, 16, TS_SPACE_NONE, NULL, NULL), "pl.Tile[[16, 16], pl.FP16]");
  check_type (x, tile (x, 16, 16, TS_SPACE_VEC, NULL, ts_memref_new (m, ddr, ts_expr_int (m, 0, TS_DTYPE_INT64), 512)),
              "pl.Tile[[16, 16], pl.FP16, pl.MemRef(\"mem_ddr_0\", pl.const(0, pl.INT64), 512), pl.Mem.Vec]");
  check_type (x, tile (x, 16, 16, TS_SPACE_VEC, NULL, slots),
              "pl.Tile[[16, 16], pl.FP16, pl.MemRef(\"mem_ddr_0\", a * 8192, 8192, slots=3)[a], pl.Mem.Vec]");
  check_type (x, tile (x, 16, 16, TS_SPACE_VEC, NULL, declared),
              "pl.Tile[[16, 16], pl.FP16, pl.MemRef(\"mem_ddr_0\", slots=2), pl.Mem.Vec]");
  view.blayout = TS_TILE_LAYOUT_ROW_MAJOR;
  check_type (x, tile (x, 16, 16, TS_SPACE_LEFT, &view, NULL),
              "pl.Tile[[16, 16], pl.FP16, pl.Mem.Left, pl.TileView(blayout=pl.TileLayout.row_major)]");
  view = ts_type_implicit_view (tile (x, 16, 16, TS_SPACE_VEC, NULL, NULL));
  view.valid_shape = zero;
  view.n_valid = 2;
  view.fractal = 1024;
  view.pad = TS_PAD_ZERO;
  view.compact = TS_COMPACT_NORMAL;
  check_type (x, tile (x, 16, 16, TS_SPACE_VEC, &view, NULL),
              "pl.Tile[[16, 16], pl.FP16, pl.Mem.Vec, pl.TileView(valid_shape=[0, 0], fractal=1024, pad=pl.PadValue.zero, "
              "compact=pl.CompactMode.normal)]");
}

/* --- statements -------------------------------------------------------------------------------------------------------------- */

static TsOp *
call (Fixture *x, TsBlock *block, const char *hint, const char *name, TsExpr *operand)
{
  TsOp *op = ts_op_new (x->m, ts_op_code_from_name (name, -1), name, &operand, operand != NULL ? 1 : 0);

  if (hint != NULL)
    ts_op_add_result (x->m, op, hint, tile (x, 16, 16, TS_SPACE_VEC, NULL, NULL));
  ts_block_append (block, op);
  return op;
}

static TsOp *
loop (Fixture *x, TsBlock *block, const char *hint)
{
  return ts_build_for (x->m, block, TS_LOOP_SEQUENTIAL, hint, TS_DTYPE_INDEX, idx (x, 0), idx (x, 4), idx (x, 1));
}

static void
test_names (Fixture *x, gconstpointer data)
{
  g_autofree char *text = NULL;

  loop (x, x->body, "i");
  loop (x, x->body, "i_1");
  loop (x, x->body, "i");
  ts_build_assign (x->m, x->body, "a", ts_type_scalar (x->m, TS_DTYPE_INDEX), x->a);
  ts_build_assign (x->m, x->body, "u", ts_type_scalar (x->m, TS_DTYPE_INDEX),
                   ts_expr_value (x->m, ts_value_new (x->m, TS_VALUE_FREE, "lost", ts_type_scalar (x->m, TS_DTYPE_INDEX))));
  text = ts_pypto_print (x->m, NULL, NULL);
  g_assert_cmpstr (text, ==,
                   "@pl.function\n"
                   "def main(a: pl.Scalar[pl.INDEX], b: pl.Scalar[pl.INDEX], n: pl.Scalar[pl.INT32]):\n"
                   "    for i in pl.range(4):\n"
                   "        pass\n"
                   "    for i_1 in pl.range(4):\n"
                   "        pass\n"
                   "    for i_2 in pl.range(4):\n"
                   "        pass\n"
                   "    a_1: pl.Scalar[pl.INDEX] = a\n"
                   "    u: pl.Scalar[pl.INDEX] = lost__FREE_VAR\n");
}

static TsOp *
carried_loop (Fixture *x)
{
  TsOp *op = ts_build_for (x->m, x->body, TS_LOOP_PIPELINE, "i", TS_DTYPE_INDEX, idx (x, 0), x->a, idx (x, 2));
  const TsType *index = ts_type_scalar (x->m, TS_DTYPE_INDEX);
  TsValue *carried = ts_block_add_arg (x->m, ts_op_body (op, 0), "acc", index);
  TsExpr *next = bin (x, ADD, ts_expr_value (x->m, carried), idx (x, 1));

  ts_op_add_operand (x->m, op, x->b);
  ts_op_set_attr (x->m, op, TS_ATTR_STAGES, idx (x, 2));
  ts_op_set_attr (x->m, op, TS_ATTR_OVERLAP_STORES, ts_expr_bool (x->m, FALSE));
  ts_op_add_comment (x->m, op, "two at a time");
  ts_build_yield (x->m, ts_op_body (op, 0), &next, 1);
  ts_op_add_result (x->m, op, "out", index);
  return op;
}

static void
test_program (Fixture *x, gconstpointer data)
{
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (TsTextPlace));
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *text = NULL;
  TsOp *op = carried_loop (x), *branch, *push;
  TsExpr *out = ts_expr_value (x->m, op->results[0]), *condition = bin (x, TS_OPERATOR_LT, out, x->b);
  const TsType *returns[] = { ts_type_scalar (x->m, TS_DTYPE_INDEX) };

  branch = ts_op_new (x->m, TS_OP_IF, NULL, &condition, 1);
  ts_op_add_region (x->m, branch);
  ts_op_add_region (x->m, branch);
  ts_block_append (x->body, branch);
  push = call (x, ts_op_body (branch, 1), NULL, "tile.tpush_to_aiv", out);
  ts_op_add_keyword (x->m, push, "split", idx (x, 0));
  ts_op_add_keyword (x->m, push, "mode", ts_expr_string (x->m, "it's"));
  ts_op_add_attr (x->m, push, "k", ts_expr_int (x->m, 1, TS_DTYPE_INT32));
  call (x, x->body, "t", "tile.and", x->a);
  ts_block_append (x->body, ts_op_new (x->m, TS_OP_RETURN, NULL, &out, 1));
  ts_function_set_returns (x->m, x->f, returns, 1);
  x->m->is_program = TRUE;
  x->m->name = "P";
  text = ts_pypto_print (x->m, places, names);
  g_assert_cmpstr (text, ==,
                   "# pypto.program: P\n"
                   "import pypto.language as pl\n"
                   "\n"
                   "@pl.program\n"
                   "class P:\n"
                   "    @pl.function\n"
                   "    def main(self, a: pl.Scalar[pl.INDEX], b: pl.Scalar[pl.INDEX], n: pl.Scalar[pl.INT32]) -> "
                   "pl.Scalar[pl.INDEX]:\n"
                   "        # two at a time\n"
                   "        for i, (acc,) in pl.pipeline(0, a, 2, stage=2, init_values=(b,), attrs={\"pipeline_overlap_stores\": "
                   "False}):\n"
                   "            out: pl.Scalar[pl.INDEX] = pl.yield_(acc + 1)\n"
                   "        if out < b:\n"
                   "            pass\n"
                   "        else:\n"
                   "            pl.tile.tpush_to_aiv(out, split=0, mode='it\\'s', attrs={\"k\": pl.const(1, pl.INT32)})\n"
                   "        t: pl.Tile[[16, 16], pl.FP16, pl.Mem.Vec] = pl.tile.and_(a)\n"
                   "        return out\n");

  /* One place per operation and one for the signature, in text order; offsets are those of the bytes. */
  const TsTextPlace *p = &g_array_index (places, TsTextPlace, 0);
  g_assert_cmpuint (places->len, ==, 7);
  g_assert_cmpint (p[0].op, ==, -1);
  g_assert_cmpuint (p[0].line, ==, 7);
  g_assert_cmpuint (p[0].end_line, ==, 16);
  g_assert_cmpint (p[1].op, ==, op->id);
  g_assert_cmpuint (p[1].line, ==, 9);
  g_assert_cmpuint (p[1].end_line, ==, 10);
  g_assert_true (g_str_has_prefix (text + p[1].offset, "for i, (acc,)"));
  g_assert_cmpint (text[p[1].offset + p[1].length], ==, '\n');
  g_assert_cmpint (p[3].op, ==, branch->id);
  g_assert_cmpuint (p[3].end_line, ==, 14);
  g_assert_cmpint (p[4].op, ==, push->id);
  g_assert_cmpuint (p[4].line, ==, 14);
  g_assert_cmpstr (g_ptr_array_index (names, op->results[0]->id), ==, "out");
}

static void
test_while_and_scopes (Fixture *x, gconstpointer data)
{
  g_autofree char *text = NULL;
  TsOp *plain = ts_op_new (x->m, TS_OP_WHILE, NULL, NULL, 0), *carried = ts_op_new (x->m, TS_OP_WHILE, NULL, &x->a, 1);
  TsOp *at = ts_op_new (x->m, TS_OP_SCOPE, NULL, NULL, 0);
  TsExpr *condition = bin (x, TS_OPERATOR_LT, x->a, x->b), *inner;
  TsValue *arg;

  ts_block_append (ts_op_add_region (x->m, plain), ts_op_new (x->m, TS_OP_COND, NULL, &condition, 1));
  ts_block_append (x->body, plain);
  arg = ts_block_add_arg (x->m, ts_op_add_region (x->m, carried), "c", ts_type_scalar (x->m, TS_DTYPE_INDEX));
  inner = bin (x, TS_OPERATOR_LT, ts_expr_value (x->m, arg), x->b);
  ts_block_append (ts_op_body (carried, 0), ts_op_new (x->m, TS_OP_COND, NULL, &inner, 1));
  ts_block_append (x->body, carried);
  at->sub = TS_SCOPE_AT;
  ts_op_add_keyword (x->m, at, "level", ts_expr_enum (x->m, "Level.CORE_GROUP"));
  ts_op_add_keyword (x->m, at, "name_hint", ts_expr_string (x->m, "k"));
  ts_block_append (ts_op_add_region (x->m, at), ts_op_new (x->m, TS_OP_BREAK, NULL, NULL, 0));
  ts_op_add_result (x->m, at, "tid", ts_type_scalar (x->m, TS_DTYPE_TASK_ID));
  ts_block_append (x->body, at);
  text = ts_pypto_print (x->m, NULL, NULL);
  g_assert_nonnull (strstr (text,
                            "    while a < b:\n"
                            "        pass\n"
                            "    for (c,) in pl.while_(init_values=(a,)):\n"
                            "        pl.cond(c < b)\n"
                            "    with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"k\") as tid:\n"
                            "        break\n"));
}

/* Symbols stand on top, sorted, each once; two of one name are told apart; a local gives way to one. */
static void
test_symbols (Fixture *x, gconstpointer data)
{
  g_autofree char *text = NULL;
  TsValue *m1 = ts_value_new (x->m, TS_VALUE_SYMBOL, "M", ts_type_scalar (x->m, TS_DTYPE_INDEX));
  TsValue *m2 = ts_value_new (x->m, TS_VALUE_SYMBOL, "M", ts_type_scalar (x->m, TS_DTYPE_INDEX));
  TsValue *k = ts_value_new (x->m, TS_VALUE_SYMBOL, "K", ts_type_scalar (x->m, TS_DTYPE_INDEX));
  TsExpr *dims[] = { ts_expr_value (x->m, m1), ts_expr_value (x->m, m2), ts_expr_value (x->m, k) };

  ts_function_add_param (x->m, x->f, "x", ts_type_tensor (x->m, dims, 3, TS_DTYPE_FP32, NULL, NULL), TS_DIRECTION_INOUT);
  ts_build_assign (x->m, x->body, "K", ts_type_scalar (x->m, TS_DTYPE_INDEX), x->a);
  x->m->is_program = TRUE;
  text = ts_pypto_print (x->m, NULL, NULL);
  g_assert_nonnull (strstr (text,
                            "# pypto.program: Program\n"
                            "import pypto.language as pl\n"
                            "\n"
                            "K = pl.dynamic(\"K\")\n"
                            "M = pl.dynamic(\"M\")\n"
                            "M_1 = pl.dynamic(\"M_1\")\n"
                            "\n"
                            "@pl.program\n"));
  g_assert_nonnull (strstr (text, "x: pl.InOut[pl.Tensor[[M, M_1, K], pl.FP32]]"));
  g_assert_nonnull (strstr (text, "        K_1: pl.Scalar[pl.INDEX] = a\n"));
}

static void
test_decorators (Fixture *x, gconstpointer data)
{
  g_autofree char *text = NULL;
  TsAttr attrs[] = { { "split", ts_expr_int (x->m, 2, TS_DTYPE_INDEX) }, { "slot_num", idx (x, 2) } };

  x->f->type = TS_FUNCTION_AIV;
  x->f->level = "AIV";
  x->f->role = "SubWorker";
  x->f->auto_scope = FALSE;
  x->f->external_source = "a.cpp";
  x->f->body_kind = TS_BODY_ELLIPSIS;
  x->f->attrs = attrs;
  x->f->n_attrs = 2;
  x->m->is_program = TRUE;
  text = ts_pypto_print (x->m, NULL, NULL);
  g_assert_nonnull (strstr (text,
                            "    @pl.function(type=pl.FunctionType.AIV, level=pl.Level.AIV, role=pl.Role.SubWorker, "
                            "auto_scope=False, "
                            "external_source=\"a.cpp\")\n"
                            "    def main(a: pl.Scalar[pl.INDEX], b: pl.Scalar[pl.INDEX], n: pl.Scalar[pl.INT32]):\n"
                            "        pl.func_attr({\"split\": pl.SplitMode.LEFT_RIGHT, \"slot_num\": 2})\n"
                            "        ...\n"));
}

/* A hundred thousand variables of one hint cost no more each than ten. */
static void
test_many_names (Fixture *x, gconstpointer data)
{
  const guint n = 100000;
  gint64 start = g_get_monotonic_time ();
  g_autofree char *text = NULL;

  for (guint i = 0; i < n; i++)
    ts_build_assign (x->m, x->body, "t", ts_type_scalar (x->m, TS_DTYPE_INDEX), x->a);
  text = ts_pypto_print (x->m, NULL, NULL);
  g_assert_nonnull (strstr (text, "    t_99999: pl.Scalar[pl.INDEX] = a\n"));
  g_assert_null (strstr (text, "t_100000"));
  g_assert_cmpint (g_get_monotonic_time () - start, <, 20 * G_USEC_PER_SEC);
}

#define CASE(name) g_test_add ("/printer/" #name, Fixture, NULL, set_up, test_##name, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  CASE (literals);
  CASE (operators);
  CASE (membership);
  CASE (types);
  CASE (tiles);
  CASE (names);
  CASE (program);
  CASE (while_and_scopes);
  CASE (symbols);
  CASE (decorators);
  CASE (many_names);
  return g_test_run ();
}
