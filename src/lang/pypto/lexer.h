/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text to tokens, on demand, with Python's rules for lines, indentation, strings and numbers. Source: spec dsl section 1. */
#pragma once

#include "base/diag.h"
#include "lang/pypto/token.h"

G_BEGIN_DECLS

typedef struct
{
  guint32 offset; /* after the '#' */
  guint32 length;
  guint32 column; /* of the '#', from 0, tabs expanded; G_MAXUINT32 when code stands before it on the line */
} TsComment;

typedef struct TsLexer TsLexer;

/* References the source; borrows the rest, which must outlive the lexer. `file` is the index spans get. Problems go to `diags`
 * with codes "syntax", "limit" and "bad-utf8". */
TsLexer    *ts_lexer_new (TsSource *source, guint32 file, TsLexicon *lexicon, TsDiagList *diags);
void        ts_lexer_free (TsLexer *lexer);

/* Writes the next token. After the end it keeps writing TS_TOKEN_END. */
void        ts_lexer_next (TsLexer *lexer, TsToken *token);
/* Gives up the current statement: brackets are forgotten and reading goes on at the start of the line that holds `offset`, or
 * behind its end when `skip_line`. */
void        ts_lexer_resync (TsLexer *lexer, guint32 offset, gboolean skip_line);
/* Goes on at `offset`, which must lie behind the last token on the same line, in no bracket or string. */
void        ts_lexer_jump (TsLexer *lexer, guint32 offset);
/* While muted nothing is reported: code that is skipped may be anything. Calls nest. */
void        ts_lexer_mute (TsLexer *lexer, gboolean mute);
gboolean    ts_lexer_is_muted (const TsLexer *lexer);
/* Comments met since the list was last emptied, in order of the text; the caller empties it. Never NULL. */
GArray     *ts_lexer_comments (TsLexer *lexer);
const char *ts_lexer_text (const TsLexer *lexer, gsize *length);
/* Column the innermost open block is indented to, from 0. */
guint       ts_lexer_indentation (const TsLexer *lexer);
gboolean    ts_lexer_in_brackets (const TsLexer *lexer);

/* Appends a string that stands directly behind another, whose text so far is `joined`: f-strings make the whole an f-string.
 * Returns whether it is one now. */
gboolean ts_string_join (GString *joined, gboolean is_format, const TsToken *token);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsLexer, ts_lexer_free)

G_END_DECLS
