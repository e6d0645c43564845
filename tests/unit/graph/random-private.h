/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing random Triton IR: names, types, and tensors of whatever value. */
#pragma once

#include "random-gen.h"

typedef enum { E_I1, E_I8, E_I16, E_I32, E_I64, E_F32, E_BF16, N_ELEMENTS } Element;

typedef struct
{
  guint rank; /* 0: a scalar */
  gint  dims[3];
} Shape;

typedef struct
{
  const char *name; /* "%v12" */
  Element     element;
  Shape       shape;
} Tensor;

typedef struct
{
  GRand        *rand;
  GString      *text;
  GStringChunk *words;
  GArray       *pool;    /* Tensor in scope */
  guint         hidden;  /* how many of them, from the first on, are left alone */
  guint         n_names, depth;
  RandomKernel *kernel;
  Element       elements[RANDOM_BUFFERS];
} Gen;

/* From 0 to n - 1; once in n. */
gint     rg_below (Gen *g, gint n);
static inline gboolean rg_once_in (Gen *g, gint n) { return rg_below (g, n) == 0; }
const char *rg_words (Gen *g, const char *format, ...) G_GNUC_PRINTF (2, 3);
void     rg_line (Gen *g, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* A line that defines one value: "%vN = " and the text. Returns the name. */
const char *rg_def (Gen *g, const char *format, ...) G_GNUC_PRINTF (2, 3);
const char *rg_element (Element e);
gboolean rg_is_float (Element e);
gint     rg_count (const Shape *s);
Shape    rg_shape (guint rank, gint a, gint b, gint c);
/* "tensor<2x3xf32>", "f32"; of pointers: "tensor<2x3x!tt.ptr<f32>>". */
const char *rg_type (Gen *g, Element e, const Shape *s);
const char *rg_pointer_type (Gen *g, Element e, const Shape *s);
const char *rg_int (Gen *g, gint64 value, Element e); /* a constant */

void     rg_keep (Gen *g, const char *name, Element e, const Shape *s); /* puts it into the pool */
/* Some tensor (or scalar) of that type: one that is there or a new one. */
const char *rg_value (Gen *g, Element e, const Shape *s, guint effort);
const char *rg_unary (Gen *g, Element e, const Shape *s, const char *x);
const char *rg_binary (Gen *g, Element e, const Shape *s, const char *x, const char *y);
/* One axis less. A scan keeps it. */
const char *rg_reduce (Gen *g, Element e, const Shape *s, gint axis, const char *x, Shape *out);
const char *rg_scan (Gen *g, Element e, const Shape *s, gint axis, const char *x);
const char *rg_trans (Gen *g, Element e, const Shape *s, const gint *order, const char *x, Shape *out);
/* Indented regions. */
guint    rg_open (Gen *g);
void     rg_close (Gen *g, guint mark);

/* One range for each axis, as a tensor of the rank with one extent. */
const char *rg_lane (Gen *g, guint rank, guint axis, gint start, gint extent);

/* A pointer that tensors of pointers are made from. */
typedef struct
{
  const char *name;
  Element     element;
} Base;

Base rg_argument (Gen *g, guint i); /* the pointer that is argument `i` */

/* The heart of a kernel, one piece of it. Each leaves the pool as it was, or with more in it. */
void rg_stores (Gen *g, const Base *bases, guint n_bases, gboolean in_rows);
void rg_orders (Gen *g);
void rg_dots (Gen *g);
void rg_control (Gen *g);
void rg_rows (Gen *g); /* with its guard and the returns */
/* lane x stride, as wide as the whole; `symbol` is a scalar that is one more factor, or NULL. `plain`: in the one form that
 * StoreCoalescing reads. */
const char *rg_term (Gen *g, const char *lane, guint axis, const Shape *whole, gint stride, const char *symbol, gboolean plain);
/* A load (with a mask now and then) or store of as many elements as `s` has, side by side from `first` on. */
const char *rg_flat_load (Gen *g, Base base, gint first, const Shape *s);
void        rg_flat_store (Gen *g, Base base, gint first, const Shape *s, const char *x);
