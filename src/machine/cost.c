/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an instruction costs, and the same formula in words. Source: spec machines.md b, simulator.md 5.
 * Every pricing function takes a string that is NULL unless somebody asked for the words: one place knows each formula. */
#include "machine/machine-private.h"

#include <math.h>

#include "base/number.h"

/* Beyond this a double no longer counts in ones; no sane figure gets there. */
#define MOST_CYCLES 9.0e15

/* Rounds up, forgiving the last bits of a division that should have come out whole. */
static gint64
whole (double x)
{
  if (!(x > 0))
    return 0;
  return x >= MOST_CYCLES ? (gint64) MOST_CYCLES : (gint64) ceil (x - 1e-9 * MAX (1.0, x * 1e-6));
}

static void
say_number (GString *words, double x)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  if (x == floor (x) && fabs (x) < MOST_CYCLES)
    ts_append_int (words, (gint64) x);
  else
    g_string_append (words, g_ascii_formatd (text, sizeof text, "%.6g", x));
}

/* Words with numbers put in for each '#', in order. */
static void
say (GString *words, const char *text, const double *numbers)
{
  if (words == NULL)
    return;
  for (const char *p = text; *p != '\0'; p++)
    if (*p == '#')
      say_number (words, *numbers++);
    else
      g_string_append_c (words, *p);
}

#define SAY(words, text, ...) say (words, text, (const double[]){ __VA_ARGS__ })

/* --- transfers ------------------------------------------------------------------------------------------------------------ */

typedef struct
{
  guint8     pipe, to; /* TsPipe; TsSpace, TS_SPACE_NONE for every other destination */
  MachineKey first;    /* startup, bandwidth, bandwidth-hot, bandwidth-cold, visible: in the order of keys.def */
} Path;

/* More special paths stand before the general one of their pipe. */
static const Path paths[] = {
  { TS_PIPE_MTE2, TS_SPACE_MAT, KEY_MTE2_L1_STARTUP },   { TS_PIPE_MTE2, TS_SPACE_NONE, KEY_MTE2_STARTUP },
  { TS_PIPE_MTE1, TS_SPACE_RIGHT, KEY_MTE1_L0B_STARTUP }, { TS_PIPE_MTE1, TS_SPACE_BIAS, KEY_MTE1_BIAS_STARTUP },
  { TS_PIPE_MTE1, TS_SPACE_NONE, KEY_MTE1_STARTUP },      { TS_PIPE_MTE3, TS_SPACE_MAT, KEY_MTE3_L1_STARTUP },
  { TS_PIPE_MTE3, TS_SPACE_NONE, KEY_MTE3_STARTUP },      { TS_PIPE_FIX, TS_SPACE_MAT, KEY_FIX_L1_STARTUP },
  { TS_PIPE_FIX, TS_SPACE_VEC, KEY_FIX_UB_STARTUP },      { TS_PIPE_FIX, TS_SPACE_NONE, KEY_FIX_STARTUP },
};

typedef struct
{
  double startup, bandwidth, visible;
} PathFigures;

/* The path's own figures; what it does not say comes from the general path of the pipe. */
static PathFigures
path_figures (const TsMachine *machine, TsPipe pipe, TsSpace to)
{
  const guint scenario = (guint) machine_figure (machine, KEY_SCENARIO, SCENARIO_SHARED);
  PathFigures out = { NAN, NAN, NAN };
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      const MachineKey first = paths[i].first;
      double           shared;
      if (paths[i].pipe != pipe || (paths[i].to != to && paths[i].to != TS_SPACE_NONE))
        continue;
      shared = machine->figure[first + 1];
      if (isnan (out.startup))
        out.startup = machine->figure[first];
      if (isnan (out.bandwidth))
        out.bandwidth = scenario == SCENARIO_SHARED ? shared : machine_figure (machine, first + 1 + scenario, shared);
      if (isnan (out.visible))
        out.visible = machine->figure[first + 4];
    }
  if (isnan (out.visible))
    out.visible = 0;
  return out;
}

typedef struct
{
  double rows, row; /* what is paid for: rows of so many bytes each */
  double bytes;
} Payload;

