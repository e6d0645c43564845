/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Printed form of types. Source: spec dsl section 3. */

#include "lang/pypto/printer.h"

void
ts_print_dim (TsPrinter *p, const TsExpr *e)
{
  gint64 value;

  ts_print_expr (p, e, ts_expr_as_int (e, &value) ? TS_LEAVES_BARE : TS_LEAVES_TYPED);
}

void
ts_print_dims (TsPrinter *p, TsExpr *const *dims, guint n)
{
  ts_put_literal (p, "[");
  for (guint i = 0; i < n; i++)
    {
      if (i > 0)
        ts_put_literal (p, ", ");
      ts_print_dim (p, dims[i]);
    }
  ts_put_literal (p, "]");
}

static void
print_dtype (TsPrinter *p, TsDtype dtype)
{
  ts_put_prefixed (p, ts_dtype_name (dtype));
}

/* key= with the comma that separates it from the field before. */
static void
begin_field (TsPrinter *p, gboolean *first, const char *key)
{
  if (!*first)
    ts_put_literal (p, ", ");
  *first = FALSE;
  ts_put_text (p, key);
  ts_put_literal (p, "=");
}

static void
print_enum_field (TsPrinter *p, gboolean *first, const char *key, const char *family, const char *name)
{
  begin_field (p, first, key);
  ts_put_prefixed (p, family);
  ts_put_literal (p, ".");
  ts_put_text (p, name);
}

static void
print_tensor_view (TsPrinter *p, const TsType *type)
{
  const TsView *view = type->view;
  gboolean valid = !ts_view_covers_shape (view, type), first = TRUE;

  ts_put_prefixed (p, "TensorView(");
  if (valid || view->n_stride > 0 || view->layout != TS_LAYOUT_ND || view->pad != TS_PAD_NULL)
    {
      if (valid)
        {
          begin_field (p, &first, "valid_shape");
          ts_print_dims (p, view->valid_shape, view->n_valid);
        }
      begin_field (p, &first, "stride");
      ts_print_dims (p, view->stride, view->n_stride);
      print_enum_field (p, &first, "layout", "TensorLayout", ts_layout_name (view->layout));
      if (view->pad != TS_PAD_NULL)
        print_enum_field (p, &first, "pad", "PadValue", ts_pad_name (view->pad));
    }
  ts_put_literal (p, ")");
}

static void
print_tile_view (TsPrinter *p, const TsType *type)
{
  const TsView *view = type->view;
  TsView implicit = ts_type_implicit_view (type);
  gboolean first = TRUE;

  ts_put_prefixed (p, "TileView(");
  if (!ts_view_covers_shape (view, type))
    {
      begin_field (p, &first, "valid_shape");
      ts_print_dims (p, view->valid_shape, view->n_valid);
    }
  if (view->n_stride > 0)
    {
      begin_field (p, &first, "stride");
      ts_print_dims (p, view->stride, view->n_stride);
    }
  if (view->start_offset != NULL)
    {
      begin_field (p, &first, "start_offset");
      ts_print_dims (p, view->start_offset, view->n_start_offset);
    }
  if (view->blayout != implicit.blayout)
    print_enum_field (p, &first, "blayout", "TileLayout", ts_tile_layout_name (view->blayout));
  if (view->slayout != implicit.slayout)
    print_enum_field (p, &first, "slayout", "TileLayout", ts_tile_layout_name (view->slayout));
  if (view->fractal != implicit.fractal)
    {
      begin_field (p, &first, "fractal");
      ts_append_int (p->out, view->fractal);
    }
  if (view->pad != TS_PAD_NULL)
    print_enum_field (p, &first, "pad", "PadValue", ts_pad_name (view->pad));
  if (view->compact != TS_COMPACT_NULL)
    print_enum_field (p, &first, "compact", "CompactMode", ts_compact_name (view->compact));
  ts_put_literal (p, ")");
}

