/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types and what stands in them. Source: spec dsl section 3. */
#include "lang/pypto/reader.h"

#include <string.h>

#include "base/limits.h"
#include "lang/pypto/read-view.h"

/* --- agreement ----------------------------------------------------------------------------------------------------------- */

static gboolean
dims_agree (TsExpr *const *a, TsExpr *const *b, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      gint64 x, y;

      if (ts_expr_as_int (a[i], &x) && ts_expr_as_int (b[i], &y) ? x != y : !ts_expr_equal (a[i], b[i]))
        return FALSE;
    }
  return TRUE;
}

static gboolean
entries_agree (TsExpr *const *a, guint n_a, TsExpr *const *b, guint n_b)
{
  return (a == NULL) == (b == NULL) && n_a == n_b && (a == NULL || dims_agree (a, b, n_a));
}

static gboolean
views_agree (const TsView *a, const TsView *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  return a->layout == b->layout && a->blayout == b->blayout && a->slayout == b->slayout && a->pad == b->pad
         && a->compact == b->compact && a->fractal == b->fractal && a->has_stride == b->has_stride
         && entries_agree (a->valid_shape, a->n_valid, b->valid_shape, b->n_valid)
         && entries_agree (a->stride, a->n_stride, b->stride, b->n_stride)
         && entries_agree (a->start_offset, a->n_start_offset, b->start_offset, b->n_start_offset);
}

gboolean
ts_types_agree (const TsType *a, const TsType *b)
{
  if (a == b)
    return TRUE;
  if (a == NULL || b == NULL || a->kind != b->kind || a->dtype != b->dtype || a->space != b->space || a->rank != b->rank
      || a->distributed != b->distributed || a->n_elems != b->n_elems || a->text != b->text)
    return FALSE;
  if (!dims_agree (a->dims, b->dims, a->rank) || !views_agree (a->view, b->view))
    return FALSE;
  for (guint i = 0; i < a->n_elems; i++)
    if (!ts_types_agree (a->elems[i], b->elems[i]))
      return FALSE;
  return TRUE;
}

/* --- the text cache ------------------------------------------------------------------------------------------------------ */

/* In a dump the same annotation occurs again and again; its text tells it, as long as no name in it changes its meaning. */
struct TsTypeCache
{
  GHashTable *fixed;    /* text to type: without variables */
  GHashTable *varying;
};

#define CACHED_TEXT 512u

typedef struct
{
  const char *text;
  gsize       length;
} TypeText;

static guint
type_text_hash (gconstpointer key)
{
  const TypeText *text = key;
  guint64 h = G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) ^ text->length;
  gsize i = 0;

  for (; i + 8 <= text->length; i += 8)
    {
      guint64 word;

      memcpy (&word, text->text + i, 8);
      h = (h ^ word) * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
      h ^= h >> 32;
    }
  for (; i < text->length; i++)
    h = (h ^ (guchar) text->text[i]) * G_GUINT64_CONSTANT (0x100000001b3);
  return (guint) (h ^ (h >> 29));
}

static gboolean
type_text_equal (gconstpointer a, gconstpointer b)
{
  const TypeText *x = a, *y = b;

  return x->length == y->length && memcmp (x->text, y->text, x->length) == 0;
}

struct TsTypeCache *
ts_type_cache_new (void)
{
  struct TsTypeCache *cache = g_new0 (struct TsTypeCache, 1);

  cache->fixed = g_hash_table_new_full (type_text_hash, type_text_equal, g_free, NULL);
  cache->varying = g_hash_table_new_full (type_text_hash, type_text_equal, g_free, NULL);
  return cache;
}

void
ts_type_cache_free (struct TsTypeCache *cache)
{
  if (cache == NULL)
    return;
  g_hash_table_unref (cache->fixed);
  g_hash_table_unref (cache->varying);
  g_free (cache);
}

const TsType *
ts_type_cache_find (gpointer data, const char *text, gsize length)
{
  TsReader *reader = data;
  TypeText key = { text, length };
  const TsType *type;

  if (length > CACHED_TEXT)
    return NULL;
  type = g_hash_table_lookup (reader->types->fixed, &key);
  return type != NULL ? type : g_hash_table_lookup (reader->types->varying, &key);
}

