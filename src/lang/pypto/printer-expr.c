/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Printed form of expressions and calls. Source: spec dsl section 4. */

#include "lang/pypto/printer.h"
#include "ir/op-info.h"
#include "ir/split-mode.h"

/* Deeper trees than any reader accepts end in "..." rather than in a stack overflow. */
#define MAX_PRINT_DEPTH 8000u
#define ATOM 100u

void
ts_print_string (TsPrinter *p, const char *text, char quote)
{
  ts_put (p, &quote, 1);
  for (const char *c = text; *c != '\0'; c++)
    if (*c == quote || *c == '\\')
      {
        ts_put_literal (p, "\\");
        ts_put (p, c, 1);
      }
    else if (*c == '\n')
      ts_put_literal (p, "\\n");
    else if (*c == '\t')
      ts_put_literal (p, "\\t");
    else if (*c == '\r')
      ts_put_literal (p, "\\r");
    else if ((guchar) *c < 0x20 || *c == 0x7f)
      g_string_append_printf (p->out, "\\x%02x", (guchar) *c);
    else
      ts_put (p, c, 1);
  ts_put (p, &quote, 1);
}

/* --- constants --------------------------------------------------------------------------------------------------------------- */

static void
print_const_open (TsPrinter *p)
{
  ts_put_prefixed (p, "const(");
}

static void
print_const_close (TsPrinter *p, TsDtype dtype)
{
  ts_put_literal (p, ", ");
  ts_put_prefixed (p, ts_dtype_name (dtype));
  ts_put_literal (p, ")");
}

static void
print_int (TsPrinter *p, const TsExpr *e, TsLeaves leaves)
{
  if (e->dtype == TS_DTYPE_BOOL)
    {
      ts_put_text (p, e->i != 0 ? "True" : "False");
      return;
    }
  if (leaves == TS_LEAVES_BARE || e->dtype == TS_DTYPE_NONE || (leaves == TS_LEAVES_PLAIN && e->dtype == TS_DTYPE_INDEX))
    {
      if (e->n == 0)
        {
          ts_append_int (p->out, e->i);
          return;
        }
    }
  print_const_open (p);
  if (e->n == 1)
    g_string_append_printf (p->out, "%" G_GUINT64_FORMAT, (guint64) e->i);
  else
    ts_append_int (p->out, e->i);
  print_const_close (p, e->dtype);
}

static void
print_float (TsPrinter *p, const TsExpr *e, TsLeaves leaves)
{
  if (leaves == TS_LEAVES_BARE || e->dtype == TS_DTYPE_NONE || (leaves == TS_LEAVES_PLAIN && e->dtype == TS_DTYPE_FP32))
    {
      ts_append_double (p->out, e->f);
      return;
    }
  print_const_open (p);
  ts_append_double (p->out, e->f);
  print_const_close (p, e->dtype);
}

/* --- operators --------------------------------------------------------------------------------------------------------------- */

static guint
precedence (const TsExpr *e)
{
  guint own;

  if (e->kind != TS_EXPR_UNARY && e->kind != TS_EXPR_BINARY)
    return ATOM;
  own = ts_operator_precedence (e->op);
  return own == 0 ? ATOM : own;
}

static void
print_operand (TsPrinter *p, const TsExpr *e, guint outer, gboolean equal_needs, TsLeaves leaves)
{
  guint own = precedence (e);
  gboolean negative = outer == ts_operator_precedence (TS_OPERATOR_POW) && equal_needs
                      && ((e->kind == TS_EXPR_INT && e->i < 0) || (e->kind == TS_EXPR_FLOAT && e->f < 0));
  gboolean parens = own < outer || (own == outer && equal_needs) || negative;

  if (parens)
    ts_put_literal (p, "(");
  ts_print_expr (p, e, leaves);
  if (parens)
    ts_put_literal (p, ")");
}

static void
print_function_operator (TsPrinter *p, const TsExpr *e, guint n, TsLeaves leaves)
{
  const char *symbol = ts_operator_symbol (e->op);

  if (g_str_has_prefix (symbol, "pl."))
    ts_put_prefixed (p, symbol + 3);
  else
    ts_put_text (p, symbol);
  ts_put_literal (p, "(");
  for (guint i = 0; i < n; i++)
    {
      if (i > 0)
        ts_put_literal (p, ", ");
      ts_print_expr (p, e->items[i], leaves);
    }
  ts_put_literal (p, ")");
}

