/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Disjoint sets over numbers: parent[i] leads to the number that stands for the set of i, and is i where i is that one. The array
 * is the caller's, and starts with parent[i] = i. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The number that stands for the set of i; paths are halved on the way. */
static inline guint32
ts_disjoint_root (guint32 *parent, guint32 i)
{
  while (parent[i] != i)
    {
      parent[i] = parent[parent[i]];
      i = parent[i];
    }
  return i;
}

/* Makes one set of two; the smaller number stands for it. Chains run from older to newer things, so that paths stay short. */
static inline void
ts_disjoint_join (guint32 *parent, guint32 a, guint32 b)
{
  const guint32 ra = ts_disjoint_root (parent, a), rb = ts_disjoint_root (parent, b);
  parent[MAX (ra, rb)] = MIN (ra, rb);
}

G_END_DECLS
