/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions, by precedence climbing. Source: spec dsl 4.2 and section 10. */
#include "lang/pypto/parser-private.h"

#include <string.h>

#include "base/limits.h"
#include "ir/expr.h"

/* Precedences are those of operators.def, so that reader and printer agree. */
typedef struct
{
  guint8 op;
  guint8 precedence; /* 0: no binary operator */
} Binary;

enum { PRECEDENCE_OR = 1, PRECEDENCE_NOT = 4, PRECEDENCE_COMPARE = 5, PRECEDENCE_BIT_OR = 6, PRECEDENCE_UNARY = 12 };

static const Binary binaries[TS_N_TOKENS] = {
  [TS_TOKEN_OR] = { TS_OPERATOR_OR, 1 },
  [TS_TOKEN_AND] = { TS_OPERATOR_AND, 3 },
  [TS_TOKEN_EQ] = { TS_OPERATOR_EQ, 5 },
  [TS_TOKEN_NE] = { TS_OPERATOR_NE, 5 },
  [TS_TOKEN_LT] = { TS_OPERATOR_LT, 5 },
  [TS_TOKEN_LE] = { TS_OPERATOR_LE, 5 },
  [TS_TOKEN_GT] = { TS_OPERATOR_GT, 5 },
  [TS_TOKEN_GE] = { TS_OPERATOR_GE, 5 },
  [TS_TOKEN_IN] = { TS_SYNTAX_IN, 5 },
  [TS_TOKEN_IS] = { TS_SYNTAX_IS, 5 },
  [TS_TOKEN_NOT] = { TS_SYNTAX_NOT_IN, 5 },
  [TS_TOKEN_BIT_OR] = { TS_OPERATOR_BIT_OR, 6 },
  [TS_TOKEN_BIT_XOR] = { TS_OPERATOR_BIT_XOR, 7 },
  [TS_TOKEN_BIT_AND] = { TS_OPERATOR_BIT_AND, 8 },
  [TS_TOKEN_SHL] = { TS_OPERATOR_SHL, 9 },
  [TS_TOKEN_SHR] = { TS_OPERATOR_SHR, 9 },
  [TS_TOKEN_ADD] = { TS_OPERATOR_ADD, 10 },
  [TS_TOKEN_SUB] = { TS_OPERATOR_SUB, 10 },
  [TS_TOKEN_MUL] = { TS_OPERATOR_MUL, 11 },
  [TS_TOKEN_DIV] = { TS_OPERATOR_DIV, 11 },
  [TS_TOKEN_FLOOR_DIV] = { TS_OPERATOR_FLOOR_DIV, 11 },
  [TS_TOKEN_MOD] = { TS_OPERATOR_FLOOR_MOD, 11 },
  [TS_TOKEN_AT] = { TS_SYNTAX_AT, 11 },
};

static const Binary infix_xor = { TS_OPERATOR_XOR, 2 };

const char *
ts_node_kind_name (TsNodeKind kind)
{
  static const char *const names[] = {
    [TS_NODE_NAME] = "a name", [TS_NODE_INT] = "an integer", [TS_NODE_FLOAT] = "a float", [TS_NODE_STRING] = "a string",
    [TS_NODE_FSTRING] = "an f-string", [TS_NODE_TRUE] = "True", [TS_NODE_FALSE] = "False", [TS_NODE_NONE] = "None",
    [TS_NODE_ELLIPSIS] = "an ellipsis", [TS_NODE_TUPLE] = "a tuple", [TS_NODE_LIST] = "a list", [TS_NODE_SET] = "a set",
    [TS_NODE_DICT] = "a dictionary", [TS_NODE_UNARY] = "an operator", [TS_NODE_BINARY] = "an operator",
    [TS_NODE_CHAIN] = "a chained comparison", [TS_NODE_CALL] = "a call", [TS_NODE_KEYWORD] = "a keyword argument",
    [TS_NODE_STAR] = "a starred expression", [TS_NODE_DOUBLE_STAR] = "a starred expression", [TS_NODE_SUBSCRIPT] = "a subscript",
    [TS_NODE_SLICE] = "a slice", [TS_NODE_EMPTY] = "nothing", [TS_NODE_ATTRIBUTE] = "an attribute",
    [TS_NODE_CONDITIONAL] = "a conditional expression", [TS_NODE_COMPREHENSION] = "a comprehension", [TS_NODE_CLAUSE] = "a clause",
    [TS_NODE_LAMBDA] = "a lambda", [TS_NODE_WALRUS] = "an assignment expression", [TS_NODE_OTHER] = "this construct",
    [TS_NODE_TYPE] = "a type",
  };

  return names[kind];
}

