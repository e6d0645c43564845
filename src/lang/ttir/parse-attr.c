/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attributes and dictionaries of Triton IR. Source: spec ttir section 4. */
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/number.h"
#include "lang/ttir/float-text.h"
#include "lang/ttir/parser-private.h"
#include "lang/ttir/ttir.h"

/* What was skipped since `start`, without space around it. */
static const char *
text_since (TtParser *p, guint32 start)
{
  TsSpan span = tt_span (p, start);
  g_autofree char *text = g_strndup (p->lexer.text + span.offset, span.length);

  return ts_module_intern (p->module, g_strstrip (text));
}

/* The same as an expression kept as written. */
static TsExpr *
raw_since (TtParser *p, guint32 start)
{
  return ts_expr_text (p->module, text_since (p, start));
}

static const TsType *
parse_optional_type (TtParser *p, gboolean *ok)
{
  const TsType *type = NULL;

  *ok = TRUE;
  if (tt_accept (p, ':'))
    {
      type = tt_parse_type (p);
      *ok = type != NULL;
    }
  return type;
}

static TsExpr *
out_of_range (TtParser *p, guint32 start, const char *text, const TsType *type)
{
  g_autofree char *name = ts_ttir_print_type (type != NULL ? type : ts_type_scalar (p->module, TS_DTYPE_INT64));

  tt_error_at (p, start, (guint32) strlen (text), "limit", "%s does not fit in %s", text, name);
  return NULL;
}

/* Without a sign in the type a number may be that of either reading: from -2^(w - 1) to 2^w - 1. */
static gboolean
fits_width (guint64 bits, gboolean negative, TsDtype dtype)
{
  guint width = dtype == TS_DTYPE_BOOL ? 1 : dtype == TS_DTYPE_INDEX ? 64 : ts_dtype_bits (dtype);

  if (negative)
    return bits <= G_GUINT64_CONSTANT (1) << (MIN (width, 64) - 1);
  return width >= 64 || bits < G_GUINT64_CONSTANT (1) << width;
}

/* An integer of a type without sign is the value of its bits: 255 : i8 is -1, as MLIR has it. FALSE: it does not fit. */
static gboolean
integer_of (guint64 bits, gboolean negative, TsDtype dtype, gint64 *value)
{
  guint width = dtype == TS_DTYPE_BOOL ? 1 : dtype == TS_DTYPE_INDEX ? 64 : ts_dtype_bits (dtype);

  if (!fits_width (bits, negative, dtype) || (dtype == TS_DTYPE_INDEX && !negative && bits > G_MAXINT64))
    return FALSE;
  if (negative)
    bits = 0 - bits;
  if (width == 1)
    bits &= 1;
  else if (width < 64 && (bits >> (width - 1)) & 1)
    bits |= ~G_GUINT64_CONSTANT (0) << width;
  *value = (gint64) bits;
  return TRUE;
}

/* Here a NaN keeps its bits: they are printed. */
static TsExpr *
new_float (TtParser *p, double value, TsDtype dtype)
{
  TsExpr *e = ts_expr_float (p->module, value, dtype);

  e->f = value;
  return e;
}

/* A float literal has a dot; what has none states bits, in hexadecimal and without a sign. NULL: error reported. */
static TsExpr *
float_of (TtParser *p, guint32 start, const char *text, guint64 bits, gboolean negative, TsDtype dtype)
{
  gboolean hex = g_str_has_prefix (text, "0x");
  guint32 length = p->lexer.last_end - start;

  if (strchr (text, '.') != NULL)
    {
      double value = g_ascii_strtod (text, NULL);

      if (!isinf (value)) /* a double that a narrower type rounds to infinity is one, as MLIR has it */
        return new_float (p, tt_float_round (negative ? -value : value, dtype), dtype);
      tt_error_at (p, start, length, "limit", "%s does not fit in 64 bits; infinity is written as its hexadecimal bits", text);
    }
  else if (!hex)
    tt_error_at (p, start, length, "type-mismatch", "a decimal integer is no %s: a float literal has a dot",
                 ts_dtype_ttir_name (dtype));
  else if (negative)
    tt_error_at (p, start, length, "syntax", "the hexadecimal bits of a float have no sign in front");
  else if (tt_float_bits (dtype) < 64 && bits >> tt_float_bits (dtype) != 0)
    tt_error_at (p, start, length, "limit", "%s does not fit in the %u bits of %s", text, tt_float_bits (dtype),
                 ts_dtype_ttir_name (dtype));
  else
    return new_float (p, tt_float_from_bits (bits, dtype), dtype);
  return NULL;
}

