/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run: input, bindings, machine, planner -> snapshots, each with text, schedule, memory facts, differences. Design section 4.
 *
 * Made by ts_run_new(), filled once by ts_run_prepare() (on any thread), then only read. Everything that a snapshot does not carry
 * from the start is computed when first asked for and kept; the functions that do so take a GCancellable and may be called from any
 * thread (two threads that ask for the same thing share one computation). What they return belongs to the run and lives as long.
 * A what-if is a new run on the same input: ts_run_derive() keeps what the change does not touch. */
#pragma once

#include <gio/gio.h>

#include "base/diag.h"
#include "ir/compare.h"
#include "ir/memory-facts.h"
#include "ir/module.h"
#include "lang/pypto/pypto.h"
#include "machine/machine.h"
#include "passes/pipeline.h"
#include "run/input.h"
#include "sim/simulate.h"

G_BEGIN_DECLS

#define TS_DEFAULT_MACHINE "ascend910b"
#define TS_DEFAULT_MAX_INSTRUCTIONS 4000000
/* The same for rows of the bill, once a stream turned out longer than the default bound: a dozen snapshots of a loop without end
 * would take as long as a dozen simulations, and say no more. */
#define TS_BILL_MAX_INSTRUCTIONS 200000

/* Every field may be zero: that is the default. Copied by ts_run_new(). */
typedef struct
{
  /* Program or function of a user file; NULL: the one program, else the only function. Triton IR: which module, from 1. */
  const char        *entry;
  const char        *function;  /* what to simulate; NULL: the first Group, else the first that has pipes */
  const char *const *defines;   /* "NAME=VALUE" */
  const char *const *args;      /* "NAME=SHAPE:DTYPE" */
  const char        *machine;   /* shipped name or path; NULL: TS_DEFAULT_MACHINE */
  const char *const *overrides; /* "[GROUP.]KEY=VALUE" */
  TsPlanner          planner;
  const char        *passes;    /* text of --passes; NULL: "default" ("none" for a dump folder) */
  gint               start;     /* dump folder with passes: the file they run on; -1 the last. Ignored otherwise */
  TsVerifyLevel      verify;
  gint64             max_instructions; /* 0: TS_DEFAULT_MAX_INSTRUCTIONS */
  gint               stages;    /* > 0: every pipeline loop whose stage is above 1 gets it (sweep) */
  const char *const *loop_stages; /* "LINE=DEPTH": the pipeline loop on that source line of the input gets it (what-if) */
} TsRunOptions;
/* The defaults, among them verify basic and start -1. */
#define TS_RUN_OPTIONS_INIT { .start = -1, .verify = TS_VERIFY_BASIC }

#define TS_RUN_ERROR ts_run_error_quark ()
typedef enum
{
  TS_RUN_ERROR_USAGE,     /* unknown pass, option, function, snapshot: exit status 2 */
  TS_RUN_ERROR_INPUT,     /* nothing could be made of the input; ts_run_diags() says why: status 1 */
  TS_RUN_ERROR_SNAPSHOT,  /* this snapshot has no module (its file is broken or its pass failed): status 1 */
  TS_RUN_ERROR_SIMULATE,  /* this function cannot be simulated; the message says why: status 1 */
} TsRunError;
GQuark ts_run_error_quark (void);

/* Called now and then while something long is computed, on the computing thread. `total` 0: not known. */
typedef void (*TsRunProgress) (const char *what, gint64 done, gint64 total, gpointer data);

typedef struct TsRun TsRun;

/* Cheap: nothing is read or computed. Fails only on options that mean nothing (TS_RUN_ERROR_USAGE, TS_MACHINE_ERROR). */
TsRun      *ts_run_new (TsInput *input, const TsRunOptions *options, GError **error);
/* The same input under other options: keeps the parsed module, and the snapshots in front of the first pass that the change can
 * touch. The result must be prepared like any other. */