TsNode *
ts_parser_node (TsParser *parser, TsNodeKind kind, guint32 offset)
{
  TsNode *node = ts_pool_new0 (parser->pool, TsNode);

  node->kind = (guint8) kind;
  node->height = 1;
  node->offset = offset;
  node->end = parser->token.end;
  return node;
}

TsNode *
ts_parser_link (TsParser *parser, TsNode *parent, TsNode *last, TsNode *child)
{
  if (last == NULL)
    parent->first = child;
  else
    last->next = child;
  parent->n++;
  parent->end = MAX (parent->end, child->end);
  if (child->height >= parent->height)
    parent->height = child->height + 1;
  if (parent->height > TS_MAX_EXPR_DEPTH)
    return ts_parser_fail (parser, "limit", child->offset, child->end, "an expression nested deeper than %u", TS_MAX_EXPR_DEPTH);
  return child;
}

/* A node for the current token, which is taken. */
static TsNode *
leaf (TsParser *parser, TsNodeKind kind)
{
  TsNode *node = ts_parser_node (parser, kind, parser->token.offset);

  switch (kind)
    {
    case TS_NODE_NAME: node->name = parser->token.name; break;
    case TS_NODE_INT: node->i = parser->token.i; break;
    case TS_NODE_FLOAT: node->f = parser->token.f; break;
    case TS_NODE_STRING:
    case TS_NODE_FSTRING: node->text = ts_pool_strndup (parser->pool, parser->token.text, strlen (parser->token.text)); break;
    default: break;
    }
  ts_parser_advance (parser);
  return node;
}

static TsNode *
node1 (TsParser *parser, TsNodeKind kind, guint8 op, guint32 offset, TsNode *child)
{
  TsNode *node;

  if (child == NULL)
    return NULL;
  node = ts_parser_node (parser, kind, offset);
  node->op = op;
  node->end = child->end;
  return ts_parser_link (parser, node, NULL, child) != NULL ? node : NULL;
}

static TsNode *
node2 (TsParser *parser, TsNodeKind kind, guint8 op, TsNode *a, TsNode *b)
{
  TsNode *node;

  if (a == NULL || b == NULL)
    return NULL;
  node = ts_parser_node (parser, kind, a->offset);
  node->op = op;
  node->end = b->end;
  if (ts_parser_link (parser, node, NULL, a) == NULL || ts_parser_link (parser, node, a, b) == NULL)
    return NULL;
  return node;
}

/* --- brackets ------------------------------------------------------------------------------------------------------------ */

static TsNode *parse_binary (TsParser *parser, guint least);

static TsNode *
starred_or_named (TsParser *parser)
{
  guint32 offset = parser->token.offset;

  if (ts_parser_accept (parser, TS_TOKEN_MUL))
    return node1 (parser, TS_NODE_STAR, 0, offset, ts_parser_expression (parser));
  return ts_parser_named_expression (parser);
}

/* for TARGETS in ITERABLE if CONDITION ... */
static TsNode *
parse_clauses (TsParser *parser, TsNode *comprehension, TsNode *last)
{
  while (ts_parser_at (parser, TS_TOKEN_FOR) || ts_parser_at (parser, TS_TOKEN_ASYNC))
    {
      TsNode *clause = ts_parser_node (parser, TS_NODE_CLAUSE, parser->token.offset);
      TsNode *part, *tail;

      ts_parser_accept (parser, TS_TOKEN_ASYNC);
      if (!ts_parser_expect (parser, TS_TOKEN_FOR) || (part = ts_parser_target_list (parser)) == NULL
          || (tail = ts_parser_link (parser, clause, NULL, part)) == NULL || !ts_parser_expect (parser, TS_TOKEN_IN))
        return NULL;
      do
        {
          /* An `if` here is a condition, not the middle of a conditional expression. */
          part = parse_binary (parser, PRECEDENCE_OR);
          if (part == NULL || (tail = ts_parser_link (parser, clause, tail, part)) == NULL)
            return NULL;
        }
      while (ts_parser_accept (parser, TS_TOKEN_IF));
      if ((last = ts_parser_link (parser, comprehension, last, clause)) == NULL)
        return NULL;
    }
  return comprehension;
}

