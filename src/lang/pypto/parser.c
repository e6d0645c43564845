/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parser's life, errors and recovery, suites. Statements are in parse-statement.c. */
#include "lang/pypto/parser.h"

#include "base/limits.h"
#include "lang/pypto/parser-private.h"
#include "lang/pypto/parse-statement.h"

enum { SUITE_MEMORY, SUITE_BLOCK, SUITE_INLINE, SUITE_EMPTY };

TsParser *
ts_parser_new (TsSource *source, guint32 file, TsLexicon *lexicon, TsDiagList *diags)
{
  TsParser *parser = g_new0 (TsParser, 1);

  parser->source = ts_source_ref (source);
  parser->file = file;
  parser->lexicon = lexicon;
  parser->diags = diags;
  parser->pool = ts_pool_new ();
  parser->dropped = g_array_new (FALSE, FALSE, sizeof (guint32));
  parser->lexer = ts_lexer_new (source, file, lexicon, diags);
  ts_parser_advance (parser);
  return parser;
}

void
ts_parser_free (TsParser *parser)
{
  if (parser == NULL)
    return;
  ts_lexer_free (parser->lexer);
  ts_pool_free (parser->pool);
  g_array_unref (parser->dropped);
  ts_source_unref (parser->source);
  g_free (parser);
}

TsLexer *
ts_parser_lexer (TsParser *parser)
{
  return parser->lexer;
}

TsPool *
ts_parser_pool (TsParser *parser)
{
  return parser->pool;
}

void
ts_parser_set_type_lookup (TsParser *parser, TsTypeLookup lookup, gpointer data)
{
  parser->type_lookup = lookup;
  parser->type_lookup_data = data;
}

/* --- errors -------------------------------------------------------------------------------------------------------------- */

gpointer
ts_parser_fail (TsParser *parser, const char *code, guint32 offset, guint32 end, const char *format, ...)
{
  va_list args;

  if (!parser->failed && !ts_lexer_is_muted (parser->lexer))
    {
      va_start (args, format);
      ts_diag_add_valist (parser->diags, TS_SEVERITY_ERROR, code, parser->source,
                          (TsSpan) { offset, end > offset ? end - offset : 0, parser->file }, format, args);
      va_end (args);
    }
  parser->failed = TRUE;
  return NULL;
}

gpointer
ts_parser_expected (TsParser *parser, const char *what)
{
  /* A bad token has been reported where it was met. */
  if (ts_parser_at (parser, TS_TOKEN_BAD) || (parser->in_with && ts_parser_at (parser, TS_TOKEN_AS)))
    {
      parser->failed = TRUE;
      return NULL;
    }
  if (ts_parser_at (parser, TS_TOKEN_NAME))
    return ts_parser_fail (parser, "syntax", parser->token.offset, parser->token.end, "expected %s, found '%s'", what,
                           parser->token.name->text);
  return ts_parser_fail (parser, "syntax", parser->token.offset, parser->token.end, "expected %s, found %s", what,
                         ts_token_name (parser->token.kind));
}

gboolean
ts_parser_expect (TsParser *parser, TsTokenKind kind)
{
  if (ts_parser_accept (parser, kind))
    return TRUE;
  ts_parser_expected (parser, ts_token_name (kind));
  return FALSE;
}

/* Bytes of blanks before a token that is the first of its line. */
static guint
column_of (const TsParser *parser, guint32 offset)
{
  const char *text = ts_lexer_text (parser->lexer, NULL);
  guint column = 0;

  while (offset > 0 && (text[offset - 1] == ' ' || text[offset - 1] == '\t'))
    {
      offset--;
      column++;
    }
  return column;
}

static gboolean
closes_bracket (const TsParser *parser)
{
  return ts_parser_at (parser, TS_TOKEN_RPAREN) || ts_parser_at (parser, TS_TOKEN_RBRACKET)
         || ts_parser_at (parser, TS_TOKEN_RBRACE);
}

/* Goes to the end of the broken statement. Inside brackets a line that is indented no deeper than the block is taken for the next
 * statement: the usual mistake is a bracket that was never closed. */
