/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The law: for modules made at random through the builder, parse(print(m)) equals m, and printing that again gives the same
 * bytes. */
#include <string.h>

#include "ir/build.h"
#include "ir/compare.h"
#include "ir/op-info.h"
#include "lang/pypto/pypto.h"

typedef struct
{
  GRand      *rand;
  TsModule   *m;
  TsFunction *f;
  GPtrArray  *scalars; /* TsValue in scope */
  GPtrArray  *tiles;
  GPtrArray  *tensors;
  guint       budget;
} Maker;

static guint
pick (Maker *k, guint n)
{
  return (guint) g_rand_int_range (k->rand, 0, (gint32) n);
}

static const char *
pick_hint (Maker *k)
{
  static const char *const hints[] = { "x", "x_1", "t", "acc__iter_v1", "q__tile", "__gm_pipe", "i", "n" };

  return hints[pick (k, G_N_ELEMENTS (hints))];
}

static TsDtype
pick_dtype (Maker *k)
{
  static const TsDtype dtypes[] = { TS_DTYPE_FP32, TS_DTYPE_FP16, TS_DTYPE_BF16, TS_DTYPE_INT32, TS_DTYPE_INT8,
                                    TS_DTYPE_FP8E4M3FN };

  return dtypes[pick (k, G_N_ELEMENTS (dtypes))];
}

static TsExpr *
use (Maker *k, GPtrArray *from)
{
  return ts_expr_value (k->m, g_ptr_array_index (from, pick (k, from->len)));
}

static TsExpr *
make_int (Maker *k)
{
  static const TsDtype dtypes[] = { TS_DTYPE_INDEX, TS_DTYPE_INDEX, TS_DTYPE_INDEX, TS_DTYPE_INT64, TS_DTYPE_INT32,
                                    TS_DTYPE_UINT8 };
  TsDtype dtype = dtypes[pick (k, G_N_ELEMENTS (dtypes))];
  gint64 value = pick (k, 4) == 0 ? -(gint64) pick (k, 100) : pick (k, 5000);

  return ts_expr_int (k->m, dtype == TS_DTYPE_UINT8 ? ABS (value) % 200 : value, dtype);
}

/* Any tree the printer can meet, arithmetic and logic apart so that types fit. */
static TsExpr *
make_scalar (Maker *k, guint depth)
{
  static const TsOperator operators[] = { TS_OPERATOR_ADD, TS_OPERATOR_SUB, TS_OPERATOR_MUL, TS_OPERATOR_FLOOR_DIV,
                                          TS_OPERATOR_FLOOR_MOD,
                                          TS_OPERATOR_DIV, TS_OPERATOR_SHL, TS_OPERATOR_SHR, TS_OPERATOR_BIT_AND,
                                            TS_OPERATOR_BIT_OR,
                                          TS_OPERATOR_BIT_XOR, TS_OPERATOR_MIN, TS_OPERATOR_MAX, TS_OPERATOR_POW };

  switch (depth == 0 ? pick (k, 2) : pick (k, 7))
    {
    case 0:
      return make_int (k);
    case 1:
      return use (k, k->scalars);
    case 2:
      return ts_expr_unary (k->m, pick (k, 2) ? TS_OPERATOR_NEG : TS_OPERATOR_BIT_NOT, make_scalar (k, depth - 1));
    case 3:
      return ts_expr_cast (k->m, make_scalar (k, depth - 1), TS_DTYPE_INDEX);
    default:
      return ts_expr_binary (k->m, operators[pick (k, G_N_ELEMENTS (operators))], make_scalar (k, depth - 1),
                             make_scalar (k, depth - 1));
    }
}

static TsExpr *
make_condition (Maker *k, guint depth)
{
  static const TsOperator compare[] = { TS_OPERATOR_EQ, TS_OPERATOR_NE, TS_OPERATOR_LT, TS_OPERATOR_LE, TS_OPERATOR_GT,
                                        TS_OPERATOR_GE };

  if (depth > 0 && pick (k, 3) == 0)
    return ts_expr_binary (k->m, pick (k, 2) ? TS_OPERATOR_AND : TS_OPERATOR_OR, make_condition (k, depth - 1),
                           make_condition (k, depth - 1));
  if (depth > 0 && pick (k, 5) == 0)
    return ts_expr_unary (k->m, TS_OPERATOR_NOT, make_condition (k, depth - 1));
  return ts_expr_binary (k->m, compare[pick (k, G_N_ELEMENTS (compare))], make_scalar (k, depth), make_scalar (k, depth));
}

