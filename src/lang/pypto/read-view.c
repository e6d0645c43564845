/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TensorView, TileView and MemRef. Source: spec dsl section 3. */
#include "lang/pypto/read-view.h"

#include <string.h>

#include "base/limits.h"
#include "ir/names.h"

/* --- fields -------------------------------------------------------------------------------------------------------------- */

/* A list field: entries copied into the arena. */
static gboolean
read_entries (TsReader *reader, const TsNode *node, TsExpr ***out, guint32 *n_out)
{
  TsExpr **items;
  guint n;

  if (node->kind != TS_NODE_LIST && node->kind != TS_NODE_TUPLE)
    return ts_reader_error (reader, "bad-type", node, "a list is expected here") != NULL;
  if (node->n > TS_MAX_RANK)
    return ts_reader_error (reader, "limit", node, "a list of %u dimensions; at most %u are read", node->n, TS_MAX_RANK) != NULL;
  if ((items = ts_read_whole_numbers (reader, node, &n)) == NULL)
    return FALSE;
  *out = ts_arena_memdup (reader->module->arena, items, sizeof (TsExpr *) * MAX (n, 1));
  *n_out = n;
  return TRUE;
}

/* Family.member to its number, by the family's own look-up. */
#define DEFINE_MEMBER(what, Type, family, from_name) \
  static gboolean \
  read_##what (TsReader *reader, const TsNode *node, guint8 *out) \
  { \
    Type value; \
    if (node->kind == TS_NODE_NAME && ts_name_meaning (reader->lexicon, node->name) == TS_MEANING_ENUM \
        && ts_name_is_of (node->name, family) && from_name (ts_name_member (node->name), -1, &value)) \
      { \
        *out = (guint8) value; \
        return TRUE; \
      } \
    return ts_reader_error (reader, "bad-type", node, "a member of pl." family " is expected here") != NULL; \
  }

DEFINE_MEMBER (layout, TsLayout, "TensorLayout", ts_layout_from_name)
DEFINE_MEMBER (tile_layout, TsTileLayout, "TileLayout", ts_tile_layout_from_name)
DEFINE_MEMBER (pad, TsPad, "PadValue", ts_pad_from_name)
DEFINE_MEMBER (compact, TsCompact, "CompactMode", ts_compact_from_name)

static gboolean
read_int (TsReader *reader, const TsNode *node, gint64 least, gint64 *out)
{
  TsExpr *e = ts_read_expr (reader, node);

  if (e == NULL)
    return FALSE;
  if (!ts_expr_fold_int (e, out) || *out < least)
    return ts_reader_error (reader, "bad-type", node, "a constant of at least %" G_GINT64_FORMAT " is expected here", least)
           != NULL;
  return TRUE;
}

/* --- views --------------------------------------------------------------------------------------------------------------- */

static gboolean
read_view_field (TsReader *reader, const TsNode *field, TsView *view, gboolean is_tile)
{
  const char *key = field->name->text;
  const TsNode *value = field->first;
  gint64 fractal;

  if (strcmp (key, "valid_shape") == 0)
    return read_entries (reader, value, &view->valid_shape, &view->n_valid);
  if (strcmp (key, "stride") == 0)
    {
      view->has_stride = TRUE;
      return read_entries (reader, value, &view->stride, &view->n_stride);
    }
  if (strcmp (key, "pad") == 0)
    return read_pad (reader, value, &view->pad);
  if (!is_tile && strcmp (key, "layout") == 0)
    return read_layout (reader, value, &view->layout);
  if (is_tile && strcmp (key, "start_offset") == 0)
    return read_entries (reader, value, &view->start_offset, &view->n_start_offset);
  if (is_tile && strcmp (key, "blayout") == 0)
    return read_tile_layout (reader, value, &view->blayout);
  if (is_tile && strcmp (key, "slayout") == 0)
    return read_tile_layout (reader, value, &view->slayout);
  if (is_tile && strcmp (key, "compact") == 0)
    return read_compact (reader, value, &view->compact);
  if (is_tile && strcmp (key, "fractal") == 0)
    {
      if (!read_int (reader, value, 0, &fractal) || fractal > G_MAXINT32)
        return FALSE;
      view->fractal = (gint32) fractal;
      return TRUE;
    }
  return ts_reader_error (reader, "bad-type", field, "unknown field '%s' of a view", key) != NULL;
}

static gboolean
read_view_fields (TsReader *reader, const TsNode *call, TsView *view, gboolean is_tile)
{
  gboolean good = TRUE;

  for (const TsNode *field = call->first->next; field != NULL; field = field->next)
    if (field->kind == TS_NODE_KEYWORD)
      good = read_view_field (reader, field, view, is_tile) && good;
    else
      good = ts_reader_error (reader, "bad-type", field, "the fields of a view are keywords") != NULL;
  return good;
}