/* Each row of a strided transfer occupies whole units: the core's alignment, or the memory's granule where the file gives one. */
static Payload
transfer_payload (const TsMachine *machine, const TsWork *work)
{
  const gboolean from_memory = work->pipe == TS_PIPE_MTE2;
  const gboolean to_memory = work->pipe == TS_PIPE_MTE3 && work->to == TS_SPACE_DDR;
  const gint64   rows = work->row_bytes > 0 ? MAX (work->rows, 1) : 1;
  const gint64   row = work->row_bytes > 0 ? work->row_bytes : MAX (work->bytes, 0);
  double         unit = machine->figure[KEY_ALIGNMENT];
  Payload        payload;
  if (from_memory)
    unit = MAX (unit, machine_figure (machine, KEY_MTE2_GRANULE, 1));
  if (to_memory)
    unit = MAX (unit, machine_figure (machine, KEY_MTE3_GRANULE, 1));
  if (from_memory && work->nd2nz)
    unit = MAX (unit, machine_figure (machine, KEY_MTE2_ND2NZ_ROW, 1));
  payload.rows = (double) rows;
  payload.row = (double) ts_round_up (row, (gint64) unit);
  payload.bytes = payload.rows * payload.row;
  return payload;
}

static void
say_payload (GString *words, const Payload *payload)
{
  if (payload->rows > 1)
    SAY (words, "# rows x #", payload->rows, payload->row);
  else
    SAY (words, "#", payload->bytes);
}

/* Largest odd divisor: block counts that are no power of two cost the accumulator side extra. */
static gint64
odd_part (gint64 n)
{
  while (n > 0 && n % 2 == 0)
    n /= 2;
  return n;
}

/* Cycles the accumulator side of a drain needs to turn rows around; 0 where the file gives no such cost or the layout stays. */
static double
drain_cycles (const TsMachine *machine, const TsWork *work, GString *words)
{
  const gint64 size = MAX (ts_dtype_bytes (work->out_dtype, 1), 1);
  const double m = (double) (work->m > 0 ? work->m : MAX (work->rows, 1));
  const double n = (double) (work->n > 0 ? work->n : MAX (work->row_bytes, 0) / size);
  const double startup = machine_figure (machine, KEY_FIX_L0C_STARTUP, 0);
  const double floor_ = machine_figure (machine, KEY_FIX_L0C_ROW, 0);
  const double bandwidth = machine_figure (machine, KEY_FIX_L0C_BANDWIDTH, INFINITY);
  const double odd = machine_figure (machine, KEY_FIX_L0C_ODD, 0) * (double) MAX (odd_part (ts_ceil_div ((gint64) n, 8)) - 1, 0);
  const double row = MAX (floor_, 4 * n / bandwidth) + odd; /* the accumulator holds four bytes an element */
  if (!work->nz2nd || work->to != TS_SPACE_DDR || !machine_has (machine, KEY_FIX_L0C_ROW))
    return 0;
  SAY (words, "max(# + # rows x #, ", startup, m, row);
  return startup + m * row;
}

static TsCost
price_transfer (const TsMachine *machine, const TsWork *work, GString *words)
{
  const PathFigures path = path_figures (machine, work->pipe, work->to);
  const Payload     payload = transfer_payload (machine, work);
  const gboolean    nd2nz = work->pipe == TS_PIPE_MTE2 && work->nd2nz;
  const double      factor = work->pipe == TS_PIPE_MTE1 && work->transposed && work->to == TS_SPACE_RIGHT
                               ? machine_figure (machine, KEY_MTE1_TRANSPOSED, 1)
                               : 1;
  const double      floor_ = nd2nz ? machine_figure (machine, KEY_MTE2_ND2NZ_FLOOR, 0) : 0;
  const double      bandwidth = nd2nz ? MIN (path.bandwidth, machine_figure (machine, KEY_MTE2_ND2NZ_BANDWIDTH, INFINITY))
                                      : path.bandwidth;
  const gint64      moved = whole (payload.bytes / bandwidth);
  const double      drain = work->pipe == TS_PIPE_FIX ? drain_cycles (machine, work, words) : 0;
  TsCost            cost;

  cost.transfer = whole ((double) moved * factor);
  cost.occupancy = whole (MAX (MAX ((path.startup + (double) moved) * factor, floor_), drain));
  cost.latency = ts_add_sat (cost.occupancy, whole (path.visible));
  if (words == NULL)
    return cost;
  if (floor_ > 0)
    SAY (words, "max(#, ", floor_);
  SAY (words, factor > 1 ? "# x (# + " : "# + ", factor > 1 ? factor : path.startup, path.startup);
  say_payload (words, &payload);
  SAY (words, "/#", bandwidth);
  g_string_append (words, factor > 1 ? ")" : "");
  g_string_append (words, floor_ > 0 || drain > 0 ? ")" : "");
  SAY (words, " = #", (double) cost.occupancy);
  if (path.visible > 0)
    SAY (words, ", visible # later", path.visible);
  return cost;
}

