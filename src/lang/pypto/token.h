/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tokens of Python text. */
#pragma once

#include "lang/pypto/lexicon.h"

G_BEGIN_DECLS

typedef enum
{
  TS_TOKEN_END, /* end of the text; 0 also says "no keyword" in a name */
  TS_TOKEN_NEWLINE,
  TS_TOKEN_INDENT,
  TS_TOKEN_DEDENT,
  TS_TOKEN_NAME,    /* plain or dotted, never a keyword */
  TS_TOKEN_INT,
  TS_TOKEN_FLOAT,
  TS_TOKEN_STRING,
  TS_TOKEN_FSTRING, /* text is what stands between the quotes, undecoded */
  TS_TOKEN_BYTES,
  TS_TOKEN_COMPLEX, /* 1j: lexed so that skipped code passes */
  TS_TOKEN_BAD,     /* already reported */
#define TS_PUNCTUATION(id, text) TS_TOKEN_##id,
#include "lang/pypto/punctuation.def"
#undef TS_PUNCTUATION
#define TS_KEYWORD(id, text) TS_TOKEN_##id,
#include "lang/pypto/keywords.def"
#undef TS_KEYWORD
  TS_N_TOKENS,
} TsTokenKind;

typedef struct
{
  guint8  kind;    /* TsTokenKind */
  guint8  first;   /* first of its physical line: where a broken statement may be given up */
  guint32 offset;  /* bytes from the start of the text */
  guint32 end;     /* byte after it */
  union
  {
    TsName     *name;
    gint64      i;
    double      f;
    const char *text; /* STRING, FSTRING: decoded, NUL-terminated; valid until the lexer meets the next literal */
  };
} TsToken;

/* What a token is called in messages: "a name", "','", "'for'". */
const char *ts_token_name (TsTokenKind kind);

G_END_DECLS
