/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What went wrong in a simulation, in words: deadlocks, counts that do not match, capacities, time that ended. */
#include "sim/report.h"

#include <string.h>

#include "base/number.h"
#include "sim/scheduler.h"

static const char *
site_text (const TsStream *stream, gint32 site)
{
  return site >= 0 ? stream->sites[site].name : "the end of its code";
}

/* How often a program comes by an instruction, whether its schedule got that far or not. */
static gint64
times_of (const TsStream *stream, guint i)
{
  gint64 times = 1;

  for (guint r = 0; r < stream->n_repeats; r++)
    {
      const TsRepeat *repeat = &stream->repeats[r];
      if (repeat->n_boundaries > 1 && repeat->boundary[1] <= i && i < repeat->at)
        times = ts_mul_sat (times, 1 + repeat->omitted / repeat->period);
    }
  return times;
}

/* How often an instruction happened more than once because the loop around it was filled in. */
static gint64
copies_of (const TsSchedule *schedule, guint i)
{
  gint64 weight = 1;

  for (guint f = 0; f < schedule->n_fills; f++)
    if (schedule->fills[f].from <= i && i < schedule->fills[f].at)
      weight = ts_mul_sat (weight, 1 + schedule->fills[f].times);
  return weight - 1;
}

/* Pushes or pops of a channel by one core that were filled in before it came to where it waits. */
static gint64
filled_signals (const TsSimulation *s, const TsBlocked *b)
{
  gint64 n = 0;

  for (guint k = 0; k < s->stream->n_signals && s->schedule->n_fills > 0; k++)
    {
      const TsSignal *signal = &s->stream->signals[k];
      if (signal->channel == b->channel && s->stream->sites[signal->site].core == b->core && signal->at < b->instruction
          && (signal->kind == (b->is_push ? TS_SIGNAL_PUSH : TS_SIGNAL_POP) || signal->kind == TS_SIGNAL_WAIT))
        n = ts_add_sat (n, copies_of (s->schedule, signal->at));
    }
  return n;
}

/* The statement that raises a flag somebody waits for in vain. */
static void
say_who_sets (GString *text, const TsStream *stream, gint32 channel)
{
  gint32 site = -1;

  if (channel < 0 || stream->channels[channel].is_fifo)
    return;
  for (guint k = 0; k < stream->n_signals; k++)
    if (stream->signals[k].kind == TS_SIGNAL_SET && stream->signals[k].channel == channel)
      site = stream->signals[k].site;
  if (site < 0)
    g_string_append (text, ", which nothing sets");
  else
    g_string_append_printf (text, ", which %s (line %u) sets", site_text (stream, site), stream->sites[site].line);
}

/* The span of the statement at a site. */
static TsSpan
site_span (const TsModule *module, const TsStream *stream, gint32 site)
{
  g_autofree TsOp **ops = site >= 0 ? ts_module_ops_by_id (module) : NULL;
  gint32 op = site >= 0 ? stream->sites[site].statement : -1;

  return op >= 0 && op < module->n_ops && ops[op] != NULL ? ops[op]->span : TS_SPAN_NONE;
}

/* The statement that should have answered: the last push or pop of the other side, or where the other core stands. */
static void
report_deadlock (const TsModule *module, const TsSimulation *s)
{
  const TsSchedule *schedule = s->schedule;
  g_autoptr (GString) text = g_string_new (NULL);
  guint lines[TS_MAX_CORES] = { 0 };

  for (guint i = 0; i < schedule->n_blocked; i++)
    {
      const TsBlocked *b = &schedule->blocked[i];
      const TsSite *site = &s->stream->sites[b->site];
      const char *channel = b->channel >= 0 ? s->stream->channels[b->channel].name : "a flag";
      const gboolean flag = b->channel < 0 || !s->stream->channels[b->channel].is_fifo;
      lines[i] = site->line;
      g_string_append_printf (text, "%s%s waits at %s (line %u) for %s number %" G_GINT64_FORMAT " of %s", i > 0 ? "; " : "",
                              s->stream->cores[b->core].name, site_text (s->stream, b->site), lines[i],
                              b->is_push ? "a free slot for push" : flag ? "signal" : "push",
                              b->count + filled_signals (s, b) + 1, channel);
      say_who_sets (text, s->stream, b->channel);
    }
  for (guint k = 0; k < s->stream->n_cores; k++)
    {
      gboolean blocked = FALSE;
      const TsCore *core = &s->stream->cores[k];
      for (guint i = 0; i < schedule->n_blocked; i++)
        blocked |= schedule->blocked[i].core == k;
      if (!blocked && core->n > 0)
        {
          const TsSite *last = ts_stream_site (s->stream, core->first + core->n - 1);
          g_string_append_printf (text, "; %s has ended with %s (line %u)", core->name, last->name, last->line);
        }
      else if (!blocked)
        g_string_append_printf (text, "; %s has nothing to do", core->name);
    }
  const TsSite *first = schedule->n_blocked > 0 ? &s->stream->sites[schedule->blocked[0].site] : NULL;
  TsSpan span = site_span (module, s->stream, schedule->n_blocked > 0 ? schedule->blocked[0].site : -1);
  TsDiag *diag
      = ts_diag_add (s->diags, TS_SEVERITY_ERROR, "deadlock", ts_module_source (module, span), span, "deadlock: %s", text->str);
  diag->op = first != NULL ? first->statement : -1;
}

