/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Aliases in text that is kept as written: measured first, replaced then. */
#include <string.h>

#include "base/limits.h"
#include "lang/ttir/aliases.h"

/* What a text costs to expand: its bytes, and one for every alias in it, so that aliases of nothing are not free. */
typedef struct
{
  guint64     cost;   /* at most TS_MAX_STRING_LENGTH + 1 */
  guint       height; /* of aliases within aliases; at most TS_MAX_ALIAS_DEPTH + 1 */
  TtExpansion problem; /* a circle, or none */
  gboolean    open;   /* being measured */
} Size;

struct TtExpander
{
  TtAliasMeaning meaning;
  gpointer       data;
  GHashTable    *sizes; /* start of a meaning to its Size */
  guint64        spent; /* bytes made so far */
};

TtExpander *
tt_expander_new (TtAliasMeaning meaning, gpointer data)
{
  TtExpander *x = g_new0 (TtExpander, 1);

  *x = (TtExpander) { .meaning = meaning, .data = data };
  x->sizes = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  return x;
}

void
tt_expander_free (TtExpander *x)
{
  if (x == NULL)
    return;
  g_hash_table_unref (x->sizes);
  g_free (x);
}

/* --- pieces ---------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  const char *text;
  gsize       length, at;
} Cursor;

/* Bytes of the piece at `at`: a string, a name with its # or !, or one byte. */
static gsize
piece_length (const Cursor *c)
{
  const char *p = c->text + c->at;
  gsize n = 1, left = c->length - c->at;

  if (*p == '"')
    {
      while (n < left && p[n] != '"')
        n += p[n] == '\\' && n + 1 < left ? 2 : 1;
      return n + (n < left);
    }
  while ((*p == '#' || *p == '!') && n < left && (g_ascii_isalnum (p[n]) || p[n] == '_' || p[n] == '$' || p[n] == '.'))
    n++;
  return n;
}

/* Moves over one piece. When it is an alias, *meaning is what it stands for, else NULL. */
static gsize
next_piece (const TtExpander *x, Cursor *c, Cursor *meaning)
{
  const char *p = c->text + c->at;
  gsize n = piece_length (c);

  *meaning = (Cursor) { NULL, 0, 0 };
  c->at += n;
  if ((*p != '#' && *p != '!') || (c->at < c->length && c->text[c->at] == '<'))
    return n;
  meaning->text = x->meaning (x->data, p, n, &meaning->length);
  /* An alias of a location is written #loc = loc(...): what counts stands inside. */
  if (meaning->text != NULL && meaning->length > 5 && memcmp (meaning->text, "loc(", 4) == 0)
    *meaning = (Cursor) { meaning->text + 4, meaning->length - 5, 0 };
  return n;
}

/* --- measuring ------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  Cursor cursor;
  Size  *size;
} Frame;

static void
add_part (Size *whole, const Size *part)
{
  whole->cost = MIN (whole->cost + part->cost + 1, TS_MAX_STRING_LENGTH + 1);
  whole->height = MAX (whole->height, MIN (part->height + 1, TS_MAX_ALIAS_DEPTH + 1));
  if (part->open || part->problem != TT_EXPANDED)
    whole->problem = TT_EXPANSION_CIRCLE;
}

static void
push (GArray *stack, Cursor cursor, Size *size)
{
  Frame frame = { cursor, size };

  size->open = TRUE;
  g_array_append_val (stack, frame);
}

/* The chain of aliases may be as long as the file: a stack of our own. Every alias is measured once. */
static Size
measure (TtExpander *x, const char *text)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (Frame));
  Size whole = { 0 };

  push (stack, (Cursor) { text, strlen (text), 0 }, &whole);
  while (stack->len > 0)
    {
      Frame *top = &g_array_index (stack, Frame, stack->len - 1);
      Cursor meaning;
      Size *part;
      gsize n;

      if (top->cursor.at >= top->cursor.length)
        {
          part = top->size;
          part->open = FALSE;
          g_array_set_size (stack, stack->len - 1);
          if (stack->len > 0)
            add_part (g_array_index (stack, Frame, stack->len - 1).size, part);
          continue;
        }
      n = next_piece (x, &top->cursor, &meaning);
      if (meaning.text == NULL)
        {
          top->size->cost = MIN (top->size->cost + n, TS_MAX_STRING_LENGTH + 1);
          continue;
        }
      part = g_hash_table_lookup (x->sizes, meaning.text);
      if (part != NULL)
        {
          add_part (top->size, part);
          continue;
        }
      part = g_new0 (Size, 1);
      g_hash_table_insert (x->sizes, (gpointer) meaning.text, part);
      push (stack, meaning, part);
    }
  return whole;
}

/* --- replacing ------------------------------------------------------------------------------------------------------------- */

/* Its height was measured. */
static void
expand (const TtExpander *x, GString *out, Cursor c)
{
  gsize copied = 0;

  while (c.at < c.length)
    {
      const gsize before = c.at;
      Cursor meaning;

      next_piece (x, &c, &meaning);
      if (meaning.text == NULL)
        continue;
      g_string_append_len (out, c.text + copied, (gssize) (before - copied));
      expand (x, out, meaning);
      copied = c.at;
    }
  g_string_append_len (out, c.text + copied, (gssize) (c.length - copied));
}

TtExpansion
tt_expand_aliases (TtExpander *x, GString *out, const char *text)
{
  Size size = measure (x, text);

  if (size.problem != TT_EXPANDED)
    return size.problem;
  if (size.height > TS_MAX_ALIAS_DEPTH)
    return TT_EXPANSION_TOO_DEEP;
  if (size.height == 0) /* nothing to replace: it costs what it takes to read it */
    {
      g_string_append (out, text);
      return TT_EXPANDED;
    }
  if (size.cost > TS_MAX_STRING_LENGTH)
    return TT_EXPANSION_TOO_LONG;
  if (size.cost > TS_MAX_ALIAS_BYTES - x->spent)
    return TT_EXPANSION_SPENT;
  x->spent += size.cost;
  expand (x, out, (Cursor) { text, strlen (text), 0 });
  return TT_EXPANDED;
}
