/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names the tiles and buffers that fill a memory space. */
#include "passes/memory-overflow.h"

#include "ir/memory-facts.h"
#include "ir/names.h"
#include "ir/reserved-bytes.h"

/* Tiles, and buffers, that are named; the rest is counted. */
#define MAX_NAMED 6u

typedef struct
{
  const char *name;
  gint64      bytes;
} Entry;

/* The largest first; of equals the one that came first. */
static gint
compare_entries (gconstpointer x, gconstpointer y, gpointer data)
{
  const Entry *a = x, *b = y;
  return a->bytes > b->bytes ? -1 : a->bytes < b->bytes;
}

static void
append_entries (GString *out, GArray *entries)
{
  g_array_sort_with_data (entries, compare_entries, NULL);
  for (guint i = 0; i < MIN (entries->len, MAX_NAMED); i++)
    {
      const Entry *entry = &g_array_index (entries, Entry, i);
      g_autofree char *bytes = ts_bytes_text (entry->bytes);
      g_string_append_printf (out, "%s'%s' (%s)", i > 0 ? ", " : "", entry->name, bytes);
    }
  if (entries->len > MAX_NAMED)
    g_string_append_printf (out, " and %u more", entries->len - MAX_NAMED);
}

static gboolean
find_op (TsOp *op, gpointer data)
{
  const TsOp **found = ((gpointer *) data)[1];
  if (op->id == *(const gint32 *) ((gpointer *) data)[0])
    *found = op;
  return *found == NULL;
}

/* Line of a statement; 0: nobody knows. */
static guint
line_of (const TsModule *module, const TsFunction *function, gint32 id)
{
  const TsOp *found = NULL;
  gpointer search[] = { &id, &found };
  ts_region_walk ((TsRegion *) &function->body, find_op, search);
  return found != NULL ? ts_module_line (module, found->span) : 0;
}

static void
append_live (const TsModule *module, const TsMemoryFacts *f, const TsMemorySpace *space, GString *out)
{
  TsNames names; /* clones have one hint: they are told apart by the names they print under */
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  guint32 at = space->live_max_at;
  guint line = at < f->n_positions ? line_of (module, f->function, f->op_at[at]) : 0;
  ts_names_init (&names, module);
  ts_names_enter (&names, f->function);
  for (guint32 t = 0; t < f->n_tiles; t++)
    {
      const TsMemoryTile *tile = &f->tiles[t];
      /* Of a slot chosen at run time all slots count. */
      Entry entry = { ts_names_get (&names, tile->value), tile->offset < 0 ? f->buffers[tile->buffer].size : tile->size };
      /* A view has no bytes of its own. */
      if (f->buffers[tile->buffer].space == space->space && tile->def <= at && at <= tile->last
          && (tile->begins || tile->source == TS_MEMORY_NONE))
        g_array_append_val (entries, entry);
    }
  ts_names_clear (&names);
  if (line > 0)
    g_string_append_printf (out, "most is live in line %u: ", line);
  else
    g_string_append (out, "most that is live at once: ");
  append_entries (out, entries);
}

char *
ts_overflow_help (const TsModule *module, const TsFunction *function, TsSpace id)
{
  g_autoptr (TsMemoryFacts) f = ts_memory_facts_new (module, function, NULL);
  const TsMemorySpace *space = f != NULL ? ts_memory_facts_space (f, id) : NULL;
  if (space == NULL)
    return NULL;
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  GString *out = g_string_new (NULL);
  append_live (module, f, space, out);
  for (guint32 i = 0; i < f->n_buffers; i++)
    {
      Entry entry = { f->buffers[i].name, f->buffers[i].size };
      if (f->buffers[i].space == id)
        g_array_append_val (entries, entry);
    }
  g_string_append_printf (out, "; the largest of %u buffer%s: ", entries->len, entries->len == 1 ? "" : "s");
  append_entries (out, entries);
  return g_string_free (out, FALSE);
}
