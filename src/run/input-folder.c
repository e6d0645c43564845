/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A passes_dump folder: which files are snapshots, in which order, and what is odd about them. Source: dsl 2.6. */

#include "run/input-private.h"

#include <string.h>

#include "base/file.h"
#include "base/limits.h"

/* NN_frontend.py, NN_after_Pass.py (.ttir, .mlir likewise), NN_after_Pass.log, NN_failed.log. */
typedef struct
{
  gint        number;
  const char *rest;      /* after "NN_" */
  const char *extension; /* after the last dot, or "" */
} DumpName;

static gboolean
split_name (const char *name, DumpName *out)
{
  const char *p = name, *dot = strrchr (name, '.');
  gint number = 0;

  for (; g_ascii_isdigit (*p) && p - name < 6; p++)
    number = number * 10 + (*p - '0');
  if (p == name || *p != '_')
    return FALSE;
  out->number = number;
  out->rest = p + 1;
  out->extension = dot != NULL ? dot + 1 : "";
  return g_str_has_prefix (out->rest, "after_") || g_str_has_prefix (out->rest, "frontend")
    || g_str_has_prefix (out->rest, "failed");
}

static gboolean
is_language_extension (const char *extension)
{
  return strcmp (extension, "py") == 0 || strcmp (extension, "ttir") == 0 || strcmp (extension, "mlir") == 0;
}

gboolean
ts_input_is_dump_name (const char *name)
{
  DumpName parts;

  return split_name (name, &parts) && (is_language_extension (parts.extension) || strcmp (parts.extension, "log") == 0);
}

/* Part of a file's name as text: what is no UTF-8, or is not seen when it is shown (it would steer a terminal), as in a string of
 * Python. Names of passes are made here only, and go into tables and names of files as they are. Free with g_free. */
static char *
shown_text (const char *name, gsize length)
{
  GString *out = g_string_sized_new (length);
  const char *end = name + length;

  while (name < end)
    {
      gunichar c = g_utf8_get_char_validated (name, end - name);
      gboolean is_valid = c < 0x110000;

      if (!is_valid)
        g_string_append_printf (out, "\\x%02x", (guchar) *name);
      else if (g_unichar_isprint (c) && (c == ' ' || !g_unichar_isspace (c)))
        g_string_append_unichar (out, c);
      else
        g_string_append_printf (out, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
      name = is_valid ? g_utf8_next_char (name) : name + 1;
    }
  return g_string_free (out, FALSE);
}

/* The pass of a file that names none, NN_after_.py: tables and names of files need a word. */
#define UNNAMED_PASS "unnamed"

/* The pass of "after_MemoryReuse.py": what stands between. */
static char *
pass_of (const DumpName *name)
{
  const char *start = g_str_has_prefix (name->rest, "after_") ? name->rest + strlen ("after_") : "frontend";
  const char *dot = strrchr (start, '.');
  gsize length = dot != NULL ? (gsize) (dot - start) : strlen (start);

  return length > 0 ? shown_text (start, length) : g_strdup (UNNAMED_PASS);
}

char *
ts_input_pass_of_path (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  DumpName parts;

  return split_name (name, &parts) && is_language_extension (parts.extension) ? pass_of (&parts) : NULL;
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static gint
compare_dumps (gconstpointer a, gconstpointer b)
{
  const TsDumpFile *x = a, *y = b;

  return x->number != y->number ? (x->number < y->number ? -1 : 1) : strcmp (x->file, y->file);
}

static void
note (TsInput *input, const char *code, const char *format, ...) G_GNUC_PRINTF (3, 4);

static void
note (TsInput *input, const char *code, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  ts_diag_add_valist (input->diags, TS_SEVERITY_NOTE, code, NULL, TS_SPAN_NONE, format, args);
  va_end (args);
}

/* Names of the files in the folder, sorted. Free with g_ptr_array_unref. */
static GPtrArray *
list_files (const char *path, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, error);
  GPtrArray *names;
  const char *name;

  if (dir == NULL)
    return NULL;
  names = g_ptr_array_new_with_free_func (g_free);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (name[0] != '.')
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  return names;
}

typedef struct
{
  TsInput      *input;
  const char   *path;
  GCancellable *cancellable;
  GChecksum    *checksum;
  gsize         total; /* bytes read so far */
} Reader;

/* NULL with `problem` set when it cannot be read; the rest of the folder still opens. */
static GBytes *
read_file (Reader *reader, const char *name, char **problem)
{
  g_autofree char *path = g_build_filename (reader->path, name, NULL);
  g_autoptr (GError) error = NULL;
  GBytes *bytes = NULL;

  /* Reading a pipe would wait for somebody to write into it. */
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    {
      g_autofree char *shown = shown_text (name, strlen (name));

      *problem = g_strdup_printf ("%s is no regular file", shown);
      return NULL;
    }
  if (reader->total > TS_MAX_FILE_BYTES)
    {
      *problem = g_strdup_printf ("The files before this one already hold more than %u bytes", TS_MAX_FILE_BYTES);
      return NULL;
    }
  bytes = ts_file_read (path, reader->cancellable, &error);
  if (bytes == NULL)
    {
      *problem = g_strdup (error->message);
      return NULL;
    }
  reader->total += g_bytes_get_size (bytes);
  g_checksum_update (reader->checksum, (const guchar *) name, (gssize) strlen (name) + 1);
  if (g_bytes_get_size (bytes) > 0)
    g_checksum_update (reader->checksum, g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes));
  return bytes;
}

