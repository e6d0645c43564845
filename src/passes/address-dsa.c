/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a function to a DSA-RP problem and back. */
#include "passes/address-dsa.h"

#include "base/number.h"
#include "passes/declared-allocations.h"
#include "passes/dsa-evidence.h"
#include "passes/dsa-rp.h"
#include "passes/memory-rules.h"

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
  TsMap             forbidden; /* (interval, interval) with the smaller first: a no-alias or hazard constraint */
  guint8           *declared;  /* per buffer */
  gboolean          relaxed;
} Placement;

/* --- what must and what should stay apart ------------------------------------------------------------------------------- */

static gboolean
declared (const TsLifeInterval *interval)
{
  return interval->alloc != NULL && ts_alloc_is_pinned (interval->alloc);
}

static gboolean
other_reason (const Placement *p, guint32 a, guint32 b)
{
  guint32 x = MIN (p->interval[a], p->interval[b]), y = MAX (p->interval[a], p->interval[b]);
  const guint32 *start = p->constraints->start;
  if (p->declared[a] || p->declared[b])
    return TRUE;
  return start[x] < start[x + 1] && start[y] < start[y + 1] && ts_map_get (&p->forbidden, (guint64) x << 32 | y, FALSE);
}

static gboolean
stages_differ (const Placement *p, guint32 a, guint32 b)
{
  const TsLifeInterval *x = &p->life->intervals[p->interval[a]], *y = &p->life->intervals[p->interval[b]];
  for (guint32 i = 0; i < x->n_stages; i++)
    for (guint32 k = 0; k < y->n_stages; k++)
      if (x->stages[i].group == y->stages[k].group && x->stages[i].stage != y->stages[k].stage)
        return TRUE;
  return FALSE;
}

static gboolean
separated (guint32 a, guint32 b, gpointer data)
{
  const Placement *p = data;
  return other_reason (p, a, b) || (!p->relaxed && stages_differ (p, a, b));
}

/* Held apart by nothing but their pipeline stages. */
static gboolean
may_relax (const Placement *p, guint32 a, guint32 b)
{
  return p->buffers[a].pool == p->buffers[b].pool && stages_differ (p, a, b) && !other_reason (p, a, b)
         && !ts_dsa_lives_meet (&p->buffers[a], &p->buffers[b]);
}

static gint64
penalty (guint32 a, guint32 b, gpointer data)
{
  const Placement *p = data;
  gboolean evident = p->evidence != NULL && p->evidence[p->interval[a]].usable && p->evidence[p->interval[b]].usable;
  if ((!evident && !p->relaxed) || ts_dsa_lives_meet (&p->buffers[a], &p->buffers[b]) || separated (a, b, data))
    return 0;
  if (p->relaxed && stages_differ (p, a, b))
    return 1;
  if (!evident)
    return 0;
  return ts_pipe_evidence_penalises (p->life, p->evidence, p->interval[a], p->interval[b])
         || ts_pipe_evidence_penalises (p->life, p->evidence, p->interval[b], p->interval[a]);
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
  p->declared = g_new0 (guint8, (gsize) p->life->n_intervals + 1);
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
      buffer->begin = 2 * (gint64) interval->def + 1;
      buffer->end = MAX (buffer->begin + 1, 2 * (gint64) interval->last + 1);
      buffer->pool = interval->space;
      TsDsaPool *pool = &p->pools[interval->space];
      pool->capacity = ts_add_sat (pool->capacity, ts_round_up (buffer->size, TS_BUFFER_ALIGNMENT));
      p->declared[p->n] = declared (interval);
      p->interval[p->n++] = i;
    }
  for (guint i = 0; i < TS_N_SPACES; i++)
    {
      gint64 capacity = ts_machine_capacity (p->context->machine, i);
      p->pools[i].capacity = capacity > 0 ? capacity : ts_add_sat (p->pools[i].capacity, p->pools[i].reserved);
    }
  for (guint32 a = 0; a < p->constraints->n_intervals; a++)
    for (guint32 k = p->constraints->start[a]; k < p->constraints->start[a + 1]; k++)
      if (a < p->constraints->entries[k].interval)
        ts_map_set (&p->forbidden, (guint64) a << 32 | p->constraints->entries[k].interval, TRUE);
  return TRUE;
}

