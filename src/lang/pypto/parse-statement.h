/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What parser.c asks of parse-statement.c, and the other way round. */
#pragma once

#include "lang/pypto/parser-private.h"

/* Fills the statement from the current token up to its end or ':'. FALSE when parser->failed. */
gboolean ts_parse_statement (TsParser *parser, TsStatement *statement);
/* Is the current token a clause that goes on the compound statement: elif or else of an if, else of a loop, ...? */
gboolean ts_parse_at_clause (const TsParser *parser, const TsStatement *header);
/* Passes over a block whose INDENT is the current token. */
void     ts_parser_skip_block (TsParser *parser);
