/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One simulation from end to end: function -> stream -> schedule -> results. Source: spec simulator.md. */
#pragma once

#include "ir/module.h"
#include "ir/memory-facts.h"
#include "sim/result.h"

G_BEGIN_DECLS

/* What a name that the function leaves open is taken as. */
typedef struct
{
  const char *name;
  const char *shown;   /* as the user wrote it, before passes numbered it; the name where two open names would be shown alike */
  gint64      value;
  gboolean    assumed; /* nobody bound it: the default (8) */
} TsBoundName;

/* Loops that repeat themselves: execute every iteration, or fill in what is known without (results are the same; the events in
 * between are left out)? */
typedef enum
{
  TS_SIM_FILL_AUTO,   /* fill in where it saves some hundred thousand instructions, or keeps within the bound */
  TS_SIM_FILL_ALWAYS, /* wherever it can be done */
  TS_SIM_FILL_NEVER,
} TsSimFill;

/* Every field may be zero. */
typedef struct
{
  const char *const *defines;      /* NULL-terminated "NAME=VALUE"; names of scalar parameters, dynamic dimensions, block_idx */
  gint64             max_instructions; /* 0: TS_SIM_MAX_INSTRUCTIONS */
  TsSimFill          fill;
  /* Pipeline membership of an operation where the module no longer says it (after MemoryReuse); NULL: the attribute only. */
  const TsStage   *(*membership) (gint32 op, guint *n, gpointer data);
  gpointer           membership_data;
  TsSimProgress      progress;     /* may be NULL */
  gpointer           progress_data;
} TsSimOptions;

#define TS_SIM_MAX_INSTRUCTIONS 4000000
#define TS_SIM_MOST_INSTRUCTIONS 32000000 /* whatever is asked for: about 3 GB are kept then */
#define TS_SIM_DEFAULT_TRIPS 8

#define TS_SIM_ERROR ts_sim_error_quark ()
typedef enum
{
  TS_SIM_ERROR_FUNCTION, /* nothing to simulate here: no body, orchestration, no pipe */
  TS_SIM_ERROR_DEFINE,   /* a define that is not NAME=INTEGER, or names nothing */
} TsSimError;
GQuark ts_sim_error_quark (void);

/* Everything about one simulation. Owned by whoever made it; holds references on the machine and the string pool, none on the
 * module. */
typedef struct TsSimulation
{
  const char        *function; /* name */
  TsMachine         *machine;
  TsStream          *stream;
  TsSchedule        *schedule;
  TsResult          *result;
  TsDiagList        *diags;    /* assumptions, unknown operations, cut streams, capacity, deadlock; never NULL */
  const TsBoundName *bindings; /* by name */
  guint              n_bindings;
} TsSimulation;

/* Can this function be simulated? When not, *why is one sentence (static). */
gboolean      ts_simulate_can (const TsModule *module, const TsFunction *function, const char **why);
/* Is this a name that a define may bind although no program holds it: block_idx, program_id and the like? */
gboolean      ts_simulate_knows_name (const char *name);
/* NULL with TS_SIM_ERROR or G_IO_ERROR_CANCELLED. A cut stream or a deadlock is no error: see `diags`, stream->truncated,
 * schedule->status. */
TsSimulation *ts_simulate (const TsModule *module, const TsFunction *function, TsMachine *machine, const TsSimOptions *options,
                           GCancellable *cancellable, GError **error);
void          ts_simulation_free (TsSimulation *simulation);
/* Why the figures of a simulation mean nothing (a deadlock, a time beyond 64 bits): the message of its first error, or NULL. */
const char   *ts_simulation_fault (const TsSimulation *simulation);

/* --- since ---------------------------------------------------------------------------------------------------------------- */

/* Which statements of a snapshot are ordered by sharing bytes of a buffer. To find the pass that first made an
 * edge, ask the sets of earlier snapshots with the operations' ids there. */
typedef struct TsBufferEdges TsBufferEdges;
/* NULL only when cancelled. */
TsBufferEdges *ts_buffer_edges_new (const TsStream *stream, GCancellable *cancellable);
void           ts_buffer_edges_free (TsBufferEdges *edges);
/* Do the two statements touch common bytes, at least one of them writing? Order does not matter. O(log n). */
gboolean       ts_buffer_edges_has (const TsBufferEdges *edges, gint32 op, gint32 other);

/* --- differences ---------------------------------------------------------------------------------------------------------- */

/* One figure of the results that two simulations do not share; -1 where it is not there: a pipe that is not used, a loop that is
 * gone. */
typedef struct
{
  char  *figure; /* "core0 MTE2 busy" */
  gint64 before, after;
} TsResultChange;
/* Everything of simulator.md section 4 that differs, in a fixed order; TsResultChange. Free with g_ptr_array_unref. */
GPtrArray *ts_simulation_changes (const TsSimulation *before, const TsSimulation *after);

/* --- JSON and traces -------------------------------------------------------------------------------------------------------- */

/* Since when stages share bytes, and why. */
typedef struct
{
  const char *pass; /* NULL: not known */
  const char *rule; /* what let them */
  gint64      step; /* among the steps of that pass; -1: it is no pass of ours, or none of its steps tells */
} TsCollapseOrigin;

/* What the command line knows and the simulation does not. */
typedef struct
{
  guint        snapshot;  /* index */
  const char  *pass;
  const TsDiagList *diags;/* of the run, put before those of the simulation; may be NULL */
  /* The pass after which the buffer edge of a wait first exists; may be NULL, may return NULL. */
  const char *(*since) (gint32 op, gint32 on, gpointer data);
  /* Where collapsed stages come from; may be NULL. */
  TsCollapseOrigin (*collapse) (const TsCollapsed *collapsed, gpointer data);
  /* Memory facts of what a core runs: bytes over program order, buffers by stage; may be NULL, may return NULL. */
  const TsMemoryFacts *(*facts) (const TsCore *core, gpointer data);
  gpointer     since_data; /* of these three */
  const TsSimulation *before; /* of the snapshot before, to tell what changed; may be NULL */
  GCancellable *cancellable; /* may be NULL */
} TsSimContext;

/* The object of `simulate --json`, ended by a newline. FALSE: cancelled, the text is cut. Source: cli.md. */
gboolean ts_simulation_to_json (const TsSimulation *simulation, const TsSimContext *context, gboolean pretty, GString *out);
/* Chrome trace events in object form: one process per core, one thread per pipe and sub-row, cycles as microseconds. FALSE as
 * above. Source: cli.md. */
gboolean ts_simulation_to_trace (const TsSimulation *simulation, const TsSimContext *context, GString *out);
/* Sub-row of every instruction within its pipe (0 unless several are in flight). Array of n_instructions; free with g_free. */
guint8 *ts_schedule_sub_rows (const TsStream *stream, const TsSchedule *schedule);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsSimulation, ts_simulation_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsBufferEdges, ts_buffer_edges_free)

G_END_DECLS
