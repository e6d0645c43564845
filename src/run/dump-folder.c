/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing a folder of dumps over that of an earlier run. Source: cli.md, passes; passes-schedule section 9, dumps. */

#include "run/dump-folder.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/file.h"
#include "run/input-private.h"

typedef struct
{
  char    *name;
  GBytes  *text;
  char    *sha256;
  gboolean is_there; /* just so, and not from us: it stays somebody else's */
} DumpText;

struct TsDumpFolder
{
  char       *path;
  GArray     *texts;   /* DumpText */
  GHashTable *by_name; /* to the number in `texts` and one */
};

static void
clear_text (gpointer data)
{
  DumpText *text = data;

  g_free (text->name);
  g_bytes_unref (text->text);
  g_free (text->sha256);
}

TsDumpFolder *
ts_dump_folder_new (const char *path)
{
  TsDumpFolder *folder = g_new0 (TsDumpFolder, 1);

  folder->path = g_strdup (path);
  folder->texts = g_array_new (FALSE, FALSE, sizeof (DumpText));
  g_array_set_clear_func (folder->texts, clear_text);
  folder->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  return folder;
}

void
ts_dump_folder_free (TsDumpFolder *folder)
{
  if (folder == NULL)
    return;
  g_hash_table_unref (folder->by_name);
  g_array_unref (folder->texts);
  g_free (folder->path);
  g_free (folder);
}

void
ts_dump_folder_add (TsDumpFolder *folder, char *name, GBytes *text)
{
  DumpText added = { name, g_bytes_ref (text), g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, text), FALSE };

  g_array_append_val (folder->texts, added);
  g_hash_table_insert (folder->by_name, added.name, GUINT_TO_POINTER (folder->texts->len));
}

/* --- what is there ----------------------------------------------------------------------------------------------------------- */

/* Lines "CHECKSUM  NAME" of the list, as they are: a set. What is no such line equals none that is asked for. */
static GHashTable *
read_list (const TsDumpFolder *folder)
{
  g_autofree char *path = g_build_filename (folder->path, TS_DUMP_FOLDER_LIST, NULL);
  GHashTable *lines = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GBytes) bytes = g_file_test (path, G_FILE_TEST_IS_REGULAR) ? ts_file_read (path, NULL, NULL) : NULL;
  g_autofree char *text = bytes != NULL ? g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes)) : g_strdup ("");
  g_auto (GStrv) split = g_strsplit (text, "\n", -1);

  for (char **line = split; *line != NULL; line++)
    if (**line != '\0')
      g_hash_table_add (lines, g_strdup (*line));
  return lines;
}

/* NULL when it is no regular file or cannot be read. */
static char *
checksum_of (const TsDumpFolder *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder->path, name, NULL);
  g_autoptr (GBytes) bytes = NULL;

  if (g_file_test (path, G_FILE_TEST_IS_SYMLINK) || !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return NULL;
  bytes = ts_file_read (path, NULL, NULL);
  return bytes != NULL ? g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes) : NULL;
}

typedef enum
{
  THEIRS,
  THEIRS_ALIKE, /* what is to be written stands there already */
  OURS,
} Owner;