static TsNode *
comprehension (TsParser *parser, TsNodeKind made, TsNode *element, TsNode *value)
{
  TsNode *node = ts_parser_node (parser, TS_NODE_COMPREHENSION, element->offset);
  TsNode *last = ts_parser_link (parser, node, NULL, element);

  node->op = (guint8) made;
  if (last != NULL && value != NULL)
    last = ts_parser_link (parser, node, last, value);
  return last != NULL ? parse_clauses (parser, node, last) : NULL;
}

/* Behind the opening bracket: items up to the closing one. One item without a comma in parentheses is that item. */
static TsNode *
parse_sequence (TsParser *parser, TsNodeKind kind, TsTokenKind close, guint32 offset)
{
  TsNode *node = ts_parser_node (parser, kind, offset);
  TsNode *last = NULL;
  gboolean comma = FALSE;

  while (!ts_parser_at (parser, close))
    {
      TsNode *item = starred_or_named (parser);

      if (item == NULL)
        return NULL;
      if (last == NULL && (ts_parser_at (parser, TS_TOKEN_FOR) || ts_parser_at (parser, TS_TOKEN_ASYNC)))
        {
          node = comprehension (parser, kind, item, NULL);
          comma = TRUE;
          break;
        }
      if ((last = ts_parser_link (parser, node, last, item)) == NULL)
        return NULL;
      if (!(comma = ts_parser_accept (parser, TS_TOKEN_COMMA)))
        break;
    }
  if (node == NULL)
    return NULL;
  node->end = parser->token.end;
  if (!ts_parser_at (parser, close))
    return ts_parser_expected (parser, ts_token_name (close));
  ts_parser_advance (parser);
  if (kind == TS_NODE_TUPLE && node->n == 1 && !comma && node->kind == TS_NODE_TUPLE)
    return last;
  return node;
}

/* Behind '{'. */
static TsNode *
parse_braces (TsParser *parser, guint32 offset)
{
  TsNode *node = ts_parser_node (parser, TS_NODE_DICT, offset);
  TsNode *last = NULL;

  while (!ts_parser_at (parser, TS_TOKEN_RBRACE))
    {
      guint32 start = parser->token.offset;
      TsNode *key = ts_parser_accept (parser, TS_TOKEN_POWER)
                      ? node1 (parser, TS_NODE_DOUBLE_STAR, 0, start, ts_parser_expression (parser)) : starred_or_named (parser);
      TsNode *value = NULL;

      if (key == NULL)
        return NULL;
      if (key->kind == TS_NODE_DOUBLE_STAR)
        value = NULL;
      else if (!ts_parser_accept (parser, TS_TOKEN_COLON))
        node->kind = TS_NODE_SET;
      else if ((value = ts_parser_expression (parser)) == NULL)
        return NULL;
      if (last == NULL && (ts_parser_at (parser, TS_TOKEN_FOR) || ts_parser_at (parser, TS_TOKEN_ASYNC)))
        {
          node = comprehension (parser, value != NULL ? TS_NODE_DICT : TS_NODE_SET, key, value);
          break;
        }
      last = ts_parser_link (parser, node, last, key);
      if (last != NULL && value != NULL)
        last = ts_parser_link (parser, node, last, value);
      if (last == NULL)
        return NULL;
      if (!ts_parser_accept (parser, TS_TOKEN_COMMA))
        break;
    }
  if (node == NULL)
    return NULL;
  node->end = parser->token.end;
  return ts_parser_expect (parser, TS_TOKEN_RBRACE) ? node : NULL;
}

