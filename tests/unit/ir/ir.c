/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The structures of the IR: building, linking, copying, constants, order of functions. */
#include <string.h>

#include "base/intern.h"
#include "ir/build.h"
#include "ir/clone.h"

typedef struct
{
  TsStrings *strings;
  TsModule  *module;
  TsBlock   *body;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  f->strings = ts_strings_new ();
  f->module = ts_module_new (TS_LANGUAGE_PYPTO, f->strings);
  f->body = ts_function_block (ts_module_add_function (f->module, "main"));
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  ts_module_free (f->module);
  ts_strings_unref (f->strings);
}

static TsOp *
scalar (Fixture *f, TsBlock *block, const char *hint, TsExpr *value)
{
  return ts_build_assign (f->module, block, hint, ts_type_scalar (f->module, TS_DTYPE_INDEX), value);
}

static void
test_linking (Fixture *f, gconstpointer data)
{
  TsOp *a = scalar (f, f->body, "a", ts_expr_index (f->module, 1));
  TsOp *c = scalar (f, f->body, "c", ts_expr_index (f->module, 3));
  TsOp *b = ts_op_new (f->module, TS_OP_ASSIGN, NULL, NULL, 0);

  ts_block_insert_before (c, b);
  g_assert_true (a->next == b && b->next == c && c->prev == b);
  g_assert_cmpuint (f->body->n_ops, ==, 3);
  TsOp *order[] = { c, a, b };
  ts_block_set_order (f->body, order, 3);
  g_assert_true (f->body->first == c && f->body->last == b && a->prev == c);
  ts_op_unlink (a);
  ts_op_unlink (c);
  ts_op_unlink (b);
  g_assert_true (f->body->first == NULL && f->body->last == NULL && f->body->n_ops == 0);
}

static void
test_fold (Fixture *f, gconstpointer data)
{
  TsModule *m = f->module;
  TsExpr *seven = ts_expr_index (m, 7);
  TsExpr *two = ts_expr_index (m, 2);
  TsExpr *minus = ts_expr_unary (m, TS_OPERATOR_NEG, seven);
  gint64 out = 0;

  g_assert_true (ts_expr_fold_int (ts_expr_binary (m, TS_OPERATOR_FLOOR_DIV, minus, two), &out));
  g_assert_cmpint (out, ==, -4);
  g_assert_true (ts_expr_fold_int (ts_expr_binary (m, TS_OPERATOR_FLOOR_MOD, minus, two), &out));
  g_assert_cmpint (out, ==, 1);
  g_assert_false (ts_expr_fold_int (ts_expr_binary (m, TS_OPERATOR_FLOOR_DIV, seven, ts_expr_index (m, 0)), &out));
  g_assert_false (ts_expr_fold_int (ts_expr_binary (m, TS_OPERATOR_MUL, ts_expr_index (m, G_MAXINT64), two), &out));
  g_assert_true (ts_expr_as_int (minus, &out));
  g_assert_cmpint (out, ==, -7);
  g_assert_cmpuint (ts_expr_depth (ts_expr_binary (m, TS_OPERATOR_ADD, minus, two)), ==, 3);
  TsExpr *sum = ts_expr_offset (m, seven, 5);
  g_assert_true (sum->kind == TS_EXPR_INT && sum->i == 12);
  g_assert_true (ts_expr_offset (m, minus, 0) == minus);
}

static void
test_membership (Fixture *f, gconstpointer data)
{
  TsExpr *e = ts_expr_membership_from_text (f->module, "3:1;x:2;0:0");

  g_assert_cmpuint (e->n, ==, 2);
  g_assert_cmpint (e->pairs[0].group, ==, 3);
  g_assert_cmpint (e->pairs[1].stage, ==, 0);
  g_assert_cmpstr (e->raw, ==, "3:1;x:2;0:0");
  g_assert_null (ts_expr_membership_from_text (f->module, "3:1;0:0")->raw);
}

/* A loop with one carried value whose body adds the loop variable. */
static TsOp *
build_loop (Fixture *f, TsOp *init)
{
  TsModule *m = f->module;
  const TsType *index = ts_type_scalar (m, TS_DTYPE_INDEX);
  TsOp *loop = ts_build_for (m, f->body, TS_LOOP_PIPELINE, "i", TS_DTYPE_INDEX, ts_expr_index (m, 0), ts_expr_index (m, 8),
                             ts_expr_index (m, 1));
  TsBlock *body = ts_op_body (loop, 0);
  TsValue *carried = ts_block_add_arg (m, body, "acc", index);
  TsExpr *sum = ts_expr_binary (m, TS_OPERATOR_ADD, ts_expr_value (m, carried), ts_expr_value (m, ts_for_var (loop)));
  TsOp *next = scalar (f, body, "next", sum);
  TsExpr *yielded = ts_expr_value (m, next->results[0]);

  ts_op_add_operand (m, loop, ts_expr_value (m, init->results[0]));
  ts_build_yield (m, body, &yielded, 1);
  ts_op_add_result (m, loop, "r", index);
  ts_op_set_attr (m, loop, TS_ATTR_STAGES, ts_expr_index (m, 2));
  return loop;
}

