/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types of values. Immutable, owned by the module's arena, freely shared within it. A changed type is a new type. */
#pragma once

#include "ir/types-fwd.h"

G_BEGIN_DECLS

typedef enum
{
  TS_DTYPE_NONE,
#define TS_DTYPE(id, name, ttir, bits, class) TS_DTYPE_##id,
#include "ir/dtypes.def"
#undef TS_DTYPE
  TS_N_DTYPES,
} TsDtype;

typedef enum
{
  TS_DTYPE_CLASS_NONE,
  TS_DTYPE_CLASS_BOOL,
  TS_DTYPE_CLASS_INT,
  TS_DTYPE_CLASS_UINT,
  TS_DTYPE_CLASS_FLOAT,
  TS_DTYPE_CLASS_INDEX, /* counts as an integer of 64 bits; never cast to or from INT64 */
  TS_DTYPE_CLASS_TASK,
} TsDtypeClass;

/* "FP32" (without "pl."). TS_DTYPE_NONE gives "?". */
const char  *ts_dtype_name (TsDtype dtype);
/* "f32"; signless integers for unsigned ones. */
const char  *ts_dtype_ttir_name (TsDtype dtype);
/* TS_DTYPE_NONE when there is none of that name. */
TsDtype      ts_dtype_from_name (const char *name, gssize length);
TsDtype      ts_dtype_from_ttir_name (const char *name, gssize length);
guint        ts_dtype_bits (TsDtype dtype);
TsDtypeClass ts_dtype_class (TsDtype dtype);
gboolean     ts_dtype_is_integer (TsDtype dtype); /* INT, UINT or INDEX */
gboolean     ts_dtype_is_float (TsDtype dtype);
/* Storage of `count` packed elements in bytes: four-bit types two per byte, rounded up. Saturates. Source: passes-memory 1.3. */
gint64       ts_dtype_bytes (TsDtype dtype, gint64 count);

typedef enum
{
#define TS_SPACE(id, name, lower) TS_SPACE_##id,
#include "ir/spaces.def"
#undef TS_SPACE
  TS_N_SPACES,
  TS_SPACE_NONE = TS_N_SPACES, /* not known yet */
} TsSpace;

/* The memories right beside the cube unit: what it reads from and writes to. */
static inline gboolean
ts_space_is_l0 (TsSpace space)
{
  return space == TS_SPACE_LEFT || space == TS_SPACE_RIGHT || space == TS_SPACE_ACC || space == TS_SPACE_BIAS
         || space == TS_SPACE_LEFT_SCALE || space == TS_SPACE_RIGHT_SCALE;
}

const char *ts_space_name (TsSpace space);       /* "Vec"; NONE gives "?" */
const char *ts_space_lower_name (TsSpace space); /* "vec" */
TsSpace     ts_space_from_name (const char *name, gssize length); /* TS_SPACE_NONE when unknown */

typedef enum
{
  TS_TYPE_SCALAR,  /* pl.Scalar[dtype]; also a plain integer or float type of Triton IR */
  TS_TYPE_TENSOR,  /* pl.Tensor, pld.DistributedTensor (flag `distributed`): lives in global memory */
  TS_TYPE_TILE,    /* pl.Tile: lives in a memory space of the core */
  TS_TYPE_ARRAY,   /* pl.Array[n, dtype]; dims has one entry */
  TS_TYPE_TUPLE,   /* pl.Tuple[...]; elems */
  TS_TYPE_PTR,     /* pl.Ptr: an allocation */
  TS_TYPE_MARKER,  /* pl.MemRefType and the like; `text` is the full spelling, "pl.UnknownType" */
  TS_TYPE_RANKED,  /* Triton IR tensor<4x8xT>: dims are constants (or -1 for '?'), elems[0] the element type,
                    * `text` an encoding or NULL */
  TS_TYPE_POINTER, /* Triton IR !tt.ptr<T, n>: elems[0], address space in `address_space` */
  TS_TYPE_FUNCTION,/* Triton IR (a, b) -> c; elems are the inputs, then the results; n_inputs in address_space */
  TS_TYPE_OPAQUE,  /* any other type of Triton IR; `text` is its spelling */
} TsTypeKind;

