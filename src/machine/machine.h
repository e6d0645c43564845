/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine: figures of one AI core, read from a key file. Immutable once made, reference-counted, safe to share between threads.
 * Source of the shipped figures: spec machines.md; of the rules: simulator.md section 5. */
#pragma once

#include <gio/gio.h>

#include "base/diag.h"
#include "ir/op-info.h"

G_BEGIN_DECLS

typedef struct TsMachine TsMachine;

#define TS_MACHINE_ERROR ts_machine_error_quark ()
typedef enum
{
  TS_MACHINE_ERROR_READ,        /* file cannot be read */
  TS_MACHINE_ERROR_SYNTAX,      /* not a key file */
  TS_MACHINE_ERROR_UNKNOWN_KEY,
  TS_MACHINE_ERROR_MISSING_KEY,
  TS_MACHINE_ERROR_BAD_VALUE,   /* not a number, negative, out of range */
  TS_MACHINE_ERROR_UNKNOWN_MACHINE,
} TsMachineError;
GQuark ts_machine_error_quark (void);

/* Names of the shipped machines ("teaching", "ascend910b", "ascend950"), NULL-terminated. */
const char *const *ts_machine_shipped_names (void);
/* The shipped names, then those of the user's own machines in order, whatever is in their files. Free with g_strfreev. */
char      **ts_machine_names (void);
/* The user's own file that a shipped machine of this name hides, or NULL. Free with g_free. */
char       *ts_machine_hidden_file (const char *name);
/* A warning where there is one: who put it there means it to be used. */
void        ts_machine_warn_hidden (const char *name, TsDiagList *diags);
/* A shipped name, a file in the user's data directory (machines/NAME.machine), or a path. `overrides` is NULL or a NULL-terminated
 * list of "[GROUP.]KEY=VALUE" (a key without group belongs to `core`). The error names file, group and key of everything that is
 * wrong, a line each; its code is that of the first. */
TsMachine  *ts_machine_load (const char *name_or_path, const char *const *overrides, GError **error);
/* From the text of a key file; `name` is shown in messages. */
TsMachine  *ts_machine_load_text (const char *name, const char *text, const char *const *overrides, GError **error);
TsMachine  *ts_machine_ref (TsMachine *machine);
void        ts_machine_unref (TsMachine *machine);

const char *ts_machine_name (const TsMachine *machine);
double      ts_machine_clock_ghz (const TsMachine *machine);
TsBackend   ts_machine_backend (const TsMachine *machine);
/* Usable bytes of a space; 0: no limit known. */
gint64      ts_machine_capacity (const TsMachine *machine, TsSpace space);
/* Rows an accumulator is rounded up to: 16, or 32 for INT32 on a2a3 and without a backend. Source: passes-memory 1.3. */
gint64      ts_machine_acc_rows (const TsMachine *machine, TsDtype dtype);

typedef enum { TS_GM_ALIAS_WINDOW, TS_GM_ALIAS_TENSOR, TS_GM_ALIAS_NONE } TsGmAlias;

/* Figures the scheduler needs, resolved: cycles. Source: simulator.md section 3. */
typedef struct
{
  gint64    dispatch_cost;
  gint64    queue_depth[TS_N_PIPES]; /* 0: in-order issue, stalls block everything behind */
  gint64    in_flight[TS_N_PIPES];   /* >= 1 */
  gint64    sync[TS_N_PIPES][TS_N_PIPES]; /* producer pipe, consumer pipe: flag cost between pipes; [V][V]: barrier cost */
  gint64    barrier[TS_N_PIPES];     /* what a barrier instruction on that pipe waits after what it waits for is over */
  gint64    cross_core;              /* added to a pop after its push */
  TsGmAlias gm_alias;
} TsMachineTiming;

const TsMachineTiming *ts_machine_timing (const TsMachine *machine);

/* What an operation moves or computes, as far as its cost depends on it; filled by the simulator (and by tests). */
typedef struct
{
  TsPipe      pipe;
  TsCostClass cost;
  TsOpCode    code;         /* for figures given by operation */
  TsSpace     from, to;     /* of a transfer */
  TsDtype     dtype;        /* element type that decides the rate (input type of a matmul) */
  TsDtype     out_dtype;
  gint64      rows;         /* of a transfer or vector operation */
  gint64      row_bytes;    /* contiguous bytes per row; rows x row_bytes is the payload */
  gboolean    gaps;         /* the rows of a vector operation are not next to each other: its tile is not full width */
  gint64      bytes;        /* widest operand of a vector operation; payload of a transfer */
  gint64      m, n, k;      /* matmul; m and n also of a drain (0: from rows and row_bytes) */
  gboolean    nd2nz;        /* load into Mat that changes the layout */
  gboolean    nz2nd;        /* drain of an accumulator to row-major global memory */
  gboolean    transposed;
} TsWork;

typedef struct
{
  gint64 occupancy; /* cycles it holds its pipe */
  gint64 latency;   /* start to result visible */
  gint64 transfer;  /* bandwidth part of a transfer: what serialises when several are in flight */
} TsCost;

/* Never fails: an operation the machine has no figure for costs what `unknown` says. */
TsCost      ts_machine_cost (const TsMachine *machine, const TsWork *work);
/* The formula with its numbers in words: "100 + 512/64 = 108". For the inspector. Free with g_free. */
char       *ts_machine_explain (const TsMachine *machine, const TsWork *work);

/* Every figure, in file order, for `list machines --verbose`. */
typedef struct
{
  const char *group, *key, *value;
  const char *source; /* where it comes from, or NULL */
  const char *confidence; /* "H", "M", "L" or NULL */
} TsFigure;
const TsFigure *ts_machine_figures (const TsMachine *machine, guint *n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsMachine, ts_machine_unref)

G_END_DECLS
