/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to the loader: the structure of an input, and its parts by topic. */
#pragma once

#include "base/intern.h"
#include "run/input.h"

G_BEGIN_DECLS

struct TsInput
{
  gint        refs; /* atomic */
  TsInputKind kind;
  char       *spec;
  char       *title;
  char       *path;
  char       *folder;   /* where sibling modules are looked for, or NULL */
  char       *sha256;
  TsSource   *source;
  GArray     *dumps;    /* TsDumpFile, or NULL */
  TsDiagList *diags;
  TsStrings  *strings;  /* shared by all runs on this input */
  GMutex      lock;     /* guards `entries` */
  GArray     *entries;
};

/* Bytes of a sample; *file_name is freed by the caller. */
GBytes  *ts_sample_read (const char *name, TsInputKind *kind, char **file_name, GError **error);
/* Fills `dumps`, `sha256`, `diags` of a folder. */
gboolean ts_input_read_folder (TsInput *input, const char *path, GCancellable *cancellable, GError **error);
/* Is this a file that the loader of folders takes for a dump, or for the log of one? */
gboolean ts_input_is_dump_name (const char *name);
/* "FlattenCallExpr" of the path of a file that is named like a dump; NULL: it is not. Free with g_free. */
char    *ts_input_pass_of_path (const char *path);

/* An empty list of TsDumpFile that frees what it holds. */
GArray  *ts_dump_files_new (void);

/* For runs. */
static inline TsStrings *ts_input_strings (TsInput *input) { return input->strings; }
static inline const char *ts_input_folder (TsInput *input) { return input->folder; }

G_END_DECLS
