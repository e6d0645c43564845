/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the passes of the compiler declare, those that are not ours included: tells which properties the files of its dump folders
 * must have. Source: spec passes-schedule section 9. */
#pragma once

#include "ir/verify.h"

G_BEGIN_DECLS

typedef struct
{
  const char   *name; /* "FlattenCallExpr" */
  TsPropertySet required, produced, invalidated;
} TsCompilerPass;

/* NULL when there is none of that name. */
const TsCompilerPass *ts_compiler_pass_find (const char *name);

/* What holds after a pass, when `held` did before it. What it requires held before it, too. After a pass that nobody knows, or a
 * text that no pass made ("frontend"), nothing is known. */
TsPropertySet         ts_properties_after (const char *pass, TsPropertySet held);
/* What a pass with these requirements may count on: passes over tiles stand behind FlattenCallExpr, whose work nothing undoes. */
TsPropertySet         ts_properties_implied (TsPropertySet required);

G_END_DECLS