static void
test_cloner (Fixture *f, gconstpointer data)
{
  TsModule *m = f->module;
  TsOp *init = scalar (f, f->body, "z", ts_expr_index (m, 0));
  TsOp *loop = build_loop (f, init);
  g_autoptr (TsCloner) cloner = ts_cloner_new (m);
  TsBlock *to = ts_function_block (ts_module_add_function (m, "copy"));

  ts_cloner_set (cloner, ts_for_var (loop), ts_expr_offset (m, ts_expr_value (m, ts_for_var (loop)), 3));
  ts_cloner_set_clone_number (cloner, 5);
  ts_cloner_block (cloner, ts_op_body (loop, 0), to);
  g_assert_cmpuint (to->n_ops, ==, 2);
  g_assert_cmpint (to->first->origin.clone, ==, 5);
  g_assert_true (to->first->results[0] != ts_op_body (loop, 0)->first->results[0]);
  g_assert_cmpstr (to->first->results[0]->hint, ==, "next");
  g_assert_true (ts_expr_as_value (to->last->operands[0]) == to->first->results[0]);
  g_assert_cmpint (to->first->operands[0]->items[1]->op, ==, TS_OPERATOR_ADD);
  ts_cloner_reset (cloner);
  g_assert_null (ts_cloner_get (cloner, ts_for_var (loop)));
  /* A whole loop: its own variable, carried value and result. */
  TsOp *copy = ts_cloner_op (cloner, loop);
  g_assert_true (ts_for_var (copy) != ts_for_var (loop) && copy->results[0] != loop->results[0]);
  g_assert_true (ts_expr_as_value (ts_op_body (copy, 0)->first->operands[0]->items[0]) == ts_for_carried (copy, 0));
  g_assert_cmpint (ts_op_attr_int (copy, TS_ATTR_STAGES, 0), ==, 2);
}

static void
test_module_clone (Fixture *f, gconstpointer data)
{
  TsModule *m = f->module;
  TsOp *init = scalar (f, f->body, "z", ts_expr_index (m, 0));
  TsOp *loop = build_loop (f, init);
  g_autoptr (TsModule) copy = ts_module_clone (m);
  TsOp *twin = ts_function_block (copy->functions[0])->last;

  g_assert_cmpint (twin->id, ==, loop->id);
  g_assert_cmpint (twin->origin.op, ==, loop->id);
  g_assert_true (twin->results[0] != loop->results[0] && twin->results[0]->id == loop->results[0]->id);
  g_assert_true (twin->results[0]->def == twin);
  g_assert_true (ts_expr_as_value (twin->operands[3]) == ts_function_block (copy->functions[0])->first->results[0]);
  g_assert_true (twin->results[0]->type == ts_type_scalar (copy, TS_DTYPE_INDEX));
  /* Arrays of a copy can grow without touching their neighbours. */
  for (guint i = 0; i < 9; i++)
    {
      ts_op_add_operand (copy, twin, ts_expr_index (copy, i));
      ts_op_add_attr (copy, twin, "k", ts_expr_index (copy, i));
      ts_function_add_param (copy, copy->functions[0], "p", twin->results[0]->type, TS_DIRECTION_OUT);
    }
  g_assert_cmpuint (twin->n_operands, ==, 13);
  g_assert_cmpint (twin->operands[12]->i, ==, 8);
  g_assert_cmpuint (loop->n_operands, ==, 4);
}

/* Types that mention variables whose types mention variables: a long chain, and one that mentions itself. */
static void
test_type_chain (Fixture *f, gconstpointer data)
{
  TsModule *m = f->module;
  TsValue *last = NULL;
  TsFunction *function = m->functions[0];

  for (guint i = 0; i < 200000; i++)
    {
      TsExpr *dim = last != NULL ? ts_expr_value (m, last) : ts_expr_index (m, 4);
      TsValue *base = ts_value_new (m, TS_VALUE_BASE, "b", ts_type_ptr (m));
      const TsMemRef *memref = ts_memref_new (m, base, ts_expr_index (m, 0), 64);

      last = ts_value_new (m, TS_VALUE_FREE, "v", ts_type_tile (m, &dim, 1, TS_DTYPE_FP32, TS_SPACE_VEC, NULL, memref));
    }
  TsValue *param = ts_function_add_param (m, function, "p", last->type, TS_DIRECTION_IN);
  TsExpr *self = ts_expr_value (m, param);
  TsValue *odd = ts_function_add_param (m, function, "q", NULL, TS_DIRECTION_IN);
  self = ts_expr_value (m, odd);
  odd->type = ts_type_tensor (m, &self, 1, TS_DTYPE_FP32, NULL, NULL);
  g_autoptr (TsModule) copy = ts_module_clone (m);
  TsValue *twin = copy->functions[0]->params[1];
  g_assert_true (ts_expr_as_value (twin->type->dims[0]) == twin);
  g_assert_cmpstr (copy->functions[0]->params[0]->type->memref->base->hint, ==, "b");
}

