/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines, indentation, names and punctuation; strings and numbers are in literal.c. */
#include "lang/pypto/lexer.h"

#include <string.h>

#include "base/limits.h"
#include "lang/pypto/lexer-private.h"

enum { CLASS_OTHER, CLASS_BLANK, CLASS_LINE_END, CLASS_NAME, CLASS_DIGIT, CLASS_QUOTE, CLASS_PUNCTUATION, CLASS_HIGH };

static const guint8 classes[256] = {
  [' '] = CLASS_BLANK, ['\t'] = CLASS_BLANK, ['\f'] = CLASS_BLANK,
  ['\n'] = CLASS_LINE_END, ['\r'] = CLASS_LINE_END,
  ['A' ... 'Z'] = CLASS_NAME, ['a' ... 'z'] = CLASS_NAME, ['_'] = CLASS_NAME,
  ['0' ... '9'] = CLASS_DIGIT,
  ['"'] = CLASS_QUOTE, ['\''] = CLASS_QUOTE,
  ['!'] = CLASS_PUNCTUATION, ['%' ... '&'] = CLASS_PUNCTUATION, ['(' ... '/'] = CLASS_PUNCTUATION,
  [':' ... '@'] = CLASS_PUNCTUATION, ['['] = CLASS_PUNCTUATION, [']' ... '^'] = CLASS_PUNCTUATION,
  ['{' ... '~'] = CLASS_PUNCTUATION,
  [0x80 ... 0xff] = CLASS_HIGH,
};

static const struct { guint8 kind; guint8 length; char text[4]; } punctuation[] = {
#define TS_PUNCTUATION(id, text) { TS_TOKEN_##id, sizeof (text) - 1, text },
#include "lang/pypto/punctuation.def"
#undef TS_PUNCTUATION
};

const char *
ts_token_name (TsTokenKind kind)
{
  static const char *const texts[TS_N_TOKENS] = {
    [TS_TOKEN_END] = "the end of the file", [TS_TOKEN_NEWLINE] = "the end of the line", [TS_TOKEN_INDENT] = "an indented line",
    [TS_TOKEN_DEDENT] = "the end of the block", [TS_TOKEN_NAME] = "a name", [TS_TOKEN_INT] = "a number",
    [TS_TOKEN_FLOAT] = "a number", [TS_TOKEN_STRING] = "a string", [TS_TOKEN_FSTRING] = "a string", [TS_TOKEN_BYTES] = "a string",
    [TS_TOKEN_COMPLEX] = "a number", [TS_TOKEN_BAD] = "an unreadable character",
#define TS_PUNCTUATION(id, text) [TS_TOKEN_##id] = "'" text "'",
#include "lang/pypto/punctuation.def"
#undef TS_PUNCTUATION
#define TS_KEYWORD(id, text) [TS_TOKEN_##id] = "'" text "'",
#include "lang/pypto/keywords.def"
#undef TS_KEYWORD
  };

  return texts[kind];
}

TsLexer *
ts_lexer_new (TsSource *source, guint32 file, TsLexicon *lexicon, TsDiagList *diags)
{
  TsLexer *lexer = g_new0 (TsLexer, 1);
  gsize length;

  lexer->source = ts_source_ref (source);
  lexer->file = file;
  lexer->lexicon = lexicon;
  lexer->diags = diags;
  lexer->comments = g_array_new (FALSE, FALSE, sizeof (TsComment));
  lexer->scratch = g_string_new (NULL);
  lexer->text = ts_source_text (source, &length);
  lexer->length = (guint32) MIN (length, TS_MAX_FILE_BYTES);
  lexer->line_start = TRUE;
  lexer->n_indents = 1;
  if (length >= 3 && memcmp (lexer->text, "\xef\xbb\xbf", 3) == 0)
    lexer->position = 3;
  return lexer;
}

void
ts_lexer_free (TsLexer *lexer)
{
  if (lexer == NULL)
    return;
  ts_source_unref (lexer->source);
  g_array_unref (lexer->comments);
  g_string_free (lexer->scratch, TRUE);
  g_free (lexer);
}

void
ts_lexer_report (TsLexer *lexer, const char *code, guint32 start, guint32 end, const char *format, ...)
{
  va_list args;
  TsSpan span = { start, end > start ? end - start : 0, lexer->file };

  if (lexer->muted > 0)
    return;
  va_start (args, format);
  ts_diag_add_valist (lexer->diags, TS_SEVERITY_ERROR, code, lexer->source, span, format, args);
  va_end (args);
}

/* Bytes of a line end at `p`: 1, or 2 for CR LF; 0 when there is none. */
static inline guint32
line_end_length (const char *p)
{
  return *p == '\n' ? 1 : *p == '\r' ? (p[1] == '\n' ? 2 : 1) : 0;
}

