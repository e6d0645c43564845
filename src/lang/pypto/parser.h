/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tokens to syntax trees, a statement at a time or a whole file. Source: spec dsl section 10 and Python's own grammar, since a
 * user's file is any Python module. */
#pragma once

#include "lang/pypto/lexer.h"
#include "lang/pypto/pool.h"
#include "lang/pypto/syntax.h"

G_BEGIN_DECLS

typedef struct TsParser TsParser;

/* Gives a type for the text of an annotation met before, or NULL. Lets dump mode read a type once. */
typedef const TsType *(*TsTypeLookup) (gpointer data, const char *text, gsize length);

/* References the source, borrows the rest. Syntax errors go to `diags` (code "syntax" or "limit"), one per statement. */
TsParser    *ts_parser_new (TsSource *source, guint32 file, TsLexicon *lexicon, TsDiagList *diags);
void         ts_parser_free (TsParser *parser);
TsLexer     *ts_parser_lexer (TsParser *parser);
TsPool      *ts_parser_pool (TsParser *parser);
void         ts_parser_set_type_lookup (TsParser *parser, TsTypeLookup lookup, gpointer data);

/* --- a statement at a time ----------------------------------------------------------------------------------------------- */

/* The next statement at file level, or NULL at the end. Of a compound statement only the header is read: the caller must then go
 * through its suite, or skip it. A file-level line that is indented is an error and is read as if it were not. */
TsStatement *ts_parser_top (TsParser *parser);

/* A suite being read. */
typedef struct
{
  TsParser    *parser;
  TsStatement *next;     /* of a suite in memory */
  guint8       style;
} TsSuite;

/* Opens the suite of a compound statement, wherever it stands. */
void         ts_suite_open (TsSuite *suite, TsParser *parser, TsStatement *header);
/* The next statement, or NULL at the end of the suite. */
TsStatement *ts_suite_next (TsSuite *suite);
/* After the suite: the `elif`, `else`, `except` that follows, or NULL. */
TsStatement *ts_suite_otherwise (TsParser *parser, TsStatement *header);
/* Passes over a suite of anything without looking; sets header->suite_end. */
void         ts_suite_skip (TsParser *parser, TsStatement *header);
/* How many comments in this part of the text belong to no statement, at the ends of blocks; *offset is where the first stands. */
guint        ts_parser_count_dropped_comments (const TsParser *parser, guint32 from, guint32 to, guint32 *offset);

/* --- a whole file -------------------------------------------------------------------------------------------------------- */

/* Reads everything into memory: a list of statements, NULL when there are none. */
TsStatement *ts_parser_file (TsParser *parser);
/* One expression, as from -D NAME=VALUE; NULL with a diagnostic when it is none. */
TsNode      *ts_parser_lone_expression (TsParser *parser);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsParser, ts_parser_free)

G_END_DECLS
