/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One opened input: its run, the snapshot that is shown, the bill, the selection. */
#include "app/document.h"

#include <glib/gi18n.h>

#include "app/job.h"

/* Progress is told to the window at most this often, in milliseconds. */
#define PROGRESS_EVERY 100

/* What a worker says about itself. Every job keeps the document alive, and with it this. */
typedef struct
{
  GMutex  lock;
  char   *what;
  gint64  done, total;
} Progress;

struct _TsDocument
{
  GObject      parent_instance;
  TsRun       *run;
  TsShown     *shown;
  TsSelection *selection;
  TsDirectionChoice direction;
  guint        index;
  char        *function;
  char        *spec, *machine; /* of `run`, or of what is being opened */
  char       **defines, *entry; /* likewise; or NULL */

  char        *problem_spec;
  GError      *problem;
  TsRun       *problem_run;    /* keeps the diagnostics alive */

  TsJobSlot    opening, showing, pricing;
  GPtrArray   *bill;           /* const TsBillRow, NULL: not known yet */
  Progress     progress;
  guint        progress_source;
  char        *progress_text;
  double       progress_fraction;
};

enum { RUN_CHANGED, SHOWN_CHANGED, PASS_CHANGED, BILL_CHANGED, PROBLEM_CHANGED, BUSY_CHANGED, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsDocument, ts_document, G_TYPE_OBJECT)

/* --- progress --------------------------------------------------------------------------------------------------------------- */

/* A TsRunProgress: on the worker's thread. */
static void
on_progress (const char *what, gint64 done, gint64 total, gpointer data)
{
  Progress *progress = data;

  g_mutex_lock (&progress->lock);
  if (g_strcmp0 (progress->what, what) != 0)
    {
      g_free (progress->what);
      progress->what = g_strdup (what);
    }
  progress->done = done;
  progress->total = total;
  g_mutex_unlock (&progress->lock);
}

static gboolean
tell_progress (gpointer data)
{
  TsDocument *self = data;
  Progress *progress = &self->progress;

  g_mutex_lock (&progress->lock);
  g_free (self->progress_text);
  self->progress_text = g_strdup (progress->what);
  self->progress_fraction = progress->total > 0 ? CLAMP ((double) progress->done / (double) progress->total, 0.0, 1.0) : -1.0;
  g_mutex_unlock (&progress->lock);
  g_signal_emit (self, signals[BUSY_CHANGED], 0);
  return G_SOURCE_CONTINUE;
}

/* Work has started or ended. */
static void
update_busy (TsDocument *self)
{
  gboolean busy = ts_document_is_busy (self);

  if (busy && self->progress_source == 0)
    self->progress_source = g_timeout_add (PROGRESS_EVERY, tell_progress, self);
  if (!busy)
    {
      g_clear_handle_id (&self->progress_source, g_source_remove);
      g_clear_pointer (&self->progress_text, g_free);
      self->progress_fraction = -1.0;
    }
  g_signal_emit (self, signals[BUSY_CHANGED], 0);
}

/* --- the bill --------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  TsDocument *document; /* (owned) */
  TsRun      *run;      /* (owned) */
  char       *function;
  guint       generation;
} BillRequest;

typedef struct
{
  TsDocument      *document; /* (owned) */
  const TsBillRow *row;
  guint            index, generation;
} BillNews;

static void
bill_request_free (gpointer data)
{
  BillRequest *request = data;

  g_object_unref (request->document);
  ts_run_unref (request->run);
  g_free (request->function);
  g_free (request);
}

static gboolean
tell_bill_row (gpointer data)
{
  BillNews *news = data;
  TsDocument *self = news->document;

  if (news->generation == self->pricing.generation && news->index < self->bill->len)
    {
      g_ptr_array_index (self->bill, news->index) = (gpointer) news->row;
      g_signal_emit (self, signals[BILL_CHANGED], 0, news->index);
    }
  return G_SOURCE_REMOVE;
}

static void
bill_news_free (gpointer data)
{
  BillNews *news = data;

  g_object_unref (news->document);
  g_free (news);
}

/* Prices every snapshot, one after the other; each row is told as soon as it is known. */
static gpointer
bill_work (gpointer data, GCancellable *cancellable, GError **error)
{
  BillRequest *request = data;
  guint n = ts_run_n_snapshots (request->run);

  for (guint i = 0; i < n; i++)
    {
      const TsBillRow *row = ts_run_bill_row (request->run, i, request->function, cancellable);
      BillNews *news;

      if (row == NULL || g_cancellable_set_error_if_cancelled (cancellable, error))
        return NULL;
      news = g_new0 (BillNews, 1);
      news->document = g_object_ref (request->document);
      news->row = row;
      news->index = i;
      news->generation = request->generation;
      g_main_context_invoke_full (NULL, G_PRIORITY_DEFAULT_IDLE, tell_bill_row, news, bill_news_free);
    }
  return ts_run_ref (request->run);
}

