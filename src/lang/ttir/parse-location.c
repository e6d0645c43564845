/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Locations of Triton IR: their grammar is checked, their text is kept. Source: spec ttir section 3. */
#include <string.h>

#include "base/limits.h"
#include "lang/ttir/parser-private.h"

static gboolean read_location (TtParser *p);

static gboolean
read_number (TtParser *p, const char *what)
{
  if (tt_token (p)->kind != TT_TOKEN_INTEGER)
    return tt_error (p, "syntax", "expected %s in a location", what);
  tt_next (p);
  return TRUE;
}

/* `:line[:col][ to [line]:col]` behind a file's name. */
static gboolean
read_place (TtParser *p)
{
  tt_next (p);
  if (!read_number (p, "a line") || (tt_accept (p, ':') && !read_number (p, "a column")))
    return FALSE;
  if (!tt_accept_word (p, "to"))
    return TRUE;
  if (tt_token (p)->kind != TT_TOKEN_INTEGER)
    return tt_expect (p, ':') && read_number (p, "a column");
  tt_next (p);
  return !tt_accept (p, ':') || read_number (p, "a column");
}

/* `"file":1:2` or `"name"` or `"name"(X)`. */
static gboolean
read_named (TtParser *p)
{
  tt_next (p);
  if (tt_at (p, ':'))
    return read_place (p);
  return !tt_accept (p, '(') || (read_location (p) && tt_expect (p, ')'));
}

static gboolean
read_callsite (TtParser *p)
{
  tt_next (p);
  return tt_expect (p, '(') && read_location (p) && tt_expect_word (p, "at") && read_location (p) && tt_expect (p, ')');
}

/* `<attribute>`. The lexer has made one token of the bracket and a dictionary's brace: the brace is read again. */
static gboolean
read_metadata (TtParser *p)
{
  if (!tt_at_angle (p))
    return TRUE;
  tt_lexer_seek (&p->lexer, tt_token (p)->start + 1);
  return tt_parse_attribute (p) != NULL && tt_expect (p, '>');
}

/* `fused[X, ...]`, `fused<attribute>[X, ...]`. */
static gboolean
read_fused (TtParser *p)
{
  tt_next (p);
  if (!read_metadata (p) || !tt_expect (p, '['))
    return FALSE;
  do
    if (!read_location (p))
      return FALSE;
  while (tt_accept (p, ','));
  return tt_expect (p, ']');
}

/* `#alias`, or a location of a dialect: `#d.loc<...>`. */
static gboolean
read_alias (TtParser *p)
{
  guint32 end = tt_token (p)->end;

  tt_next (p);
  return !tt_at_angle (p) || tt_token (p)->start != end || tt_skip_balanced (p);
}

static gboolean
read_form (TtParser *p)
{
  if (tt_token (p)->kind == TT_TOKEN_STRING)
    return read_named (p);
  if (tt_token (p)->kind == TT_TOKEN_HASH)
    return read_alias (p);
  if (tt_at_word (p, "callsite"))
    return read_callsite (p);
  if (tt_at_word (p, "fused"))
    return read_fused (p);
  return tt_accept_word (p, "unknown") || tt_error (p, "syntax", "expected a location");
}

static gboolean
read_location (TtParser *p)
{
  gboolean ok;

  if (!tt_reach (p, 1))
    return FALSE;
  p->depth++;
  ok = read_form (p);
  p->depth--;
  return ok;
}

const char *
tt_parse_location (TtParser *p)
{
  guint32 start;

  if (!tt_at_word (p, "loc"))
    return NULL;
  tt_next (p);
  start = tt_token (p)->end;
  if (!tt_expect (p, '(') || !read_location (p) || !tt_expect (p, ')'))
    return NULL;
  return tt_share (p, p->lexer.text + start, p->lexer.last_end - 1 - start);
}