static void
print_memref (TsPrinter *p, const TsMemRef *memref)
{
  gboolean quoted = p->signature || memref->declared || memref->base->kind == TS_VALUE_BASE;
  const char *name = ts_names_get (&p->names, memref->base);

  ts_put_prefixed (p, "MemRef(");
  if (quoted)
    ts_print_string (p, name, '"');
  else
    ts_put_text (p, name);
  if (!memref->declared)
    {
      ts_put_literal (p, ", ");
      ts_print_expr (p, memref->offset, TS_LEAVES_PLAIN);
      ts_put_literal (p, ", ");
      ts_append_int (p->out, memref->size);
    }
  if (memref->slots > 1)
    {
      ts_put_literal (p, ", slots=");
      ts_append_int (p->out, memref->slots);
    }
  ts_put_literal (p, ")");
  if (memref->slot_index != NULL)
    {
      ts_put_literal (p, "[");
      ts_print_expr (p, memref->slot_index, TS_LEAVES_PLAIN);
      ts_put_literal (p, "]");
    }
}

/* [[dims], dtype, then what the kind adds. */
static void
print_shaped (TsPrinter *p, const TsType *type)
{
  ts_put_literal (p, "[");
  ts_print_dims (p, type->dims, type->rank);
  ts_put_literal (p, ", ");
  print_dtype (p, type->dtype);
  if (type->kind == TS_TYPE_TENSOR && type->view != NULL)
    {
      ts_put_literal (p, ", ");
      print_tensor_view (p, type);
    }
  if (type->memref != NULL)
    {
      ts_put_literal (p, ", ");
      print_memref (p, type->memref);
    }
  if (type->kind == TS_TYPE_TILE && type->space != TS_SPACE_NONE)
    {
      ts_put_literal (p, ", ");
      ts_put_prefixed (p, "Mem.");
      ts_put_text (p, ts_space_name (type->space));
    }
  if (type->kind == TS_TYPE_TILE && type->view != NULL)
    {
      ts_put_literal (p, ", ");
      print_tile_view (p, type);
    }
  ts_put_literal (p, "]");
}

static void
print_tuple (TsPrinter *p, const TsType *type)
{
  ts_put_prefixed (p, "Tuple[");
  if (type->n_elems == 0)
    ts_put_literal (p, "()");
  for (guint i = 0; i < type->n_elems; i++)
    {
      if (i > 0)
        ts_put_literal (p, ", ");
      ts_print_type (p, type->elems[i]);
    }
  ts_put_literal (p, "]");
}

void
ts_print_type (TsPrinter *p, const TsType *type)
{
  switch ((TsTypeKind) type->kind)
    {
    case TS_TYPE_SCALAR:
      ts_put_prefixed (p, "Scalar[");
      print_dtype (p, type->dtype);
      ts_put_literal (p, "]");
      return;
    case TS_TYPE_TENSOR:
      if (type->distributed)
        ts_put_literal (p, "pld.DistributedTensor");
      else
        ts_put_prefixed (p, "Tensor");
      print_shaped (p, type);
      return;
    case TS_TYPE_TILE:
      ts_put_prefixed (p, "Tile");
      print_shaped (p, type);
      return;
    case TS_TYPE_ARRAY:
      ts_put_prefixed (p, "Array[");
      ts_print_dim (p, type->dims[0]);
      ts_put_literal (p, ", ");
      print_dtype (p, type->dtype);
      ts_put_literal (p, "]");
      return;
    case TS_TYPE_TUPLE:
      print_tuple (p, type);
      return;
    case TS_TYPE_PTR:
      ts_put_prefixed (p, "Ptr");
      return;
    case TS_TYPE_MARKER:
      if (g_str_has_prefix (type->text, "pl."))
        ts_put_prefixed (p, type->text + 3);
      else
        ts_put_text (p, type->text);
      return;
    case TS_TYPE_RANKED:
    case TS_TYPE_POINTER:
    case TS_TYPE_FUNCTION:
    case TS_TYPE_OPAQUE:
      /* Types of the other language never stand in a module of this one; print what is known rather than nothing. */
      ts_put_text (p, type->text != NULL ? type->text : "?");
      return;
    }
}
