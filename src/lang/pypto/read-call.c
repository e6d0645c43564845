/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls: operations, functions of the program, submits. Source: spec dsl 4.5, 4.7, 4.8. */
#include "lang/pypto/reader.h"

#include <string.h>

#include "base/limits.h"
#include "ir/op-info.h"
#include "ir/split-mode.h"

const TsNode *
ts_node_keyword (const TsNode *call, const char *key)
{
  for (const TsNode *argument = call->first->next; argument != NULL; argument = argument->next)
    if (argument->kind == TS_NODE_KEYWORD && strcmp (argument->name->text, key) == 0)
      return argument->first;
  return NULL;
}

/* --- attributes ---------------------------------------------------------------------------------------------------------- */

/* Equal membership texts give one expression: a pipeline has a few of them, its body thousands. */
static TsExpr *
read_membership (TsReader *reader, const TsNode *node)
{
  TsName *name = ts_lexicon_get (reader->lexicon, node->text, strlen (node->text));

  if (name->constant == NULL || name->constant->kind != TS_EXPR_MEMBERSHIP)
    name->constant = ts_expr_membership_from_text (reader->module, node->text);
  return name->constant;
}

static TsExpr *
read_attr_value (TsReader *reader, const char *key, const TsNode *node)
{
  if (node->kind == TS_NODE_STRING && strcmp (key, TS_ATTR_MEMBERSHIP) == 0)
    return read_membership (reader, node);
  return ts_read_keyword_value (reader, node);
}

/* Python would let the last of two values stand; what the first was for, nobody would be told. */
static gboolean
check_keys (TsReader *reader, const TsNode *dict)
{
  g_autoptr (GHashTable) seen = NULL;

  if (dict->n <= 2)
    return TRUE;
  seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (const TsNode *key = dict->first; key != NULL; key = key->next->next)
    if (!g_hash_table_add (seen, (gpointer) key->text))
      return ts_reader_error (reader, "bad-argument", key, "the attribute '%s' is given twice", key->text) != NULL;
  return TRUE;
}

gboolean
ts_read_attrs (TsReader *reader, TsOp *op, const TsNode *dict)
{
  gboolean good = TRUE;

  if (dict->kind != TS_NODE_DICT)
    {
      ts_reader_error (reader, "bad-argument", dict, "attrs takes a dictionary of literals");
      return FALSE;
    }
  for (const TsNode *key = dict->first; key != NULL; key = key->next->next)
    {
      TsExpr *value;

      if (key->kind != TS_NODE_STRING || key->next == NULL)
        {
          ts_reader_error (reader, "bad-argument", key, "a key of attrs is a string");
          return FALSE;
        }
      if (op->n_attrs >= TS_MAX_KEYWORDS)
        return ts_reader_error (reader, "limit", key, "more than %u attributes", TS_MAX_KEYWORDS) != NULL;
      value = read_attr_value (reader, key->text, key->next);
      if (value != NULL)
        ts_op_add_attr (reader->module, op, key->text, value);
      good = good && value != NULL;
    }
  return check_keys (reader, dict) && good;
}

/* --- arguments ----------------------------------------------------------------------------------------------------------- */

void
ts_reader_add_keyword (TsReader *reader, TsOp *op, const char *key, TsExpr *value)
{
  if (op->code != TS_OP_PLD_TENSOR_ALLOC_WINDOW_BUFFER || strcmp (key, "name") != 0)
    ts_op_add_keyword (reader->module, op, key, value);
}

static guint
place_of (const char *const *order, const char *key)
{
  guint i = 0;

  while (order[i] != NULL && strcmp (order[i], key) != 0)
    i++;
  return i;
}

/* By insertion: nothing is given twice, so that only the few of the list ever move. */
void
ts_reader_order (TsAttr *attrs, guint n, const char *const *order)
{
  for (guint i = 1; i < n; i++)
    {
      TsAttr moved = attrs[i];
      guint place = place_of (order, moved.key), k = i;

      for (; order[place] != NULL && k > 0 && place_of (order, attrs[k - 1].key) > place; k--)
        attrs[k] = attrs[k - 1];
      attrs[k] = moved;
    }
}

void
ts_reader_inherit_split (TsReader *reader, TsOp *op)
{
  gint64 split;

  if (ts_op_inherits_split (op) && ts_op_keyword (op, "split") == NULL && ts_block_split_mode (reader->block, &split))
    ts_op_add_keyword (reader->module, op, "split", ts_expr_index (reader->module, split));
}

void
ts_reader_settle_name (TsReader *reader, TsOp *op)
{
  if (op->code == TS_OP_TENSOR_ADD && op->n_operands == 2
      && (op->operands[1]->kind == TS_EXPR_INT || op->operands[1]->kind == TS_EXPR_FLOAT))
    {
      op->code = TS_OP_TENSOR_ADDS;
      op->name = ts_module_intern (reader->module, ts_op_info (TS_OP_TENSOR_ADDS)->name);
    }
}

/* Is `key` the name of positional argument `index` in a list like "shape,value,tmp?"? */
static gboolean
names_argument (const char *args, guint index, const char *key)
{
  gsize length = strlen (key);

  for (; args != NULL && index > 0; index--)
    {
      args = strchr (args, ',');
      args = args != NULL ? args + 1 : NULL;
    }
  return args != NULL && strncmp (args, key, length) == 0 && strchr (",?=", args[length]) != NULL;
}

