/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statements: simple ones whole, of compound ones the header. Source: spec dsl section 10. */
#include "lang/pypto/parse-statement.h"

#include <string.h>

/* --- simple statements --------------------------------------------------------------------------------------------------- */

/* The operator of "a += b"; 0xff for other tokens. */
static guint8
augmented_operator (TsTokenKind kind)
{
  switch (kind)
    {
    case TS_TOKEN_POWER_ASSIGN: return TS_OPERATOR_POW;
    case TS_TOKEN_FLOOR_DIV_ASSIGN: return TS_OPERATOR_FLOOR_DIV;
    case TS_TOKEN_SHR_ASSIGN: return TS_OPERATOR_SHR;
    case TS_TOKEN_SHL_ASSIGN: return TS_OPERATOR_SHL;
    case TS_TOKEN_ADD_ASSIGN: return TS_OPERATOR_ADD;
    case TS_TOKEN_SUB_ASSIGN: return TS_OPERATOR_SUB;
    case TS_TOKEN_MUL_ASSIGN: return TS_OPERATOR_MUL;
    case TS_TOKEN_DIV_ASSIGN: return TS_OPERATOR_DIV;
    case TS_TOKEN_MOD_ASSIGN: return TS_OPERATOR_FLOOR_MOD;
    case TS_TOKEN_AND_ASSIGN: return TS_OPERATOR_BIT_AND;
    case TS_TOKEN_OR_ASSIGN: return TS_OPERATOR_BIT_OR;
    case TS_TOKEN_XOR_ASSIGN: return TS_OPERATOR_BIT_XOR;
    case TS_TOKEN_AT_ASSIGN: return TS_SYNTAX_AT;
    default: return 0xff;
    }
}

/* a = b = value: every target but the last expression. */
static gboolean
parse_assignment (TsParser *parser, TsStatement *statement, TsNode *first)
{
  TsNode **last = &statement->targets;

  statement->kind = TS_STATEMENT_ASSIGN;
  *last = first;
  while (ts_parser_accept (parser, TS_TOKEN_ASSIGN))
    {
      TsNode *value = ts_parser_expression_list (parser);

      if (value == NULL)
        return FALSE;
      statement->n_targets = (guint8) MIN (statement->n_targets + 1u, 255u);
      if (statement->value != NULL)
        {
          last = &(*last)->next;
          *last = statement->value;
        }
      statement->value = value;
    }
  return TRUE;
}

static gboolean
parse_expression_statement (TsParser *parser, TsStatement *statement)
{
  TsNode *first = ts_parser_expression_list (parser);

  if (first == NULL)
    return FALSE;
  if (ts_parser_accept (parser, TS_TOKEN_COLON))
    {
      statement->kind = TS_STATEMENT_ASSIGN;
      statement->targets = first;
      statement->n_targets = 1;
      statement->annotation = ts_parser_annotation (parser);
      if (statement->annotation == NULL)
        return FALSE;
      if (ts_parser_accept (parser, TS_TOKEN_ASSIGN))
        return (statement->value = ts_parser_expression_list (parser)) != NULL;
      return TRUE;
    }
  if (ts_parser_at (parser, TS_TOKEN_ASSIGN))
    return parse_assignment (parser, statement, first);
  if (augmented_operator (parser->token.kind) != 0xff)
    {
      statement->kind = TS_STATEMENT_AUGMENTED;
      statement->op = augmented_operator (parser->token.kind);
      statement->targets = first;
      ts_parser_advance (parser);
      return (statement->value = ts_parser_expression_list (parser)) != NULL;
    }
  statement->kind = TS_STATEMENT_EXPRESSION;
  statement->value = first;
  return TRUE;
}

static gboolean
at_statement_end (const TsParser *parser)
{
  return ts_parser_at (parser, TS_TOKEN_NEWLINE) || ts_parser_at (parser, TS_TOKEN_END)
         || ts_parser_at (parser, TS_TOKEN_SEMICOLON);
}

