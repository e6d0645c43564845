/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory used as a stack: what a statement needed while being read is given back as a whole. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct TsPool TsPool;
typedef struct { gsize chunk, used; } TsPoolMark;

TsPool    *ts_pool_new (void);
void       ts_pool_free (TsPool *pool);
/* Zeroed, aligned to 8; valid until the pool is released to a mark taken before. */
gpointer   ts_pool_alloc (TsPool *pool, gsize size);
char      *ts_pool_strndup (TsPool *pool, const char *text, gsize length);
TsPoolMark ts_pool_mark (const TsPool *pool);
void       ts_pool_release (TsPool *pool, TsPoolMark mark);

#define ts_pool_new0(pool, Type) ((Type *) ts_pool_alloc ((pool), sizeof (Type)))
#define ts_pool_array(pool, Type, n) ((Type *) ts_pool_alloc ((pool), sizeof (Type) * (gsize) (n)))

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsPool, ts_pool_free)

G_END_DECLS
