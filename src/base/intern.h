/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interned strings: equal texts have equal pointers within one pool. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Reference-counted and safe to use from several threads: the snapshots of one run share a pool, and a what-if may add to it
 * while the window reads. Strings live as long as the pool. */
typedef struct TsStrings TsStrings;

TsStrings  *ts_strings_new (void);
TsStrings  *ts_strings_ref (TsStrings *strings);
void        ts_strings_unref (TsStrings *strings);

/* Returns the one copy of the text; never NULL. */
const char *ts_intern (TsStrings *strings, const char *text);
const char *ts_intern_n (TsStrings *strings, const char *text, gsize length);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsStrings, ts_strings_unref)

G_END_DECLS
