/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations of Triton IR whose syntax is more than a pattern: loops, branches, calls, slices, constants. Source: spec ttir
 * section 5. */
#include <string.h>

#include "ir/op-info.h"
#include "lang/ttir/format.h"
#include "lang/ttir/parser-private.h"

typedef gboolean (*ParseFunc) (TtParser *p, TsOp *op, guint n_results, GPtrArray *result_types);

static gboolean
add_operand (TtParser *p, TsOp *op)
{
  TsExpr *operand = tt_parse_operand (p);

  if (operand == NULL)
    return FALSE;
  ts_op_add_operand (p->module, op, operand);
  return TRUE;
}

/* `%a, %b : T, U` or nothing. */
static gboolean
parse_typed_operands (TtParser *p, TsOp *op)
{
  guint first = op->n_operands;
  g_autoptr (GPtrArray) types = g_ptr_array_new ();
  guint32 offset;

  if (tt_token (p)->kind != TT_TOKEN_VALUE || tt_token (p)->on_new_line)
    return TRUE;
  do
    if (!add_operand (p, op))
      return FALSE;
  while (tt_accept (p, ','));
  offset = tt_token (p)->start;
  if (!tt_expect (p, ':') || !tt_parse_type_list (p, types))
    return FALSE;
  if (types->len != op->n_operands - first)
    return tt_error_at (p, offset, 1, "type-count", "%u types for %u operands", types->len, op->n_operands - first);
  for (guint i = 0; i < types->len; i++)
    tt_state_type (p, op->operands[first + i], types->pdata[i], offset);
  return TRUE;
}

static gboolean
parse_return (TtParser *p, TsOp *op, guint n_results, GPtrArray *result_types)
{
  return tt_parse_dict (p, op) && parse_typed_operands (p, op);
}

static void
add_arg (GArray *args, const char *name, const TsType *type, guint32 offset)
{
  TtBlockArg arg = { name, type, offset, NULL };

  g_array_append_val (args, arg);
}

/* The current token is %name: returns the name, and moves on. */
static const char *
parse_definition (TtParser *p, guint32 *offset)
{
  const char *name;

  if (tt_token (p)->kind != TT_TOKEN_VALUE)
    {
      tt_error (p, "syntax", "expected a value (%%name)");
      return NULL;
    }
  *offset = tt_token (p)->start;
  name = tt_token_text (p) + 1;
  tt_next (p);
  return ts_intern_n (p->module->strings, name, strlen (name));
}

/* `(%a = %x, ...)`: names into args, initial values as operands. */
static gboolean
parse_assignments (TtParser *p, TsOp *op, GArray *args)
{
  if (!tt_expect (p, '('))
    return FALSE;
  while (!tt_at (p, ')'))
    {
      guint32 offset;
      const char *name = parse_definition (p, &offset);

      if (name == NULL || !tt_expect (p, '=') || !add_operand (p, op))
        return FALSE;
      add_arg (args, name, NULL, offset);
      if (!tt_accept (p, ','))
        break;
    }
  return tt_expect (p, ')');
}

/* A loop or branch without results may leave its yield out. */
static void
ensure_yield (TtParser *p, TsBlock *block)
{
  if (block->last == NULL || !ts_op_is_terminator (block->last))
    ts_block_append (block, ts_op_new (p->module, TS_OP_YIELD, "scf.yield", NULL, 0));
}

static gboolean
parse_for (TtParser *p, TsOp *op, guint n_results, GPtrArray *result_types)
{
  g_autoptr (GArray) args = g_array_new (FALSE, TRUE, sizeof (TtBlockArg));
  const TsType *index = ts_type_scalar (p->module, TS_DTYPE_INDEX);
  guint32 offset, stated = tt_token (p)->start;
  const char *name;

  if (tt_accept_word (p, "unsigned"))
    ts_op_add_attr (p->module, op, "unsignedCmp", ts_expr_none (p->module));
  name = parse_definition (p, &offset);
  if (name == NULL || !tt_expect (p, '=') || !add_operand (p, op) || !tt_expect_word (p, "to") || !add_operand (p, op)
      || !tt_expect_word (p, "step") || !add_operand (p, op))
    return FALSE;
  add_arg (args, name, index, offset);
  if (tt_accept_word (p, "iter_args"))
    {
      if (!parse_assignments (p, op, args) || !tt_expect_arrow (p) || !tt_parse_types (p, result_types))
        return FALSE;
      if (result_types->len != args->len - 1)
        return tt_error (p, "type-count", "%u result types for %u carried values", result_types->len, args->len - 1);
    }
  if (tt_accept (p, ':') && (index = tt_parse_type (p)) == NULL)
    return FALSE;
  g_array_index (args, TtBlockArg, 0).type = index;
  for (guint i = 0; i < op->n_operands; i++)
    {
      const TsType *type = i < 3 ? index : result_types->pdata[i - 3];

      tt_state_type (p, op->operands[i], type, stated);
      if (i >= 3)
        g_array_index (args, TtBlockArg, i - 2).type = type;
    }
  if (!tt_parse_region (p, op, args))
    return FALSE;
  ensure_yield (p, ts_op_body (op, 0));
  return tt_parse_dict (p, op);
}

