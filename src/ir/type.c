/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types: names of their parts, constructors, sizes. */
#include "ir/type.h"

#include <string.h>

#include "base/number.h"
#include "ir/build.h"
#include "ir/module-private.h"

/* --- element types -------------------------------------------------------------------------------------------------------- */

typedef struct
{
  const char  *name;
  const char  *ttir;
  guint        bits;
  TsDtypeClass class;
} DtypeRow;

static const DtypeRow dtype_rows[TS_N_DTYPES] = {
#define TS_DTYPE(id, nm, tt, b, c) [TS_DTYPE_##id] = { nm, tt, b, TS_DTYPE_CLASS_##c },
#include "ir/dtypes.def"
#undef TS_DTYPE
};

static const DtypeRow *
dtype_row (TsDtype dtype)
{
  return &dtype_rows[dtype < TS_N_DTYPES ? dtype : TS_DTYPE_NONE];
}

const char *
ts_dtype_name (TsDtype dtype)
{
  const char *name = dtype_row (dtype)->name;

  return name != NULL ? name : "?";
}

const char *
ts_dtype_ttir_name (TsDtype dtype)
{
  switch ((int) dtype)
    {
    case TS_DTYPE_UINT4: return "i4";
    case TS_DTYPE_UINT8: return "i8";
    case TS_DTYPE_UINT16: return "i16";
    case TS_DTYPE_UINT32: return "i32";
    case TS_DTYPE_UINT64: return "i64";
    default:
      return dtype_row (dtype)->ttir != NULL ? dtype_row (dtype)->ttir : "?";
    }
}

static gboolean
same_text (const char *row, const char *name, gssize length)
{
  gsize n = length < 0 ? strlen (name) : (gsize) length;

  return row != NULL && strlen (row) == n && memcmp (row, name, n) == 0;
}

TsDtype
ts_dtype_from_name (const char *name, gssize length)
{
  for (guint i = 1; i < TS_N_DTYPES; i++)
    if (same_text (dtype_rows[i].name, name, length))
      return (TsDtype) i;
  return TS_DTYPE_NONE;
}

TsDtype
ts_dtype_from_ttir_name (const char *name, gssize length)
{
  for (guint i = 1; i < TS_N_DTYPES; i++)
    if (same_text (dtype_rows[i].ttir, name, length))
      return (TsDtype) i;
  return TS_DTYPE_NONE;
}

guint
ts_dtype_bits (TsDtype dtype)
{
  return dtype_row (dtype)->bits;
}

TsDtypeClass
ts_dtype_class (TsDtype dtype)
{
  return dtype_row (dtype)->class;
}

gboolean
ts_dtype_is_integer (TsDtype dtype)
{
  TsDtypeClass class = ts_dtype_class (dtype);

  return class == TS_DTYPE_CLASS_INT || class == TS_DTYPE_CLASS_UINT || class == TS_DTYPE_CLASS_INDEX;
}

gboolean
ts_dtype_is_float (TsDtype dtype)
{
  return ts_dtype_class (dtype) == TS_DTYPE_CLASS_FLOAT;
}

gint64
ts_dtype_bytes (TsDtype dtype, gint64 count)
{
  guint bits = ts_dtype_bits (dtype);

  if (bits < 8)
    return ts_ceil_div (count, 8 / MAX (bits, 1));
  return ts_mul_sat (count, bits / 8);
}

/* --- names of small enumerations ------------------------------------------------------------------------------------------ */

static const char *const space_names[] = {
#define TS_SPACE(id, name, lower) name,
#include "ir/spaces.def"
#undef TS_SPACE
};

static const char *const space_lower_names[] = {
#define TS_SPACE(id, name, lower) lower,
#include "ir/spaces.def"
#undef TS_SPACE
};

static const char *const layout_names[] = { "ND", "DN", "NZ", "MX_A_ZZ", "MX_B_NN" };
static const char *const tile_layout_names[] = { "none_box", "row_major", "col_major" };
static const char *const pad_names[] = { "null", "zero", "max", "min" };
static const char *const compact_names[] = { "null", "normal" };

