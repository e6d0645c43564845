/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a pass is: a row of the registry with a function that edits a private clone of the module. */
#pragma once

#include <gio/gio.h>

#include "base/diag.h"
#include "ir/module.h"
#include "ir/verify.h"
#include "machine/machine.h"
#include "passes/steps.h"

G_BEGIN_DECLS

typedef enum { TS_PLANNER_PYPTO, TS_PLANNER_PTOAS, TS_PLANNER_DSA_RP, TS_N_PLANNERS } TsPlanner;

#define TS_PLANNERS_ALL ((1u << TS_N_PLANNERS) - 1)

const char *ts_planner_name (TsPlanner planner); /* "pypto", "ptoas", "dsa-rp" */
gboolean    ts_planner_from_name (const char *name, TsPlanner *out);

typedef enum
{
  TS_PASS_UNCHANGED, /* the module is as it was: the snapshot is marked so */
  TS_PASS_CHANGED,
  TS_PASS_FAILED,    /* diagnostics say why; the module is dropped, earlier snapshots stay */
} TsPassResult;

/* What the passes over tiles ask for and keep: T6 of the specification. */
#define TS_PROPERTIES_TILE                                                                                          \
  (TS_PROPERTY_BIT (TS_PROPERTY_SSA_FORM) | TS_PROPERTY_BIT (TS_PROPERTY_SPLIT_INCORE_ORCH)                         \
   | TS_PROPERTY_BIT (TS_PROPERTY_INCORE_TILE_OPS) | TS_PROPERTY_BIT (TS_PROPERTY_TILE_OPS_2D)                      \
   | TS_PROPERTY_BIT (TS_PROPERTY_TILE_MEMORY_INFERRED) | TS_PROPERTY_BIT (TS_PROPERTY_NORMALIZED_STMT_STRUCTURE))

/* What a pass may know and where it reports. One per pass run; not shared between threads. */
typedef struct
{
  const char      *pass_name;   /* of the pass that runs: rule of its diagnostics; may be NULL in tests */
  const TsMachine *machine;     /* capacities and backend rules; never NULL (a machine with backend none: unlimited) */
  TsPlanner        planner;
  TsDiagList      *diags;
  TsSteps         *steps;       /* NULL: nobody asked, recording costs nothing */
  GCancellable    *cancellable; /* may be NULL; long loops look at it every few thousand steps */
  GHashTable      *options;     /* option name to value text, from braces in --passes; may be NULL */
} TsPassContext;

/* What the value of an option in braces may be. */
typedef enum
{
  TS_PASS_OPTION_NUMBER, /* decimal, from 0 to `highest` */
  TS_PASS_OPTION_FLAG,   /* "true" or "false": 1 or 0 */
} TsPassOptionKind;

typedef struct
{
  const char      *name;
  TsPassOptionKind kind;
  guint64          highest;
} TsPassOption;

typedef TsPassResult (*TsPassRun) (TsPassContext *context, TsModule *module);

typedef struct
{
  const char   *name;        /* "LowerPipelineLoops": file names of dumps */
  const char   *id;          /* "lower-pipeline-loops" */
  const char   *summary;     /* one line for lists */
  const char   *help;        /* paragraphs: what it does, kept quirks, options */
  TsLanguage    language;
  TsPropertySet required, produced, invalidated;
  guint         planners;    /* bit per planner that runs it by default; others drop it */
  gboolean      in_default;  /* member of the default order */
  gboolean      whole_module;/* FALSE: only tile-level functions are touched */
  gboolean      judges;      /* its steps hold "verdict": what each of its rules says of an operation */
  const TsPassOption *options; /* those it accepts in braces, in the order of help; NULL: none */
  guint         n_options;
  TsPassRun     run;
} TsPassInfo;

/* Adds an error of this pass at an operation (which may be NULL) and returns TS_PASS_FAILED. `code` is static. */
TsPassResult ts_pass_fail (TsPassContext *context, const TsModule *module, const TsOp *op, const char *code, const char *format,
                           ...) G_GNUC_PRINTF (5, 6);
/* Adds a warning or note; `rule` NULL is the pass's name. */
TsDiag      *ts_pass_report (TsPassContext *context, const TsModule *module, const TsOp *op, TsSeverity severity, const char *rule,
                             const char *code, const char *format, ...) G_GNUC_PRINTF (7, 8);
/* The same at a function as a whole, for an error and for a note: what is said stands at its head. */
TsPassResult ts_pass_fail_function (TsPassContext *context, const TsModule *module, const TsFunction *function, const char *code,
                                    const char *format, ...) G_GNUC_PRINTF (5, 6);
void         ts_pass_note_function (TsPassContext *context, const TsModule *module, const TsFunction *function, const char *code,
                                    const char *format, ...) G_GNUC_PRINTF (5, 6);
gboolean     ts_pass_cancelled (const TsPassContext *context);

/* Every pass, in the order of the default pipeline; NULL-terminated names are not needed: *n is the count. */
const TsPassInfo *const *ts_pass_registry (guint *n);
/* Names of its options with commas between, for whoever frees it; NULL: it takes none. */
char               *ts_pass_option_names (const TsPassInfo *pass);
/* By name; NULL when the pass has none of that name. */
const TsPassOption *ts_pass_find_option (const TsPassInfo *pass, const char *name);
/* Reads a value into *value. NULL when it fits, else what is needed in its place, for whoever frees it; *value is left alone. */
char               *ts_pass_option_read (const TsPassOption *option, const char *text, guint64 *value);
/* By either spelling; NULL when there is none. */
const TsPassInfo *ts_pass_find (const char *name);

G_END_DECLS
