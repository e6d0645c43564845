/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory by lifetime: blocks are handed out one after the other and all freed together. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct TsArena TsArena;

/* Returns a new, empty arena. Not thread-safe: an arena has one owner at a time. */
TsArena *ts_arena_new (void);
/* An arena that is no longer written to may be shared: each owner, also on other threads, holds a reference. */
TsArena *ts_arena_ref (TsArena *arena);
/* Drops one reference; the last one frees everything. NULL is allowed. */
void     ts_arena_free (TsArena *arena);

/* Returns `size` zeroed bytes, aligned to 8, that live as long as the arena. `size` 0 gives a valid, unique-enough pointer. */
gpointer ts_arena_alloc (TsArena *arena, gsize size) G_GNUC_MALLOC G_GNUC_ALLOC_SIZE (2);
/* Copies `size` bytes into the arena. NULL with size 0 gives NULL. */
gpointer ts_arena_memdup (TsArena *arena, gconstpointer data, gsize size);
/* Copies `length` bytes and adds a NUL. */
char    *ts_arena_strndup (TsArena *arena, const char *text, gsize length);
/* Bytes taken from the system so far. */
gsize    ts_arena_bytes (const TsArena *arena);

#define ts_arena_new0(arena, Type)          ((Type *) ts_arena_alloc ((arena), sizeof (Type)))
#define ts_arena_array(arena, Type, n)      ((Type *) ts_arena_alloc ((arena), sizeof (Type) * (gsize) (n)))

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsArena, ts_arena_free)

G_END_DECLS