static Owner
owner_of (const TsDumpFolder *folder, GHashTable *list, const char *name)
{
  g_autofree char *checksum = checksum_of (folder, name), *line = NULL;
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (folder->by_name, name));

  if (checksum == NULL)
    return THEIRS;
  line = g_strdup_printf ("%s  %s", checksum, name);
  if (g_hash_table_contains (list, line))
    return OURS;
  if (number == 0 || strcmp (g_array_index (folder->texts, DumpText, number - 1).sha256, checksum) != 0)
    return THEIRS;
  g_array_index (folder->texts, DumpText, number - 1).is_there = TRUE;
  return THEIRS_ALIKE;
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Files named like dumps that an earlier run wrote and this one does not, in `stale`. FALSE: there are some of somebody else. */
static gboolean
look_around (const TsDumpFolder *folder, GPtrArray *stale, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (folder->path, 0, error);
  g_autoptr (GHashTable) list = read_list (folder);
  g_autoptr (GPtrArray) foreign = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  if (dir == NULL)
    return FALSE;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      if (!ts_input_is_dump_name (name))
        continue;
      Owner owner = owner_of (folder, list, name);
      if (owner == THEIRS)
        g_ptr_array_add (foreign, g_strdup (name));
      else if (owner == OURS && !g_hash_table_contains (folder->by_name, name))
        g_ptr_array_add (stale, g_strdup (name));
    }
  if (foreign->len == 0)
    return TRUE;
  g_ptr_array_sort (foreign, compare_names);
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_EXIST,
               "%s holds dumps that no earlier run wrote there, or that were changed since (%s%s): nothing is written; choose "
               "another folder, or move them away", folder->path, (const char *) foreign->pdata[0],
               foreign->len > 1 ? ", ..." : "");
  return FALSE;
}

/* --- writing ----------------------------------------------------------------------------------------------------------------- */

static gboolean
write_in (const TsDumpFolder *folder, const char *name, const char *text, gsize length, GError **error)
{
  g_autofree char *path = g_build_filename (folder->path, name, NULL);

  return ts_file_write (path, text, length, error);
}

/* The list of what this run writes; with `stale`, before those are gone, so that a run that is cut short leaves nothing unknown. */
static gboolean
write_list (const TsDumpFolder *folder, const GPtrArray *stale, GError **error)
{
  g_autoptr (GString) out = g_string_new (NULL);

  for (guint i = 0; i < folder->texts->len; i++)
    {
      const DumpText *text = &g_array_index (folder->texts, DumpText, i);
      g_autofree char *old = stale != NULL ? checksum_of (folder, text->name) : NULL;

      if (text->is_there)
        continue;
      g_string_append_printf (out, "%s  %s\n", text->sha256, text->name);
      if (old != NULL && strcmp (old, text->sha256) != 0)
        g_string_append_printf (out, "%s  %s\n", old, text->name);
    }
  for (guint i = 0; stale != NULL && i < stale->len; i++)
    {
      g_autofree char *old = checksum_of (folder, stale->pdata[i]);

      g_string_append_printf (out, "%s  %s\n", old != NULL ? old : "-", (const char *) stale->pdata[i]);
    }
  return write_in (folder, TS_DUMP_FOLDER_LIST, out->str, out->len, error);
}

static gboolean
set_errno (const char *path, GError **error)
{
  int code = errno;

  g_set_error (error, G_FILE_ERROR, (gint) g_file_error_from_errno (code), "%s: %s", path, g_strerror (code));
  return FALSE;
}

static gboolean
remove_stale (const TsDumpFolder *folder, const GPtrArray *stale, GError **error)
{
  for (guint i = 0; i < stale->len; i++)
    {
      g_autofree char *path = g_build_filename (folder->path, stale->pdata[i], NULL);

      if (g_remove (path) != 0 && errno != ENOENT)
        return set_errno (path, error);
    }
  return TRUE;
}

gboolean
ts_dump_folder_write (TsDumpFolder *folder, GError **error)
{
  g_autoptr (GPtrArray) stale = g_ptr_array_new_with_free_func (g_free);

  if (g_mkdir_with_parents (folder->path, 0777) != 0)
    return set_errno (folder->path, error);
  if (!look_around (folder, stale, error) || !write_list (folder, stale, error))
    return FALSE;
  for (guint i = 0; i < folder->texts->len; i++)
    {
      const DumpText *text = &g_array_index (folder->texts, DumpText, i);
      gsize length;
      const char *data = g_bytes_get_data (text->text, &length);

      if (!text->is_there && !write_in (folder, text->name, data != NULL ? data : "", length, error))
        return FALSE;
    }
  return remove_stale (folder, stale, error) && write_list (folder, NULL, error);
}