typedef enum { TS_LAYOUT_ND, TS_LAYOUT_DN, TS_LAYOUT_NZ, TS_LAYOUT_MX_A_ZZ, TS_LAYOUT_MX_B_NN, TS_N_LAYOUTS } TsLayout;
typedef enum { TS_TILE_LAYOUT_NONE_BOX, TS_TILE_LAYOUT_ROW_MAJOR, TS_TILE_LAYOUT_COL_MAJOR, TS_N_TILE_LAYOUTS } TsTileLayout;
typedef enum { TS_PAD_NULL, TS_PAD_ZERO, TS_PAD_MAX, TS_PAD_MIN, TS_N_PADS } TsPad;
typedef enum { TS_COMPACT_NULL, TS_COMPACT_NORMAL, TS_N_COMPACTS } TsCompact;

const char *ts_layout_name (TsLayout layout);           /* "ND" */
const char *ts_tile_layout_name (TsTileLayout layout);  /* "row_major" */
const char *ts_pad_name (TsPad pad);                    /* "zero" */
const char *ts_compact_name (TsCompact compact);        /* "normal" */
/* Each returns FALSE when there is no such name. */
gboolean    ts_layout_from_name (const char *name, gssize length, TsLayout *out);
gboolean    ts_tile_layout_from_name (const char *name, gssize length, TsTileLayout *out);
gboolean    ts_pad_from_name (const char *name, gssize length, TsPad *out);
gboolean    ts_compact_from_name (const char *name, gssize length, TsCompact *out);

/* TensorView or TileView with every field resolved. A tile's view that equals its implicit view is stored as no view at all;
 * an absent tensor view and a present default one differ (spec dsl section 3). Arrays are NULL where the field is not set. */
struct TsView
{
  TsExpr **valid_shape;  /* `rank` entries, or NULL: same as the shape */
  TsExpr **stride;       /* n_stride entries; has_stride tells an empty list from none */
  TsExpr **start_offset; /* n_start_offset entries, or NULL */
  guint32  n_valid, n_stride, n_start_offset;
  gboolean has_stride;
  guint8   layout;       /* tensor: TsLayout */
  guint8   blayout;      /* tile: TsTileLayout */
  guint8   slayout;      /* tile: TsTileLayout */
  guint8   pad;          /* TsPad */
  guint8   compact;      /* TsCompact */
  gint32   fractal;      /* tile, bytes: 512, 1024, 32 */
};

/* Where a tile or tensor lives. Compared by base identity (`base` is a variable). Source: passes-memory 1.2. */
struct TsMemRef
{
  TsValue *base;        /* an alloc's result, or a value of kind TS_VALUE_BASE when nothing in the body defines it */
  TsExpr  *offset;      /* bytes; never NULL except while `declared` */
  gint64   size;        /* bytes */
  gint64   slots;       /* 1: single */
  TsExpr  *slot_index;  /* NULL when slots == 1 or not subscripted */
  gboolean pinned;      /* declared by the author or by LowerPipelineToSlots */
  gboolean declared;    /* not resolved by InitMemRef yet: prints as pl.MemRef("name"[, slots=N])[i] */
  gboolean legacy;      /* read in the old four-integer spelling */
};

struct TsType
{
  guint8          kind;        /* TsTypeKind */
  guint8          dtype;       /* TsDtype: element type of scalar, tensor, tile, array */
  guint8          space;       /* TsSpace of a tile; TS_SPACE_NONE when not inferred yet */
  guint8          distributed; /* pld.DistributedTensor */
  guint8          has_values;  /* some dimension, view field or MemRef mentions a value: a clone must remap it */
  guint32         rank;
  guint32         n_elems;
  gint32          address_space;
  TsExpr        **dims;
  const TsView   *view;
  const TsMemRef *memref;
  const TsType  **elems;
  const char     *text;        /* marker or opaque spelling, encoding, interned; aliases replaced by what they stand for */
  const char     *written;     /* Triton IR: how the file spells it when that has an alias, or NULL; says nothing about the type */
};

/* Constructors. Arrays are copied into the module's arena. */
const TsType *ts_type_scalar (TsModule *module, TsDtype dtype); /* shared: same module and dtype give the same pointer */
const TsType *ts_type_tensor (TsModule *module, TsExpr *const *dims, guint rank, TsDtype dtype, const TsView *view,
                              const TsMemRef *memref);
const TsType *ts_type_distributed (TsModule *module, TsExpr *const *dims, guint rank, TsDtype dtype, const TsView *view,
                                   const TsMemRef *memref);
