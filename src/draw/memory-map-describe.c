/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a memory map says of a tile, a space or a crowd of tiles. */
#include "draw/memory-map-private.h"
#include "draw/words.h"

/* Tiles named that have the same bytes. */
#define MAX_SHARERS 3u

const char *
ts_map_tile_name (const TsMapInput *input, const TsMemoryTile *tile)
{
  const char *printed = NULL;

  if (input->names != NULL && tile->value->id >= 0 && (guint) tile->value->id < input->names->len)
    printed = g_ptr_array_index (input->names, tile->value->id);
  return printed != NULL ? printed : tile->value->hint;
}

gboolean
ts_map_remark_is_about (const TsMapRemark *remark, const char *name)
{
  return remark->subject != NULL && name != NULL && g_str_equal (remark->subject, name);
}

static void
append_remarks (const TsMapInput *input, const char *name, GString *out)
{
  for (guint i = 0; i < input->n_remarks; i++)
    if (ts_map_remark_is_about (&input->remarks[i], name))
      g_string_append_printf (out, "\n%s: %s", input->remarks[i].code, input->remarks[i].message);
}

/* Who gets its bytes afterwards, and for what. */
static void
append_heirs (const TsMapInput *input, guint32 index, GString *out)
{
  const TsMemoryFacts *facts = input->facts;
  const TsMemoryBuffer *buffer = &facts->buffers[facts->tiles[index].buffer];
  guint n = 0;

  for (guint32 k = 0; k < buffer->n_tiles; k++)
    {
      const TsMemoryTile *heir = &facts->tiles[facts->by_buffer[buffer->first_tile + k]];

      if (heir->source != index || heir->role != TS_MEMORY_REUSE)
        continue;
      if (n < MAX_SHARERS)
        g_string_append_printf (out, n == 0 ? "\n%s %s" : "%s%s", n == 0 ? _ ("its bytes are given to") : ", ",
                                ts_map_tile_name (input, heir));
      n++;
    }
  if (n > MAX_SHARERS)
    g_string_append_printf (out, _ (" and %u more"), n - MAX_SHARERS);
}

static void
append_collapses (const TsMapInput *input, guint32 index, GString *out)
{
  const TsMemoryFacts *facts = input->facts;
  guint n = 0;

  for (guint c = 0; c < facts->n_collapses && facts->tiles[index].collapsed && n < MAX_SHARERS; c++)
    if (ts_memory_tile_is_in (&facts->tiles[index], &facts->collapses[c]))
      {
        const char *note = input->notes != NULL ? input->notes[c] : NULL, *rule = input->rules != NULL ? input->rules[c] : NULL;

        g_string_append_printf (out, _ ("\nstages %d and %d of group %d share "), facts->collapses[c].stage_a,
                                facts->collapses[c].stage_b, facts->collapses[c].group);
        ts_append_bytes (out, facts->collapses[c].bytes);
        if (note != NULL)
          g_string_append_printf (out, ", %s", note);
        if (rule != NULL)
          g_string_append_printf (out, "\n%s", rule);
        n++;
      }
}

static void
describe_tile (const TsMapInput *input, guint32 index, GString *out)
{
  const TsMemoryFacts *facts = input->facts;
  const TsMemoryTile *tile = &facts->tiles[index];
  const TsMemoryBuffer *buffer = &facts->buffers[tile->buffer];
  static const char *const ROLES[] = { "", N_ ("a view of"), N_ ("written over"), N_ ("reuses the bytes of") };

  g_string_append_printf (out, _ ("%s in %s (%s), "), ts_map_tile_name (input, tile), buffer->name, ts_space_name (buffer->space));
  ts_append_bytes (out, tile->size);
  if (tile->address != TS_MEMORY_UNPLACED)
    g_string_append_printf (out, _ (" at %" G_GINT64_FORMAT), tile->address);
  if (tile->address != TS_MEMORY_UNPLACED && tile->offset >= 0)
    g_string_append_printf (out, "–%" G_GINT64_FORMAT, tile->address + tile->size);
  g_string_append_printf (out, _ (", live from statement %u to %u"), tile->def, tile->last);
  for (guint i = 0; i < tile->n_stages; i++)
    g_string_append_printf (out, i == 0 ? _ (", stage %d of group %d") : _ (" in stage %d of group %d"), tile->stages[i].stage,
                            tile->stages[i].group);
  if (tile->role != TS_MEMORY_OWN && tile->role < G_N_ELEMENTS (ROLES) && tile->source != TS_MEMORY_NONE)
    g_string_append_printf (out, "\n%s %s", _ (ROLES[tile->role]), ts_map_tile_name (input, &facts->tiles[tile->source]));
  append_heirs (input, index, out);
  append_collapses (input, index, out);
  append_remarks (input, buffer->name, out);
}

static void
describe_space (const TsMapInput *input, gint index, GString *out)
{
  const TsMemorySpace *space;

  if (index < 0 || (guint) index >= input->facts->n_spaces)
    return;
  space = &input->facts->spaces[index];
  g_string_append_printf (out, _ ("%s: %u buffers, "), ts_space_name (space->space), space->n_buffers);
  ts_append_bytes (out, space->high_water);
  if (space->capacity > 0)
    {
      g_string_append (out, _ (" of "));
      ts_append_bytes (out, space->capacity);
    }
  g_string_append (out, _ (", at most "));
  ts_append_bytes (out, space->live_max);
  g_string_append (out, _ (" live at once"));
  if (space->reserved > 0)
    {
      g_string_append (out, _ (", reserved: "));
      ts_append_bytes (out, space->reserved);
    }
  if (!input->facts->placed)
    g_string_append_printf (out, "\n%s", _ ("no addresses yet: buffers stand side by side"));
  append_remarks (input, ts_space_name (space->space), out);
}

char *
ts_map_describe (const TsMapInput *input, const TsLink *link)
{
  GString *out = g_string_new (NULL);

  if (link->kind == TS_LINK_BUFFER && link->count >= 0 && (guint) link->count < input->facts->n_tiles)
    describe_tile (input, (guint32) link->count, out);
  else if (link->kind == TS_LINK_SPACE)
    describe_space (input, link->lane, out);
  else if (link->kind == TS_LINK_DENSE)
    g_string_append_printf (out, _ ("%d tiles"), link->count);
  return g_string_free (out, FALSE);
}
