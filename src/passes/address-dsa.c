/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a function to a DSA-RP problem and back. */
#include "passes/address-dsa.h"

#include <stdlib.h>

#include "base/number.h"
#include "passes/declared-allocations.h"
#include "passes/dsa-evidence.h"
#include "passes/dsa-steps.h"
#include "passes/memory-overflow.h"

typedef struct
{
  TsPassContext    *context;
  TsModule         *module;
  TsFunction       *function;
  TsLifetimes      *life;
  TsConstraints    *constraints;
  TsPipeEvidence   *evidence;  /* NULL without a backend */
  guint32          *interval;  /* buffer to interval: buffers are the intervals outside of DDR */
  TsDsaBuffer      *buffers;
  guint32           n;
  TsDsaPool         pools[TS_N_SPACES];
  GArray           *pairs;     /* TsDsaPair: no-alias and hazard constraints */
  guint32          *kinds;     /* per kind: a buffer of it */
  guint32          *family;    /* per kind */
  guint32           n_kinds;
  gboolean          relaxed;
} Placement;

/* --- what must and what should stay apart ------------------------------------------------------------------------------- */

static gboolean
declared (const TsLifeInterval *interval)
{
  return interval->alloc != NULL && ts_alloc_is_pinned (interval->alloc);
}

static const TsLifeInterval *
interval_of (const Placement *p, guint32 buffer)
{
  return &p->life->intervals[p->interval[buffer]];
}

static gboolean
stages_differ (const Placement *p, guint32 kind_a, guint32 kind_b)
{
  return ts_stages_differ (interval_of (p, p->kinds[kind_a]), interval_of (p, p->kinds[kind_b]));
}

static gint64
relation (guint32 earlier, guint32 later, gpointer data)
{
  const Placement *p = data;
  if (stages_differ (p, earlier, later))
    return p->relaxed ? 1 : TS_DSA_APART;
  return p->evidence != NULL && ts_pipe_evidence_penalises (&p->evidence[p->interval[p->kinds[earlier]]],
                                                            &p->evidence[p->interval[p->kinds[later]]]);
}

/* --- kinds: same stages, same evidence ---------------------------------------------------------------------------------- */

static int
compare_kinds (gconstpointer x, gconstpointer y, gpointer data)
{
  static const TsPipeEvidence nothing = { .usable = FALSE };
  const Placement *p = data;
  guint32 a = *(const guint32 *) x, b = *(const guint32 *) y;
  const TsLifeInterval *ia = interval_of (p, a), *ib = interval_of (p, b);
  const TsPipeEvidence *ea = p->evidence != NULL ? &p->evidence[p->interval[a]] : &nothing;
  const TsPipeEvidence *eb = p->evidence != NULL ? &p->evidence[p->interval[b]] : &nothing;
  if (ia->n_stages != ib->n_stages)
    return ia->n_stages < ib->n_stages ? -1 : 1;
  for (guint32 k = 0; k < ia->n_stages; k++)
    if (ia->stages[k].group != ib->stages[k].group)
      return ia->stages[k].group < ib->stages[k].group ? -1 : 1;
    else if (ia->stages[k].stage != ib->stages[k].stage)
      return ia->stages[k].stage < ib->stages[k].stage ? -1 : 1;
  if (ea->usable != eb->usable || !ea->usable)
    return ea->usable - eb->usable;
  if (ea->path != eb->path)
    return ea->path < eb->path ? -1 : 1;
  if (ea->first_pipe != eb->first_pipe)
    return ea->first_pipe < eb->first_pipe ? -1 : 1;
  return ea->pipes < eb->pipes ? -1 : ea->pipes > eb->pipes;
}

static guint32
family_root (guint32 *family, guint32 kind)
{
  while (family[kind] != kind)
    kind = family[kind] = family[family[kind]];
  return kind;
}

/* Kinds that have a key in common (a pipeline group, a path) belong to one family. */
static void
join_family (Placement *p, TsMap *seen, guint64 key, guint32 kind)
{
  guint32 other = (guint32) ts_map_get (seen, key, kind);
  ts_map_set (seen, key, kind);
  guint32 a = family_root (p->family, kind), b = family_root (p->family, other);
  p->family[MAX (a, b)] = MIN (a, b);
}

