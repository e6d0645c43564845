/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps of DSA-RP. All that is said here is found anew from the problem, by looking at every buffer: slow and plain, and only done
 * when somebody asks. */
#include "passes/dsa-steps.h"

#include <stdlib.h>

#include "base/number.h"
#include "passes/memory-steps.h"

static const char *
name_of (const TsDsaSteps *s, guint32 buffer)
{
  return s->life->intervals[s->interval[buffer]].base->hint;
}

static void
begin (const TsDsaSteps *s, const char *kind, guint32 buffer)
{
  const TsLifeInterval *interval = &s->life->intervals[s->interval[buffer]];
  ts_step_begin (s->context->steps, kind, s->module, s->function, s->life->tiles[interval->representative].op);
  ts_step_text (s->context->steps, "base", interval->base->hint);
  ts_step_text (s->context->steps, "space", ts_space_name (interval->space));
}

static void
add_list (const TsDsaSteps *s, const char *key, const GPtrArray *texts)
{
  ts_step_texts (s->context->steps, key, (const char *const *) texts->pdata, texts->len);
}

/* --- two buffers -------------------------------------------------------------------------------------------------------- */

static const char *
constraint_between (const TsDsaSteps *s, guint32 a, guint32 b)
{
  const TsConstraints *c = s->constraints;
  guint32 ia = s->interval[a], ib = s->interval[b];
  for (guint32 k = c->start[ia]; k < c->start[ia + 1]; k++)
    if (c->entries[k].interval == ib)
      return ts_constraint_name (c->entries[k].kind);
  return NULL;
}

/* Why two buffers of one pool must not share bytes (*weight is TS_DSA_APART), or had better not; NULL when they may. */
static const char *
why_apart (const TsDsaSteps *s, guint32 a, guint32 b, gint64 *weight)
{
  const TsDsaProblem *p = s->problem;
  const TsDsaBuffer *x = &p->buffers[a], *y = &p->buffers[b];
  *weight = TS_DSA_APART;
  if (x->exclusive || y->exclusive)
    return "declared";
  if (ts_dsa_lives_meet (x, y))
    return "live";
  const char *constraint = constraint_between (s, a, b);
  if (constraint != NULL)
    return constraint;
  gboolean first = x->begin < y->begin, family = p->family[x->kind] == p->family[y->kind];
  *weight = !family || p->relation == NULL ? 0
            : p->relation (first ? x->kind : y->kind, first ? y->kind : x->kind, p->data);
  if (*weight == 0)
    return NULL;
  return ts_stages_differ (&s->life->intervals[s->interval[a]], &s->life->intervals[s->interval[b]]) ? "stage" : "pipe";
}

/* --- the problem -------------------------------------------------------------------------------------------------------- */

static void
step_apart (const TsDsaSteps *s, guint32 i)
{
  g_autoptr (GPtrArray) separations = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) penalties = g_ptr_array_new_with_free_func (g_free);
  guint n_separations = 0, n_penalties = 0;
  for (guint32 k = 0; k < i; k++)
    {
      gint64 weight;
      const char *why = s->problem->buffers[k].pool == s->problem->buffers[i].pool ? why_apart (s, i, k, &weight) : NULL;
      if (why == NULL)
        continue;
      if (weight < 0 && n_separations++ < TS_DSA_STEPS_LISTED)
        g_ptr_array_add (separations, g_strdup_printf ("%s: %s", name_of (s, k), why));
      else if (weight > 0 && n_penalties++ < TS_DSA_STEPS_LISTED)
        g_ptr_array_add (penalties, g_strdup_printf ("%s: %s, %" G_GINT64_FORMAT, name_of (s, k), why, weight));
    }
  begin (s, "apart", i);
  ts_step_int (s->context->steps, "separations", n_separations);
  add_list (s, "from", separations);
  ts_step_int (s->context->steps, "penalties", n_penalties);
  add_list (s, "rather_from", penalties);
  ts_step_listed (s->context->steps, TS_DSA_STEPS_LISTED, MAX (n_separations, n_penalties));
}

