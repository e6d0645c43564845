/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this folder share behind TsModule: caches of shared constants and types. */
#pragma once

#include "ir/module.h"

#define TS_SMALL_INTS 1025 /* INDEX constants 0 .. 1024 are shared */

typedef struct
{
  const TsType *scalars[TS_N_DTYPES];
  const TsType *ptr;
  TsExpr       *index_ints[TS_SMALL_INTS];
  TsExpr       *bools[2];
} TsModuleCache;

/* Room of an array that append_slot() of build.c may grow later: the next power of two, at least 1. */
static inline gsize
ts_array_room (gsize n)
{
  gsize room = 1;

  while (room < n)
    room *= 2;
  return room;
}

/* Copies an array into the arena with that room; NULL for none. */
gpointer ts_array_copy (TsModule *module, gconstpointer array, gsize n, gsize size);