static gboolean
parse_return (TsParser *parser, TsStatement *statement)
{
  ts_parser_advance (parser);
  statement->kind = TS_STATEMENT_RETURN;
  return at_statement_end (parser) || (statement->value = ts_parser_expression_list (parser)) != NULL;
}

static gboolean
parse_assert (TsParser *parser, TsStatement *statement)
{
  ts_parser_advance (parser);
  statement->kind = TS_STATEMENT_ASSERT;
  if ((statement->value = ts_parser_expression (parser)) == NULL)
    return FALSE;
  return !ts_parser_accept (parser, TS_TOKEN_COMMA) || (statement->annotation = ts_parser_expression (parser)) != NULL;
}

static gboolean
parse_keyword_alone (TsParser *parser, TsStatement *statement, TsStatementKind kind)
{
  ts_parser_advance (parser);
  statement->kind = (guint8) kind;
  return TRUE;
}

/* Statements that only the evaluator of the file's Python looks at. */
static gboolean
parse_other (TsParser *parser, TsStatement *statement, const char *what)
{
  ts_parser_advance (parser);
  statement->kind = TS_STATEMENT_OTHER;
  statement->what = what;
  while (!at_statement_end (parser))
    {
      TsNode *node;

      if (ts_parser_at (parser, TS_TOKEN_FROM) || ts_parser_at (parser, TS_TOKEN_COMMA))
        {
          ts_parser_advance (parser);
          continue;
        }
      if ((node = ts_parser_expression_list (parser)) == NULL)
        return FALSE;
      if (statement->value == NULL)
        statement->value = node;
    }
  return TRUE;
}

/* --- imports ------------------------------------------------------------------------------------------------------------- */

static gboolean
parse_import_name (TsParser *parser, TsImport *import)
{
  if (!ts_parser_at (parser, TS_TOKEN_NAME))
    {
      ts_parser_expected (parser, "a name");
      return FALSE;
    }
  import->name = parser->token.name;
  ts_parser_advance (parser);
  if (!ts_parser_accept (parser, TS_TOKEN_AS))
    return TRUE;
  if (!ts_parser_at (parser, TS_TOKEN_NAME))
    {
      ts_parser_expected (parser, "a name");
      return FALSE;
    }
  import->alias = parser->token.name;
  ts_parser_advance (parser);
  return TRUE;
}

static gboolean
parse_import_list (TsParser *parser, TsStatement *statement, gboolean in_parentheses)
{
  TsImport **last = &statement->imports;

  do
    {
      if (in_parentheses && ts_parser_at (parser, TS_TOKEN_RPAREN))
        break;
      *last = ts_pool_new0 (parser->pool, TsImport);
      if (!parse_import_name (parser, *last))
        return FALSE;
      last = &(*last)->next;
    }
  while (ts_parser_accept (parser, TS_TOKEN_COMMA));
  return !in_parentheses || ts_parser_expect (parser, TS_TOKEN_RPAREN);
}

static gboolean
parse_from (TsParser *parser, TsStatement *statement)
{
  ts_parser_advance (parser);
  statement->kind = TS_STATEMENT_FROM;
  for (;;)
    {
      guint dots = ts_parser_at (parser, TS_TOKEN_DOT) ? 1 : ts_parser_at (parser, TS_TOKEN_ELLIPSIS) ? 3 : 0;

      if (dots == 0)
        break;
      statement->level = (guint8) MIN (statement->level + dots, 255u);
      ts_parser_advance (parser);
    }
  if (ts_parser_at (parser, TS_TOKEN_NAME))
    {
      statement->name = parser->token.name;
      ts_parser_advance (parser);
    }
  if (!ts_parser_expect (parser, TS_TOKEN_IMPORT))
    return FALSE;
  if (ts_parser_accept (parser, TS_TOKEN_MUL))
    {
      statement->imports = ts_pool_new0 (parser->pool, TsImport);
      return TRUE;
    }
  return parse_import_list (parser, statement, ts_parser_accept (parser, TS_TOKEN_LPAREN));
}