void
ts_type_cache_forget (struct TsTypeCache *cache)
{
  if (g_hash_table_size (cache->varying) > 0)
    g_hash_table_remove_all (cache->varying);
}

static void
remember_type (TsReader *reader, const TsNode *node, const TsType *type)
{
  gsize length = node->end - node->offset;
  TypeText *key;

  if (reader->types == NULL || length > CACHED_TEXT)
    return;
  key = g_new (TypeText, 1);
  key->text = ts_lexer_text (ts_parser_lexer (reader->parser), NULL) + node->offset;
  key->length = length;
  g_hash_table_replace (type->has_values ? reader->types->varying : reader->types->fixed, key, (gpointer) type);
}

/* --- fields -------------------------------------------------------------------------------------------------------------- */

/* The arguments of Tensor[a, b, ...] or Tensor(a, b, ...). */
static const TsNode *
type_arguments (const TsNode *node, guint *n)
{
  const TsNode *index = node->first->next;

  if (node->kind == TS_NODE_SUBSCRIPT && index->kind == TS_NODE_TUPLE)
    {
      *n = index->n;
      return index->first;
    }
  *n = node->n - 1;
  return index;
}

/* Source mode: a constant of the file, or NULL (silent). */
static const TsConst *
closure_of (TsReader *reader, const TsNode *node)
{
  return reader->dump ? NULL : ts_reader_closure (reader, node);
}

/* A dump is trusted; what a user writes is not. */
static gboolean
check_dim (TsReader *reader, const TsNode *node, const TsExpr *dim)
{
  if (reader->dump || dim->kind != TS_EXPR_INT || dim->i >= 0)
    return TRUE;
  return ts_reader_error (reader, "bad-type", node, "a dimension of %" G_GINT64_FORMAT, dim->i) != NULL;
}

static TsExpr **
check_dims (TsReader *reader, const TsNode *list, TsExpr **dims, guint n)
{
  const TsNode *node = list->first;

  for (guint i = 0; dims != NULL && i < n; i++, node = node->next)
    if (!check_dim (reader, node, dims[i]))
      return NULL;
  return dims;
}

static TsExpr **
read_dims (TsReader *reader, const TsNode *node, guint *n)
{
  const TsConst *constant = node->kind != TS_NODE_LIST && node->kind != TS_NODE_TUPLE ? closure_of (reader, node) : NULL;
  TsExpr **dims;

  if (constant != NULL && ts_const_is_sequence (constant) && constant->n <= TS_MAX_RANK)
    {
      TsExpr *list = ts_reader_const_expr (reader, node, constant);

      *n = list != NULL ? list->n : 0;
      for (guint i = 0; i < *n; i++)
        if (list->list[i]->kind != TS_EXPR_INT && list->list[i]->kind != TS_EXPR_VALUE)
          return ts_reader_error (reader, "bad-type", node, "a shape is a list of whole numbers");
        else if (!check_dim (reader, node, list->list[i]))
          return NULL;
      return list != NULL ? list->list : NULL;
    }
  if (node->kind != TS_NODE_LIST && node->kind != TS_NODE_TUPLE)
    return ts_reader_error (reader, "bad-type", node, "a shape is a list of dimensions");
  if (node->n > TS_MAX_RANK)
    return ts_reader_error (reader, "limit", node, "a shape of %u dimensions; at most %u are read", node->n, TS_MAX_RANK);
  dims = ts_read_whole_numbers (reader, node, n);
  return check_dims (reader, node, dims, *n);
}

static TsDtype
read_dtype (TsReader *reader, const TsNode *node)
{
  const TsConst *constant;

  if (node->kind == TS_NODE_NAME && ts_name_meaning (reader->lexicon, node->name) == TS_MEANING_DTYPE)
    return (TsDtype) node->name->detail;
  constant = closure_of (reader, node);
  if (constant != NULL && constant->kind == TS_CONST_DTYPE)
    return (TsDtype) constant->detail;
  if (node->kind == TS_NODE_NAME)
    ts_reader_error (reader, "bad-type", node, "unknown dtype '%s'", node->name->text);
  else
    ts_reader_error (reader, "bad-type", node, "an element type is expected here");
  return TS_DTYPE_NONE;
}

