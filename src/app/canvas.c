/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Base of the drawn views. */
#include "app/canvas.h"

#include <adwaita.h>
#include <math.h>

#include "app/commands.h"
#include "app/scene-nodes.h"

/* Zoom of one wheel notch; smooth devices use exp (pixels / SMOOTH). Source: ux.md 2.2. */
#define NOTCH 1.25
#define SMOOTH 200.0
/* Pixels that one wheel notch pans, and the distance within which thin things are hit. */
#define PAN_NOTCH 60.0
#define SLOP 4.0
/* Pixels before a press becomes a drag. */
#define DRAG_START 4.0

typedef struct
{
  TsScene       *scene;     /* as last drawn */
  TsScene       *overlay;
  GskRenderNode *node;      /* of `scene`; NULL: to be drawn */
  GskRenderNode *over_node;
  gboolean       drawn;     /* `scene` is up to date */
  TsSceneNodes  *nodes;
  TsMeasurer    *measurer;
  guint          n_drawn;
  double         pointer_x, pointer_y; /* negative: outside */
  double         drag_x, drag_y;       /* last offset of a panning drag */
  gboolean       dragging, drag_is_pan, drag_pans;
  double         pinch;     /* scale of the zoom gesture already used */
} TsCanvasPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (TsCanvas, ts_canvas, GTK_TYPE_WIDGET)

#define PRIVATE(self) ((TsCanvasPrivate *) ts_canvas_get_instance_private (self))

const TsTheme *
ts_canvas_theme (TsCanvas *self)
{
  AdwStyleManager *manager = adw_style_manager_get_for_display (gtk_widget_get_display (GTK_WIDGET (self)));
  gboolean dark = adw_style_manager_get_dark (manager);

  if (adw_style_manager_get_high_contrast (manager) && !dark)
    return ts_theme (TS_THEME_HIGH_CONTRAST);
  return ts_theme (dark ? TS_THEME_DARK : TS_THEME_LIGHT);
}

TsMeasurer *
ts_canvas_measurer (TsCanvas *self)
{
  return PRIVATE (self)->measurer;
}

void
ts_canvas_invalidate (TsCanvas *self)
{
  TsCanvasPrivate *priv = PRIVATE (self);

  priv->drawn = FALSE;
  g_clear_pointer (&priv->node, gsk_render_node_unref);
  ts_canvas_invalidate_overlay (self);
}

void
ts_canvas_invalidate_overlay (TsCanvas *self)
{
  g_clear_pointer (&PRIVATE (self)->over_node, gsk_render_node_unref);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static TsScene *
fresh_scene (TsScene *old, TsCanvas *self, TsColor background)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self)), height = gtk_widget_get_height (GTK_WIDGET (self));

  if (old == NULL)
    return ts_scene_new (width, height, background);
  ts_scene_reset (old, width, height, background);
  return old;
}

const TsScene *
ts_canvas_scene (TsCanvas *self)
{
  TsCanvasPrivate *priv = PRIVATE (self);

  if (!priv->drawn)
    {
      const TsTheme *theme = ts_canvas_theme (self);

      priv->scene = fresh_scene (priv->scene, self, theme->background);
      TS_CANVAS_GET_CLASS (self)->draw (self, theme, priv->measurer, priv->scene);
      priv->drawn = TRUE;
      priv->n_drawn++;
    }
  return priv->scene;
}

guint
ts_canvas_n_drawn (TsCanvas *self)
{
  return PRIVATE (self)->n_drawn;
}

void
ts_canvas_set_drag_pans (TsCanvas *self, gboolean pans)
{
  PRIVATE (self)->drag_pans = pans;
}

void
ts_canvas_set_description (TsCanvas *self, const char *label, const char *description)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  description != NULL ? description : "", -1);
}

static GskRenderNode *
scene_to_node (TsCanvas *self, const TsScene *scene)
{
  GtkSnapshot *snapshot = gtk_snapshot_new ();

  ts_scene_nodes_append (PRIVATE (self)->nodes, scene, snapshot);
  return gtk_snapshot_free_to_node (snapshot);
}