/* --- calls and subscripts ------------------------------------------------------------------------------------------------ */

static TsNode *
parse_argument (TsParser *parser)
{
  guint32 offset = parser->token.offset;
  TsNode *value;

  if (ts_parser_accept (parser, TS_TOKEN_POWER))
    return node1 (parser, TS_NODE_DOUBLE_STAR, 0, offset, ts_parser_expression (parser));
  value = starred_or_named (parser);
  if (value != NULL && value->kind == TS_NODE_NAME && value->name->parent == NULL && ts_parser_accept (parser, TS_TOKEN_ASSIGN))
    {
      TsNode *keyword = node1 (parser, TS_NODE_KEYWORD, 0, offset, ts_parser_expression (parser));

      if (keyword != NULL)
        keyword->name = value->name;
      return keyword;
    }
  if (value != NULL && (ts_parser_at (parser, TS_TOKEN_FOR) || ts_parser_at (parser, TS_TOKEN_ASYNC)))
    return comprehension (parser, TS_NODE_TUPLE, value, NULL);
  return value;
}

/* Behind '('. */
TsNode *
ts_parser_call (TsParser *parser, TsNode *callee)
{
  const TsNode *repeated;
  TsNode *node = ts_parser_node (parser, TS_NODE_CALL, callee->offset);
  TsNode *last = ts_parser_link (parser, node, NULL, callee);

  while (last != NULL && !ts_parser_at (parser, TS_TOKEN_RPAREN))
    {
      TsNode *argument = parse_argument (parser);

      if (argument == NULL || (last = ts_parser_link (parser, node, last, argument)) == NULL)
        return NULL;
      if (!ts_parser_accept (parser, TS_TOKEN_COMMA))
        break;
    }
  if (last == NULL)
    return NULL;
  node->end = parser->token.end;
  repeated = ts_parser_repeated_keyword (node);
  if (repeated != NULL)
    return ts_parser_fail (parser, "syntax", repeated->offset, repeated->end, "the keyword argument '%s' is given twice",
                           repeated->name->text);
  return ts_parser_expect (parser, TS_TOKEN_RPAREN) ? node : NULL;
}

static gboolean
at_slice_end (const TsParser *parser)
{
  return ts_parser_at (parser, TS_TOKEN_COLON) || ts_parser_at (parser, TS_TOKEN_COMMA) || ts_parser_at (parser, TS_TOKEN_RBRACKET);
}

static TsNode *
parse_slice_part (TsParser *parser)
{
  if (at_slice_end (parser))
    {
      TsNode *empty = ts_parser_node (parser, TS_NODE_EMPTY, parser->token.offset);

      empty->end = empty->offset;
      return empty;
    }
  return starred_or_named (parser);
}

static TsNode *
parse_index (TsParser *parser)
{
  TsNode *lower = parse_slice_part (parser);
  TsNode *slice, *upper, *step;

  if (lower == NULL || !ts_parser_at (parser, TS_TOKEN_COLON))
    return lower != NULL && lower->kind == TS_NODE_EMPTY ? ts_parser_expected (parser, "an index") : lower;
  slice = ts_parser_node (parser, TS_NODE_SLICE, lower->offset);
  ts_parser_advance (parser);
  if ((upper = parse_slice_part (parser)) == NULL)
    return NULL;
  ts_parser_accept (parser, TS_TOKEN_COLON);
  if ((step = parse_slice_part (parser)) == NULL)
    return NULL;
  if (ts_parser_link (parser, slice, NULL, lower) == NULL || ts_parser_link (parser, slice, lower, upper) == NULL
      || ts_parser_link (parser, slice, upper, step) == NULL)
    return NULL;
  return slice;
}