static void
recover (TsParser *parser, guint32 start)
{
  guint indentation = ts_lexer_indentation (parser->lexer);

  ts_lexer_mute (parser->lexer, TRUE);
  while (!ts_parser_at (parser, TS_TOKEN_END) && !ts_parser_at (parser, TS_TOKEN_NEWLINE) && !ts_parser_at (parser, TS_TOKEN_INDENT)
         && !ts_parser_at (parser, TS_TOKEN_DEDENT))
    {
      if (parser->token.first && parser->token.offset > start && !closes_bracket (parser)
          && column_of (parser, parser->token.offset) <= indentation)
        {
          ts_lexer_resync (parser->lexer, parser->token.offset, FALSE);
          ts_parser_advance (parser);
          ts_lexer_mute (parser->lexer, FALSE);
          return;
        }
      ts_parser_advance (parser);
    }
  ts_lexer_mute (parser->lexer, FALSE);
  if (ts_parser_at (parser, TS_TOKEN_NEWLINE))
    ts_parser_advance (parser);
}

/* Comments without a statement that are counted. */
#define MAX_DROPPED 1000u

/* --- calls --------------------------------------------------------------------------------------------------------------- */

/* Is an argument before `end` a keyword of that name? */
static gboolean
has_keyword_before (const TsNode *call, const TsNode *end)
{
  for (const TsNode *argument = call->first->next; argument != end; argument = argument->next)
    if (argument->kind == TS_NODE_KEYWORD && argument->name == end->name)
      return TRUE;
  return FALSE;
}

/* Nearly every call has a few arguments; a hostile one may have any number. */
const TsNode *
ts_parser_repeated_keyword (const TsNode *call)
{
  const guint few = 16;
  g_autoptr (GHashTable) seen = call->n > few ? g_hash_table_new (NULL, NULL) : NULL;

  for (const TsNode *argument = call->first->next; argument != NULL; argument = argument->next)
    if (argument->kind == TS_NODE_KEYWORD
        && (seen != NULL ? !g_hash_table_add (seen, argument->name) : has_keyword_before (call, argument)))
      return argument;
  return NULL;
}

/* --- comments ------------------------------------------------------------------------------------------------------------ */

static const char *
comment_text (TsParser *parser, const TsComment *comment)
{
  const char *text = ts_lexer_text (parser->lexer, NULL) + comment->offset;
  gsize length = comment->length;
  g_autofree char *valid = NULL;

  if (length > 0 && *text == ' ')
    {
      text++;
      length--;
    }
  while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
    length--;
  if (g_utf8_validate_len (text, length, NULL))
    return ts_pool_strndup (parser->pool, text, length);
  valid = g_utf8_make_valid (text, (gssize) length);
  return ts_pool_strndup (parser->pool, valid, strlen (valid));
}

/* A block has ended: comments that stand deeper than what follows are its own and belong to no statement. */
static void
drop_comments (TsParser *parser)
{
  GArray *comments = ts_lexer_comments (parser->lexer);
  guint32 indentation = ts_lexer_indentation (parser->lexer);
  guint n = 0;

  for (guint i = 0; i < comments->len; i++)
    {
      TsComment *comment = &g_array_index (comments, TsComment, i);
      guint32 offset = comment->offset - 1;

      if (comment->column == G_MAXUINT32 || comment->column <= indentation)
        g_array_index (comments, TsComment, n++) = *comment;
      else if (parser->dropped->len < MAX_DROPPED)
        g_array_append_val (parser->dropped, offset);
    }
  g_array_set_size (comments, n);
}

/* Adds the comments met so far to those the statement has. */
static void
take_comments (TsParser *parser, TsStatement *statement)
{
  GArray *comments = ts_lexer_comments (parser->lexer);
  const char **all;
  guint n = 0;

  if (G_LIKELY (comments->len == 0))
    return;
  all = ts_pool_array (parser->pool, const char *, statement->n_comments + comments->len);
  for (guint i = 0; i < statement->n_comments; i++)
    all[n++] = statement->comments[i];
  for (guint i = 0; i < comments->len; i++)
    all[n++] = comment_text (parser, &g_array_index (comments, TsComment, i));
  statement->comments = all;
  statement->n_comments = n;
  g_array_set_size (comments, 0);
}

guint
ts_parser_count_dropped_comments (const TsParser *parser, guint32 from, guint32 to, guint32 *offset)
{
  guint n = 0;

  for (guint i = 0; i < parser->dropped->len; i++)
    {
      guint32 at = g_array_index (parser->dropped, guint32, i);

      if (at < from || at >= to)
        continue;
      if (n++ == 0)
        *offset = at;
    }
  return n;
}

