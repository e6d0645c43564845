/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder of dumps that a run writes as a whole: what an earlier run wrote there is replaced, and what this one has no more of is
 * taken away, so that nobody reads the snapshots of two runs as one. Whatever else is in the folder is never touched. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* What an earlier run wrote, in the form of sha256sum. */
#define TS_DUMP_FOLDER_LIST ".tilescope-dumps"

typedef struct TsDumpFolder TsDumpFolder;

TsDumpFolder *ts_dump_folder_new (const char *path);
void          ts_dump_folder_free (TsDumpFolder *folder);
/* A file to be written, named as dumps are. Takes the name and a reference to the text. */
void          ts_dump_folder_add (TsDumpFolder *folder, char *name, GBytes *text);
/* Creates the folder where it is missing and writes the files. G_FILE_ERROR_EXIST, before anything is written, when a file named
 * like a dump is there that no earlier run wrote, or that was changed since; unless it is just what is to be written: then it is
 * left as it is, and stays somebody else's. */
gboolean      ts_dump_folder_write (TsDumpFolder *folder, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsDumpFolder, ts_dump_folder_free)

G_END_DECLS