static gboolean
parse_if (TtParser *p, TsOp *op, guint n_results, GPtrArray *result_types)
{
  guint32 offset = tt_token (p)->start;

  if (!add_operand (p, op))
    return FALSE;
  tt_state_type (p, op->operands[0], ts_type_scalar (p->module, TS_DTYPE_BOOL), offset);
  if (tt_accept_arrow (p) && !tt_parse_types (p, result_types))
    return FALSE;
  if (!tt_parse_region (p, op, NULL))
    return FALSE;
  ensure_yield (p, ts_op_body (op, 0));
  if (tt_accept_word (p, "else"))
    {
      if (!tt_parse_region (p, op, NULL))
        return FALSE;
      ensure_yield (p, ts_op_body (op, 1));
    }
  return tt_parse_dict (p, op);
}

static gboolean
parse_while (TtParser *p, TsOp *op, guint n_results, GPtrArray *result_types)
{
  g_autoptr (GArray) args = g_array_new (FALSE, TRUE, sizeof (TtBlockArg));
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  guint32 offset;

  if (tt_at (p, '(') && !parse_assignments (p, op, args))
    return FALSE;
  offset = tt_token (p)->start;
  if (!tt_expect (p, ':') || !tt_parse_types (p, inputs) || !tt_expect_arrow (p) || !tt_parse_types (p, result_types))
    return FALSE;
  if (inputs->len != args->len)
    return tt_error_at (p, offset, 1, "type-count", "%u types for %u carried values", inputs->len, args->len);
  for (guint i = 0; i < inputs->len; i++)
    {
      g_array_index (args, TtBlockArg, i).type = inputs->pdata[i];
      tt_state_type (p, op->operands[i], inputs->pdata[i], offset);
    }
  if (!tt_parse_region (p, op, args) || !tt_expect_word (p, "do") || !tt_parse_region (p, op, NULL))
    return FALSE;
  ensure_yield (p, ts_op_body (op, 1));
  return tt_parse_attributes (p, op);
}

static gboolean
parse_condition (TtParser *p, TsOp *op, guint n_results, GPtrArray *result_types)
{
  guint32 offset;

  if (!tt_expect (p, '('))
    return FALSE;
  offset = tt_token (p)->start;
  if (!add_operand (p, op) || !tt_expect (p, ')'))
    return FALSE;
  tt_state_type (p, op->operands[0], ts_type_scalar (p->module, TS_DTYPE_BOOL), offset);
  return tt_parse_dict (p, op) && parse_typed_operands (p, op);
}

/* `^b(%a, %c : T, U)`: operands are appended, the block becomes a successor. */
static gboolean
parse_successor (TtParser *p, TsOp *op, GPtrArray *successors)
{
  if (tt_token (p)->kind != TT_TOKEN_BLOCK)
    return tt_error (p, "syntax", "expected a block (^name)");
  g_ptr_array_add (successors, (gpointer) tt_token_text (p));
  tt_note_label (p, tt_token_text (p));
  tt_next (p);
  if (!tt_accept (p, '('))
    return TRUE;
  return parse_typed_operands (p, op) && tt_expect (p, ')');
}

static void
set_segments (TtParser *p, TsOp *op, const guint *sizes, guint n)
{
  g_autofree TsExpr **items = g_new (TsExpr *, n);
  TsExpr *list;

  for (guint i = 0; i < n; i++)
    items[i] = ts_expr_int (p->module, sizes[i], TS_DTYPE_INT32);
  list = ts_expr_list (p->module, items, n);
  list->raw = ts_module_intern (p->module, "array");
  list->dtype = TS_DTYPE_INT32;
  ts_op_set_attr (p->module, op, "operandSegmentSizes", list);
}