/* Pushes and pops of one channel (of a flag: its being set and waited for), per core. */
typedef struct
{
  gint64 pushes[TS_MAX_CORES], pops[TS_MAX_CORES];
  gint32 push_site, pop_site;
} Traffic;

/* "cube0 pushes 4 times (tile.tpush_to_aiv, line 11)", or that it never does. */
static char *
traffic_words (const TsStream *stream, guint core, const char *does, gint64 times, gint32 site)
{
  if (times == 0)
    return g_strdup_printf ("%s never %s", stream->cores[core].name, does);
  return g_strdup_printf ("%s %s %" G_GINT64_FORMAT " time%s (%s, line %u)", stream->cores[core].name, does, times,
                          times == 1 ? "" : "s", site_text (stream, site), site >= 0 ? stream->sites[site].line : 0);
}

/* A FIFO is in error, as one that starves a core is; a flag that is left set is odd. Source: simulator.md section 3. */
static void
report_mismatch (const TsModule *module, const TsSimulation *s, const TsChannel *channel, const Traffic *t, guint a, guint b)
{
  gint32 site = t->pushes[a] > 0 ? t->push_site : t->pop_site;
  TsSpan span = channel->is_fifo ? site_span (module, s->stream, site) : TS_SPAN_NONE;
  const gboolean fifo = channel->is_fifo;
  g_autofree char *pushes = traffic_words (s->stream, a, fifo ? "pushes" : "sets it", t->pushes[a], t->push_site);
  g_autofree char *pops = traffic_words (s->stream, b, fifo ? "pops" : "waits for it", t->pops[b], t->pop_site);

  ts_diag_add (s->diags, fifo ? TS_SEVERITY_ERROR : TS_SEVERITY_WARNING, fifo ? "fifo-mismatch" : "flag-mismatch",
               ts_module_source (module, span), span, "%s: %s, %s", channel->name, pushes, pops);
}

/* Pushes that nobody takes keep no one waiting as long as there are slots, but they are a mistake all the same. */
static void
report_mismatches (const TsModule *module, const TsSimulation *s)
{
  const TsStream *stream = s->stream;
  g_autofree Traffic *traffic = g_new0 (Traffic, (gsize) stream->n_channels + 1);

  for (guint c = 0; c < stream->n_channels; c++)
    traffic[c].push_site = traffic[c].pop_site = -1;
  for (guint k = 0; k < stream->n_signals; k++)
    {
      const TsSignal *signal = &stream->signals[k];
      Traffic *t = signal->channel >= 0 ? &traffic[signal->channel] : NULL;
      guint core = stream->sites[signal->site].core;
      if (t != NULL && (signal->kind == TS_SIGNAL_PUSH || signal->kind == TS_SIGNAL_SET))
        {
          t->pushes[core] = ts_add_sat (t->pushes[core], times_of (stream, signal->at));
          t->push_site = signal->site;
        }
      else if (t != NULL && (signal->kind == TS_SIGNAL_POP || signal->kind == TS_SIGNAL_WAIT))
        {
          t->pops[core] = ts_add_sat (t->pops[core], times_of (stream, signal->at));
          t->pop_site = signal->site;
        }
    }
  for (guint c = 0; c < stream->n_channels; c++)
    for (guint a = 0; a < stream->n_cores; a++)
      for (guint b = 0; b < stream->n_cores; b++)
        if ((stream->channels[c].producers >> a & 1) != 0 && (stream->channels[c].consumers >> b & 1) != 0
            && traffic[c].pushes[a] != traffic[c].pops[b])
          report_mismatch (module, s, &stream->channels[c], &traffic[c], a, b);
}

static void
report_capacity (const TsSimulation *s)
{
  for (guint i = 0; i < s->result->n_memory; i++)
    {
      const TsMemoryResult *m = &s->result->memory[i];
      gint64 used = m->high_water;
      if (m->capacity <= 0 || used <= m->capacity)
        continue;
      TsDiag *diag = ts_diag_add (s->diags, TS_SEVERITY_WARNING, "capacity", NULL, TS_SPAN_NONE,
                                  "%s of %s needs %" G_GINT64_FORMAT " bytes, the machine has %" G_GINT64_FORMAT,
                                  ts_space_name ((TsSpace) m->space), s->stream->cores[m->core].name, used, m->capacity);
      diag->subject = g_strdup (ts_space_name ((TsSpace) m->space));
    }
}