static void
bill_done (gpointer owner, gpointer result, const GError *error)
{
  g_clear_pointer ((TsRun **) &result, ts_run_unref);
  update_busy (owner);
}

static void
start_bill (TsDocument *self)
{
  BillRequest *request = g_new0 (BillRequest, 1);

  request->document = g_object_ref (self);
  request->run = ts_run_ref (self->run);
  request->function = g_strdup (self->function);
  ts_job_cancel (&self->pricing);
  /* ts_job_start() counts on by one. */
  request->generation = self->pricing.generation + 1;
  ts_job_start (&self->pricing, self, bill_work, request, bill_request_free, (GDestroyNotify) ts_run_unref, bill_done);
}

/* --- showing a snapshot ----------------------------------------------------------------------------------------------------- */

static void
show_done (gpointer owner, gpointer result, const GError *error)
{
  TsDocument *self = owner;
  TsShown *shown = result;

  if (shown != NULL)
    {
      g_clear_pointer (&self->shown, ts_shown_unref);
      self->shown = shown;
      ts_selection_follow (self->selection, (const gint32 *) shown->followed->data, shown->followed->len);
      g_signal_emit (self, signals[SHOWN_CHANGED], 0);
      /* The picture first: what the other passes cost can wait. */
      if (!ts_job_is_running (&self->pricing) && g_ptr_array_find (self->bill, NULL, NULL))
        start_bill (self);
    }
  update_busy (self);
}

static void
start_showing (TsDocument *self)
{
  TsShowRequest *request = ts_show_request_new (self->run, self->index, self->function);

  /* A run with other options may have fewer snapshots. */
  if (!ts_selection_anchor (self->selection, &request->anchor_index, &request->anchor_op)
      || request->anchor_index >= ts_run_n_snapshots (self->run))
    request->anchor_op = -1;
  request->direction = self->direction;
  if (self->shown != NULL && self->shown->dag != NULL && self->shown->run == self->run)
    {
      request->previous_dag = ts_dag_ref (self->shown->dag);
      /* From pass to pass it does not turn round by itself. */
      if (self->direction == TS_DIRECTION_BY_SHAPE)
        request->direction = self->shown->left_to_right ? TS_DIRECTION_RIGHT : TS_DIRECTION_DOWN;
    }
  request->progress = on_progress;
  request->progress_data = &self->progress;
  ts_job_start (&self->showing, self, ts_show_work, request, ts_show_request_free, ts_shown_unref, show_done);
  update_busy (self);
}

void
ts_document_show_snapshot (TsDocument *self, guint index)
{
  g_return_if_fail (TS_IS_DOCUMENT (self));

  if (self->run == NULL || index >= ts_run_n_snapshots (self->run) || index == self->index)
    return;
  self->index = index;
  g_signal_emit (self, signals[PASS_CHANGED], 0);
  start_showing (self);
}

void
ts_document_show_function (TsDocument *self, const char *function)
{
  g_return_if_fail (TS_IS_DOCUMENT (self));

  if (self->run == NULL || g_strcmp0 (function, self->function) == 0)
    return;
  g_free (self->function);
  self->function = g_strdup (function);
  g_ptr_array_set_size (self->bill, 0);
  g_ptr_array_set_size (self->bill, (gint) ts_run_n_snapshots (self->run));
  ts_job_cancel (&self->pricing);
  g_signal_emit (self, signals[RUN_CHANGED], 0);
  start_showing (self);
}

void
ts_document_turn_graph (TsDocument *self)
{
  g_return_if_fail (TS_IS_DOCUMENT (self));

  if (self->shown == NULL)
    return;
  self->direction = self->shown->left_to_right ? TS_DIRECTION_DOWN : TS_DIRECTION_RIGHT;
  start_showing (self);
}

/* --- opening ---------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  char     *spec, *machine;
  char    **defines;  /* or NULL */
  char     *entry;    /* or NULL */
  TsRun    *derive;   /* what-if: the run whose input is used again; NULL: read it */
  Progress *progress; /* of the document, which the job keeps alive */
} OpenRequest;

typedef struct
{
  TsRun  *run;
  GError *error; /* the run could not be prepared: it only has diagnostics */
} Opened;