static gint
index_of (const char *const *names, guint n, const char *name, gssize length)
{
  for (guint i = 0; i < n; i++)
    if (same_text (names[i], name, length))
      return (gint) i;
  return -1;
}

const char *
ts_space_name (TsSpace space)
{
  return space < TS_N_SPACES ? space_names[space] : "?";
}

const char *
ts_space_lower_name (TsSpace space)
{
  return space < TS_N_SPACES ? space_lower_names[space] : "?";
}

TsSpace
ts_space_from_name (const char *name, gssize length)
{
  gint i = index_of (space_names, TS_N_SPACES, name, length);

  return i < 0 ? TS_SPACE_NONE : (TsSpace) i;
}

/* One pair of functions per enumeration, all of the same form. */
#define DEFINE_NAMES(prefix, Type, table)                                                                                         \
  const char *ts_##prefix##_name (Type value)                                                                                     \
  {                                                                                                                               \
    return (guint) value < G_N_ELEMENTS (table) ? table[value] : "?";                                                             \
  }                                                                                                                               \
  gboolean ts_##prefix##_from_name (const char *name, gssize length, Type *out)                                                   \
  {                                                                                                                               \
    gint i = index_of (table, G_N_ELEMENTS (table), name, length);                                                                \
    if (i < 0)                                                                                                                    \
      return FALSE;                                                                                                               \
    *out = (Type) i;                                                                                                              \
    return TRUE;                                                                                                                  \
  }

DEFINE_NAMES (layout, TsLayout, layout_names)
DEFINE_NAMES (tile_layout, TsTileLayout, tile_layout_names)
DEFINE_NAMES (pad, TsPad, pad_names)
DEFINE_NAMES (compact, TsCompact, compact_names)

/* --- constructors ---------------------------------------------------------------------------------------------------------- */

static gboolean
exprs_have_values (TsExpr *const *exprs, guint n)
{
  for (guint i = 0; exprs != NULL && i < n; i++)
    if (exprs[i]->has_values)
      return TRUE;
  return FALSE;
}

static gboolean
view_has_values (const TsView *view)
{
  return view != NULL
         && (exprs_have_values (view->valid_shape, view->n_valid) || exprs_have_values (view->stride, view->n_stride)
             || exprs_have_values (view->start_offset, view->n_start_offset));
}

static void
note_values (TsType *type)
{
  type->has_values = type->memref != NULL || exprs_have_values (type->dims, type->rank) || view_has_values (type->view);
  for (guint i = 0; i < type->n_elems && !type->has_values; i++)
    type->has_values = type->elems[i]->has_values;
}

static const TsView *
copy_view (TsModule *module, const TsView *view)
{
  TsView *copy;

  if (view == NULL)
    return NULL;
  copy = ts_arena_memdup (module->arena, view, sizeof *view);
  copy->valid_shape = ts_arena_memdup (module->arena, view->valid_shape, sizeof (TsExpr *) * view->n_valid);
  copy->stride = ts_arena_memdup (module->arena, view->stride, sizeof (TsExpr *) * view->n_stride);
  copy->start_offset = ts_arena_memdup (module->arena, view->start_offset, sizeof (TsExpr *) * view->n_start_offset);
  return copy;
}

static TsType *
new_type (TsModule *module, TsTypeKind kind)
{
  TsType *type = ts_arena_new0 (module->arena, TsType);

  type->kind = kind;
  type->space = TS_SPACE_NONE;
  return type;
}

static const TsType *
new_shaped (TsModule *module, TsTypeKind kind, TsExpr *const *dims, guint rank, TsDtype dtype, TsSpace space, const TsView *view,
            const TsMemRef *memref)
{
  TsType *type = new_type (module, kind);

  type->dtype = dtype;
  type->space = space;
  type->rank = rank;
  type->dims = ts_arena_memdup (module->arena, dims, sizeof (TsExpr *) * rank);
  type->view = copy_view (module, view);
  type->memref = memref;
  note_values (type);
  return type;
}

const TsType *
ts_type_scalar (TsModule *module, TsDtype dtype)
{
  TsModuleCache *cache = module->cache;

  if (cache->scalars[dtype] == NULL)
    {
      TsType *type = new_type (module, TS_TYPE_SCALAR);

      type->dtype = dtype;
      cache->scalars[dtype] = type;
    }
  return cache->scalars[dtype];
}