/* Labels become blocks when the statement is placed in its region: see tt_parse_statement(). */
static void
keep_labels (TtParser *p, TsOp *op, GPtrArray *labels)
{
  op->n_successors = labels->len;
  op->successors = ts_arena_array (p->module->arena, TsBlock *, labels->len);
  for (guint i = 0; i < labels->len; i++)
    op->successors[i] = tt_block_by_label (p, labels->pdata[i], NULL);
}

static gboolean
parse_br (TtParser *p, TsOp *op, guint n_results, GPtrArray *result_types)
{
  g_autoptr (GPtrArray) labels = g_ptr_array_new ();

  if (!parse_successor (p, op, labels))
    return FALSE;
  keep_labels (p, op, labels);
  return tt_parse_dict (p, op);
}

static gboolean
parse_cond_br (TtParser *p, TsOp *op, guint n_results, GPtrArray *result_types)
{
  g_autoptr (GPtrArray) labels = g_ptr_array_new ();
  guint32 offset = tt_token (p)->start;
  guint sizes[3] = { 1, 0, 0 };

  if (!add_operand (p, op))
    return FALSE;
  tt_state_type (p, op->operands[0], ts_type_scalar (p->module, TS_DTYPE_BOOL), offset);
  if (tt_at_word (p, "weights"))
    {
      guint32 start;
      TsSpan span;
      g_autofree char *text = NULL;

      tt_next (p);
      start = tt_token (p)->start;
      if (!tt_at (p, '(') || !tt_skip_balanced (p))
        return tt_error (p, "syntax", "expected '('");
      span = tt_span (p, start);
      text = g_strndup (p->lexer.text + span.offset, span.length);
      ts_op_add_attr (p->module, op, "branch_weights", ts_expr_text (p->module, text));
    }
  for (guint i = 0; i < 2; i++)
    {
      guint before = op->n_operands;

      if (!tt_expect (p, ',') || !parse_successor (p, op, labels))
        return FALSE;
      sizes[1 + i] = op->n_operands - before;
    }
  keep_labels (p, op, labels);
  set_segments (p, op, sizes, 3);
  return tt_parse_dict (p, op);
}

static gboolean
parse_call (TtParser *p, TsOp *op, guint n_results, GPtrArray *result_types)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  g_autofree char *name = NULL;
  guint32 offset;

  if (tt_token (p)->kind != TT_TOKEN_SYMBOL)
    return tt_error (p, "syntax", "expected a function (@name)");
  name = tt_token_text (p)[1] == '"'
             ? tt_unquote (p->lexer.text + tt_token (p)->start + 1, tt_token (p)->end - tt_token (p)->start - 1)
             : g_strdup (tt_token_text (p) + 1);
  op->name = ts_module_intern (p->module, name);
  tt_next (p);
  if (!tt_expect (p, '('))
    return FALSE;
  while (!tt_at (p, ')'))
    if (!add_operand (p, op) || !tt_accept (p, ','))
      break;
  if (p->failed || !tt_expect (p, ')') || !tt_parse_dict (p, op))
    return FALSE;
  offset = tt_token (p)->start;
  if (!tt_expect (p, ':') || !tt_parse_types (p, inputs) || !tt_expect_arrow (p) || !tt_parse_types (p, result_types))
    return FALSE;
  if (inputs->len != op->n_operands)
    return tt_error_at (p, offset, 1, "type-count", "%u types for %u operands", inputs->len, op->n_operands);
  for (guint i = 0; i < inputs->len; i++)
    tt_state_type (p, op->operands[i], inputs->pdata[i], offset);
  return TRUE;
}

static gboolean
parse_constant_op (TtParser *p, TsOp *op, guint n_results, GPtrArray *result_types)
{
  const TsType *type = NULL;
  TsExpr *value;

  if (tt_at (p, '{') && !tt_parse_dict (p, op))
    return FALSE;
  if (ts_op_attr (op, "value") != NULL)
    return tt_error (p, "duplicate-attribute", "attribute 'value' is given twice");
  value = tt_parse_typed_constant (p, &type);
  if (value == NULL)
    return FALSE;
  if (type == NULL)
    return tt_error (p, "syntax", "expected ':' and the constant's type");
  ts_op_add_attr (p->module, op, "value", value);
  tt_sort_attrs (op->attrs, op->n_attrs);
  g_ptr_array_add (result_types, (gpointer) type);
  return TRUE;
}