/* --- cube ----------------------------------------------------------------------------------------------------------------- */

static TsCost
price_matmul (const TsMachine *machine, const TsWork *work, GString *words)
{
  const guint  bits = MAX (ts_dtype_bits (work->dtype), 1);
  const double kt = MAX (256 / bits, 1); /* 32 bytes of the input type */
  const double m = (double) ts_ceil_div (MAX (work->m, 1), 16);
  const double n = (double) ts_ceil_div (MAX (work->n, 1), 16);
  const double k = (double) ts_ceil_div (MAX (work->k, 1), (gint64) kt);
  const double passes = work->dtype == TS_DTYPE_FP32 ? machine_figure (machine, KEY_M_PASSES_FP32, 1) : 1;
  const double overhead = machine->figure[KEY_M_OVERHEAD];
  const double visible = machine_figure (machine, KEY_M_VISIBLE, 0);
  TsCost       cost = { 0 };

  cost.occupancy = whole (overhead + passes * m * n * k);
  cost.latency = ts_add_sat (cost.occupancy, whole (visible));
  if (passes > 1)
    SAY (words, "# + # passes x # x # x # = #", overhead, passes, m, n, k, (double) cost.occupancy);
  else
    SAY (words, "# + # x # x # = #", overhead, m, n, k, (double) cost.occupancy);
  if (visible > 0)
    SAY (words, ", visible # later", visible);
  return cost;
}

/* --- vector --------------------------------------------------------------------------------------------------------------- */

static const VectorRate *
pick (const VectorRate *of_dtype, const VectorRate *of_half, const VectorRate *of_any)
{
  if (of_dtype != NULL && of_dtype->head >= 0)
    return of_dtype;
  return of_half != NULL && of_half->head >= 0 ? of_half : of_any;
}

static const VectorRate *
op_rate (const TsMachine *machine, TsOpCode code, TsDtype dtype)
{
  for (guint i = 0; i < machine->op_rates->len; i++)
    {
      const OpRate *rate = &g_array_index (machine->op_rates, OpRate, i);
      if (rate->code == code && rate->dtype == dtype)
        return &rate->rate;
    }
  return NULL;
}

/* A rate of the operation itself before one of its class; 16-bit types without a rate of their own share that of FP16. */
static const VectorRate *
vector_rate (const TsMachine *machine, const TsWork *work)
{
  const TsCostClass class = work->cost == TS_COST_NONE || (guint) work->cost >= TS_N_COST_CLASSES ? TS_COST_UNKNOWN : work->cost;
  const TsDtype     dtype = (guint) work->dtype < TS_N_DTYPES ? work->dtype : TS_DTYPE_NONE;
  const gboolean    half = ts_dtype_bits (dtype) == 16;
  const VectorRate *of_op = pick (op_rate (machine, work->code, dtype), half ? op_rate (machine, work->code, TS_DTYPE_FP16) : NULL,
                                  op_rate (machine, work->code, TS_DTYPE_NONE));
  const VectorRate *rates = machine->rates[class];
  const VectorRate *unknown = machine->rates[TS_COST_UNKNOWN];
  const VectorRate *of_class;
  if (of_op != NULL)
    return of_op;
  of_class = pick (&rates[dtype], half ? &rates[TS_DTYPE_FP16] : NULL, &rates[TS_DTYPE_NONE]);
  return of_class->head >= 0 ? of_class : &unknown[TS_DTYPE_NONE];
}

/* A tile whose rows are short, or not full, is worked row by row where the machine's library does so. */
static gboolean
goes_by_rows (const TsMachine *machine, const TsWork *work, double repeat)
{
  return machine->figure[KEY_V_ROWS] > 0 && work->rows > 1 && work->row_bytes > 0
         && ((double) work->row_bytes < repeat || work->gaps);
}

static TsCost
finish_vector (const TsMachine *machine, double head, double work_cycles, GString *words)
{
  const double minimum = machine_figure (machine, KEY_V_MINIMUM, 0);
  TsCost       cost = { 0 };
  cost.latency = whole (head + work_cycles);
  cost.occupancy = machine->figure[KEY_V_HEAD] > 0 ? cost.latency : whole (work_cycles);
  cost.occupancy = MAX (cost.occupancy, whole (minimum));
  cost.latency = MAX (cost.latency, cost.occupancy);
  SAY (words, " = #", (double) cost.latency);
  if (cost.occupancy != cost.latency)
    SAY (words, ", the pipe is held for max(#, #) = #", minimum, work_cycles, (double) cost.occupancy);
  return cost;
}

