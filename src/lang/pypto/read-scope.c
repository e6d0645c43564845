/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scopes: with pl.at(), pl.spmd(), ... Source: spec dsl 5.3. */
#include "lang/pypto/source.h"

#include <string.h>

#include "base/limits.h"
#include "ir/split-mode.h"

static gboolean
is_scope_call (TsReader *reader, const TsNode *node)
{
  return node->kind == TS_NODE_CALL && node->first->kind == TS_NODE_NAME
         && ts_name_meaning (reader->lexicon, node->first->name) == TS_MEANING_SCOPE;
}

/* What the header of a scope takes, in the order in which it prints. Source: spec dsl 5.3. */
typedef struct
{
  const char *call;
  const char *keywords[10];
  guint       n_named;    /* the first of the keywords may be given by position */
  guint       n_operands; /* that have no name */
  gboolean    takes_task; /* `as tid` */
} ScopeRow;

static const ScopeRow rows[] = {
  [TS_SCOPE_AT] = { "pl.at", { "level", "role", "optimizations", "name_hint", "deps", "no_dep_args", "dumps", "allow_early_resolve",
                               "windowize" }, 2, 0, TRUE },
  [TS_SCOPE_CLUSTER] = { "pl.cluster", { "name_hint" }, 0, 0, FALSE },
  [TS_SCOPE_SPLIT_AIV] = { "pl.split_aiv", { "mode", "name_hint" }, 0, 1, FALSE },
  [TS_SCOPE_AUTO] = { "pl.scope", { "name_hint" }, 0, 0, FALSE },
  [TS_SCOPE_MANUAL] = { "pl.manual_scope", { "name_hint" }, 0, 0, FALSE },
};

/* NULL: the header is not held against a row, as those of dumps are not, nor those of pl.spmd(). */
static const ScopeRow *
row_of (const TsReader *reader, const TsOp *op)
{
  const ScopeRow *row = op->sub < G_N_ELEMENTS (rows) ? &rows[op->sub] : NULL;

  return !reader->dump && row != NULL && row->call != NULL ? row : NULL;
}

/* mode=pl.ScopeMode.MANUAL turns an automatic scope into a manual one and says nothing else. */
static gboolean
takes_mode (TsReader *reader, TsOp *op, const TsNode *keyword)
{
  const TsNode *value = keyword->first;
  const char *member;

  if (op->sub != TS_SCOPE_AUTO || strcmp (keyword->name->text, "mode") != 0 || value->kind != TS_NODE_NAME
      || ts_name_meaning (reader->lexicon, value->name) != TS_MEANING_ENUM || !ts_name_is_of (value->name, "ScopeMode"))
    return FALSE;
  member = ts_name_member (value->name);
  if (strcmp (member, "MANUAL") == 0)
    op->sub = TS_SCOPE_MANUAL;
  else if (!reader->dump && strcmp (member, "AUTO") != 0)
    ts_reader_error (reader, "bad-argument", value, "unknown mode '%s' of pl.scope(): AUTO or MANUAL", member);
  return TRUE;
}

/* The keyword that an argument given by position stands for; "" when it is an operand, NULL when there is no room for it. */
static const char *
name_of_position (const ScopeRow *row, const TsOp *op, guint position)
{
  if (row == NULL)
    return op->sub == TS_SCOPE_AT && position == 0 ? "level" : "";
  if (position < row->n_named)
    return row->keywords[position];
  return position < row->n_named + row->n_operands ? "" : NULL;
}

static TsExpr *
read_header_value (TsReader *reader, const char *key, const TsNode *argument)
{
  gboolean is_keyword = argument->kind == TS_NODE_KEYWORD;
  const TsNode *node = is_keyword ? argument->first : argument;

  if (strcmp (key, "level") == 0 && node->kind == TS_NODE_NAME
      && ts_name_meaning (reader->lexicon, node->name) == TS_MEANING_ENUM && ts_name_is_of (node->name, "Level"))
    {
      const char *level = ts_read_level (reader, node);
      g_autofree char *member = g_strconcat ("Level.", level, NULL);

      return level != NULL ? ts_expr_enum (reader->module, member) : NULL;
    }
  return is_keyword ? ts_read_keyword_argument (reader, node) : ts_read_expr (reader, node);
}

