/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The generic form of operations, and which of them are known ones after all. A known name in generic form becomes the known
 * operation exactly when its own syntax can say the same; otherwise it is kept as it is. Source: spec ttir sections 2 and 6. */
#include <string.h>

#include "base/number.h"
#include "ir/op-info.h"
#include "lang/ttir/format.h"
#include "lang/ttir/parser-private.h"

/* Types stated behind the colon. */
typedef struct
{
  TtParser  *p;
  TsOp      *op;
  GPtrArray *inputs, *results;
} Generic;

/* --- reading --------------------------------------------------------------------------------------------------------------- */

static gboolean
parse_successors (TtParser *p, TsOp *op)
{
  g_autoptr (GPtrArray) blocks = g_ptr_array_new ();

  if (!tt_accept (p, '['))
    return TRUE;
  do
    {
      if (tt_token (p)->kind != TT_TOKEN_BLOCK)
        return tt_error (p, "syntax", "expected a block (^name)");
      g_ptr_array_add (blocks, tt_block_by_label (p, tt_token_text (p), NULL));
      tt_next (p);
    }
  while (tt_accept (p, ','));
  op->n_successors = blocks->len;
  op->successors = ts_arena_memdup (p->module->arena, blocks->pdata, sizeof (gpointer) * blocks->len);
  return tt_expect (p, ']');
}

static gboolean
parse_regions (TtParser *p, TsOp *op)
{
  const TsType *dense_type = p->dense_type; /* of this operation's value, not of those inside */

  if (!tt_accept (p, '('))
    return TRUE;
  do
    if (!tt_parse_region (p, op, NULL))
      return FALSE;
  while (tt_accept (p, ','));
  p->dense_type = dense_type;
  return tt_expect (p, ')');
}

/* Segments share out all operands (or results). */
static gboolean
check_segments (const Generic *g, const char *key, guint n, guint32 offset)
{
  const TsExpr *sizes = ts_op_attr (g->op, key);
  gint64 sum = 0;

  if (sizes == NULL || sizes->kind != TS_EXPR_LIST)
    return TRUE;
  for (guint i = 0; i < sizes->n; i++)
    if (sizes->list[i]->kind != TS_EXPR_INT || sizes->list[i]->i < 0 || !ts_add (sum, sizes->list[i]->i, &sum))
      return tt_error_at (g->p, offset, 1, "segments", "%s of '%s' must be numbers from 0", key, g->op->name);
  return sum == n
         || tt_error_at (g->p, offset, 1, "segments", "%s of '%s' share out %" G_GINT64_FORMAT " where there are %u", key,
                         g->op->name, sum, n);
}

static gboolean
parse_parts (Generic *g)
{
  TtParser *p = g->p;
  TsOp *op = g->op;
  guint32 offset;

  if (!tt_expect (p, '('))
    return FALSE;
  while (!tt_at (p, ')'))
    {
      TsExpr *operand = tt_parse_operand (p);

      if (operand == NULL)
        return FALSE;
      ts_op_add_operand (p->module, op, operand);
      if (!tt_accept (p, ','))
        break;
    }
  if (!tt_expect (p, ')') || !parse_successors (p, op)
      || (tt_token (p)->kind == TT_TOKEN_DICT_OPEN && !tt_parse_dict (p, op)) || !parse_regions (p, op) || !tt_parse_dict (p, op))
    return FALSE;
  offset = tt_token (p)->start;
  if (!tt_expect (p, ':') || !tt_parse_types (p, g->inputs) || !tt_expect_arrow (p) || !tt_parse_types (p, g->results))
    return FALSE;
  if (g->inputs->len != op->n_operands)
    return tt_error_at (p, offset, 1, "type-count", "%u types for %u operands", g->inputs->len, op->n_operands);
  for (guint i = 0; i < g->inputs->len; i++)
    tt_state_type (p, op->operands[i], g->inputs->pdata[i], offset);
  return check_segments (g, "operandSegmentSizes", op->n_operands, offset)
         && check_segments (g, "resultSegmentSizes", g->results->len, offset);
}

/* --- patterns: can the operation's own syntax say this? -------------------------------------------------------------------- */

