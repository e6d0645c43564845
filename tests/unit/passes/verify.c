/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verifiers: spec passes-schedule section 8, a case per code. Texts that the parser refuses are made by taking sound ones apart. */
#include <string.h>

#include "cases.h"
#include "ir/build.h"
#include "ir/hints.h"
#include "ir/report.h"

#include "lang/pypto/pypto.h"

static TsModule *
parse (const char *params, const char *returns, const char *body)
{
  TsCase c = { .params = (char *) params, .returns = (char *) returns };
  g_autofree char *program = ts_case_program (&c, body);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  TsModule *module = ts_case_parse (program, diags);
  g_autoptr (GString) said = g_string_new (NULL);
  ts_diag_list_format (diags, TRUE, said);
  if (module == NULL || ts_diag_list_has_errors (diags))
    g_error ("%s", said->str);
  return module;
}

/* Damage done to a module before it is verified. `first` is the first statement of the function. */
typedef void (*Damage) (TsModule *module, TsOp *first);

static TsBlock *
body_of (TsOp *op)
{
  return ts_op_body (op, 0);
}

static void
drop_stages (TsModule *module, TsOp *loop)
{
  ts_op_remove_attr (loop, TS_ATTR_STAGES);
}

static void
make_sequential (TsModule *module, TsOp *loop)
{
  loop->sub = TS_LOOP_SEQUENTIAL;
}

static void
define_twice (TsModule *module, TsOp *first)
{
  first->next->results[0] = first->results[0];
}

static void
drop_yield (TsModule *module, TsOp *op)
{
  ts_op_unlink (body_of (op)->last);
}

static void
drop_else (TsModule *module, TsOp *op)
{
  op->n_regions = 1;
}

static void
drop_else_yield (TsModule *module, TsOp *op)
{
  ts_op_unlink (ts_op_body (op, 1)->last);
}

static void
drop_result (TsModule *module, TsOp *op)
{
  op->n_results = 0;
  body_of (op)->last->n_operands = 0;
}

static void
drop_yielded (TsModule *module, TsOp *op)
{
  body_of (op)->last->n_operands = 0;
}

static void
use_outside (TsModule *module, TsOp *loop)
{
  loop->next->operands[0] = ts_expr_value (module, body_of (loop)->first->results[0]);
}

static void
yield_early (TsModule *module, TsOp *op)
{
  TsBlock *block = body_of (op);
  TsOp *yield = ts_op_new (module, TS_OP_YIELD, NULL, block->last->operands, block->last->n_operands);
  ts_block_insert_before (block->first, yield);
}

static void
swap_statements (TsModule *module, TsOp *first)
{
  TsBlock *block = first->block;
  TsOp *order[] = { first->next, first };
  ts_block_set_order (block, order, 2);
}

/* Puts a call of `exp` into an operand, below what is there when `deep`. */
static TsExpr *
call_expr (TsModule *module, TsExpr *argument)
{
  return ts_expr_call (module, ts_op_new (module, TS_OP_TILE_READ, NULL, &argument, 1));
}

static void
call_in_argument (TsModule *module, TsOp *first)
{
  first->operands[0] = call_expr (module, first->operands[0]);
}

static void
call_in_call (TsModule *module, TsOp *first)
{
  first->operands[0] = call_expr (module, call_expr (module, first->operands[0]));
}

/* Calls may stand in tuples, also in one that is an argument. */
static void
call_in_tuple (TsModule *module, TsOp *first)
{
  TsExpr *item = call_expr (module, first->operands[0]);
  first->operands[0] = call_expr (module, ts_expr_list (module, &item, 1));
}

static void
call_in_binary (TsModule *module, TsOp *first)
{
  TsExpr *e = first->operands[0];
  first->operands[0] = ts_expr_binary (module, TS_OPERATOR_ADD, call_expr (module, e), e);
}

static void
call_in_cast (TsModule *module, TsOp *first)
{
  first->operands[0] = ts_expr_cast (module, call_expr (module, first->operands[0]), TS_DTYPE_INDEX);
}

