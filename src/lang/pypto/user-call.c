/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations as users call them: unified names resolved by the arguments, scalars told from tiles, literals typed, defaults filled.
 * Source: spec dsl 4.5, 4.6. */
#include <string.h>

#include "base/limits.h"
#include "ir/infer.h"
#include "ir/op-info.h"
#include "lang/pypto/near-name.h"
#include "lang/pypto/source.h"

typedef struct
{
  TsReader     *reader;
  const TsNode *node;
  TsExpr      **operands;
  guint         n_operands;
  const TsNode *keywords; /* the first keyword argument, or NULL */
  gboolean      is_foreign; /* a full name that no table knows */
  const TsNode *taken[2]; /* keyword arguments that became operands */
  const TsType *first;    /* type of the first operand that is a tensor or tile, else of the first, or NULL */
} UserCall;

/* --- arguments ----------------------------------------------------------------------------------------------------------- */

static gboolean
read_operands (UserCall *call)
{
  const TsNode *argument = call->node->first->next;
  gboolean good = TRUE;

  call->operands = ts_pool_array (call->reader->pool, TsExpr *, call->node->n);
  for (; argument != NULL && argument->kind != TS_NODE_KEYWORD; argument = argument->next)
    {
      if (!call->is_foreign && (argument->kind == TS_NODE_STAR || argument->kind == TS_NODE_DOUBLE_STAR))
        return ts_reader_unsupported (call->reader, argument) != NULL;
      call->operands[call->n_operands] = call->is_foreign ? ts_read_foreign_argument (call->reader, argument)
                                                          : ts_read_expr (call->reader, argument);
      good = good && call->operands[call->n_operands] != NULL;
      call->n_operands++;
    }
  call->keywords = argument;
  if (good && call->n_operands > 0)
    call->first = ts_reader_type_of (call->reader, call->operands[0]);
  return good;
}

static gboolean
is_scalar_expr (TsReader *reader, const TsExpr *e)
{
  if (e->dtype != TS_DTYPE_NONE && e->kind != TS_EXPR_DTYPE)
    return TRUE;
  return ts_type_is_scalar (ts_reader_type_of (reader, e));
}

/* Other spellings that users and earlier releases have for an argument. */
static const struct { const char *spelled, *name; } keyword_aliases[] = {
  { "tmp_tile", "tmp" }, { "valid_shapes", "valid_shape" },
};

static gboolean
has_argument (const TsOpInfo *info, const char *name)
{
  gsize length = strlen (name);

  for (const char *p = info->args; p != NULL; p = strchr (p, ',') != NULL ? strchr (p, ',') + 1 : NULL)
    if (strncmp (p, name, length) == 0 && strchr (",?=", p[length]) != NULL)
      return TRUE;
  return FALSE;
}

static const char *
keyword_name (const TsOpInfo *info, const char *spelled)
{
  for (guint i = 0; i < G_N_ELEMENTS (keyword_aliases); i++)
    if (strcmp (keyword_aliases[i].spelled, spelled) == 0 && has_argument (info, keyword_aliases[i].name))
      return keyword_aliases[i].name;
  return spelled;
}

static gboolean
read_keywords (UserCall *call, TsOp *op)
{
  const TsOpInfo *info = ts_op_info ((TsOpCode) op->code);
  gboolean good = TRUE;

  for (const TsNode *argument = call->keywords; argument != NULL; argument = argument->next)
    {
      TsExpr *value;

      if (argument == call->taken[0] || argument == call->taken[1])
        continue;
      if (argument->kind != TS_NODE_KEYWORD)
        return ts_reader_error (call->reader, "syntax", argument, "a positional argument follows a keyword argument") != NULL;
      if (strcmp (argument->name->text, "attrs") == 0)
        {
          good = ts_read_attrs (call->reader, op, argument->first) && good;
          continue;
        }
      if (op->n_keywords >= TS_MAX_KEYWORDS)
        return ts_reader_error (call->reader, "limit", argument, "more than %u keywords", TS_MAX_KEYWORDS) != NULL;
      value = call->is_foreign ? ts_read_foreign_argument (call->reader, argument->first)
                               : ts_read_keyword_argument (call->reader, argument->first);
      if (value != NULL)
        ts_reader_add_keyword (call->reader, op, keyword_name (info, argument->name->text), value);
      good = good && value != NULL;
    }
  return good;
}

/* --- names --------------------------------------------------------------------------------------------------------------- */