static const TsType *
input (const Generic *g, guint i)
{
  return i < g->inputs->len ? g->inputs->pdata[i] : NULL;
}

static const TsType *
result (const Generic *g, guint i)
{
  return i < g->results->len ? g->results->pdata[i] : NULL;
}

static gboolean
is_bool (const TsType *type)
{
  return ts_type_is_scalar (type) && type->dtype == TS_DTYPE_BOOL;
}

/* The clause must find its word: what it cannot write would be lost, or become another word. */
static gboolean
fits_clause (const TsOp *op, const TtClause *clause)
{
  const TsExpr *value = ts_op_attr (op, clause->attribute);
  g_autofree char *word = NULL;

  if (value == NULL)
    return clause->fallback[0] != '\0' || clause->form == TT_CLAUSE_UNIT;
  if (clause->form == TT_CLAUSE_UNIT)
    return value->kind == TS_EXPR_NONE || (value->kind == TS_EXPR_INT && value->dtype == TS_DTYPE_BOOL);
  if (clause->form == TT_CLAUSE_STRING)
    return value->kind == TS_EXPR_STRING;
  if (value->kind == TS_EXPR_TEXT)
    return tt_clause_word_index (clause, value->text) >= 0;
  if (value->kind != TS_EXPR_INT)
    return FALSE;
  word = tt_clause_word (clause, (gint) CLAMP (value->i - (clause->form == TT_CLAUSE_WORD ? clause->first : 0), -1, 1000));
  return word != NULL || (strcmp (clause->attribute, "propagateNan") == 0 && value->i == 0xffff); /* "all" */
}

static gboolean
fits_flags (const TsOp *op)
{
  const TsExpr *overflow = ts_op_attr (op, "overflowFlags"), *fastmath = ts_op_attr (op, "fastmath");

  return (overflow == NULL || (overflow->kind == TS_EXPR_TEXT && g_str_has_prefix (overflow->text, "#arith.overflow<")))
         && (fastmath == NULL || (fastmath->kind == TS_EXPR_TEXT && g_str_has_prefix (fastmath->text, "#arith.fastmath<")));
}

gboolean
tt_fits_clauses (const TsOp *op, const char *format, const char **attribute)
{
  const char *item;
  gsize length;

  while ((item = tt_format_next (&format, &length)) != NULL)
    {
      const TtClause *clause = item[0] == 'V' ? tt_clause_find (item + 1, length - 1) : NULL;

      *attribute = clause != NULL ? clause->attribute : "overflowFlags or fastmath";
      if ((clause != NULL && !fits_clause (op, clause)) || (item[0] == 'F' && !fits_flags (op)))
        return FALSE;
    }
  return TRUE;
}

/* All values that one type of the pattern stands for have that type. */
static gboolean
fits_type_item (const Generic *g, const char *item, gsize length, const TsType **last)
{
  if (item[1] == '*' || item[1] == 'R')
    return TRUE;
  *last = item[1] == 'r' ? result (g, 0) : input (g, (guint) (item[1] - '0'));
  for (gsize i = 1; i < length; i++)
    {
      if (item[i] != 'r' && !ts_type_equal (input (g, (guint) (item[i] - '0')), *last))
        return FALSE;
      for (guint k = 0; item[i] == 'r' && k < g->results->len; k++)
        if (!ts_type_equal (result (g, k), *last))
          return FALSE;
    }
  return *last != NULL;
}

/* Results the pattern gives: -1 for those a function type or list states. */
static gint
pattern_results (const TsOp *op, const char *format)
{
  const char *item;
  gsize length;

  if (op->code == TS_OP_ARITH_MULUI_EXTENDED || op->code == TS_OP_ARITH_MULSI_EXTENDED || op->code == TS_OP_TT_SPLIT)
    return 2;
  while ((item = tt_format_next (&format, &length)) != NULL)
    {
      if (item[0] == 'G' || (item[0] == 'T' && item[1] == 'R'))
        return -1;
      if (item[0] == 'B' || item[0] == 'L' || (item[0] == 'T' && memchr (item, 'r', length) != NULL))
        return 1;
    }
  return 0;
}

