/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tokens of Triton IR, made one at a time, so that `tensor<` can switch to dimension mode. Source: spec ttir section 1. */
#pragma once

#include <glib.h>

typedef enum
{
  TT_TOKEN_END,
  TT_TOKEN_ERROR,
  TT_TOKEN_VALUE,   /* %name, with :N or #N left to the parser */
  TT_TOKEN_BLOCK,   /* ^name */
  TT_TOKEN_SYMBOL,  /* @name or @"name" */
  TT_TOKEN_HASH,    /* #name or #dialect.name */
  TT_TOKEN_BANG,    /* !name or !dialect.name */
  TT_TOKEN_WORD,
  TT_TOKEN_INTEGER, /* decimal or 0x */
  TT_TOKEN_FLOAT,
  TT_TOKEN_STRING,
  TT_TOKEN_ARROW,   /* -> */
  TT_TOKEN_DICT_OPEN, /* <{ */
  TT_TOKEN_DICT_CLOSE, /* }> */
  TT_TOKEN_RESOURCES, /* {-# ... #-}, whole */
  TT_TOKEN_PUNCT,   /* one character */
} TtTokenKind;

typedef struct
{
  TtTokenKind kind;
  char        punct;      /* of PUNCT */
  gboolean    on_new_line; /* first on its line */
  guint32     start, end; /* bytes in the text */
} TtToken;

typedef struct
{
  const char *text;
  guint32     length; /* end of the section */
  guint32     at;
  TtToken     token;  /* the current one */
  guint32     last_end; /* end of the token before it: what was read stops there, white space and comments do not belong to it */
  const char *problem; /* of ERROR: static sentence */
} TtLexer;

void     tt_lexer_init (TtLexer *lexer, const char *text, guint32 start, guint32 end);
/* Moves on to the next token and returns it. */
TtToken *tt_lexer_next (TtLexer *lexer);
/* Restarts at a byte: used after reading dimensions by hand. */
void     tt_lexer_seek (TtLexer *lexer, guint32 at);
gboolean tt_lexer_is_word (const TtLexer *lexer, const char *word);
static inline gboolean
tt_lexer_is_punct (const TtLexer *lexer, char c)
{
  return lexer->token.kind == TT_TOKEN_PUNCT && lexer->token.punct == c;
}
/* The quoted text of a string token with escapes resolved (it may hold NUL bytes only as \00, which end it). Free with g_free. */
char    *tt_unquote (const char *text, gsize length);
void     tt_append_quoted (GString *out, const char *text);