static void
ts_canvas_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  TsCanvas *self = TS_CANVAS (widget);
  TsCanvasPrivate *priv = PRIVATE (self);
  TsCanvasClass *class = TS_CANVAS_GET_CLASS (self);

  if (priv->node == NULL)
    priv->node = scene_to_node (self, ts_canvas_scene (self));
  if (priv->over_node == NULL && class->draw_overlay != NULL)
    {
      priv->overlay = fresh_scene (priv->overlay, self, TS_COLOR_NONE);
      class->draw_overlay (self, ts_canvas_theme (self), priv->measurer, priv->overlay);
      /* The layer is laid over the picture: whatever ground the layout chose is not painted. */
      priv->overlay->background = TS_COLOR_NONE;
      priv->over_node = scene_to_node (self, priv->overlay);
    }
  gtk_snapshot_push_clip (snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) gtk_widget_get_width (widget),
                                                        (float) gtk_widget_get_height (widget)));
  if (priv->node != NULL)
    gtk_snapshot_append_node (snapshot, priv->node);
  if (priv->over_node != NULL)
    gtk_snapshot_append_node (snapshot, priv->over_node);
  gtk_snapshot_pop (snapshot);
}

static void
ts_canvas_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  ts_canvas_invalidate (TS_CANVAS (widget));
}

/* --- pointer ---------------------------------------------------------------------------------------------------------------- */

static const TsLink *
link_at (TsCanvas *self, double x, double y)
{
  const TsMark *mark = ts_scene_hit (ts_canvas_scene (self), x, y, SLOP);

  return mark != NULL && mark->link.kind != TS_LINK_NONE ? &mark->link : NULL;
}

static void
on_motion (GtkEventControllerMotion *controller, double x, double y, TsCanvas *self)
{
  TsCanvasPrivate *priv = PRIVATE (self);
  TsCanvasClass *class = TS_CANVAS_GET_CLASS (self);

  priv->pointer_x = x;
  priv->pointer_y = y;
  if (class->hover != NULL)
    class->hover (self, x, y);
}

static void
on_leave (GtkEventControllerMotion *controller, TsCanvas *self)
{
  on_motion (controller, -1, -1, self);
}

static void
on_pressed (GtkGestureClick *gesture, int n_press, double x, double y, TsCanvas *self)
{
  TsCanvasClass *class = TS_CANVAS_GET_CLASS (self);

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture)) == GDK_BUTTON_PRIMARY)
    {
      const TsLink *found = link_at (self, x, y);
      TsLink link = TS_LINK_INIT;

      /* A copy: what the pick changes may redraw the scene that the link stands in. */
      if (found != NULL)
        link = *found;
      class->pick (self, found != NULL ? &link : NULL, n_press == 2);
    }
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, TsCanvas *self)
{
  TsCanvasPrivate *priv = PRIVATE (self);
  guint button = gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture));
  GdkModifierType modifiers = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));

  priv->drag_x = priv->drag_y = 0;
  priv->dragging = FALSE;
  priv->drag_is_pan = button == GDK_BUTTON_MIDDLE || (modifiers & GDK_SHIFT_MASK) != 0 || priv->drag_pans
                      || TS_CANVAS_GET_CLASS (self)->drag_range == NULL;
  if (button == GDK_BUTTON_SECONDARY)
    gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_DENIED);
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, TsCanvas *self)
{
  TsCanvasPrivate *priv = PRIVATE (self);
  TsCanvasClass *class = TS_CANVAS_GET_CLASS (self);
  GdkModifierType modifiers = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  double x, y;

  if (!priv->dragging && hypot (dx, dy) < DRAG_START)
    return;
  priv->dragging = TRUE;
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  gtk_gesture_drag_get_start_point (gesture, &x, &y);
  if (!priv->drag_is_pan)
    class->drag_range (self, x, y, x + dx, y + dy, (modifiers & GDK_ALT_MASK) == 0);
  else
    class->pan (self, priv->drag_x - dx, priv->drag_y - dy);
  priv->drag_x = dx;
  priv->drag_y = dy;
}

static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, TsCanvas *self)
{
  TsCanvasPrivate *priv = PRIVATE (self);
  TsCanvasClass *class = TS_CANVAS_GET_CLASS (self);
  GdkModifierType modifiers = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));
  gboolean notches = gtk_event_controller_scroll_get_unit (controller) == GDK_SCROLL_UNIT_WHEEL;

  if (modifiers & GDK_CONTROL_MASK)
    {
      if (dy != 0)
        class->zoom (self, notches ? pow (NOTCH, -dy) : exp (-dy / SMOOTH), priv->pointer_x, priv->pointer_y);
      return TRUE;
    }
  if ((modifiers & GDK_SHIFT_MASK) && dx == 0)
    {
      dx = dy;
      dy = 0;
    }
  return class->pan (self, notches ? dx * PAN_NOTCH : dx, notches ? dy * PAN_NOTCH : dy);
}