/* Behind '['. */
static TsNode *
parse_subscript (TsParser *parser, TsNode *base)
{
  guint32 start = parser->token.offset;
  TsNode *index = parse_index (parser);
  TsNode *node;

  if (index == NULL)
    return NULL;
  if (ts_parser_at (parser, TS_TOKEN_COMMA))
    {
      TsNode *tuple = ts_parser_node (parser, TS_NODE_TUPLE, start);
      TsNode *last = ts_parser_link (parser, tuple, NULL, index);

      while (last != NULL && ts_parser_accept (parser, TS_TOKEN_COMMA) && !ts_parser_at (parser, TS_TOKEN_RBRACKET))
        last = (index = parse_index (parser)) != NULL ? ts_parser_link (parser, tuple, last, index) : NULL;
      if (last == NULL)
        return NULL;
      index = tuple;
    }
  node = node2 (parser, TS_NODE_SUBSCRIPT, 0, base, index);
  if (node != NULL)
    node->end = parser->token.end;
  return ts_parser_expect (parser, TS_TOKEN_RBRACKET) ? node : NULL;
}

/* One node for each part of a dotted name. */
static TsNode *
attribute_of (TsParser *parser, TsNode *base, const TsName *name)
{
  TsNode *node;

  if (name->parent != NULL && (base = attribute_of (parser, base, name->parent)) == NULL)
    return NULL;
  if ((node = node1 (parser, TS_NODE_ATTRIBUTE, 0, base->offset, base)) == NULL)
    return NULL;
  node->name = ts_lexicon_get (parser->lexicon, name->last, strlen (name->last));
  node->end = parser->token.end;
  return node;
}

static TsNode *
parse_attribute (TsParser *parser, TsNode *base)
{
  TsNode *node;

  if (!ts_parser_at (parser, TS_TOKEN_NAME))
    return ts_parser_expected (parser, "a name");
  if (base->kind == TS_NODE_NAME)
    {
      /* Blanks around the dot: the same name as without them. */
      TsName *joined = ts_lexicon_join (parser->lexicon, base->name, parser->token.name);

      if (joined == NULL)
        return ts_parser_fail (parser, "limit", base->offset, parser->token.end, "a name of more than %u parts", TS_MAX_NAME_PARTS);
      base->name = joined;
      base->end = parser->token.end;
      ts_parser_advance (parser);
      return base;
    }
  if ((node = attribute_of (parser, base, parser->token.name)) != NULL)
    ts_parser_advance (parser);
  return node;
}

/* --- atoms --------------------------------------------------------------------------------------------------------------- */

/* Adjacent literals are one string; an f-string among them makes the whole one. */
static TsNode *
parse_string (TsParser *parser)
{
  TsNode *node = leaf (parser, parser->token.kind == TS_TOKEN_FSTRING ? TS_NODE_FSTRING : TS_NODE_STRING);
  GString *joined = NULL;

  while (ts_parser_at (parser, TS_TOKEN_STRING) || ts_parser_at (parser, TS_TOKEN_FSTRING))
    {
      if (joined == NULL)
        joined = g_string_new (node->text);
      if (ts_string_join (joined, node->kind == TS_NODE_FSTRING, &parser->token))
        node->kind = TS_NODE_FSTRING;
      node->end = parser->token.end;
      ts_parser_advance (parser);
    }
  if (joined != NULL)
    {
      gboolean fits = joined->len <= TS_MAX_STRING_LENGTH;

      node->text = fits ? ts_pool_strndup (parser->pool, joined->str, joined->len) : "";
      g_string_free (joined, TRUE);
      if (!fits)
        return ts_parser_fail (parser, "limit", node->offset, node->end, "a string longer than %u bytes", TS_MAX_STRING_LENGTH);
    }
  return node;
}

/* Bytes and template strings mean nothing here, joined or alone. */
static TsNode *
parse_bytes (TsParser *parser)
{
  TsNode *node = leaf (parser, TS_NODE_OTHER);

  node->text = "a bytes literal or template string";
  while (ts_parser_at (parser, TS_TOKEN_BYTES) || ts_parser_at (parser, TS_TOKEN_STRING) || ts_parser_at (parser, TS_TOKEN_FSTRING))
    {
      node->end = parser->token.end;
      ts_parser_advance (parser);
    }
  return node;
}