TsRun      *ts_run_derive (TsRun *run, const TsRunOptions *options, GError **error);
TsRun      *ts_run_ref (TsRun *run);
void        ts_run_unref (TsRun *run);

/* Parses and runs the passes. Returns FALSE when there is not one snapshot with a module (TS_RUN_ERROR_INPUT) or when cancelled; a
 * pass that fails is no error here, its snapshot is the last one and says `failed`. Call once; later calls return the same. */
gboolean    ts_run_prepare (TsRun *run, GCancellable *cancellable, TsRunProgress progress, gpointer data, GError **error);
/* Verifies what was read as snapshot `index` (not made by a pass): the structural properties, and for files named like dumps what
 * holds after the pass they are named after; for other texts that the compiler printed SSA form, unless passes are to run on them
 * or they show that they come from before it. This is what preparing does under TS_VERIFY_FULL. TRUE when all hold. */
gboolean    ts_run_verify_loaded (const TsRun *run, guint index, const TsModule *module, TsDiagList *diags);

TsInput            *ts_run_input (const TsRun *run);
const TsRunOptions *ts_run_options (const TsRun *run);
TsMachine          *ts_run_machine (const TsRun *run);
TsLanguage          ts_run_language (const TsRun *run);
/* What reading the input said, and whatever concerns no one snapshot. Diagnostics of passes stand in their snapshots. */
const TsDiagList   *ts_run_diags (const TsRun *run);
/* One sentence for tensor-level code (how to get a passes_dump folder), or NULL. Source: issue "The kernel language, whole". */
const char         *ts_run_advice (const TsRun *run);

/* --- snapshots ------------------------------------------------------------------------------------------------------------ */

typedef struct
{
  guint             index;
  const char       *pass;    /* "frontend" for the parsed input, else the pass's name */
  const TsPassInfo *info;    /* NULL: the input, or a pass that is not ours */
  const char       *file;    /* of a dump folder: the file's name; else NULL */
  const TsModule   *module;  /* NULL: broken file, or the pass failed */
  gboolean          changed; /* FALSE: the module is as the one before (dumps: the text is) */
  gboolean          failed;  /* the pass gave up, or the file has errors */
  gboolean          loaded;  /* read from a file rather than made by a pass of ours */
  const TsDiagList *diags;   /* of this pass or file; never NULL */
  const char       *log;     /* text of the .log beside a dump, or NULL */
  gint64            microseconds; /* time the pass took */
} TsSnapshot;

guint             ts_run_n_snapshots (const TsRun *run);
const TsSnapshot *ts_run_snapshot (const TsRun *run, guint index);
/* By pass name in either spelling: the last match; -1 when there is none. */
gint              ts_run_find_snapshot (const TsRun *run, const char *pass);
/* The last snapshot that has a module: what is shown first. */
guint             ts_run_last_snapshot (const TsRun *run);

/* Printed text. `places` is sorted by line. */
typedef struct
{
  const char        *text; /* of a broken dump file: its raw text */
  gsize              length;
  const TsTextPlace *places;
  guint              n_places;
  const guint32     *place_of; /* index in `places` by operation id, G_MAXUINT32 where it does not stand; n_ops entries */
  guint              n_ops;
  GPtrArray         *names; /* printed name of every value by id (NULL where it does not occur) */
} TsSnapshotText;

/* NULL only when cancelled (or, for a snapshot whose pass failed, with TS_RUN_ERROR_SNAPSHOT). */
const TsSnapshotText *ts_run_text (TsRun *run, guint index, GCancellable *cancellable, GError **error);
/* Operation on a line of the text (the innermost whose lines hold it), -1 for none; and the place of an operation, NULL for
 * none. */
gint32                ts_text_op_at_line (const TsSnapshotText *text, guint line);
const TsTextPlace    *ts_text_place_of (const TsSnapshotText *text, gint32 op);
/* Operation by id; NULL when it no longer stands in the module. O(1) after the first call. */
const TsOp           *ts_run_op (TsRun *run, guint index, gint32 op);

