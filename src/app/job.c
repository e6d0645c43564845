/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work on another thread with generation numbers, so that a late answer never replaces a newer picture. */
#include "app/job.h"

typedef struct
{
  TsJobSlot     *slot; /* inside the owner, which the task keeps alive */
  guint          generation;
  TsJobWork      work;
  TsJobDone      done;
  gpointer       input;
  GDestroyNotify free_input, free_result;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  if (job->free_input != NULL && job->input != NULL)
    job->free_input (job->input);
  g_free (job);
}

static void
job_run (GTask *task, gpointer owner, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;
  gpointer result = job->work (job->input, cancellable, &error);

  if (result != NULL)
    {
      g_clear_error (&error);
      g_task_return_pointer (task, result, job->free_result);
    }
  else if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Cancelled");
}

static void
job_finished (GObject *owner, GAsyncResult *answer, gpointer unused)
{
  GTask *task = G_TASK (answer);
  Job *job = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;
  gpointer result = g_task_propagate_pointer (task, &error);

  if (job->generation != job->slot->generation)
    {
      if (result != NULL && job->free_result != NULL)
        job->free_result (result);
      return;
    }
  g_clear_object (&job->slot->cancellable);
  job->done (owner, result, error);
}

void
ts_job_start (TsJobSlot *slot, gpointer owner, TsJobWork work, gpointer input, GDestroyNotify free_input,
              GDestroyNotify free_result, TsJobDone done)
{
  g_autoptr (GTask) task = NULL;
  Job *job = g_new0 (Job, 1);

  ts_job_cancel (slot);
  slot->cancellable = g_cancellable_new ();
  job->slot = slot;
  job->generation = slot->generation;
  job->work = work;
  job->done = done;
  job->input = input;
  job->free_input = free_input;
  job->free_result = free_result;

  task = g_task_new (owner, slot->cancellable, job_finished, NULL);
  g_task_set_source_tag (task, ts_job_start);
  /* The worker returns whole results even after a cancel; whether they are wanted is decided by the generation. */
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, job_run);
}

void
ts_job_cancel (TsJobSlot *slot)
{
  slot->generation++;
  if (slot->cancellable != NULL)
    g_cancellable_cancel (slot->cancellable);
  g_clear_object (&slot->cancellable);
}

gboolean
ts_job_is_running (const TsJobSlot *slot)
{
  return slot->cancellable != NULL;
}