/* --- compound statements ------------------------------------------------------------------------------------------------- */

static gboolean
finish_header (TsParser *parser, TsStatement *statement)
{
  statement->has_suite = TRUE;
  statement->end = parser->token.end;
  return ts_parser_expect (parser, TS_TOKEN_COLON);
}

static gboolean
parse_condition (TsParser *parser, TsStatement *statement, TsStatementKind kind)
{
  statement->is_elif = ts_parser_at (parser, TS_TOKEN_ELIF);
  ts_parser_advance (parser);
  statement->kind = (guint8) kind;
  return (statement->value = ts_parser_named_expression (parser)) != NULL && finish_header (parser, statement);
}

static gboolean
parse_for (TsParser *parser, TsStatement *statement)
{
  ts_parser_advance (parser);
  statement->kind = TS_STATEMENT_FOR;
  return (statement->targets = ts_parser_target_list (parser)) != NULL && ts_parser_expect (parser, TS_TOKEN_IN)
         && (statement->value = ts_parser_expression_list (parser)) != NULL && finish_header (parser, statement);
}

/* Passes over the rest of a header nobody looks into: up to the ':' outside brackets that ends it. */
static void
skip_header (TsParser *parser)
{
  while (!at_statement_end (parser) && (!ts_parser_at (parser, TS_TOKEN_COLON) || ts_lexer_in_brackets (parser->lexer)))
    ts_parser_advance (parser);
}

static gboolean
skip_parts (TsParser *parser, TsStatement *statement)
{
  statement->kind = TS_STATEMENT_BLOCK;
  statement->what = "a with of several parts";
  skip_header (parser);
  return finish_header (parser, statement);
}

static gboolean
parse_with (TsParser *parser, TsStatement *statement)
{
  ts_parser_advance (parser);
  statement->kind = TS_STATEMENT_WITH;
  parser->in_with = ts_parser_at (parser, TS_TOKEN_LPAREN);
  statement->value = ts_parser_expression_list (parser);
  if (statement->value == NULL && parser->in_with && ts_parser_at (parser, TS_TOKEN_AS))
    {
      /* with (a as b, c as d): */
      parser->failed = parser->in_with = FALSE;
      return skip_parts (parser, statement);
    }
  parser->in_with = FALSE;
  if (statement->value == NULL)
    return FALSE;
  if (ts_parser_accept (parser, TS_TOKEN_AS) && (statement->targets = ts_parser_target_list (parser)) == NULL)
    return FALSE;
  return ts_parser_at (parser, TS_TOKEN_COMMA) ? skip_parts (parser, statement) : finish_header (parser, statement);
}

TsParameter *
ts_parser_parameter (TsParser *parser, gboolean annotated)
{
  TsParameter *param = ts_pool_new0 (parser->pool, TsParameter);

  param->offset = parser->token.offset;
  param->end = parser->token.end;
  if (ts_parser_accept (parser, TS_TOKEN_DIV))
    {
      param->stars = 1;
      return param;
    }
  param->stars = ts_parser_at (parser, TS_TOKEN_MUL) ? 1 : ts_parser_at (parser, TS_TOKEN_POWER) ? 2 : 0;
  if (param->stars != 0)
    ts_parser_advance (parser);
  if (param->stars == 1 && (ts_parser_at (parser, TS_TOKEN_COMMA) || ts_parser_at (parser, TS_TOKEN_COLON)))
    return param;
  if (!ts_parser_at (parser, TS_TOKEN_NAME))
    return ts_parser_expected (parser, "a parameter");
  param->name = parser->token.name;
  param->end = parser->token.end;
  ts_parser_advance (parser);
  if (annotated && ts_parser_accept (parser, TS_TOKEN_COLON) && (param->annotation = ts_parser_annotation (parser)) == NULL)
    return NULL;
  if (ts_parser_accept (parser, TS_TOKEN_ASSIGN) && (param->value = ts_parser_expression (parser)) == NULL)
    return NULL;
  return param;
}