const TsType *ts_type_tile (TsModule *module, TsExpr *const *dims, guint rank, TsDtype dtype, TsSpace space, const TsView *view,
                            const TsMemRef *memref);
const TsType *ts_type_array (TsModule *module, TsExpr *length, TsDtype dtype);
const TsType *ts_type_tuple (TsModule *module, const TsType *const *elems, guint n_elems);
const TsType *ts_type_ptr (TsModule *module); /* shared */
const TsType *ts_type_marker (TsModule *module, const char *spelling);
/* Triton IR. */
const TsType *ts_type_ranked (TsModule *module, const gint64 *shape, guint rank, const TsType *elem, const char *encoding);
const TsType *ts_type_pointer (TsModule *module, const TsType *pointee, gint address_space);
const TsType *ts_type_function (TsModule *module, const TsType *const *inputs, guint n_inputs, const TsType *const *results,
                                guint n_results);
const TsType *ts_type_opaque (TsModule *module, const char *spelling);
/* Spelling of the opaque type that results of operations no table knows have, until another operation states their type. */
#define TS_TYPE_UNKNOWN "?"
/* Is it that one, or none at all? Such a type agrees with everything. */
gboolean ts_type_is_unknown (const TsType *type);

/* Copies with one field changed. */
const TsType *ts_type_with_written (TsModule *module, const TsType *type, const char *written);
const TsType *ts_type_with_memref (TsModule *module, const TsType *type, const TsMemRef *memref);
const TsType *ts_type_with_space (TsModule *module, const TsType *type, TsSpace space);
const TsType *ts_type_with_view (TsModule *module, const TsType *type, const TsView *view);

const TsMemRef *ts_memref_new (TsModule *module, TsValue *base, TsExpr *offset, gint64 size);
const TsMemRef *ts_memref_copy (TsModule *module, const TsMemRef *memref); /* to change a field of a fresh copy: cast away const */
/* Same allocation and overlapping (or not provably disjoint) byte ranges. Source: passes-memory 1.2. */
gboolean        ts_memref_may_alias (const TsMemRef *a, const TsMemRef *b);
/* The same allocation from the same byte on, as far as constants tell. */
gboolean        ts_memref_same_place (const TsMemRef *a, const TsMemRef *b);

/* The view a tile of this type has when none is written. Source: spec dsl section 3, `Implicit view`. Fields valid_shape,
 * stride and start_offset are NULL in it. */
TsView   ts_type_implicit_view (const TsType *type);
/* The view of a tile, implicit or written. */
TsView   ts_type_tile_view (const TsType *type);

/* The valid shape of `view` is the whole shape of `type`. */
gboolean ts_view_covers_shape (const TsView *view, const TsType *type);

/* Same kind and parts; variables by identity. */
gboolean ts_type_equal (const TsType *a, const TsType *b);

static inline gboolean ts_type_is (const TsType *type, TsTypeKind kind) { return type != NULL && type->kind == kind; }
/* Triton IR: the element of a ranked type, any other type itself. */
static inline const TsType *
ts_type_element (const TsType *type)
{
  return ts_type_is (type, TS_TYPE_RANKED) ? type->elems[0] : type;
}
static inline gboolean ts_type_is_tile (const TsType *type) { return ts_type_is (type, TS_TYPE_TILE); }
static inline gboolean ts_type_is_tensor (const TsType *type) { return ts_type_is (type, TS_TYPE_TENSOR); }
static inline gboolean ts_type_is_scalar (const TsType *type) { return ts_type_is (type, TS_TYPE_SCALAR); }

/* Dimension `i` as a constant; FALSE when it is not one. */
gboolean ts_type_const_dim (const TsType *type, guint i, gint64 *out);
/* Product of the dimensions; FALSE when one is not constant or it overflows. */
gboolean ts_type_element_count (const TsType *type, gint64 *out);
/* Physical bytes of a tile or tensor. Acc of rank >= 2 rounds the second-to-last dimension up to `acc_rows` (16, or 32 for INT32
 * where the backend says so; pass 1 for no rounding). FALSE when a dimension is not a positive constant.
 * Source: passes-memory 1.3. */
gboolean ts_type_bytes (const TsType *type, gint64 acc_rows, gint64 *out);

G_END_DECLS
