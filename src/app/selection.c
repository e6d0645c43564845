/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one selection that every view of a document shares. */
#include "app/selection.h"

struct _TsSelection
{
  GObject  parent_instance;
  TsPick   pick;
  gint32   anchor_op; /* -1: nothing picked */
  guint    anchor_index;
  GArray  *ops;       /* gint32, ascending */
};

enum { CHANGED, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsSelection, ts_selection, G_TYPE_OBJECT)

static void
ts_selection_finalize (GObject *object)
{
  TsSelection *self = TS_SELECTION (object);

  g_array_unref (self->ops);
  G_OBJECT_CLASS (ts_selection_parent_class)->finalize (object);
}

static void
ts_selection_class_init (TsSelectionClass *class)
{
  G_OBJECT_CLASS (class)->finalize = ts_selection_finalize;
  signals[CHANGED] = g_signal_new ("changed", TS_TYPE_SELECTION, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ts_selection_init (TsSelection *self)
{
  self->pick = TS_PICK_NONE;
  self->anchor_op = -1;
  self->ops = g_array_new (FALSE, FALSE, sizeof (gint32));
}

TsSelection *
ts_selection_new (void)
{
  return g_object_new (TS_TYPE_SELECTION, NULL);
}

TsPick
ts_selection_get (TsSelection *self)
{
  g_return_val_if_fail (TS_IS_SELECTION (self), TS_PICK_NONE);

  return self->pick;
}

static gboolean
pick_equal (TsPick a, TsPick b)
{
  return a.op == b.op && a.event == b.event && a.gap == b.gap;
}

void
ts_selection_pick (TsSelection *self, guint index, TsPick pick)
{
  g_return_if_fail (TS_IS_SELECTION (self));

  if (pick_equal (self->pick, pick) && self->anchor_op == pick.op && (pick.op < 0 || self->anchor_index == index)
      && self->ops->len <= 1)
    return;
  self->pick = pick;
  self->anchor_op = pick.op;
  self->anchor_index = index;
  g_array_set_size (self->ops, 0);
  if (pick.op >= 0)
    g_array_append_val (self->ops, pick.op);
  g_signal_emit (self, signals[CHANGED], 0);
}

void
ts_selection_aim (TsSelection *self, guint index, gint32 op)
{
  g_return_if_fail (TS_IS_SELECTION (self));

  self->pick = TS_PICK_NONE;
  self->anchor_op = op;
  self->anchor_index = index;
  g_array_set_size (self->ops, 0);
  g_signal_emit (self, signals[CHANGED], 0);
}

void
ts_selection_clear (TsSelection *self)
{
  ts_selection_pick (self, 0, TS_PICK_NONE);
}

gboolean
ts_selection_anchor (TsSelection *self, guint *index, gint32 *op)
{
  g_return_val_if_fail (TS_IS_SELECTION (self), FALSE);

  *index = self->anchor_index;
  *op = self->anchor_op;
  return self->anchor_op >= 0;
}

void
ts_selection_follow (TsSelection *self, const gint32 *ops, guint n_ops)
{
  g_return_if_fail (TS_IS_SELECTION (self));

  g_array_set_size (self->ops, 0);
  g_array_append_vals (self->ops, ops, n_ops);
  /* Events are numbered anew in every snapshot. */
  self->pick = (TsPick) { n_ops > 0 ? ops[0] : -1, -1, FALSE };
  g_signal_emit (self, signals[CHANGED], 0);
}

const gint32 *
ts_selection_ops (TsSelection *self, guint *n)
{
  g_return_val_if_fail (TS_IS_SELECTION (self), NULL);

  *n = self->ops->len;
  return (const gint32 *) self->ops->data;
}

gboolean
ts_selection_contains (TsSelection *self, gint32 op)
{
  for (guint i = 0; i < self->ops->len; i++)
    if (g_array_index (self->ops, gint32, i) == op)
      return TRUE;
  return FALSE;
}