/* Names of one level whose printed name does not follow from the table. Source: dsl 4.6, item 4. */
static const struct { const char *spelled, *name; } one_level[] = {
  { "create_tensor", "tensor.create" }, { "create_tile", "tile.create" }, { "arange", "tensor.ci" },
  { "create_l1", "tensor.create_l1" }, { "dim", "tensor.dim" }, { "expand_clone", "tensor.expand_clone" },
    { "full", "tensor.full" },
  { "gather", "tensor.gather" }, { "get_block_idx", "tensor.get_block_idx" }, { "get_block_num", "tensor.get_block_num" },
  { "get_subblock_idx", "tensor.get_subblock_idx" }, { "paged_gather", "tensor.paged_gather" }, { "random", "tensor.random" },
  { "scatter", "tensor.scatter" },
};

/* Operations whose right operand may be a scalar; they go to the name with an "s" behind. Source: dsl 4.6, item 2. */
static const char *const tile_scalar_forms[] = { "add", "sub", "mul", "div", "fmod", "maximum", "minimum", "cmp", "and", "or",
                                                 "shl",
                                                 "shr", NULL };
static const char *const tensor_scalar_forms[] = { "add", "sub", "mul", "div", "fmod", "and", "or", "xor", "shl", "shr", NULL };

static const struct { const char *word; TsOperator op; guint n; } scalar_words[] = {
  { "add", TS_OPERATOR_ADD, 2 }, { "sub", TS_OPERATOR_SUB, 2 }, { "mul", TS_OPERATOR_MUL, 2 }, { "div", TS_OPERATOR_DIV, 2 },
  { "min", TS_OPERATOR_MIN, 2 }, { "max", TS_OPERATOR_MAX, 2 },
};

static gboolean
is_scalar_word (const char *word)
{
  for (guint i = 0; i < G_N_ELEMENTS (scalar_words); i++)
    if (strcmp (scalar_words[i].word, word) == 0)
      return TRUE;
  return strcmp (word, "cast") == 0;
}

static gboolean
exists (const char *name)
{
  return ts_op_code_from_name (name, -1) != TS_OP_UNKNOWN;
}

/* gather has three shapes, told by what is given. */
static const char *
variant_of (const UserCall *call, const char *name)
{
  for (const TsNode *keyword = call->keywords; keyword != NULL; keyword = keyword->next)
    {
      if (strcmp (name, "tensor.gather") != 0 || keyword->kind != TS_NODE_KEYWORD)
        continue;
      if (strcmp (keyword->name->text, "mask_pattern") == 0)
        return "tensor.gather_mask";
      if (strcmp (keyword->name->text, "cmp_mode") == 0 || strcmp (keyword->name->text, "kvalue") == 0)
        return "tensor.gather_compare";
    }
  return name;
}

/* Is this the name of the i-th argument of a unified operation, at one level or the other? */
static gboolean
names_argument (const char *word, guint i, const char *key)
{
  static const char *const levels[] = { "tile.", "tensor." };
  static const char *const usual[] = { ",lhs,input,tile,tensor,", ",rhs,target_type,dtype," };
  g_autofree char *wanted = g_strconcat (",", key, ",", NULL);

  for (guint k = 0; k < G_N_ELEMENTS (levels); k++)
    {
      g_autofree char *name = g_strconcat (levels[k], word, NULL);
      const TsOpInfo *info = ts_op_info (ts_op_code_from_name (name, -1));
      const char *args = info->call != NULL ? info->call : info->args;
      g_auto (GStrv) names = g_strsplit (args != NULL ? args : "", ",", -1);

      if (g_strv_length (names) > i && strncmp (names[i], key, strcspn (names[i], "?=")) == 0
          && key[strcspn (names[i], "?=")] == '\0')
        return TRUE;
    }
  return (is_scalar_word (word) || i == 0) && strstr (usual[i], wanted) != NULL;
}

/* What tells the level apart may be given by name: pl.add(lhs=t, rhs=u). Such arguments become operands. */
static gboolean
take_named_operands (UserCall *call, const char *word)
{
  for (guint i = 0; i < G_N_ELEMENTS (one_level); i++)
    if (strcmp (one_level[i].spelled, word) == 0)
      return TRUE;
  for (guint i = call->n_operands; i < G_N_ELEMENTS (call->taken); i++)
    {
      const TsNode *keyword = call->keywords;

      while (keyword != NULL && !(keyword->kind == TS_NODE_KEYWORD && names_argument (word, i, keyword->name->text)))
        keyword = keyword->next;
      if (keyword == NULL)
        break;
      if ((call->operands[i] = ts_read_expr (call->reader, keyword->first)) == NULL)
        return FALSE;
      call->taken[i] = keyword;
      call->n_operands = i + 1;
    }
  if (call->n_operands > 0)
    call->first = ts_reader_type_of (call->reader, call->operands[0]);
  return TRUE;
}

