/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a list of passes over a module, one snapshot after the other. Source: design section 4, cli.md (`--passes`, `--verify`),
 * spec passes-schedule section 9. */
#pragma once

#include "passes/pass.h"

G_BEGIN_DECLS

#define TS_PASS_ERROR ts_pass_error_quark ()
typedef enum
{
  TS_PASS_ERROR_UNKNOWN_PASS,
  TS_PASS_ERROR_UNKNOWN_OPTION,
  TS_PASS_ERROR_OPTION_VALUE,
  TS_PASS_ERROR_SYNTAX,   /* braces that do not close, an option without value */
  TS_PASS_ERROR_LANGUAGE, /* a pass of the other language */
} TsPassError;
GQuark ts_pass_error_quark (void);

typedef struct
{
  const TsPassInfo *pass;
  GHashTable       *options; /* name to value text, or NULL */
} TsPlannedPass;

/* An array of TsPlannedPass; free with g_array_unref. */
/* The default order of a language under a planner. */
GArray *ts_pass_plan_default (TsLanguage language, TsPlanner planner);
/* From the text of --passes: names in either spelling, `default` (expands in place), `none`; NULL is `default`. NULL with an error
 * that names the word at fault and, for a name, the nearest one. */
GArray *ts_pass_plan_parse (const char *text, TsLanguage language, TsPlanner planner, GError **error);

typedef enum
{
  TS_VERIFY_NONE,
  TS_VERIFY_BASIC, /* structural properties of the input; afterwards each produced property once, again after invalidation */
  TS_VERIFY_FULL,  /* required properties before, produced and structural ones after every pass, and the round trip */
  TS_N_VERIFY_LEVELS,
} TsVerifyLevel;

const char *ts_verify_level_name (TsVerifyLevel level); /* "basic" */
gboolean    ts_verify_level_from_name (const char *name, TsVerifyLevel *out);

/* Checks a module beyond the properties (the caller's print and re-read); reports errors, returns FALSE on one. */
typedef gboolean (*TsModuleCheck) (const TsModule *module, TsDiagList *diags, gpointer data);
/* The text of a function, to be freed with g_free: stands below the first fault of SSAForm in it, as a detail. */
typedef char    *(*TsFunctionText) (const TsModule *module, const TsFunction *function);
/* Before pass `index` of `n` runs; n == index when all are done. */
typedef void     (*TsPipelineProgress) (guint index, guint n, const TsPassInfo *pass, gpointer data);

typedef struct
{
  const TsMachine   *machine;     /* not NULL when a pass of the plan needs capacities or backend rules */
  TsPlanner          planner;
  TsVerifyLevel      verify;
  gboolean           record_steps;
  GCancellable      *cancellable; /* may be NULL */
  TsModuleCheck      check;       /* run under TS_VERIFY_FULL; may be NULL */
  gpointer           check_data;
  TsFunctionText     print_function; /* may be NULL */
  TsPipelineProgress progress;    /* may be NULL */
  gpointer           progress_data;
} TsPipelineOptions;

typedef enum
{
  TS_SNAPSHOT_OK,
  TS_SNAPSHOT_FAILED,    /* the input: did not verify, no pass ran. A pass: it failed, or what it made did not verify */
  TS_SNAPSHOT_CANCELLED, /* stopped in this pass */
} TsSnapshotStatus;

/* What one pass left. Everything in it is owned by it and never changes. */
typedef struct
{
  const TsPassInfo *pass;    /* NULL: the module as it was given */
  TsModule         *module;  /* NULL unless OK (the input always has one) */
  gboolean          changed; /* FALSE: the pass found nothing to do */
  TsSnapshotStatus  status;
  TsDiagList       *diags;   /* never NULL */
  TsSteps          *steps;   /* NULL when not recorded, and for the input */
  gint64            usec;    /* wall time of the pass, for --verbose; not part of any stable output */
} TsPassSnapshot;

void       ts_pass_snapshot_free (TsPassSnapshot *snapshot);

/* Runs one pass on a clone of `before`, whose hints are recovered (ir/hints.h). `known` holds the properties verified and not
 * invalidated since; it is updated (start with 0). */
TsPassSnapshot *ts_pipeline_run_pass (const TsModule *before, const TsPlannedPass *planned, const TsPipelineOptions *options,
                                      TsPropertySet *known);
/* What a run does with its input before the first pass: the structural properties that `level` asks for. TRUE when they hold.
 * `print` as in TsPipelineOptions. */
gboolean   ts_pipeline_verify_input (const TsModule *module, TsVerifyLevel level, TsFunctionText print, TsDiagList *diags);
/* How a text came about: written by hand; printed by the compiler after the pass that its name tells; printed, but nobody knows
 * when (ts_verify_printed). */
typedef enum { TS_DUMP_SOURCE, TS_DUMP_PRINTED, TS_DUMP_PRINTED_ANYWHERE } TsDumpForm;
/* The same for a text that came from elsewhere, at TS_VERIFY_FULL: `held` is what must hold beside the structural properties, as
 * ts_properties_after() has it; `name` is what the note on failure calls the text. */
gboolean   ts_pipeline_verify_dump (const TsModule *module, TsPropertySet held, TsDumpForm form, const char *name,
                                    TsFunctionText print, TsDiagList *diags);
/* Takes the module and runs the passes. Returns the snapshots in order (TsPassSnapshot, freed with the
 * array): the input, then one per pass that ran. The last is FAILED or CANCELLED when the run stopped early; those before it are
 * whole. */
GPtrArray *ts_pipeline_run (TsModule *module, const GArray *plan, const TsPipelineOptions *options);

/* The file name of a snapshot in a dump folder, "00_frontend.py" or "NN_after_Pass.py"; `.ttir` for Triton IR. Free with g_free. */
char      *ts_pass_snapshot_file_name (const TsPassSnapshot *snapshot, guint index, TsLanguage language);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsPassSnapshot, ts_pass_snapshot_free)

G_END_DECLS