/* Digits and an exponent without a dot, as in 1e5, are an integer and a word to the lexer; nobody means that. */
static gboolean
check_exponent (TtParser *p)
{
  const TtToken *token = tt_token (p);
  const char *text = p->lexer.text;
  guint32 at = token->end, end = p->lexer.length, digits;

  if (token->kind != TT_TOKEN_INTEGER || at >= end || (text[at] | 0x20) != 'e')
    return TRUE;
  digits = at + 1 < end && (text[at + 1] == '+' || text[at + 1] == '-') ? at + 2 : at + 1;
  for (end = digits; end < p->lexer.length && g_ascii_isdigit (text[end]); end++)
    ;
  if (end == digits)
    return TRUE;
  return tt_error_at (p, token->start, end - token->start, "syntax", "a float literal has a dot: write %.*s.0%.*s",
                      (int) (MIN (at - token->start, TS_MAX_NUMBER_LENGTH)), text + token->start,
                      (int) (MIN (end - at, TS_MAX_NUMBER_LENGTH)), text + at);
}

/* Sign and digits were met: the current token is the number. Its type follows, or it is i64 or f64. */
static TsExpr *
parse_number (TtParser *p, guint32 start, gboolean negative)
{
  gboolean is_float = tt_token (p)->kind == TT_TOKEN_FLOAT;
  const char *text = tt_token_text (p);
  gboolean hex = g_str_has_prefix (text, "0x");
  guint32 number_end = tt_token (p)->end;
  const TsType *type;
  TsDtype dtype;
  guint64 bits = 0;
  gint64 value;
  gboolean ok;

  if (strlen (text) > TS_MAX_NUMBER_LENGTH)
    {
      tt_error (p, "limit", "number longer than %u digits", TS_MAX_NUMBER_LENGTH);
      return NULL;
    }
  if (!check_exponent (p))
    return NULL;
  tt_next (p);
  type = parse_optional_type (p, &ok);
  if (!ok)
    return NULL;
  if (type != NULL && type->kind != TS_TYPE_SCALAR) /* wider than 64 bits: kept as written */
    {
      p->number_type = type;
      p->number = ts_expr_text (p->module, ts_intern_n (p->module->strings, p->lexer.text + start, number_end - start));
      return raw_since (p, start);
    }
  if (!is_float && !g_ascii_string_to_unsigned (text + (hex ? 2 : 0), hex ? 16 : 10, 0, G_MAXUINT64, &bits, NULL))
    return out_of_range (p, start, text, type);
  dtype = type != NULL ? (TsDtype) type->dtype : is_float ? TS_DTYPE_FP64 : TS_DTYPE_INT64;
  if (ts_dtype_is_float (dtype))
    return float_of (p, start, text, bits, negative, dtype);
  if (is_float)
    {
      tt_error_at (p, start, number_end - start, "type-mismatch", "a float literal needs a float type");
      return NULL;
    }
  return integer_of (bits, negative, dtype, &value) ? ts_expr_int (p->module, value, dtype) : out_of_range (p, start, text, type);
}

static TsExpr *
parse_list (TtParser *p)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();

  tt_next (p);
  while (!tt_at (p, ']'))
    {
      TsExpr *item = tt_parse_attribute (p);

      if (item == NULL)
        return NULL;
      g_ptr_array_add (items, item);
      if (!tt_accept (p, ','))
        break;
    }
  return tt_expect (p, ']') ? ts_expr_list (p->module, (TsExpr *const *) items->pdata, items->len) : NULL;
}

