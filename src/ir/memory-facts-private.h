/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files that build memory facts. */
#pragma once

#include "base/map.h"
#include "ir/lifetimes.h"
#include "ir/memory-facts.h"

G_BEGIN_DECLS

typedef struct
{
  TsMemoryFacts facts;       /* first: what the caller sees */
  TsMap         buffer_of;   /* base id to buffer */
  TsMap         tile_of;     /* value id to tile */
  guint32      *web;         /* per tile: tiles that hand one value on (carries, branches, views, in-place) have one number */
} TsMemoryFactsFull;

/* memory-stages.c */
void ts_memory_facts_find_stages (TsMemoryFactsFull *full);

G_END_DECLS