static void
find_kinds (Placement *p)
{
  g_autofree guint32 *order = g_new (guint32, (gsize) p->n + 1);
  g_auto (TsMap) groups = { 0 }, paths = { 0 };
  p->kinds = g_new (guint32, (gsize) p->n + 1);
  p->family = g_new (guint32, (gsize) p->n + 1);
  for (guint32 i = 0; i < p->n; i++)
    order[i] = i;
  g_qsort_with_data (order, (gint) p->n, sizeof (guint32), compare_kinds, p);
  for (guint32 i = 0; i < p->n; i++)
    {
      if (i == 0 || compare_kinds (&order[i - 1], &order[i], p) != 0)
        p->kinds[p->n_kinds++] = order[i];
      p->buffers[order[i]].kind = p->n_kinds - 1;
    }
  for (guint32 k = 0; k < p->n_kinds; k++)
    {
      const TsLifeInterval *interval = interval_of (p, p->kinds[k]);
      const TsPipeEvidence *evidence = p->evidence != NULL ? &p->evidence[p->interval[p->kinds[k]]] : NULL;
      p->family[k] = k;
      for (guint32 s = 0; s < interval->n_stages; s++)
        join_family (p, &groups, (guint32) interval->stages[s].group, k);
      if (evidence != NULL && evidence->usable)
        join_family (p, &paths, evidence->path, k);
    }
  for (guint32 k = 0; k < p->n_kinds; k++)
    p->family[k] = family_root (p->family, k);
}

static void
find_pairs (Placement *p)
{
  g_autofree guint32 *buffer_of = g_new (guint32, (gsize) p->life->n_intervals + 1);
  g_autofree guint32 *named_by = g_new0 (guint32, (gsize) p->life->n_intervals + 1); /* interval + 1 */
  for (guint32 i = 0; i < p->life->n_intervals; i++)
    buffer_of[i] = TS_LIFE_NONE;
  for (guint32 i = 0; i < p->n; i++)
    buffer_of[p->interval[i]] = i;
  for (guint32 a = 0; a < p->constraints->n_intervals; a++)
    for (guint32 k = p->constraints->start[a]; k < p->constraints->start[a + 1]; k++)
      {
        guint32 b = p->constraints->entries[k].interval;
        TsDsaPair pair = { buffer_of[a], buffer_of[b], TS_DSA_APART };
        if (a >= b || named_by[b] == a + 1 || pair.a == TS_LIFE_NONE || pair.b == TS_LIFE_NONE)
          continue;
        named_by[b] = a + 1;
        g_array_append_val (p->pairs, pair);
      }
}

/* --- the problem -------------------------------------------------------------------------------------------------------- */

static gboolean
interval_bytes (const Placement *p, const TsLifeInterval *interval, gint64 *bytes)
{
  *bytes = 0;
  for (guint32 t = interval->representative; t != TS_LIFE_NONE; t = p->life->tiles[t].next_member)
    *bytes = MAX (*bytes, p->life->tiles[t].value->type->memref->size);
  gint64 asked;
  if (declared (interval) && ts_alloc_bytes (interval->alloc, &asked))
    *bytes = MAX (*bytes, asked);
  return *bytes > 0;
}

static gboolean
pose (Placement *p, const TsReserved *reserved)
{
  p->interval = g_new (guint32, (gsize) p->life->n_intervals + 1);
  p->buffers = g_new0 (TsDsaBuffer, (gsize) p->life->n_intervals + 1);
  for (guint i = 0; i < TS_N_SPACES; i++)
    p->pools[i].reserved = i == reserved->space ? reserved->end : 0;
  for (guint32 i = 0; i < p->life->n_intervals; i++)
    {
      const TsLifeInterval *interval = &p->life->intervals[i];
      TsDsaBuffer *buffer = &p->buffers[p->n];
      if (interval->space == TS_SPACE_DDR || interval->space >= TS_N_SPACES)
        continue;
      if (!interval_bytes (p, interval, &buffer->size))
        {
          ts_report_about (p->context, p->module, p->function, interval->alloc, TS_SEVERITY_ERROR, "internal",
                           interval->base->hint, "buffer '%s' has no size", interval->base->hint);
          return FALSE;
        }
      buffer->begin = 2 * interval->def + 1;
      buffer->end = MAX (buffer->begin + 1, 2 * interval->last + 1);
      buffer->pool = interval->space;
      TsDsaPool *pool = &p->pools[interval->space];
      pool->capacity = ts_add_sat (pool->capacity, ts_round_up (buffer->size, TS_BUFFER_ALIGNMENT));
      buffer->exclusive = declared (interval);
      p->interval[p->n++] = i;
    }
  for (guint i = 0; i < TS_N_SPACES; i++)
    {
      gint64 capacity = ts_machine_capacity (p->context->machine, i);
      p->pools[i].capacity = capacity > 0 ? capacity : ts_add_sat (p->pools[i].capacity, p->pools[i].reserved);
    }
  find_kinds (p);
  find_pairs (p);
  return TRUE;
}

