/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random functions of Triton IR: valid, in bounds, and of forms that the rules of GraphOptimize look for, or nearly so. */
#pragma once

#include <glib.h>

/* What a kernel does at its heart. */
typedef enum
{
  RANDOM_STORES, /* stores side by side, interleaved, overlapping, with accesses between */
  RANDOM_ORDERS, /* accesses whose axes do not follow memory, in blocks and loops */
  RANDOM_DOTS,   /* products of transposed matrices */
  RANDOM_MIXED,  /* all of these in one function */
  RANDOM_ROWS,   /* one row a program, behind a guard */
  N_RANDOM_KINDS,
} RandomKind;

#define RANDOM_BUFFERS 4
#define RANDOM_BUFFER_BYTES 16384
#define RANDOM_BUFFER_ORIGIN 2048 /* where the argument points to: there are elements before it */

typedef struct
{
  char      *text;
  guint      n_programs;
  gboolean   may_alias;          /* nothing promises that arguments are apart: some are not */
  const char *elements[RANDOM_BUFFERS]; /* of the pointers, which are the first arguments */
  gint64     offsets[RANDOM_BUFFERS];   /* bytes from the origin of buffer 0 on, where they are not apart */
  gint64     scalars[4];         /* i32 %n, %o, %q and i1 %c: the arguments behind */
} RandomKernel;

/* The same for the same seed, with one compiler. */
RandomKernel *random_kernel_new (guint32 seed, RandomKind kind);
void          random_kernel_free (RandomKernel *kernel);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RandomKernel, random_kernel_free)