static gboolean
read_header_argument (TsReader *reader, TsOp *op, const TsNode *argument, guint position)
{
  const ScopeRow *row = row_of (reader, op);
  gboolean is_keyword = argument->kind == TS_NODE_KEYWORD;
  const char *key = is_keyword ? argument->name->text : name_of_position (row, op, position);
  TsExpr *value;

  if (key == NULL)
    return ts_reader_error (reader, "argument-count", argument, "too many arguments for %s()", row->call) != NULL;
  if (is_keyword && row != NULL && !g_strv_contains (row->keywords, key))
    return ts_reader_error (reader, "unknown-keyword", argument, "unknown keyword argument '%s' in %s()", key, row->call) != NULL;
  if (ts_op_keyword (op, key) != NULL)
    return ts_reader_error (reader, "bad-argument", argument, "the argument '%s' is given twice", key) != NULL;
  if (op->n_keywords >= TS_MAX_KEYWORDS)
    return ts_reader_error (reader, "limit", argument, "more than %u keywords", TS_MAX_KEYWORDS) != NULL;
  value = read_header_value (reader, key, argument);
  if (value == NULL)
    return FALSE;
  if (key[0] == '\0')
    ts_op_add_operand (reader->module, op, value);
  else
    ts_op_add_keyword (reader->module, op, key, value);
  return TRUE;
}

static gboolean
is_member_of (const TsExpr *e, const char *family)
{
  gsize length = strlen (family);

  return e != NULL && e->kind == TS_EXPR_ENUM && strncmp (e->text, family, length) == 0 && e->text[length] == '.';
}

/* What a header cannot do without, and what its parts must be. */
static gboolean
check_header (TsReader *reader, const TsOp *op, const TsNode *call)
{
  const ScopeRow *row = row_of (reader, op);
  const TsExpr *level = ts_op_keyword (op, "level"), *role = ts_op_keyword (op, "role"), *mode = ts_op_keyword (op, "mode");
  gint64 split;

  if (op->n_operands < row->n_operands)
    return ts_reader_error (reader, "argument-count", call, "%s() takes how many it goes over", row->call) != NULL;
  if (op->sub == TS_SCOPE_AT && !is_member_of (level, "Level"))
    return ts_reader_error (reader, "bad-argument", call, "pl.at() takes a level: level=pl.Level.CORE_GROUP") != NULL;
  if (role != NULL && !is_member_of (role, "Role"))
    return ts_reader_error (reader, "bad-argument", call, "the role is one of pl.Role") != NULL;
  if (op->sub == TS_SCOPE_SPLIT_AIV && mode != NULL && !ts_split_mode (mode, &split))
    return ts_reader_error (reader, "bad-argument", call, "the mode is one of pl.SplitMode: NONE, UP_DOWN or LEFT_RIGHT") != NULL;
  return TRUE;
}

static gboolean
read_header_arguments (TsReader *reader, TsOp *op, const TsNode *call)
{
  gboolean good = TRUE;
  guint position = 0;

  for (const TsNode *argument = call->first->next; argument != NULL; argument = argument->next)
    {
      if (argument->kind != TS_NODE_KEYWORD)
        good = read_header_argument (reader, op, argument, position++) && good;
      else if (takes_mode (reader, op, argument))
        continue;
      else if (strcmp (argument->name->text, "attrs") == 0)
        good = ts_read_attrs (reader, op, argument->first) && good;
      else
        good = read_header_argument (reader, op, argument, 0) && good;
    }
  if (!good || row_of (reader, op) == NULL)
    return good;
  ts_reader_order (op->keywords, op->n_keywords, row_of (reader, op)->keywords);
  return check_header (reader, op, call);
}

static gboolean
is_spmd (const TsOp *op)
{
  return op->sub == TS_SCOPE_SPMD || op->sub == TS_SCOPE_SPMD_FOR;
}

/* pl.spmd(core_num=4) is pl.spmd(4), as it prints. */
static void
place_core_count (TsReader *reader, TsOp *op)
{
  for (guint i = 0; op->n_operands == 0 && i < op->n_keywords; i++)
    if (strcmp (op->keywords[i].key, "core_num") == 0)
      {
        ts_op_add_operand (reader->module, op, op->keywords[i].value);
        op->n_keywords--;
        memmove (op->keywords + i, op->keywords + i + 1, (op->n_keywords - i) * sizeof *op->keywords);
      }
}

