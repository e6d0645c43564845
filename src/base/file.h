/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole files in, whole files out. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Reads a regular file, pipe or "-" (standard input) up to TS_MAX_FILE_BYTES. A larger one is an error that names the limit
 * (and the size, where known). Errors: G_IO_ERROR. Cancellable between chunks. */
GBytes  *ts_file_read (const char *path, GCancellable *cancellable, GError **error);
/* Writes to a temporary name in the same folder and renames, so that a failure leaves the old file whole.
 * "-" writes to standard output; a device or FIFO is written through, and of a link what it points to is replaced.
 * Errors: G_IO_ERROR or G_FILE_ERROR. */
gboolean ts_file_write (const char *path, const char *data, gsize length, GError **error);

G_END_DECLS