static void
print_binary (TsPrinter *p, const TsExpr *e, TsLeaves leaves)
{
  guint own = ts_operator_precedence (e->op);

  if (own == 0)
    {
      print_function_operator (p, e, 2, leaves == TS_LEAVES_BARE ? TS_LEAVES_PLAIN : leaves);
      return;
    }
  /* A reader would fold a tree of bare constants. */
  leaves = leaves == TS_LEAVES_TYPED || !e->has_values ? TS_LEAVES_TYPED : TS_LEAVES_PLAIN;
  print_operand (p, e->items[0], own, e->op == TS_OPERATOR_POW || ts_operator_is_comparison (e->op), leaves);
  ts_put_literal (p, " ");
  ts_put_text (p, ts_operator_symbol (e->op));
  ts_put_literal (p, " ");
  print_operand (p, e->items[1], own, e->op != TS_OPERATOR_POW, leaves);
}

static void
print_unary (TsPrinter *p, const TsExpr *e, TsLeaves leaves)
{
  guint own = ts_operator_precedence (e->op);

  if (own == 0)
    {
      print_function_operator (p, e, 1, leaves == TS_LEAVES_BARE ? TS_LEAVES_PLAIN : leaves);
      return;
    }
  leaves = leaves == TS_LEAVES_TYPED || !e->has_values ? TS_LEAVES_TYPED : TS_LEAVES_PLAIN;
  ts_put_text (p, ts_operator_symbol (e->op));
  if (e->op == TS_OPERATOR_NOT)
    ts_put_literal (p, " ");
  print_operand (p, e->items[0], own, FALSE, leaves);
}

/* --- all kinds --------------------------------------------------------------------------------------------------------------- */

static void
print_entries (TsPrinter *p, const TsExpr *e, TsLeaves leaves)
{
  ts_put_literal (p, "{");
  for (guint i = 0; i < e->n; i++)
    {
      if (i > 0)
        ts_put_text (p, i % 2 == 0 ? ", " : ": ");
      ts_print_expr (p, e->list[i], leaves);
    }
  ts_put_literal (p, "}");
}

static void
print_list (TsPrinter *p, const TsExpr *e, TsLeaves leaves)
{
  if (ts_expr_is_dict (e))
    {
      print_entries (p, e, leaves);
      return;
    }
  ts_put_literal (p, "[");
  for (guint i = 0; i < e->n; i++)
    {
      if (i > 0)
        ts_put_literal (p, ", ");
      ts_print_expr (p, e->list[i], leaves);
    }
  ts_put_literal (p, "]");
}

static void
print_membership (TsPrinter *p, const TsExpr *e)
{
  if (e->raw != NULL)
    {
      ts_print_string (p, e->raw, '"');
      return;
    }
  ts_put_literal (p, "\"");
  for (guint i = 0; i < e->n; i++)
    {
      if (i > 0)
        ts_put_literal (p, ";");
      ts_append_int (p->out, e->pairs[i].group);
      ts_put_literal (p, ":");
      ts_append_int (p->out, e->pairs[i].stage);
    }
  ts_put_literal (p, "\"");
}

static void
print_any (TsPrinter *p, const TsExpr *e, TsLeaves leaves)
{
  switch ((TsExprKind) e->kind)
    {
    case TS_EXPR_INT:
      print_int (p, e, leaves);
      return;
    case TS_EXPR_FLOAT:
      print_float (p, e, leaves);
      return;
    case TS_EXPR_STRING:
      ts_print_string (p, e->text, '"');
      return;
    case TS_EXPR_NONE:
      ts_put_literal (p, "None");
      return;
    case TS_EXPR_DTYPE:
      ts_put_prefixed (p, ts_dtype_name (e->dtype));
      return;
    case TS_EXPR_ENUM:
      ts_put_prefixed (p, e->text);
      return;
    case TS_EXPR_VALUE:
      ts_put_text (p, ts_names_get (&p->names, e->value));
      return;
    case TS_EXPR_UNARY:
      print_unary (p, e, leaves);
      return;
    case TS_EXPR_BINARY:
      print_binary (p, e, leaves);
      return;
    case TS_EXPR_CAST:
      ts_put_prefixed (p, "cast(");
      ts_print_expr (p, e->items[0], leaves == TS_LEAVES_BARE ? TS_LEAVES_PLAIN : leaves);
      print_const_close (p, e->dtype);
      return;
    case TS_EXPR_LIST:
      print_list (p, e, leaves == TS_LEAVES_TYPED ? TS_LEAVES_PLAIN : leaves);
      return;
    case TS_EXPR_GET:
      print_operand (p, e->items[0], ATOM, FALSE, TS_LEAVES_PLAIN);
      ts_put_literal (p, "[");
      ts_append_int (p->out, e->n);
      ts_put_literal (p, "]");
      return;
    case TS_EXPR_CALL:
      ts_print_call (p, e->call);
      return;
    case TS_EXPR_MEMBERSHIP:
      print_membership (p, e);
      return;
    case TS_EXPR_TEXT:
      ts_put_text (p, e->text);
      return;
    }
}

