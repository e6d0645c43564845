/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the window that need no document: settings, commands, selection, view states, templates. */
#include "harness.h"

#include "app/commands.h"
#include "app/job.h"
#include "app/pass-row.h"

static void
test_settings (void)
{
  g_autoptr (TsSettings) settings = ts_settings_new ();
  g_autofree char *machine = ts_settings_get_string (settings, TS_SETTING_MACHINE);
  g_autoptr (GVariant) size = ts_settings_get (settings, TS_SETTING_WINDOW_SIZE);

  g_assert_cmpstr (machine, ==, "ascend910b");
  g_assert_true (g_variant_is_of_type (size, G_VARIANT_TYPE ("(ii)")));
  g_assert_false (ts_settings_get_boolean (settings, TS_SETTING_DRAG_PANS));
  ts_settings_set (settings, TS_SETTING_DRAG_PANS, g_variant_new_boolean (TRUE));
  g_assert_true (ts_settings_get_boolean (settings, TS_SETTING_DRAG_PANS));
  ts_settings_set (settings, TS_SETTING_DRAG_PANS, g_variant_new_boolean (FALSE));
}

/* Where no schema is installed, the same keys have the same defaults. */
static void
test_settings_without_schema (void)
{
  static const char *const keys[] = { TS_SETTING_COLOR_SCHEME, TS_SETTING_MACHINE, TS_SETTING_DRAG_PANS, TS_SETTING_HIDE_UNCHANGED,
                                      TS_SETTING_SHOW_INSPECTOR, TS_SETTING_WINDOW_SIZE, TS_SETTING_MAXIMIZED };
  g_autoptr (TsSettings) installed = ts_settings_new ();

  if (!g_test_subprocess ())
    {
      g_auto (GStrv) environment = g_environ_unsetenv (g_get_environ (), "GSETTINGS_SCHEMA_DIR");
      g_autoptr (GString) expected = g_string_new (NULL);
      g_autofree char *output = NULL;
      g_autoptr (GError) error = NULL;
      char *argv[] = { (char *) g_get_prgname (), NULL, NULL, NULL, NULL };
      int status;
      g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);

      argv[0] = program;
      argv[1] = (char *) "--GTestSubprocess";
      argv[2] = (char *) "-p";
      argv[3] = (char *) "/app/parts/settings-without-schema";
      g_spawn_sync (NULL, argv, environment, G_SPAWN_DEFAULT, NULL, NULL, &output, NULL, &status, &error);
      g_assert_no_error (error);
      g_assert_true (g_spawn_check_wait_status (status, NULL));
      for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
        {
          g_autoptr (GVariant) value = ts_settings_get (installed, keys[i]);
          g_autofree char *text = g_variant_print (value, FALSE);
          g_autofree char *line = g_strdup_printf ("setting %s %s", keys[i], text);

          g_assert_nonnull (strstr (output, line));
        }
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_autoptr (GVariant) value = ts_settings_get (installed, keys[i]);
      g_autofree char *text = g_variant_print (value, FALSE);

      g_print ("setting %s %s\n", keys[i], text);
    }
}

/* Each row of the table is an action that exists, with a target it accepts, and keys that can be parsed. */
static void
test_commands (void)
{
  TsMainWindow *window = harness_open (NULL, 900, 700);
  guint n;
  const TsCommand *commands = ts_commands (&n);
  g_autoptr (GHashTable) keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GVariant) target = NULL;
      g_autofree char *name = ts_command_split (&commands[i], &target);
      g_auto (GStrv) accelerators = ts_command_accelerators (&commands[i]);

      if (target != NULL)
        g_variant_ref_sink (target);
      if (g_str_has_prefix (name, "win."))
        {
          const GVariantType *type = g_action_group_get_action_parameter_type (G_ACTION_GROUP (window), name + 4);

          g_assert_true (g_action_group_has_action (G_ACTION_GROUP (window), name + 4));
          g_assert_true ((target != NULL) == (type != NULL));
        }
      for (guint k = 0; accelerators[k] != NULL; k++)
        {
          g_autoptr (GtkShortcutTrigger) trigger = gtk_shortcut_trigger_parse_string (accelerators[k]);

          g_assert_nonnull (trigger);
          /* One key, one meaning. */
          g_assert_true (g_hash_table_add (keys, g_strdup (accelerators[k])));
        }
      g_assert_true (ts_command_find (commands[i].action) == &commands[i]);
    }
  harness_close (window);
}

static void
test_positional_keys (void)
{
  g_assert_cmpstr (ts_command_at_keycode (25, 0)->action, ==, "canvas.zoom::in");
  g_assert_cmpstr (ts_command_at_keycode (39, 0)->action, ==, "canvas.zoom::out");
  g_assert_cmpstr (ts_command_at_keycode (38, GDK_SHIFT_MASK)->action, ==, "canvas.pan::left-little");
  g_assert_cmpstr (ts_command_at_keycode (40, GDK_LOCK_MASK)->action, ==, "canvas.pan::right");
  g_assert_null (ts_command_at_keycode (40, GDK_CONTROL_MASK));
  g_assert_null (ts_command_at_keycode (24, 0));
}

