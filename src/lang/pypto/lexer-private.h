/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State shared by lexer.c and literal.c. */
#pragma once

#include "base/limits.h"
#include "lang/pypto/lexer.h"

typedef struct
{
  guint column; /* tabs to multiples of eight */
  guint spaces; /* tabs as one: both must agree on what is deeper, as in Python */
} TsIndent;

struct TsLexer
{
  TsSource   *source;
  const char *text;
  guint32     length;
  guint32     position;
  guint32     file;
  guint32     n_tokens;
  guint32     depth;          /* open brackets */
  guint32     bracket_offset; /* of the outermost open one */
  gint        n_pending;      /* > 0: an INDENT, < 0: DEDENTs still to be given out */
  guint       n_indents;
  gint        muted;
  gboolean    line_start;
  gboolean    first;          /* the next token is the first of its physical line */
  gboolean    ended;
  TsIndent    indents[TS_MAX_NESTING + 3]; /* a class and a function stand around the regions */
  TsLexicon   *lexicon;
  TsDiagList *diags;
  GArray     *comments;
  GString    *scratch;
};

void     ts_lexer_report (TsLexer *lexer, const char *code, guint32 start, guint32 end, const char *format, ...)
  G_GNUC_PRINTF (5, 6);
void     ts_lexer_bad_character (TsLexer *lexer, TsToken *token);
void     ts_lexer_scan_number (TsLexer *lexer, TsToken *token);
/* A string whose quote stands `prefix_length` bytes behind `start`. */
void     ts_lexer_scan_string (TsLexer *lexer, TsToken *token, guint32 start, guint32 prefix_length);
/* FALSE when the letters before the quote are no string prefix. */
gboolean ts_lexer_scan_prefixed_string (TsLexer *lexer, TsToken *token, guint32 prefix_length);