void
ts_print_expr (TsPrinter *p, const TsExpr *e, TsLeaves leaves)
{
  if (++p->depth > MAX_PRINT_DEPTH)
    ts_put_literal (p, "...");
  else
    print_any (p, e, leaves);
  p->depth--;
}

/* --- calls ------------------------------------------------------------------------------------------------------------------ */

/* Operations that print some positional operands as keywords after the stored ones, or hide a keyword. `from`: first operand
 * printed so; `names`: their keywords. Source: dsl 4.5, `Special shapes`. */
typedef struct
{
  const char *name;
  guint       from;
  const char *names[3];
  const char *hidden;
} CallShape;

static const CallShape shapes[] = {
  { "tile.full", 1, { "value" }, NULL },
  { "tensor.full", 1, { "value" }, NULL },
  { "tile.reinterpret_view", 1, { "shape" }, NULL },
  { "tensor.reinterpret_view", 1, { "shape" }, NULL },
  { "system.task_dummy", 0, { "deps" }, NULL },
  { "tile.gather_row", 5, { "valid_shape" }, NULL },
  { "tile.mgather", 2, { "scratch", "valid_shape" }, NULL },
  { "pld.tensor.alloc_window_buffer", 9, { NULL }, "name" },
};

static const CallShape *
find_shape (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    if (strcmp (shapes[i].name, name) == 0)
      return &shapes[i];
  return NULL;
}

/* Inside pl.split_aiv() a split that is the scope's goes without saying. */
static gboolean
hides_split (const TsOp *op)
{
  gint64 own, around;

  return ts_op_inherits_split (op) && ts_split_mode (ts_op_keyword (op, "split"), &own) && ts_block_split_mode (op->block, &around)
         && own == around;
}

static const char *const python_keywords[] = {
  "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for",
  "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with",
  "yield",
};

static gboolean
is_python_keyword (const char *word)
{
  for (guint i = 0; i < G_N_ELEMENTS (python_keywords); i++)
    if (word[0] == python_keywords[i][0] && strcmp (word, python_keywords[i]) == 0)
      return TRUE;
  return FALSE;
}

static void
print_op_name (TsPrinter *p, const TsOp *op)
{
  const char *name = op->name, *last = strrchr (name, '.');
  gint64 i;

  if (g_str_has_prefix (name, "pld."))
    ts_put_text (p, name);
  else if (strcmp (name, "tensor.add") == 0 && op->n_operands == 2
           && (ts_expr_as_int (op->operands[1], &i) || op->operands[1]->kind == TS_EXPR_FLOAT))
    ts_put_prefixed (p, "tensor.adds");
  else
    ts_put_prefixed (p, name);
  if (is_python_keyword (last != NULL ? last + 1 : name))
    ts_put_literal (p, "_");
}

static void
print_operand_keyword (TsPrinter *p, const char *key, const TsExpr *value, gboolean *first)
{
  if (!*first)
    ts_put_literal (p, ", ");
  *first = FALSE;
  ts_put_text (p, key);
  ts_put_literal (p, "=");
  ts_print_expr (p, value, value->kind == TS_EXPR_INT || value->kind == TS_EXPR_FLOAT ? TS_LEAVES_BARE : TS_LEAVES_PLAIN);
}

/* `typed`: constants show their type, which those of operations that we know have from their tables. */
static void
print_keyword (TsPrinter *p, const TsAttr *keyword, char quote, gboolean typed)
{
  const TsExpr *value = keyword->value;

  ts_put_text (p, keyword->key);
  ts_put_literal (p, "=");
  if (value->kind == TS_EXPR_STRING)
    ts_print_string (p, value->text, quote);
  else if (strcmp (keyword->key, "predicate") == 0)
    {
      ts_put_literal (p, "(");
      ts_print_expr (p, value, TS_LEAVES_PLAIN);
      ts_put_literal (p, ")");
    }
  else
    ts_print_expr (p, value, !typed && (value->kind == TS_EXPR_INT || value->kind == TS_EXPR_FLOAT) ? TS_LEAVES_BARE
                                                                                                    : TS_LEAVES_PLAIN);
}

void
ts_print_keyword (TsPrinter *p, const TsAttr *keyword, char quote)
{
  print_keyword (p, keyword, quote, FALSE);
}

