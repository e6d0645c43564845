/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of source mode that only its own files use. */
#pragma once

#include "lang/pypto/reader.h"

/* pl.submit(self.k, ...) with arguments by name in their places. */
TsOp *ts_read_program_submit (TsReader *reader, const TsNode *node);

/* pl.dump_tag(x, ...). */
void  ts_read_dump_tag (TsReader *reader, const TsNode *call);
/* A call of a function, a submit or a scope lists in its dumps what it uses of the first `n_tags` tags. Source: dsl 5.4. */
void  ts_tag_consumer (TsReader *reader, TsOp *op, guint n_tags);
/* pl.static_print(...), pl.static_assert(...), pl.dump_tag(...): they leave nothing in the module. */
void  ts_read_static (TsReader *reader, const TsNode *call);

/* Reports values of a return that do not agree with what the function declares. `node` is what follows `return`. */
void  ts_reader_check_return (TsReader *reader, const TsNode *node, TsExpr *const *values, guint n);

/* The right-hand side of an assignment as a detached operation: a call, or an ASSIGN of an expression. *type is what it gives, NULL
 * when nothing. NULL: an error, reported. */
TsOp *ts_read_right_side (TsReader *reader, const TsNode *node, const TsType **type);

/* An inline kernel whose body is being read in place of a call. */
typedef struct TsSpliceFrame TsSpliceFrame;
struct TsSpliceFrame
{
  TsSpliceFrame     *up;
  const TsStatement *def;
  TsSource          *source; /* of the call */
  const TsNode      *call;
};

/* What an inline kernel gives: an operation still to be placed, or an expression (a list for several results), or nothing. */
typedef struct
{
  TsOp   *op;
  TsExpr *value;
} TsSpliced;

/* The inline kernel that a call means, or NULL. */
const TsConst *ts_reader_inline_of (TsReader *reader, const TsNode *call);
/* Reads its body into the current block. FALSE: an error, reported. */
gboolean ts_read_splice (TsReader *reader, const TsConst *kernel, const TsNode *call, TsSpliced *out);
/* The same where a value is needed, in the manner of ts_read_user_call(). */
TsOp *ts_read_spliced_call (TsReader *reader, const TsConst *kernel, const TsNode *call, gboolean *is_expr, TsExpr **expr);

/* One thing a file offers, with what stands around it. */
typedef struct
{
  TsStatement *def;
  TsStatement *outer[8]; /* functions around it, outermost first */
  guint        n_outer;
  TsNameMeaning meaning; /* PROGRAM, FUNCTION, INLINE, JIT */
  const char  *decorator; /* "pl.jit.host" */
} TsOffer;

/* Everything decorated in a file, in order, at most TS_MAX_OFFERS: an array of TsOffer. */
#define TS_MAX_OFFERS 10000u
GArray *ts_find_offers (TsLexicon *lexicon, TsStatement *file);
/* The strings of a file that look like kernels: an array of TsSource, each with the lines' numbers in the file. */
GPtrArray *ts_find_texts (TsSource *source, const TsStatement *file);
/* The first of them that offers `name` (NULL: anything), referenced, and how many do. NULL: none. */
TsSource *ts_choose_text (TsSource *source, TsStrings *strings, const TsStatement *file, const char *name, guint *n);
/* Does the text begin with the header of a dump? */
gboolean ts_has_dump_header (const char *text, gsize length);
/* Reads the imports that set the language's prefix. */
void    ts_read_prefix (TsLexicon *lexicon, const TsStatement *file);
/* Errors of the parser, the first `n_errors` entries of the list, in text that nothing opened needs become notes. */
void    ts_forgive_skipped (TsReader *reader, const TsStatement *file, guint n_errors);
/* Says of every -D that reached nothing in the file why not. `scope` is what the opened kernel closes over. */
void    ts_report_defines (TsReader *reader, const TsPyptoOptions *options, TsScope *scope);
/* The name by which one of the offers is asked for: NAME, or NAME#2 where several have it. To be freed. */
char   *ts_offer_name (const GArray *offers, guint index);
/* Why an offer cannot be opened, to be freed, or NULL. */
char   *ts_offer_problem (const TsOffer *offer);