const TsType *
ts_type_tensor (TsModule *module, TsExpr *const *dims, guint rank, TsDtype dtype, const TsView *view, const TsMemRef *memref)
{
  return new_shaped (module, TS_TYPE_TENSOR, dims, rank, dtype, TS_SPACE_DDR, view, memref);
}

const TsType *
ts_type_distributed (TsModule *module, TsExpr *const *dims, guint rank, TsDtype dtype, const TsView *view, const TsMemRef *memref)
{
  TsType *type = (TsType *) new_shaped (module, TS_TYPE_TENSOR, dims, rank, dtype, TS_SPACE_DDR, view, memref);

  type->distributed = TRUE;
  return type;
}

const TsType *
ts_type_tile (TsModule *module, TsExpr *const *dims, guint rank, TsDtype dtype, TsSpace space, const TsView *view,
              const TsMemRef *memref)
{
  return new_shaped (module, TS_TYPE_TILE, dims, rank, dtype, space, view, memref);
}

const TsType *
ts_type_array (TsModule *module, TsExpr *length, TsDtype dtype)
{
  return new_shaped (module, TS_TYPE_ARRAY, &length, 1, dtype, TS_SPACE_SCALAR_LOCAL, NULL, NULL);
}

static TsType *
new_with_elems (TsModule *module, TsTypeKind kind, const TsType *const *elems, guint n_elems)
{
  TsType *type = new_type (module, kind);

  type->n_elems = n_elems;
  type->elems = ts_arena_memdup (module->arena, elems, sizeof (TsType *) * n_elems);
  note_values (type);
  return type;
}

const TsType *
ts_type_tuple (TsModule *module, const TsType *const *elems, guint n_elems)
{
  return new_with_elems (module, TS_TYPE_TUPLE, elems, n_elems);
}

const TsType *
ts_type_ptr (TsModule *module)
{
  TsModuleCache *cache = module->cache;

  if (cache->ptr == NULL)
    cache->ptr = new_type (module, TS_TYPE_PTR);
  return cache->ptr;
}

static const TsType *
new_with_text (TsModule *module, TsTypeKind kind, const char *spelling)
{
  TsType *type = new_type (module, kind);

  type->text = ts_module_intern (module, spelling);
  return type;
}

const TsType *
ts_type_marker (TsModule *module, const char *spelling)
{
  return new_with_text (module, TS_TYPE_MARKER, spelling);
}

const TsType *
ts_type_opaque (TsModule *module, const char *spelling)
{
  return new_with_text (module, TS_TYPE_OPAQUE, spelling);
}

gboolean
ts_type_is_unknown (const TsType *type)
{
  return type == NULL || (type->kind == TS_TYPE_OPAQUE && strcmp (type->text, TS_TYPE_UNKNOWN) == 0);
}

const TsType *
ts_type_ranked (TsModule *module, const gint64 *shape, guint rank, const TsType *elem, const char *encoding)
{
  TsType *type = new_with_elems (module, TS_TYPE_RANKED, &elem, 1);

  type->dtype = elem->kind == TS_TYPE_SCALAR ? elem->dtype : TS_DTYPE_NONE;
  type->rank = rank;
  type->dims = ts_arena_array (module->arena, TsExpr *, rank);
  for (guint i = 0; i < rank; i++)
    type->dims[i] = ts_expr_index (module, shape[i]);
  type->text = encoding != NULL ? ts_module_intern (module, encoding) : NULL;
  return type;
}

const TsType *
ts_type_pointer (TsModule *module, const TsType *pointee, gint address_space)
{
  TsType *type = new_with_elems (module, TS_TYPE_POINTER, &pointee, 1);

  type->address_space = address_space;
  return type;
}