typedef struct
{
  TsTypeWord    word;
  TsExpr      **dims;
  guint         rank;
  TsDtype       dtype;
  TsSpace       space;
  const TsNode *view;    /* a TensorView, TileView, or layout */
  MemRefNode    memref;
} ShapedType;

/* pl.MemRef(...), the same with a slot behind it, or a name that stands for one. */
static gboolean
find_memref (TsReader *reader, const TsNode *node, MemRefNode *out)
{
  const TsNode *base = node->kind == TS_NODE_SUBSCRIPT ? node->first : node;
  const TsConst *constant;

  *out = (MemRefNode) { base, node->kind == TS_NODE_SUBSCRIPT ? base->next : NULL, node, NULL };
  if (ts_reader_is_call_of (reader, base, TS_MEANING_MEMREF))
    return TRUE;
  if (base->kind != TS_NODE_NAME || ts_name_meaning (reader->lexicon, base->name) != TS_MEANING_PLAIN)
    return FALSE;
  constant = closure_of (reader, base);
  if (constant == NULL || constant->kind != TS_CONST_SYNTAX || !ts_reader_is_call_of (reader, constant->node, TS_MEANING_MEMREF))
    return FALSE;
  out->call = constant->node;
  out->variable = base->name;
  return TRUE;
}

/* What stands in a slot, seen through a name of the file. */
static const TsNode *
resolve_slot (TsReader *reader, const TsNode *node)
{
  const TsConst *constant = node->kind == TS_NODE_NAME && ts_name_meaning (reader->lexicon, node->name) == TS_MEANING_PLAIN
                              ? closure_of (reader, node) : NULL;

  if (constant != NULL && constant->kind == TS_CONST_SYNTAX)
    return constant->node;
  if (constant != NULL && constant->kind == TS_CONST_ENUM)
    {
      TsNode *copy = ts_pool_new0 (reader->pool, TsNode);

      *copy = *node;
      copy->name = ts_lexicon_get (reader->lexicon, constant->text, strlen (constant->text));
      copy->next = NULL;
      return copy;
    }
  return node;
}

/* One of the arguments behind the dtype: they come in any order. */
static gboolean
take_slot (TsReader *reader, ShapedType *shaped, const TsNode *node)
{
  MemRefNode memref;
  gboolean is_enum;

  if (shaped->memref.call == NULL && find_memref (reader, node, &memref))
    {
      shaped->memref = memref;
      return TRUE;
    }
  node = resolve_slot (reader, node);
  is_enum = node->kind == TS_NODE_NAME && ts_name_meaning (reader->lexicon, node->name) == TS_MEANING_ENUM;
  if (ts_reader_is_call_of (reader, node, TS_MEANING_VIEW) && shaped->view == NULL)
    shaped->view = node;
  else if (is_enum && ts_name_is_of (node->name, "TensorLayout") && shaped->view == NULL)
    shaped->view = node;
  else if (is_enum && ts_name_is_of (node->name, "Mem") && shaped->space == TS_SPACE_NONE)
    {
      shaped->space = ts_space_from_name (ts_name_member (node->name), -1);
      if (shaped->space == TS_SPACE_NONE)
        return ts_reader_error (reader, "bad-type", node, "unknown memory space '%s'", ts_name_member (node->name)) != NULL;
    }
  else if (shaped->word == TS_TYPE_WORD_DISTRIBUTED && node->kind == TS_NODE_STRING)
    return TRUE; /* "window_buffer=NAME" says nothing that is not known */
  else
    return ts_reader_error (reader, "bad-type", node, "this does not belong into a type") != NULL;
  return TRUE;
}

/* In source a default view, pl.ND or pl.TensorView(), is no view. */
static gboolean
is_default_view (const TsView *view)
{
  return view->valid_shape == NULL && view->n_stride == 0 && view->layout == TS_LAYOUT_ND && view->pad == TS_PAD_NULL;
}