/* --- what relaxing did -------------------------------------------------------------------------------------------------- */

/* The stretches of the buffers of one pool and kind: of time, or of addresses. */
typedef struct
{
  gint64 *from, *to; /* each sorted */
  guint32 n;
} Stretches;

static int
compare_int64 (gconstpointer x, gconstpointer y)
{
  gint64 a = *(const gint64 *) x, b = *(const gint64 *) y;
  return a < b ? -1 : a > b;
}

/* Pairs of which the first one ends before the second one starts. */
static guint64
count_before (const Stretches *a, const Stretches *b)
{
  guint64 count = 0;
  guint32 ended = 0;
  for (guint32 i = 0; i < b->n; i++)
    {
      while (ended < a->n && a->to[ended] <= b->from[i])
        ended++;
      count += ended;
    }
  return count;
}

/* One row per pool and kind; with `offsets`, of addresses. Buffers that share with nobody are left out. */
static Stretches *
make_stretches (const Placement *p, const gint64 *offsets, gint64 **numbers)
{
  gsize n_rows = (gsize) TS_N_SPACES * p->n_kinds;
  Stretches *rows = g_new0 (Stretches, n_rows + 1);
  gint64 *at = *numbers = g_new (gint64, (gsize) p->n * 2 + 1);
  for (guint32 i = 0; i < p->n; i++)
    rows[(gsize) p->buffers[i].pool * p->n_kinds + p->buffers[i].kind].n += !p->buffers[i].exclusive;
  for (gsize r = 0; r < n_rows; r++)
    {
      rows[r].from = at;
      rows[r].to = at + rows[r].n;
      at += 2 * rows[r].n;
      rows[r].n = 0;
    }
  for (guint32 i = 0; i < p->n; i++)
    {
      const TsDsaBuffer *buffer = &p->buffers[i];
      Stretches *row = &rows[(gsize) buffer->pool * p->n_kinds + buffer->kind];
      if (buffer->exclusive)
        continue;
      row->from[row->n] = offsets != NULL ? offsets[i] : buffer->begin;
      row->to[row->n++] = offsets != NULL ? offsets[i] + buffer->size : buffer->end;
    }
  for (gsize r = 0; r < n_rows; r++)
    {
      qsort (rows[r].from, rows[r].n, sizeof (gint64), compare_int64);
      qsort (rows[r].to, rows[r].n, sizeof (gint64), compare_int64);
    }
  return rows;
}

/* Pairs of buffers in different stages of one group that lie apart in time (`offsets` NULL), or that share bytes; the first space
 * with such a pair goes to `space`, which may be NULL. */
static guint64
count_stage_pairs (const Placement *p, const gint64 *offsets, TsSpace *space)
{
  g_autofree gint64 *numbers = NULL;
  g_autofree Stretches *rows = make_stretches (p, offsets, &numbers);
  guint64 count = 0;
  for (guint32 a = 0; a < p->n_kinds && !ts_pass_cancelled (p->context); a++)
    for (guint32 b = a + 1; b < p->n_kinds; b++)
      for (guint pool = 0; p->family[a] == p->family[b] && pool < TS_N_SPACES; pool++)
        {
          const Stretches *x = &rows[(gsize) pool * p->n_kinds + a], *y = &rows[(gsize) pool * p->n_kinds + b];
          if (x->n == 0 || y->n == 0 || !stages_differ (p, a, b))
            continue;
          guint64 apart = count_before (x, y) + count_before (y, x);
          guint64 found = offsets == NULL ? apart : (guint64) x->n * y->n - apart;
          if (found > 0 && space != NULL && pool < *space)
            *space = (TsSpace) pool;
          count += found;
        }
  return count;
}

