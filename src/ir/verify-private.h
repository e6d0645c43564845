/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the verifiers share. Each walks one function and reports through a TsVerifier. */
#pragma once

#include "ir/verify.h"

G_BEGIN_DECLS

typedef struct
{
  const TsModule   *module;
  const TsFunction *function;
  const char       *rule;
  const gint64     *capacity; /* bytes by TsSpace, 0: no limit; NULL: nobody knows */
  TsDiagList       *diags; /* may be NULL */
  guint             n_errors;
} TsVerifier;

typedef void (*TsVerifyFunction) (TsVerifier *verifier);

/* Adds an error at an operation (NULL: the function) and sets rule, function and operation. The message ends with the function's
 * name, which is not part of `format`. */
void ts_verifier_error (TsVerifier *verifier, const TsOp *op, const char *code, const char *format, ...) G_GNUC_PRINTF (4, 5);

/* verify-scopes.c */
void ts_verify_ssa_form (TsVerifier *verifier);
void ts_verify_use_after_def (TsVerifier *verifier);
void ts_verify_yields_valid (TsVerifier *verifier); /* codes 3, 4, 5 and 7 of SSAForm */
/* verify-structure.c */
void ts_verify_pipeline_loop_valid (TsVerifier *verifier);
void ts_verify_pipeline_resolved (TsVerifier *verifier);
void ts_verify_unroll_resolved (TsVerifier *verifier);
void ts_verify_no_nested_calls (TsVerifier *verifier);
void ts_verify_normalized (TsVerifier *verifier);
void ts_verify_break_continue (TsVerifier *verifier);
/* verify-arguments.c */
void ts_verify_type_checked (TsVerifier *verifier);
void ts_verify_load_target (TsVerifier *verifier);
/* verify-memory.c */
void ts_verify_has_mem_refs (TsVerifier *verifier);
void ts_verify_in_place_tiles (TsVerifier *verifier);
void ts_verify_allocated_memory_addr (TsVerifier *verifier);
/* verify-ttir.c */
void ts_verify_ttir (TsVerifier *verifier);

G_END_DECLS
