/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Views and MemRefs inside types: what read-type.c asks of read-view.c. */
#pragma once

#include "lang/pypto/reader.h"

/* pl.TensorView(...) or a layout; in the arena. */
const TsView   *ts_read_tensor_view (TsReader *reader, const TsNode *node);
/* `plain` with the view; without one when the view is the implicit one. */
const TsType   *ts_read_tile_view (TsReader *reader, const TsNode *node, const TsType *plain);
typedef struct
{
  const TsNode *call;     /* pl.MemRef(...) */
  const TsNode *slot;     /* index behind it, or NULL */
  const TsNode *use;      /* where it stands in a type: to blame */
  TsName       *variable; /* the name it was assigned to, when it is used by that name */
} MemRefNode;

/* `space` is that of the tile, for the old spelling that does not name its base. */
const TsMemRef *ts_read_memref (TsReader *reader, const MemRefNode *node, TsSpace space);
