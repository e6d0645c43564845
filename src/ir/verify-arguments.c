/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a dump says in its calls, held against the tables of operations and keywords. Users' calls are checked as they are read. */
#include "ir/keyword-values.h"
#include "ir/op-info.h"
#include "ir/verify-private.h"

static void
report (TsVerifier *verifier, const TsOp *op, char *fault)
{
  if (fault != NULL)
    ts_verifier_error (verifier, op, "0", "%s: %s", ts_op_info (op->code)->name, fault);
  g_free (fault);
}

static gboolean
check_keywords (TsOp *op, gpointer data)
{
  report (data, op, ts_op_keyword_fault (op));
  return TRUE;
}

static gboolean
check_target (TsOp *op, gpointer data)
{
  report (data, op, ts_op_target_fault (op));
  return TRUE;
}

void
ts_verify_type_checked (TsVerifier *verifier)
{
  ts_region_walk ((TsRegion *) &verifier->function->body, check_keywords, verifier);
}

void
ts_verify_load_target (TsVerifier *verifier)
{
  ts_region_walk ((TsRegion *) &verifier->function->body, check_target, verifier);
}