/* --- one statement ------------------------------------------------------------------------------------------------------- */

/* Behind a statement: its line's end, or a ';' with more on the same line. A compound statement ends at its ':'. */
static void
finish_line (TsParser *parser, TsStatement *statement)
{
  if (ts_parser_at (parser, TS_TOKEN_NEWLINE))
    take_comments (parser, statement);
  if (statement->has_suite)
    return;
  parser->inline_rest = FALSE;
  if (ts_parser_accept (parser, TS_TOKEN_SEMICOLON))
    {
      parser->inline_rest = !ts_parser_at (parser, TS_TOKEN_NEWLINE);
      if (!parser->inline_rest)
        ts_parser_advance (parser);
    }
  else if (!ts_parser_accept (parser, TS_TOKEN_NEWLINE) && !ts_parser_at (parser, TS_TOKEN_END))
    ts_parser_expected (parser, "the end of the statement");
}

/* What is left of a broken statement: where it stood, and the names it would have given a value. */
static void
make_bad (TsStatement *statement, guint32 start, guint32 end)
{
  TsStatement bad = { .kind = TS_STATEMENT_BAD, .offset = start, .end = end };

  if (statement->kind == TS_STATEMENT_ASSIGN || statement->kind == TS_STATEMENT_AUGMENTED || statement->kind == TS_STATEMENT_FOR)
    bad.targets = statement->targets;
  if (statement->kind == TS_STATEMENT_DEF || statement->kind == TS_STATEMENT_CLASS)
    bad.name = statement->name;
  *statement = bad;
}

static TsStatement *
read_statement (TsParser *parser)
{
  guint32 start = parser->token.offset;
  TsStatement *statement = ts_pool_new0 (parser->pool, TsStatement);
  guint32 end = start;

  parser->failed = FALSE;
  parser->depth = 0;
  statement->offset = start;
  take_comments (parser, statement);
  if (ts_parse_statement (parser, statement))
    finish_line (parser, statement);
  if (!parser->failed)
    return statement;
  end = MAX (parser->token.offset, start + 1);
  recover (parser, start);
  make_bad (statement, start, end);
  parser->inline_rest = FALSE;
  /* What belonged to a broken header has no place: names it would have bound are missing. */
  if (ts_parser_at (parser, TS_TOKEN_INDENT))
    ts_parser_skip_block (parser);
  return statement;
}

/* Passes over a block whose INDENT is the current token. */
void
ts_parser_skip_block (TsParser *parser)
{
  guint depth = 0;

  ts_lexer_mute (parser->lexer, TRUE);
  do
    {
      depth += ts_parser_at (parser, TS_TOKEN_INDENT);
      depth -= ts_parser_at (parser, TS_TOKEN_DEDENT);
      ts_parser_advance (parser);
    }
  while (depth > 0 && !ts_parser_at (parser, TS_TOKEN_END));
  ts_lexer_mute (parser->lexer, FALSE);
  g_array_set_size (ts_lexer_comments (parser->lexer), 0);
}

static void
refuse_indent (TsParser *parser)
{
  parser->failed = FALSE;
  ts_parser_fail (parser, "syntax", parser->token.offset, parser->token.end, "this line is indented without reason");
  ts_parser_skip_block (parser);
}

TsStatement *
ts_parser_top (TsParser *parser)
{
  for (;;)
    switch (parser->token.kind)
      {
      case TS_TOKEN_END:
        return NULL;
      case TS_TOKEN_INDENT:
        refuse_indent (parser);
        break;
      case TS_TOKEN_NEWLINE:
      case TS_TOKEN_DEDENT:
        drop_comments (parser);
        ts_parser_advance (parser);
        break;
      default:
        return read_statement (parser);
      }
}

/* --- suites -------------------------------------------------------------------------------------------------------------- */

void
ts_suite_open (TsSuite *suite, TsParser *parser, TsStatement *header)
{
  suite->parser = parser;
  suite->next = header->body;
  suite->style = SUITE_MEMORY;
  if (header->is_read)
    return;
  suite->style = SUITE_INLINE;
  parser->inline_rest = TRUE;
  if (!ts_parser_accept (parser, TS_TOKEN_NEWLINE))
    return;
  suite->style = SUITE_BLOCK;
  if (!ts_parser_accept (parser, TS_TOKEN_INDENT))
    {
      suite->style = SUITE_EMPTY;
      parser->failed = FALSE;
      ts_parser_fail (parser, "syntax", header->offset, header->end, "an indented block must follow");
    }
}

