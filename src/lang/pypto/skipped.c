/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A user's file is any Python module, of a newer Python than we know perhaps: what stands outside the kernels that are opened need
 * not be understood. Source: spec dsl 2.2. */
#include <string.h>

#include "lang/pypto/source.h"

typedef struct
{
  guint32  offset;
  gboolean is_bad;
} Place;

/* Every statement in the order of the text. */
static void
collect_places (const TsStatement *statement, GArray *places)
{
  for (; statement != NULL; statement = statement->next)
    for (const TsStatement *arm = statement; arm != NULL; arm = arm->otherwise)
      {
        Place place = { arm->offset, arm->kind == TS_STATEMENT_BAD };

        g_array_append_val (places, place);
        collect_places (arm->body, places);
      }
}

static gboolean
is_read (const TsReader *reader, guint32 offset)
{
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, reader->used);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      const TsStatement *def = key;

      if (offset >= def->offset && offset < MAX (def->suite_end, def->end))
        return TRUE;
    }
  return FALSE;
}

/* What was given up around an error: from the statement it stands in to the next one that could be read. */
static void
find_given_up (const GArray *places, guint32 offset, guint32 *start, guint32 *end)
{
  guint low = 0, high = places->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (g_array_index (places, Place, middle).offset <= offset)
        low = middle + 1;
      else
        high = middle;
    }
  *start = low > 0 && g_array_index (places, Place, low - 1).is_bad ? g_array_index (places, Place, low - 1).offset : offset;
  while (low < places->len && g_array_index (places, Place, low).is_bad)
    low++;
  if (low < places->len)
    *end = g_array_index (places, Place, low).offset;
}

/* May a kernel be lost in it? */
static gboolean
hides_kernel (const TsReader *reader, const char *text, guint32 start, guint32 end)
{
  g_autofree char *mark = g_strdup_printf ("@%s.", ts_lexicon_prefix (reader->lexicon));

  return end > start && g_strstr_len (text + start, (gssize) (end - start), mark) != NULL;
}

void
ts_forgive_skipped (TsReader *reader, const TsStatement *file, guint n_errors)
{
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (Place));
  gsize length;
  const char *text = ts_source_text (reader->source, &length);

  if (n_errors == 0 || reader->module->n_functions == 0)
    return;
  collect_places (file, places);
  for (guint i = 0; i < n_errors; i++)
    {
      const TsDiag *diag = ts_diag_list_get (reader->diags, i);
      guint32 start = 0, end = (guint32) length;

      if (diag->severity != TS_SEVERITY_ERROR || diag->source != reader->source || is_read (reader, diag->span.offset))
        continue;
      find_given_up (places, diag->span.offset, &start, &end);
      if (!hides_kernel (reader, text, start, end))
        ts_diag_list_make_note (reader->diags, i, "the statement is skipped: it stands outside the kernel that is opened");
    }
}