/* An old MemRef says its space itself: pl.MemRef(pl.Mem.Vec, 0, 1024, 3). */
static TsSpace
space_of (const TsReader *reader, const ShapedType *shaped)
{
  const TsNode *first = shaped->memref.call != NULL ? shaped->memref.call->first->next : NULL;

  if (shaped->space != TS_SPACE_NONE || first == NULL || first->kind != TS_NODE_NAME
      || ts_name_meaning (reader->lexicon, first->name) != TS_MEANING_ENUM || !ts_name_is_of (first->name, "Mem"))
    return shaped->space;
  return ts_space_from_name (ts_name_member (first->name), -1);
}

static const TsType *
make_shaped (TsReader *reader, const ShapedType *shaped)
{
  const TsMemRef *memref = NULL;
  const TsView *view = NULL;
  const TsType *plain;
  TsSpace space = space_of (reader, shaped);

  if (shaped->memref.call != NULL && (memref = ts_read_memref (reader, &shaped->memref, space)) == NULL)
    return NULL;
  if (shaped->word != TS_TYPE_WORD_TILE)
    {
      if (shaped->view != NULL && (view = ts_read_tensor_view (reader, shaped->view)) == NULL)
        return NULL;
      if (view != NULL && !reader->dump && is_default_view (view))
        view = NULL;
      return (shaped->word == TS_TYPE_WORD_TENSOR ? ts_type_tensor : ts_type_distributed)
               (reader->module, shaped->dims, shaped->rank, shaped->dtype, view, memref);
    }
  if (memref != NULL && space == TS_SPACE_NONE)
    return ts_reader_error (reader, "bad-type", shaped->memref.call, "a tile with a MemRef needs an explicit memory space");
  plain = ts_type_tile (reader->module, shaped->dims, shaped->rank, shaped->dtype, space, NULL, memref);
  if (shaped->view == NULL)
    return plain;
  return ts_read_tile_view (reader, shaped->view, plain);
}

static const TsType *
read_shaped (TsReader *reader, const TsNode *node, TsTypeWord word)
{
  ShapedType shaped = { .word = word, .space = TS_SPACE_NONE };
  guint n;
  const TsNode *argument = type_arguments (node, &n);
  gboolean good = TRUE;

  if (n < 2)
    return ts_reader_error (reader, "bad-type", node, "incomplete type: %s needs a shape and an element type",
                            node->first->name->text);
  if ((shaped.dims = read_dims (reader, argument, &shaped.rank)) == NULL)
    return NULL;
  argument = argument->next;
  if ((shaped.dtype = read_dtype (reader, argument)) == TS_DTYPE_NONE)
    return NULL;
  for (argument = argument->next; argument != NULL; argument = argument->next)
    good = take_slot (reader, &shaped, argument) && good;
  return good ? make_shaped (reader, &shaped) : NULL;
}

static const TsType *
read_tuple (TsReader *reader, const TsNode *node)
{
  guint n, i = 0;
  const TsNode *argument = type_arguments (node, &n);
  const TsType **elems = ts_pool_array (reader->pool, const TsType *, MAX (n, 1));

  if (n == 1 && argument->kind == TS_NODE_TUPLE && argument->n == 0)
    return ts_type_tuple (reader->module, NULL, 0);
  for (; argument != NULL; argument = argument->next, i++)
    if ((elems[i] = ts_read_type (reader, argument)) == NULL)
      return NULL;
  return ts_type_tuple (reader->module, elems, i);
}

static const TsType *
read_array (TsReader *reader, const TsNode *node)
{
  guint n;
  const TsNode *argument = type_arguments (node, &n);
  TsExpr *length;
  TsDtype dtype;

  if (n != 2)
    return ts_reader_error (reader, "bad-type", node, "incomplete type: an array needs a length and an element type");
  length = ts_read_expr (reader, argument);
  dtype = read_dtype (reader, argument->next);
  if (length != NULL && !check_dim (reader, argument, length))
    return NULL;
  return length != NULL && dtype != TS_DTYPE_NONE ? ts_type_array (reader->module, length, dtype) : NULL;
}