static void
test_shortcuts_window (void)
{
  TsMainWindow *window = harness_open (NULL, 900, 700);
  g_autofree char *ui = ts_commands_shortcuts_ui (gdk_display_get_default ());
  guint n, shown = 0;
  const TsCommand *commands = ts_commands (&n);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *title = g_markup_printf_escaped ("<property name=\"title\">%s</property>", commands[i].title);

      if (commands[i].keys[0] != '\0')
        g_assert_nonnull (strstr (ui, title));
      shown += commands[i].keys[0] != '\0';
    }
  g_assert_cmpuint (shown, >, 30);
  harness_activate (window, "win.shortcuts");
  harness_close (window);
}

/* --- selection --------------------------------------------------------------------------------------------------------------- */

static void
count (gpointer data)
{
  *(guint *) data += 1;
}

static void
test_selection (void)
{
  g_autoptr (TsSelection) selection = ts_selection_new ();
  const gint32 followed[] = { 4, 9 };
  guint changes = 0, n, index;
  gint32 op;

  g_signal_connect_swapped (selection, "changed", G_CALLBACK (count), &changes);
  g_assert_false (ts_selection_anchor (selection, &index, &op));
  ts_selection_pick (selection, 2, (TsPick) { 7, 3, FALSE });
  ts_selection_pick (selection, 2, (TsPick) { 7, 3, FALSE });
  g_assert_cmpuint (changes, ==, 1);
  g_assert_true (ts_selection_contains (selection, 7));

  /* Another snapshot: the anchor stays, the operations are others, the event is gone. */
  ts_selection_follow (selection, followed, 2);
  g_assert_cmpuint (changes, ==, 2);
  g_assert_true (ts_selection_anchor (selection, &index, &op));
  g_assert_cmpuint (index, ==, 2);
  g_assert_cmpint (op, ==, 7);
  g_assert_cmpint (ts_selection_get (selection).op, ==, 4);
  g_assert_cmpint (ts_selection_get (selection).event, ==, -1);
  g_assert_cmpint (ts_selection_ops (selection, &n)[1], ==, 9);
  g_assert_cmpuint (n, ==, 2);

  ts_selection_clear (selection);
  g_assert_false (ts_selection_anchor (selection, &index, &op));
  ts_selection_ops (selection, &n);
  g_assert_cmpuint (n, ==, 0);
}

/* --- view states ------------------------------------------------------------------------------------------------------------- */

static void
test_time_view (void)
{
  g_autoptr (TsTimeView) view = ts_time_view_new ();
  guint moved = 0, marked = 0;
  TsCycles visible;

  g_signal_connect_swapped (view, "moved", G_CALLBACK (count), &moved);
  g_signal_connect_swapped (view, "marked", G_CALLBACK (count), &marked);
  ts_time_view_set_total (view, 1000);
  visible = ts_time_view_get_visible (view);
  g_assert_cmpint (visible.from, ==, 0);
  g_assert_cmpint (visible.to, ==, 1000);

  ts_time_view_zoom (view, 2.0, 500, 800);
  visible = ts_time_view_get_visible (view);
  g_assert_cmpint (visible.to - visible.from, ==, 500);
  g_assert_cmpint (visible.from, ==, 250);
  ts_time_view_pan (view, 10000);
  visible = ts_time_view_get_visible (view);
  g_assert_cmpint (visible.to, ==, 1000);
  g_assert_cmpint (visible.from, ==, 500);
  ts_time_view_pan (view, -20000);
  g_assert_cmpint (ts_time_view_get_visible (view).from, ==, 0);

  /* A shorter schedule keeps what is still there; one that was seen whole stays whole. */
  ts_time_view_show (view, (TsCycles) { 700, 900 });
  ts_time_view_set_total (view, 800);
  visible = ts_time_view_get_visible (view);
  g_assert_cmpint (visible.from, ==, 600);
  g_assert_cmpint (visible.to, ==, 800);
  ts_time_view_fit (view);
  ts_time_view_set_total (view, 5000);
  g_assert_cmpint (ts_time_view_get_visible (view).to, ==, 5000);

  g_assert_cmpuint (marked, ==, 0);
  ts_time_view_set_cursor (view, 12);
  ts_time_view_set_cursor (view, 12);
  ts_time_view_set_range (view, (TsCycles) { 10, 20 });
  ts_time_view_set_critical_path (view, TRUE);
  g_assert_cmpuint (marked, ==, 3);
  g_assert_cmpuint (moved, ==, 8);
}

/* However often one zooms in and out, the numbers stay inside the schedule, and a cycle never gets lost. */
static void
test_time_view_bounds (void)
{
  g_autoptr (TsTimeView) view = ts_time_view_new ();

  ts_time_view_set_total (view, G_GINT64_CONSTANT (1) << 60);
  for (guint i = 0; i < 400; i++)
    {
      TsCycles visible = ts_time_view_get_visible (view);

      g_assert_cmpint (visible.from, >=, 0);
      g_assert_cmpint (visible.from, <, visible.to);
      g_assert_cmpint (visible.to, <=, ts_time_view_get_total (view));
      ts_time_view_zoom (view, i < 250 ? 1.25 : 0.5, visible.from + (visible.to - visible.from) / 3, 1000);
    }
}