static void
skip_comment (TsLexer *lexer, guint32 column)
{
  TsComment comment = { lexer->position + 1, 0, column };
  const char *p = lexer->text + lexer->position + 1;
  const char *end = lexer->text + lexer->length;

  while (p < end && *p != '\n' && *p != '\r')
    p++;
  lexer->position = (guint32) (p - lexer->text);
  comment.length = lexer->position - comment.offset;
  g_array_append_val (lexer->comments, comment);
}

/* Skips blanks and joined lines. TRUE when a "\" that joins nothing was met. */
static void
skip_blanks (TsLexer *lexer)
{
  const char *text = lexer->text;

  for (;;)
    {
      guint8 class = classes[(guchar) text[lexer->position]];

      if (class == CLASS_BLANK)
        lexer->position++;
      else if (text[lexer->position] == '#')
        skip_comment (lexer, G_MAXUINT32);
      else if (class == CLASS_LINE_END && lexer->depth > 0)
        {
          lexer->position += line_end_length (text + lexer->position);
          lexer->first = TRUE;
        }
      else if (text[lexer->position] == '\\' && line_end_length (text + lexer->position + 1) > 0)
        {
          lexer->position += 1 + line_end_length (text + lexer->position + 1);
          lexer->first = TRUE;
        }
      else
        return;
    }
}

/* Measures the indentation of the next line that holds code; comment lines and empty lines are skipped. */
static void
measure_line (TsLexer *lexer, guint *column, guint *spaces)
{
  const char *text = lexer->text;

  *column = *spaces = 0;
  for (;;)
    switch (text[lexer->position])
      {
      case ' ':
        (*column)++;
        (*spaces)++;
        lexer->position++;
        break;
      case '\t':
        *column = (*column / 8 + 1) * 8;
        (*spaces)++;
        lexer->position++;
        break;
      case '#':
        skip_comment (lexer, *column);
        break;
      case '\n':
      case '\r':
      case '\f':
        lexer->position += MAX (line_end_length (text + lexer->position), 1);
        *column = *spaces = 0;
        break;
      default:
        return;
      }
}

/* Passes over the lines that stand deeper than the innermost block: one message for all of them. */
static void
skip_deep_lines (TsLexer *lexer, guint *column, guint *spaces)
{
  guint innermost = lexer->indents[lexer->n_indents - 1].column;

  ts_lexer_report (lexer, "limit", lexer->position, lexer->position, "blocks nested deeper than %u", TS_MAX_NESTING);
  while (*column > innermost && lexer->position < lexer->length)
    {
      while (lexer->position < lexer->length && line_end_length (lexer->text + lexer->position) == 0)
        lexer->position++;
      measure_line (lexer, column, spaces);
    }
}

/* Opens or closes blocks to suit the line's indentation. */
static void
start_line (TsLexer *lexer)
{
  guint column, spaces;
  TsIndent top;

  measure_line (lexer, &column, &spaces);
  if (lexer->n_indents == G_N_ELEMENTS (lexer->indents) && column > lexer->indents[lexer->n_indents - 1].column
      && lexer->position < lexer->length)
    skip_deep_lines (lexer, &column, &spaces);
  lexer->line_start = FALSE;
  lexer->first = TRUE;
  if (lexer->position >= lexer->length)
    column = spaces = 0;
  top = lexer->indents[lexer->n_indents - 1];
  if ((column > top.column) != (spaces > top.spaces) || (column < top.column) != (spaces < top.spaces))
    ts_lexer_report (lexer, "syntax", lexer->position, lexer->position, "tabs and spaces are mixed in the indentation");
  if (column > top.column)
    {
      lexer->indents[lexer->n_indents++] = (TsIndent) { column, spaces };
      lexer->n_pending = 1;
      return;
    }
  while (lexer->n_indents > 1 && column < lexer->indents[lexer->n_indents - 1].column)
    {
      lexer->n_indents--;
      lexer->n_pending--;
    }
  if (column != lexer->indents[lexer->n_indents - 1].column)
    ts_lexer_report (lexer, "syntax", lexer->position, lexer->position, "the indentation matches no outer block");
}

/* Length of the identifier part at `p`; hashes it. A bad byte ends it. */
static inline const char *
scan_identifier (const char *p, guint64 *hash)
{
  guint64 h = *hash;

  for (;; p++)
    {
      guint8 class = classes[(guchar) *p];

      if (G_UNLIKELY (class == CLASS_HIGH))
        {
          gunichar c = g_utf8_get_char_validated (p, 6);

          if (c == (gunichar) -1 || c == (gunichar) -2 || !g_unichar_isalnum (c))
            break;
          for (const char *next = g_utf8_next_char (p); p < next; p++)
            h = ts_name_hash_step (h, (guchar) *p);
          p--;
        }
      else if (class == CLASS_NAME || class == CLASS_DIGIT)
        h = ts_name_hash_step (h, (guchar) *p);
      else
        break;
    }
  *hash = h;
  return p;
}