/* One number of an array or dense splat, of a known element type. NULL: it is none, which may have been reported. */
static TsExpr *
parse_element (TtParser *p, TsDtype dtype)
{
  guint32 start = tt_token (p)->start;
  gboolean negative = tt_accept (p, '-');
  const char *text = tt_token_text (p);
  TtTokenKind kind = tt_token (p)->kind;
  gboolean hex = g_str_has_prefix (text, "0x");
  gint64 value;
  guint64 bits = 0;

  if (kind == TT_TOKEN_WORD && (strcmp (text, "true") == 0 || strcmp (text, "false") == 0))
    {
      tt_next (p);
      return negative || ts_dtype_is_float (dtype) ? NULL : ts_expr_int (p->module, text[0] == 't', dtype);
    }
  if ((kind != TT_TOKEN_FLOAT && kind != TT_TOKEN_INTEGER) || (kind == TT_TOKEN_FLOAT && !ts_dtype_is_float (dtype))
      || (kind == TT_TOKEN_INTEGER
          && !g_ascii_string_to_unsigned (text + (hex ? 2 : 0), hex ? 16 : 10, 0, G_MAXUINT64, &bits, NULL)))
    return NULL;
  tt_next (p);
  if (ts_dtype_is_float (dtype))
    return float_of (p, start, text, bits, negative, dtype);
  return integer_of (bits, negative, dtype, &value) ? ts_expr_int (p->module, value, dtype) : out_of_range (p, start, text, NULL);
}

/* `array<i32: 1, 0>`; anything odd is kept as written. */
static TsExpr *
parse_array (TtParser *p)
{
  guint32 start = tt_token (p)->start;
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  TsDtype dtype = TS_DTYPE_NONE;
  TsExpr *list;

  tt_next (p);
  if (!tt_expect (p, '<'))
    return NULL;
  if (tt_token (p)->kind == TT_TOKEN_WORD)
    dtype = ts_dtype_from_ttir_name (tt_token_text (p), -1);
  if (dtype == TS_DTYPE_NONE)
    {
      tt_lexer_seek (&p->lexer, start);
      tt_next (p);
      return tt_skip_balanced (p) ? raw_since (p, start) : NULL;
    }
  tt_next (p);
  if (tt_accept (p, ':'))
    do
      {
        TsExpr *item = parse_element (p, dtype);

        if (item == NULL)
          {
            tt_error (p, "syntax", "expected a number of the array's type");
            return NULL;
          }
        g_ptr_array_add (items, item);
      }
    while (tt_accept (p, ','));
  if (!tt_expect (p, '>'))
    return NULL;
  list = ts_expr_list (p->module, (TsExpr *const *) items->pdata, items->len);
  list->dtype = dtype;
  list->raw = ts_module_intern (p->module, "array");
  return list;
}

static TsDtype
element_dtype (const TsType *type)
{
  return ts_type_is (type, TS_TYPE_RANKED) ? (TsDtype) type->dtype : TS_DTYPE_NONE;
}

/* `"0x..."`: the bytes of every element, or of one that stands for all; single bits are packed. */
static gboolean
check_hex (TtParser *p, const TsType *type, gint64 count)
{
  /* Whole bytes, but for i1. */
  guint bits = type->dtype == TS_DTYPE_BOOL ? 1 : (ts_dtype_bits ((TsDtype) type->dtype) + 7) / 8 * 8;
  const char *text = tt_token_text (p);
  gsize digits = strlen (text) >= 4 && memcmp (text + 1, "0x", 2) == 0 ? strlen (text) - 4 : 1;
  gint64 bytes = (gint64) digits / 2, all = 0;

  for (gsize i = 0; i < digits && digits % 2 == 0; i++)
    if (!g_ascii_isxdigit (text[3 + i]))
      digits = 1;
  if (digits % 2 != 0)
    return tt_error (p, "syntax", "expected pairs of hexadecimal digits behind 0x");
  if (!ts_mul (count, bits, &all) || (bytes != all / 8 + (all % 8 != 0) && bytes != (bits + 7) / 8))
    return tt_error (p, "type-mismatch", "%" G_GINT64_FORMAT " bytes are given for %" G_GINT64_FORMAT " elements of %u bits", bytes,
                     count, bits);
  tt_next (p);
  return TRUE;
}

