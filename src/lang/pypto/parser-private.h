/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State shared by the parts of the parser. A function that fails has reported it and returns NULL or FALSE. */
#pragma once

#include "lang/pypto/parser.h"

struct TsParser
{
  TsLexer     *lexer;
  TsPool      *pool;
  TsLexicon   *lexicon;
  TsDiagList  *diags;
  TsSource    *source;
  guint32      file;
  guint        depth;       /* of expressions being read */
  gboolean     failed;      /* the statement has an error already */
  gboolean     in_with;     /* in parentheses that a with may have put around all its parts: an `as` there is no error */
  gboolean     inline_rest; /* more simple statements follow behind a ';' */
  GArray      *dropped;     /* guint32: where comments at the ends of blocks stand, the first of them */
  TsTypeLookup type_lookup;
  gpointer     type_lookup_data;
  guint32      last_end;    /* of the token taken last */
  TsToken      token;       /* the current one */
};

static inline void
ts_parser_advance (TsParser *parser)
{
  parser->last_end = parser->token.end;
  ts_lexer_next (parser->lexer, &parser->token);
}

static inline gboolean
ts_parser_at (const TsParser *parser, TsTokenKind kind)
{
  return parser->token.kind == kind;
}

/* Takes the token when it is of the kind. */
static inline gboolean
ts_parser_accept (TsParser *parser, TsTokenKind kind)
{
  if (parser->token.kind != kind)
    return FALSE;
  ts_parser_advance (parser);
  return TRUE;
}

/* Takes the token or reports what was expected instead. */
gboolean ts_parser_expect (TsParser *parser, TsTokenKind kind);
/* Reports "expected WHAT" at the current token, once per statement. Returns NULL. */
gpointer ts_parser_expected (TsParser *parser, const char *what);
gpointer ts_parser_fail (TsParser *parser, const char *code, guint32 offset, guint32 end, const char *format, ...)
  G_GNUC_PRINTF (5, 6);

TsNode  *ts_parser_node (TsParser *parser, TsNodeKind kind, guint32 offset);
/* Appends a child; `last` is the one appended before, or NULL. Returns the child, or NULL when the tree grows too high. */
TsNode  *ts_parser_link (TsParser *parser, TsNode *parent, TsNode *last, TsNode *child);
/* The first keyword of a call that an earlier one has the name of; NULL: none. */
const TsNode *ts_parser_repeated_keyword (const TsNode *call);

/* One expression without commas at its top; conditional and lambda included. */
TsNode  *ts_parser_expression (TsParser *parser);
/* The same, or `name := expression`. */
TsNode  *ts_parser_named_expression (TsParser *parser);
/* One expression or, with commas, a TUPLE. Starred items are taken. */
TsNode  *ts_parser_expression_list (TsParser *parser);
/* What may stand left of `in` of a for: no comparison. */
TsNode  *ts_parser_target_list (TsParser *parser);
/* Behind the '(' of a call. */
TsNode  *ts_parser_call (TsParser *parser, TsNode *callee);
/* A parameter of a function, or of a lambda: those have no annotations. */
TsParameter *ts_parser_parameter (TsParser *parser, gboolean annotated);
/* An annotation; dump mode may know its text already. */
TsNode  *ts_parser_annotation (TsParser *parser);