static const TsType *
make_tile_type (Maker *k)
{
  static const TsSpace spaces[] = { TS_SPACE_NONE, TS_SPACE_VEC, TS_SPACE_MAT, TS_SPACE_LEFT, TS_SPACE_RIGHT, TS_SPACE_ACC };
  TsExpr *dims[] = { ts_expr_index (k->m, 1 + pick (k, 200)), ts_expr_index (k->m, 1 + pick (k, 200)) };
  TsSpace space = spaces[pick (k, G_N_ELEMENTS (spaces))];
  const TsType *plain = ts_type_tile (k->m, dims, 2, pick_dtype (k), space, NULL, NULL);
  TsView view = ts_type_implicit_view (plain);
  TsExpr *valid[] = { make_scalar (k, 1), ts_expr_index (k->m, 3) };

  if (pick (k, 3) > 0)
    return plain;
  view.pad = (guint8) (1 + pick (k, TS_N_PADS - 1));
  view.blayout = (guint8) pick (k, TS_N_TILE_LAYOUTS);
  if (pick (k, 2))
    {
      view.valid_shape = valid;
      view.n_valid = 2;
    }
  return ts_type_with_view (k->m, plain, &view);
}

static const TsType *
make_tensor_type (Maker *k)
{
  TsExpr *dims[] = { pick (k, 4) == 0 ? ts_expr_value (k->m, k->m->symbols[0]) : ts_expr_index (k->m, 1 + pick (k, 500)),
                     ts_expr_index (k->m, 64) };
  TsView view = { .layout = (guint8) (pick (k, 2) ? TS_LAYOUT_NZ : TS_LAYOUT_ND), .pad = (guint8) pick (k, TS_N_PADS) };

  return ts_type_tensor (k->m, dims, 2, pick_dtype (k), pick (k, 3) == 0 ? &view : NULL, NULL);
}

static TsExpr *
make_list (Maker *k)
{
  TsExpr *items[] = { make_scalar (k, 2), make_scalar (k, 1) };

  return ts_expr_list (k->m, items, 2);
}

static TsExpr *
make_attr_value (Maker *k)
{
  switch (pick (k, 5))
    {
    case 0:
      return ts_expr_bool (k->m, pick (k, 2));
    case 1:
      return ts_expr_string (k->m, "it's \"so\"\n\\");
    case 2:
      return ts_expr_float (k->m, 0.1 * pick (k, 100), TS_DTYPE_FP32);
    case 3:
      return make_list (k);
    default:
      return ts_expr_index (k->m, pick (k, 9));
    }
}

static void
add_result (Maker *k, TsOp *op, const TsType *type, GPtrArray *scope)
{
  g_ptr_array_add (scope, ts_op_add_result (k->m, op, pick_hint (k), type));
}

static void
make_call (Maker *k, TsBlock *block)
{
  static const char *const names[] = { "tile.add", "tile.and", "tile.exp", "tile.something_new" };
  const char *name = names[pick (k, G_N_ELEMENTS (names))];
  TsExpr *operands[] = { use (k, k->tiles), use (k, k->tiles), make_list (k) };
  TsOp *op = ts_op_new (k->m, ts_op_code_from_name (name, -1), name, operands, 1 + pick (k, 3));
  const TsStage pairs[] = { { (gint32) pick (k, 4), (gint32) pick (k, 4) }, { 1, 0 } };

  if (pick (k, 3) == 0)
    ts_op_add_keyword (k->m, op, "target_memory", ts_expr_space (k->m, TS_SPACE_VEC));
  if (pick (k, 3) == 0)
    ts_op_add_keyword (k->m, op, "mode", ts_expr_string (k->m, "it's"));
  if (pick (k, 3) == 0)
    ts_op_add_attr (k->m, op, TS_ATTR_MEMBERSHIP, ts_expr_membership (k->m, pairs, 1 + pick (k, 2), NULL));
  if (pick (k, 3) == 0)
    ts_op_add_attr (k->m, op, "anything", make_attr_value (k));
  if (pick (k, 6) == 0)
    ts_op_add_comment (k->m, op, "said above");
  if (pick (k, 5) > 0)
    add_result (k, op, make_tile_type (k), k->tiles);
  ts_block_append (block, op);
}