static gboolean
check_element (TtParser *p, const TsType *type)
{
  guint32 start = tt_token (p)->start, end = tt_token (p)->end;

  if (parse_element (p, (TsDtype) type->dtype) != NULL)
    return TRUE;
  return tt_error_at (p, start, end - start, "type-mismatch", "expected a number of the tensor's element type");
}

/* Lists within lists, as long as the dimensions say. Depth is that of the shape, which is bounded. */
static gboolean
check_nested (TtParser *p, const TsType *type, guint depth)
{
  guint32 start = tt_token (p)->start;
  gint64 n = 0;

  if (depth == type->rank)
    return check_element (p, type);
  if (!tt_expect (p, '['))
    return FALSE;
  for (; !tt_at (p, ']'); n++)
    if (!check_nested (p, type, depth + 1) || !tt_accept (p, ','))
      {
        n++;
        break;
      }
  if (p->failed || !tt_expect (p, ']'))
    return FALSE;
  if (n == type->dims[depth]->i)
    return TRUE;
  return tt_error_at (p, start, 1, "type-mismatch", "dimension %u has %" G_GINT64_FORMAT " entries, in the type %" G_GINT64_FORMAT,
                      depth, n, type->dims[depth]->i);
}

/* What stands between the angle brackets against the type. The current token is the first inside. */
static gboolean
check_dense (TtParser *p, const TsType *type)
{
  gint64 count = 1;

  for (guint i = 0; i < type->rank; i++)
    if (type->dims[i]->i < 0 || !ts_mul (count, type->dims[i]->i, &count))
      return tt_error (p, "type-mismatch", "a dense value needs a type of known extent");
  if (tt_token (p)->kind == TT_TOKEN_STRING)
    return check_hex (p, type, count) && tt_expect (p, '>');
  if (tt_at (p, '>'))
    return count == 0 || tt_error (p, "type-mismatch", "no value is given for %" G_GINT64_FORMAT " elements", count);
  return (tt_at (p, '[') ? check_nested (p, type, 0) : check_element (p, type)) && tt_expect (p, '>');
}

/* `dense<v>` up to its '>'. A splat of a plain number becomes a list of one entry once its type is known; the rest is text. The
 * type behind it is left to the caller, who knows whether it belongs to the attribute or the operation: it is looked at, not
 * consumed. */
static TsExpr *
parse_dense (TtParser *p)
{
  guint32 start = tt_token (p)->start, inside, behind;
  const TsType *type = NULL;
  TsExpr *splat = NULL, *text, *list;

  tt_next (p);
  if (!tt_at (p, '<'))
    {
      tt_error (p, "syntax", "expected '<'");
      return NULL;
    }
  inside = tt_token (p)->end;
  if (!tt_skip_balanced (p))
    return NULL;
  text = raw_since (p, start);
  behind = tt_token (p)->start;
  if (!tt_accept (p, ':') || (type = tt_parse_type (p)) == NULL)
    {
      tt_error (p, "syntax", "dense<...> needs a type");
      return NULL;
    }
  if (element_dtype (type) != TS_DTYPE_NONE)
    {
      guint32 end = tt_token (p)->start;

      tt_lexer_seek (&p->lexer, inside);
      if (!check_dense (p, type))
        return NULL;
      tt_lexer_seek (&p->lexer, inside);
      splat = parse_element (p, element_dtype (type));
      if (splat != NULL && !tt_at (p, '>'))
        splat = NULL;
      tt_lexer_seek (&p->lexer, end);
    }
  tt_lexer_seek (&p->lexer, behind);
  if (splat == NULL)
    return text;
  list = ts_expr_list (p->module, &splat, 1);
  list->dtype = splat->dtype;
  list->raw = ts_module_intern (p->module, "dense");
  return list;
}

/* A dense value inside a dictionary carries its type: the whole is kept as written. */
static TsExpr *
parse_typed_dense (TtParser *p)
{
  guint32 start = tt_token (p)->start;

  if (parse_dense (p) == NULL || !tt_accept (p, ':') || tt_parse_type (p) == NULL)
    return NULL;
  return raw_since (p, start);
}