static TsNode *
parse_yield (TsParser *parser)
{
  TsNode *node = ts_parser_node (parser, TS_NODE_OTHER, parser->token.offset);

  node->text = "yield";
  ts_parser_advance (parser);
  ts_parser_accept (parser, TS_TOKEN_FROM);
  if (!ts_parser_at (parser, TS_TOKEN_RPAREN) && !ts_parser_at (parser, TS_TOKEN_NEWLINE)
      && ts_parser_expression_list (parser) == NULL)
    return NULL;
  return node;
}

static TsNode *
parse_atom (TsParser *parser)
{
  guint32 offset = parser->token.offset;

  switch (parser->token.kind)
    {
    case TS_TOKEN_NAME: return leaf (parser, TS_NODE_NAME);
    case TS_TOKEN_INT: return leaf (parser, TS_NODE_INT);
    case TS_TOKEN_FLOAT: return leaf (parser, TS_NODE_FLOAT);
    case TS_TOKEN_STRING:
    case TS_TOKEN_FSTRING: return parse_string (parser);
    case TS_TOKEN_TRUE: return leaf (parser, TS_NODE_TRUE);
    case TS_TOKEN_FALSE: return leaf (parser, TS_NODE_FALSE);
    case TS_TOKEN_NONE: return leaf (parser, TS_NODE_NONE);
    case TS_TOKEN_ELLIPSIS: return leaf (parser, TS_NODE_ELLIPSIS);
    case TS_TOKEN_BYTES: return parse_bytes (parser);
    case TS_TOKEN_COMPLEX:
      {
        TsNode *node = leaf (parser, TS_NODE_OTHER);

        node->text = "a complex number";
        return node;
      }
    case TS_TOKEN_YIELD: return parse_yield (parser);
    case TS_TOKEN_LPAREN:
      ts_parser_advance (parser);
      return parse_sequence (parser, TS_NODE_TUPLE, TS_TOKEN_RPAREN, offset);
    case TS_TOKEN_LBRACKET:
      ts_parser_advance (parser);
      return parse_sequence (parser, TS_NODE_LIST, TS_TOKEN_RBRACKET, offset);
    case TS_TOKEN_LBRACE:
      ts_parser_advance (parser);
      return parse_braces (parser, offset);
    default:
      return ts_parser_expected (parser, "an expression");
    }
}

static TsNode *
parse_postfix (TsParser *parser)
{
  TsNode *node = parse_atom (parser);

  while (node != NULL)
    {
      if (ts_parser_accept (parser, TS_TOKEN_LPAREN))
        node = ts_parser_call (parser, node);
      else if (ts_parser_accept (parser, TS_TOKEN_LBRACKET))
        node = parse_subscript (parser, node);
      else if (ts_parser_accept (parser, TS_TOKEN_DOT))
        node = parse_attribute (parser, node);
      else
        return node;
    }
  return NULL;
}

/* --- operators ----------------------------------------------------------------------------------------------------------- */

/* Guards the recursion: every nested bracket and every prefix operator passes here. */
static TsNode *
parse_unary (TsParser *parser)
{
  guint32 offset = parser->token.offset;
  guint8 op = parser->token.kind == TS_TOKEN_SUB ? TS_OPERATOR_NEG : parser->token.kind == TS_TOKEN_BIT_NOT ? TS_OPERATOR_BIT_NOT
              : parser->token.kind == TS_TOKEN_ADD ? TS_SYNTAX_PLUS : TS_OPERATOR_NOT;
  TsNode *node;

  if (parser->depth >= TS_MAX_EXPR_DEPTH)
    return ts_parser_fail (parser, "limit", offset, parser->token.end, "an expression nested deeper than %u", TS_MAX_EXPR_DEPTH);
  parser->depth++;
  switch (parser->token.kind)
    {
    case TS_TOKEN_SUB:
    case TS_TOKEN_ADD:
    case TS_TOKEN_BIT_NOT:
      ts_parser_advance (parser);
      node = node1 (parser, TS_NODE_UNARY, op, offset, parse_unary (parser));
      break;
    case TS_TOKEN_NOT:
      ts_parser_advance (parser);
      node = node1 (parser, TS_NODE_UNARY, op, offset, parse_binary (parser, PRECEDENCE_NOT));
      break;
    case TS_TOKEN_AWAIT:
      ts_parser_advance (parser);
      node = node1 (parser, TS_NODE_OTHER, 0, offset, parse_unary (parser));
      if (node != NULL)
        node->text = "await";
      break;
    default:
      node = parse_postfix (parser);
      if (node != NULL && ts_parser_accept (parser, TS_TOKEN_POWER))
        node = node2 (parser, TS_NODE_BINARY, TS_OPERATOR_POW, node, parse_unary (parser));
      break;
    }
  parser->depth--;
  return node;
}