const TsView *
ts_read_tensor_view (TsReader *reader, const TsNode *node)
{
  TsView *view = ts_arena_new0 (reader->module->arena, TsView);

  if (node->kind == TS_NODE_NAME)
    {
      if (strcmp (ts_name_member (node->name), "DN") == 0)
        return ts_reader_error (reader, "bad-type", node,
                                "DN has no shorthand: write pl.TensorView(stride=[...], layout=pl.TensorLayout.DN)");
      view->has_stride = TRUE;
      return read_layout (reader, node, &view->layout) ? view : NULL;
    }
  if (node->first->name->detail != 0)
    return ts_reader_error (reader, "bad-type", node, "a tensor has a pl.TensorView, not a pl.TileView");
  return read_view_fields (reader, node, view, FALSE) ? view : NULL;
}

static gboolean
is_implicit (const TsView *view, const TsView *implicit, const TsType *type)
{
  return ts_view_covers_shape (view, type) && !view->has_stride && view->start_offset == NULL && view->blayout == implicit->blayout
         && view->slayout == implicit->slayout && view->fractal == implicit->fractal && view->pad == TS_PAD_NULL
         && view->compact == TS_COMPACT_NULL;
}

const TsType *
ts_read_tile_view (TsReader *reader, const TsNode *node, const TsType *plain)
{
  TsView implicit = ts_type_implicit_view (plain);
  TsView *view;

  if (node->kind != TS_NODE_CALL || node->first->name->detail != 1)
    return ts_reader_error (reader, "bad-type", node, "a tile has a pl.TileView");
  view = ts_arena_memdup (reader->module->arena, &implicit, sizeof implicit);
  if (!read_view_fields (reader, node, view, TRUE))
    return NULL;
  return is_implicit (view, &implicit, plain) ? plain : ts_type_with_view (reader->module, plain, view);
}

/* --- MemRefs ------------------------------------------------------------------------------------------------------------- */

static TsValue *
read_base (TsReader *reader, const TsNode *node)
{
  if (node->kind == TS_NODE_STRING)
    return ts_reader_base (reader, ts_lexicon_get (reader->lexicon, node->text, strlen (node->text)));
  if (node->kind == TS_NODE_NAME && node->name->parent == NULL)
    {
      TsValue *value;

      if (node->name->value == NULL && reader->in_signature)
        return ts_reader_base (reader, node->name);
      if (node->name->value == NULL && node->name->symbol == NULL && ts_name_is_free (node->name->text))
        {
          /* An allocation that the function has lost: NAME__FREE_VAR. */
          value = ts_value_new (reader->module, TS_VALUE_FREE, node->name->text, ts_type_ptr (reader->module));
          ts_reader_bind (reader, node->name, value);
          return value;
        }
      value = ts_reader_lookup (reader, node);
      if (value == NULL || ts_type_is (value->type, TS_TYPE_PTR))
        return value;
    }
  return ts_reader_error (reader, "bad-type", node, "the base of a MemRef is an allocation or a quoted name");
}

/* MemRef(address, size, id) or, older still, with the space first. */
static gboolean
read_legacy (TsReader *reader, const TsNode *first, guint n, TsSpace space, TsMemRef *memref)
{
  g_autofree char *base = NULL;
  gint64 address, size, id;

  if (n == 4)
    {
      if (first->kind != TS_NODE_NAME || ts_name_meaning (reader->lexicon, first->name) != TS_MEANING_ENUM
          || (space = ts_space_from_name (ts_name_member (first->name), -1)) == TS_SPACE_NONE)
        return ts_reader_error (reader, "bad-type", first, "a memory space is expected here") != NULL;
      first = first->next;
    }
  if (!read_int (reader, first, 0, &address) || !read_int (reader, first->next, 0, &size)
      || !read_int (reader, first->next->next, 0, &id))
    return FALSE;
  if (space == TS_SPACE_NONE)
    space = TS_SPACE_DDR;
  base = g_strdup_printf ("mem_%s_%" G_GINT64_FORMAT, ts_space_lower_name (space), id);
  memref->base = ts_reader_base (reader, ts_lexicon_get (reader->lexicon, base, strlen (base)));
  memref->offset = ts_expr_int (reader->module, address, TS_DTYPE_INT64);
  memref->size = size;
  memref->legacy = TRUE;
  return TRUE;
}

/* --- declared allocations ------------------------------------------------------------------------------------------------ */

