/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types of Triton IR. Source: spec ttir section 4. */
#include <string.h>

#include "base/limits.h"
#include "lang/ttir/parser-private.h"
#include "lang/ttir/ttir.h"

static guint
parts_of (TtParser *p, const TsType *type)
{
  return MAX (GPOINTER_TO_UINT (g_hash_table_lookup (p->type_parts, type)), 1u);
}

/* Aliases share what they stand for, but who walks through a type walks through all of it. One that is too large is reported once,
 * and from there on kept as its spelling, so that what uses it is whole. */
static const TsType *
limited (TtParser *p, guint32 start, const TsType *type, const char *spelling)
{
  guint parts = 1;

  for (guint i = 0; i < type->n_elems && parts <= TS_MAX_TYPE_PARTS; i++)
    parts += parts_of (p, type->elems[i]);
  if (parts <= TS_MAX_TYPE_PARTS)
    {
      if (parts > 1)
        g_hash_table_insert (p->type_parts, (gpointer) type, GUINT_TO_POINTER (parts));
      return type;
    }
  if (!p->has_large_type)
    ts_diag_add (p->diags, TS_SEVERITY_ERROR, "limit", p->source, tt_span (p, start), "a type of more than %u parts",
                 TS_MAX_TYPE_PARTS);
  p->has_large_type = TRUE;
  return ts_type_opaque (p->module, spelling);
}

/* Types are made once per spelling, so that equal types of a file are mostly one object. */
static const TsType *
unique (TtParser *p, guint32 start, const TsType *type)
{
  const char *key;
  gpointer known;

  if (type == NULL)
    return NULL;
  key = ts_intern_n (p->module->strings, p->lexer.text + start, tt_span (p, start).length);
  known = g_hash_table_lookup (p->types, key);
  if (known != NULL)
    return known;
  type = limited (p, start, type, key);
  g_hash_table_insert (p->types, (gpointer) key, (gpointer) type);
  return type;
}

static guint32
skip_space (TtParser *p, guint32 at)
{
  while (at < p->lexer.length && g_ascii_isspace (p->lexer.text[at]))
    at++;
  return at;
}

/* Reads `4x8x`, or `4 x 8 x`, in dimension mode from the byte behind '<'; leaves the lexer at the element type. */
static gboolean
parse_dims (TtParser *p, gint64 *dims, guint *rank)
{
  const char *text = p->lexer.text;
  guint32 at = p->lexer.token.start;

  *rank = 0;
  while (at < p->lexer.length && (g_ascii_isdigit (text[at]) || text[at] == '?'))
    {
      gint64 dim = -1;
      guint32 start = at;

      if (text[at] == '?')
        at++;
      else
        {
          g_autofree char *digits = NULL;

          while (at < p->lexer.length && g_ascii_isdigit (text[at]))
            at++;
          digits = g_strndup (text + start, MIN (at - start, 40u));
          if (!g_ascii_string_to_signed (digits, 10, 0, G_MAXINT64, &dim, NULL))
            return tt_error_at (p, start, at - start, "limit", "dimension does not fit in 64 bits");
        }
      at = skip_space (p, at);
      if (at >= p->lexer.length || text[at] != 'x')
        return tt_error_at (p, start, at - start, "syntax", "expected 'x' after a dimension");
      if (*rank >= TS_MAX_RANK)
        return tt_error_at (p, start, at - start, "limit", "more than %u dimensions", TS_MAX_RANK);
      dims[(*rank)++] = dim;
      at = skip_space (p, at + 1);
    }
  tt_lexer_seek (&p->lexer, at);
  return TRUE;
}

/* Raw text from the current token to the next ',' or '>' outside brackets. */
static const char *
parse_raw (TtParser *p)
{
  guint32 start = tt_token (p)->start, end = start;

  while (!tt_at (p, '>') && !tt_at (p, ',') && tt_token (p)->kind != TT_TOKEN_END)
    {
      TtToken *token = tt_token (p);

      if (token->kind == TT_TOKEN_DICT_OPEN || (token->kind == TT_TOKEN_PUNCT && strchr ("([{<", token->punct) != NULL))
        {
          if (!tt_skip_balanced (p))
            return NULL;
          end = p->lexer.last_end;
          continue;
        }
      end = token->end;
      tt_next (p);
    }
  if (end > start)
    return ts_intern_n (p->module->strings, p->lexer.text + start, end - start);
  tt_error (p, "syntax", "expected an encoding");
  return NULL;
}

