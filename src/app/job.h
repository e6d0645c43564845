/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work on another thread, one request at a time: a newer request cancels the older one, whose answer is then dropped. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Runs on a worker thread. Returns NULL with an error, or a result. */
typedef gpointer (*TsJobWork) (gpointer input, GCancellable *cancellable, GError **error);
/* Runs on the main thread, only for the newest request. Takes the result; `error` is set when it is NULL. */
typedef void     (*TsJobDone) (gpointer owner, gpointer result, const GError *error);

/* Zero-initialised in its owner. */
typedef struct
{
  guint         generation;
  GCancellable *cancellable; /* of the request under way, or NULL */
} TsJobSlot;

/* `owner` (a GObject) is kept alive until the answer. `input` is freed on the worker side with `free_input`; a result nobody wants
 * any more with `free_result`. */
void     ts_job_start (TsJobSlot *slot, gpointer owner, TsJobWork work, gpointer input, GDestroyNotify free_input,
                       GDestroyNotify free_result, TsJobDone done);
/* Cancels and forgets what is under way; its answer will not come. */
void     ts_job_cancel (TsJobSlot *slot);
gboolean ts_job_is_running (const TsJobSlot *slot);

G_END_DECLS
