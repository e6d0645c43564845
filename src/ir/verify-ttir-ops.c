/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Triton IR: the checks of one operation by itself, row by row of types-ttir.def. Source: spec ttir section 7. */
#include <string.h>

#include "ir/op-info.h"
#include "ir/verify-ttir-private.h"
#include "ir/verify-ttir.h"

/* --- what checks share ----------------------------------------------------------------------------------------------------- */

gboolean
ts_ttir_same_shape (const TsType *a, const TsType *b)
{
  if (ts_ttir_rank (a) != ts_ttir_rank (b) || ts_ttir_is_tensor (a) != ts_ttir_is_tensor (b))
    return FALSE;
  for (guint i = 0; i < ts_ttir_rank (a); i++)
    if (ts_ttir_extent (a, i) != ts_ttir_extent (b, i))
      return FALSE;
  return TRUE;
}

gboolean
ts_ttir_int_attr (const TsOp *op, const char *key, gint64 *out)
{
  const TsExpr *value = ts_op_attr (op, key);

  if (value == NULL || value->kind != TS_EXPR_INT)
    return FALSE;
  *out = value->i;
  return TRUE;
}

gboolean
ts_ttir_is_choice (const TsExpr *list, guint n, gboolean all)
{
  guint64 seen = 0;

  if (list == NULL)
    return !all;
  if (list->kind != TS_EXPR_LIST || list->n > n || n > 64 || (all && list->n != n))
    return FALSE;
  for (guint i = 0; i < list->n; i++)
    {
      gint64 k = list->list[i]->kind == TS_EXPR_INT ? list->list[i]->i : -1;

      if (k < 0 || k >= n || (seen >> k) & 1)
        return FALSE;
      seen |= G_GUINT64_CONSTANT (1) << k;
    }
  return TRUE;
}

const TsType *
ts_ttir_part_type (const TsOp *op, guint k)
{
  const TsExpr *sizes = ts_op_attr (op, "operandSegmentSizes");
  guint at = 0;

  if (sizes == NULL || sizes->kind != TS_EXPR_LIST)
    return ts_op_operand_type (op, k);
  for (guint i = 0; i < sizes->n && i < k; i++)
    at += sizes->list[i]->i > 0;
  return k < sizes->n && sizes->list[k]->i > 0 ? ts_op_operand_type (op, at) : NULL;
}

/* --- the table ------------------------------------------------------------------------------------------------------------- */

typedef enum { CLASS_NOTHING, CLASS_BOOL, CLASS_INTEGER, CLASS_PLAIN_INTEGER, CLASS_FLOAT, CLASS_NUMBER } ElementClass;
typedef enum { WIDTH_ANY, WIDTH_WIDER, WIDTH_NARROWER, WIDTH_EQUAL } WidthRule;

#define ANY G_MAXUINT8

static const char *const class_words[] = { [CLASS_BOOL] = "i1",
                                           [CLASS_INTEGER] = "integers",
                                           [CLASS_PLAIN_INTEGER] = "integers of some width",
                                           [CLASS_FLOAT] = "floating point",
                                           [CLASS_NUMBER] = "numbers" };

typedef struct
{
  TsOpCode     first, last;
  guint8       regions, results; /* ANY: that depends */
  ElementClass operands, result;
  WidthRule    widths;
  char *(*check) (const TsOp *op);
} Rule;

