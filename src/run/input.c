/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what is opened and finds out, from its content, what it is. Source: cli.md, `FILE`. */

#include "run/input-private.h"

#include <string.h>

#include "base/file.h"
#include "base/limits.h"
#include "lang/pypto/pypto.h"
#include "lang/ttir/ttir.h"

G_DEFINE_QUARK (ts-input-error-quark, ts_input_error)

/* Enough to tell a language from its head, whatever stands in front. */
#define HEAD_BYTES 65536u

TsInput *
ts_input_ref (TsInput *input)
{
  g_atomic_int_inc (&input->refs);
  return input;
}

static void
clear_dump (gpointer data)
{
  TsDumpFile *dump = data;

  g_free (dump->file);
  g_free (dump->pass);
  g_free (dump->problem);
  g_free (dump->log);
  g_clear_pointer (&dump->source, ts_source_unref);
}

void
ts_input_unref (TsInput *input)
{
  if (input == NULL || !g_atomic_int_dec_and_test (&input->refs))
    return;
  g_free (input->spec);
  g_free (input->title);
  g_free (input->path);
  g_free (input->folder);
  g_free (input->sha256);
  g_clear_pointer (&input->source, ts_source_unref);
  g_clear_pointer (&input->dumps, g_array_unref);
  g_clear_pointer (&input->entries, g_array_unref);
  ts_diag_list_free (input->diags);
  ts_strings_unref (input->strings);
  g_mutex_clear (&input->lock);
  g_free (input);
}

static TsInput *
input_new (const char *spec)
{
  TsInput *input = g_new0 (TsInput, 1);

  input->refs = 1;
  input->spec = g_strdup (spec);
  input->diags = ts_diag_list_new ();
  input->strings = ts_strings_new ();
  g_mutex_init (&input->lock);
  return input;
}

/* "dir/pingpong.py" to "pingpong". */
static char *
title_of (const char *path)
{
  g_autofree char *base = g_path_get_basename (path);
  char *dot = strrchr (base, '.');

  if (dot != NULL && dot != base)
    *dot = '\0';
  return g_steal_pointer (&base);
}

/* --- what is it? ------------------------------------------------------------------------------------------------------------- */

gboolean
ts_input_recognise (const char *text, gsize length, TsInputKind *out)
{
  length = MIN (length, HEAD_BYTES);
  if (ts_pypto_recognise (text, length))
    {
      *out = TS_INPUT_PYPTO;
      return TRUE;
    }
  if (ts_ttir_recognise (text, length))
    {
      *out = TS_INPUT_TTIR;
      return TRUE;
    }
  return FALSE;
}

static gboolean
kind_from_format (const char *format, TsInputKind *out)
{
  static const struct { const char *name; TsInputKind kind; } formats[] = {
    { "py", TS_INPUT_PYPTO }, { "ttir", TS_INPUT_TTIR }, { "mlir", TS_INPUT_TTIR },
  };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (strcmp (formats[i].name, format) == 0)
      {
        *out = formats[i].kind;
        return TRUE;
      }
  return FALSE;
}

gboolean
ts_input_is_format (const char *format)
{
  TsInputKind kind;

  return kind_from_format (format, &kind);
}

/* By the extension, for a text that its content does not give away. */
static gboolean
kind_from_name (const char *name, TsInputKind *out)
{
  const char *dot = strrchr (name, '.');

  return dot != NULL && kind_from_format (dot + 1, out);
}

static gboolean
is_svg (const char *text, gsize length)
{
  length = MIN (length, 4096);
  return g_strstr_len (text, (gssize) length, "<svg") != NULL;
}

static gboolean
is_blank (const char *text, gsize length)
{
  for (gsize i = 0; i < length; i++)
    if (!g_ascii_isspace (text[i]))
      return FALSE;
  return TRUE;
}

static gboolean
find_kind (const char *name, const char *text, gsize length, const char *format, TsInputKind *out, GError **error)
{
  if (is_blank (text, length))
    {
      g_set_error (error, TS_INPUT_ERROR, TS_INPUT_ERROR_EMPTY, "%s: there is nothing in this file", name);
      return FALSE;
    }
  if (format != NULL)
    {
      if (kind_from_format (format, out))
        return TRUE;
      g_set_error (error, TS_INPUT_ERROR, TS_INPUT_ERROR_USAGE, "Unknown format “%s”; known are py and ttir", format);
      return FALSE;
    }
  if (is_svg (text, length))
    {
      g_set_error (error, TS_INPUT_ERROR, TS_INPUT_ERROR_FIGURE, "%s: this is an SVG figure", name);
      return FALSE;
    }
  if (ts_input_recognise (text, length, out))
    return TRUE;
  if (memchr (text, '\0', MIN (length, HEAD_BYTES)) != NULL)
    {
      g_set_error (error, TS_INPUT_ERROR, TS_INPUT_ERROR_BINARY, "%s: this is a binary file, not a kernel", name);
      return FALSE;
    }
  if (kind_from_name (name, out))
    return TRUE;
  g_set_error (error, TS_INPUT_ERROR, TS_INPUT_ERROR_UNKNOWN,
               "%s: this is neither a PyPTO kernel nor Triton IR (say --format py or --format ttir if it is)", name);
  return FALSE;
}