/* Decisions of the pass that made the snapshot, for the step player and --steps. Made by running it again with recording on.
 * NULL for the input and for loaded files, or when cancelled. */
const TsSteps        *ts_run_steps (TsRun *run, guint index, GCancellable *cancellable);

/* --- functions ------------------------------------------------------------------------------------------------------------ */

typedef struct
{
  const char       *name;
  const TsFunction *function;
  gboolean          can_simulate;
  const char       *why_not; /* one sentence when it cannot, else NULL */
} TsRunFunction;

/* In printed order. `*n` is 0 for a snapshot without module. */
const TsRunFunction *ts_run_functions (TsRun *run, guint index, guint *n);
/* The name that would be simulated when `wanted` is NULL, or `wanted` itself when it exists and can be; else NULL with an error. */
const char          *ts_run_pick_function (TsRun *run, guint index, const char *wanted, GError **error);

/* --- schedule, memory, differences ------------------------------------------------------------------------------------------ */

/* `function` NULL: the picked one. Simulates at first use. Diagnostics of the simulation are part of the result. */
const TsSimulation *ts_run_simulate (TsRun *run, guint index, const char *function, GCancellable *cancellable,
                                     TsRunProgress progress,
                                     gpointer data, GError **error);

/* Buffers of a function in a snapshot whose tiles carry MemRefs: capacities of the machine, stages through provenance. Of a group
 * they are those of the first function its cores run that has some. NULL without error when it has none; NULL with one when the
 * snapshot has no module or the work was cancelled. */
const TsMemoryFacts *ts_run_memory (TsRun *run, guint index, const char *function, GCancellable *cancellable, GError **error);
/* Of a group: of what its cube core (AIC) or its vector cores (AIV) run. Of another function: its own. May be NULL. */
const TsMemoryFacts *ts_run_member_memory (TsRun *run, guint index, const char *function, TsFunctionType type,
                                           GCancellable *cancellable);

/* The pass after which two operations of snapshot `index` first share bytes of a buffer in a way that can order them, walking back
 * along provenance; NULL when they do from the start. Result: the pass's name, and in *since its snapshot. For waits (`since`). */
const char *ts_run_buffer_since (TsRun *run, guint index, const char *function, gint32 op, gint32 on, guint *since);

/* The decision of the pass of snapshot `since` (as ts_run_buffer_since() gives it) that put what the two operations make or read
 * into `buffer`; its number among the steps in *number. NULL: the pass is not ours, or records no such step. Runs the pass again at
 * the first call. */
const TsStep *ts_run_sharing_step (TsRun *run, guint index, guint since, gint32 op, gint32 on, const char *buffer, guint *number,
                                   GCancellable *cancellable);

/* The same from end to end: since which pass two operations share bytes of `buffer`, and the decision that let them. `step` NULL as
 * above. FALSE: they do from the start, or it is not known. */
typedef struct
{
  const char   *pass;
  guint         since;  /* its snapshot */
  const TsStep *step;
  guint         number; /* of the step */
  const char   *reason; /* only of a collapse; static or owned by the step */
} TsSharing;
gboolean    ts_run_sharing (TsRun *run, guint index, const char *function, gint32 op, gint32 on, const char *buffer,
                            GCancellable *cancellable, TsSharing *out);
/* Where it comes from that two tiles share bytes, those of operations `op` and `on` of snapshot `index`: the first snapshot from
 * which on they do without a break, followed back along provenance through the memory facts of each, and the step of its pass.
 * Always known: where they do in the first snapshot, or where its pass is not ours, `step` is NULL and `reason` says so. FALSE only
 * when cancelled. */
gboolean    ts_run_collapse_origin (TsRun *run, guint index, gint32 op, gint32 on, GCancellable *cancellable, TsSharing *out);
/* What such a step gives as its reason; not translated, static or owned by the step. */
const char *ts_sharing_reason (const TsStep *step);