static void
scan_name (TsLexer *lexer, TsToken *token)
{
  const char *start = lexer->text + lexer->position;
  guint64 hash = TS_NAME_HASH_START;
  const char *p = scan_identifier (start, &hash);
  guint parts = 1;

  if (G_UNLIKELY ((*p == '"' || *p == '\'') && p - start <= 2
                  && ts_lexer_scan_prefixed_string (lexer, token, (guint32) (p - start))))
    return;
  while (*p == '.' && classes[(guchar) p[1]] == CLASS_NAME)
    {
      hash = ts_name_hash_step (hash, '.');
      p = scan_identifier (p + 1, &hash);
      parts++;
    }
  if (G_UNLIKELY (p - start > (gssize) TS_MAX_STRING_LENGTH))
    {
      ts_lexer_report (lexer, "limit", token->offset, token->offset + 1, "a name is longer than %u bytes", TS_MAX_STRING_LENGTH);
      token->kind = TS_TOKEN_BAD;
    }
  else if (G_UNLIKELY (parts > TS_MAX_NAME_PARTS))
    {
      ts_lexer_report (lexer, "limit", token->offset, (guint32) (p - lexer->text), "a name of more than %u parts",
                       TS_MAX_NAME_PARTS);
      token->kind = TS_TOKEN_BAD;
    }
  else
    {
      token->name = ts_lexicon_find (lexer->lexicon, start, (gsize) (p - start), hash);
      token->kind = token->name->keyword != 0 ? token->name->keyword : TS_TOKEN_NAME;
    }
  lexer->position = (guint32) (p - lexer->text);
}

static void
track_brackets (TsLexer *lexer, TsToken *token)
{
  switch (token->kind)
    {
    case TS_TOKEN_LPAREN:
    case TS_TOKEN_LBRACKET:
    case TS_TOKEN_LBRACE:
      if (lexer->depth == 0)
        lexer->bracket_offset = token->offset;
      if (++lexer->depth == TS_MAX_EXPR_DEPTH)
        ts_lexer_report (lexer, "limit", token->offset, token->end, "brackets nested deeper than %u", TS_MAX_EXPR_DEPTH);
      break;
    case TS_TOKEN_RPAREN:
    case TS_TOKEN_RBRACKET:
    case TS_TOKEN_RBRACE:
      if (lexer->depth > 0)
        lexer->depth--;
      break;
    default:
      break;
    }
}

static void
scan_punctuation (TsLexer *lexer, TsToken *token)
{
  const char *p = lexer->text + lexer->position;

  for (guint i = 0; i < G_N_ELEMENTS (punctuation); i++)
    if (p[0] == punctuation[i].text[0] && strncmp (p, punctuation[i].text, punctuation[i].length) == 0)
      {
        token->kind = punctuation[i].kind;
        lexer->position += punctuation[i].length;
        token->end = lexer->position;
        track_brackets (lexer, token);
        return;
      }
  ts_lexer_bad_character (lexer, token);
}

/* The commonest delimiters stand alone, so one look suffices. */
static inline gboolean
scan_single (TsLexer *lexer, TsToken *token)
{
  switch (lexer->text[lexer->position])
    {
    case '(': token->kind = TS_TOKEN_LPAREN; break;
    case ')': token->kind = TS_TOKEN_RPAREN; break;
    case '[': token->kind = TS_TOKEN_LBRACKET; break;
    case ']': token->kind = TS_TOKEN_RBRACKET; break;
    case ',': token->kind = TS_TOKEN_COMMA; lexer->position++; return TRUE;
    default: return FALSE;
    }
  token->end = ++lexer->position;
  track_brackets (lexer, token);
  return TRUE;
}

void
ts_lexer_bad_character (TsLexer *lexer, TsToken *token)
{
  const char *p = lexer->text + lexer->position;
  gunichar c = *p != '\0' ? g_utf8_get_char_validated (p, lexer->length - lexer->position) : 0;

  token->kind = TS_TOKEN_BAD;
  if (c == (gunichar) -1 || c == (gunichar) -2)
    {
      ts_lexer_report (lexer, "bad-utf8", lexer->position, lexer->position + 1, "byte 0x%02x is not UTF-8", (guchar) *p);
      lexer->position++;
      return;
    }
  if (*p == '\0')
    ts_lexer_report (lexer, "syntax", lexer->position, lexer->position + 1, "a NUL byte in the text");
  else
    ts_lexer_report (lexer, "syntax", lexer->position, lexer->position + (guint32) (g_utf8_next_char (p) - p),
                     "unexpected character U+%04X", c);
  lexer->position += *p == '\0' ? 1 : (guint32) (g_utf8_next_char (p) - p);
}