static const Rule rules[] = {
#define TS_TTIR_TYPES(first, last, regions, results, operands, result, widths, check)                                              \
  { TS_OP_##first, TS_OP_##last, regions, results, CLASS_##operands, CLASS_##result, WIDTH_##widths, ts_ttir_check_##check },
#include "ir/types-ttir.def"
#undef TS_TTIR_TYPES
};

char *
ts_ttir_check_nothing (const TsOp *op)
{
  return NULL;
}

/* Rows by code. */
static const Rule *
rule_of (TsOpCode code)
{
  static const Rule *by_code[TS_N_OP_CODES];
  static gsize once = 0;

  if (g_once_init_enter (&once))
    {
      for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
        for (guint k = rules[i].first; k <= (guint) rules[i].last; k++)
          by_code[k] = &rules[i];
      g_once_init_leave (&once, 1);
    }
  return code < TS_N_OP_CODES ? by_code[code] : NULL;
}

/* --- elements -------------------------------------------------------------------------------------------------------------- */

/* The scalar that a type consists of; NULL: nobody knows, or it is none. */
static const TsType *
scalar_of (const TsType *type)
{
  const TsType *element = ts_ttir_is_open (type) ? NULL : ts_type_element (type);

  return element != NULL && element->kind == TS_TYPE_SCALAR ? element : NULL;
}

static gboolean
is_integer_name (const char *text)
{
  text += text[0] == 's' || text[0] == 'u';
  return text[0] == 'i' && g_ascii_isdigit (text[1]);
}

/* Types without a row: iN, siN and uiN are integers, f8E5M2FNUZ and its like, f80 and tf32 are floats; the rest can be anything. */
static gboolean
may_be_of_class (const char *text, ElementClass class)
{
  gboolean integer = is_integer_name (text);
  gboolean real = (text[0] == 'f' && g_ascii_isdigit (text[1])) || strcmp (text, "tf32") == 0;

  if (class == CLASS_FLOAT)
    return !integer;
  return !real || class == CLASS_NUMBER;
}

static gboolean
is_of_class (const TsType *type, ElementClass class)
{
  const TsType *element = type == NULL || type->kind == TS_TYPE_OPAQUE ? type : ts_type_element (type);
  TsDtype dtype;

  if (class == CLASS_NOTHING || element == NULL)
    return TRUE;
  if (element->kind == TS_TYPE_OPAQUE)
    return may_be_of_class (element->text, class);
  if (element->kind != TS_TYPE_SCALAR)
    return FALSE;
  dtype = (TsDtype) element->dtype;
  switch (class)
    {
    case CLASS_BOOL: return dtype == TS_DTYPE_BOOL;
    case CLASS_INTEGER: return dtype == TS_DTYPE_BOOL || ts_dtype_is_integer (dtype);
    case CLASS_PLAIN_INTEGER: return dtype == TS_DTYPE_BOOL || (ts_dtype_is_integer (dtype) && dtype != TS_DTYPE_INDEX);
    case CLASS_FLOAT: return ts_dtype_is_float (dtype);
    case CLASS_NUMBER:
    case CLASS_NOTHING: break;
    }
  return TRUE;
}

static gboolean
widths_fit (const TsOp *op, WidthRule rule)
{
  const TsType *from = scalar_of (ts_op_operand_type (op, 0)), *to = scalar_of (ts_op_result_type (op, 0));
  guint before, after;

  if (from == NULL || to == NULL)
    return TRUE;
  before = from->dtype == TS_DTYPE_BOOL ? 1 : ts_dtype_bits ((TsDtype) from->dtype);
  after = to->dtype == TS_DTYPE_BOOL ? 1 : ts_dtype_bits ((TsDtype) to->dtype);
  switch (rule)
    {
    case WIDTH_WIDER: return after > before;
    case WIDTH_NARROWER: return after < before;
    case WIDTH_EQUAL: return after == before;
    case WIDTH_ANY: break;
    }
  return TRUE;
}

static char *
check_elements (const TsOp *op, const Rule *rule)
{
  static const char *const widths[] = { "", "wider than", "narrower than", "as wide as" };

  for (guint k = 0; k < op->n_operands && rule->operands != CLASS_NOTHING; k++)
    if (!is_of_class (ts_op_operand_type (op, k), rule->operands))
      return g_strdup_printf ("operand %u must be %s", k, class_words[rule->operands]);
  if (op->n_results > 0 && !is_of_class (ts_op_result_type (op, 0), rule->result))
    return g_strdup_printf ("the result must be %s", class_words[rule->result]);
  if (op->n_results > 0 && !widths_fit (op, rule->widths))
    return g_strdup_printf ("the result must be %s the operand", widths[rule->widths]);
  return NULL;
}

/* --- counts ---------------------------------------------------------------------------------------------------------------- */

static char *
expected (const char *bound, guint n, const char *what, guint seen)
{
  return g_strdup_printf ("%s%u %s%s expected, not %u", bound, n, what, n == 1 ? " is" : "s are", seen);
}

static char *
check_counts (const TsOp *op, TsOpCode code, const Rule *rule)
{
  const TsOpInfo *info = ts_op_info (code);
  gboolean exact = info->min_args == info->max_args;

  if (code > TS_OP_TEXT && op->n_operands < info->min_args)
    return expected (exact ? "" : "at least ", info->min_args, "operand", op->n_operands);
  if (code > TS_OP_TEXT && op->n_operands > info->max_args)
    return expected (exact ? "" : "at most ", info->max_args, "operand", op->n_operands);
  if (rule->results != ANY && op->n_results != rule->results)
    return expected ("", rule->results, "result", op->n_results);
  if (rule->regions != ANY && op->n_regions != rule->regions)
    return expected ("", rule->regions, "region", op->n_regions);
  return NULL;
}

/* A name of the table in a generic form that its own syntax cannot say is kept as it is: it is checked all the same. */
static TsOpCode
code_of (const TsOp *op)
{
  static const struct { const char *name; TsOpCode code; } structural[]
      = { { "scf.for", TS_OP_FOR }, { "scf.if", TS_OP_IF }, { "tt.call", TS_OP_CALL } };

  if (op->code != TS_OP_UNKNOWN || (op->flags & TS_OP_FLAG_GENERIC) == 0)
    return (TsOpCode) op->code;
  for (guint i = 0; i < G_N_ELEMENTS (structural); i++)
    if (strcmp (op->name, structural[i].name) == 0)
      return structural[i].code;
  return ts_op_code_from_name (op->name, -1);
}

char *
ts_ttir_check_op (const TsOp *op)
{
  TsOpCode code = code_of (op);
  const Rule *rule = rule_of (code);
  char *problem;

  if (rule == NULL)
    return NULL;
  problem = check_counts (op, code, rule);
  if (problem == NULL)
    problem = check_elements (op, rule);
  return problem != NULL ? problem : rule->check (op);
}