static char *
declared_by (const TsName *variable, const char *name)
{
  return variable != NULL ? g_strdup_printf ("'%s'", variable->text) : g_strdup_printf ("pl.MemRef(\"%s\")", name);
}

/* The base of a declared allocation. Equal strings written out are one allocation; a variable is one of its own. */
static TsValue *
declared_base (TsReader *reader, const MemRefNode *node, TsName *name)
{
  const TsNode *call = node->variable != NULL ? node->call : NULL;
  const TsDeclaredBase *known = g_hash_table_lookup (reader->declared, name);
  const TsDeclaredBase *same = call != NULL ? g_hash_table_lookup (reader->declared, call) : NULL;
  TsDeclaredBase *fresh;

  if (same != NULL && same->variable != node->variable)
    return ts_reader_error (reader, "declaration-name", node->use, "the declared allocation '%s' is also referenced as '%s': use "
                            "one name for it", same->variable->text, node->variable->text);
  if (known != NULL && known->call != call)
    {
      g_autofree char *first = declared_by (known->variable, name->text), *second = declared_by (node->variable, name->text);

      return ts_reader_error (reader, "declaration-name", node->use, "two declarations, %s and %s, both resolve to the name '%s'",
                              first, second, name->text);
    }
  if (known != NULL)
    return known->base;
  fresh = ts_arena_new0 (reader->module->arena, TsDeclaredBase);
  fresh->base = ts_value_new (reader->module, TS_VALUE_BASE, name->text, ts_type_ptr (reader->module));
  fresh->call = call;
  fresh->variable = node->variable;
  g_hash_table_insert (reader->declared, name, fresh);
  if (call != NULL)
    g_hash_table_insert (reader->declared, (gpointer) call, fresh);
  return fresh->base;
}

/* pl.MemRef("ring"), or pl.MemRef() that a variable names. */
static TsValue *
read_declared (TsReader *reader, const MemRefNode *node, const TsNode *name)
{
  if (name == NULL && node->variable == NULL)
    return ts_reader_error (reader, "bad-type", node->call, "pl.MemRef takes a base, or base, offset and size");
  if (name == NULL)
    return declared_base (reader, node, node->variable);
  if (name->kind != TS_NODE_STRING)
    return ts_reader_error (reader, "bad-type", name, "the name of a declared allocation must be a string literal");
  return declared_base (reader, node, ts_lexicon_get (reader->lexicon, name->text, strlen (name->text)));
}

static gboolean
read_slots (TsReader *reader, const TsNode *node, gint64 *slots)
{
  TsExpr *e = ts_read_expr (reader, node);

  if (e == NULL)
    return FALSE;
  if (!ts_expr_fold_int (e, slots))
    return ts_reader_error (reader, "bad-type", node, "the number of slots must be a constant") != NULL;
  return *slots >= 1 || ts_reader_error (reader, "slot-count", node, "a declared allocation has at least one slot") != NULL;
}

static gboolean
read_memref_arguments (TsReader *reader, const MemRefNode *node, TsSpace space, TsMemRef *memref)
{
  const TsNode *first = node->call->first->next;
  guint n = 0;

  for (const TsNode *argument = first; argument != NULL && argument->kind != TS_NODE_KEYWORD; argument = argument->next)
    n++;
  if (n == 4 || (n == 3 && first->kind == TS_NODE_INT))
    return read_legacy (reader, first, n, space, memref);
  if (n > 3 || n == 2)
    return ts_reader_error (reader, "bad-type", node->call, "pl.MemRef takes a base, or base, offset and size") != NULL;
  memref->declared = memref->pinned = n < 3;
  memref->base = n < 3 ? read_declared (reader, node, n > 0 ? first : NULL) : read_base (reader, first);
  if (n < 3 || memref->base == NULL)
    return memref->base != NULL;
  memref->offset = ts_read_expr (reader, first->next);
  return memref->offset != NULL && read_int (reader, first->next->next, 0, &memref->size);
}

const TsMemRef *
ts_read_memref (TsReader *reader, const MemRefNode *node, TsSpace space)
{
  TsMemRef *memref = ts_arena_new0 (reader->module->arena, TsMemRef);
  const TsNode *slots = ts_node_keyword (node->call, "slots");

  memref->slots = 1;
  if (slots != NULL && !read_slots (reader, slots, &memref->slots))
    return NULL;
  if (!read_memref_arguments (reader, node, space, memref))
    return NULL;
  if (node->slot != NULL && (memref->slot_index = ts_read_expr (reader, node->slot)) == NULL)
    return NULL;
  return memref;
}
