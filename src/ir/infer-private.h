/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of type inference. */
#pragma once

#include "base/limits.h"
#include "ir/infer.h"
#include "ir/op-info.h"

G_BEGIN_DECLS

/* One question: the operation, its row and the types of its operands (NULL where an operand has none: lists, keywords). */
typedef struct
{
  TsModule       *module;
  const TsOp     *op;
  const TsOpInfo *info;
  TsDiagList     *diags;
  TsSpan          span;
  const TsType  **types;
} Infer;

/* A tile or tensor type in the making. */
typedef struct
{
  guint8   kind; /* TsTypeKind */
  guint8   dtype;
  guint8   space;
  guint8   distributed;
  guint8   blayout, slayout; /* read when has_layout */
  guint8   pad, compact;
  gboolean has_layout;       /* FALSE: the implicit layout of shape and space */
  gint32   fractal;          /* 0: implicit */
  guint    rank;
  TsExpr  *dims[TS_MAX_RANK];
  TsExpr  *valid[TS_MAX_RANK];
} Draft;

typedef const TsType *(*InferRule) (Infer *f);

#define TS_RESULT_RULE(id, function) const TsType *infer_##function (Infer *f);
#include "ir/result-rules.def"
#undef TS_RESULT_RULE

/* Adds an error that begins with the operation's name; returns NULL. `code` must be static. */
const TsType *infer_fail (Infer *f, const char *code, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* Position of a parameter by its name in the table; -1 when the call does not give it. */
gint          infer_arg (const Infer *f, const char *name);
/* The tile or tensor type of an operand; NULL (and an error) when it is neither. */
const TsType *infer_shaped (Infer *f, guint arg);
/* A list operand by parameter name; NULL when absent. */
const TsExpr *infer_list (const Infer *f, const char *name);
/* Keywords. */
TsDtype       infer_keyword_dtype (const Infer *f, const char *key, TsDtype fallback);
gint64        infer_keyword_int (const Infer *f, const char *key, gint64 fallback);
gboolean      infer_keyword_bool (const Infer *f, const char *key);
/* "row_major" of TileLayout.row_major; NULL when absent or of another family. */
const char   *infer_keyword_member (const Infer *f, const char *key, const char *family);
TsPad         infer_keyword_pad (const Infer *f, const char *key, TsPad fallback);

/* Is the argument a scratch buffer, without influence on the result? */
gboolean      infer_is_scratch (const Infer *f, guint arg);
/* Dtype of two operands together: equal stays; a float beats an integer; then more bits; then signed. Source: ops.md 1. */
TsDtype       infer_promote (TsDtype a, TsDtype b);
/* Same dimension: equal constants or equal trees. */
gboolean      infer_same_dim (const TsExpr *a, const TsExpr *b);

/* Starts from a type: shape, valid shape, dtype, and a tile's layout as it is in effect. */
void          infer_draft_from (Infer *f, Draft *draft, const TsType *type);
/* Starts empty, in the operation's result space. FALSE (and an error) when the list is no shape. */
gboolean      infer_draft_shape (Infer *f, Draft *draft, TsTypeKind kind, const TsExpr *shape, TsDtype dtype);
void          infer_draft_set_valid (Draft *draft, const TsExpr *list);
/* Every dimension fully valid. */
void          infer_draft_fill (Draft *draft);
const TsType *infer_draft_type (Infer *f, const Draft *draft);

G_END_DECLS