/* What only its own dialect knows may state a type: dense_resource<x> : tensor<4xf32>. Where the operation states it (`typed` is
 * FALSE), it is left to the operation. */
static TsExpr *
raw_typed (TtParser *p, guint32 start, gboolean typed)
{
  if (typed && tt_accept (p, ':') && tt_parse_type (p) == NULL)
    return NULL;
  return raw_since (p, start);
}

static TsExpr *
parse_word_attribute (TtParser *p, gboolean typed)
{
  guint32 start = tt_token (p)->start;
  const char *word = tt_token_text (p);

  if (strcmp (word, "true") == 0 || strcmp (word, "false") == 0)
    {
      tt_next (p);
      return ts_expr_bool (p->module, word[0] == 't');
    }
  if (strcmp (word, "array") == 0)
    return parse_array (p);
  if (strcmp (word, "dense") == 0)
    return parse_typed_dense (p);
  if (strcmp (word, "unit") == 0)
    {
      tt_next (p);
      return ts_expr_none (p->module);
    }
  if (strcmp (word, "tensor") == 0 || ts_dtype_from_ttir_name (word, -1) != TS_DTYPE_NONE)
    return tt_parse_type (p) != NULL ? raw_since (p, start) : NULL;
  if (strcmp (word, "loc") == 0)
    return tt_parse_location (p) != NULL ? raw_since (p, start) : NULL;
  /* affine_map<...>, distinct[0]<...>, and words only their own dialect knows. */
  tt_next (p);
  if (strcmp (word, "distinct") == 0 && tt_at (p, '[') && !tt_skip_balanced (p))
    return NULL;
  if (!tt_at_angle (p) && !tt_at (p, '('))
    return raw_since (p, start);
  return tt_skip_balanced (p) ? raw_typed (p, start, typed) : NULL;
}

/* One `name` or `name = value` of a dictionary that is kept as written. */
static gboolean
check_entry (TtParser *p, GHashTable *keys)
{
  g_autofree char *key = NULL;

  if (tt_token (p)->kind == TT_TOKEN_STRING)
    key = tt_unquote (p->lexer.text + tt_token (p)->start, tt_token (p)->end - tt_token (p)->start);
  else if (tt_token (p)->kind == TT_TOKEN_WORD)
    key = g_strdup (tt_token_text (p));
  else
    return tt_error (p, "syntax", "expected the name of an attribute");
  if (g_hash_table_contains (keys, key))
    return tt_error (p, "duplicate-attribute", "attribute '%s' is given twice", key);
  g_hash_table_add (keys, g_steal_pointer (&key));
  tt_next (p);
  return !tt_accept (p, '=') || tt_parse_attribute (p) != NULL;
}

gboolean
tt_check_dict (TtParser *p)
{
  g_autoptr (GHashTable) keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  if (!tt_expect (p, '{'))
    return FALSE;
  while (!tt_at (p, '}') && tt_token (p)->kind != TT_TOKEN_DICT_CLOSE)
    if (!check_entry (p, keys))
      return FALSE;
    else if (!tt_accept (p, ','))
      break;
  if (tt_token (p)->kind != TT_TOKEN_DICT_CLOSE)
    return tt_expect (p, '}');
  p->lexer.token.end = tt_token (p)->start + 1; /* its '>' closes something else */
  tt_lexer_seek (&p->lexer, p->lexer.token.end);
  return TRUE;
}

/* `#a`, `#d.a<...>`, `!t`, `@s`, `(A) -> B`, `{...}`: kept as written. */
static TsExpr *
parse_raw_attribute (TtParser *p, gboolean typed)
{
  guint32 start = tt_token (p)->start, end = tt_token (p)->end;
  TtTokenKind kind = tt_token (p)->kind;

  if (kind == TT_TOKEN_SYMBOL)
    {
      tt_next (p);
      while (tt_token (p)->kind == TT_TOKEN_PUNCT && tt_at (p, ':') && p->lexer.text[p->lexer.token.end] == ':') /* @a::@b */
        {
          tt_next (p);
          tt_next (p);
          if (tt_token (p)->kind == TT_TOKEN_SYMBOL)
            tt_next (p);
        }
      return raw_since (p, start);
    }
  if (tt_at (p, '{'))
    return tt_check_dict (p) ? raw_since (p, start) : NULL;
  if (kind == TT_TOKEN_BANG || kind == TT_TOKEN_PUNCT)
    return tt_parse_type (p) != NULL ? raw_since (p, start) : NULL;
  tt_next (p);
  if (!tt_at_angle (p) || tt_token (p)->start != end)
    return raw_since (p, start);
  return tt_skip_balanced (p) ? raw_typed (p, start, typed) : NULL;
}