/* Types are equal by what aliases in their encodings stand for; they are printed as they were written. */
static const TsType *
make_tensor (TtParser *p, const gint64 *dims, guint rank, const TsType *elem, const char *encoding)
{
  const char *written = NULL;
  const TsType *type
      = ts_type_ranked (p->module, dims, rank, elem, encoding != NULL ? tt_resolve_text (p, encoding, &written) : NULL);
  g_autofree char *spelling = NULL;

  if (written == NULL)
    return type;
  spelling = ts_ttir_print_type (ts_type_ranked (p->module, dims, rank, elem, written));
  return ts_type_with_written (p->module, type, spelling);
}

/* Tensors hold numbers, pointers, vectors, and types of dialects. */
static gboolean
may_be_element (const TsType *type)
{
  static const char *const others[] = { "none", "memref<", "tuple<", "tensor<" };

  if (type->kind == TS_TYPE_RANKED || type->kind == TS_TYPE_FUNCTION)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (type->kind == TS_TYPE_OPAQUE && g_str_has_prefix (type->text, others[i]))
      return FALSE;
  return TRUE;
}

static const TsType *
parse_element_type (TtParser *p)
{
  guint32 start = tt_token (p)->start;
  const TsType *type = tt_parse_type (p);

  if (type == NULL || may_be_element (type))
    return type;
  tt_error_at (p, start, p->lexer.last_end - start, "syntax", "this cannot be the element type of a tensor");
  return NULL;
}

/* Text since `start`, which may name aliases. */
static const TsType *
opaque_since (TtParser *p, guint32 start, guint32 end)
{
  const char *text = ts_intern_n (p->module->strings, p->lexer.text + start, end - start), *written;
  const TsType *type = ts_type_opaque (p->module, tt_resolve_text (p, text, &written));

  return written != NULL ? ts_type_with_written (p->module, type, written) : type;
}

/* `*xT>` behind `tensor<`: of any rank. Nothing here computes with one: it is kept as written. */
static const TsType *
parse_unranked (TtParser *p, guint32 start)
{
  guint32 at = skip_space (p, tt_token (p)->end);

  if (at >= p->lexer.length || p->lexer.text[at] != 'x')
    {
      tt_error (p, "syntax", "expected 'x' after a dimension");
      return NULL;
    }
  tt_lexer_seek (&p->lexer, at + 1);
  if (parse_element_type (p) == NULL || !tt_expect (p, '>'))
    return NULL;
  return opaque_since (p, start, p->lexer.last_end);
}

static const TsType *
parse_tensor (TtParser *p)
{
  gint64 dims[TS_MAX_RANK];
  guint rank;
  guint32 start = tt_token (p)->start;
  const TsType *elem;
  const char *encoding = NULL;

  tt_next (p);
  if (!tt_at (p, '<'))
    {
      tt_error (p, "syntax", "expected '<'");
      return NULL;
    }
  tt_next (p);
  if (tt_at (p, '*'))
    return parse_unranked (p, start);
  if (!parse_dims (p, dims, &rank))
    return NULL;
  elem = parse_element_type (p);
  if (elem == NULL)
    return NULL;
  if (tt_accept (p, ','))
    {
      encoding = parse_raw (p);
      if (encoding == NULL)
        return NULL;
    }
  return tt_expect (p, '>') ? make_tensor (p, dims, rank, elem, encoding) : NULL;
}

/* `<T, N>` behind !tt.ptr. */
static const TsType *
parse_pointee (TtParser *p)
{
  const TsType *pointee;
  gint64 space = 1;

  if (!tt_expect (p, '<'))
    return NULL;
  pointee = tt_parse_type (p);
  if (pointee == NULL)
    return NULL;
  if (tt_accept (p, ','))
    {
      if (tt_token (p)->kind != TT_TOKEN_INTEGER || !g_ascii_string_to_signed (tt_token_text (p), 10, 0, G_MAXINT32, &space, NULL))
        {
          tt_error (p, "syntax", "expected an address space");
          return NULL;
        }
      tt_next (p);
    }
  return tt_expect (p, '>') ? ts_type_pointer (p->module, pointee, (gint) space) : NULL;
}

static const TsType *
parse_pointer (TtParser *p)
{
  tt_next (p);
  return parse_pointee (p);
}