static TsStatement *
next_in_block (TsParser *parser)
{
  for (;;)
    switch (parser->token.kind)
      {
      case TS_TOKEN_END:
        return NULL;
      case TS_TOKEN_DEDENT:
        drop_comments (parser);
        ts_parser_advance (parser);
        return NULL;
      case TS_TOKEN_INDENT:
        refuse_indent (parser);
        break;
      case TS_TOKEN_NEWLINE:
        ts_parser_advance (parser);
        break;
      default:
        return read_statement (parser);
      }
}

TsStatement *
ts_suite_next (TsSuite *suite)
{
  TsStatement *statement;

  switch (suite->style)
    {
    case SUITE_MEMORY:
      statement = suite->next;
      suite->next = statement != NULL ? statement->next : NULL;
      return statement;
    case SUITE_BLOCK:
      return next_in_block (suite->parser);
    case SUITE_INLINE:
      if (!suite->parser->inline_rest)
        return NULL;
      statement = read_statement (suite->parser);
      if (statement->has_suite)
        ts_suite_skip (suite->parser, statement);
      return statement;
    default:
      return NULL;
    }
}

TsStatement *
ts_suite_otherwise (TsParser *parser, TsStatement *header)
{
  if (header->is_read)
    return header->otherwise;
  if (!ts_parse_at_clause (parser, header))
    return NULL;
  return read_statement (parser);
}

void
ts_suite_skip (TsParser *parser, TsStatement *header)
{
  if (header->is_read || !header->has_suite)
    return;
  ts_lexer_mute (parser->lexer, TRUE);
  while (!ts_parser_at (parser, TS_TOKEN_NEWLINE) && !ts_parser_at (parser, TS_TOKEN_END))
    ts_parser_advance (parser);
  header->suite_end = parser->token.offset;
  if (ts_parser_accept (parser, TS_TOKEN_NEWLINE) && ts_parser_at (parser, TS_TOKEN_INDENT))
    {
      ts_parser_skip_block (parser);
      header->suite_end = parser->token.offset;
    }
  ts_lexer_mute (parser->lexer, FALSE);
  g_array_set_size (ts_lexer_comments (parser->lexer), 0);
}

/* --- whole files --------------------------------------------------------------------------------------------------------- */

static void read_into_memory (TsParser *parser, TsStatement *header);

/* The clauses are a chain of headers; a loop, since a file may have any number of them. */
static void
read_clauses (TsParser *parser, TsStatement *header)
{
  TsStatement *clause = ts_suite_otherwise (parser, header);

  header->is_read = TRUE;
  while (clause != NULL)
    {
      TsStatement *next = NULL;

      header->otherwise = clause;
      if (clause->has_suite)
        {
          read_into_memory (parser, clause);
          next = ts_suite_otherwise (parser, clause);
        }
      clause->is_read = TRUE;
      header = clause;
      clause = next;
    }
}

/* Reads the suite of `header`; leaves `is_read` to the caller, who still looks for clauses. */
static void
read_into_memory (TsParser *parser, TsStatement *header)
{
  TsSuite suite;
  TsStatement **last = &header->body;

  ts_suite_open (&suite, parser, header);
  while ((*last = ts_suite_next (&suite)) != NULL)
    {
      if ((*last)->has_suite && !(*last)->is_read)
        {
          read_into_memory (parser, *last);
          read_clauses (parser, *last);
        }
      last = &(*last)->next;
    }
  header->suite_end = parser->token.offset;
}

TsStatement *
ts_parser_file (TsParser *parser)
{
  TsStatement *first = NULL;
  TsStatement **last = &first;

  while ((*last = ts_parser_top (parser)) != NULL)
    {
      if ((*last)->has_suite)
        {
          read_into_memory (parser, *last);
          read_clauses (parser, *last);
        }
      last = &(*last)->next;
    }
  return first;
}

TsNode *
ts_parser_lone_expression (TsParser *parser)
{
  TsNode *node;

  parser->failed = FALSE;
  node = ts_parser_expression_list (parser);
  if (node != NULL && !ts_parser_at (parser, TS_TOKEN_NEWLINE) && !ts_parser_at (parser, TS_TOKEN_END))
    return ts_parser_expected (parser, "the end of the value");
  return node;
}