const TsType *
ts_type_function (TsModule *module, const TsType *const *inputs, guint n_inputs, const TsType *const *results, guint n_results)
{
  TsType *type = new_type (module, TS_TYPE_FUNCTION);

  type->address_space = (gint32) n_inputs;
  type->n_elems = n_inputs + n_results;
  type->elems = ts_arena_array (module->arena, const TsType *, type->n_elems);
  for (guint i = 0; i < type->n_elems; i++)
    type->elems[i] = i < n_inputs ? inputs[i] : results[i - n_inputs];
  note_values (type);
  return type;
}

const TsType *
ts_type_with_written (TsModule *module, const TsType *type, const char *written)
{
  TsType *copy = ts_arena_memdup (module->arena, type, sizeof *type);

  copy->written = ts_module_intern (module, written);
  return copy;
}

const TsType *
ts_type_with_memref (TsModule *module, const TsType *type, const TsMemRef *memref)
{
  TsType *copy = ts_arena_memdup (module->arena, type, sizeof *type);

  copy->memref = memref;
  note_values (copy);
  return copy;
}

const TsType *
ts_type_with_space (TsModule *module, const TsType *type, TsSpace space)
{
  TsType *copy = ts_arena_memdup (module->arena, type, sizeof *type);

  copy->space = space;
  return copy;
}

const TsType *
ts_type_with_view (TsModule *module, const TsType *type, const TsView *view)
{
  TsType *copy = ts_arena_memdup (module->arena, type, sizeof *type);

  copy->view = copy_view (module, view);
  note_values (copy);
  return copy;
}

/* --- MemRefs ---------------------------------------------------------------------------------------------------------------- */

const TsMemRef *
ts_memref_new (TsModule *module, TsValue *base, TsExpr *offset, gint64 size)
{
  TsMemRef *memref = ts_arena_new0 (module->arena, TsMemRef);

  memref->base = base;
  memref->offset = offset;
  memref->size = size;
  memref->slots = 1;
  return memref;
}

const TsMemRef *
ts_memref_copy (TsModule *module, const TsMemRef *memref)
{
  return ts_arena_memdup (module->arena, memref, sizeof *memref);
}

gboolean
ts_memref_may_alias (const TsMemRef *a, const TsMemRef *b)
{
  gint64 a_start, b_start;

  if (a == NULL || b == NULL || a->base != b->base)
    return FALSE;
  if (!ts_expr_fold_int (a->offset, &a_start) || !ts_expr_fold_int (b->offset, &b_start))
    return TRUE;
  return a_start < ts_add_sat (b_start, b->size) && b_start < ts_add_sat (a_start, a->size);
}

gboolean
ts_memref_same_place (const TsMemRef *a, const TsMemRef *b)
{
  gint64 a_start, b_start;

  if (a == NULL || b == NULL || a->base != b->base)
    return FALSE;
  return a->offset == b->offset || !ts_expr_fold_int (a->offset, &a_start) || !ts_expr_fold_int (b->offset, &b_start)
         || a_start == b_start;
}

/* --- views and sizes -------------------------------------------------------------------------------------------------------- */

TsView
ts_type_implicit_view (const TsType *type)
{
  TsView view = { .slayout = TS_TILE_LAYOUT_NONE_BOX, .blayout = TS_TILE_LAYOUT_ROW_MAJOR, .fractal = 512 };
  gint64 rows, cols;

  if (type->rank >= 2 && ts_type_const_dim (type, type->rank - 1, &cols) && cols == 1
      && ts_type_const_dim (type, type->rank - 2, &rows) && rows > 1)
    view.blayout = TS_TILE_LAYOUT_COL_MAJOR;
  switch ((int) type->space)
    {
    case TS_SPACE_ACC:
      view.fractal = 1024;
      G_GNUC_FALLTHROUGH;
    case TS_SPACE_MAT:
    case TS_SPACE_LEFT:
      view.blayout = TS_TILE_LAYOUT_COL_MAJOR;
      view.slayout = TS_TILE_LAYOUT_ROW_MAJOR;
      break;
    case TS_SPACE_RIGHT:
      view.slayout = TS_TILE_LAYOUT_COL_MAJOR;
      break;
    case TS_SPACE_LEFT_SCALE:
      view.blayout = view.slayout = TS_TILE_LAYOUT_ROW_MAJOR;
      view.fractal = 32;
      break;
    case TS_SPACE_RIGHT_SCALE:
      view.blayout = view.slayout = TS_TILE_LAYOUT_COL_MAJOR;
      view.fractal = 32;
      break;
    default:
      break;
    }
  return view;
}

