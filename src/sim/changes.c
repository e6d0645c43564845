/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What differs between the results of two simulations, figure by figure. Source: simulator.md section 4, last line. */
#include "sim/simulate.h"

#include <string.h>

#include "base/number.h"
#include "ir/provenance.h"

/* Figures of one simulation in a fixed order; names are unique. */
typedef struct
{
  GPtrArray  *names; /* owned */
  GArray     *values; /* gint64 */
  GHashTable *index; /* name to position + 1 */
} Figures;

static void put (Figures *f, gint64 value, const char *format, ...) G_GNUC_PRINTF (3, 4);

static void
put (Figures *f, gint64 value, const char *format, ...)
{
  va_list args;
  char *name;

  va_start (args, format);
  name = g_strdup_vprintf (format, args);
  va_end (args);
  /* Clones of a loop have one name: they are told apart by their order. */
  for (guint n = 2; g_hash_table_contains (f->index, name); n++)
    {
      char *next = g_strdup_printf ("%.*s#%u", (int) strcspn (name, "#"), name, n);
      g_free (name);
      name = next;
    }
  g_ptr_array_add (f->names, name);
  g_array_append_val (f->values, value);
  g_hash_table_insert (f->index, name, GUINT_TO_POINTER (f->names->len));
}

static void
put_whole (Figures *f, const TsResult *r)
{
  gint64 lanes = 0;

  put (f, r->makespan, "makespan");
  put (f, r->resource, "resource bound");
  put (f, r->dependence, "dependence bound");
  put (f, (gint64) (r->efficiency * 1000 + 1e-9), "efficiency, per mille");
  for (guint n = TS_N_LANES; n >= 2; n--)
    {
      lanes = ts_add_sat (lanes, r->overlap[n]);
      put (f, lanes, "at least %u lanes busy", n);
    }
  put (f, r->n_critical, "instructions of the critical path");
}

static void
put_pipes (Figures *f, const TsSimulation *s)
{
  for (guint i = 0; i < s->result->n_pipes; i++)
    {
      const TsPipeResult *p = &s->result->pipes[i];
      const char *core = s->stream->cores[p->core].name, *pipe = ts_pipe_name ((TsPipe) p->pipe);

      put (f, p->instructions, "%s %s instructions", core, pipe);
      put (f, p->busy, "%s %s busy", core, pipe);
      for (guint c = 0; c < TS_CAUSE_NONE; c++)
        put (f, p->idle[c], "%s %s idle, %s", core, pipe, ts_cause_name ((TsCause) c));
      put (f, p->done, "%s %s idle, done", core, pipe);
    }
}

static void
put_loops (Figures *f, const TsSimulation *s)
{
  for (guint i = 0; i < s->result->n_loops; i++)
    {
      const TsLoopResult *l = &s->result->loops[i];
      const TsLoop *loop = &s->stream->loops[l->loop];
      g_autofree char *name = loop->is_while ? g_strdup ("while") : g_strndup (loop->var, ts_name_stem (loop->var));
      const char *core = s->stream->cores[loop->core].name;

      put (f, l->total, "%s loop %s iterations", core, name);
      put (f, l->interval, "%s loop %s interval", core, name);
      for (guint p = 0; p < TS_N_PIPES; p++)
        put (f, l->pipe_interval[p], "%s loop %s interval on %s", core, name, ts_pipe_name ((TsPipe) p));
      put (f, l->res_mii, "%s loop %s resource MII", core, name);
      if (l->rec_mii != TS_REC_UNKNOWN)
        put (f, l->rec_mii, "%s loop %s recurrence MII", core, name);
      put (f, l->steady_begin - l->begin, "%s loop %s prologue", core, name);
      put (f, l->steady_end - l->steady_begin, "%s loop %s steady state", core, name);
      put (f, l->end - l->steady_end, "%s loop %s epilogue", core, name);
    }
}

static void
put_memory (Figures *f, const TsSimulation *s)
{
  for (guint i = 0; i < s->result->n_memory; i++)
    {
      const TsMemoryResult *m = &s->result->memory[i];
      const char *core = s->stream->cores[m->core].name, *space = ts_space_name ((TsSpace) m->space);

      put (f, m->high_water, "%s %s high water", core, space);
      put (f, m->live_max, "%s %s live at most", core, space);
      put (f, m->n_buffers, "%s %s buffers", core, space);
      put (f, m->n_collapsed, "%s %s collapsed stages", core, space);
    }
}

static void
figures_init (Figures *f, const TsSimulation *s)
{
  f->names = g_ptr_array_new_with_free_func (g_free);
  f->values = g_array_new (FALSE, FALSE, sizeof (gint64));
  f->index = g_hash_table_new (g_str_hash, g_str_equal);
  put_whole (f, s->result);
  put_pipes (f, s);
  put_loops (f, s);
  put_memory (f, s);
}

static void
figures_clear (Figures *f)
{
  g_hash_table_unref (f->index);
  g_array_unref (f->values);
  g_ptr_array_unref (f->names);
}

static gint64
value_of (const Figures *f, const char *name)
{
  guint at = GPOINTER_TO_UINT (g_hash_table_lookup (f->index, name));

  return at > 0 ? g_array_index (f->values, gint64, at - 1) : -1;
}

static void
change_free (gpointer data)
{
  g_free (((TsResultChange *) data)->figure);
  g_free (data);
}

static void
add_change (GPtrArray *changes, const char *name, gint64 before, gint64 after)
{
  TsResultChange *change;

  /* A cause that a new pipe never waited for is no news. */
  if (before == after || (MIN (before, after) < 0 && MAX (before, after) == 0))
    return;
  change = g_new (TsResultChange, 1);
  *change = (TsResultChange) { .figure = g_strdup (name), .before = before, .after = after };
  g_ptr_array_add (changes, change);
}

GPtrArray *
ts_simulation_changes (const TsSimulation *before, const TsSimulation *after)
{
  GPtrArray *changes = g_ptr_array_new_with_free_func (change_free);
  Figures old, new;

  figures_init (&old, before);
  figures_init (&new, after);
  for (guint i = 0; i < new.names->len; i++)
    {
      const char *name = g_ptr_array_index (new.names, i);
      add_change (changes, name, value_of (&old, name), g_array_index (new.values, gint64, i));
    }
  for (guint i = 0; i < old.names->len; i++)
    {
      const char *name = g_ptr_array_index (old.names, i);
      if (!g_hash_table_contains (new.index, name))
        add_change (changes, name, g_array_index (old.values, gint64, i), -1);
    }
  figures_clear (&old);
  figures_clear (&new);
  return changes;
}