/* The parameters of a generic function or class, [T: int, *Ts]: they say nothing about values. */
static gboolean
skip_type_parameters (TsParser *parser)
{
  guint depth = 0;

  if (!ts_parser_at (parser, TS_TOKEN_LBRACKET))
    return TRUE;
  do
    {
      depth += ts_parser_at (parser, TS_TOKEN_LBRACKET);
      depth -= ts_parser_at (parser, TS_TOKEN_RBRACKET);
      ts_parser_advance (parser);
    }
  while (depth > 0 && !at_statement_end (parser));
  return depth == 0;
}

static gboolean
parse_def (TsParser *parser, TsStatement *statement)
{
  TsParameter **last = &statement->params;

  ts_parser_advance (parser);
  statement->kind = TS_STATEMENT_DEF;
  if (!ts_parser_at (parser, TS_TOKEN_NAME))
    {
      ts_parser_expected (parser, "a function name");
      return FALSE;
    }
  statement->name = parser->token.name;
  ts_parser_advance (parser);
  if (!skip_type_parameters (parser) || !ts_parser_expect (parser, TS_TOKEN_LPAREN))
    return FALSE;
  while (!ts_parser_at (parser, TS_TOKEN_RPAREN))
    {
      if ((*last = ts_parser_parameter (parser, TRUE)) == NULL)
        return FALSE;
      last = &(*last)->next;
      if (!ts_parser_accept (parser, TS_TOKEN_COMMA))
        break;
    }
  if (!ts_parser_expect (parser, TS_TOKEN_RPAREN))
    return FALSE;
  if (ts_parser_accept (parser, TS_TOKEN_ARROW) && (statement->annotation = ts_parser_expression_list (parser)) == NULL)
    return FALSE;
  return finish_header (parser, statement);
}

static gboolean
parse_class (TsParser *parser, TsStatement *statement)
{
  ts_parser_advance (parser);
  statement->kind = TS_STATEMENT_CLASS;
  if (!ts_parser_at (parser, TS_TOKEN_NAME))
    {
      ts_parser_expected (parser, "a class name");
      return FALSE;
    }
  /* Name and bases read like a call. */
  statement->name = parser->token.name;
  statement->value = ts_parser_node (parser, TS_NODE_NAME, parser->token.offset);
  statement->value->name = parser->token.name;
  ts_parser_advance (parser);
  if (!skip_type_parameters (parser))
    return FALSE;
  if (ts_parser_accept (parser, TS_TOKEN_LPAREN) && (statement->value = ts_parser_call (parser, statement->value)) == NULL)
    return FALSE;
  return finish_header (parser, statement);
}

static gboolean
parse_decorated (TsParser *parser, TsStatement *statement)
{
  TsNode **last = &statement->decorators;

  while (ts_parser_accept (parser, TS_TOKEN_AT))
    {
      if ((*last = ts_parser_named_expression (parser)) == NULL)
        return FALSE;
      last = &(*last)->next;
      if (!ts_parser_expect (parser, TS_TOKEN_NEWLINE))
        return FALSE;
    }
  ts_parser_accept (parser, TS_TOKEN_ASYNC);
  if (ts_parser_at (parser, TS_TOKEN_DEF))
    return parse_def (parser, statement);
  if (ts_parser_at (parser, TS_TOKEN_CLASS))
    return parse_class (parser, statement);
  ts_parser_expected (parser, "a function or a class");
  return FALSE;
}

/* try, except, finally and match: up to the ':' outside brackets that ends the line. */
static gboolean
parse_block (TsParser *parser, TsStatement *statement, const char *what)
{
  statement->kind = TS_STATEMENT_BLOCK;
  statement->what = what;
  ts_parser_advance (parser);
  skip_header (parser);
  return finish_header (parser, statement);
}

static gboolean
parse_async (TsParser *parser, TsStatement *statement)
{
  ts_parser_advance (parser);
  if (ts_parser_at (parser, TS_TOKEN_DEF))
    return parse_def (parser, statement);
  if (ts_parser_at (parser, TS_TOKEN_FOR) || ts_parser_at (parser, TS_TOKEN_WITH))
    return parse_block (parser, statement, "an async block");
  ts_parser_expected (parser, "'def', 'for' or 'with'");
  return FALSE;
}