/* A load's own syntax cannot leave out an operand in front of one that is there. */
static gboolean
fits_segments (const TsOp *op)
{
  const TsExpr *sizes = op->code == TS_OP_TT_LOAD ? ts_op_attr (op, "operandSegmentSizes") : NULL;

  for (guint i = 0; sizes != NULL && sizes->kind == TS_EXPR_LIST && i < sizes->n; i++)
    if (sizes->list[i]->i != (i < op->n_operands))
      return FALSE;
  return TRUE;
}

/* A list of types cannot be written without a type. */
static gboolean
fits_lists (const Generic *g, const char *format)
{
  const char *item;
  gsize length;

  while ((item = tt_format_next (&format, &length)) != NULL)
    if (item[0] == 'T' && ((item[1] == '*' && g->inputs->len == 0) || (item[1] == 'R' && g->results->len == 0)))
      return FALSE;
  return TRUE;
}

/* FALSE with *mismatch: the form is the pattern's and only types disagree. */
static gboolean
fits_format (const Generic *g, const char *format, gboolean *mismatch)
{
  const TsOp *op = g->op;
  gint n_results = pattern_results (op, format);
  const char *cursor = format, *item, *attribute;
  const TsType *last = NULL;
  gboolean agree = TRUE;
  gsize length;

  if (op->n_regions > 0 || op->n_successors > 0 || (n_results >= 0 && g->results->len != (guint) n_results)
      || !tt_fits_clauses (op, format, &attribute) || !fits_segments (op) || !fits_lists (g, format))
    return FALSE;
  while ((item = tt_format_next (&cursor, &length)) != NULL)
    {
      if (item[0] == 'T')
        agree = fits_type_item (g, item, length, &last) && agree;
      else if (item[0] == 'B' && last != NULL)
        agree = ts_type_equal (result (g, 0), tt_bool_like (g->p->module, last)) && agree;
      else if (item[0] == 'L' && last != NULL)
        {
          const TsType *pointee = tt_pointee (g->p->module, last);

          agree = pointee != NULL && ts_type_equal (result (g, 0), pointee) && agree;
        }
    }
  *mismatch = !agree;
  return agree;
}

/* --- operations whose syntax is code --------------------------------------------------------------------------------------- */

static const TsBlock *
body (const Generic *g, guint region)
{
  return ts_op_body (g->op, region);
}

static gboolean
fits_for (const Generic *g)
{
  guint n = g->op->n_operands;

  if (n < 3 || body (g, 0)->n_args != n - 2 || g->results->len != n - 3)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!ts_type_equal (input (g, i), body (g, 0)->args[i < 3 ? 0 : i - 2]->type)
        || (i >= 3 && !ts_type_equal (input (g, i), result (g, i - 3))))
      return FALSE;
  return TRUE;
}

/* A condition of i1, arms without arguments. */
static gboolean
fits_if (const Generic *g)
{
  return g->op->n_operands == 1 && is_bool (input (g, 0)) && body (g, 0)->n_args == 0
         && (g->op->n_regions == 1 || body (g, 1)->n_args == 0);
}

static gboolean
fits_while (const Generic *g)
{
  if (body (g, 0)->n_args != g->op->n_operands)
    return FALSE;
  for (guint i = 0; i < g->op->n_operands; i++)
    if (!ts_type_equal (input (g, i), body (g, 0)->args[i]->type))
      return FALSE;
  return TRUE;
}

static gboolean
fits_condition (const Generic *g)
{
  return is_bool (input (g, 0));
}

static gboolean
fits_call (const Generic *g)
{
  const TsExpr *callee = ts_op_attr (g->op, "callee");

  return callee != NULL && callee->kind == TS_EXPR_TEXT && callee->text[0] == '@' && strstr (callee->text, "::") == NULL;
}

/* A list as the own syntax gives it when read again: another type of its elements would be lost. */
static gboolean
is_array_of (const TsExpr *list, TsDtype dtype)
{
  return list != NULL && list->kind == TS_EXPR_LIST && g_strcmp0 (list->raw, "array") == 0 && list->dtype == dtype;
}

static gint64
segment (const TsExpr *segments, guint i)
{
  return segments->list[i]->kind == TS_EXPR_INT ? segments->list[i]->i : -1;
}

