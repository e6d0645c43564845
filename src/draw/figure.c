/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metadata of figures: written as items with a key into <metadata>, read back with a SAX parser that stops after it. */
#include "draw/figure.h"

#include <string.h>

#include "draw/svg.h"

#define NAMESPACE "https://tilescope.github.io/figure/1"
#define ELEMENT "tilescope:figure"
#define ITEM "tilescope:item"
#define VERSION 1
/* The block stands at the start of the file, before any drawing. */
#define SNIFF_BYTES (16u * 1024u)
#define MAX_ITEMS 10000u
#define MAX_VALUE_BYTES (64u * 1024u * 1024u)

G_DEFINE_QUARK (ts-figure-error-quark, ts_figure_error)

typedef struct { char *key, *value; } Item;

struct TsFigureInfo
{
  GArray *items; /* Item */
};

static void
clear_item (gpointer data)
{
  Item *item = data;

  g_free (item->key);
  g_free (item->value);
}

TsFigureInfo *
ts_figure_new (void)
{
  TsFigureInfo *figure = g_new0 (TsFigureInfo, 1);

  figure->items = g_array_new (FALSE, FALSE, sizeof (Item));
  g_array_set_clear_func (figure->items, clear_item);
  return figure;
}

void
ts_figure_free (TsFigureInfo *figure)
{
  if (figure == NULL)
    return;
  g_array_unref (figure->items);
  g_free (figure);
}

void
ts_figure_add (TsFigureInfo *figure, const char *key, const char *value)
{
  Item item;

  if (value == NULL)
    return;
  item = (Item) { g_strdup (key), g_strdup (value) };
  g_array_append_val (figure->items, item);
}

void
ts_figure_add_int (TsFigureInfo *figure, const char *key, gint64 value)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, value);

  ts_figure_add (figure, key, text);
}

guint
ts_figure_length (const TsFigureInfo *figure)
{
  return figure->items->len;
}

void
ts_figure_item (const TsFigureInfo *figure, guint i, const char **key, const char **value)
{
  const Item *item = &g_array_index (figure->items, Item, i);

  *key = item->key;
  *value = item->value;
}

const char *
ts_figure_get (const TsFigureInfo *figure, const char *key)
{
  for (guint i = 0; i < figure->items->len; i++)
    if (strcmp (g_array_index (figure->items, Item, i).key, key) == 0)
      return g_array_index (figure->items, Item, i).value;
  return NULL;
}

char **
ts_figure_get_all (const TsFigureInfo *figure, const char *key)
{
  g_autoptr (GStrvBuilder) values = g_strv_builder_new ();

  for (guint i = 0; i < figure->items->len; i++)
    if (strcmp (g_array_index (figure->items, Item, i).key, key) == 0)
      g_strv_builder_add (values, g_array_index (figure->items, Item, i).value);
  return g_strv_builder_end (values);
}

void
ts_figure_append_svg (const TsFigureInfo *figure, GString *out)
{
  g_string_append_printf (out, "<metadata>\n<" ELEMENT " xmlns:tilescope=\"" NAMESPACE "\" version=\"%d\">\n", VERSION);
  for (guint i = 0; i < figure->items->len; i++)
    {
      const Item *item = &g_array_index (figure->items, Item, i);

      g_string_append (out, "<" ITEM " key=\"");
      ts_xml_append (out, item->key);
      g_string_append (out, "\">");
      /* Line breaks and tabs of a carried source text must survive, so they are not escaped away here. */
      ts_xml_append (out, item->value);
      g_string_append (out, "</" ITEM ">\n");
    }
  g_string_append (out, "</" ELEMENT ">\n</metadata>\n");
}

static gboolean
contains (const char *text, gsize length, const char *needle)
{
  return g_strstr_len (text, (gssize) length, needle) != NULL;
}

gboolean
ts_figure_sniff (const char *text, gsize length)
{
  gsize head = MIN (length, SNIFF_BYTES);

  return contains (text, head, "<svg") && contains (text, head, "<" ELEMENT);
}

typedef struct
{
  TsFigureInfo *figure;
  char     *key;   /* of the item being read, or NULL */
  GString  *value;
  gboolean  inside;
  gboolean  done;
} Reader;