static void
call_in_bound (TsModule *module, TsOp *loop)
{
  loop->operands[TS_FOR_STOP] = call_expr (module, loop->operands[TS_FOR_STOP]);
}

static void
call_in_condition (TsModule *module, TsOp *loop)
{
  body_of (loop)->first->operands[0] = call_expr (module, body_of (loop)->first->operands[0]);
}

static void
call_in_return (TsModule *module, TsOp *first)
{
  TsOp *last = first->block->last;
  last->operands[0] = call_expr (module, last->operands[0]);
}

static void
call_in_yield (TsModule *module, TsOp *op)
{
  TsOp *yield = body_of (op)->last;
  yield->operands[0] = call_expr (module, yield->operands[0]);
}

static void
call_in_init (TsModule *module, TsOp *loop)
{
  loop->operands[TS_FOR_INITS] = call_expr (module, loop->operands[TS_FOR_INITS]);
}

/* Loop variable and carried values belong to the body: bounds and inits stand outside. */
static void
own_bound (TsModule *module, TsOp *loop)
{
  loop->operands[TS_FOR_STOP] = ts_expr_value (module, ts_for_var (loop));
}

static void
own_init (TsModule *module, TsOp *loop)
{
  loop->operands[TS_FOR_INITS] = ts_expr_value (module, ts_for_carried (loop, 0));
}

static void
result_inside (TsModule *module, TsOp *loop)
{
  body_of (loop)->first->operands[0] = ts_expr_value (module, loop->results[0]);
}

#define TYPED                                                                                                                  \
  "m: $I = n\nt: pl.Tile[[32, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[m, 64])] = pl.tile.create([32, 64], "         \
  "dtype=pl.FP32, target_memory=pl.Mem.Vec)\n"
#define WHILE                                                                                                                  \
  "for (a,) in pl.while_(init_values=(n,)):\n    pl.cond(a < 3)\n    b: $I = a + 1\n    c: $I = pl.yield_(b)\n"
#define ONE_ADD "a: $I = n + 1\nb: $I = a + 1\n"
#define LOOP "for i in pl.range(4):\n    a: $I = n + i\nb: $I = n + 1\n"
#define CARRY "for i, (a,) in pl.range(4, init_values=(n,)):\n    b: $I = a + i\n    r: $I = pl.yield_(b)\nreturn r\n"
#define BRANCH                                                                                                                     \
  "if n == 0:\n    a: $I = n + 1\n    r: $I = pl.yield_(a)\nelse:\n    b: $I = n + 2\n    r: $I = pl.yield_(b)\nreturn r\n"
#define PIPELINE "for i in pl.pipeline(4, stage=2):\n    a: $I = n + i\n"