static gboolean
fits_cond_br (const Generic *g)
{
  const TsExpr *segments = ts_op_attr (g->op, "operandSegmentSizes"), *weights = ts_op_attr (g->op, "branch_weights");

  return is_bool (input (g, 0)) && is_array_of (segments, TS_DTYPE_INT32) && segments->n == 3
         && segment (segments, 0) == 1 && segment (segments, 1) >= 0 && segment (segments, 2) >= 0
         && segment (segments, 1) < g->op->n_operands
         && segment (segments, 1) + segment (segments, 2) + 1 == g->op->n_operands
         && (weights == NULL || (weights->kind == TS_EXPR_LIST && weights->raw != NULL));
}

static gboolean
fits_constant (const Generic *g)
{
  const TsExpr *value = ts_op_attr (g->op, "value");
  const TsType *type = result (g, 0);

  if (value == NULL)
    return FALSE;
  if (value->kind == TS_EXPR_INT || value->kind == TS_EXPR_FLOAT)
    return ts_type_is_scalar (type) && type->dtype == value->dtype;
  return g->p->dense_type != NULL && ts_type_equal (type, g->p->dense_type);
}

static gboolean
fits_select (const Generic *g)
{
  const TsType *condition = input (g, 0), *type = result (g, 0);

  return ts_type_equal (input (g, 1), type) && ts_type_equal (input (g, 2), type)
         && (is_bool (condition) || ts_type_is (condition, TS_TYPE_RANKED));
}

static gboolean
fits_addui_extended (const Generic *g)
{
  return ts_type_equal (input (g, 0), input (g, 1)) && ts_type_equal (input (g, 0), result (g, 0));
}

static gboolean
fits_make_tensor_ptr (const Generic *g)
{
  return g->op->n_operands % 3 == 1;
}

static gboolean
fits_advance (const Generic *g)
{
  return ts_type_equal (input (g, 0), result (g, 0));
}

/* Lists of equal length, with one operand behind the first `fixed` for each entry that is no constant. */
static gboolean
fits_slice (const Generic *g)
{
  static const char *const lists[] = { "static_offsets", "static_sizes", "static_strides" };
  guint fixed = g->op->code == TS_OP_TENSOR_INSERT_SLICE ? 2 : 1, dynamic = 0;

  for (guint k = 0; k < G_N_ELEMENTS (lists); k++)
    {
      const TsExpr *list = ts_op_attr (g->op, lists[k]);

      if (!is_array_of (list, TS_DTYPE_INT64))
        return FALSE;
      for (guint i = 0; i < list->n; i++)
        if (list->list[i]->kind != TS_EXPR_INT)
          return FALSE;
        else
          dynamic += list->list[i]->i == G_MININT64;
    }
  return g->op->n_operands == fixed + dynamic && (fixed == 1 || ts_type_equal (input (g, 1), result (g, 0)));
}

/* Regions (lowest and highest number), successors and results (-1: any number) of operations without a pattern; `fits` (or NULL)
 * asks for the rest. */
static const struct
{
  TsOpCode code;
  gint8    min_regions, max_regions, successors, results;
  gboolean (*fits) (const Generic *g);
} shapes[] = {
  { TS_OP_FOR, 1, 1, 0, -1, fits_for },
  { TS_OP_IF, 1, 2, 0, -1, fits_if },
  { TS_OP_SCF_WHILE, 2, 2, 0, -1, fits_while },
  { TS_OP_SCF_CONDITION, 0, 0, 0, 0, fits_condition },
  { TS_OP_YIELD, 0, 0, 0, 0, NULL },
  { TS_OP_RETURN, 0, 0, 0, 0, NULL },
  { TS_OP_CALL, 0, 0, 0, -1, fits_call },
  { TS_OP_CF_BR, 0, 0, 1, 0, NULL },
  { TS_OP_CF_COND_BR, 0, 0, 2, 0, fits_cond_br },
  { TS_OP_ARITH_CONSTANT, 0, 0, 0, 1, fits_constant },
  { TS_OP_ARITH_SELECT, 0, 0, 0, 1, fits_select },
  { TS_OP_ARITH_ADDUI_EXTENDED, 0, 0, 0, 2, fits_addui_extended },
  { TS_OP_TT_MAKE_TENSOR_PTR, 0, 0, 0, 1, fits_make_tensor_ptr },
  { TS_OP_TT_ADVANCE, 0, 0, 0, 1, fits_advance },
  { TS_OP_TENSOR_EMPTY, 0, 0, 0, 1, NULL },
  { TS_OP_TENSOR_INSERT_SLICE, 0, 0, 0, 1, fits_slice },
  { TS_OP_TENSOR_EXTRACT_SLICE, 0, 0, 0, 1, fits_slice },
  { TS_OP_TT_REDUCE, 1, 1, 0, -1, NULL },
  { TS_OP_TT_SCAN, 1, 1, 0, -1, NULL },
};

