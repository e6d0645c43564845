/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to runs: what a run and its snapshots hold, and the slots in which computed things are kept. */
#pragma once

#include "ir/provenance.h"
#include "run/input-private.h"
#include "run/run.h"

G_BEGIN_DECLS

/* Something computed when first asked for. Two threads that ask share one computation; whoever waits can be cancelled. */
typedef struct
{
  GMutex   lock;
  GCond    cond;
  gpointer value; /* NULL: not computed yet */
  gboolean busy;
} TsSlot;

void     ts_slot_init (TsSlot *slot);
void     ts_slot_clear (TsSlot *slot); /* the value is the caller's to free, before */
/* FALSE: cancelled. TRUE: *value is there, or it is NULL and the caller computes it and calls ts_slot_end() in any case. */
gboolean ts_slot_begin (TsSlot *slot, GCancellable *cancellable, gpointer *value);
/* The value if it is there; waits for nobody. */
gpointer ts_slot_peek (TsSlot *slot);
/* Stores the value; NULL: computing failed, the next one who asks tries again. Returns the value. */
gpointer ts_slot_end (TsSlot *slot, gpointer value);

/* A parsed file, shared by the runs that read it alike. */
typedef struct
{
  gint        refs; /* atomic */
  TsModule   *module; /* NULL: nothing could be made of it */
  TsDiagList *diags;
} TsParsed;

TsParsed *ts_parsed_ref (TsParsed *parsed);
void      ts_parsed_unref (TsParsed *parsed);

/* What every operation's pipeline pairs are, also where a pass has stripped them. */
typedef struct
{
  guint           n;
  const TsStage **stages; /* by operation id; NULL: none */
  guint32        *counts;
} TsStageTable;

/* One snapshot; runs on one input share those that are the same. */
typedef struct
{
  gint            refs; /* atomic */
  TsSnapshot      public;
  TsParsed       *parsed;  /* of an input or a loaded file, or NULL */
  TsModule       *changed_input; /* the parsed module with other stage depths, or NULL */
  TsPassSnapshot *pass;    /* of a pass, or NULL */
  TsSource       *source;  /* of a loaded file, or NULL */
  TsDiagList     *own_diags;
  TsPropertySet   known;   /* verified and not invalidated since */
  TsSlot          text;    /* TsSnapshotText */
  TsSlot          ops;     /* TsOp *[n_ops] */
  TsSlot          functions; /* GArray of TsRunFunction */
  TsSlot          steps;   /* TsSteps */
  TsSlot          sharing; /* GHashTable: name of a buffer to the GArray of numbers of `steps` that put it into another */
  TsSlot          links;   /* TsProvenance to the snapshot before that has a module */
  TsSlot          stages;  /* TsStageTable */
} TsSnap;

TsSnap *ts_snap_new (guint index, const char *pass);
TsSnap *ts_snap_ref (TsSnap *snap);
void    ts_snap_unref (TsSnap *snap);

/* What is known of one function of one snapshot under the run's machine and bindings. */
typedef struct
{
  TsSlot    simulation; /* TsSimulation */
  TsSlot    edges;      /* TsBufferEdges */
  TsSlot    memory;     /* TsMemoryFacts */
  gboolean  no_memory;  /* none of its tiles carries a MemRef; guarded by `memory` */
  TsSlot    bill;       /* TsBillRow */
} TsFunctionFacts;

struct TsRun
{
  gint         refs; /* atomic */
  TsInput     *input;
  TsRunOptions options;  /* everything it points at is owned */
  TsMachine   *machine;
  GArray      *plan;     /* TsPlannedPass */
  TsLanguage   language;
  TsRun       *base;     /* what to share with, until prepared */
  TsParsed    *parsed;   /* of a single file */
  TsDiagList  *diags;
  char        *advice;
  GPtrArray   *snaps;    /* TsSnap */
  GMutex       prepare_lock;
  gboolean     prepared;
  GError      *prepare_error;
  GMutex       facts_lock;
  GPtrArray   *facts;    /* by snapshot: GHashTable of function name to TsFunctionFacts, or NULL */
};

static inline TsSnap *
ts_run_snap (TsRun *run, guint index)
{
  return g_ptr_array_index (run->snaps, index);
}

/* Facts of a function of a snapshot; made empty when there are none. The name must be one of the snapshot's. */
TsFunctionFacts *ts_run_facts (TsRun *run, guint index, const char *function);
void             ts_function_facts_free (gpointer facts);
/* The nearest earlier snapshot with a module; -1: none. */
gint             ts_run_previous_with_module (const TsRun *run, guint index);
/* Links to it; NULL when there is none or when cancelled. */
const TsProvenance *ts_run_links (TsRun *run, guint index, GCancellable *cancellable);
const TsStageTable *ts_run_stage_table (TsRun *run, guint index, GCancellable *cancellable);
/* As a callback of the simulator and of the memory facts: `data` is a TsStageTable. */
const TsStage   *ts_stage_table_lookup (gint32 op, guint *n, gpointer data);
/* Fills `snaps`: parses, then runs the passes. */
/* Are they all NAME=VALUE, each name once? TS_RUN_ERROR_USAGE. */
gboolean         ts_run_check_defines (const char *const *defines, GError **error);
/* The run's bindings by the names that `function`, of one of its snapshots, gives its parameters; free with g_strfreev. */
char           **ts_run_defines_for (TsRun *run, const TsFunction *function);
/* Warns of names that the input does not hold. */
void             ts_run_warn_defines (TsRun *run);
gboolean         ts_run_load_file (TsRun *run, GCancellable *cancellable, TsRunProgress progress, gpointer data, GError **error);
gboolean         ts_run_load_folder (TsRun *run, GCancellable *cancellable, TsRunProgress progress, gpointer data, GError **error);
gboolean         ts_run_passes (TsRun *run, GCancellable *cancellable, TsRunProgress progress, gpointer data, GError **error);
/* Do two runs read the input the same way (entry, bindings)? */
gboolean         ts_run_same_reading (const TsRun *a, const TsRun *b);
gboolean         ts_run_same_stages (const TsRun *a, const TsRun *b);
/* Prints a module of either language. */
char            *ts_print_module (const TsModule *module, GArray *places, GPtrArray *names);
/* print, parse, compare: what TS_VERIFY_FULL checks. A TsModuleCheck. */
gboolean         ts_run_check_round_trip (const TsModule *module, TsDiagList *diags, gpointer data);

G_END_DECLS
