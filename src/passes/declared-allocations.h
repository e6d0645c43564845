/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocations an author (or LowerPipelineToSlots) declared: pl.MemRef("x", slots=N)[k]. Source: spec passes-memory 3.4. */
#pragma once

#include "ir/lifetimes.h"
#include "passes/pass.h"

G_BEGIN_DECLS

typedef struct TsDeclarations TsDeclarations;

/* Collects and checks what the tiles of a function are bound to. On a misuse adds the error and returns NULL. */
TsDeclarations *ts_declarations_new (TsPassContext *context, TsModule *module, TsFunction *function);
void            ts_declarations_free (TsDeclarations *declarations);

/* The resolved MemRef of a variable bound to a declaration; NULL when its type declares nothing. */
const TsMemRef *ts_declarations_resolve (const TsDeclarations *declarations, TsModule *module, const TsType *type);
/* Bytes of all slots of a declared base; 0 when the base is not a declared one. */
gint64          ts_declarations_bytes (const TsDeclarations *declarations, const TsValue *base);

/* Declared buffers are never shared behind the author's back: two tiles bound to one base and one constant slot must not be live at
 * the same time (5.8). FALSE after an error. */
gboolean        ts_check_declared_lives (TsPassContext *context, const TsModule *module, const TsFunction *function,
                                         const TsLifetimes *lifetimes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsDeclarations, ts_declarations_free)

G_END_DECLS