static void
test_sizes (Fixture *f, gconstpointer data)
{
  TsModule *m = f->module;
  const struct { gint64 rows, cols; TsDtype dtype; TsSpace space; gint64 acc_rows, bytes; } rows[] = {
    { 32, 64, TS_DTYPE_FP32, TS_SPACE_VEC, 16, 8192 },  { 4, 64, TS_DTYPE_FP32, TS_SPACE_ACC, 16, 4096 },
    { 16, 128, TS_DTYPE_INT32, TS_SPACE_ACC, 32, 16384 }, { 8, 16, TS_DTYPE_FP4, TS_SPACE_VEC, 16, 64 },
    { 1, 3, TS_DTYPE_INT4, TS_SPACE_VEC, 16, 2 },       { 1, 8, TS_DTYPE_BOOL, TS_SPACE_VEC, 16, 8 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      TsExpr *dims[] = { ts_expr_index (m, rows[i].rows), ts_expr_index (m, rows[i].cols) };
      const TsType *type = ts_type_tile (m, dims, 2, rows[i].dtype, rows[i].space, NULL, NULL);
      gint64 bytes = 0;

      g_assert_true (ts_type_bytes (type, rows[i].acc_rows, &bytes));
      g_assert_cmpint (bytes, ==, rows[i].bytes);
    }
}

static void
test_names (Fixture *f, gconstpointer data)
{
  for (guint i = 1; i < TS_N_DTYPES; i++)
    g_assert_cmpint (ts_dtype_from_name (ts_dtype_name ((TsDtype) i), -1), ==, i);
  for (guint i = 0; i < TS_N_SPACES; i++)
    g_assert_cmpint (ts_space_from_name (ts_space_name ((TsSpace) i), -1), ==, i);
  for (guint i = 0; i < TS_N_FUNCTION_TYPES; i++)
    {
      TsFunctionType type;

      g_assert_true (ts_function_type_from_name (ts_function_type_name ((TsFunctionType) i), -1, &type));
      g_assert_cmpint (type, ==, i);
    }
  g_assert_cmpint (ts_dtype_from_name ("FP3", -1), ==, TS_DTYPE_NONE);
  g_assert_cmpint (ts_space_from_name ("vec", -1), ==, TS_SPACE_NONE);
}

static void
test_print_order (Fixture *f, gconstpointer data)
{
  TsModule *m = f->module;
  const char *callees[] = { "zeta", "alpha" };
  g_autofree TsFunction **order = NULL;
  g_autofree TsFunction **cyclic = NULL;

  ts_module_add_function (m, "zeta");
  ts_module_add_function (m, "alpha");
  ts_module_add_function (m, "beta");
  for (guint i = 0; i < 2; i++)
    ts_block_append (f->body, ts_op_new (m, TS_OP_CALL, callees[i], NULL, 0));
  ts_block_append (ts_function_block (ts_module_find_function (m, "beta")), ts_op_new (m, TS_OP_CALL, "main", NULL, 0));
  order = ts_module_print_order (m);
  const char *expected[] = { "alpha", "zeta", "main", "beta" };
  for (guint i = 0; i < 4; i++)
    g_assert_cmpstr (order[i]->name, ==, expected[i]);
  ts_block_append (ts_function_block (ts_module_find_function (m, "zeta")), ts_op_new (m, TS_OP_CALL, "beta", NULL, 0));
  cyclic = ts_module_print_order (m);
  const char *by_name[] = { "alpha", "beta", "main", "zeta" };
  for (guint i = 0; i < 4; i++)
    g_assert_cmpstr (cyclic[i]->name, ==, by_name[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function) g_test_add ("/ir/" path, Fixture, NULL, set_up, function, tear_down)
  ADD ("linking", test_linking);
  ADD ("fold", test_fold);
  ADD ("membership", test_membership);
  ADD ("cloner", test_cloner);
  ADD ("module-clone", test_module_clone);
  ADD ("type-chain", test_type_chain);
  ADD ("sizes", test_sizes);
  ADD ("names", test_names);
  ADD ("print-order", test_print_order);
  return g_test_run ();
}