static const struct
{
  const char *name;
  TsProperty  property;
  const char *body;
  const char *returns;
  Damage      damage;
  const char *code; /* NULL: the property holds */
  const char *rule, *says;
} cases[] = {
  { "pipeline-loop-valid/holds", TS_PROPERTY_PIPELINE_LOOP_VALID, PIPELINE, NULL, NULL, NULL, NULL, NULL },
  { "pipeline-loop-valid/0", TS_PROPERTY_PIPELINE_LOOP_VALID, PIPELINE, NULL, drop_stages, "0", "PipelineLoopValid", "'main'" },
  { "pipeline-loop-valid/1", TS_PROPERTY_PIPELINE_LOOP_VALID, PIPELINE, NULL, make_sequential, "1", "PipelineLoopValid", "'main'" },
  { "pipeline-resolved/holds", TS_PROPERTY_PIPELINE_RESOLVED, LOOP, NULL, NULL, NULL, NULL, NULL },
  { "pipeline-resolved/0", TS_PROPERTY_PIPELINE_RESOLVED, PIPELINE, NULL, NULL, "0", "PipelineResolved", "'main'" },
  { "unroll-resolved/0", TS_PROPERTY_UNROLL_RESOLVED, "for i in pl.unroll(4):\n    a: $I = n + i\n", NULL, NULL, "0",
    "UnrollResolved", "'main'" },
  { "ssa/holds", TS_PROPERTY_SSA_FORM, CARRY, "$I", NULL, NULL, NULL, NULL },
  { "ssa/branch-holds", TS_PROPERTY_SSA_FORM, BRANCH, "$I", NULL, NULL, NULL, NULL },
  { "ssa/1", TS_PROPERTY_SSA_FORM, ONE_ADD, NULL, define_twice, "1", "SSAVerify", "more than once" },
  { "ssa/1-by-text", TS_PROPERTY_SSA_FORM, "a: $I = n + 1\na: $I = a + 1\n", NULL, NULL, "1", "SSAVerify", "'a'" },
  { "ssa/equal-names-are-legal", TS_PROPERTY_SSA_FORM,
    "for i in pl.range(4):\n    a: $I = i\nfor i in pl.range(4):\n    b: $I = i\n", NULL, NULL, NULL, NULL, NULL },
  { "ssa/3-loop", TS_PROPERTY_SSA_FORM, CARRY, "$I", drop_yield, "3", "SSAVerify", "must have YieldStmt" },
  { "ssa/3-else", TS_PROPERTY_SSA_FORM, BRANCH, "$I", drop_else, "3", "SSAVerify", "must have else branch" },
  { "ssa/3-arm", TS_PROPERTY_SSA_FORM, BRANCH, "$I", drop_else_yield, "3", "SSAVerify", "else branch must have YieldStmt" },
  { "ssa/4", TS_PROPERTY_SSA_FORM, CARRY, "$I", drop_result, "4", "SSAVerify", "return_vars count" },
  { "ssa/5", TS_PROPERTY_SSA_FORM, CARRY, "$I", drop_yielded, "5", "SSAVerify", "YieldStmt value count" },
  { "ssa/6", TS_PROPERTY_SSA_FORM, LOOP, NULL, use_outside, "6", "SSAVerify", "used outside its defining scope" },
  { "ssa/7", TS_PROPERTY_SSA_FORM, CARRY, "$I", yield_early, "7", "SSAVerify", "YieldStmt before the terminating position" },
  { "ssa/6-own-bound", TS_PROPERTY_SSA_FORM, LOOP, NULL, own_bound, "6", "SSAVerify", "'i'" },
  { "ssa/6-own-init", TS_PROPERTY_SSA_FORM, CARRY, "$I", own_init, "6", "SSAVerify", "'a'" },
  { "ssa/6-result-inside", TS_PROPERTY_SSA_FORM, CARRY, "$I", result_inside, "6", "SSAVerify", "'r'" },
  { "ssa/scopes-are-transparent", TS_PROPERTY_SSA_FORM,
    "for i, (a,) in pl.range(4, init_values=(n,)):\n    with pl.scope():\n        b: $I = a + i\n        r: $I = pl.yield_(b)\n"
    "return r\n", "$I", NULL, NULL, NULL, NULL },
  { "ssa/while-condition-inside", TS_PROPERTY_SSA_FORM, WHILE, NULL, NULL, NULL, NULL, NULL },
  { "ssa/types-join-the-scope", TS_PROPERTY_SSA_FORM, TYPED, NULL, swap_statements, NULL, NULL, NULL },
  { "use-after-def/types-are-uses", TS_PROPERTY_USE_AFTER_DEF, TYPED, NULL, swap_statements, "401", "UseAfterDefCheck", "'m'" },
  { "use-after-def/holds", TS_PROPERTY_USE_AFTER_DEF, ONE_ADD, NULL, NULL, NULL, NULL, NULL },
  { "use-after-def/401", TS_PROPERTY_USE_AFTER_DEF, ONE_ADD, NULL, swap_statements, "401", "UseAfterDefCheck",
    "used before definition" },
  { "use-after-def/plain-loops-leak", TS_PROPERTY_USE_AFTER_DEF, LOOP, NULL, use_outside, NULL, NULL, NULL },
  { "no-nested-calls/holds", TS_PROPERTY_NO_NESTED_CALLS, ONE_ADD, NULL, call_in_argument, NULL, NULL, NULL },
  { "no-nested-calls/tuples-may", TS_PROPERTY_NO_NESTED_CALLS, ONE_ADD, NULL, call_in_tuple, NULL, NULL, NULL },
  { "no-nested-calls/returns-may", TS_PROPERTY_NO_NESTED_CALLS, CARRY, "$I", call_in_return, NULL, NULL, NULL },
  { "no-nested-calls/yields-may", TS_PROPERTY_NO_NESTED_CALLS, CARRY, "$I", call_in_yield, NULL, NULL, NULL },
  { "no-nested-calls/inits-may", TS_PROPERTY_NO_NESTED_CALLS, CARRY, "$I", call_in_init, NULL, NULL, NULL },
  { "no-nested-calls/201", TS_PROPERTY_NO_NESTED_CALLS, ONE_ADD, NULL, call_in_call, "201", "NoNestedCall", "argument" },
  { "no-nested-calls/202", TS_PROPERTY_NO_NESTED_CALLS, BRANCH, "$I", call_in_argument, "202", "NoNestedCall", "if" },
  { "no-nested-calls/203", TS_PROPERTY_NO_NESTED_CALLS, LOOP, NULL, call_in_bound, "203", "NoNestedCall", "bound" },
  { "no-nested-calls/204", TS_PROPERTY_NO_NESTED_CALLS, ONE_ADD, NULL, call_in_binary, "204", "NoNestedCall", "binary" },
  { "no-nested-calls/205", TS_PROPERTY_NO_NESTED_CALLS, ONE_ADD, NULL, call_in_cast, "205", "NoNestedCall", "cast" },
  { "no-nested-calls/206", TS_PROPERTY_NO_NESTED_CALLS, WHILE, NULL, call_in_condition, "206", "NoNestedCall", "while" },
  { "normalized/holds", TS_PROPERTY_NORMALIZED_STMT_STRUCTURE, CARRY, "$I", NULL, NULL, NULL, NULL },
  { "normalized/0", TS_PROPERTY_NORMALIZED_STMT_STRUCTURE, CARRY, "$I", yield_early, "0", "NormalizedStmtStructure",
    "not the last" },
  { "break-continue/holds", TS_PROPERTY_BREAK_CONTINUE_VALID, "for i in pl.range(4):\n    break\n", NULL, NULL, NULL, NULL, NULL },
  { "break-continue/while", TS_PROPERTY_BREAK_CONTINUE_VALID, "for i in pl.unroll(4):\n    while n < 4:\n        continue\n", NULL,
    NULL, NULL, NULL, NULL },
  { "break-continue/302", TS_PROPERTY_BREAK_CONTINUE_VALID, "for i in pl.parallel(4):\n    break\n", NULL, NULL, "302",
    "BreakContinueCheck", "'break' is not supported in parallel loops" },
  { "break-continue/304", TS_PROPERTY_BREAK_CONTINUE_VALID, "for i in pl.unroll(4):\n    continue\n", NULL, NULL, "304",
    "BreakContinueCheck", "'continue' is not supported in unroll loops" },
};