static void
add_dump (Reader *reader, const char *name, gint number, char *pass)
{
  TsDumpFile dump = { .file = g_strdup (name), .pass = pass, .number = number };
  g_autofree char *shown = g_build_filename (reader->path, name, NULL);
  g_autoptr (GBytes) bytes = read_file (reader, name, &dump.problem);

  if (bytes != NULL)
    dump.source = ts_source_new (shown, bytes);
  g_array_append_val (reader->input->dumps, dump);
}

static TsDumpFile *
find_dump (TsInput *input, const DumpName *name, const char *pass)
{
  for (guint i = 0; i < input->dumps->len; i++)
    {
      TsDumpFile *dump = &g_array_index (input->dumps, TsDumpFile, i);

      if (dump->number == name->number && strcmp (dump->pass, pass) == 0)
        return dump;
    }
  return NULL;
}

static void
add_log (Reader *reader, const char *file, const DumpName *name)
{
  g_autofree char *pass = pass_of (name), *problem = NULL, *shown = shown_text (file, strlen (file));
  TsDumpFile *dump = find_dump (reader->input, name, pass);
  g_autoptr (GBytes) bytes = read_file (reader, file, &problem);
  g_autofree char *text = NULL;
  gsize length = 0;
  const char *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  text = g_utf8_make_valid (data != NULL ? data : "", data != NULL ? (gssize) MIN (length, TS_MAX_STRING_LENGTH) : 0);
  if (g_str_has_prefix (name->rest, "failed"))
    {
      TsDiag *diag = ts_diag_add (reader->input->diags, TS_SEVERITY_WARNING, "dump-failed", NULL, TS_SPAN_NONE,
                                  "The compiler stopped here: %s says why", shown);

      diag->help = g_strdup (g_strstrip (text));
    }
  else if (dump == NULL)
    note (reader->input, "dump-log", "%s belongs to no snapshot of this folder", shown);
  else if (dump->log == NULL)
    dump->log = g_steal_pointer (&text);
}

/* Names that a compiler does not write, though we read them. */
static void
report_odd_name (TsInput *input, const TsDumpFile *dump)
{
  g_autofree char *shown = shown_text (dump->file, strlen (dump->file));
  gsize n_digits = strspn (dump->file, "0123456789");

  if (n_digits != (dump->number < 100 ? 2u : dump->number < 1000 ? 3u : n_digits))
    note (input, "dump-name", "%s is read as number %02d, which is written with %s", shown, dump->number,
          dump->number < 100 ? "two digits" : "three");
  if (g_str_has_prefix (dump->file + n_digits, "_after_."))
    note (input, "dump-name", "%s names no pass; it is called '%s' here", shown, dump->pass);
}

static void
report_twice (TsInput *input, const TsDumpFile *first, const TsDumpFile *second)
{
  g_autofree char *one = shown_text (first->file, strlen (first->file)), *other = shown_text (second->file, strlen (second->file));

  note (input, "dump-twice", "Two files are numbered %02d: %s and %s stand in order of their names", second->number, one, other);
}