/* --- words that are keywords only where a statement begins -------------------------------------------------------------------- */

/* Behind a string at `p`; one that is not closed in its line ends with it. */
static const char *
skip_string (const char *p)
{
  char quote = *p;

  for (p++; *p != quote && *p != '\0' && *p != '\n' && *p != '\r'; p++)
    if (*p == '\\' && p[1] != '\0')
      p++;
  return *p == quote ? p + 1 : p;
}

/* --- words that are keywords only where a statement begins ---------------------------------------------------------------- */
static gboolean
begins_statement (const char *p, guint indentation)
{
  guint column = 0;

  for (p++; *p == ' ' || *p == '\t'; p++)
    column++;
  return column <= indentation && *p != '\0' && strchr (")]}\n\r#", *p) == NULL;
}

/* Does the line at `p` hold a ':' outside brackets? */
static gboolean
has_colon (const char *p, guint indentation)
{
  guint depth = 0;

  while (*p != '\0' && (*p != '#' || depth > 0))
    if (*p == '"' || *p == '\'')
      p = skip_string (p);
    else if ((*p == '\n' || *p == '\r') && (depth == 0 || begins_statement (p, indentation)))
      return FALSE;
    else
      {
        if (*p == ':' && depth == 0)
          return TRUE;
        depth += *p == '(' || *p == '[' || *p == '{';
        depth -= depth > 0 && (*p == ')' || *p == ']' || *p == '}');
        p++;
      }
  return FALSE;
}

static const char *
skip_blank (const char *p)
{
  while (*p == ' ' || *p == '\t')
    p++;
  return p;
}

static gboolean
begins_name (const char *p)
{
  return g_ascii_isalpha (*p) || *p == '_' || (*p & 0x80) != 0;
}

/* match x: and case [a, *_]: but neither match[0] = 1 nor case.x = 3. */
static gboolean
at_soft_block (const TsParser *parser, const char *behind)
{
  const char *p = skip_blank (behind);

  if (!g_str_equal (parser->token.name->text, "match") && !g_str_equal (parser->token.name->text, "case"))
    return FALSE;
  return (g_ascii_isalnum (*p) || begins_name (p) || strchr ("([{\"'-*~", *p) != NULL) && *p != '\0'
         && has_colon (p, ts_lexer_indentation (parser->lexer));
}

/* type X = ..., type X[T] = ...: but neither type(x) nor type = 3. */
static gboolean
at_type_alias (const TsParser *parser, const char *behind)
{
  static const char *const operators[] = { "in ", "is ", "if ", "and ", "or ", "not " };
  const char *p = skip_blank (behind);

  if (!g_str_equal (parser->token.name->text, "type") || p == behind || !begins_name (p))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    if (g_str_has_prefix (p, operators[i]))
      return FALSE;
  while (begins_name (p) || g_ascii_isdigit (*p))
    p++;
  p = skip_blank (p);
  return (*p == '=' && p[1] != '=') || *p == '[';
}

/* Its name has a value, though not one that a kernel can use. */
static gboolean
parse_type_alias (TsParser *parser, TsStatement *statement)
{
  ts_parser_advance (parser);
  if (!ts_parser_at (parser, TS_TOKEN_NAME))
    return ts_parser_expected (parser, "a name") != NULL;
  statement->kind = TS_STATEMENT_ASSIGN;
  statement->n_targets = 1;
  statement->targets = ts_parser_node (parser, TS_NODE_NAME, parser->token.offset);
  statement->targets->name = parser->token.name;
  statement->value = ts_parser_node (parser, TS_NODE_OTHER, parser->token.offset);
  while (!at_statement_end (parser))
    ts_parser_advance (parser);
  statement->value->end = parser->last_end;
  return TRUE;
}

