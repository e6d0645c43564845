/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what stands behind an operation's name by its pattern. */
#include <string.h>

#include "lang/ttir/format.h"
#include "lang/ttir/parser-private.h"

typedef struct
{
  TtParser     *p;
  TsOp         *op;
  GPtrArray    *result_types;
  const TsType *last_type;
  guint32       last_offset; /* of that type's text */
  guint         n_results; /* names on the left: a type marked r is that of all of them */
} Reader;

static gboolean
read_operand (Reader *r)
{
  TsExpr *operand = tt_parse_operand (r->p);

  if (operand == NULL)
    return FALSE;
  ts_op_add_operand (r->p->module, r->op, operand);
  return TRUE;
}

static gboolean
read_operands (Reader *r)
{
  if (tt_token (r->p)->kind != TT_TOKEN_VALUE)
    return TRUE;
  do
    if (!read_operand (r))
      return FALSE;
  while (tt_accept (r->p, ','));
  return TRUE;
}

/* ", %x" when it is there; a clause may also begin with a comma. */
static gboolean
read_optional_operand (Reader *r)
{
  TtLexer saved = r->p->lexer;

  if (!tt_accept (r->p, ','))
    return TRUE;
  if (tt_token (r->p)->kind == TT_TOKEN_VALUE)
    return read_operand (r);
  r->p->lexer = saved;
  return TRUE;
}

static void
give_type (Reader *r, char to, const TsType *type, guint32 offset)
{
  if (to == 'r')
    for (guint i = 0; i < MAX (r->n_results, 1u); i++)
      g_ptr_array_add (r->result_types, (gpointer) type);
  else if ((guint) (to - '0') < r->op->n_operands)
    tt_state_type (r->p, r->op->operands[to - '0'], type, offset);
}

/* Older dumps state the type of the value that a load or store moves, where that of the pointer stands today. */
static const TsType *
access_type (Reader *r, const TsType *stated)
{
  TsValue *pointer = r->op->n_operands > 0 ? ts_expr_as_value (r->op->operands[0]) : NULL;
  const TsType *pointee;

  if ((r->op->code != TS_OP_TT_LOAD && r->op->code != TS_OP_TT_STORE) || pointer == NULL || pointer->type == NULL)
    return stated;
  pointee = tt_pointee (r->p->module, pointer->type);
  return pointee != NULL && ts_type_equal (pointee, stated) ? pointer->type : stated;
}

/* T01r, T*, TR */
static gboolean
read_type_item (Reader *r, const char *item, gsize length)
{
  TtParser *p = r->p;
  guint32 offset = tt_token (p)->start;

  if (item[1] == '*' || item[1] == 'R')
    {
      g_autoptr (GPtrArray) types = g_ptr_array_new ();

      if (!tt_parse_type_list (p, types))
        return FALSE;
      if (item[1] == 'R')
        g_ptr_array_extend (r->result_types, types, NULL, NULL);
      else if (types->len != r->op->n_operands)
        return tt_error_at (p, offset, 1, "type-count", "%u types for %u operands", types->len, r->op->n_operands);
      else
        for (guint i = 0; i < types->len; i++)
          tt_state_type (p, r->op->operands[i], types->pdata[i], offset);
      return TRUE;
    }
  /* Older dumps put the source type of casts in parentheses. */
  gboolean bracketed = tt_accept (p, '(');
  r->last_offset = tt_token (p)->start;
  r->last_type = tt_parse_type (p);
  if (r->last_type == NULL || (bracketed && !tt_expect (p, ')')))
    return FALSE;
  r->last_type = access_type (r, r->last_type);
  for (gsize i = 1; i < length; i++)
    give_type (r, item[i], r->last_type, offset);
  return TRUE;
}