static void
open_request_free (gpointer data)
{
  OpenRequest *request = data;

  g_free (request->spec);
  g_free (request->machine);
  g_strfreev (request->defines);
  g_free (request->entry);
  g_clear_pointer (&request->derive, ts_run_unref);
  g_free (request);
}

static void
opened_free (gpointer data)
{
  Opened *opened = data;

  g_clear_pointer (&opened->run, ts_run_unref);
  g_clear_error (&opened->error);
  g_free (opened);
}

static TsRun *
make_run (const OpenRequest *request, GCancellable *cancellable, GError **error)
{
  TsRunOptions options = TS_RUN_OPTIONS_INIT;
  g_autoptr (TsInput) input = NULL;

  if (request->derive != NULL)
    {
      options = *ts_run_options (request->derive);
      options.machine = request->machine;
      options.defines = (const char *const *) request->defines;
      options.entry = request->entry;
      return ts_run_derive (request->derive, &options, error);
    }
  options.machine = request->machine;
  options.defines = (const char *const *) request->defines;
  options.entry = request->entry;
  input = ts_input_load (request->spec, NULL, cancellable, error);
  return input != NULL ? ts_run_new (input, &options, error) : NULL;
}

static gpointer
open_work (gpointer data, GCancellable *cancellable, GError **error)
{
  OpenRequest *request = data;
  g_autoptr (TsRun) run = make_run (request, cancellable, error);
  Opened *opened;

  if (run == NULL)
    return NULL;
  opened = g_new0 (Opened, 1);
  if (!ts_run_prepare (run, cancellable, on_progress, request->progress, &opened->error))
    if (g_error_matches (opened->error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
      {
        opened_free (opened);
        g_cancellable_set_error_if_cancelled (cancellable, error);
        return NULL;
      }
  ts_input_entries (ts_run_input (run)); /* here, where nobody waits for it */
  opened->run = g_steal_pointer (&run);
  return opened;
}

static void
set_problem (TsDocument *self, const GError *error, TsRun *run)
{
  g_clear_error (&self->problem);
  g_clear_pointer (&self->problem_run, ts_run_unref);
  g_clear_pointer (&self->problem_spec, g_free);
  if (error != NULL && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      self->problem = g_error_copy (error);
      self->problem_run = run != NULL ? ts_run_ref (run) : NULL;
      self->problem_spec = g_strdup (self->spec);
    }
  g_signal_emit (self, signals[PROBLEM_CHANGED], 0);
}

/* The snapshot of the new run that stands where the old one stood: the same pass if it is there. */
static guint
matching_index (TsDocument *self, TsRun *run)
{
  gint same = -1;

  if (self->run != NULL && g_str_equal (ts_input_spec (ts_run_input (self->run)), ts_input_spec (ts_run_input (run))))
    same = ts_run_find_snapshot (run, ts_run_snapshot (self->run, self->index)->pass);
  return same >= 0 ? (guint) same : ts_run_last_snapshot (run);
}

static void
take_run (TsDocument *self, TsRun *run)
{
  gboolean same_input = self->run != NULL && ts_run_input (self->run) == ts_run_input (run);

  self->index = matching_index (self, run);
  if (!same_input)
    {
      ts_selection_clear (self->selection);
      g_clear_pointer (&self->function, g_free);
    }
  g_clear_pointer (&self->run, ts_run_unref);
  self->run = ts_run_ref (run);
  ts_job_cancel (&self->pricing);
  g_ptr_array_set_size (self->bill, 0);
  g_ptr_array_set_size (self->bill, (gint) ts_run_n_snapshots (run));
  g_signal_emit (self, signals[RUN_CHANGED], 0);
  start_showing (self);
}

static void
open_done (gpointer owner, gpointer result, const GError *error)
{
  TsDocument *self = owner;
  Opened *opened = result;

  if (opened == NULL)
    set_problem (self, error, NULL);
  else if (opened->error != NULL)
    set_problem (self, opened->error, opened->run);
  else
    {
      set_problem (self, NULL, NULL);
      take_run (self, opened->run);
    }
  g_clear_pointer (&opened, opened_free);
  update_busy (self);
}

static void
start_opening (TsDocument *self, TsRun *derive)
{
  OpenRequest *request = g_new0 (OpenRequest, 1);

  request->spec = g_strdup (self->spec);
  request->machine = g_strdup (self->machine);
  request->defines = g_strdupv (self->defines);
  request->entry = g_strdup (self->entry);
  request->derive = derive != NULL ? ts_run_ref (derive) : NULL;
  request->progress = &self->progress;
  ts_job_start (&self->opening, self, open_work, request, open_request_free, opened_free, open_done);
  update_busy (self);
}

void
ts_document_open (TsDocument *self, const char *spec, const char *machine)
{
  g_autofree char *old_spec = NULL, *old_machine = NULL;

  g_return_if_fail (TS_IS_DOCUMENT (self));

  old_spec = self->spec; /* the new one may be the old one */
  old_machine = self->machine;
  self->spec = g_strdup (spec);
  self->machine = g_strdup (machine);
  if (g_strcmp0 (old_spec, spec) != 0)
    {
      g_clear_pointer (&self->defines, g_strfreev);
      g_clear_pointer (&self->entry, g_free);
    }
  start_opening (self, NULL);
}

void
ts_document_reload (TsDocument *self)
{
  g_return_if_fail (TS_IS_DOCUMENT (self));

  if (self->spec != NULL)
    start_opening (self, NULL);
}

void
ts_document_set_machine (TsDocument *self, const char *machine)
{
  g_return_if_fail (TS_IS_DOCUMENT (self));

  if (g_strcmp0 (self->machine, machine) == 0)
    return;
  g_free (self->machine);
  self->machine = g_strdup (machine);
  if (self->run != NULL)
    start_opening (self, self->run);
}

void
ts_document_open_entry (TsDocument *self, const char *entry)
{
  g_return_if_fail (TS_IS_DOCUMENT (self));

  g_free (self->entry);
  self->entry = g_strdup (entry);
  ts_selection_clear (self->selection); /* another module */
  g_clear_pointer (&self->function, g_free);
  if (self->spec != NULL)
    start_opening (self, self->problem == NULL ? self->run : NULL);
}

const GArray *
ts_document_get_entries (TsDocument *self)
{
  TsRun *run = self->problem != NULL ? self->problem_run : self->run;

  return run != NULL ? ts_input_entries (ts_run_input (run)) : NULL;
}

void
ts_document_set_defines (TsDocument *self, const char *const *defines)
{
  g_return_if_fail (TS_IS_DOCUMENT (self));

  g_strfreev (self->defines);
  self->defines = g_strdupv ((char **) defines);
  ts_selection_clear (self->selection); /* it is read anew */
  /* What could not be opened is read again: the values may be what it lacked. */
  if (self->spec != NULL)
    start_opening (self, self->problem == NULL ? self->run : NULL);
}

const char *const *
ts_document_get_defines (TsDocument *self)
{
  return (const char *const *) self->defines;
}

void
ts_document_cancel (TsDocument *self)
{
  ts_job_cancel (&self->opening);
  ts_job_cancel (&self->pricing);
  if (ts_job_is_running (&self->showing))
    {
      ts_job_cancel (&self->showing);
      /* Back to what can be seen. */
      if (self->shown != NULL && self->shown->run == self->run)
        {
          self->index = self->shown->index;
          g_signal_emit (self, signals[PASS_CHANGED], 0);
        }
    }
  update_busy (self);
}

/* --- questions -------------------------------------------------------------------------------------------------------------- */

TsRun *
ts_document_get_run (TsDocument *self)
{
  return self->run;
}

TsShown *
ts_document_get_shown (TsDocument *self)
{
  return self->shown;
}

TsSelection *
ts_document_get_selection (TsDocument *self)
{
  return self->selection;
}

const GError *
ts_document_get_problem (TsDocument *self)
{
  return self->problem;
}

const TsDiagList *
ts_document_get_problem_diags (TsDocument *self)
{
  return self->problem_run != NULL ? ts_run_diags (self->problem_run) : NULL;
}

const char *
ts_document_get_problem_reason (TsDocument *self)
{
  const TsDiagList *diags = ts_document_get_problem_diags (self);

  for (guint i = 0; diags != NULL && i < ts_diag_list_length (diags); i++)
    if (ts_diag_list_get (diags, i)->severity == TS_SEVERITY_ERROR)
      return ts_diag_list_get (diags, i)->message;
  return self->problem != NULL ? self->problem->message : NULL;
}

const char *
ts_document_get_problem_spec (TsDocument *self)
{
  return self->problem_spec;
}

gboolean
ts_document_is_busy (TsDocument *self)
{
  return ts_job_is_running (&self->opening) || ts_job_is_running (&self->showing) || ts_job_is_running (&self->pricing);
}

const char *
ts_document_get_progress (TsDocument *self, double *fraction)
{
  *fraction = self->progress_fraction;
  return self->progress_text;
}

guint
ts_document_get_index (TsDocument *self)
{
  return self->index;
}

const char *
ts_document_get_function (TsDocument *self)
{
  return self->function;
}

const TsBillRow *
ts_document_get_bill_row (TsDocument *self, guint index)
{
  return index < self->bill->len ? g_ptr_array_index (self->bill, index) : NULL;
}

TsDiagList *
ts_document_collect_diags (TsDocument *self)
{
  TsDiagList *list = ts_diag_list_new ();

  if (self->problem_run != NULL)
    ts_diag_list_append_copies (list, ts_run_diags (self->problem_run));
  if (self->run == NULL || self->shown == NULL)
    return list;
  ts_diag_list_append_copies (list, ts_run_diags (self->run)); /* the input's are among them */
  /* What reading a file said holds for all that the passes make of it. */
  if (self->shown->index > 0 && ts_input_kind (ts_run_input (self->run)) != TS_INPUT_DUMPS)
    ts_diag_list_append_plain (list, ts_run_snapshot (self->run, 0)->diags);
  ts_diag_list_append_plain (list, self->shown->snapshot->diags);
  if (self->shown->simulation != NULL)
    ts_diag_list_append_copies (list, self->shown->simulation->diags);
  return list;
}

void
ts_document_pick (TsDocument *self, TsPick pick)
{
  if (self->shown != NULL)
    ts_selection_pick (self->selection, self->shown->index, pick);
}

void
ts_document_pick_op (TsDocument *self, gint32 op)
{
  ts_document_pick (self, (TsPick) { op, -1, FALSE });
}

void
ts_document_go_to_op (TsDocument *self, guint index, gint32 op)
{
  if (self->shown != NULL && self->shown->index == index && self->index == index)
    ts_document_pick_op (self, op);
  else if (self->run != NULL && index < ts_run_n_snapshots (self->run))
    {
      ts_selection_aim (self->selection, index, op);
      ts_document_show_snapshot (self, index);
    }
}

/* --- class ------------------------------------------------------------------------------------------------------------------ */

static void
ts_document_dispose (GObject *object)
{
  TsDocument *self = TS_DOCUMENT (object);

  ts_job_cancel (&self->opening);
  ts_job_cancel (&self->showing);
  ts_job_cancel (&self->pricing);
  g_clear_handle_id (&self->progress_source, g_source_remove);
  G_OBJECT_CLASS (ts_document_parent_class)->dispose (object);
}

static void
ts_document_finalize (GObject *object)
{
  TsDocument *self = TS_DOCUMENT (object);

  g_clear_pointer (&self->shown, ts_shown_unref);
  g_clear_pointer (&self->run, ts_run_unref);
  g_clear_pointer (&self->problem_run, ts_run_unref);
  g_clear_error (&self->problem);
  g_clear_object (&self->selection);
  g_ptr_array_unref (self->bill);
  g_mutex_clear (&self->progress.lock);
  g_free (self->progress.what);
  g_free (self->progress_text);
  g_free (self->problem_spec);
  g_free (self->function);
  g_free (self->spec);
  g_free (self->machine);
  g_strfreev (self->defines);
  g_free (self->entry);
  G_OBJECT_CLASS (ts_document_parent_class)->finalize (object);
}

static void
ts_document_class_init (TsDocumentClass *class)
{
  GObjectClass *object_class = G_OBJECT_CLASS (class);
  static const struct { guint signal; const char *name; } plain[] = {
    { RUN_CHANGED, "run-changed" }, { SHOWN_CHANGED, "shown-changed" }, { PASS_CHANGED, "pass-changed" },
    { PROBLEM_CHANGED, "problem-changed" }, { BUSY_CHANGED, "busy-changed" },
  };

  object_class->dispose = ts_document_dispose;
  object_class->finalize = ts_document_finalize;
  for (guint i = 0; i < G_N_ELEMENTS (plain); i++)
    signals[plain[i].signal] = g_signal_new (plain[i].name, TS_TYPE_DOCUMENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                             0);
  signals[BILL_CHANGED] = g_signal_new ("bill-changed", TS_TYPE_DOCUMENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                        G_TYPE_UINT);
}

static void
ts_document_init (TsDocument *self)
{
  self->selection = ts_selection_new ();
  self->bill = g_ptr_array_new ();
  g_mutex_init (&self->progress.lock);
  self->progress_fraction = -1.0;
}

TsDocument *
ts_document_new (void)
{
  return g_object_new (TS_TYPE_DOCUMENT, NULL);
}