static gboolean
read_keyword (TsReader *reader, TsOp *op, const TsNode *node)
{
  const char *key = node->name->text;
  TsExpr *value;

  if (strcmp (key, "attrs") == 0)
    return ts_read_attrs (reader, op, node->first);
  value = op->code == TS_OP_UNKNOWN ? ts_read_foreign_argument (reader, node->first)
                                    : ts_read_keyword_argument (reader, node->first);
  if (value == NULL)
    return FALSE;
  /* full(shape, dtype=D, value=V) and the like print an argument by its name. */
  if (op->n_keywords >= TS_MAX_KEYWORDS)
    return ts_reader_error (reader, "limit", node, "more than %u keywords", TS_MAX_KEYWORDS) != NULL;
  if (reader->dump && names_argument (ts_op_info ((TsOpCode) op->code)->args, op->n_operands, key))
    ts_op_add_operand (reader->module, op, value);
  else
    ts_reader_add_keyword (reader, op, key, value);
  return TRUE;
}

/* Arguments of an operation from `first` on. */
static TsOp *
read_call_arguments (TsReader *reader, TsOpCode code, const char *name, const TsNode *call, const TsNode *first)
{
  TsExpr **operands = ts_pool_array (reader->pool, TsExpr *, call->n);
  const TsNode *argument = first;
  gboolean good = TRUE;
  guint n = 0;
  TsOp *op;

  for (; argument != NULL && argument->kind != TS_NODE_KEYWORD; argument = argument->next)
    {
      if (code != TS_OP_UNKNOWN && (argument->kind == TS_NODE_STAR || argument->kind == TS_NODE_DOUBLE_STAR))
        return ts_reader_unsupported (reader, argument);
      operands[n] = code == TS_OP_UNKNOWN ? ts_read_foreign_argument (reader, argument) : ts_read_expr (reader, argument);
      if (code == TS_OP_TILE_ALLOC || code == TS_OP_TENSOR_ALLOC)
        operands[n] = ts_reader_bare_literal (reader, operands[n]);
      good = good && operands[n] != NULL;
      n++;
    }
  if (!good)
    return NULL;
  op = ts_op_new (reader->module, code, name, operands, n);
  for (; argument != NULL; argument = argument->next)
    {
      if (argument->kind != TS_NODE_KEYWORD)
        return ts_reader_error (reader, "syntax", argument, "a positional argument follows a keyword argument");
      good = read_keyword (reader, op, argument) && good;
    }
  ts_reader_inherit_split (reader, op);
  ts_reader_settle_name (reader, op);
  return good ? op : NULL;
}

/* pl.submit(self.k, a, ..., deps=[...]) */
static TsOp *
read_submit (TsReader *reader, const TsNode *call)
{
  const TsNode *callee = call->first->next;
  TsOpCode code = (TsOpCode) (TS_OP_SUBMIT + call->first->name->detail);

  if (callee == NULL || callee->kind != TS_NODE_NAME
      || (ts_name_meaning (reader->lexicon, callee->name) != TS_MEANING_METHOD && callee->name->parent != NULL))
    return ts_reader_error (reader, "bad-argument", call, "%s takes a function of the program first", call->first->name->text);
  return read_call_arguments (reader, code, callee->name->rest, call, callee->next);
}

static void
note_unknown (TsReader *reader, const TsNode *node)
{
  const char *name = node->name->rest;

  if (g_hash_table_add (reader->noted, (gpointer) name))
    ts_reader_note (reader, TS_SEVERITY_NOTE, "unknown-operation", node,
                    "operation '%s' is not known: it is kept as written and costs what the machine gives unknown operations",
                    node->name->text);
}

TsOp *
ts_read_call (TsReader *reader, const TsNode *node, gboolean *is_expr)
{
  const TsNode *callee = node->first;

  *is_expr = FALSE;
  if (callee->kind != TS_NODE_NAME)
    return ts_reader_error (reader, "unsupported", callee, "%s cannot be called", ts_node_kind_name ((TsNodeKind) callee->kind));
  switch (ts_name_meaning (reader->lexicon, callee->name))
    {
    case TS_MEANING_OPERATION:
      if (callee->name->code == TS_OP_UNKNOWN)
        note_unknown (reader, callee);
      return read_call_arguments (reader, (TsOpCode) callee->name->code, callee->name->rest, node, callee->next);
    case TS_MEANING_OPTION:
      return read_call_arguments (reader, TS_OP_UNKNOWN, callee->name->rest, node, callee->next);
    case TS_MEANING_METHOD:
      return read_call_arguments (reader, TS_OP_CALL, callee->name->rest, node, callee->next);
    case TS_MEANING_SUBMIT:
      return read_submit (reader, node);
    case TS_MEANING_CONST:
    case TS_MEANING_CAST:
    case TS_MEANING_OPERATOR:
      *is_expr = TRUE;
      return NULL;
    case TS_MEANING_PLAIN:
      if (callee->name->parent == NULL)
        return read_call_arguments (reader, TS_OP_CALL, callee->name->text, node, callee->next);
      return ts_reader_error (reader, "unsupported", callee, "'%s' is no operation of the language", callee->name->text);
    default:
      return ts_reader_error (reader, "syntax", callee, "'%s' cannot be called here", callee->name->text);
    }
}