/* The for form names the launch after the InCore scope within it, which keeps the name that was given. What prints has been
   named already: read as source it keeps its name, or every reading would make it longer. */
static void
name_launch (TsReader *reader, TsOp *op)
{
  TsExpr *hint = op->sub == TS_SCOPE_SPMD_FOR ? ts_op_keyword (op, "name_hint") : NULL;
  g_autofree char *name = NULL;

  if (hint == NULL || hint->kind != TS_EXPR_STRING || g_str_has_suffix (hint->text, "_spmd"))
    return;
  name = g_strconcat (hint->text, "_spmd", NULL);
  for (guint i = 0; i < op->n_keywords; i++)
    if (op->keywords[i].value == hint)
      op->keywords[i].value = ts_expr_string (reader->module, name);
}

/* Source mode only: inlining leaves hand-placed scopes in dumps, and passes move what stood in a launch. */
static void
check_scope (TsReader *reader, TsOp *op, const TsNode *call, const TsNode *target)
{
  if (reader->dump)
    return;
  if (op->sub == TS_SCOPE_AUTO && reader->function->auto_scope)
    ts_reader_error (reader, "unsupported", call, "a hand-placed pl.scope() needs auto_scope=False on the function");
  if (!is_spmd (op))
    return;
  place_core_count (reader, op);
  name_launch (reader, op);
  if (op->n_operands != 1)
    ts_reader_error (reader, "bad-argument", call, "pl.spmd() takes the number of cores: pl.spmd(4)");
  if (op->sub == TS_SCOPE_SPMD && target == NULL && ts_op_keyword (op, "deps") != NULL)
    ts_reader_error (reader, "bad-argument", ts_node_keyword (call, "deps"),
                     "deps of a launch needs its task id: with pl.spmd(...) as NAME");
}

/* --- the body of a launch ------------------------------------------------------------------------------------------------- */

static gboolean
is_block_index (const TsOp *op)
{
  return op->code == TS_OP_TILE_GET_BLOCK_IDX || op->code == TS_OP_TENSOR_GET_BLOCK_IDX;
}

/* Is the index of the block read anywhere in the expression, or by a call within it? */
static gboolean
reads_index (const TsExpr *e)
{
  switch ((TsExprKind) e->kind)
    {
    case TS_EXPR_UNARY:
    case TS_EXPR_CAST:
    case TS_EXPR_GET: return reads_index (e->items[0]);
    case TS_EXPR_BINARY: return reads_index (e->items[0]) || reads_index (e->items[1]);
    case TS_EXPR_LIST:
      for (guint i = 0; i < e->n; i++)
        if (reads_index (e->list[i]))
          return TRUE;
      return FALSE;
    case TS_EXPR_CALL:
      for (guint i = 0; i < e->call->n_operands; i++)
        if (reads_index (e->call->operands[i]))
          return TRUE;
      return is_block_index (e->call);
    default: return FALSE;
    }
}

static gboolean
find_index (TsOp *op, gpointer data)
{
  gboolean *found = data;

  *found = *found || is_block_index (op);
  for (guint i = 0; i < op->n_operands && !*found; i++)
    *found = reads_index (op->operands[i]);
  return !*found;
}

static gboolean
is_core_group (const TsOp *op)
{
  const TsExpr *level = op->code == TS_OP_SCOPE && op->sub == TS_SCOPE_AT ? ts_op_keyword (op, "level") : NULL;

  return level != NULL && level->kind == TS_EXPR_ENUM && strcmp (level->text, "Level.CORE_GROUP") == 0;
}

/* Every core runs the body: a kernel, a scope that becomes one, or code that tells the cores apart. Scalars may be made ready
   before. */
static void
check_launch (TsReader *reader, const TsNode *call, TsBlock *body)
{
  guint n_launched = 0, n_others = 0;
  gboolean found = FALSE;

  for (const TsOp *op = body->first; op != NULL; op = op->next)
    {
      gboolean launches = op->code == TS_OP_CALL || op->code == TS_OP_SUBMIT || op->code == TS_OP_SPMD_SUBMIT || is_core_group (op);

      n_launched += launches;
      n_others += !launches && op->code != TS_OP_ASSIGN;
    }
  if (n_launched == 1 && n_others == 0)
    return;
  ts_block_walk (body, find_index, &found);
  if (!found)
    ts_reader_error (reader, "unsupported", call, "the body of with pl.spmd() is one call of a kernel, one "
                     "pl.at(level=pl.Level.CORE_GROUP), or code that reads pl.tile.get_block_idx()");
}

