/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/memory-steps.h"

void
ts_step_interval (const TsPassContext *context, const TsModule *module, const TsFunction *function, const TsLifetimes *life,
                  const TsLifeInterval *interval)
{
  TsSteps *steps = context->steps;
  const TsLifeTile *first = &life->tiles[interval->representative];
  if (steps == NULL)
    return;
  ts_step_begin (steps, "interval", module, function, first->op);
  ts_step_text (steps, "base", interval->base->hint);
  ts_step_value (steps, "variable", first->value);
  ts_step_text (steps, "space", ts_space_name (interval->space));
  ts_step_int (steps, "bytes", interval->size);
  ts_step_int (steps, "from", interval->def);
  ts_step_int (steps, "to", interval->last);
  ts_step_int (steps, "tiles", interval->n_members);
  if (interval->pinned)
    ts_step_bool (steps, "pinned", TRUE);
  for (guint32 i = 0; i < interval->n_stages; i++)
    ts_step_textf (steps, "stage", "%d:%d", interval->stages[i].group, interval->stages[i].stage);
}

void
ts_step_listed (TsSteps *steps, guint listed, guint n)
{
  if (n > listed)
    ts_step_textf (steps, "limit", "%u of %u are listed", listed, n);
}
