/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pl.dump_tag(x): what consumes x behind it says so in its dumps. Source: spec dsl 5.4. */
#include "lang/pypto/source.h"

#include "base/limits.h"

/* Which tags some consumer uses, in the order in which they were given. */
typedef struct
{
  const TsReader *reader;
  guint8         *is_used; /* by index into the reader's tags */
  guint           n;       /* tags that stood before the consumer */
} Consumer;

static guint
tag_of (const TsReader *reader, const TsValue *value)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (reader->tag_index, value));
}

void
ts_read_dump_tag (TsReader *reader, const TsNode *call)
{
  if (call->first->next == NULL)
    ts_reader_error (reader, "bad-argument", call, "pl.dump_tag takes what is to be dumped");
  for (const TsNode *argument = call->first->next; argument != NULL; argument = argument->next)
    {
      TsExpr *e = argument->kind == TS_NODE_NAME ? ts_read_expr (reader, argument) : NULL;
      const TsValue *value = e != NULL ? ts_expr_as_value (e) : NULL;

      if (argument->kind != TS_NODE_NAME || (value != NULL && value->type != NULL && !ts_type_is_tensor (value->type)))
        ts_reader_error (reader, "bad-argument", argument, "pl.dump_tag takes tensors by their names");
      else if (value == NULL || tag_of (reader, value) != 0)
        continue;
      else if (reader->tags->len >= TS_MAX_DUMP_TAGS)
        ts_reader_error (reader, "limit", argument, "more than %u dump tags in a function", TS_MAX_DUMP_TAGS);
      else
        {
          g_ptr_array_add (reader->tags, e);
          g_hash_table_insert (reader->tag_index, (gpointer) value, GUINT_TO_POINTER (reader->tags->len));
        }
    }
}

static void
visit_use (TsValue *value, gpointer data)
{
  Consumer *consumer = data;
  guint tag = tag_of (consumer->reader, value);

  if (tag > 0 && tag <= consumer->n)
    consumer->is_used[tag - 1] = 1;
}

static gboolean
visit_op (TsOp *op, gpointer data)
{
  ts_op_foreach_use (op, visit_use, data);
  return TRUE;
}

/* What is listed already and the tags that are used and not listed. */
static TsExpr *
merge (TsReader *reader, const Consumer *consumer, const TsExpr *listed)
{
  const guint n_listed = listed != NULL && listed->kind == TS_EXPR_LIST ? listed->n : 0;
  TsExpr **items = ts_pool_array (reader->pool, TsExpr *, n_listed + consumer->n);
  guint n = 0;

  for (; n < n_listed; n++)
    {
      const TsValue *value = ts_expr_as_value (listed->list[n]);
      guint tag = value != NULL ? tag_of (reader, value) : 0;

      if (tag > 0 && tag <= consumer->n)
        consumer->is_used[tag - 1] = 0;
      items[n] = listed->list[n];
    }
  for (guint i = 0; i < consumer->n; i++)
    if (consumer->is_used[i])
      items[n++] = reader->tags->pdata[i];
  return n > n_listed ? ts_expr_list (reader->module, items, n) : NULL;
}

void
ts_tag_consumer (TsReader *reader, TsOp *op, guint n_tags)
{
  g_autofree guint8 *is_used = g_new0 (guint8, MAX (n_tags, 1));
  Consumer consumer = { reader, is_used, n_tags };
  const gboolean is_call = op->code == TS_OP_CALL;
  TsExpr *listed = is_call ? ts_op_attr (op, "dump_vars") : ts_op_keyword (op, "dumps"), *all;

  if (n_tags == 0)
    return;
  if (op->n_regions > 0)
    ts_op_walk_regions (op, visit_op, &consumer);
  else
    for (guint i = 0; i < op->n_operands; i++)
      if (ts_expr_as_value (op->operands[i]) != NULL)
        visit_use (ts_expr_as_value (op->operands[i]), &consumer);
  all = merge (reader, &consumer, listed);
  if (all == NULL)
    return;
  for (guint i = 0; listed != NULL && i < (is_call ? op->n_attrs : op->n_keywords); i++)
    {
      TsAttr *attr = is_call ? &op->attrs[i] : &op->keywords[i];

      if (attr->value == listed)
        attr->value = all;
    }
  if (listed == NULL && is_call)
    ts_op_add_attr (reader->module, op, "dump_vars", all);
  else if (listed == NULL)
    ts_op_add_keyword (reader->module, op, "dumps", all);
}