static void
test_plane_view (void)
{
  g_autoptr (TsPlaneView) view = ts_plane_view_new ();
  double before;

  g_assert_true (ts_plane_view_get_fit (view));
  ts_plane_view_fitted (view, 0.5, -100, -50);
  /* What is under the pointer stays there. */
  before = ts_plane_view_get_x (view) + 300 / ts_plane_view_get_zoom (view);
  ts_plane_view_zoom (view, 1.25, 300, 200);
  g_assert_false (ts_plane_view_get_fit (view));
  g_assert_cmpfloat_with_epsilon (ts_plane_view_get_x (view) + 300 / ts_plane_view_get_zoom (view), before, 1e-9);
  for (guint i = 0; i < 100; i++)
    ts_plane_view_zoom (view, 10, 0, 0);
  g_assert_cmpfloat (ts_plane_view_get_zoom (view), ==, TS_PLANE_MAX_ZOOM);
  ts_plane_view_show (view, 100, 100, 50, 50, 500, 400);
  g_assert_cmpfloat (ts_plane_view_get_zoom (view), ==, 1.0);
  g_assert_cmpfloat_with_epsilon (ts_plane_view_get_x (view), 125 - 250, 1e-9);
  ts_plane_view_fit (view);
  g_assert_true (ts_plane_view_get_fit (view));
}

/* --- jobs -------------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  TsJobSlot slot;
  guint     answers;
  gint      last;
} JobOwner;

static JobOwner job_owner;

static gpointer
slow_work (gpointer input, GCancellable *cancellable, GError **error)
{
  g_usleep (20000);
  return g_memdup2 (input, sizeof (gint));
}

static void
work_done (gpointer owner, gpointer result, const GError *error)
{
  g_assert_nonnull (result);
  job_owner.answers++;
  job_owner.last = *(gint *) result;
  g_free (result);
}

static gboolean
has_answer (gpointer data)
{
  return job_owner.answers > 0;
}

/* Only the newest request is answered. */
static void
test_jobs (void)
{
  g_autoptr (GObject) owner = g_object_new (G_TYPE_OBJECT, NULL);

  for (gint i = 0; i < 5; i++)
    ts_job_start (&job_owner.slot, owner, slow_work, g_memdup2 (&i, sizeof i), g_free, g_free, work_done);
  g_assert_true (ts_job_is_running (&job_owner.slot));
  harness_wait (has_answer, NULL);
  g_usleep (200000);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (job_owner.answers, ==, 1);
  g_assert_cmpint (job_owner.last, ==, 4);
  g_assert_false (ts_job_is_running (&job_owner.slot));
}

/* --- templates --------------------------------------------------------------------------------------------------------------- */

static void
test_templates (void)
{
  const GType types[] = { TS_TYPE_CODE_VIEW, TS_TYPE_INSPECTOR, TS_TYPE_PASS_LIST, TS_TYPE_PASS_ROW, TS_TYPE_PROBLEMS_BAR,
                          TS_TYPE_START_PAGE, TS_TYPE_DAG_CANVAS, TS_TYPE_TIMELINE_CANVAS };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      GtkWidget *widget = g_object_ref_sink (g_object_new (types[i], NULL));

      g_assert_finalize_object (G_OBJECT (widget));
    }
}

/* Every file of ui/ is in the resources. */
static void
test_resources (void)
{
  g_auto (GStrv) names = g_resources_enumerate_children ("/io/github/tilescope/Tilescope/ui", 0, NULL);
  g_autofree char *folder = g_build_filename (g_getenv ("TS_TEST_GOLDEN"), "..", "..", "ui", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".ui"))
      {
        g_assert_true (g_strv_contains ((const char *const *) names, name));
        n++;
      }
  g_assert_cmpuint (n, ==, g_strv_length (names));
}

int
main (int argc, char **argv)
{
  harness_init (&argc, &argv);
  g_test_add_func ("/app/parts/settings", test_settings);
  g_test_add_func ("/app/parts/settings-without-schema", test_settings_without_schema);
  g_test_add_func ("/app/parts/commands", test_commands);
  g_test_add_func ("/app/parts/positional-keys", test_positional_keys);
  g_test_add_func ("/app/parts/shortcuts-window", test_shortcuts_window);
  g_test_add_func ("/app/parts/selection", test_selection);
  g_test_add_func ("/app/parts/time-view", test_time_view);
  g_test_add_func ("/app/parts/time-view-bounds", test_time_view_bounds);
  g_test_add_func ("/app/parts/plane-view", test_plane_view);
  g_test_add_func ("/app/parts/jobs", test_jobs);
  g_test_add_func ("/app/parts/templates", test_templates);
  g_test_add_func ("/app/parts/resources", test_resources);
  return g_test_run ();
}
