/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel language: text to module and back. Source: spec dsl. */
#pragma once

#include <gio/gio.h>

#include "base/diag.h"
#include "ir/module.h"

G_BEGIN_DECLS

typedef enum
{
  TS_PYPTO_AUTO,   /* dump mode when the first line is "# pypto.program:", else source mode */
  TS_PYPTO_DUMP,   /* trust and keep every annotation and constant, fold nothing */
  TS_PYPTO_SOURCE, /* infer, fold, resolve, desugar, check */
} TsPyptoMode;

/* One thing a file offers to open. */
typedef struct
{
  const char *name;
  const char *kind;   /* "program", "function", "jit", "factory", "text" (in a string of the file), ... */
  guint       line;
  const char *problem; /* NULL: can be opened; else one sentence why not and the way round */
} TsPyptoEntry;

typedef struct
{
  TsPyptoMode        mode;
  const char        *entry;    /* program or function to open; NULL: the one program, else the only function */
  const char *const *defines;  /* NULL or NULL-terminated "NAME=VALUE" / "module.NAME=VALUE" (-D) */
  const char        *folder;   /* where sibling modules are looked for; NULL: none are loaded */
  GCancellable      *cancellable;
  gboolean         (*is_elsewhere) (const char *name); /* NULL, or: does -D of this name bind something that no file holds? */
} TsPyptoOptions;

/* Reads a text. Returns NULL only when nothing could be made of it; errors are in `diags` (a module may come with errors: what
 * could be read). Never aborts, whatever the text. `strings` is referenced by the module. */
TsModule *ts_pypto_parse (TsSource *source, TsStrings *strings, const TsPyptoOptions *options, TsDiagList *diags);
/* What a user file offers, without opening it: an array of TsPyptoEntry with strings owned by the array. */
GArray   *ts_pypto_list_entries (TsSource *source, TsStrings *strings);
/* Does the text begin as the compiler prints programs, so that it is read in dump mode? */
gboolean  ts_pypto_is_printed (const char *text, gsize length);
/* Does -D of this name bind something when the module is simulated: a scalar parameter, a dynamic dimension? */
gboolean  ts_pypto_binds (const TsModule *module, const char *name);
/* What has the name in the module and cannot be bound, as a sentence to be freed; NULL: nothing there has it. */
char     *ts_pypto_why_unbound (const TsModule *module, const char *name);
/* Does the text look like the kernel language? Cheap: looks for decorators and the dump header. */
gboolean  ts_pypto_recognise (const char *text, gsize length);

/* Where each operation stands in a printed text. */
typedef struct
{
  gint32  op;          /* operation id; -1 - f for the signature of function f */
  guint32 line;        /* from 1 */
  guint32 offset, length; /* bytes of the statement's own line (header line of a loop) */
  guint32 end_line;    /* last line of its regions, or `line` */
} TsTextPlace;

/* Prints a module as the compiler does, ended by one newline. `places` may be NULL; else it gets one entry per operation, in text
 * order. `names` may be NULL; else it gets the printed name of every value, indexed by value id (NULL where it does not occur; the
 * strings are interned in the module's pool). */
char     *ts_pypto_print (const TsModule *module, GArray *places, GPtrArray *names);
/* One function, as it stands in the print of its module, from its decorator on. Free with g_free. */
char     *ts_pypto_print_function (const TsModule *module, const TsFunction *function);
/* One statement's own line, for tables and the inspector, without its regions. Free with g_free. */
char     *ts_pypto_print_op (const TsModule *module, const TsOp *op);
char     *ts_pypto_print_expr (const TsModule *module, const TsExpr *e);
char     *ts_pypto_print_type (const TsModule *module, const TsType *type);

G_END_DECLS