static void
on_pinch_begin (GtkGesture *gesture, GdkEventSequence *sequence, TsCanvas *self)
{
  PRIVATE (self)->pinch = 1.0;
}

static void
on_pinch (GtkGestureZoom *gesture, double scale, TsCanvas *self)
{
  TsCanvasPrivate *priv = PRIVATE (self);
  double x, y;

  if (!gtk_gesture_get_bounding_box_center (GTK_GESTURE (gesture), &x, &y))
    x = y = -1;
  TS_CANVAS_GET_CLASS (self)->zoom (self, scale / priv->pinch, x, y);
  priv->pinch = scale;
}

/* Letters that mean a place on the keyboard, whatever they type. */
static gboolean
on_key (GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType modifiers, TsCanvas *self)
{
  const TsCommand *command = ts_command_at_keycode (keycode, modifiers);
  g_autoptr (GVariant) target = NULL;
  g_autofree char *name = NULL;

  if (command == NULL)
    return FALSE;
  name = ts_command_split (command, &target);
  if (target != NULL)
    g_variant_ref_sink (target);
  return gtk_widget_activate_action_variant (GTK_WIDGET (self), name, target);
}

static gboolean
ts_canvas_query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  TsCanvas *self = TS_CANVAS (widget);
  const TsLink *link = keyboard ? NULL : link_at (self, x, y);
  g_autofree char *text = link != NULL ? TS_CANVAS_GET_CLASS (self)->describe (self, link) : NULL;

  if (text == NULL || text[0] == '\0')
    return FALSE;
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

/* --- actions ---------------------------------------------------------------------------------------------------------------- */

static void
zoom_action (GtkWidget *widget, const char *name, GVariant *target)
{
  gboolean in = g_str_equal (g_variant_get_string (target, NULL), "in");

  TS_CANVAS_GET_CLASS (widget)->zoom (TS_CANVAS (widget), in ? NOTCH : 1 / NOTCH, -1, -1);
}

static void
pan_action (GtkWidget *widget, const char *name, GVariant *target)
{
  /* Shares of the picture's size. Source: ux.md 2.2. */
  static const struct { const char *name; double x, y; } steps[] = {
    { "left", -0.1, 0 }, { "right", 0.1, 0 }, { "left-little", -0.01, 0 }, { "right-little", 0.01, 0 },
    { "up", 0, -0.9 }, { "down", 0, 0.9 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    if (g_str_equal (steps[i].name, g_variant_get_string (target, NULL)))
      TS_CANVAS_GET_CLASS (widget)->pan (TS_CANVAS (widget), steps[i].x * gtk_widget_get_width (widget),
                                         steps[i].y * gtk_widget_get_height (widget));
}

static void
fit_action (GtkWidget *widget, const char *name, GVariant *target)
{
  TS_CANVAS_GET_CLASS (widget)->fit (TS_CANVAS (widget), g_variant_get_string (target, NULL));
}

static void
go_action (GtkWidget *widget, const char *name, GVariant *target)
{
  const char *where = g_variant_get_string (target, NULL);
  int dx = g_str_equal (where, "right") - g_str_equal (where, "left");
  int dy = g_str_equal (where, "down") - g_str_equal (where, "up");

  TS_CANVAS_GET_CLASS (widget)->go (TS_CANVAS (widget), dx, dy);
}

/* Keys of the table that work while a drawing has the focus. */
static void
bind_keys (GtkWidgetClass *class)
{
  guint n;
  const TsCommand *commands = ts_commands (&n);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GVariant) target = NULL;
      g_autofree char *name = NULL;
      g_auto (GStrv) keys = NULL;

      if (commands[i].scope != TS_KEYS_CANVAS)
        continue;
      name = ts_command_split (&commands[i], &target);
      if (target != NULL)
        g_variant_ref_sink (target);
      keys = ts_command_accelerators (&commands[i]);
      for (guint k = 0; keys[k] != NULL; k++)
        {
          guint keyval;
          GdkModifierType modifiers;

          if (!gtk_accelerator_parse (keys[k], &keyval, &modifiers))
            g_error ("bad key in the table of commands: %s", keys[k]);
          if (target != NULL)
            gtk_widget_class_add_binding_action (class, keyval, modifiers, name, "s", g_variant_get_string (target, NULL));
          else
            gtk_widget_class_add_binding_action (class, keyval, modifiers, name, NULL);
        }
    }
}