/* Pairs held apart by nothing but their pipeline stages. */
static guint64
count_relaxed (const Placement *p)
{
  guint64 count = count_stage_pairs (p, NULL, NULL);
  for (guint k = 0; k < p->pairs->len; k++)
    {
      const TsDsaPair *pair = &g_array_index (p->pairs, TsDsaPair, k);
      const TsDsaBuffer *a = &p->buffers[pair->a], *b = &p->buffers[pair->b];
      count -= a->pool == b->pool && !a->exclusive && !b->exclusive && !ts_dsa_lives_meet (a, b)
               && stages_differ (p, a->kind, b->kind);
    }
  return count;
}

static void
hint_relaxed (const Placement *p, const TsDsaSteps *steps, const gint64 *offsets)
{
  TsSpace space = TS_N_SPACES;
  guint64 sharing = count_stage_pairs (p, offsets, &space);
  if (sharing == 0 || ts_pass_cancelled (p->context))
    return;
  if (p->context->steps != NULL)
    ts_dsa_steps_relaxed (steps, "relaxed-reuse", sharing, offsets);
  ts_report_about (p->context, p->module, p->function, NULL, TS_SEVERITY_NOTE, "PH-DSA-001", ts_space_name (space),
                   "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                   " relaxed pair(s) reuse physical storage: their pipeline stages wait for each other", sharing,
                   count_relaxed (p));
}

/* --- the answer --------------------------------------------------------------------------------------------------------- */

/* The step of a whole space, as the other planner has it: how much of it is taken, or would have to be. */
static void
step_space (const Placement *p, const char *kind, TsSpace space, gint64 bytes)
{
  TsSteps *steps = p->context->steps;
  ts_step_begin (steps, kind, p->module, p->function, NULL);
  ts_step_text (steps, "space", ts_space_name (space));
  ts_step_int (steps, "bytes", bytes);
  ts_step_int (steps, "capacity", ts_machine_capacity (p->context->machine, space));
}

static void
step_spaces (const Placement *p, const gint64 *offsets)
{
  gint64 peaks[TS_N_SPACES] = { 0 };
  for (guint32 i = 0; i < p->n; i++)
    peaks[p->buffers[i].pool] = MAX (peaks[p->buffers[i].pool], offsets[i] + p->buffers[i].size);
  for (guint space = 0; space < TS_N_SPACES; space++)
    if (peaks[space] > 0)
      step_space (p, "space", space, peaks[space]);
}

static void
step_solution (const Placement *p, const TsDsaSteps *told, const gint64 *offsets, const TsDsaScore *score)
{
  TsSteps *steps = p->context->steps;
  if (steps == NULL)
    return;
  ts_step_begin (steps, "solve", p->module, p->function, NULL);
  ts_step_bool (steps, "relaxed", p->relaxed);
  ts_step_int (steps, "order", score->order);
  ts_step_int (steps, "orders", score->n_orders);
  ts_step_int (steps, "penalty", score->penalty);
  ts_step_int (steps, "peak", score->total_peak);
  ts_dsa_steps_addresses (told, offsets);
  step_spaces (p, offsets);
}

/* --- no answer ---------------------------------------------------------------------------------------------------------- */

static int
compare_times (gconstpointer x, gconstpointer y)
{
  const gint64 *a = x, *b = y; /* time, change */
  if (a[0] != b[0])
    return a[0] < b[0] ? -1 : 1;
  return a[1] < b[1] ? -1 : a[1] > b[1]; /* what ends goes first */
}