static const TsType *
read_with_arguments (TsReader *reader, const TsNode *node)
{
  TsName *name = node->first->kind == TS_NODE_NAME ? node->first->name : NULL;
  guint n;
  const TsNode *argument;
  TsDtype dtype;

  if (name == NULL || node->n < 2 || ts_name_meaning (reader->lexicon, name) != TS_MEANING_TYPE)
    return ts_reader_error (reader, "bad-type", node, "this is no type of the language");
  switch ((TsTypeWord) name->detail)
    {
    case TS_TYPE_WORD_SCALAR:
      argument = type_arguments (node, &n);
      dtype = n == 1 ? read_dtype (reader, argument) : TS_DTYPE_NONE;
      if (n != 1)
        return ts_reader_error (reader, "bad-type", node, "a scalar has one element type");
      return dtype != TS_DTYPE_NONE ? ts_type_scalar (reader->module, dtype) : NULL;
    case TS_TYPE_WORD_TENSOR:
    case TS_TYPE_WORD_DISTRIBUTED:
    case TS_TYPE_WORD_TILE:
      return read_shaped (reader, node, (TsTypeWord) name->detail);
    case TS_TYPE_WORD_ARRAY:
      return read_array (reader, node);
    case TS_TYPE_WORD_TUPLE:
      return read_tuple (reader, node);
    default:
      return ts_reader_error (reader, "bad-type", node, "'%s' takes no fields", name->text);
    }
}

/* A name of the file that stands for a type: read where it was written. */
static const TsType *
read_alias (TsReader *reader, const TsNode *node)
{
  const TsConst *constant = closure_of (reader, node);
  TsScope *before = reader->scope;
  const TsType *type;

  if (constant == NULL || constant->kind != TS_CONST_SYNTAX || constant->node == node)
    return ts_reader_error (reader, "bad-type", node, "'%s' is no type of the language", node->name->text);
  reader->scope = constant->scope;
  type = ts_read_type (reader, constant->node);
  reader->scope = before;
  return type;
}

static const TsType *
read_bare (TsReader *reader, const TsNode *node)
{
  TsName *name = node->name;
  g_autofree char *spelling = NULL;

  switch (ts_name_meaning (reader->lexicon, name))
    {
    case TS_MEANING_MARKER:
      spelling = g_strconcat (name->root == TS_ROOT_PLD ? "pld." : "pl.", name->last, NULL);
      return ts_type_marker (reader->module, spelling);
    case TS_MEANING_TYPE:
      if (name->detail == TS_TYPE_WORD_POINTER)
        return ts_type_ptr (reader->module);
      if (name->detail == TS_TYPE_WORD_TASK)
        return ts_type_scalar (reader->module, TS_DTYPE_TASK_ID);
      return ts_reader_error (reader, "bad-type", node, "incomplete type: '%s' needs its fields", name->text);
    case TS_MEANING_DTYPE:
      return ts_reader_error (reader, "bad-type", node, "incomplete type: write pl.Scalar[%s]", name->text);
    default:
      return read_alias (reader, node);
    }
}

const TsType *
ts_read_type (TsReader *reader, const TsNode *node)
{
  const TsType *type;

  switch ((TsNodeKind) node->kind)
    {
    case TS_NODE_TYPE:
      return node->type;
    case TS_NODE_NAME:
      type = read_bare (reader, node);
      break;
    case TS_NODE_SUBSCRIPT:
    case TS_NODE_CALL:
      type = read_with_arguments (reader, node);
      break;
    default:
      return ts_reader_error (reader, "bad-type", node, "%s is no type", ts_node_kind_name ((TsNodeKind) node->kind));
    }
  if (type != NULL)
    remember_type (reader, node, type);
  return type;
}

const TsType *
ts_read_parameter_type (TsReader *reader, const TsNode *node, TsDirection *direction)
{
  *direction = TS_DIRECTION_IN;
  if (node->kind == TS_NODE_SUBSCRIPT && node->first->kind == TS_NODE_NAME
      && ts_name_meaning (reader->lexicon, node->first->name) == TS_MEANING_DIRECTION)
    {
      *direction = (TsDirection) node->first->name->detail;
      node = node->first->next;
    }
  return ts_read_type (reader, node);
}
