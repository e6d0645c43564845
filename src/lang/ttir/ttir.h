/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Triton IR: text to module and back. Source: spec ttir. */
#pragma once

#include <gio/gio.h>

#include "base/diag.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* Independent modules of a file, separated by lines `// -----`; sections without a word in them do not count. At least 1. */
guint     ts_ttir_n_sections (TsSource *source);

#define TS_TTIR_ALL_SECTIONS G_MAXUINT
/* Reads one section (from 0) or all of them, each as a part of the module. A function whose symbol an earlier section has goes by
 * `symbol#2` and so on, the number being that of its section. Returns NULL only when nothing could be made of it; errors are in
 * `diags` and a module may come with errors: what could be read. Never aborts, whatever the text. `strings` is referenced by the
 * module.
 * Mapping: scf.for, scf.if, scf.yield, tt.return, tt.call are the structural operations of ir/op.h; everything else is a row of
 * ops-ttir.def or unknown. Attributes of an operation stand in `attrs`, sorted by key, properties and discardable ones in one list.
 */
TsModule *ts_ttir_parse (TsSource *source, guint section, TsStrings *strings, GCancellable *cancellable, TsDiagList *diags);
/* Does the text look like Triton IR? Cheap: looks for the first words of a module. */
gboolean  ts_ttir_recognise (const char *text, gsize length);

typedef enum
{
  TS_TTIR_LOCATIONS_KEEP,   /* as in the file: aliases stay aliases and are defined around the module */
  TS_TTIR_LOCATIONS_STRIP,
  TS_TTIR_LOCATIONS_INLINE, /* aliases replaced by what they stand for */
} TsTtirLocations;

/* Where each operation stands in a printed text; the same shape as for the kernel language. */
typedef struct
{
  gint32  op;
  guint32 line;
  guint32 offset, length;
  guint32 end_line;
} TsTtirPlace;

/* Prints a module; parse(print(m)) equals m, and printing twice gives the same bytes. `places` and `names` may be NULL, as in
 * ts_pypto_print(). */
char     *ts_ttir_print (const TsModule *module, TsTtirLocations locations, GArray *places, GPtrArray *names);
char     *ts_ttir_print_op (const TsModule *module, const TsOp *op);
char     *ts_ttir_print_type (const TsType *type);

G_END_DECLS
