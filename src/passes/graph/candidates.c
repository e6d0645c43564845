/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/graph/candidates.h"

struct TsGraphCandidates
{
  const TsGraphCandidateKind *kind;
  GPtrArray *list;
  guint      n_seen; /* of the created operations of the function */
};

static void
forget_found (const TsGraphCandidates *candidates, TsGraphCandidate *candidate)
{
  for (guint i = 0; i < TS_GRAPH_MAX_PARTS; i++)
    if (candidate->found[i] != NULL)
      candidates->kind->free_found (g_steal_pointer (&candidate->found[i]));
}

static void
candidate_free (const TsGraphCandidates *candidates, TsGraphCandidate *candidate)
{
  forget_found (candidates, candidate);
  ts_graph_reads_clear (&candidate->reads);
  g_free (candidate);
}

static void
add (TsGraphCandidates *candidates, guint at, TsOp *op, TsBlock *block)
{
  TsGraphCandidate *candidate = g_new0 (TsGraphCandidate, 1);

  candidate->op = op;
  candidate->block = block;
  g_ptr_array_insert (candidates->list, (gint) at, candidate);
}

static void
collect_region (TsGraphCandidates *candidates, TsRegion *region)
{
  const TsGraphCandidateKind *kind = candidates->kind;

  for (guint b = 0; b < region->n_blocks; b++)
    {
      if (kind->takes == NULL)
        add (candidates, candidates->list->len, NULL, region->blocks[b]);
      for (TsOp *op = region->blocks[b]->first; op != NULL; op = op->next)
        {
          if (kind->takes != NULL && kind->takes (op))
            add (candidates, candidates->list->len, op, NULL);
          for (guint r = 0; r < op->n_regions; r++)
            collect_region (candidates, &op->regions[r]);
        }
    }
}

TsGraphCandidates *
ts_graph_candidates_new (TsGraph *graph, const TsGraphCandidateKind *kind)
{
  TsGraphCandidates *candidates = g_new0 (TsGraphCandidates, 1);

  candidates->kind = kind;
  candidates->list = g_ptr_array_new ();
  candidates->n_seen = ts_graph_created (graph)->len;
  collect_region (candidates, &graph->function->body);
  return candidates;
}

void
ts_graph_candidates_free (TsGraphCandidates *candidates)
{
  for (guint i = 0; i < candidates->list->len; i++)
    candidate_free (candidates, g_ptr_array_index (candidates->list, i));
  g_ptr_array_unref (candidates->list);
  g_free (candidates);
}

static gboolean
is_gone (const TsGraph *graph, const TsGraphCandidate *candidate)
{
  const TsOp *op = candidate->op != NULL ? candidate->op : candidate->block->region->op;

  return op != NULL && graph->numbers[op->id] == G_MAXUINT32;
}

static void
drop_gone (TsGraphCandidates *candidates, const TsGraph *graph)
{
  GPtrArray *list = candidates->list;
  guint kept = 0;

  for (guint i = 0; i < list->len; i++)
    {
      TsGraphCandidate *candidate = g_ptr_array_index (list, i);

      if (is_gone (graph, candidate))
        candidate_free (candidates, candidate);
      else
        list->pdata[kept++] = candidate;
    }
  g_ptr_array_set_size (list, (gint) kept);
}

/* Where it stands; an empty block is nowhere, and nothing is found in it. */
static const TsOp *
place (const TsGraphCandidate *candidate)
{
  return candidate->op != NULL ? candidate->op : candidate->block->first;
}

static void
insert (TsGraphCandidates *candidates, const TsGraph *graph, TsOp *op, TsBlock *block)
{
  const TsOp *at = op != NULL ? op : block->first;
  guint low = 0, high = candidates->list->len;

  if (at == NULL)
    return;
  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      const TsOp *there = place (g_ptr_array_index (candidates->list, middle));

      if (there == NULL || ts_graph_comes_before (graph, there, at))
        low = middle + 1;
      else
        high = middle;
    }
  add (candidates, low, op, block);
}

const GPtrArray *
ts_graph_candidates_refresh (TsGraphCandidates *candidates, TsGraph *graph)
{
  const GPtrArray *created = ts_graph_created (graph);

  if (candidates->n_seen == created->len)
    return candidates->list;
  drop_gone (candidates, graph);
  for (guint i = candidates->n_seen; i < created->len; i++)
    {
      TsOp *op = g_ptr_array_index (created, i);

      if (graph->numbers[op->id] == G_MAXUINT32)
        continue;
      if (candidates->kind->takes != NULL && candidates->kind->takes (op))
        insert (candidates, graph, op, NULL);
      for (guint r = 0; candidates->kind->takes == NULL && r < op->n_regions; r++)
        for (guint b = 0; b < op->regions[r].n_blocks; b++)
          insert (candidates, graph, NULL, op->regions[r].blocks[b]);
    }
  candidates->n_seen = created->len;
  return candidates->list;
}

gboolean
ts_graph_candidate_judge (const TsGraphCandidates *candidates, TsGraph *graph, TsGraphCandidate *candidate)
{
  if (candidate->judged > 0
      && !(candidate->op != NULL ? ts_graph_op_changed (graph, candidate->op, candidate->judged)
                                 : ts_graph_block_changed (graph, candidate->block, candidate->judged))
      && !ts_graph_reads_changed (graph, &candidate->reads, candidate->judged))
    return FALSE;
  forget_found (candidates, candidate);
  ts_graph_reads_begin (graph, &candidate->reads);
  return TRUE;
}

void
ts_graph_candidate_judged (TsGraph *graph, TsGraphCandidate *candidate)
{
  ts_graph_reads_end (graph);
  candidate->judged = ts_graph_serial (graph);
}
