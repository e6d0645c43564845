/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of a machine, shared by the files of this folder. */
#pragma once

#include "machine/machine.h"

G_BEGIN_DECLS

typedef enum
{
#define TS_MACHINE_KEY(id, ...) KEY_##id,
#include "machine/keys.def"
#undef TS_MACHINE_KEY
  N_KEYS,
} MachineKey;

typedef enum { SCENARIO_SHARED, SCENARIO_HOT, SCENARIO_COLD } Scenario;

/* Cost of a vector operation: head once, then `per_repeat` for each repeat. A negative head marks an absent rate. */
typedef struct
{
  double head;
  double per_repeat;
} VectorRate;

typedef struct
{
  guint16    code;  /* TsOpCode */
  guint8     dtype; /* TS_DTYPE_NONE: any */
  VectorRate rate;
} OpRate;

struct TsMachine
{
  gatomicrefcount references;
  char           *name;
  double          figure[N_KEYS]; /* number, or index of the choice; NAN when the file does not say */
  TsMachineTiming timing;
  VectorRate      rates[TS_N_COST_CLASSES][TS_N_DTYPES];
  GArray         *op_rates;       /* OpRate */
  gint32          pair_flag[TS_N_PIPES][TS_N_PIPES]; /* from [sync]; -1 when the file does not say */
  GStringChunk   *texts;
  GArray         *figures;        /* TsFigure */
};

static inline double
machine_figure (const TsMachine *machine, MachineKey key, double fallback)
{
  const double value = machine->figure[key];
  return value == value ? value : fallback; /* NAN differs from itself */
}

static inline gboolean
machine_has (const TsMachine *machine, MachineKey key)
{
  return machine->figure[key] == machine->figure[key];
}

/* Everything wrong with a file: a line each, as many as TS_MAX_DIAGS_PRINTED. */
typedef struct
{
  GString       *text;
  guint          n;
  TsMachineError first; /* the code of the first */
} MachineFaults;

void     machine_fault (MachineFaults *faults, TsMachineError code, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* lines.c. The text without the lines that cannot be read, which are told; NULL when there is no group at all. Free with g_free. */
char    *machine_check_lines (const char *name, const char *text, gsize length, MachineFaults *faults);

/* load.c. Fills `machine` from a key file's text; errors name the file, the group and the key. */
gboolean machine_read (TsMachine *machine, const char *text, gsize length, const char *const *overrides, GError **error);

G_END_DECLS
