/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is in the reference folders, in an order that does not depend on the file system. */
#pragma once

#include <glib.h>
#include <string.h>

#include "passes/pipeline.h"

/* The planner that made the snapshots of the kernel `name`. */
static inline TsPlanner
golden_planner (const char *name)
{
  static const struct
  {
    const char *name;
    TsPlanner   planner;
  } others[] = { { "slots_ptoas", TS_PLANNER_PTOAS }, { "views_dsa", TS_PLANNER_DSA_RP } };

  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (strcmp (others[i].name, name) == 0)
      return others[i].planner;
  return TS_PLANNER_PYPTO;
}

static inline gint
golden_compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* The names in the folder `path`, sorted; the caller owns the list. */
static inline GPtrArray *
golden_list (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = g_dir_open (path, 0, &error);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);

  g_assert_no_error (error);
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, golden_compare_names);
  return names;
}

static inline gboolean
golden_is_snapshot (const char *file)
{
  return g_ascii_isdigit (file[0]) && g_str_has_suffix (file, ".py");
}

/* The snapshots in the folder `path`, in the order of the passes; the caller owns the list. */
static inline GPtrArray *
golden_snapshots (const char *path)
{
  GPtrArray *names = golden_list (path);

  for (guint i = names->len; i > 0; i--)
    if (!golden_is_snapshot (names->pdata[i - 1]))
      g_ptr_array_remove_index (names, i - 1);
  return names;
}

/* The pass a snapshot file is of; NULL for other files; the caller owns it. A pass that failed is named by the log's place in the default order. */
static inline char *
golden_pass_of (const char *file, const char *before)
{
  const char *at = strstr (file, "_after_");
  if (at != NULL && g_str_has_suffix (file, ".py"))
    return g_strndup (at + strlen ("_after_"), strlen (at) - strlen ("_after_") - strlen (".py"));
  if (!g_str_has_suffix (file, "_failed.log") || before == NULL)
    return NULL;
  g_autofree char *last = golden_pass_of (before, NULL);
  guint n;
  const TsPassInfo *const *registry = ts_pass_registry (&n);
  for (guint i = 0; i + 1 < n; i++)
    if (g_strcmp0 (registry[i]->name, last) == 0)
      return g_strdup (registry[i + 1]->name);
  return NULL;
}

/* Calls `add` for every kernel's folder of both sets: `root` and `name` joined are its path. */
static inline void
golden_each_kernel (void (*add) (const char *set, const char *root, const char *name, gpointer data), gpointer data)
{
  static const char *const sets[] = { "kernels", "dumps" };

  for (guint s = 0; s < G_N_ELEMENTS (sets); s++)
    {
      g_autofree char *root = g_build_filename (g_getenv ("TS_TEST_GOLDEN"), sets[s], NULL);
      g_autoptr (GPtrArray) folders = golden_list (root);

      g_assert_cmpuint (folders->len, >=, 3);
      for (guint i = 0; i < folders->len; i++)
        add (sets[s], root, folders->pdata[i], data);
    }
}