/* The operator at the current token; `not in` and `is not` take two. */
static Binary
binary_at (TsParser *parser)
{
  if (G_UNLIKELY (parser->token.kind == TS_TOKEN_NAME))
    return g_str_equal (parser->token.name->text, "xor") ? infix_xor : (Binary) { 0, 0 };
  return binaries[parser->token.kind];
}

static gboolean
take_operator (TsParser *parser, Binary *binary)
{
  gboolean was_is = ts_parser_at (parser, TS_TOKEN_IS);
  gboolean was_not = ts_parser_at (parser, TS_TOKEN_NOT);

  ts_parser_advance (parser);
  if (was_is && ts_parser_accept (parser, TS_TOKEN_NOT))
    binary->op = TS_SYNTAX_IS_NOT;
  return !was_not || ts_parser_expect (parser, TS_TOKEN_IN);
}

/* a < b < c: the pairs as children of a CHAIN, whose last is `*last`. The shared operand is one node in both, so a pair's second
 * must not be linked. */
static TsNode *
extend_chain (TsParser *parser, TsNode *chain, TsNode **last, guint8 op, TsNode *right)
{
  TsNode *shared, *pair;

  if (chain == NULL || right == NULL)
    return NULL;
  if (*last == NULL)
    {
      *last = chain;
      chain = node1 (parser, TS_NODE_CHAIN, 0, chain->offset, chain);
    }
  if (chain == NULL)
    return NULL;
  shared = ts_pool_new0 (parser->pool, TsNode);
  *shared = *(*last)->first->next;
  shared->next = NULL;
  pair = node2 (parser, TS_NODE_BINARY, op, shared, right);
  if (pair == NULL || ts_parser_link (parser, chain, *last, pair) == NULL)
    return NULL;
  *last = pair;
  return chain;
}

static TsNode *
parse_binary (TsParser *parser, guint least)
{
  TsNode *left = parse_unary (parser);
  TsNode *last_pair = NULL; /* of the chain that `left` is */
  gboolean compared = FALSE;

  while (left != NULL)
    {
      Binary binary = binary_at (parser);
      TsNode *right;

      if (binary.precedence == 0 || binary.precedence < least)
        return left;
      if (!take_operator (parser, &binary))
        return NULL;
      right = parse_binary (parser, binary.precedence + 1u);
      if (binary.precedence == PRECEDENCE_COMPARE && compared)
        left = extend_chain (parser, left, &last_pair, binary.op, right);
      else
        left = node2 (parser, TS_NODE_BINARY, binary.op, left, right);
      compared = binary.precedence == PRECEDENCE_COMPARE;
    }
  return NULL;
}

/* A function like any other: what follows the ':' is what it returns. */
static TsNode *
parse_lambda (TsParser *parser)
{
  TsNode *node = ts_parser_node (parser, TS_NODE_LAMBDA, parser->token.offset);
  TsStatement *def = ts_pool_new0 (parser->pool, TsStatement), *body = ts_pool_new0 (parser->pool, TsStatement);
  TsParameter **last = &def->params;

  def->kind = TS_STATEMENT_DEF;
  def->name = ts_lexicon_get (parser->lexicon, "lambda", strlen ("lambda"));
  def->offset = node->offset;
  def->end = node->end;
  def->has_suite = def->is_read = TRUE;
  def->body = body;
  body->kind = TS_STATEMENT_RETURN;
  ts_parser_advance (parser);
  while (!ts_parser_at (parser, TS_TOKEN_COLON))
    {
      if ((*last = ts_parser_parameter (parser, FALSE)) == NULL)
        return NULL;
      last = &(*last)->next;
      if (!ts_parser_accept (parser, TS_TOKEN_COMMA))
        break;
    }
  body->offset = parser->token.offset;
  if (!ts_parser_expect (parser, TS_TOKEN_COLON) || (body->value = ts_parser_expression (parser)) == NULL)
    return NULL;
  body->end = body->value->end;
  node->lambda = def;
  return ts_parser_link (parser, node, NULL, body->value) != NULL ? node : NULL;
}