static gboolean
read_function_type (Reader *r)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  guint32 offset = tt_token (r->p)->start;

  if (!tt_parse_types (r->p, inputs) || !tt_expect_arrow (r->p) || !tt_parse_types (r->p, r->result_types))
    return FALSE;
  if (inputs->len != r->op->n_operands)
    return tt_error_at (r->p, offset, 1, "type-count", "%u types for %u operands", inputs->len, r->op->n_operands);
  for (guint i = 0; i < inputs->len; i++)
    tt_state_type (r->p, r->op->operands[i], inputs->pdata[i], offset);
  return TRUE;
}

/* overflow<nsw, nuw> and fastmath<...> are stored as the generic form spells them. */
static gboolean
read_flags (Reader *r)
{
  static const struct { const char *word, *attribute, *prefix; } kinds[] = {
    { "overflow", "overflowFlags", "#arith.overflow" },
    { "fastmath", "fastmath", "#arith.fastmath" },
  };
  TtParser *p = r->p;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (tt_at_word (p, kinds[i].word))
      {
        guint32 start;
        TsSpan span;
        g_autofree char *text = NULL;

        tt_next (p);
        start = tt_token (p)->start;
        if (!tt_at (p, '<') || !tt_skip_balanced (p))
          return tt_error (p, "syntax", "expected '<'");
        span = tt_span (p, start);
        text = g_strdup_printf ("%s%.*s", kinds[i].prefix, (int) span.length, p->lexer.text + span.offset);
        if (!g_str_has_suffix (text, "<none>"))
          ts_op_set_attr (p->module, r->op, kinds[i].attribute, ts_expr_text (p->module, text));
      }
  return TRUE;
}

static gboolean
store_word (Reader *r, const TtClause *clause)
{
  TtParser *p = r->p;
  const char *word = tt_token_text (p);
  gint index = tt_clause_word_index (clause, word);

  if (tt_token (p)->kind != TT_TOKEN_WORD || index < 0)
    return tt_error (p, "syntax", "expected one of: %s", clause->words);
  tt_next (p);
  if (strcmp (word, clause->fallback) == 0)
    return TRUE;
  ts_op_add_attr (p->module, r->op, clause->attribute,
                  clause->form == TT_CLAUSE_WORD
                      ? ts_expr_text (p->module, word)
                      : ts_expr_int (p->module, index, clause->form == TT_CLAUSE_NUMBER64 ? TS_DTYPE_INT64 : TS_DTYPE_INT32));
  return TRUE;
}

static gboolean
read_string (Reader *r, const TtClause *clause)
{
  TtParser *p = r->p;
  g_autofree char *text = NULL;

  if (tt_token (p)->kind != TT_TOKEN_STRING)
    return tt_error (p, "syntax", "expected a string");
  text = tt_unquote (p->lexer.text + tt_token (p)->start, tt_token (p)->end - tt_token (p)->start);
  tt_next (p);
  ts_op_add_attr (p->module, r->op, clause->attribute, ts_expr_string (p->module, text));
  return TRUE;
}

/* "cacheModifier = " or ", inputPrecision = ": matches the clause's words before its value. FALSE without a diagnostic: not there.
 */
static gboolean
match_before (TtParser *p, const char *before)
{
  g_auto (GStrv) parts = g_strsplit (before, " ", -1);
  TtLexer saved = p->lexer;

  for (guint i = 0; parts[i] != NULL; i++)
    {
      gboolean matched = parts[i][0] == '\0' ? TRUE
                         : strcmp (parts[i], "=") == 0 ? tt_accept (p, '=')
                         : parts[i][0] == ','          ? tt_accept (p, ',')
                                                       : tt_accept_word (p, parts[i]);

      if (!matched)
        {
          p->lexer = saved;
          return FALSE;
        }
    }
  return TRUE;
}

/* tt.print: `[: %a, ... : T, ...]` */
static gboolean
read_print_args (Reader *r)
{
  if (!tt_accept (r->p, ':'))
    return TRUE;
  return read_operands (r) && tt_expect (r->p, ':') && read_type_item (r, "T*", 2);
}

