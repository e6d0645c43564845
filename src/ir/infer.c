/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Type inference: the questions from outside, and what every rule needs. The rules stand in infer-compute.c (values) and
 * infer-memory.c (movement, views, shapes); checks in infer-check.c. */
#include "ir/infer-private.h"

#include <string.h>

#include "base/number.h"
#include "ir/infer-check.h"

const TsType *
infer_fail (Infer *f, const char *code, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list          args;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  ts_diag_add (f->diags, TS_SEVERITY_ERROR, code, ts_module_source (f->module, f->span), f->span, "%s: %s", f->info->name, text);
  return NULL;
}

/* --- arguments and keywords ----------------------------------------------------------------------------------------------- */

gint
infer_arg (const Infer *f, const char *name)
{
  const gsize length = strlen (name);
  const char *p = f->info->args;
  for (guint i = 0; p != NULL && i < f->op->n_operands; i++)
    {
      if (strncmp (p, name, length) == 0 && strchr (",?=", p[length]) != NULL)
        return (gint) i;
      p = strchr (p, ',');
      p = p != NULL ? p + 1 : NULL;
    }
  return -1;
}

gboolean
infer_is_scratch (const Infer *f, guint arg)
{
  return infer_arg (f, "tmp") == (gint) arg;
}

const TsType *
infer_shaped (Infer *f, guint arg)
{
  const TsType *type = arg < f->op->n_operands ? f->types[arg] : NULL;
  if (!ts_type_is_tile (type) && !ts_type_is_tensor (type))
    return infer_fail (f, "bad-argument", "argument %u must be a %s", arg + 1,
                       f->info->dialect == TS_DIALECT_TENSOR ? "tensor" : "tile");
  if (type->rank == 0 || type->rank > TS_MAX_RANK)
    return infer_fail (f, "bad-argument", "argument %u must have 1 to %u dimensions", arg + 1, TS_MAX_RANK);
  return type;
}

const TsExpr *
infer_list (const Infer *f, const char *name)
{
  const gint    i = infer_arg (f, name);
  const TsExpr *e = i >= 0 ? f->op->operands[i] : NULL;
  return e != NULL && e->kind == TS_EXPR_LIST ? e : NULL;
}

TsDtype
infer_keyword_dtype (const Infer *f, const char *key, TsDtype fallback)
{
  const TsExpr *e = ts_op_keyword (f->op, key);
  return e != NULL && e->kind == TS_EXPR_DTYPE ? (TsDtype) e->dtype : fallback;
}

gint64
infer_keyword_int (const Infer *f, const char *key, gint64 fallback)
{
  const TsExpr *e = ts_op_keyword (f->op, key);
  gint64        value;
  return e != NULL && ts_expr_fold_int (e, &value) ? value : fallback;
}

gboolean
infer_keyword_bool (const Infer *f, const char *key)
{
  return infer_keyword_int (f, key, 0) != 0;
}

const char *
infer_keyword_member (const Infer *f, const char *key, const char *family)
{
  const TsExpr *e = ts_op_keyword (f->op, key);
  const gsize   length = strlen (family);
  if (e == NULL || e->kind != TS_EXPR_ENUM || strncmp (e->text, family, length) != 0 || e->text[length] != '.')
    return NULL;
  return e->text + length + 1;
}

TsPad
infer_keyword_pad (const Infer *f, const char *key, TsPad fallback)
{
  const char *name = infer_keyword_member (f, key, "PadValue");
  TsPad       pad;
  return name != NULL && ts_pad_from_name (name, -1, &pad) ? pad : fallback;
}

/* --- dtypes and dimensions ------------------------------------------------------------------------------------------------ */

TsDtype
infer_promote (TsDtype a, TsDtype b)
{
  const gboolean float_a = ts_dtype_is_float (a), float_b = ts_dtype_is_float (b);
  if (a == b || b == TS_DTYPE_NONE)
    return a;
  if (a == TS_DTYPE_NONE)
    return b;
  if (float_a != float_b)
    return float_a ? a : b;
  if (ts_dtype_bits (a) != ts_dtype_bits (b))
    return ts_dtype_bits (a) > ts_dtype_bits (b) ? a : b;
  return ts_dtype_class (b) == TS_DTYPE_CLASS_INT && ts_dtype_class (a) != TS_DTYPE_CLASS_INT ? b : a;
}

gboolean
infer_same_dim (const TsExpr *a, const TsExpr *b)
{
  gint64 x, y;
  if (ts_expr_fold_int (a, &x) && ts_expr_fold_int (b, &y))
    return x == y;
  return ts_expr_equal (a, b);
}

/* --- drafts --------------------------------------------------------------------------------------------------------------- */

void
infer_draft_from (Infer *f, Draft *draft, const TsType *type)
{
  const gboolean is_tile = ts_type_is_tile (type);
  const TsView   view = is_tile ? ts_type_tile_view (type) : (TsView){ 0 };
  const TsView  *written = type->view;
  memset (draft, 0, sizeof *draft);
  draft->kind = type->kind;
  draft->dtype = type->dtype;
  draft->distributed = type->distributed;
  draft->rank = MIN (type->rank, TS_MAX_RANK);
  draft->space = ts_op_result_space (f->op);
  if (draft->space == TS_SPACE_NONE || type->space == TS_SPACE_NONE)
    draft->space = type->space;
  if (is_tile)
    {
      draft->has_layout = TRUE;
      draft->blayout = view.blayout;
      draft->slayout = view.slayout;
    }
  for (guint i = 0; i < draft->rank; i++)
    {
      draft->dims[i] = type->dims[i];
      draft->valid[i] = written != NULL && i < written->n_valid ? written->valid_shape[i] : type->dims[i];
    }
}