/* Why a loop's recurrence is left open. */
static void
report_recurrences (const TsModule *module, const TsSimulation *s)
{
  g_autofree TsOp **ops = NULL;

  for (guint i = 0; i < s->result->n_loops; i++)
    {
      const TsLoopResult *loop = &s->result->loops[i];
      if (loop->rec_mii != TS_REC_UNKNOWN)
        continue;
      ops = ops != NULL ? ops : ts_module_ops_by_id (module);
      const TsOp *op = ops[s->stream->loops[loop->loop].statement];
      TsDiag *diag = ts_diag_add (s->diags, TS_SEVERITY_NOTE, "recurrence-unknown", ts_module_source (module, op->span), op->span,
                                  "how fast the values this loop carries can come round does not show in %" G_GINT64_FORMAT
                                  " %s: its recurrence is left open",
                                  loop->iterations, loop->iterations == 1 ? "iteration" : "iterations");
      diag->function = g_strdup (s->function);
      diag->op = op->id;
    }
}

/* Were the iterations that a loop leaves out filled in, all the times it does? Fills of a core come in the order of its repeats. */
static gboolean
was_filled (const TsSimulation *s, gint32 statement)
{
  guint seen[TS_MAX_CORES] = { 0 }, fills[TS_MAX_CORES] = { 0 };

  for (guint f = 0; f < s->schedule->n_fills; f++)
    fills[s->schedule->fills[f].core]++;
  for (guint r = 0; r < s->stream->n_repeats; r++)
    {
      const TsLoop *loop = &s->stream->loops[s->stream->repeats[r].loop];
      if (seen[loop->core]++ >= fills[loop->core] && loop->statement == statement)
        return FALSE;
    }
  return TRUE;
}

/* That iterations are filled in is not true where the schedule did not get there: cores wait for each other in front of them, or
 * the time for them did not suffice. */
static void
drop_fill_notes (TsSimulation *s)
{
  TsDiagList *kept = ts_diag_list_new ();

  for (guint i = 0; i < ts_diag_list_length (s->diags); i++)
    {
      const TsDiag *diag = ts_diag_list_get (s->diags, i);
      TsDiag *copy;

      if (strcmp (diag->code, "filled-in") == 0 && !was_filled (s, diag->op))
        continue;
      copy = ts_diag_add (kept, diag->severity, diag->code, diag->source, diag->span, "%s", diag->message);
      copy->subject = g_strdup (diag->subject);
      copy->help = g_strdup (diag->help);
      copy->rule = g_strdup (diag->rule);
      copy->function = g_strdup (diag->function);
      copy->detail = diag->detail;
      copy->op = diag->op;
    }
  ts_diag_list_free (s->diags);
  s->diags = kept;
}

/* The loop that leaves out most iterations; -1: none does. */
static gint32
longest_repeat (const TsStream *stream)
{
  const TsRepeat *longest = NULL;

  for (guint r = 0; r < stream->n_repeats; r++)
    if (longest == NULL || stream->repeats[r].omitted > longest->omitted)
      longest = &stream->repeats[r];
  return longest != NULL ? stream->loops[longest->loop].statement : -1;
}

/* Time ended before the program did: what had no place in it is cut off. One figure or operation may be larger than all of it, a
 * loop may come round too often, or many large operations add up. */
static void
report_overflow (const TsModule *module, const TsFunction *function, TsSimulation *s)
{
  g_autofree TsOp **ops = ts_module_ops_by_id (module);
  gint32 loop = longest_repeat (s->stream);
  gboolean begun = FALSE, in_loop = loop >= 0 && loop < module->n_ops && ops[loop] != NULL;

  for (guint i = 0; i < s->schedule->n_instructions && !begun; i++)
    begun = s->schedule->start[i] >= 0;
  drop_fill_notes (s);
  if (!begun)
    ts_diag_add (s->diags, TS_SEVERITY_ERROR, "time-overflow", ts_module_source (module, function->span), function->span,
                 "one operation, or one figure of the machine, takes more cycles than can be counted: nothing is scheduled");
  else
    {
      TsSpan span = in_loop ? ops[loop]->span : function->span;
      ts_diag_add (s->diags, TS_SEVERITY_ERROR, "time-overflow", ts_module_source (module, span), span,
                   "%s longer than %" G_GINT64_FORMAT " cycles: the schedule is cut before that",
                   in_loop ? "the iterations of this loop take" : "the function takes", TS_TIME_LIMIT);
    }
}

void
ts_simulation_report (const TsModule *module, const TsFunction *function, TsSimulation *s)
{
  switch (s->schedule->status)
    {
    case TS_SCHEDULE_DEADLOCK:
      drop_fill_notes (s);
      report_deadlock (module, s);
      break;
    case TS_SCHEDULE_OVERFLOW:
      report_overflow (module, function, s);
      break;
    default:
      break;
    }
  if (!s->stream->truncated)
    report_mismatches (module, s);
  report_capacity (s);
  report_recurrences (module, s);
}