TsView
ts_type_tile_view (const TsType *type)
{
  return type->view != NULL ? *type->view : ts_type_implicit_view (type);
}

gboolean
ts_view_covers_shape (const TsView *view, const TsType *type)
{
  if (view->valid_shape == NULL)
    return TRUE;
  if (view->n_valid != type->rank)
    return FALSE;
  for (guint i = 0; i < type->rank; i++)
    {
      gint64 a, b;

      if (ts_expr_as_int (view->valid_shape[i], &a) && ts_expr_as_int (type->dims[i], &b)
            ? a != b : !ts_expr_equal (view->valid_shape[i], type->dims[i]))
        return FALSE;
    }
  return TRUE;
}

gboolean
ts_type_const_dim (const TsType *type, guint i, gint64 *out)
{
  return i < type->rank && ts_expr_fold_int (type->dims[i], out);
}

gboolean
ts_type_element_count (const TsType *type, gint64 *out)
{
  gint64 count = 1, dim;

  for (guint i = 0; i < type->rank; i++)
    if (!ts_type_const_dim (type, i, &dim) || !ts_mul (count, dim, &count))
      return FALSE;
  *out = count;
  return TRUE;
}

gboolean
ts_type_bytes (const TsType *type, gint64 acc_rows, gint64 *out)
{
  gint64 count = 1, dim;

  for (guint i = 0; i < type->rank; i++)
    {
      if (!ts_type_const_dim (type, i, &dim) || dim <= 0)
        return FALSE;
      if (type->kind == TS_TYPE_TILE && type->space == TS_SPACE_ACC && type->rank >= 2 && i == type->rank - 2)
        dim = ts_round_up (dim, acc_rows);
      if (!ts_mul (count, dim, &count))
        return FALSE;
    }
  *out = ts_dtype_bytes ((TsDtype) type->dtype, count);
  return TRUE;
}

/* --- equality -------------------------------------------------------------------------------------------------------------- */

static gboolean
exprs_equal (TsExpr *const *a, guint n_a, TsExpr *const *b, guint n_b)
{
  if (n_a != n_b)
    return FALSE;
  for (guint i = 0; i < n_a; i++)
    if (!ts_expr_equal (a[i], b[i]))
      return FALSE;
  return TRUE;
}

static gboolean
views_equal (const TsView *a, const TsView *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  return a->has_stride == b->has_stride && a->layout == b->layout && a->blayout == b->blayout && a->slayout == b->slayout
         && a->pad == b->pad && a->compact == b->compact && a->fractal == b->fractal
         && exprs_equal (a->valid_shape, a->n_valid, b->valid_shape, b->n_valid)
         && exprs_equal (a->stride, a->n_stride, b->stride, b->n_stride)
         && exprs_equal (a->start_offset, a->n_start_offset, b->start_offset, b->n_start_offset);
}

static gboolean
memrefs_equal (const TsMemRef *a, const TsMemRef *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  return a->base == b->base && a->size == b->size && a->slots == b->slots && a->pinned == b->pinned && a->declared == b->declared
         && ts_expr_equal (a->offset, b->offset) && ts_expr_equal (a->slot_index, b->slot_index);
}

gboolean
ts_type_equal (const TsType *a, const TsType *b)
{
  if (a == b)
    return TRUE;
  if (a == NULL || b == NULL || a->kind != b->kind || a->dtype != b->dtype || a->space != b->space
      || a->distributed != b->distributed || a->address_space != b->address_space || a->n_elems != b->n_elems
      || (a->text != b->text && g_strcmp0 (a->text, b->text) != 0)
      || !exprs_equal (a->dims, a->rank, b->dims, b->rank) || !views_equal (a->view, b->view)
      || !memrefs_equal (a->memref, b->memref))
    return FALSE;
  for (guint i = 0; i < a->n_elems; i++)
    if (!ts_type_equal (a->elems[i], b->elems[i]))
      return FALSE;
  return TRUE;
}
