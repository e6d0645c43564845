/* SPDX-License-Identifier: GPL-3.0-or-later */
/* f-strings. Source: Python's "Format String Syntax"; spec dsl 1, 5.4, 9.2. */
#pragma once

#include "lang/pypto/eval-private.h"

/* A piece of plain text, or a field in braces. */
typedef struct
{
  char    *text;       /* plain text, braces undone; of a field its expression */
  char    *shown;      /* "x=" of a field {x=}, or NULL */
  char    *spec;       /* what follows ':', or NULL */
  char     conversion; /* r, s, a; or 0 */
  gboolean is_field;
  gboolean is_broken;  /* a field that is never closed */
} TsFormatPart;

/* The next part of an f-string's text, to be cleared; FALSE at its end. *text moves on. */
gboolean       ts_format_next (const char **text, TsFormatPart *part);
void           ts_format_part_clear (TsFormatPart *part);
/* Appends a value as Python writes it with this conversion and format (NULL: none). FALSE: that is not known, or an error there. */
gboolean       ts_format_value (GString *out, const TsConst *value, char conversion, const char *spec);
/* The expression of a field; NULL when it is none. Owned by the evaluator. */
const TsNode  *ts_format_expression (TsEval *eval, const char *text);
/* The string that the text of the f-string `node`, or of a format in it, gives; or an opaque value. */
const TsConst *ts_eval_format (TsEval *eval, TsScope *scope, const TsNode *node, const char *text);