/* Is every argument an operand? */
static gboolean
has_only_operands (const UserCall *call)
{
  for (const TsNode *argument = call->keywords; argument != NULL; argument = argument->next)
    if (argument != call->taken[0] && argument != call->taken[1])
      return FALSE;
  return TRUE;
}

static gboolean
takes_scalar_form (const UserCall *call, const char *word, gboolean is_tile)
{
  if (call->n_operands < 2 || !is_scalar_expr (call->reader, call->operands[1]))
    return FALSE;
  return g_strv_contains (is_tile ? tile_scalar_forms : tensor_scalar_forms, word);
}

/* The full name a unified one stands for; to be freed. NULL when there is none. */
static char *
resolve_name (const UserCall *call, const char *word)
{
  gboolean is_tensor = ts_type_is_tensor (call->first), is_tile = ts_type_is_tile (call->first);
  const char *levels[3] = { is_tile ? "tile" : "tensor", is_tile ? "tensor" : "tile", "system" };

  for (guint i = 0; i < G_N_ELEMENTS (one_level); i++)
    if (strcmp (one_level[i].spelled, word) == 0)
      return g_strdup (variant_of (call, one_level[i].name));
  if (strcmp (word, "mrgsort") == 0)
    return g_strdup (call->n_operands > 1 ? "tile.mrgsort_format2" : "tile.mrgsort_format1");
  for (guint i = 0; i < G_N_ELEMENTS (levels); i++)
    {
      gboolean scalar_form = i == 0 && (is_tensor || is_tile) && takes_scalar_form (call, word, is_tile);
      g_autofree char *name = g_strconcat (levels[i], ".", word, scalar_form ? "s" : "", NULL);

      if (exists (name))
        return g_steal_pointer (&name);
    }
  return NULL;
}

/* pl.max (n, 3, 4) of scalars: the operation is known, only not with so many arguments. */
static gpointer
miscounted (const UserCall *call)
{
  const char *name = call->node->first->name->text;

  return ts_reader_error (call->reader, "bad-argument", call->node,
                          "'%s' of scalars takes 2 arguments, not %u; calls of it can be nested", name, call->n_operands);
}

static gpointer
unknown_operation (const UserCall *call, const char *word)
{
  TsNearName near = { word, NULL, 0 };
  const TsNode *callee = call->node->first;
  TsDiag *diag;

  diag = ts_reader_note (call->reader, TS_SEVERITY_ERROR, "unknown-operation", callee, "unknown operation '%s'",
                         callee->name->text);
  if (!ts_reader_may_suggest (call->reader))
    return NULL;
  for (guint code = 0; code < TS_OP_UNKNOWN; code++)
    {
      const TsOpInfo *info = ts_op_info ((TsOpCode) code);
      const char *last = strrchr (info->name, '.');

      if (info->dialect == TS_DIALECT_TILE || info->dialect == TS_DIALECT_TENSOR || info->dialect == TS_DIALECT_SYSTEM)
        ts_near_name_consider (&near, last != NULL ? last + 1 : info->name);
    }
  if (near.best != NULL)
    diag->help = g_strdup_printf ("did you mean 'pl.%s'?", near.best);
  return NULL;
}

/* --- literals ------------------------------------------------------------------------------------------------------------ */

static TsExpr *
literal_as (TsReader *reader, TsExpr *e, TsDtype dtype)
{
  if (ts_dtype_is_float (dtype))
    return ts_expr_float (reader->module, e->kind == TS_EXPR_FLOAT ? e->f : (double) e->i, dtype);
  return e->kind == TS_EXPR_INT ? ts_expr_int (reader->module, e->i, dtype) : e;
}

/* The scalar of a scalar form takes the element type when it is a literal. An INDEX variable cannot. */
static gboolean
type_scalar_operand (UserCall *call, const char *name)
{
  TsExpr *scalar = call->n_operands > 1 ? call->operands[1] : NULL;
  gsize length = strlen (name);

  if (scalar == NULL || name[length - 1] != 's' || !is_scalar_expr (call->reader, scalar)
      || !(ts_type_is_tile (call->first) || ts_type_is_tensor (call->first)))
    return TRUE;
  if ((scalar->kind == TS_EXPR_INT && scalar->dtype == TS_DTYPE_INDEX)
      || (scalar->kind == TS_EXPR_FLOAT && scalar->dtype == TS_DTYPE_FP32))
    call->operands[1] = literal_as (call->reader, scalar, (TsDtype) call->first->dtype);
  else if (scalar->dtype == TS_DTYPE_INDEX)
    return ts_reader_error (call->reader, "type-mismatch",
                            call->taken[1] != NULL ? call->taken[1] : call->node->first->next->next,
                            "an INDEX value cannot be an operand here: cast it to pl.%s first",
                            ts_dtype_name ((TsDtype) call->first->dtype)) != NULL;
  return TRUE;
}

