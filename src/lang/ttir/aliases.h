/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text with aliases, for the reader and the printer. */
#pragma once

#include <glib.h>

/* What `name` (not terminated) stands for, or NULL: always the same text for the same name, and it outlives the expander. */
typedef const char *(*TtAliasMeaning) (gpointer data, const char *name, gsize length, gsize *meaning_length);

/* Replaces the aliases of texts by what they stand for. Aliases of aliases multiply, so the length of each is worked out first,
 * once, and what is too long is never made. */
typedef struct TtExpander TtExpander;

typedef enum
{
  TT_EXPANDED,
  TT_EXPANSION_CIRCLE,   /* an alias stands for itself */
  TT_EXPANSION_TOO_DEEP, /* aliases within aliases: more than TS_MAX_ALIAS_DEPTH */
  TT_EXPANSION_TOO_LONG, /* one text of more than TS_MAX_STRING_LENGTH bytes */
  TT_EXPANSION_SPENT,    /* all texts together more than TS_MAX_ALIAS_BYTES */
} TtExpansion;

TtExpander *tt_expander_new (TtAliasMeaning meaning, gpointer data);
void        tt_expander_free (TtExpander *x);
/* Appends the text with every alias replaced by what it stands for, and what that mentions too; strings stay. Nothing is appended
 * unless it returns TT_EXPANDED. */
TtExpansion tt_expand_aliases (TtExpander *x, GString *out, const char *text);
