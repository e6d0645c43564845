/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of the window, for people to look at (the build's tests/app/pictures), with the checks that need no eyes: the picture is
 * not empty, light and dark differ, and no label of the window is cut off without saying so. */
#include "harness.h"

static void
shades_of (GdkTexture *texture, guint *n_shades, double *lightness)
{
  int width = gdk_texture_get_width (texture), height = gdk_texture_get_height (texture);
  g_autofree guchar *pixels = g_malloc ((gsize) width * height * 4);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  double sum = 0;

  gdk_texture_download (texture, pixels, (gsize) width * 4);
  for (gsize i = 0; i < (gsize) width * height; i++)
    {
      const guchar *p = pixels + i * 4;

      sum += p[0] + p[1] + p[2];
      if (g_hash_table_size (seen) < 1000)
        g_hash_table_add (seen, GUINT_TO_POINTER ((guint) p[0] << 16 | (guint) p[1] << 8 | p[2]));
    }
  *n_shades = g_hash_table_size (seen);
  *lightness = sum / (3.0 * 255.0 * width * height);
}

/* Labels that may end in dots by design say so; every other one has the room its text asks for. */
static void
check_labels (GtkWidget *widget)
{
  if (!gtk_widget_get_mapped (widget))
    return;
  if (GTK_IS_LABEL (widget) && !gtk_label_get_wrap (GTK_LABEL (widget))
      && gtk_label_get_ellipsize (GTK_LABEL (widget)) == PANGO_ELLIPSIZE_NONE)
    {
      int minimum, natural;

      gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL, NULL);
      if (gtk_widget_get_width (widget) < minimum)
        g_test_message ("cut: %s", gtk_label_get_text (GTK_LABEL (widget)));
      g_assert_cmpint (gtk_widget_get_width (widget), >=, minimum);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child = gtk_widget_get_next_sibling (child))
    check_labels (child);
}

static double
take (TsMainWindow *window, const char *name)
{
  g_autoptr (GdkTexture) texture = NULL;
  guint n_shades;
  double lightness;

  harness_settle (window);
  texture = harness_picture (window, name);
  shades_of (texture, &n_shades, &lightness);
  g_assert_cmpuint (n_shades, >, 20);
  check_labels (GTK_WIDGET (window));
  return lightness;
}

static void
test_sample (void)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();
  TsMainWindow *window = harness_open ("sample:pingpong", 1440, 900);
  double light = take (window, "pingpong-light");
  double dark;

  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_DARK);
  dark = take (window, "pingpong-dark");
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_LIGHT);
  g_assert_cmpfloat (light, >, 0.6);
  g_assert_cmpfloat (dark, <, 0.4);
  harness_close (window);
}

/* Which pass made the two share their buffer comes a little later than the rest. */
static gboolean
says_since (gpointer data)
{
  TsMainWindow *window = data;
  g_autofree char *text = ts_inspector_get_text (window->inspector);

  return strstr (text, "They have shared it") != NULL;
}

static void
pick_longest_wait (TsMainWindow *window, TsCause cause)
{
  TsShown *shown = ts_document_get_shown (ts_main_window_get_document (window));
  gint32 longest = -1;
  gint64 most = 0;

  for (guint i = 0; i < ts_timeline_n_events (shown->timeline); i++)
    {
      const TsTimelineEvent *event = ts_timeline_event (shown->timeline, (gint32) i);

      if (event->cause == cause && event->start - event->idle_from > most)
        {
          most = event->start - event->idle_from;
          longest = (gint32) i;
        }
    }
  g_assert_cmpint (longest, >=, 0);
  ts_document_pick (ts_main_window_get_document (window),
                    (TsPick){ ts_timeline_event (shown->timeline, longest)->op, longest, TRUE });
}