static void
test_case (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (TsModule) module = parse ("n: $I", cases[i].returns, cases[i].body);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  if (cases[i].damage != NULL)
    cases[i].damage (module, ts_function_block (module->functions[0])->first);

  g_assert_true (ts_property_is_verifiable (cases[i].property));
  gboolean holds = ts_verify (module, cases[i].property, diags);
  g_assert_cmpint (holds, ==, cases[i].code == NULL);
  g_assert_cmpint (ts_verify (module, cases[i].property, NULL), ==, holds);
  g_assert_cmpint (ts_diag_list_has_errors (diags), ==, !holds);
  if (holds)
    return;
  gboolean found = FALSE;
  for (guint d = 0; d < ts_diag_list_length (diags); d++)
    {
      const TsDiag *diag = ts_diag_list_get (diags, d);
      g_assert_cmpstr (diag->rule, ==, cases[i].rule);
      g_assert_cmpstr (diag->function, ==, "main");
      g_assert_true (g_str_has_suffix (diag->message, " (function 'main')")); /* in the one line that is printed */
      found |= strcmp (diag->code, cases[i].code) == 0 && strstr (diag->message, cases[i].says) != NULL;
    }
  g_assert_true (found);
}

/* A name without a verifier holds and says nothing. */
static void
test_declared_only (void)
{
  g_autoptr (TsModule) module = parse ("n: $I", NULL, ONE_ADD);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_assert_false (ts_property_is_verifiable (TS_PROPERTY_NO_REDUNDANT_BLOCKS));
  g_assert_true (ts_verify (module, TS_PROPERTY_NO_REDUNDANT_BLOCKS, diags));
  g_assert_cmpstr (ts_property_name (TS_PROPERTY_NO_REDUNDANT_BLOCKS), ==, "NoRedundantBlocks");
}