/* Bytes of a space that are taken at the worst moment: live ones, and all of the declared ones, behind the reserved ones. */
static gint64
bytes_needed (const Placement *p, TsSpace space)
{
  g_autofree gint64 *times = g_new (gint64, (gsize) p->n * 4 + 1);
  gint64 now = ts_round_up (MAX (p->pools[space].reserved, 0), TS_BUFFER_ALIGNMENT), most;
  guint32 n = 0;
  for (guint32 i = 0; i < p->n; i++)
    {
      const TsDsaBuffer *b = &p->buffers[i];
      gint64 bytes = ts_round_up (b->size, TS_BUFFER_ALIGNMENT);
      if (b->pool != space)
        continue;
      if (b->exclusive)
        now = ts_add_sat (now, bytes);
      times[4 * n] = b->begin;
      times[4 * n + 1] = b->exclusive ? 0 : bytes;
      times[4 * n + 2] = b->end;
      times[4 * n++ + 3] = b->exclusive ? 0 : -bytes;
    }
  if (n == 0)
    return 0;
  qsort (times, (gsize) n * 2, 2 * sizeof (gint64), compare_times);
  most = now;
  for (guint32 k = 0; k < 2 * n; k++)
    {
      now = ts_add_sat (now, times[2 * k + 1]);
      most = MAX (most, now);
    }
  return most;
}

/* What a search that ended early adds to what is said of it. */
static char *
cut_short_note (const TsDsaScore *score)
{
  if (!score->cut_short)
    return g_strdup ("");
  return g_strdup_printf ("; only %u of %u orders were tried, as the search ends after %" G_GUINT64_FORMAT " steps",
                          score->n_orders, TS_DSA_ORDERS, TS_DSA_MAX_WORK);
}

static void
warn_cut_short (const Placement *p, const TsDsaScore *score)
{
  g_autofree char *note = cut_short_note (score);
  if (score->cut_short)
    ts_report_about (p->context, p->module, p->function, NULL, TS_SEVERITY_WARNING, "dsa-cut-short", NULL,
                     "DSA-RP may have missed a better placement for the %u buffers of '%s'%s", p->n, p->function->name, note);
}

/* One space without a placement; `stuck` is the buffer that found no address, where no single moment is to blame. */
static void
fail_space (const Placement *p, const TsReserved *reserved, TsSpace space, gint64 needed, guint32 stuck, const char *cut_short)
{
  const TsDsaPool *pool = &p->pools[space];
  guint32 n = 0;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *note = ts_reserved_note (p->function, reserved, space);
  step_space (p, "overflow", space, needed);
  for (guint32 i = 0; i < p->n; i++)
    n += p->buffers[i].pool == space;
  g_string_append_printf (text, "DSA-RP could not find a placement for the %u buffer%s of '%s' in %s: ", n, n == 1 ? "" : "s",
                          p->function->name, ts_space_name (space));
  if (needed > pool->capacity)
    g_string_append_printf (text, "%" G_GINT64_FORMAT " bytes are needed at once, which exceeds the platform limit (%"
                            G_GINT64_FORMAT " bytes)", needed, pool->capacity);
  else
    g_string_append_printf (text, "no address is left for '%s' (%" G_GINT64_FORMAT " bytes) in any order tried; %" G_GINT64_FORMAT
                            " bytes are needed at once, the platform limit is %" G_GINT64_FORMAT " bytes, and buffers that must "
                            "keep apart take more", interval_of (p, stuck)->base->hint, p->buffers[stuck].size, needed,
                            pool->capacity);
  TsDiag *diag = ts_report_about (p->context, p->module, p->function, NULL, TS_SEVERITY_ERROR, "dsa-no-fit",
                                  ts_space_name (space), "%s%s%s", text->str, note, cut_short);
  diag->help = ts_overflow_help (p->module, p->function, space);
}

/* Every space where more is live at once than there is; where none is, that of the buffer without an address. */
static void
fail_no_fit (const Placement *p, const TsReserved *reserved, const TsDsaScore *score)
{
  g_autofree char *cut_short = cut_short_note (score);
  TsSpace stuck_in = p->buffers[score->stuck].pool;
  gboolean told = FALSE;
  for (guint space = 0; space < TS_N_SPACES; space++)
    {
      gint64 needed = bytes_needed (p, space);
      if (needed <= p->pools[space].capacity)
        continue;
      fail_space (p, reserved, space, needed, score->stuck, cut_short);
      told = TRUE;
    }
  if (!told)
    fail_space (p, reserved, stuck_in, bytes_needed (p, stuck_in), score->stuck, cut_short);
}