/* --- loading ----------------------------------------------------------------------------------------------------------------- */

static TsInput *
take_bytes (TsInput *input, const char *name, GBytes *bytes, const char *format, GError **error)
{
  gsize length;
  const char *text = g_bytes_get_data (bytes, &length);

  if (!find_kind (name, text != NULL ? text : "", length, format, &input->kind, error))
    {
      ts_input_unref (input);
      return NULL;
    }
  input->source = ts_source_new (name, bytes);
  input->sha256 = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
  if (input->title == NULL)
    input->title = title_of (name);
  return input;
}

TsInput *
ts_input_from_text (const char *name, const char *text, gsize length, const char *format, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, length);

  return take_bytes (input_new (name), name, bytes, format, error);
}

static TsInput *
load_sample (const char *spec, GError **error)
{
  g_autofree char *file_name = NULL;
  TsInputKind kind;
  g_autoptr (GBytes) bytes = ts_sample_read (spec + strlen ("sample:"), &kind, &file_name, error);

  if (bytes == NULL)
    return NULL;
  return take_bytes (input_new (spec), file_name, bytes, kind == TS_INPUT_TTIR ? "ttir" : "py", error);
}

/* What a missing or unreadable file is called towards callers, who turn it into a status of its own. */
static void
set_read_error (GError **error, const char *path, GError *cause)
{
  if (g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_propagate_error (error, cause);
  else
    {
      gboolean named = strstr (cause->message, path) != NULL;

      g_set_error (error, TS_INPUT_ERROR, TS_INPUT_ERROR_READ, "%s%s%s", named ? "" : path, named ? "" : ": ", cause->message);
      g_error_free (cause);
    }
}

/* Modules beside the kernel and above it are found however its path is spelled. */
static char *
sibling_folder (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  return g_canonicalize_filename (folder, NULL);
}

static TsInput *
load_folder (const char *path, GCancellable *cancellable, GError **error)
{
  TsInput *input = input_new (path);
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);

  input->kind = TS_INPUT_DUMPS;
  input->path = g_strdup (path);
  input->title = g_path_get_basename (absolute);
  if (!ts_input_read_folder (input, path, cancellable, error))
    {
      ts_input_unref (input);
      return NULL;
    }
  return input;
}

TsInput *
ts_input_load (const char *spec, const char *format, GCancellable *cancellable, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  GError *cause = NULL;
  TsInput *input;
  gboolean is_stdin = strcmp (spec, "-") == 0;

  if (g_str_has_prefix (spec, "sample:"))
    return load_sample (spec, error);
  if (spec[0] == '\0')
    {
      g_set_error_literal (error, TS_INPUT_ERROR, TS_INPUT_ERROR_READ, "The name of the input is empty");
      return NULL;
    }
  if (!is_stdin && g_file_test (spec, G_FILE_TEST_IS_DIR))
    return load_folder (spec, cancellable, error);
  bytes = ts_file_read (spec, cancellable, &cause);
  if (bytes == NULL)
    {
      set_read_error (error, spec, cause);
      return NULL;
    }
  input = input_new (spec);
  if (!is_stdin)
    {
      input->path = g_strdup (spec);
      input->folder = sibling_folder (spec);
    }
  return take_bytes (input, is_stdin ? "<stdin>" : spec, bytes, format, error);
}

/* --- questions --------------------------------------------------------------------------------------------------------------- */

TsInputKind
ts_input_kind (const TsInput *input)
{
  return input->kind;
}

const char *
ts_input_spec (const TsInput *input)
{
  return input->spec;
}

const char *
ts_input_title (const TsInput *input)
{
  return input->title;
}

const char *
ts_input_path (const TsInput *input)
{
  return input->path;
}

const char *
ts_input_sha256 (const TsInput *input)
{
  return input->sha256;
}

TsSource *
ts_input_source (const TsInput *input)
{
  return input->source;
}

const TsDumpFile *
ts_input_dumps (const TsInput *input, guint *n)
{
  *n = input->dumps != NULL ? input->dumps->len : 0;
  return input->dumps != NULL ? (const TsDumpFile *) (gconstpointer) input->dumps->data : NULL;
}

const TsDiagList *
ts_input_diags (const TsInput *input)
{
  return input->diags;
}

void
ts_input_warn (TsInput *input, const char *code, const char *message)
{
  ts_diag_add (input->diags, TS_SEVERITY_WARNING, code, NULL, TS_SPAN_NONE, "%s", message);
}

const GArray *
ts_input_entries (TsInput *input)
{
  const GArray *entries;

  g_mutex_lock (&input->lock);
  if (input->entries == NULL)
    input->entries = input->kind == TS_INPUT_PYPTO ? ts_pypto_list_entries (input->source, input->strings)
                                                   : g_array_new (FALSE, FALSE, sizeof (TsPyptoEntry));
  entries = input->entries;
  g_mutex_unlock (&input->lock);
  return entries;
}

/* --- for the folder --------------------------------------------------------------------------------------------------------- */

GArray *
ts_dump_files_new (void)
{
  GArray *dumps = g_array_new (FALSE, TRUE, sizeof (TsDumpFile));

  g_array_set_clear_func (dumps, clear_dump);
  return dumps;
}