static void make_block (Maker *k, TsBlock *block, guint depth);

/* Names of a block end with it. */
static void
make_inner (Maker *k, TsBlock *block, guint depth)
{
  guint n[] = { k->scalars->len, k->tiles->len, k->tensors->len };

  make_block (k, block, depth);
  g_ptr_array_set_size (k->scalars, (gint) n[0]);
  g_ptr_array_set_size (k->tiles, (gint) n[1]);
  g_ptr_array_set_size (k->tensors, (gint) n[2]);
}

static void
make_for (Maker *k, TsBlock *block, guint depth)
{
  static const TsLoopKind kinds[] = { TS_LOOP_SEQUENTIAL, TS_LOOP_PARALLEL, TS_LOOP_PIPELINE };
  TsLoopKind kind = kinds[pick (k, 3)];
  TsOp *op = ts_build_for (k->m, block, kind, pick_hint (k), TS_DTYPE_INDEX, pick (k, 2) ? ts_expr_index (k->m, 0)
                           : make_scalar (k, 1),
                           make_scalar (k, 1), pick (k, 2) ? ts_expr_index (k->m, 1) : ts_expr_index (k->m, 2));
  guint n = pick (k, 3);
  TsExpr *yields[2], *inits[2];

  for (guint i = 0; i < n; i++)
    inits[i] = use (k, k->tiles);
  if (kind == TS_LOOP_PIPELINE)
    ts_op_set_attr (k->m, op, TS_ATTR_STAGES, ts_expr_index (k->m, 1 + pick (k, 4)));
  if (pick (k, 3) == 0)
    ts_op_set_attr (k->m, op, TS_ATTR_OVERLAP_STORES, ts_expr_bool (k->m, FALSE));
  g_ptr_array_add (k->scalars, ts_for_var (op));
  for (guint i = 0; i < n; i++)
    {
      ts_op_add_operand (k->m, op, inits[i]);
      g_ptr_array_add (k->tiles, ts_block_add_arg (k->m, ts_op_body (op, 0), pick_hint (k), inits[i]->value->type));
      yields[i] = ts_expr_value (k->m, ts_for_carried (op, i));
    }
  make_inner (k, ts_op_body (op, 0), depth - 1);
  g_ptr_array_remove_range (k->scalars, k->scalars->len - 1, 1);
  if (n > 0)
    {
      g_ptr_array_remove_range (k->tiles, k->tiles->len - n, n);
      ts_build_yield (k->m, ts_op_body (op, 0), yields, n);
      for (guint i = 0; i < n; i++)
        add_result (k, op, yields[i]->value->type, k->tiles);
    }
}

static void
make_if (Maker *k, TsBlock *block, guint depth)
{
  TsExpr *condition = make_condition (k, 2), *value = use (k, k->tiles);
  TsOp *op = ts_op_new (k->m, TS_OP_IF, NULL, &condition, 1);
  gboolean yields = pick (k, 2);

  ts_block_append (block, op);
  make_inner (k, ts_op_add_region (k->m, op), depth - 1);
  if (yields)
    ts_build_yield (k->m, ts_op_body (op, 0), &value, 1);
  if (yields || pick (k, 2))
    make_inner (k, ts_op_add_region (k->m, op), depth - 1);
  if (yields)
    {
      ts_build_yield (k->m, ts_op_body (op, 1), &value, 1);
      add_result (k, op, value->value->type, k->tiles);
    }
}

static void
make_statement (Maker *k, TsBlock *block, guint depth)
{
  TsOp *op;
  TsExpr *value;

  switch (pick (k, depth > 0 ? 8 : 5))
    {
    case 0:
      op = ts_build_assign (k->m, block, pick_hint (k), ts_type_scalar (k->m, TS_DTYPE_INDEX), make_scalar (k, 3));
      g_ptr_array_add (k->scalars, op->results[0]);
      return;
    case 1:
      value = use (k, k->tensors);
      op = ts_build_assign (k->m, block, pick_hint (k), make_tensor_type (k), value);
      g_ptr_array_add (k->tensors, op->results[0]);
      return;
    case 5:
    case 6:
      make_for (k, block, depth);
      return;
    case 7:
      make_if (k, block, depth);
      return;
    default:
      make_call (k, block);
    }
}