void
ts_dsa_steps_problem (const TsDsaSteps *s)
{
  for (guint32 i = 0; i < s->problem->n; i++)
    ts_step_interval (s->context, s->module, s->function, s->life, &s->life->intervals[s->interval[i]]);
  for (guint32 i = 0; i < MIN (s->problem->n, TS_DSA_STEPS_BUFFERS); i++)
    step_apart (s, i);
  if (s->problem->n <= TS_DSA_STEPS_BUFFERS)
    return;
  ts_step_begin (s->context->steps, "limit", s->module, s->function, NULL);
  ts_step_textf (s->context->steps, "message", "what keeps buffers apart is told of the first %u of %u buffers",
                 TS_DSA_STEPS_BUFFERS, s->problem->n);
}

/* --- one placement ------------------------------------------------------------------------------------------------------ */

typedef struct
{
  guint32     buffer;
  gint64      start, end; /* aligned */
  gint64      weight;
  const char *why;
} Neighbour;

static int
compare_addresses (gconstpointer x, gconstpointer y)
{
  gint64 a = *(const gint64 *) x, b = *(const gint64 *) y;
  return a < b ? -1 : a > b;
}

static GArray *
find_neighbours (const TsDsaSteps *s, const TsDsaPlacement *at)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (Neighbour));
  guint32 i = at->order[at->index];
  for (guint32 e = 0; e < at->index; e++)
    {
      guint32 k = at->order[e];
      const TsDsaBuffer *other = &s->problem->buffers[k];
      Neighbour n = { .buffer = k, .start = at->offsets[k] };
      if (other->pool != s->problem->buffers[i].pool || (n.why = why_apart (s, i, k, &n.weight)) == NULL)
        continue;
      n.end = ts_add_sat (n.start, ts_round_up (other->size, TS_DSA_ALIGNMENT));
      g_array_append_val (found, n);
    }
  return found;
}

/* Addresses the specification has a placement ask for, ascending, each once. */
static GArray *
find_candidates (const TsDsaSteps *s, guint32 i, const GArray *neighbours)
{
  gint64 reserved = ts_round_up (MAX (s->problem->pools[s->problem->buffers[i].pool].reserved, 0), TS_DSA_ALIGNMENT), zero = 0;
  GArray *found = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_array_append_val (found, zero);
  g_array_append_val (found, reserved);
  for (guint k = 0; k < neighbours->len; k++)
    g_array_append_val (found, g_array_index (neighbours, Neighbour, k).end);
  g_array_sort (found, compare_addresses);
  guint n = 0;
  for (guint k = 0; k < found->len; k++)
    if (n == 0 || g_array_index (found, gint64, n - 1) != g_array_index (found, gint64, k))
      g_array_index (found, gint64, n++) = g_array_index (found, gint64, k);
  g_array_set_size (found, n);
  return found;
}

/* What is in the way at an address, as text; *penalty is TS_DSA_APART when it is not to be had. */
static char *
describe_address (const TsDsaSteps *s, guint32 i, const GArray *neighbours, gint64 address, gint64 *penalty)
{
  const TsDsaBuffer *buffer = &s->problem->buffers[i];
  const TsDsaPool *pool = &s->problem->pools[buffer->pool];
  gint64 end = ts_add_sat (address, buffer->size);
  const Neighbour *costly = NULL;
  *penalty = TS_DSA_APART;
  if (address < pool->reserved)
    return g_strdup_printf ("%" G_GINT64_FORMAT ": reserved", address);
  gint64 sum = 0;
  for (guint k = 0; k < neighbours->len; k++)
    {
      const Neighbour *n = &g_array_index (neighbours, Neighbour, k);
      if (n->start >= end || n->end <= address)
        continue;
      if (n->weight < 0)
        return g_strdup_printf ("%" G_GINT64_FORMAT ": %s with %s", address, n->why, name_of (s, n->buffer));
      sum = ts_add_sat (sum, n->weight);
      costly = costly != NULL ? costly : n;
    }
  if (end > pool->capacity)
    return g_strdup_printf ("%" G_GINT64_FORMAT ": would end at %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " bytes", address, end,
                            pool->capacity);
  *penalty = sum;
  if (costly != NULL)
    return g_strdup_printf ("%" G_GINT64_FORMAT ": penalty %" G_GINT64_FORMAT ", %s with %s", address, sum, costly->why,
                            name_of (s, costly->buffer));
  return g_strdup_printf ("%" G_GINT64_FORMAT ": free", address);
}