/* --- scalar arithmetic --------------------------------------------------------------------------------------------------- */

/* pl.add(m, n) of scalars is m + n. */
static TsExpr *
scalar_arithmetic (UserCall *call, const char *word)
{
  if (!has_only_operands (call) || call->n_operands != 2 || !is_scalar_expr (call->reader, call->operands[0]))
    return NULL;
  if (strcmp (word, "cast") == 0)
    return call->operands[1]->kind == TS_EXPR_DTYPE
             ? ts_expr_cast (call->reader->module, call->operands[0], (TsDtype) call->operands[1]->dtype) : NULL;
  if (!is_scalar_expr (call->reader, call->operands[1]))
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (scalar_words); i++)
    if (strcmp (scalar_words[i].word, word) == 0)
      return ts_typed_binary (call->reader, call->node, scalar_words[i].op, call->operands[0], call->operands[1]);
  return NULL;
}

/* --- the whole call ------------------------------------------------------------------------------------------------------ */

static gboolean
check_levels (const UserCall *call)
{
  gboolean tensor = FALSE, tile = FALSE;

  for (guint i = 0; i < call->n_operands; i++)
    {
      const TsType *type = ts_reader_type_of (call->reader, call->operands[i]);

      tensor = tensor || ts_type_is_tensor (type);
      tile = tile || ts_type_is_tile (type);
    }
  if (tensor && tile)
    ts_reader_error (call->reader, "type-mismatch", call->node, "cannot mix Tensor and Tile in '%s'",
                     call->node->first->name->text);
  return !(tensor && tile);
}

static TsOp *
finish_call (UserCall *call, const char *name)
{
  TsReader *reader = call->reader;
  TsOpCode code = ts_op_code_from_name (name, -1);
  TsOp *op = ts_op_new (reader->module, code, name, call->operands, call->n_operands);
  TsSpan span = ts_reader_span (reader, call->node->offset, call->node->end);

  if (!read_keywords (call, op))
    return NULL;
  if (code == TS_OP_UNKNOWN)
    {
      if (g_hash_table_add (reader->noted, (gpointer) op->name))
        ts_reader_note (reader, TS_SEVERITY_NOTE, "unknown-operation", call->node->first,
                        "operation '%s' is not known: it is kept as written and costs what the machine gives unknown operations",
                        op->name);
      return op;
    }
  op->span = span;
  ts_reader_inherit_split (reader, op);
  if (!ts_infer_complete (reader->module, op, reader->diags, span))
    return NULL;
  ts_reader_settle_name (reader, op);
  return op;
}

/* In an Orchestration function the extent of a parameter that is a symbol is that symbol. Source: dsl 4.6, item 5. */
static TsExpr *
symbolic_extent (TsReader *reader, const TsOp *op)
{
  const TsValue *tensor = op->n_operands == 2 ? ts_expr_as_value (op->operands[0]) : NULL;
  gint64 axis;

  if (op->code != TS_OP_TENSOR_DIM || reader->function->type != TS_FUNCTION_ORCHESTRATION || tensor == NULL
      || tensor->kind != TS_VALUE_PARAM || !ts_expr_as_int (op->operands[1], &axis))
    return NULL;
  if (axis < 0)
    axis += tensor->type->rank;
  return axis >= 0 && axis < tensor->type->rank && ts_expr_as_value (tensor->type->dims[axis]) != NULL ? tensor->type->dims[axis]
         : NULL;
}

static TsOp *
read_unified (UserCall *call, const char *word, gboolean *is_expr, TsExpr **expr)
{
  g_autofree char *name = NULL;

  if (!take_named_operands (call, word))
    return NULL;
  if (is_scalar_word (word) && call->n_operands > 0 && is_scalar_expr (call->reader, call->operands[0])
      && (*expr = scalar_arithmetic (call, word)) != NULL)
    {
      *is_expr = TRUE;
      return NULL;
    }
  if (strcmp (word, "abs") == 0 && call->n_operands == 1 && is_scalar_expr (call->reader, call->operands[0]))
    return ts_reader_unsupported (call->reader, call->node);
  if ((name = resolve_name (call, word)) == NULL && is_scalar_word (word) && strcmp (word, "cast") != 0
      && call->n_operands > 0 && call->n_operands != 2 && is_scalar_expr (call->reader, call->operands[0]))
    return miscounted (call);
  if (name == NULL)
    return unknown_operation (call, word);
  /* What moves data between the levels takes one of each. */
  if (ts_op_info (ts_op_code_from_name (name, -1))->cost != TS_COST_TRANSFER && !check_levels (call))
    return NULL;
  return type_scalar_operand (call, name) ? finish_call (call, name) : NULL;
}

