/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State the files of the Triton IR printer share. */
#pragma once

#include "ir/module.h"
#include "lang/ttir/aliases.h"
#include "lang/ttir/ttir.h"

typedef struct
{
  const TsModule  *module;
  GString         *out;
  TsTtirLocations  locations;
  const char     **names;   /* by value id; NULL: not named yet */
  GHashTable      *taken;   /* names in use in the function */
  GHashTable      *aliases; /* "#loc1" to its text, for INLINE */
  TtExpander      *expander; /* of them; NULL outside a module */
  guint            next_number;
  guint            indent;
  guint            line;    /* of the text being written, from 1 */
  GArray          *places;  /* TsTtirPlace, or NULL */
} TtPrinter;

void tp_type (GString *out, const TsType *type);
void tp_types (GString *out, const TsType *const *types, guint n); /* bare when one, else in parentheses */
void tp_attribute (GString *out, const TsExpr *value);
/* Key in quotes when it is no plain name. */
void tp_key (GString *out, const char *key);
void tp_value (TtPrinter *t, const TsValue *value);
void tp_operand (TtPrinter *t, const TsExpr *operand);
void tp_operands (TtPrinter *t, const TsOp *op, guint first, guint n);
/* " {a = 1, b}" without the keys that `shows` is true for; nothing when none is left. */
typedef gboolean (*TpHidden) (const TsOp *op, const TsAttr *attr);
void tp_dict (TtPrinter *t, const TsOp *op, TpHidden hidden);
/* What stands behind the name, by pattern. */
void tp_pattern (TtPrinter *t, const TsOp *op, const char *format);
/* FALSE: the operation has no syntax in code. */
gboolean tp_structured (TtPrinter *t, const TsOp *op);
void tp_region (TtPrinter *t, const TsRegion *region, gboolean with_args, gboolean skip_empty_yield);
/* Has the label of the first block to be written? It is branched to, or it is empty: without a label it would be taken for no
 * block, and the second one for the first. O(operations of the region itself). */
gboolean tp_names_entry (const TsRegion *region);
void tp_block_name (TtPrinter *t, const TsBlock *block);
void tp_new_line (TtPrinter *t);