static void
on_place (const TsDsaPlacement *at, gpointer data)
{
  const TsDsaSteps *s = data;
  TsSteps *steps = s->context->steps;
  guint32 i = at->order[at->index];
  if (at->index >= TS_DSA_STEPS_PLACEMENTS && at->found)
    return; /* what ends an order is always told */
  g_autoptr (GArray) neighbours = find_neighbours (s, at), candidates = find_candidates (s, i, neighbours);
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  guint tried = 0;
  for (gboolean settled = FALSE; tried < candidates->len && !settled; tried++)
    {
      gint64 address = g_array_index (candidates, gint64, tried), penalty = 0;
      gboolean listed = texts->len < TS_DSA_STEPS_LISTED || (at->found && address == at->offsets[i]);
      char *text = listed ? describe_address (s, i, neighbours, address, &penalty) : NULL;
      if (text != NULL)
        g_ptr_array_add (texts, text);
      /* The first free address is the best one, and first fit takes the first that is to be had. */
      settled = at->found && address >= at->offsets[i] && (at->number == 1 || at->added == 0);
    }
  begin (s, "place", i);
  ts_step_int (steps, "order", at->number);
  ts_step_int (steps, "bytes", s->problem->buffers[i].size);
  ts_step_text (steps, "outcome", at->found ? "placed" : "no address");
  if (at->found)
    {
      ts_step_int (steps, "address", at->offsets[i]);
      ts_step_int (steps, "penalty", at->added);
    }
  ts_step_int (steps, "tried", tried);
  add_list (s, "candidates", texts);
  ts_step_listed (steps, texts->len, tried);
}

/* --- one order ---------------------------------------------------------------------------------------------------------- */

static void
on_order (guint number, gpointer data)
{
  static const char *const names[] = { "size, first fit", "size", "begin", "penalties", "shuffle 1", "shuffle 2", "shuffle 3",
                                       "shuffle 4" };
  const TsDsaSteps *s = data;
  ts_step_begin (s->context->steps, "order", s->module, s->function, NULL);
  ts_step_int (s->context->steps, "order", number);
  ts_step_text (s->context->steps, "by", number >= 1 && number <= G_N_ELEMENTS (names) ? names[number - 1] : "");
}

static void
on_order_end (const TsDsaOutcome *outcome, gpointer data)
{
  static const char *const names[] = { [TS_DSA_ORDER_KEPT] = "kept",
                                       [TS_DSA_ORDER_NO_FIT] = "no fit",
                                       [TS_DSA_ORDER_NOT_BETTER] = "not better",
                                       [TS_DSA_ORDER_DUPLICATE] = "same as an earlier order" };
  const TsDsaSteps *s = data;
  TsSteps *steps = s->context->steps;
  ts_step_begin (steps, "order-end", s->module, s->function, NULL);
  ts_step_int (steps, "order", outcome->score.order);
  ts_step_text (steps, "outcome", names[outcome->kind]);
  ts_step_int (steps, "placed", outcome->n_placed);
  ts_step_int (steps, "penalty", outcome->score.penalty);
  ts_step_int (steps, "peak", outcome->score.total_peak);
  if (outcome->n_placed > TS_DSA_STEPS_PLACEMENTS)
    ts_step_textf (steps, "limit", "the first %u placements of an order are told", TS_DSA_STEPS_PLACEMENTS);
}

const TsDsaListener ts_dsa_steps_listener = { on_order, on_place, on_order_end };