/* Pairs that were relaxed, how many of them share bytes now, and the space of the first that do. */
static gboolean
count_relaxed (const Placement *p, const gint64 *offsets, guint64 *relaxed, guint64 *sharing, TsSpace *space)
{
  *relaxed = *sharing = 0;
  for (guint32 a = 0; a < p->n; a++)
    {
      if ((a & 63) == 0 && ts_pass_cancelled (p->context))
        return FALSE;
      for (guint32 b = a + 1; b < p->n; b++)
        {
          if (!may_relax (p, a, b))
            continue;
          ++*relaxed;
          if (offsets != NULL && offsets[a] < offsets[b] + p->buffers[b].size && offsets[b] < offsets[a] + p->buffers[a].size
              && ++*sharing == 1)
            *space = (TsSpace) p->buffers[a].pool;
        }
    }
  return TRUE;
}

static void
hint_relaxed (const Placement *p, const gint64 *offsets)
{
  guint64 relaxed, sharing;
  TsSpace space = TS_SPACE_VEC;
  if (!count_relaxed (p, offsets, &relaxed, &sharing, &space) || sharing == 0)
    return;
  ts_report_about (p->context, p->module, p->function, NULL, TS_SEVERITY_NOTE, "PH-DSA-001", ts_space_name (space),
                   "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                   " relaxed pair(s) reuse physical storage: their pipeline stages wait for each other", sharing, relaxed);
}

static void
step_solution (const Placement *p, const gint64 *offsets, const TsDsaScore *score)
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
  for (guint32 i = 0; i < p->n; i++)
    {
      const TsLifeInterval *interval = &p->life->intervals[p->interval[i]];
      ts_step_begin (steps, "address", p->module, p->function, p->life->tiles[interval->representative].op);
      ts_step_text (steps, "base", interval->base->hint);
      ts_step_text (steps, "space", ts_space_name (interval->space));
      ts_step_int (steps, "address", offsets[i]);
      ts_step_int (steps, "bytes", p->buffers[i].size);
    }
}

static gboolean
solve (Placement *p, gint64 *offsets)
{
  TsDsaProblem problem = { p->buffers, p->n, p->pools, TS_N_SPACES, separated, penalty, p, p->context->cancellable };
  TsDsaScore score = { 0 };
  TsDsaStatus status = ts_dsa_solve (&problem, offsets, &score);
  if (status == TS_DSA_NO_FIT)
    {
      guint64 relaxed = 0, sharing;
      if (!count_relaxed (p, NULL, &relaxed, &sharing, NULL))
        return FALSE;
      p->relaxed = relaxed > 0;
      if (p->relaxed)
        status = ts_dsa_solve (&problem, offsets, &score);
    }
  if (status == TS_DSA_CANCELLED)
    return FALSE;
  g_autofree char *wrong = status == TS_DSA_OK ? ts_dsa_validate (&problem, offsets) : NULL;
  if (status == TS_DSA_INVALID || wrong != NULL)
    ts_report_about (p->context, p->module, p->function, NULL, TS_SEVERITY_ERROR, "internal", NULL,
                     "DSA-RP made no valid placement: %s", wrong != NULL ? wrong : "the problem contradicts itself");
  else if (status != TS_DSA_OK)
    ts_report_about (p->context, p->module, p->function, NULL, TS_SEVERITY_ERROR, "dsa-no-fit", NULL,
                     "DSA-RP could not find a placement for the %u buffers of '%s'", p->n, p->function->name);
  else
    {
      step_solution (p, offsets, &score);
      if (p->relaxed)
        hint_relaxed (p, offsets);
      return TRUE;
    }
  return FALSE;
}

gboolean
ts_place_dsa (TsPassContext *context, TsModule *module, TsFunction *function, const TsReserved *reserved, TsMap *addresses)
{
  Placement p = { .context = context, .module = module, .function = function };
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
  ok = ok && solve (&p, offsets);
  for (guint32 i = 0; i < p.n && ok; i++)
    ts_map_set (addresses, (guint32) p.life->intervals[p.interval[i]].base->id, (guint64) offsets[i]);
  g_free (p.interval);
  g_free (p.buffers);
  g_free (p.declared);
  g_free (p.evidence);
  ts_map_clear (&p.forbidden);
  ts_constraints_free (p.constraints);
  ts_lifetimes_free (p.life);
  return ok;
}