static void
test_selection (void)
{
  TsMainWindow *window = harness_open ("sample:pingpong", 1440, 900);

  pick_longest_wait (window, TS_CAUSE_WAR);
  harness_wait (says_since, window);
  take (window, "pingpong-gap");
  ts_time_view_set_critical_path (ts_timeline_canvas_get_view (window->timeline), TRUE);
  harness_activate (window->timeline, "canvas.fit::selection");
  harness_activate (window->dag, "canvas.fit::selection");
  take (window, "pingpong-close");
  harness_close (window);
}

/* The whole story in one look: a gap, the buffer it waits for, the pass and the step that made stages share it, and the map. */
static void
test_memory (void)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();
  static const struct { const char *spec, *name; int width, height; } cases[] = {
    { "sample:matmul", "memory-matmul", 1440, 900 },
    { "sample:nested", "memory-nested", 1100, 760 },
    { "sample:rmsnorm", "memory-narrow", 400, 700 },
  };
  TsMainWindow *window = harness_open ("sample:collapse", 1440, 900);

  harness_activate (window, "win.upper-view::memory");
  pick_longest_wait (window, TS_CAUSE_WAR);
  harness_wait (says_since, window);
  take (window, "memory-collapse-light");
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_DARK);
  take (window, "memory-collapse-dark");
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_LIGHT);
  harness_activate (window->memory, "canvas.fit::selection");
  take (window, "memory-collapse-close");
  ts_document_show_snapshot (ts_main_window_get_document (window), 0);
  take (window, "memory-none");
  harness_close (window);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      window = harness_open (cases[i].spec, cases[i].width, cases[i].height);
      harness_activate (window, "win.focus::memory");
      take (window, cases[i].name);
      harness_close (window);
    }
}

static void
test_sizes (void)
{
  static const struct { const char *spec, *name; int width, height; } cases[] = {
    { "sample:matmul", "matmul-large", 1580, 980 },
    { "sample:collapse", "collapse-medium", 1024, 700 },
    { "sample:pingpong", "pingpong-small", 700, 560 },
    { "sample:dynamic", "dynamic-narrow", 400, 700 },
    { NULL, "start", 900, 800 },
    { NULL, "start-narrow", 360, 640 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TsMainWindow *window = harness_open (cases[i].spec, cases[i].width, cases[i].height);

      take (window, cases[i].name);
      harness_close (window);
    }
}

static void
test_errors (void)
{
  static const char broken[] = "import pypto.language as pl\n\n\n@pl.program\nclass Broken:\n    @pl.function\n"
                               "    def main(self, x: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:\n"
                               "        y = pl.tile.load(z, [0], [64])\n        for i in pl.range(0, 8, 0):\n            w = )\n"
                               "        return q\n";
  g_autofree char *path = harness_write ("broken.py", broken, -1);
  TsMainWindow *window = harness_open (path, 1200, 800);

  take (window, "error-alone");
  ts_main_window_open (window, "sample:pingpong");
  harness_settle (window);
  ts_main_window_open (window, path);
  harness_settle (window);
  g_assert_true (ts_problems_bar_is_shown (window->problems));
  ts_problems_bar_show_list (window->problems, TRUE);
  take (window, "error-beside-document");
  harness_close (window);
}

static void
test_dumps (void)
{
  g_autofree char *folder = harness_golden ("dumps/gelu_rows");
  TsMainWindow *window = harness_open (folder, 1440, 900);

  take (window, "dumps");
  harness_close (window);
}

int
main (int argc, char **argv)
{
  harness_init (&argc, &argv);
  g_test_add_func ("/app/pictures/sample", test_sample);
  g_test_add_func ("/app/pictures/selection", test_selection);
  g_test_add_func ("/app/pictures/memory", test_memory);
  g_test_add_func ("/app/pictures/sizes", test_sizes);
  g_test_add_func ("/app/pictures/errors", test_errors);
  g_test_add_func ("/app/pictures/dumps", test_dumps);
  return g_test_run ();
}