void
ts_print_dict (TsPrinter *p, const TsAttr *attrs, guint n, const char *skip)
{
  gboolean first = TRUE;

  ts_put_literal (p, "{");
  for (guint i = 0; i < n; i++)
    {
      if (skip != NULL && strcmp (attrs[i].key, skip) == 0)
        continue;
      if (!first)
        ts_put_literal (p, ", ");
      first = FALSE;
      ts_print_string (p, attrs[i].key, '"');
      ts_put_literal (p, ": ");
      ts_print_expr (p, attrs[i].value, TS_LEAVES_PLAIN);
    }
  ts_put_literal (p, "}");
}

void
ts_print_attrs (TsPrinter *p, const TsOp *op, const char *skip, gboolean first)
{
  guint shown = 0;

  for (guint i = 0; i < op->n_attrs; i++)
    shown += skip == NULL || strcmp (op->attrs[i].key, skip) != 0;
  if (shown == 0)
    return;
  if (!first)
    ts_put_literal (p, ", ");
  ts_put_literal (p, "attrs=");
  ts_print_dict (p, op->attrs, op->n_attrs, skip);
}

/* How many operands print positionally: all, unless each of the rest has a keyword. */
static guint
count_positional (const TsOp *op, const CallShape *shape)
{
  guint named = 0;

  if (shape == NULL || op->n_operands <= shape->from)
    return op->n_operands;
  while (named < G_N_ELEMENTS (shape->names) && shape->names[named] != NULL)
    named++;
  return op->n_operands <= shape->from + named ? shape->from : op->n_operands;
}

/* "(" operands, keywords, operands that print as keywords, attrs ")". `bare`: sizes of allocations. */
static void
print_arguments (TsPrinter *p, const TsOp *op, const CallShape *shape, gboolean bare)
{
  guint n_positional = count_positional (op, shape);
  gboolean no_split = op->code != TS_OP_CALL && hides_split (op), first = TRUE;
  /* The soft form of syncall quotes its modes as scopes do. */
  char quote = op->name != NULL && strcmp (op->name, "system.syncall") == 0 ? '"' : '\'';

  ts_put_literal (p, "(");
  for (guint i = 0; i < n_positional; i++)
    {
      if (!first)
        ts_put_literal (p, ", ");
      first = FALSE;
      ts_print_expr (p, op->operands[i], bare ? TS_LEAVES_BARE : TS_LEAVES_PLAIN);
    }
  for (guint i = 0; i < op->n_keywords; i++)
    {
      const char *key = op->keywords[i].key;

      if ((no_split && strcmp (key, "split") == 0) || (shape != NULL && shape->hidden != NULL && strcmp (key, shape->hidden) == 0))
        continue;
      if (!first)
        ts_put_literal (p, ", ");
      first = FALSE;
      print_keyword (p, &op->keywords[i], quote, op->code == TS_OP_UNKNOWN);
    }
  for (guint i = n_positional; i < op->n_operands; i++)
    print_operand_keyword (p, shape->names[i - n_positional], op->operands[i], &first);
  ts_print_attrs (p, op, NULL, first);
  ts_put_literal (p, ")");
}

/* pl.submit(self.k, a, ...): the callee is the first argument. */
static void
print_submit (TsPrinter *p, const TsOp *op)
{
  ts_put_prefixed (p, op->code == TS_OP_SUBMIT ? "submit(" : "spmd_submit(");
  if (p->module->is_program)
    ts_put_literal (p, "self.");
  ts_put_text (p, op->name);
  for (guint i = 0; i < op->n_operands; i++)
    {
      ts_put_literal (p, ", ");
      ts_print_expr (p, op->operands[i], TS_LEAVES_PLAIN);
    }
  for (guint i = 0; i < op->n_keywords; i++)
    {
      ts_put_literal (p, ", ");
      ts_print_keyword (p, &op->keywords[i], '\'');
    }
  ts_print_attrs (p, op, NULL, FALSE);
  ts_put_literal (p, ")");
}

void
ts_print_call (TsPrinter *p, const TsOp *op)
{
  switch (op->code)
    {
    case TS_OP_ASSIGN:
      ts_print_expr (p, op->operands[0], TS_LEAVES_PLAIN);
      return;
    case TS_OP_SUBMIT:
    case TS_OP_SPMD_SUBMIT:
      print_submit (p, op);
      return;
    case TS_OP_CALL:
      if (p->module->is_program)
        ts_put_literal (p, "self.");
      ts_put_text (p, op->name);
      print_arguments (p, op, NULL, FALSE);
      return;
    default:
      print_op_name (p, op);
      print_arguments (p, op, find_shape (op->name), g_str_has_suffix (op->name, ".alloc"));
      return;
    }
}