/* Header, totals, numbered entries, status: form and content. */
static void
test_report (void)
{
  g_autoptr (TsModule) module = parse ("n: $I", NULL, ONE_ADD);
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (GString) before = g_string_new (NULL), after = g_string_new (NULL);
  ts_verify_report (diags, before);
  g_assert_cmpstr (before->str, ==, "IR Verification Report\n0 errors, 0 warnings\n\nStatus: passed\n");

  define_twice (module, ts_function_block (module->functions[0])->first);
  g_assert_false (ts_verify (module, TS_PROPERTY_SSA_FORM, diags));
  ts_diag_add (diags, TS_SEVERITY_WARNING, "7", NULL, TS_SPAN_NONE, "Something else");
  ts_verify_report (diags, after);
  g_assert_cmpstr (after->str, ==,
                   "IR Verification Report\n1 error, 1 warning\n\n"
                   "1. error: SSAVerify: Variable 'a' is defined more than once (function 'main')\n   case.py:9:9 [1]\n"
                   "2. warning: -: Something else\n   no place [7]\n\nStatus: failed\n");
}

/* Copies of a printed module get the hints of the run that printed it, and the module prints as before. */
static void
test_recovered_hints (void)
{
  static const struct
  {
    const char *body;
    guint       same; /* how many of the three share the first one's hint, itself included */
  } texts[] = {
    { "a__t: $I = n\na__t_1: $I = n\na__t_2: $I = n\n", 3 },
    { "a__t: $I = n\na__t_2: $I = n\na__t_1: $I = n\n", 1 }, /* not in order: nobody numbered them */
    { "a__t_1: $I = n\na__t_2: $I = n\na__t_3: $I = n\n", 1 }, /* no first one */
    { "a: $I = n\na_1: $I = n\na_2: $I = n\n", 1 },          /* a user's names */
  };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (TsModule) module = parse ("n: $I", NULL, texts[i].body);
      g_autofree char *before = ts_pypto_print (module, NULL, NULL);
      ts_module_recover_hints (module);
      g_autofree char *after = ts_pypto_print (module, NULL, NULL);
      g_assert_cmpstr (after, ==, before);
      const TsOp *first = ts_function_block (module->functions[0])->first;
      guint same = 0;
      for (const TsOp *op = first; op != NULL; op = op->next)
        same += op->results[0]->hint == first->results[0]->hint;
      g_assert_cmpuint (same, ==, texts[i].same);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = g_strconcat ("/verify/", cases[i].name, NULL);
      g_test_add_data_func (name, GUINT_TO_POINTER (i), test_case);
    }
  g_test_add_func ("/verify/report", test_report);
  g_test_add_func ("/verify/declared-only", test_declared_only);
  g_test_add_func ("/verify/recovered-hints", test_recovered_hints);
  return g_test_run ();
}