static void
report_numbers (TsInput *input)
{
  gint expected = 0;
  const TsDumpFile *first = &g_array_index (input->dumps, TsDumpFile, 0);

  if (first->number < 0)
    return;
  if (strcmp (first->pass, "frontend") != 0)
    {
      g_autofree char *shown = shown_text (first->file, strlen (first->file));

      note (input, "dump-frontend", "There is no 00_frontend file: the first snapshot is %s", shown);
    }
  expected = first->number;
  for (guint i = 0; i < input->dumps->len; i++)
    {
      const TsDumpFile *dump = &g_array_index (input->dumps, TsDumpFile, i);

      report_odd_name (input, dump);
      if (dump->number == expected - 1 && i > 0)
        report_twice (input, dump - 1, dump);
      else if (dump->number == expected + 1)
        note (input, "dump-gap", "No file is numbered %02d", expected);
      else if (dump->number > expected)
        note (input, "dump-gap", "No files are numbered %02d to %02d", expected, dump->number - 1);
      expected = dump->number + 1;
    }
}

/* Dumps without the usual names: whatever begins with the header of one, in order of their names. */
static void
add_unnamed (Reader *reader, const GPtrArray *names)
{
  static const char header[] = "# pypto.program:";

  for (guint i = 0; i < names->len && reader->input->dumps->len < TS_MAX_DUMP_FILES; i++)
    {
      const char *name = g_ptr_array_index (names, i), *dot = strrchr (name, '.');
      GArray *dumps = reader->input->dumps;
      gsize length;
      const char *text;

      if (dot == NULL || !is_language_extension (dot + 1))
        continue;
      add_dump (reader, name, -1, shown_text (name, (gsize) (dot - name)));
      text = g_array_index (dumps, TsDumpFile, dumps->len - 1).source != NULL
               ? ts_source_text (g_array_index (dumps, TsDumpFile, dumps->len - 1).source, &length)
               : "";
      if (!g_str_has_prefix (text, header))
        g_array_set_size (dumps, dumps->len - 1);
    }
  if (reader->input->dumps->len > 0)
    note (reader->input, "dump-names", "No file is named like NN_after_Pass.py; the dumps stand in order of their names");
}

static gboolean
read_all (Reader *reader, const GPtrArray *names, GError **error)
{
  TsInput *input = reader->input;
  DumpName parts;

  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);

      if (g_cancellable_set_error_if_cancelled (reader->cancellable, error))
        return FALSE;
      if (!split_name (name, &parts) || !is_language_extension (parts.extension) || g_str_has_prefix (parts.rest, "failed"))
        continue;
      if (input->dumps->len >= TS_MAX_DUMP_FILES)
        {
          ts_diag_add (input->diags, TS_SEVERITY_WARNING, "dump-count", NULL, TS_SPAN_NONE, "Only the first %u dumps are read",
                       TS_MAX_DUMP_FILES);
          break;
        }
      add_dump (reader, name, parts.number, pass_of (&parts));
    }
  if (input->dumps->len == 0)
    add_unnamed (reader, names);
  g_array_sort (input->dumps, compare_dumps);
  return !g_cancellable_set_error_if_cancelled (reader->cancellable, error);
}

/* Logs, and a word on everything that was passed over. */
static void
read_rest (Reader *reader, const GPtrArray *names)
{
  TsInput *input = reader->input;
  DumpName parts;

  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);
      g_autofree char *path = g_build_filename (reader->path, name, NULL), *shown = shown_text (name, strlen (name));

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        continue;
      if (split_name (name, &parts))
        {
          if (strcmp (parts.extension, "log") == 0)
            add_log (reader, name, &parts);
          else if (!is_language_extension (parts.extension))
            note (input, "dump-other", "%s is neither a dump nor a log and was left out", shown);
        }
      else if (g_array_index (input->dumps, TsDumpFile, 0).number >= 0)
        note (input, "dump-other", "%s is not named like a dump and was left out", shown);
    }
}

gboolean
ts_input_read_folder (TsInput *input, const char *path, GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (GPtrArray) names = list_files (path, &cause);
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  Reader reader = { input, path, cancellable, checksum, 0 };

  if (names == NULL)
    {
      g_set_error (error, TS_INPUT_ERROR, TS_INPUT_ERROR_READ, "%s", cause->message);
      return FALSE;
    }
  input->dumps = ts_dump_files_new ();
  if (!read_all (&reader, names, error))
    return FALSE;
  if (input->dumps->len == 0)
    {
      g_set_error (error, TS_INPUT_ERROR, TS_INPUT_ERROR_NO_DUMPS,
                   "%s: no dumps are in this folder (files named 00_frontend.py, 01_after_Pass.py, ...)", path);
      return FALSE;
    }
  read_rest (&reader, names);
  report_numbers (input);
  input->sha256 = g_strdup (g_checksum_get_string (checksum));
  return TRUE;
}