static TsExpr *
parse_attribute_unbounded (TtParser *p)
{
  guint32 start = tt_token (p)->start;

  switch ((int) tt_token (p)->kind)
    {
    case TT_TOKEN_INTEGER:
    case TT_TOKEN_FLOAT:
      return parse_number (p, start, FALSE);
    case TT_TOKEN_STRING:
      {
        g_autofree char *text = tt_unquote (p->lexer.text + start, tt_token (p)->end - start);

        tt_next (p);
        if (tt_at (p, ':'))
          {
            tt_next (p);
            return tt_parse_type (p) != NULL ? raw_since (p, start) : NULL;
          }
        return ts_expr_string (p->module, text);
      }
    case TT_TOKEN_WORD:
      return parse_word_attribute (p, TRUE);
    case TT_TOKEN_SYMBOL:
    case TT_TOKEN_BANG:
      return parse_raw_attribute (p, FALSE);
    case TT_TOKEN_HASH:
      return tt_at_alias (p) ? tt_parse_attribute_alias (p) : parse_raw_attribute (p, TRUE);
    default:
      break;
    }
  if (tt_at (p, '['))
    return parse_list (p);
  if (tt_at (p, '(') || tt_at (p, '{'))
    return parse_raw_attribute (p, FALSE);
  if (tt_at (p, '-'))
    {
      tt_next (p);
      if (tt_token (p)->kind == TT_TOKEN_INTEGER || tt_token (p)->kind == TT_TOKEN_FLOAT)
        return parse_number (p, start, TRUE);
    }
  tt_error (p, "syntax", "expected an attribute");
  return NULL;
}

TsExpr *
tt_parse_attribute (TtParser *p)
{
  TsExpr *e = NULL;

  if (tt_reach (p, 1))
    {
      p->depth++;
      p->n_attributes++;
      e = parse_attribute_unbounded (p);
      p->depth--;
    }
  return e;
}

TsExpr *
tt_parse_constant (TtParser *p, const TsType **type)
{
  TsExpr *value;

  *type = NULL;
  p->number_type = NULL;
  if (tt_token (p)->kind == TT_TOKEN_HASH) /* the operation states the type again: an alias stays one */
    return parse_raw_attribute (p, FALSE);
  if (tt_token (p)->kind == TT_TOKEN_WORD)
    return tt_at_word (p, "dense") ? parse_dense (p) : parse_word_attribute (p, FALSE);
  value = tt_parse_attribute (p);
  if (value == NULL || value->kind != TS_EXPR_TEXT || p->number_type == NULL)
    return value;
  *type = p->number_type;
  return p->number;
}

TsExpr *
tt_parse_typed_constant (TtParser *p, const TsType **type)
{
  const gboolean is_alias = tt_at_alias (p);
  TsExpr *value = tt_parse_constant (p, type);

  if (value == NULL || *type != NULL)
    return value;
  if (tt_accept (p, ':'))
    *type = tt_parse_type (p);
  else if (value->kind == TS_EXPR_INT || value->kind == TS_EXPR_FLOAT)
    *type = ts_type_scalar (p->module, (TsDtype) value->dtype);
  else if (is_alias && (*type = tt_alias_constant_type (p, value->text)) != NULL)
    value->raw = TT_TYPED_ALIAS;
  return p->failed ? NULL : value;
}