/* --- class ------------------------------------------------------------------------------------------------------------------ */

static void
ts_canvas_dispose (GObject *object)
{
  TsCanvasPrivate *priv = PRIVATE (TS_CANVAS (object));

  g_clear_pointer (&priv->node, gsk_render_node_unref);
  g_clear_pointer (&priv->over_node, gsk_render_node_unref);
  G_OBJECT_CLASS (ts_canvas_parent_class)->dispose (object);
}

static void
ts_canvas_finalize (GObject *object)
{
  TsCanvasPrivate *priv = PRIVATE (TS_CANVAS (object));

  g_clear_pointer (&priv->scene, ts_scene_free);
  g_clear_pointer (&priv->overlay, ts_scene_free);
  ts_scene_nodes_free (priv->nodes);
  ts_measurer_free (priv->measurer);
  G_OBJECT_CLASS (ts_canvas_parent_class)->finalize (object);
}

static void
ts_canvas_class_init (TsCanvasClass *class)
{
  GObjectClass *object_class = G_OBJECT_CLASS (class);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  object_class->dispose = ts_canvas_dispose;
  object_class->finalize = ts_canvas_finalize;
  widget_class->snapshot = ts_canvas_snapshot;
  widget_class->size_allocate = ts_canvas_size_allocate;
  widget_class->query_tooltip = ts_canvas_query_tooltip;
  gtk_widget_class_set_css_name (widget_class, "canvas");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  gtk_widget_class_install_action (widget_class, "canvas.zoom", "s", zoom_action);
  gtk_widget_class_install_action (widget_class, "canvas.pan", "s", pan_action);
  gtk_widget_class_install_action (widget_class, "canvas.fit", "s", fit_action);
  gtk_widget_class_install_action (widget_class, "canvas.go", "s", go_action);
  bind_keys (widget_class);
}

static void
add_pointer_controllers (TsCanvas *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *scroll = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkGesture *click = gtk_gesture_click_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkGesture *pinch = gtk_gesture_zoom_new ();

  g_signal_connect (motion, "enter", G_CALLBACK (on_motion), self);
  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect (motion, "leave", G_CALLBACK (on_leave), self);
  g_signal_connect (scroll, "scroll", G_CALLBACK (on_scroll), self);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), 0);
  g_signal_connect (click, "pressed", G_CALLBACK (on_pressed), self);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (drag), 0);
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (pinch, "begin", G_CALLBACK (on_pinch_begin), self);
  g_signal_connect (pinch, "scale-changed", G_CALLBACK (on_pinch), self);
  gtk_widget_add_controller (widget, motion);
  gtk_widget_add_controller (widget, scroll);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (pinch));
  gtk_gesture_group (click, drag);
}

static void
on_appearance_changed (TsCanvas *self)
{
  ts_scene_nodes_reset (PRIVATE (self)->nodes);
  ts_canvas_invalidate (self);
}

static void
ts_canvas_init (TsCanvas *self)
{
  TsCanvasPrivate *priv = PRIVATE (self);
  AdwStyleManager *manager = adw_style_manager_get_for_display (gtk_widget_get_display (GTK_WIDGET (self)));
  GtkEventController *key = gtk_event_controller_key_new ();

  priv->nodes = ts_scene_nodes_new (GTK_WIDGET (self));
  priv->measurer = ts_measurer_new_pango (NULL);
  priv->pointer_x = priv->pointer_y = -1;
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  add_pointer_controllers (self);
  g_signal_connect (key, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self), key);
  g_signal_connect_object (manager, "notify::dark", G_CALLBACK (on_appearance_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (manager, "notify::high-contrast", G_CALLBACK (on_appearance_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect (self, "notify::scale-factor", G_CALLBACK (on_appearance_changed), NULL);
}