/* --- strict, then relaxed ----------------------------------------------------------------------------------------------- */

/* Solves the problem; when nothing fits and some pairs are held apart by nothing but their stages, once more without that. */
static TsDsaStatus
solve_twice (Placement *p, TsDsaProblem *problem, const TsDsaSteps *steps, gint64 *offsets, TsDsaScore *score)
{
  TsDsaStatus status = ts_dsa_solve (problem, offsets, score);
  if (status != TS_DSA_NO_FIT)
    return status;
  guint64 n_relaxed = count_relaxed (p);
  if (ts_pass_cancelled (p->context))
    return TS_DSA_CANCELLED;
  if (n_relaxed == 0)
    return status;
  if (problem->listener != NULL)
    ts_dsa_steps_relaxed (steps, "relax", n_relaxed, NULL);
  p->relaxed = TRUE;
  return ts_dsa_solve (problem, offsets, score);
}

static gboolean
solve (Placement *p, const TsReserved *reserved, gint64 *offsets)
{
  TsDsaProblem problem = {
    .buffers = p->buffers, .n = p->n, .pools = p->pools, .n_pools = TS_N_SPACES, .n_kinds = p->n_kinds, .family = p->family,
    .relation = relation, .data = p, .pairs = (const TsDsaPair *) (gpointer) p->pairs->data, .n_pairs = p->pairs->len,
    .cancellable = p->context->cancellable,
  };
  TsDsaSteps steps = { p->context, p->module, p->function, p->life, p->constraints, &problem, p->interval };
  TsDsaScore score = { 0 };
  if (p->context->steps != NULL)
    {
      problem.listener = &ts_dsa_steps_listener;
      problem.listener_data = &steps;
      ts_dsa_steps_problem (&steps);
    }
  TsDsaStatus status = solve_twice (p, &problem, &steps, offsets, &score);
  if (status == TS_DSA_CANCELLED)
    return FALSE;
  g_autofree char *wrong = status == TS_DSA_OK ? ts_dsa_validate (&problem, offsets) : NULL;
  if (status == TS_DSA_INVALID || wrong != NULL)
    ts_report_about (p->context, p->module, p->function, NULL, TS_SEVERITY_ERROR, "internal", NULL,
                     "DSA-RP made no valid placement: %s", wrong != NULL ? wrong : "the problem contradicts itself");
  else if (status != TS_DSA_OK)
    fail_no_fit (p, reserved, &score);
  else
    {
      step_solution (p, &steps, offsets, &score);
      warn_cut_short (p, &score);
      if (p->relaxed)
        hint_relaxed (p, &steps, offsets);
      return TRUE;
    }
  return FALSE;
}

gboolean
ts_place_dsa (TsPassContext *context, TsModule *module, TsFunction *function, const TsReserved *reserved, TsMap *addresses)
{
  Placement p = { .context = context, .module = module, .function = function };
  p.pairs = g_array_new (FALSE, FALSE, sizeof (TsDsaPair));
  p.life = ts_lifetimes_new (module, function, TS_LIFETIMES_PARAMS);
  gboolean ok = ts_check_declared_lives (context, module, function, p.life);
  if (ok)
    {
      p.constraints = ts_constraints_new (context, function, p.life);
      if (ts_machine_backend (context->machine) != TS_BACKEND_NONE)
        p.evidence = ts_pipe_evidence_new (context, function, p.life);
      ok = pose (&p, reserved);
    }
  g_autofree gint64 *offsets = g_new0 (gint64, (gsize) p.n + 1);
  ok = ok && solve (&p, reserved, offsets);
  for (guint32 i = 0; i < p.n && ok; i++)
    ts_map_set (addresses, (guint32) p.life->intervals[p.interval[i]].base->id, (guint64) offsets[i]);
  g_free (p.interval);
  g_free (p.buffers);
  g_free (p.kinds);
  g_free (p.family);
  g_free (p.evidence);
  g_array_unref (p.pairs);
  ts_constraints_free (p.constraints);
  ts_lifetimes_free (p.life);
  return ok;
}