/* The value of a generic arith.constant is stored as its own syntax stores it. */
static TsExpr *
parse_generic_constant (TtParser *p)
{
  const TsType *type;
  TsExpr *value = tt_parse_constant (p, &type);

  if (type != NULL)
    p->dense_type = type;
  else if (value != NULL && (value->kind == TS_EXPR_LIST || value->kind == TS_EXPR_TEXT) && tt_accept (p, ':'))
    p->dense_type = tt_parse_type (p);
  return p->failed ? NULL : value;
}

/* From so many attributes on their names are kept in a table. */
#define MANY_ATTRIBUTES 16u

static gboolean
is_given (TtParser *p, const TsOp *op, const char *key)
{
  if (op->n_attrs < MANY_ATTRIBUTES)
    return ts_op_attr (op, key) != NULL;
  if (p->given_op != op || g_hash_table_size (p->given) != op->n_attrs)
    {
      g_hash_table_remove_all (p->given);
      for (guint i = 0; i < op->n_attrs; i++)
        g_hash_table_add (p->given, (gpointer) op->attrs[i].key);
      p->given_op = op;
    }
  return g_hash_table_contains (p->given, key);
}

gboolean
tt_parse_entry (TtParser *p, TsOp *op)
{
  g_autofree char *quoted = NULL;
  const char *key;
  TsExpr *value;
  guint32 start;
  guint n_resolved = p->n_resolved;

  if (tt_token (p)->kind == TT_TOKEN_STRING)
    key = quoted = tt_unquote (p->lexer.text + tt_token (p)->start, tt_token (p)->end - tt_token (p)->start);
  else if (tt_token (p)->kind == TT_TOKEN_WORD)
    key = tt_token_text (p);
  else
    return tt_error (p, "syntax", "expected the name of an attribute");
  if (is_given (p, op, key))
    return tt_error (p, "duplicate-attribute", "attribute '%s' is given twice", key);
  if (op->n_attrs >= G_MAXUINT16 - 1)
    return tt_error (p, "limit", "more than %u attributes", G_MAXUINT16 - 1);
  tt_next (p);
  start = tt_token (p)->end;
  if (!tt_accept (p, '='))
    value = ts_expr_none (p->module);
  else
    value = op->code == TS_OP_ARITH_CONSTANT && strcmp (key, "value") == 0 ? parse_generic_constant (p) : tt_parse_attribute (p);
  if (value == NULL)
    return FALSE;
  ts_op_add_attr (p->module, op, key, value);
  if (p->given_op == op)
    g_hash_table_add (p->given, (gpointer) op->attrs[op->n_attrs - 1].key);
  if (p->n_resolved > n_resolved)
    op->attrs[op->n_attrs - 1].written = text_since (p, start);
  return TRUE;
}

static int
compare_attrs (const void *a, const void *b)
{
  return strcmp (((const TsAttr *) a)->key, ((const TsAttr *) b)->key);
}

void
tt_sort_attrs (TsAttr *attrs, guint n)
{
  if (n > 1)
    qsort (attrs, n, sizeof *attrs, compare_attrs);
}

gboolean
tt_parse_dict (TtParser *p, TsOp *op)
{
  gboolean properties = tt_token (p)->kind == TT_TOKEN_DICT_OPEN;

  if (!properties && !tt_at (p, '{'))
    return TRUE;
  tt_next (p);
  while (!tt_at (p, '}') && tt_token (p)->kind != TT_TOKEN_DICT_CLOSE)
    {
      if (!tt_parse_entry (p, op))
        return FALSE;
      op->attrs[op->n_attrs - 1].is_discardable = !properties;
      if (!tt_accept (p, ','))
        break;
    }
  tt_sort_attrs (op->attrs, op->n_attrs);
  if (properties)
    {
      if (tt_token (p)->kind != TT_TOKEN_DICT_CLOSE)
        return tt_error (p, "syntax", "expected '}>'");
      tt_next (p);
      return TRUE;
    }
  return tt_expect (p, '}');
}

gboolean
tt_parse_attributes (TtParser *p, TsOp *op)
{
  if (!tt_accept_word (p, "attributes"))
    return TRUE;
  return tt_at (p, '{') ? tt_parse_dict (p, op) : tt_expect (p, '{');
}
