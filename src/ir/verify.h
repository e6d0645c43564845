/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verifiers: properties a module may have, each with the rule and codes of spec passes-schedule section 8. */
#pragma once

#include "base/diag.h"
#include "ir/module.h"

G_BEGIN_DECLS

typedef enum
{
#define TS_PROPERTY(id, name) TS_PROPERTY_##id,
#include "ir/properties.def"
#undef TS_PROPERTY
  TS_N_PROPERTIES,
} TsProperty;

typedef guint64 TsPropertySet;
#define TS_PROPERTY_BIT(p) (G_GUINT64_CONSTANT (1) << (p))

const char *ts_property_name (TsProperty property);
/* Is there a verifier for it, or is it only a name passes declare? */
gboolean    ts_property_is_verifiable (TsProperty property);
/* Adds a diagnostic per violation (rule = property name, code as in the specification). TRUE when it holds. O(size). */
gboolean    ts_verify (const TsModule *module, TsProperty property, TsDiagList *diags);
/* The same for one function. `diags` may be NULL everywhere: only the answer is wanted. */
gboolean    ts_verify_function (const TsModule *module, const TsFunction *function, TsProperty property, TsDiagList *diags);
/* For a text as the compiler prints it of which nobody knows the pass: a function of it is in SSA form with its calls taken apart
 * (SSAForm, NoNestedCalls), unless a variable has two definitions: then it comes from before ConvertToSSA, and only its yields can
 * be judged (YieldsValid). `verified` is not said again. TRUE when all hold. */
gboolean    ts_verify_printed (const TsModule *module, TsPropertySet verified, TsDiagList *diags);
/* `capacity`: bytes of each memory space (TS_N_SPACES of them, 0: no limit) that AllocatedMemoryAddr must keep to; NULL: not
 * known. */
gboolean    ts_verify_set (const TsModule *module, TsPropertySet set, const gint64 *capacity, TsDiagList *diags);

G_END_DECLS