static void
make_block (Maker *k, TsBlock *block, guint depth)
{
  guint n = pick (k, 6);

  for (guint i = 0; i < n && k->budget > 0; i++, k->budget--)
    make_statement (k, block, depth);
}

static void
make_function (Maker *k, const char *name)
{
  static const TsFunctionType types[] = { TS_FUNCTION_OPAQUE, TS_FUNCTION_INCORE, TS_FUNCTION_ORCHESTRATION, TS_FUNCTION_AIV };
  TsExpr *value;
  const TsType *type;

  k->f = ts_module_add_function (k->m, name);
  k->f->type = types[pick (k, G_N_ELEMENTS (types))];
  k->f->level = ts_function_type_level (k->f->type);
  k->f->role = ts_function_type_role (k->f->type);
  g_ptr_array_set_size (k->scalars, 0);
  g_ptr_array_set_size (k->tiles, 0);
  g_ptr_array_set_size (k->tensors, 0);
  g_ptr_array_add (k->scalars, ts_function_add_param (k->m, k->f, pick_hint (k), ts_type_scalar (k->m, TS_DTYPE_INDEX),
                                                      TS_DIRECTION_IN));
  g_ptr_array_add (k->tiles, ts_function_add_param (k->m, k->f, pick_hint (k), make_tile_type (k), TS_DIRECTION_IN));
  g_ptr_array_add (k->tensors, ts_function_add_param (k->m, k->f, pick_hint (k), make_tensor_type (k), (TsDirection) pick (k, 3)));
  make_block (k, ts_function_block (k->f), 3);
  value = use (k, k->tensors);
  type = value->value->type;
  ts_function_set_returns (k->m, k->f, &type, 1);
  ts_block_append (ts_function_block (k->f), ts_op_new (k->m, TS_OP_RETURN, NULL, &value, 1));
}

static TsModule *
make_module (guint32 seed, TsStrings *strings)
{
  static const char *const names[] = { "main", "beta", "alpha" };
  g_autoptr (GPtrArray) scalars = g_ptr_array_new (), tiles = g_ptr_array_new (), tensors = g_ptr_array_new ();
  Maker k = { g_rand_new_with_seed (seed), ts_module_new (TS_LANGUAGE_PYPTO, strings), NULL, scalars, tiles, tensors, 60 };
  TsValue *symbol = ts_value_new (k.m, TS_VALUE_SYMBOL, "M", ts_type_scalar (k.m, TS_DTYPE_INDEX));

  k.m->symbols = &symbol;
  k.m->n_symbols = 1;
  k.m->is_program = TRUE;
  k.m->name = "Random";
  for (guint i = 0; i < 1 + seed % G_N_ELEMENTS (names); i++)
    make_function (&k, names[i]);
  k.m->symbols = NULL;
  k.m->n_symbols = 0;
  g_rand_free (k.rand);
  return k.m;
}

static void
check_seed (guint32 seed)
{
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsModule) module = make_module (seed, strings), again = NULL;
  g_autofree char *text = ts_pypto_print (module, NULL, NULL), *second = NULL;
  g_autoptr (TsSource) source = ts_source_new_text ("random.py", text);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (GPtrArray) differences = NULL;
  TsPyptoOptions options = { .mode = TS_PYPTO_DUMP };

  again = ts_pypto_parse (source, strings, &options, diags);
  if (again == NULL || ts_diag_list_has_errors (diags))
    {
      g_autoptr (GString) out = g_string_new (NULL);

      ts_diag_list_format (diags, FALSE, out);
      g_test_message ("seed %u: %s\n%s", seed, out->str, text);
    }
  g_assert_nonnull (again);
  g_assert_false (ts_diag_list_has_errors (diags));
  differences = ts_module_compare (module, again, TS_COMPARE_DEFAULT);
  if (differences->len > 0)
    g_test_message ("seed %u: %s\n%s", seed, ((TsDifference *) g_ptr_array_index (differences, 0))->reason, text);
  g_assert_cmpuint (differences->len, ==, 0);
  second = ts_pypto_print (again, NULL, NULL);
  g_assert_cmpstr (second, ==, text);
}

static void
test_random (void)
{
  for (guint32 seed = 0; seed < 1500; seed++)
    check_seed (seed);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/round-trip/random", test_random);
  return g_test_run ();
}