/* A scope that becomes a kernel consumes what its statements read. */
static void
tag_scope (TsReader *reader, TsOp *op, guint n_tags)
{
  if (reader->dump || !is_core_group (op))
    return;
  ts_tag_consumer (reader, op, n_tags);
  ts_reader_order (op->keywords, op->n_keywords, rows[TS_SCOPE_AT].keywords);
}

/* A scope whose header is broken is still a scope: its body is read, for its own errors and for what it defines. */
void
ts_read_with (TsReader *reader, TsStatement *statement)
{
  const TsNode *call = statement->value, *target = statement->targets;
  gboolean is_scope = is_scope_call (reader, call) && call->first->name->detail != TS_SCOPE_SPLIT_AIV;
  guint n_errors = ts_diag_list_count (reader->diags, TS_SEVERITY_ERROR);
  TsBlock *body;
  guint n_tags;
  TsOp *op;

  if (!is_scope)
    ts_reader_error (reader, "unsupported", call, "unknown context manager: a with block is pl.at(), pl.spmd(), pl.cluster(), "
                     "pl.scope() or pl.manual_scope()");
  if (target != NULL && (target->kind != TS_NODE_NAME || target->name->parent != NULL))
    {
      ts_reader_error (reader, "syntax", target, "a scope's task id is a plain name");
      ts_reader_poison (reader, target);
      target = NULL;
    }
  op = ts_op_new (reader->module, TS_OP_SCOPE, NULL, NULL, 0);
  op->sub = is_scope ? call->first->name->detail : TS_SCOPE_AUTO;
  if (is_scope && read_header_arguments (reader, op, call))
    check_scope (reader, op, call, target);
  if (is_scope && target != NULL && row_of (reader, op) != NULL && !row_of (reader, op)->takes_task)
    ts_reader_error (reader, "syntax", target, "%s() is no task: it has no 'as'", row_of (reader, op)->call);
  if (!ts_reader_enter (reader, statement))
    {
      ts_reader_poison (reader, target);
      return;
    }
  body = ts_op_add_region (reader->module, op);
  if (target != NULL)
    ts_op_add_result_value (reader->module, op,
                            ts_reader_define (reader, target, ts_type_scalar (reader->module, TS_DTYPE_TASK_ID)));
  ts_reader_emit (reader, op, statement);
  n_tags = reader->tags->len;
  ts_read_suite (reader, statement, body);
  if (op->sub == TS_SCOPE_SPMD && !reader->dump && ts_diag_list_count (reader->diags, TS_SEVERITY_ERROR) == n_errors)
    check_launch (reader, call, body);
  ts_reader_leave (reader);
  tag_scope (reader, op, n_tags);
}

void
ts_read_scope_for (TsReader *reader, TsStatement *statement)
{
  const TsNode *call = statement->value, *target = statement->targets;
  TsScopeKind kind = (TsScopeKind) call->first->name->detail;
  TsValue *before, *variable;
  TsBlock *body;
  TsOp *op;

  if ((kind != TS_SCOPE_SPMD && kind != TS_SCOPE_SPLIT_AIV) || target->kind != TS_NODE_NAME || target->name->parent != NULL)
    {
      ts_read_strange_for (reader, statement);
      return;
    }
  if (!ts_reader_enter (reader, statement))
    return;
  op = ts_op_new (reader->module, TS_OP_SCOPE, NULL, NULL, 0);
  op->sub = kind == TS_SCOPE_SPMD ? TS_SCOPE_SPMD_FOR : TS_SCOPE_SPLIT_AIV;
  if (read_header_arguments (reader, op, call))
    check_scope (reader, op, call, target);
  body = ts_op_add_region (reader->module, op);
  variable = ts_block_add_arg (reader->module, body, target->name->text, ts_type_scalar (reader->module, TS_DTYPE_INDEX));
  before = target->name->value;
  ts_reader_bind (reader, target->name, variable);
  ts_reader_emit (reader, op, statement);
  ts_read_suite (reader, statement, body);
  ts_reader_bind (reader, target->name, before);
  ts_reader_leave (reader);
}