gboolean
infer_draft_shape (Infer *f, Draft *draft, TsTypeKind kind, const TsExpr *shape, TsDtype dtype)
{
  memset (draft, 0, sizeof *draft);
  if (shape == NULL || shape->n == 0 || shape->n > TS_MAX_RANK)
    {
      infer_fail (f, "bad-argument", "the shape must be a list of 1 to %u dimensions", TS_MAX_RANK);
      return FALSE;
    }
  draft->kind = kind;
  draft->dtype = dtype;
  draft->space = ts_op_result_space (f->op);
  draft->rank = shape->n;
  for (guint i = 0; i < shape->n; i++)
    draft->dims[i] = draft->valid[i] = shape->list[i];
  return TRUE;
}

void
infer_draft_set_valid (Draft *draft, const TsExpr *list)
{
  for (guint i = 0; list != NULL && list->n == draft->rank && i < list->n; i++)
    draft->valid[i] = list->list[i];
}

void
infer_draft_fill (Draft *draft)
{
  for (guint i = 0; i < draft->rank; i++)
    draft->valid[i] = draft->dims[i];
}

static gboolean
is_fully_valid (const Draft *draft)
{
  for (guint i = 0; i < draft->rank; i++)
    if (!infer_same_dim (draft->valid[i], draft->dims[i]))
      return FALSE;
  return TRUE;
}

static const TsType *
tensor_type (Infer *f, const Draft *draft)
{
  const gboolean full = is_fully_valid (draft);
  const TsView   view = { .valid_shape = full ? NULL : (TsExpr **) draft->valid, .n_valid = full ? 0 : draft->rank,
                          .has_stride = TRUE, .layout = TS_LAYOUT_ND, .pad = draft->pad };
  const TsView  *written = full && draft->pad == TS_PAD_NULL ? NULL : &view;
  return draft->distributed ? ts_type_distributed (f->module, draft->dims, draft->rank, draft->dtype, written, NULL)
                            : ts_type_tensor (f->module, draft->dims, draft->rank, draft->dtype, written, NULL);
}

const TsType *
infer_draft_type (Infer *f, const Draft *draft)
{
  const TsType *bare;
  TsView        view, implicit;
  if (draft->kind != TS_TYPE_TILE)
    return tensor_type (f, draft);
  bare = ts_type_tile (f->module, draft->dims, draft->rank, draft->dtype, draft->space, NULL, NULL);
  implicit = view = ts_type_implicit_view (bare);
  view.pad = draft->pad;
  view.compact = draft->compact;
  view.fractal = draft->fractal != 0 ? draft->fractal : implicit.fractal;
  if (draft->has_layout)
    {
      view.blayout = draft->blayout;
      view.slayout = draft->slayout;
    }
  if (!is_fully_valid (draft))
    {
      view.valid_shape = (TsExpr **) draft->valid;
      view.n_valid = draft->rank;
    }
  else if (view.pad == implicit.pad && view.compact == implicit.compact && view.fractal == implicit.fractal
           && view.blayout == implicit.blayout && view.slayout == implicit.slayout)
    return bare;
  return ts_type_with_view (f->module, bare, &view);
}

/* --- questions from outside ----------------------------------------------------------------------------------------------- */

static const InferRule rules[] = {
#define TS_RESULT_RULE(id, function) [TS_RESULT_##id] = infer_##function,
#include "ir/result-rules.def"
#undef TS_RESULT_RULE
};

const TsType *
ts_infer_result (TsModule *module, const TsOp *op, TsDiagList *diags, TsSpan span)
{
  g_autofree const TsType **types = g_new0 (const TsType *, MAX (op->n_operands, 1));
  Infer                     f = { module, op, ts_op_info (op->code), diags, span, types };
  if (op->code == TS_OP_ASSIGN && op->n_operands > 0)
    return ts_infer_expr (module, op->operands[0], diags, span);
  if (f.info->result == TS_RESULT_NONE)
    return NULL;
  for (guint i = 0; i < op->n_operands; i++)
    types[i] = ts_infer_expr (module, op->operands[i], diags, span);
  if (!infer_check_arguments (&f))
    return NULL;
  return rules[f.info->result] (&f);
}

const TsType *
ts_infer_expr (TsModule *module, const TsExpr *e, TsDiagList *diags, TsSpan span)
{
  const TsType *type;
  switch ((TsExprKind) e->kind)
    {
    case TS_EXPR_VALUE:
      return e->value->type;
    case TS_EXPR_GET:
      type = ts_infer_expr (module, e->items[0], diags, span);
      if (!ts_type_is (type, TS_TYPE_TUPLE))
        return NULL;
      if (e->n < type->n_elems)
        return type->elems[e->n];
      ts_diag_add (diags, TS_SEVERITY_ERROR, "bad-index", ts_module_source (module, span), span,
                   "item %u of a tuple of %u", e->n, type->n_elems);
      return NULL;
    case TS_EXPR_CALL:
      return ts_infer_result (module, e->call, diags, span);
    case TS_EXPR_NONE:
      return ts_type_scalar (module, TS_DTYPE_TASK_ID);
    case TS_EXPR_INT:
    case TS_EXPR_FLOAT:
    case TS_EXPR_UNARY:
    case TS_EXPR_BINARY:
    case TS_EXPR_CAST:
      return e->dtype != TS_DTYPE_NONE ? ts_type_scalar (module, (TsDtype) e->dtype) : NULL;
    case TS_EXPR_STRING:
    case TS_EXPR_DTYPE:
    case TS_EXPR_ENUM:
    case TS_EXPR_LIST:
    case TS_EXPR_MEMBERSHIP:
    case TS_EXPR_TEXT:
    default:
      return NULL;
    }
}