static void
start_element (GMarkupParseContext *context, const char *name, const char **names, const char **values, gpointer data,
               GError **error)
{
  Reader *reader = data;

  if (reader->done)
    return;
  if (strcmp (name, ELEMENT) == 0)
    {
      reader->inside = TRUE;
      for (guint i = 0; names[i] != NULL; i++)
        if (strcmp (names[i], "version") == 0 && g_ascii_strtoll (values[i], NULL, 10) > VERSION)
          g_set_error (error, TS_FIGURE_ERROR, TS_FIGURE_ERROR_VERSION,
                       "The figure's metadata has version %.20s; this program reads up to %d", values[i], VERSION);
      return;
    }
  if (!reader->inside || strcmp (name, ITEM) != 0)
    return;
  if (reader->figure->items->len >= MAX_ITEMS)
    {
      g_set_error (error, TS_FIGURE_ERROR, TS_FIGURE_ERROR_BROKEN, "The figure's metadata has more than %u items", MAX_ITEMS);
      return;
    }
  g_clear_pointer (&reader->key, g_free);
  g_string_truncate (reader->value, 0);
  for (guint i = 0; names[i] != NULL; i++)
    if (strcmp (names[i], "key") == 0)
      {
        g_free (reader->key);
        reader->key = g_strdup (values[i]);
      }
}

static void
end_element (GMarkupParseContext *context, const char *name, gpointer data, GError **error)
{
  Reader *reader = data;

  if (strcmp (name, ITEM) == 0 && reader->key != NULL)
    {
      ts_figure_add (reader->figure, reader->key, reader->value->str);
      g_clear_pointer (&reader->key, g_free);
    }
  else if (strcmp (name, ELEMENT) == 0 && reader->inside)
    {
      reader->inside = FALSE;
      reader->done = TRUE;
    }
}

static void
read_text (GMarkupParseContext *context, const char *text, gsize length, gpointer data, GError **error)
{
  Reader *reader = data;

  if (reader->key == NULL)
    return;
  if (reader->value->len + length > MAX_VALUE_BYTES)
    g_set_error (error, TS_FIGURE_ERROR, TS_FIGURE_ERROR_BROKEN, "A value of the figure's metadata is longer than %u bytes",
                 MAX_VALUE_BYTES);
  else
    g_string_append_len (reader->value, text, (gssize) length);
}

TsFigureInfo *
ts_figure_read (const char *text, gsize length, GError **error)
{
  static const GMarkupParser PARSER = { .start_element = start_element, .end_element = end_element, .text = read_text };
  g_autoptr (TsFigureInfo) figure = ts_figure_new ();
  g_autoptr (GMarkupParseContext) context = NULL;
  g_autoptr (GError) local = NULL;
  const char *end;
  Reader reader = { .figure = figure };

  if (!ts_figure_sniff (text, length))
    {
      g_set_error_literal (error, TS_FIGURE_ERROR, TS_FIGURE_ERROR_NOT_A_FIGURE, "The file holds no Tilescope figure");
      return NULL;
    }
  /* Only the part up to the end of the metadata is parsed: the drawing may be large, and its elements do not matter here. */
  end = g_strstr_len (text, (gssize) length, "</" ELEMENT ">");
  if (end != NULL)
    length = (gsize) (end - text) + strlen ("</" ELEMENT ">");
  reader.value = g_string_new (NULL);
  context = g_markup_parse_context_new (&PARSER, G_MARKUP_PREFIX_ERROR_POSITION, &reader, NULL);
  if (!g_markup_parse_context_parse (context, text, (gssize) length, &local) || !reader.done)
    {
      if (local != NULL && local->domain == TS_FIGURE_ERROR)
        g_propagate_error (error, g_steal_pointer (&local));
      else
        g_set_error (error, TS_FIGURE_ERROR, TS_FIGURE_ERROR_BROKEN, "The figure's metadata cannot be read: %s",
                     local != NULL ? local->message : "it does not end");
      g_clear_pointer (&figure, ts_figure_free);
    }
  g_string_free (reader.value, TRUE);
  g_free (reader.key);
  return g_steal_pointer (&figure);
}