/* One row of the bill. Fields are -1 when they are not known (cannot be simulated, no memory facts). */
typedef struct
{
  guint    index;
  gint64   cycles;
  gint64   bound;
  double   efficiency;            /* bound / cycles; -1 unknown */
  gint64   interval;              /* of the innermost loop with the most cycles; -1 none */
  gint64   copies;                /* of the body as it was written, in an iteration of that loop: the stages its statements are
                                     tagged with, 1 where there are none; -1 no such loop */
  gint64   operations;            /* in the functions its cores run */
  gint64   instructions;
  gint64   bytes[TS_N_SPACES];    /* high-water mark; -1 unknown */
  gint64   bytes_total;           /* sum over the on-chip spaces; -1 unknown */
  gint64   delta_cycles;          /* against the last earlier row that knows; 0 for the first, none for a cut row */
  gint64   delta_bytes;
  gboolean has_delta_cycles, has_delta_bytes;
  gboolean truncated;             /* the stream was cut after `instructions`: cycles of what was simulated */
  const char *problem;            /* why cycles is -1, or NULL */
} TsBillRow;

/* One row of the bill; simulates when needed. NULL only when cancelled. */
const TsBillRow *ts_run_bill_row (TsRun *run, guint index, const char *function, GCancellable *cancellable);

/* --- provenance ------------------------------------------------------------------------------------------------------------- */

/* What operation `op` of snapshot `from` is in snapshot `to` (earlier or later): ids in ascending order, empty when it has no
 * counterpart. *inferred is set when some link was recovered by matching rather than recorded by a pass of ours. Free with
 * g_array_unref. O(snapshots between x operations) at first, then O(links). */
GArray *ts_run_trace (TsRun *run, guint from, gint32 op, guint to, gboolean *inferred);
/* How much of snapshot `index` is known to come from the one before: out->matched of its out->of operations have counterparts
 * there, and out->inferred says whether those were recovered by matching (a loaded dump) or recorded by a pass of ours. FALSE, and
 * *out untouched, for the first snapshot and for one without a module. O(operations log operations) at first. Source: design
 * section 4. */
typedef struct
{
  gboolean inferred;
  guint    matched, of;
} TsProvenanceCount;
gboolean ts_run_provenance (TsRun *run, guint index, TsProvenanceCount *out);
/* Pipeline pairs of an operation, innermost first: its own, or, where a pass has stripped them, those of what it was. */
const TsStage *ts_run_membership (TsRun *run, guint index, gint32 op, guint *n);
/* Line (from 1) of the user's input that an operation comes from, and its source; 0 when it is lost. */
guint   ts_run_source_line (TsRun *run, guint index, gint32 op, TsSource **source);
/* Does the pass of snapshot `index` touch what `op` (of snapshot `of`) is there? For "next pass that touched this". */
gboolean ts_run_pass_touches (TsRun *run, guint index, guint of, gint32 op);

/* --- comparison ------------------------------------------------------------------------------------------------------------- */

/* Structural differences of two snapshots, which may belong to different runs; see ir/compare.h. NULL with an error when one has
 * no module. Free with g_ptr_array_unref. */
GPtrArray *ts_run_compare (TsRun *a, guint index_a, TsRun *b, guint index_b, TsCompareFlags flags, GError **error);

/* --- files -------------------------------------------------------------------------------------------------------------------- */

/* Writes NN_frontend.py, NN_after_X.py, logs, and NN_failed.log, as `passes -o` does. Creates the folder; one that an earlier run
 * wrote holds what this run has afterwards, and no more. Dumps of somebody else are an error and left alone (dump-folder.h). */
gboolean ts_run_write_dumps (TsRun *run, const char *folder, GCancellable *cancellable, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsRun, ts_run_unref)

G_END_DECLS