static TsOp *
read_function_call (TsReader *reader, const TsNode *node, gboolean *is_expr, TsExpr **expr)
{
  const TsConst *kernel = ts_reader_inline_of (reader, node);

  return kernel != NULL ? ts_read_spliced_call (reader, kernel, node, is_expr, expr) : ts_read_program_call (reader, node);
}

/* pld.window(...) is pld.tensor.window(...): the full name of a distributed operation written with its last word only. */
static const char *
full_distributed_name (TsReader *reader, const TsName *callee)
{
  static const char *const levels[] = { "pld.tensor.", "pld.tile.", "pld.system.", "pld.comm_ctx." };
  const char *word = callee->rest + strlen ("pld.");

  if (callee->root != TS_ROOT_PLD || callee->code != TS_OP_UNKNOWN || strchr (word, '.') != NULL)
    return callee->rest;
  for (guint i = 0; i < G_N_ELEMENTS (levels); i++)
    {
      g_autofree char *name = g_strconcat (levels[i], word, NULL);

      if (exists (name))
        return ts_module_intern (reader->module, name);
    }
  return callee->rest;
}

TsOp *
ts_read_user_call (TsReader *reader, const TsNode *node, gboolean *is_expr, TsExpr **expr)
{
  const TsNode *callee = node->first;
  UserCall call = { .reader = reader, .node = node };
  const char *full = NULL;
  TsOp *op;

  *is_expr = FALSE;
  *expr = NULL;
  if (callee->kind != TS_NODE_NAME)
    return ts_reader_error (reader, "unsupported", callee, "%s cannot be called", ts_node_kind_name ((TsNodeKind) callee->kind));
  switch (ts_name_meaning (reader->lexicon, callee->name))
    {
    case TS_MEANING_CONST:
      *is_expr = TRUE;
      *expr = ts_read_expr (reader, node);
      return NULL;
    case TS_MEANING_METHOD:
    case TS_MEANING_PLAIN:
      return read_function_call (reader, node, is_expr, expr);
    case TS_MEANING_OPERATOR:
    case TS_MEANING_CAST:
    case TS_MEANING_OPERATION:
      break;
    default:
      return ts_read_call (reader, node, is_expr);
    }
  if (callee->name->root == TS_ROOT_NONE)
    return read_function_call (reader, node, is_expr, expr);
  if (strchr (callee->name->rest, '.') != NULL)
    full = full_distributed_name (reader, callee->name);
  call.is_foreign = full != NULL && !exists (full);
  if (!read_operands (&call))
    return NULL;
  op = full != NULL ? finish_call (&call, full) : read_unified (&call, callee->name->rest, is_expr, expr);
  if (op == NULL || (*expr = symbolic_extent (reader, op)) == NULL)
    return op;
  *is_expr = TRUE;
  return NULL;
}

/* FALSE (reported) when an extent that is known is below zero. */
static gboolean
check_extents (TsReader *reader, const TsNode *node, const TsType *type)
{
  gint64 extent;

  for (guint i = 0; type != NULL && i < type->rank; i++)
    if (ts_type_const_dim (type, i, &extent) && extent < 0)
      return ts_reader_error (reader, "bad-type", node, "dimension %u of the result is %" G_GINT64_FORMAT, i, extent) != NULL;
  return TRUE;
}

const TsType *
ts_reader_result_type (TsReader *reader, const TsOp *op, const TsNode *node, gboolean *failed)
{
  guint before = ts_diag_list_count (reader->diags, TS_SEVERITY_ERROR);
  const TsFunction *callee;
  const TsType *type;

  *failed = FALSE;
  if (op->code == TS_OP_CALL)
    {
      callee = ts_module_find_function (reader->module, op->name);
      if (callee == NULL || callee->n_returns == 0)
        return NULL;
      return callee->n_returns == 1 && !callee->returns_tuple ? callee->returns[0]
                                                              : ts_type_tuple (reader->module, callee->returns, callee->n_returns);
    }
  type = ts_infer_result (reader->module, op, reader->diags, ts_reader_span (reader, node->offset, node->end));
  *failed = ts_diag_list_count (reader->diags, TS_SEVERITY_ERROR) > before || !check_extents (reader, node, type);
  return type;
}