static gboolean
parse_select (TtParser *p, TsOp *op, guint n_results, GPtrArray *result_types)
{
  const TsType *condition = ts_type_scalar (p->module, TS_DTYPE_BOOL), *type;
  guint32 offset;

  for (guint i = 0; i < 3; i++)
    if ((i > 0 && !tt_expect (p, ',')) || !add_operand (p, op))
      return FALSE;
  offset = tt_token (p)->start;
  if (!tt_parse_dict (p, op) || !tt_expect (p, ':') || (type = tt_parse_type (p)) == NULL)
    return FALSE;
  if (tt_accept (p, ',')) /* the first was the condition's; both may be the same */
    {
      condition = type;
      if ((type = tt_parse_type (p)) == NULL)
        return FALSE;
    }
  tt_state_type (p, op->operands[0], condition, offset);
  tt_state_type (p, op->operands[1], type, offset);
  tt_state_type (p, op->operands[2], type, offset);
  g_ptr_array_add (result_types, (gpointer) type);
  return TRUE;
}

static gboolean
parse_addui_extended (TtParser *p, TsOp *op, guint n_results, GPtrArray *result_types)
{
  const TsType *type;

  if (!tt_parse_pattern (p, op, "0 , 1 D : T01", n_results, result_types))
    return FALSE;
  type = p->uses->len > 0 ? g_array_index (p->uses, TtUse, p->uses->len - 1).type : NULL;
  g_ptr_array_add (result_types, (gpointer) type);
  if (!tt_expect (p, ',') || (type = tt_parse_type (p)) == NULL)
    return FALSE;
  g_ptr_array_add (result_types, (gpointer) type);
  return TRUE;
}

static gboolean
parse_bracketed_operands (TtParser *p, TsOp *op)
{
  if (!tt_expect (p, '['))
    return FALSE;
  while (!tt_at (p, ']'))
    if (!add_operand (p, op) || !tt_accept (p, ','))
      break;
  return !p->failed && tt_expect (p, ']');
}

static gboolean
parse_make_tensor_ptr (TtParser *p, TsOp *op, guint n_results, GPtrArray *result_types)
{
  const TsType *type;
  guint n = 0;

  if (!add_operand (p, op))
    return FALSE;
  for (guint i = 0; i < 3; i++)
    {
      guint before = op->n_operands;
      guint32 offset = tt_token (p)->end;

      if (!tt_expect (p, ',') || !parse_bracketed_operands (p, op))
        return FALSE;
      if (i > 0 && op->n_operands - before != n)
        return tt_error_at (p, offset, 1, "type-count", "%u entries where the first list has %u", op->n_operands - before, n);
      n = op->n_operands - before;
    }
  if (!tt_parse_dict (p, op) || !tt_expect (p, ':') || (type = tt_parse_pointer_type (p)) == NULL)
    return FALSE;
  g_ptr_array_add (result_types, (gpointer) type);
  return TRUE;
}

static gboolean
parse_advance (TtParser *p, TsOp *op, guint n_results, GPtrArray *result_types)
{
  const TsType *type;
  guint32 offset = tt_token (p)->start;

  if (!add_operand (p, op) || !tt_expect (p, ',') || !parse_bracketed_operands (p, op) || !tt_parse_dict (p, op)
      || !tt_expect (p, ':') || (type = tt_parse_pointer_type (p)) == NULL)
    return FALSE;
  tt_state_type (p, op->operands[0], type, offset);
  g_ptr_array_add (result_types, (gpointer) type);
  return TRUE;
}

static gboolean
parse_empty (TtParser *p, TsOp *op, guint n_results, GPtrArray *result_types)
{
  const TsType *type;

  if (!tt_expect (p, '('))
    return FALSE;
  while (!tt_at (p, ')'))
    if (!add_operand (p, op) || !tt_accept (p, ','))
      break;
  if (p->failed || !tt_expect (p, ')') || !tt_parse_dict (p, op) || !tt_expect (p, ':') || (type = tt_parse_type (p)) == NULL)
    return FALSE;
  g_ptr_array_add (result_types, (gpointer) type);
  return TRUE;
}