static TsNode *
parse_conditional (TsParser *parser, TsNode *then)
{
  TsNode *node = ts_parser_node (parser, TS_NODE_CONDITIONAL, then->offset);
  TsNode *condition, *otherwise;

  ts_parser_advance (parser);
  if ((condition = parse_binary (parser, PRECEDENCE_OR)) == NULL || !ts_parser_expect (parser, TS_TOKEN_ELSE)
      || (otherwise = ts_parser_expression (parser)) == NULL)
    return NULL;
  if (ts_parser_link (parser, node, NULL, condition) == NULL || ts_parser_link (parser, node, condition, then) == NULL
      || ts_parser_link (parser, node, then, otherwise) == NULL)
    return NULL;
  return node;
}

TsNode *
ts_parser_expression (TsParser *parser)
{
  TsNode *node;

  if (parser->depth >= TS_MAX_EXPR_DEPTH)
    return ts_parser_fail (parser, "limit", parser->token.offset, parser->token.end, "an expression nested deeper than %u",
                           TS_MAX_EXPR_DEPTH);
  parser->depth++;
  if (ts_parser_at (parser, TS_TOKEN_LAMBDA))
    node = parse_lambda (parser);
  else
    {
      node = parse_binary (parser, PRECEDENCE_OR);
      if (node != NULL && ts_parser_at (parser, TS_TOKEN_IF))
        node = parse_conditional (parser, node);
    }
  parser->depth--;
  return node;
}

TsNode *
ts_parser_named_expression (TsParser *parser)
{
  TsNode *node = ts_parser_expression (parser);

  if (node != NULL && ts_parser_accept (parser, TS_TOKEN_WALRUS))
    return node2 (parser, TS_NODE_WALRUS, 0, node, ts_parser_expression (parser));
  return node;
}

/* Does a list of expressions end here, after a comma? */
static gboolean
at_list_end (const TsParser *parser)
{
  switch (parser->token.kind)
    {
    case TS_TOKEN_NEWLINE:
    case TS_TOKEN_END:
    case TS_TOKEN_ASSIGN:
    case TS_TOKEN_RPAREN:
    case TS_TOKEN_RBRACKET:
    case TS_TOKEN_RBRACE:
    case TS_TOKEN_COLON:
    case TS_TOKEN_SEMICOLON:
    case TS_TOKEN_IN:
      return TRUE;
    default:
      return FALSE;
    }
}

static TsNode *
parse_list_of (TsParser *parser, TsNode *(*parse_item) (TsParser *))
{
  TsNode *first = parse_item (parser);
  TsNode *tuple, *last;

  if (first == NULL || !ts_parser_at (parser, TS_TOKEN_COMMA))
    return first;
  tuple = ts_parser_node (parser, TS_NODE_TUPLE, first->offset);
  last = ts_parser_link (parser, tuple, NULL, first);
  while (last != NULL && ts_parser_accept (parser, TS_TOKEN_COMMA) && !at_list_end (parser))
    {
      TsNode *item = parse_item (parser);

      last = item != NULL ? ts_parser_link (parser, tuple, last, item) : NULL;
    }
  return last != NULL ? tuple : NULL;
}

TsNode *
ts_parser_expression_list (TsParser *parser)
{
  return parse_list_of (parser, starred_or_named);
}

static TsNode *
parse_target (TsParser *parser)
{
  guint32 offset = parser->token.offset;

  if (ts_parser_accept (parser, TS_TOKEN_MUL))
    return node1 (parser, TS_NODE_STAR, 0, offset, parse_postfix (parser));
  return parse_binary (parser, PRECEDENCE_BIT_OR);
}

TsNode *
ts_parser_target_list (TsParser *parser)
{
  return parse_list_of (parser, parse_target);
}