static gboolean
fits_shape (const Generic *g)
{
  const TsOp *op = g->op;

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    if (shapes[i].code == op->code)
      return (gint) op->n_regions >= shapes[i].min_regions && (gint) op->n_regions <= shapes[i].max_regions
             && (gint) op->n_successors == shapes[i].successors
             && (shapes[i].results < 0 || (gint) g->results->len == shapes[i].results)
             && (shapes[i].fits == NULL || shapes[i].fits (g));
  return FALSE;
}

/* The type of a function behind an arrow or a word reads as a list of types and what follows. */
static gboolean
has_function_type (const GPtrArray *types)
{
  for (guint i = 0; i < types->len; i++)
    if (ts_type_is (types->pdata[i], TS_TYPE_FUNCTION))
      return TRUE;
  return FALSE;
}

/* Types that the own syntax does not write are those it implies. */
static gboolean
fits_implied (const Generic *g)
{
  for (guint i = 0; i < g->inputs->len; i++)
    {
      const TsType *implied = tt_implied_type (g->p, g->op, i, input (g, 0));

      if (implied != NULL && !ts_type_equal (implied, input (g, i)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
fits (const Generic *g, gboolean *mismatch)
{
  const TsOp *op = g->op;
  const TsOpInfo *info = ts_op_info ((TsOpCode) op->code);
  const char *format = tt_format_of ((TsOpCode) op->code);

  *mismatch = FALSE;
  if (op->code == TS_OP_UNKNOWN || has_function_type (g->inputs) || has_function_type (g->results) || !fits_implied (g))
    return FALSE;
  if (op->code > TS_OP_TEXT && (op->n_operands < info->min_args || op->n_operands > info->max_args))
    return FALSE;
  return format != NULL ? fits_format (g, format, mismatch) : fits_shape (g);
}

/* --- what the own syntax stores -------------------------------------------------------------------------------------------- */

/* Numbers of generic properties become words; defaults and operand counts that the pretty form does not show are dropped. */
static void
normalise_clause (TtParser *p, TsOp *op, const TtClause *clause)
{
  TsExpr *value = ts_op_attr (op, clause->attribute);
  g_autofree char *word = NULL;

  if (value == NULL || value->kind != TS_EXPR_INT)
    return;
  if (clause->form == TT_CLAUSE_UNIT)
    {
      if (value->i != 0)
        ts_op_set_attr (p->module, op, clause->attribute, ts_expr_none (p->module));
      else
        ts_op_remove_attr (op, clause->attribute);
    }
  if (clause->form == TT_CLAUSE_NUMBER32 || clause->form == TT_CLAUSE_NUMBER64) /* as the word stores it */
    ts_op_set_attr (p->module, op, clause->attribute,
                    ts_expr_int (p->module, value->i, clause->form == TT_CLAUSE_NUMBER64 ? TS_DTYPE_INT64 : TS_DTYPE_INT32));
  if (clause->form != TT_CLAUSE_WORD)
    return;
  word = tt_clause_word (clause, (gint) CLAMP (value->i - clause->first, -1, 1000));
  if (word == NULL && strcmp (clause->attribute, "propagateNan") == 0)
    word = g_strdup ("all"); /* numbered 65535 */
  if (word == NULL)
    return;
  if (strcmp (word, clause->fallback) == 0)
    ts_op_remove_attr (op, clause->attribute);
  else
    ts_op_set_attr (p->module, op, clause->attribute, ts_expr_text (p->module, word));
}

static void
drop_default (TsOp *op, const char *key)
{
  TsExpr *value = ts_op_attr (op, key);

  if (value == NULL)
    return;
  if ((value->kind == TS_EXPR_INT && value->i == 0) || (value->kind == TS_EXPR_LIST && value->n == 0)
      || (value->kind == TS_EXPR_TEXT && g_str_has_suffix (value->text, "<none>")))
    ts_op_remove_attr (op, key);
}

/* cf.cond_br weights([1, 2]) */
static void
normalise_weights (TtParser *p, TsOp *op)
{
  const TsExpr *weights = ts_op_attr (op, "branch_weights");
  g_autoptr (GString) text = g_string_new ("([");

  if (weights == NULL)
    return;
  for (guint i = 0; i < weights->n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", weights->list[i]->i);
  g_string_append (text, "])");
  ts_op_set_attr (p->module, op, "branch_weights", ts_expr_text (p->module, text->str));
}

static void
normalise_call (TtParser *p, TsOp *op)
{
  const char *callee = ts_op_attr (op, "callee")->text + 1;
  g_autofree char *name = callee[0] == '"' ? tt_unquote (callee, strlen (callee)) : g_strdup (callee);

  op->name = ts_module_intern (p->module, name);
  ts_op_remove_attr (op, "callee");
}

void
tt_normalise (TtParser *p, TsOp *op)
{
  const char *format = tt_format_of ((TsOpCode) op->code);
  const char *cursor = format != NULL ? format : "", *item;
  gsize length;

  while ((item = tt_format_next (&cursor, &length)) != NULL)
    {
      const TtClause *clause = item[0] == 'V' ? tt_clause_find (item + 1, length - 1) : NULL;

      if (clause != NULL)
        normalise_clause (p, op, clause);
    }
  drop_default (op, "overflowFlags");
  drop_default (op, "fastmath");
  if (op->code == TS_OP_TT_LOAD || op->code == TS_OP_TT_STORE)
    {
      drop_default (op, "isVolatile");
      drop_default (op, "boundaryCheck");
      ts_op_remove_attr (op, "operandSegmentSizes");
    }
  if (op->code == TS_OP_TENSOR_INSERT_SLICE || op->code == TS_OP_TENSOR_EXTRACT_SLICE) /* its lists say it */
    ts_op_remove_attr (op, "operandSegmentSizes");
  if (op->code == TS_OP_FOR)
    {
      drop_default (op, "unsignedCmp");
      if (ts_op_attr (op, "unsignedCmp") != NULL) /* as the word of its own syntax stores it */
        ts_op_set_attr (p->module, op, "unsignedCmp", ts_expr_none (p->module));
    }
  if (op->code == TS_OP_CF_COND_BR)
    normalise_weights (p, op);
  if (op->code == TS_OP_CALL)
    normalise_call (p, op);
  if (op->code == TS_OP_IF && op->n_regions == 2 && ts_op_body (op, 1)->n_ops == 0)
    op->n_regions = 1;
}

/* --- one operation --------------------------------------------------------------------------------------------------------- */

TsOp *
tt_parse_generic_op (TtParser *p, guint32 start, GPtrArray *types)
{
  g_autofree char *name = tt_unquote (p->lexer.text + tt_token (p)->start, tt_token (p)->end - tt_token (p)->start);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  TsOp *op = tt_new_op (p, name, start);
  Generic g = { p, op, inputs, types };
  gboolean mismatch;

  p->dense_type = NULL;
  tt_next (p);
  if (!parse_parts (&g))
    return NULL;
  if (fits (&g, &mismatch))
    tt_normalise (p, op);
  else if (mismatch || p->dense_type != NULL)
    {
      tt_error_at (p, start, 1, "type-mismatch", "the types of '%s' do not agree with each other", op->name);
      return NULL;
    }
  else
    op->code = TS_OP_UNKNOWN;
  if (op->code == TS_OP_UNKNOWN || op->code == TS_OP_TT_REDUCE || op->code == TS_OP_TT_SCAN)
    op->flags |= TS_OP_FLAG_GENERIC;
  return op;
}