/* `[o, ...]` of integers or values: constants go to the attribute, values to the operands, marked by the least number. */
static gboolean
parse_mixed_list (TtParser *p, TsOp *op, const char *attribute)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  TsExpr *list;

  if (!tt_expect (p, '['))
    return FALSE;
  while (!tt_at (p, ']'))
    {
      gint64 value = G_MININT64;

      if (tt_token (p)->kind == TT_TOKEN_VALUE)
        {
          if (!add_operand (p, op))
            return FALSE;
        }
      else
        {
          gboolean negative = tt_accept (p, '-');

          if (tt_token (p)->kind != TT_TOKEN_INTEGER
              || !g_ascii_string_to_signed (tt_token_text (p), 10, 0, G_MAXINT64, &value, NULL))
            return tt_error (p, "syntax", "expected an integer or a value");
          if (negative)
            value = -value;
          tt_next (p);
        }
      g_ptr_array_add (items, ts_expr_int (p->module, value, TS_DTYPE_INT64));
      if (!tt_accept (p, ','))
        break;
    }
  list = ts_expr_list (p->module, (TsExpr *const *) items->pdata, items->len);
  list->raw = ts_module_intern (p->module, "array");
  list->dtype = TS_DTYPE_INT64;
  ts_op_add_attr (p->module, op, attribute, list);
  return tt_expect (p, ']');
}

static gboolean
parse_slice (TtParser *p, TsOp *op, const char *between, GPtrArray *result_types)
{
  static const char *const lists[] = { "static_offsets", "static_sizes", "static_strides" };
  gboolean insert = strcmp (between, "into") == 0;
  const TsType *first, *second;
  guint32 offset;

  if (!add_operand (p, op) || (insert && (!tt_expect_word (p, "into") || !add_operand (p, op))))
    return FALSE;
  for (guint i = 0; i < 3; i++)
    if (!parse_mixed_list (p, op, lists[i]))
      return FALSE;
  offset = tt_token (p)->start;
  if (!tt_parse_dict (p, op) || !tt_expect (p, ':') || (first = tt_parse_type (p)) == NULL || !tt_expect_word (p, between)
      || (second = tt_parse_type (p)) == NULL)
    return FALSE;
  ts_op_remove_attr (op, "operandSegmentSizes");
  tt_sort_attrs (op->attrs, op->n_attrs);
  tt_state_type (p, op->operands[0], first, offset);
  if (insert)
    tt_state_type (p, op->operands[1], second, offset);
  g_ptr_array_add (result_types, (gpointer) second);
  return TRUE;
}

static gboolean
parse_insert_slice (TtParser *p, TsOp *op, guint n_results, GPtrArray *result_types)
{
  return parse_slice (p, op, "into", result_types);
}

static gboolean
parse_extract_slice (TtParser *p, TsOp *op, guint n_results, GPtrArray *result_types)
{
  return parse_slice (p, op, "to", result_types);
}

static const struct
{
  const char *name;
  TsOpCode    code;
  ParseFunc   parse;
} structured[] = {
  { "scf.for", TS_OP_FOR, parse_for },
  { "scf.if", TS_OP_IF, parse_if },
  { "scf.yield", TS_OP_YIELD, parse_return },
  { "tt.return", TS_OP_RETURN, parse_return },
  { "tt.call", TS_OP_CALL, parse_call },
  { "scf.while", TS_OP_SCF_WHILE, parse_while },
  { "scf.condition", TS_OP_SCF_CONDITION, parse_condition },
  { "cf.br", TS_OP_CF_BR, parse_br },
  { "cf.cond_br", TS_OP_CF_COND_BR, parse_cond_br },
  { "arith.constant", TS_OP_ARITH_CONSTANT, parse_constant_op },
  { "arith.select", TS_OP_ARITH_SELECT, parse_select },
  { "arith.addui_extended", TS_OP_ARITH_ADDUI_EXTENDED, parse_addui_extended },
  { "tt.make_tensor_ptr", TS_OP_TT_MAKE_TENSOR_PTR, parse_make_tensor_ptr },
  { "tt.advance", TS_OP_TT_ADVANCE, parse_advance },
  { "tensor.empty", TS_OP_TENSOR_EMPTY, parse_empty },
  { "tensor.insert_slice", TS_OP_TENSOR_INSERT_SLICE, parse_insert_slice },
  { "tensor.extract_slice", TS_OP_TENSOR_EXTRACT_SLICE, parse_extract_slice },
};

TsOpCode
tt_code_from_name (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (structured); i++)
    if (strcmp (structured[i].name, name) == 0)
      return structured[i].code;
  return ts_op_code_from_name (name, -1);
}

gboolean
tt_parse_structured (TtParser *p, TsOp *op, const char *name, guint n_results, GPtrArray *result_types, gboolean *known)
{
  *known = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (structured); i++)
    if (strcmp (structured[i].name, name) == 0)
      {
        *known = TRUE;
        if (!structured[i].parse (p, op, n_results, result_types))
          return FALSE;
        tt_imply_types (p, op, NULL);
        return TRUE;
      }
  return FALSE;
}