static gboolean
read_clause (Reader *r, const char *name, gsize length)
{
  const TtClause *clause = tt_clause_find (name, length);

  if (clause == NULL)
    return read_print_args (r);
  if (clause->form == TT_CLAUSE_STRING)
    return read_string (r, clause);
  /* The two clauses of loads and stores may come in either order: the second is tried again behind the first. */
  if (clause->before[0] != '\0' && strcmp (clause->before, " ") != 0)
    {
      if (!match_before (r->p, clause->before))
        return clause->fallback[0] != '\0' || clause->form == TT_CLAUSE_UNIT
               || tt_error (r->p, "syntax", "expected '%s'", clause->before + strspn (clause->before, " ,"));
      if (clause->form == TT_CLAUSE_UNIT)
        {
          ts_op_set_attr (r->p->module, r->op, clause->attribute, ts_expr_none (r->p->module));
          return TRUE;
        }
      return store_word (r, clause);
    }
  if (clause->fallback[0] == '*'
      && (tt_token (r->p)->kind != TT_TOKEN_WORD || tt_clause_word_index (clause, tt_token_text (r->p)) < 0))
    return TRUE;
  /* Older dumps give the axis in the dictionary only. */
  if (strcmp (clause->name, "axis") == 0 && tt_at (r->p, '{'))
    return TRUE;
  return store_word (r, clause);
}

static gboolean
read_item (Reader *r, const char *item, gsize length)
{
  TtParser *p = r->p;

  if (length == 2 && item[0] == '-' && item[1] == '>')
    return tt_expect_arrow (p);
  if (length == 2 && item[0] == 't' && item[1] == 'o')
    return tt_expect_word (p, "to");
  switch (item[0])
    {
    case '?':
      return read_optional_operand (r);
    case '*':
      return read_operands (r);
    case 'x':
      return tt_expect (p, '*');
    case 'T':
      return read_type_item (r, item, length);
    case 'B':
      g_ptr_array_add (r->result_types, (gpointer) tt_bool_like (p->module, r->last_type));
      return TRUE;
    case 'L':
      {
        const TsType *pointee = tt_pointee (p->module, r->last_type);

        if (pointee == NULL)
          return tt_error_at (p, r->last_offset, 1, "type-mismatch", "a load needs a pointer or a tensor of pointers");
        g_ptr_array_add (r->result_types, (gpointer) pointee);
        return TRUE;
      }
    case 'G':
      return read_function_type (r);
    case 'F':
      return read_flags (r);
    case 'D':
      return tt_parse_dict (p, r->op);
    case 'V':
      return read_clause (r, item + 1, length - 1)
             && (strncmp (item, "Vevict", length) != 0 || ts_op_attr (r->op, "cache") != NULL || read_clause (r, "cache", 5));
    default:
      return g_ascii_isdigit (item[0]) ? read_operand (r) : tt_expect (p, item[0]);
    }
}

gboolean
tt_parse_pattern (TtParser *p, TsOp *op, const char *format, guint n_results, GPtrArray *result_types)
{
  Reader r = { p, op, result_types, NULL, 0, n_results };
  const char *cursor = format, *item, *attribute;
  guint32 start = p->lexer.token.start;
  gsize length;

  while ((item = tt_format_next (&cursor, &length)) != NULL)
    if (!read_item (&r, item, length))
      return FALSE;
  /* Older dumps state in the dictionary what has a clause today. */
  if (!tt_fits_clauses (op, format, &attribute))
    return tt_error_at (p, start, 1, "syntax", "%s is missing or has a value '%s' does not know", attribute, op->name);
  if (op->n_attrs > 0)
    tt_normalise (p, op);
  tt_imply_types (p, op, r.last_type);
  tt_sort_attrs (op->attrs, op->n_attrs);
  return TRUE;
}