static gboolean
parse_by_name (TsParser *parser, TsStatement *statement)
{
  const char *behind = ts_lexer_text (parser->lexer, NULL) + parser->token.end;

  if (at_soft_block (parser, behind))
    return parse_block (parser, statement, "match");
  if (at_type_alias (parser, behind))
    return parse_type_alias (parser, statement);
  return parse_expression_statement (parser, statement);
}

gboolean
ts_parse_at_clause (const TsParser *parser, const TsStatement *header)
{
  switch (parser->token.kind)
    {
    case TS_TOKEN_ELIF:
      return header->kind == TS_STATEMENT_IF;
    case TS_TOKEN_ELSE:
      return header->kind == TS_STATEMENT_IF || header->kind == TS_STATEMENT_FOR || header->kind == TS_STATEMENT_WHILE
             || header->kind == TS_STATEMENT_BLOCK;
    case TS_TOKEN_EXCEPT:
    case TS_TOKEN_FINALLY:
      return header->kind == TS_STATEMENT_BLOCK;
    default:
      return FALSE;
    }
}

static gboolean
parse_else (TsParser *parser, TsStatement *statement)
{
  ts_parser_advance (parser);
  statement->kind = TS_STATEMENT_ELSE;
  return finish_header (parser, statement);
}

static gboolean
parse_by_keyword (TsParser *parser, TsStatement *statement)
{
  switch (parser->token.kind)
    {
    case TS_TOKEN_RETURN: return parse_return (parser, statement);
    case TS_TOKEN_PASS: return parse_keyword_alone (parser, statement, TS_STATEMENT_PASS);
    case TS_TOKEN_BREAK: return parse_keyword_alone (parser, statement, TS_STATEMENT_BREAK);
    case TS_TOKEN_CONTINUE: return parse_keyword_alone (parser, statement, TS_STATEMENT_CONTINUE);
    case TS_TOKEN_IF:
    case TS_TOKEN_ELIF: return parse_condition (parser, statement, TS_STATEMENT_IF);
    case TS_TOKEN_ELSE: return parse_else (parser, statement);
    case TS_TOKEN_WHILE: return parse_condition (parser, statement, TS_STATEMENT_WHILE);
    case TS_TOKEN_FOR: return parse_for (parser, statement);
    case TS_TOKEN_WITH: return parse_with (parser, statement);
    case TS_TOKEN_AT: return parse_decorated (parser, statement);
    case TS_TOKEN_DEF: return parse_def (parser, statement);
    case TS_TOKEN_CLASS: return parse_class (parser, statement);
    case TS_TOKEN_ASSERT: return parse_assert (parser, statement);
    case TS_TOKEN_FROM: return parse_from (parser, statement);
    case TS_TOKEN_IMPORT:
      ts_parser_advance (parser);
      statement->kind = TS_STATEMENT_IMPORT;
      return parse_import_list (parser, statement, FALSE);
    case TS_TOKEN_DEL: return parse_other (parser, statement, "del");
    case TS_TOKEN_RAISE: return parse_other (parser, statement, "raise");
    case TS_TOKEN_GLOBAL: return parse_other (parser, statement, "global");
    case TS_TOKEN_NONLOCAL: return parse_other (parser, statement, "nonlocal");
    case TS_TOKEN_TRY: return parse_block (parser, statement, "try");
    case TS_TOKEN_EXCEPT: return parse_block (parser, statement, "except");
    case TS_TOKEN_FINALLY: return parse_block (parser, statement, "finally");
    case TS_TOKEN_ASYNC: return parse_async (parser, statement);
    default: return parse_expression_statement (parser, statement);
    }
}

gboolean
ts_parse_statement (TsParser *parser, TsStatement *statement)
{
  gboolean done;

  if (ts_parser_at (parser, TS_TOKEN_NAME))
    done = parse_by_name (parser, statement);
  else
    done = parse_by_keyword (parser, statement);
  if (done && !statement->has_suite)
    statement->end = parser->last_end;
  return done && !parser->failed;
}