/* --- relaxing ----------------------------------------------------------------------------------------------------------- */

static gboolean
share_bytes (const TsDsaProblem *p, const gint64 *offsets, guint32 a, guint32 b)
{
  return offsets[a] < offsets[b] + p->buffers[b].size && offsets[b] < offsets[a] + p->buffers[a].size;
}

/* What let stages of one pipeline group share bytes. */
static char *
stages_allowed (const TsDsaSteps *s, guint32 a, guint32 b)
{
  const TsLifeInterval *x = &s->life->intervals[s->interval[a]], *y = &s->life->intervals[s->interval[b]];
  for (guint32 i = 0; i < x->n_stages; i++)
    for (guint32 k = 0; k < y->n_stages; k++)
      if (x->stages[i].group == y->stages[k].group && x->stages[i].stage != y->stages[k].stage)
        return g_strdup_printf ("stages %d and %d of group %d: nothing fitted with them apart", x->stages[i].stage,
                                y->stages[k].stage, x->stages[i].group);
  return NULL;
}

/* Of the buffers that had bytes of buffer i before it: one of another stage of its group, else the latest one. NULL text when the
 * stages have no part in it. */
static guint32
find_former (const TsDsaSteps *s, const gint64 *offsets, guint32 i, char **allowed)
{
  const TsDsaProblem *p = s->problem;
  guint32 found = TS_LIFE_NONE;
  for (guint32 k = 0; k < p->n; k++)
    {
      gint64 weight;
      if (k == i || p->buffers[k].pool != p->buffers[i].pool || p->buffers[k].end > p->buffers[i].begin
          || !share_bytes (p, offsets, i, k))
        continue;
      if (g_strcmp0 (why_apart (s, i, k, &weight), "stage") == 0)
        {
          *allowed = stages_allowed (s, k, i);
          return k;
        }
      if (found == TS_LIFE_NONE || p->buffers[k].begin >= p->buffers[found].begin)
        found = k;
    }
  return found;
}

void
ts_dsa_steps_addresses (const TsDsaSteps *s, const gint64 *offsets)
{
  TsSteps *steps = s->context->steps;
  for (guint32 i = 0; i < s->problem->n; i++)
    {
      g_autofree char *allowed = NULL;
      guint32 former = i < TS_DSA_STEPS_BUFFERS ? find_former (s, offsets, i, &allowed) : TS_LIFE_NONE;
      begin (s, "address", i);
      ts_step_int (steps, "address", offsets[i]);
      ts_step_int (steps, "bytes", s->problem->buffers[i].size);
      if (former != TS_LIFE_NONE)
        ts_step_text (steps, "buffer", name_of (s, former));
      if (allowed != NULL)
        ts_step_text (steps, "allowed", allowed);
    }
}

void
ts_dsa_steps_relaxed (const TsDsaSteps *s, const char *kind, guint64 n, const gint64 *offsets)
{
  const TsDsaProblem *p = s->problem;
  g_autoptr (GPtrArray) pairs = g_ptr_array_new_with_free_func (g_free);
  for (guint32 b = 0; b < MIN (p->n, TS_DSA_STEPS_BUFFERS); b++)
    for (guint32 a = 0; a < b && pairs->len < TS_DSA_STEPS_LISTED; a++)
      {
        gint64 weight;
        if (p->buffers[a].pool == p->buffers[b].pool && g_strcmp0 (why_apart (s, a, b, &weight), "stage") == 0
            && (offsets == NULL || share_bytes (p, offsets, a, b)))
          g_ptr_array_add (pairs, g_strdup_printf ("%s and %s", name_of (s, a), name_of (s, b)));
      }
  ts_step_begin (s->context->steps, kind, s->module, s->function, NULL);
  ts_step_int (s->context->steps, "pairs", (gint64) n);
  add_list (s, "which", pairs);
  ts_step_listed (s->context->steps, pairs->len, (guint) MIN (n, G_MAXUINT));
}