static TsCost
price_vector (const TsMachine *machine, const TsWork *work, GString *words)
{
  const VectorRate *rate = vector_rate (machine, work);
  const double      repeat = machine->figure[KEY_V_REPEAT];
  const gint64      unit = (gint64) repeat;
  const gint64      bytes = work->bytes > 0 ? work->bytes : ts_mul_sat (MAX (work->rows, 1), MAX (work->row_bytes, 0));
  double            repeats;

  if (!goes_by_rows (machine, work, repeat))
    {
      repeats = (double) MAX (ts_ceil_div (bytes, unit), 1);
      SAY (words, "# + # repeats x #", rate->head, repeats, rate->per_repeat);
      return finish_vector (machine, rate->head, repeats * rate->per_repeat, words);
    }
  repeats = (double) ts_ceil_div (work->row_bytes, unit);
  if (machine_has (machine, KEY_V_ROW_HEAD))
    {
      const double head = machine->figure[KEY_V_ROW_HEAD];
      const double per_row = machine_figure (machine, KEY_V_ROW_COST, 0);
      const double per_repeat = MAX (machine_figure (machine, KEY_V_ROW_REPEAT, 0), rate->per_repeat);
      SAY (words, "# + # rows x (# x # + #)", head, (double) work->rows, per_repeat, repeats, per_row);
      return finish_vector (machine, head, (double) work->rows * (per_repeat * repeats + per_row), words);
    }
  SAY (words, "# + # rows x # repeats x #", rate->head, (double) work->rows, repeats, rate->per_repeat);
  return finish_vector (machine, rate->head, (double) work->rows * repeats * rate->per_repeat, words);
}

/* --- scalar and the rest -------------------------------------------------------------------------------------------------- */

static TsCost
price_flat (double cycles, const char *text, GString *words)
{
  const gint64 n = whole (cycles);
  SAY (words, text, (double) n);
  return (TsCost){ n, n, 0 };
}

static gboolean
reads_memory (TsOpCode code)
{
  return code == TS_OP_TILE_READ || code == TS_OP_TENSOR_READ;
}

static TsCost
price_scalar (const TsMachine *machine, const TsWork *work, GString *words)
{
  if (work->cost == TS_COST_UNKNOWN)
    return price_flat (machine->figure[KEY_UNKNOWN], "# for an operation nobody knows", words);
  if (reads_memory (work->code))
    return price_flat (machine->figure[KEY_S_LOAD], "# for a scalar load", words);
  if (work->code == TS_OP_TENSOR_WRITE || work->code == TS_OP_TILE_WRITE)
    return price_flat (machine->figure[KEY_S_STORE], "# for a scalar store", words);
  return price_flat (machine->figure[KEY_S_OP], "# for a scalar operation", words);
}

static TsCost
price (const TsMachine *machine, const TsWork *work, GString *words)
{
  /* A flag or a barrier moves and computes nothing, whatever unit it stands on. Source: machines.md b.6. */
  if (work->cost == TS_COST_SYNC && work->pipe != TS_PIPE_NONE)
    return price_flat (machine->figure[KEY_S_SYNC], "# for a synchronisation", words);
  switch (work->pipe)
    {
    case TS_PIPE_MTE2:
    case TS_PIPE_MTE1:
    case TS_PIPE_MTE3:
    case TS_PIPE_FIX:
      return price_transfer (machine, work, words);
    case TS_PIPE_M:
      return work->cost == TS_COST_MATMUL ? price_matmul (machine, work, words)
                                          : price_flat (machine->figure[KEY_M_OVERHEAD], "# for the cube's overhead", words);
    case TS_PIPE_V:
      return price_vector (machine, work, words);
    case TS_PIPE_S:
      return price_scalar (machine, work, words);
    case TS_PIPE_NONE:
    default:
      return price_flat (0, "# without a unit", words);
    }
}

TsCost
ts_machine_cost (const TsMachine *machine, const TsWork *work)
{
  return price (machine, work, NULL);
}

char *
ts_machine_explain (const TsMachine *machine, const TsWork *work)
{
  GString *words = g_string_new (NULL);
  price (machine, work, words);
  return g_string_free (words, FALSE);
}