const TsType *
tt_parse_pointer_type (TtParser *p)
{
  return tt_at (p, '<') ? parse_pointee (p) : tt_parse_type (p);
}

/* `!dialect.name<...>`, kept as written. */
static const TsType *
parse_opaque (TtParser *p)
{
  guint32 start = tt_token (p)->start, end = tt_token (p)->end;

  tt_next (p);
  if (tt_at_angle (p) && p->lexer.token.start == end)
    {
      if (!tt_skip_balanced (p))
        return NULL;
      end = p->lexer.last_end;
    }
  return opaque_since (p, start, end);
}

/* `memref<...>` and others that say nothing without what is in their brackets. */
static const TsType *
parse_shaped (TtParser *p)
{
  TtLexer ahead = p->lexer;

  tt_lexer_next (&ahead);
  if (!tt_lexer_is_punct (&ahead, '<'))
    {
      tt_next (p);
      tt_expect (p, '<');
      return NULL;
    }
  return parse_opaque (p);
}

static const TsType *
parse_function_type (TtParser *p)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  g_autoptr (GPtrArray) results = g_ptr_array_new ();

  if (!tt_parse_types (p, inputs) || !tt_expect_arrow (p) || !tt_parse_types (p, results))
    return NULL;
  return ts_type_function (p->module, (const TsType *const *) inputs->pdata, inputs->len, (const TsType *const *) results->pdata,
                           results->len);
}

static const TsType *
parse_word_type (TtParser *p)
{
  const char *word = tt_token_text (p);
  TsDtype dtype = ts_dtype_from_ttir_name (word, -1);
  gint64 width;

  if (strcmp (word, "tensor") == 0)
    return parse_tensor (p);
  if (dtype != TS_DTYPE_NONE)
    {
      tt_next (p);
      return ts_type_scalar (p->module, dtype);
    }
  if (strcmp (word, "none") == 0 || strcmp (word, "tf32") == 0 || g_str_has_prefix (word, "f8") || g_str_has_prefix (word, "f6")
      || g_str_has_prefix (word, "f4")
      || ((word[0] == 'i' || ((word[0] == 's' || word[0] == 'u') && word[1] == 'i'))
          && g_ascii_string_to_signed (word + (word[0] == 'i' ? 1 : 2), 10, 1, 1 << 24, &width, NULL)))
    {
      tt_next (p);
      return ts_type_opaque (p->module, word);
    }
  if (strcmp (word, "memref") == 0 || strcmp (word, "vector") == 0 || strcmp (word, "complex") == 0 || strcmp (word, "tuple") == 0)
    return parse_shaped (p);
  tt_error (p, "unknown-type", "unknown type '%s'", word);
  return NULL;
}

static const TsType *
parse_type_unbounded (TtParser *p)
{
  guint32 start = tt_token (p)->start;

  if (tt_at (p, '('))
    return unique (p, start, parse_function_type (p));
  switch ((int) tt_token (p)->kind)
    {
    case TT_TOKEN_WORD:
      return unique (p, start, parse_word_type (p));
    case TT_TOKEN_BANG:
      if (strcmp (tt_token_text (p), "!tt.ptr") == 0)
        return unique (p, start, parse_pointer (p));
      if (tt_at_alias (p))
        return unique (p, start, tt_parse_type_alias (p));
      return unique (p, start, parse_opaque (p));
    default:
      tt_error (p, "syntax", "expected a type");
      return NULL;
    }
}

const TsType *
tt_parse_type (TtParser *p)
{
  const TsType *type = NULL;

  if (tt_reach (p, 1))
    {
      p->depth++;
      type = parse_type_unbounded (p);
      p->depth--;
    }
  return type;
}

gboolean
tt_parse_type_list (TtParser *p, GPtrArray *types)
{
  do
    {
      const TsType *type = tt_parse_type (p);

      if (type == NULL)
        return FALSE;
      g_ptr_array_add (types, (gpointer) type);
    }
  while (tt_accept (p, ','));
  return TRUE;
}

gboolean
tt_parse_types (TtParser *p, GPtrArray *types)
{
  const TsType *type;

  if (tt_accept (p, '('))
    {
      if (tt_accept (p, ')'))
        return TRUE;
      return tt_parse_type_list (p, types) && tt_expect (p, ')');
    }
  type = tt_parse_type (p);
  if (type != NULL)
    g_ptr_array_add (types, (gpointer) type);
  return type != NULL;
}