static void
scan_end (TsLexer *lexer, TsToken *token)
{
  if (lexer->depth > 0)
    {
      ts_lexer_report (lexer, "syntax", lexer->bracket_offset, lexer->bracket_offset + 1, "'%c' is never closed",
                       lexer->text[lexer->bracket_offset]);
      lexer->depth = 0;
    }
  if (!lexer->ended)
    {
      lexer->ended = TRUE;
      lexer->line_start = TRUE; /* closes the blocks that are open */
      token->kind = TS_TOKEN_NEWLINE;
    }
  else
    token->kind = TS_TOKEN_END;
}

static gboolean
next_pending (TsLexer *lexer, TsToken *token)
{
  if (lexer->n_pending == 0)
    return FALSE;
  token->kind = lexer->n_pending > 0 ? TS_TOKEN_INDENT : TS_TOKEN_DEDENT;
  lexer->n_pending += lexer->n_pending > 0 ? -1 : 1;
  token->first = TRUE;
  token->offset = token->end = lexer->position;
  return TRUE;
}

/* TRUE when the file has more tokens than any we take; reported once. */
static gboolean
count_token (TsLexer *lexer)
{
  if (G_LIKELY (++lexer->n_tokens < TS_MAX_TOKENS))
    return FALSE;
  if (lexer->n_tokens == TS_MAX_TOKENS)
    ts_lexer_report (lexer, "limit", lexer->position, lexer->position, "more than %u tokens", TS_MAX_TOKENS);
  lexer->position = lexer->length;
  return TRUE;
}

static void
scan_token (TsLexer *lexer, TsToken *token)
{
  switch (classes[(guchar) lexer->text[lexer->position]])
    {
    case CLASS_NAME:
    case CLASS_HIGH:
      {
        guint32 start = lexer->position;

        scan_name (lexer, token);
        if (lexer->position == start)
          ts_lexer_bad_character (lexer, token);
      }
      break;
    case CLASS_DIGIT:
      ts_lexer_scan_number (lexer, token);
      break;
    case CLASS_QUOTE:
      ts_lexer_scan_string (lexer, token, lexer->position, 0);
      break;
    case CLASS_LINE_END:
      token->kind = TS_TOKEN_NEWLINE;
      lexer->position += line_end_length (lexer->text + lexer->position);
      lexer->line_start = TRUE;
      break;
    case CLASS_PUNCTUATION:
      if (scan_single (lexer, token))
        break;
      if (lexer->text[lexer->position] == '.' && classes[(guchar) lexer->text[lexer->position + 1]] == CLASS_DIGIT)
        ts_lexer_scan_number (lexer, token);
      else
        scan_punctuation (lexer, token);
      break;
    default:
      ts_lexer_bad_character (lexer, token);
      break;
    }
}

void
ts_lexer_next (TsLexer *lexer, TsToken *token)
{
  if (G_UNLIKELY (lexer->n_pending != 0) && next_pending (lexer, token))
    return;
  if (lexer->line_start)
    {
      start_line (lexer);
      if (next_pending (lexer, token))
        return;
    }
  else
    skip_blanks (lexer);
  token->first = lexer->first;
  token->offset = lexer->position;
  if (G_UNLIKELY (lexer->position >= lexer->length || count_token (lexer)))
    scan_end (lexer, token);
  else
    {
      lexer->first = FALSE;
      scan_token (lexer, token);
    }
  token->end = lexer->position;
}

void
ts_lexer_resync (TsLexer *lexer, guint32 offset, gboolean skip_line)
{
  const char *text = lexer->text;

  lexer->depth = 0;
  if (lexer->ended)
    return;
  if (skip_line)
    while (offset < lexer->length && line_end_length (text + offset) == 0)
      offset++;
  else
    while (offset > 0 && line_end_length (text + offset - 1) == 0)
      offset--;
  lexer->position = offset;
  lexer->n_pending = 0;
  lexer->line_start = !skip_line;
}

void
ts_lexer_jump (TsLexer *lexer, guint32 offset)
{
  lexer->position = offset;
}

void
ts_lexer_mute (TsLexer *lexer, gboolean mute)
{
  lexer->muted += mute ? 1 : -1;
}

gboolean
ts_lexer_is_muted (const TsLexer *lexer)
{
  return lexer->muted > 0;
}

GArray *
ts_lexer_comments (TsLexer *lexer)
{
  return lexer->comments;
}

const char *
ts_lexer_text (const TsLexer *lexer, gsize *length)
{
  if (length != NULL)
    *length = lexer->length;
  return lexer->text;
}

guint
ts_lexer_indentation (const TsLexer *lexer)
{
  return lexer->indents[lexer->n_indents - 1].column;
}

gboolean
ts_lexer_in_brackets (const TsLexer *lexer)
{
  return lexer->depth > 0;
}
