/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/diag.h"

#include <string.h>

#include "base/limits.h"

/* A caret line is meant to be read: of a line of a megabyte only a window around the place is shown, in characters. */
#define SHOWN_BEFORE 100
#define SHOWN_AFTER 60

struct TsDiagList
{
  GPtrArray *diags;
  guint      counts[3];
  TsDiag    *scratch; /* handed out once the list is full */
};

static void
diag_free (gpointer data)
{
  TsDiag *diag = data;

  if (diag == NULL)
    return;
  g_free (diag->rule);
  g_free (diag->message);
  g_free (diag->help);
  g_free (diag->function);
  g_free (diag->subject);
  ts_source_unref (diag->source);
  g_free (diag);
}

TsDiagList *
ts_diag_list_new (void)
{
  TsDiagList *list = g_new0 (TsDiagList, 1);

  list->diags = g_ptr_array_new_with_free_func (diag_free);
  return list;
}

void
ts_diag_list_free (TsDiagList *list)
{
  if (list == NULL)
    return;
  g_ptr_array_unref (list->diags);
  diag_free (list->scratch);
  g_free (list);
}

static void
keep (TsDiagList *list, TsDiag *diag)
{
  list->counts[diag->severity]++;
  if (list->diags->len < TS_MAX_DIAGS_KEPT)
    g_ptr_array_add (list->diags, diag);
  else
    {
      diag_free (list->scratch);
      list->scratch = diag;
    }
}

TsDiag *
ts_diag_add_valist (TsDiagList *list, TsSeverity severity, const char *code, TsSource *source, TsSpan span,
                    const char *format, va_list args)
{
  TsDiag *diag = g_new0 (TsDiag, 1);

  diag->severity = severity;
  diag->code = code;
  diag->message = g_strdup_vprintf (format, args);
  diag->source = source != NULL ? ts_source_ref (source) : NULL;
  diag->span = span;
  diag->op = -1;
  keep (list, diag);
  return diag;
}

TsDiag *
ts_diag_add (TsDiagList *list, TsSeverity severity, const char *code, TsSource *source, TsSpan span, const char *format, ...)
{
  va_list args;
  TsDiag *diag;

  va_start (args, format);
  diag = ts_diag_add_valist (list, severity, code, source, span, format, args);
  va_end (args);
  return diag;
}

static TsDiag *
diag_copy (const TsDiag *diag)
{
  TsDiag *copy = g_new0 (TsDiag, 1);

  *copy = *diag;
  copy->rule = g_strdup (diag->rule);
  copy->message = g_strdup (diag->message);
  copy->help = g_strdup (diag->help);
  copy->function = g_strdup (diag->function);
  copy->subject = g_strdup (diag->subject);
  if (copy->source != NULL)
    ts_source_ref (copy->source);
  return copy;
}

static void
append_copies (TsDiagList *list, const TsDiagList *from, gboolean details)
{
  guint lost[3];

  for (guint s = 0; s < 3; s++)
    lost[s] = from->counts[s];
  for (guint i = 0; i < from->diags->len; i++)
    {
      const TsDiag *diag = g_ptr_array_index (from->diags, i);

      lost[diag->severity]--;
      if (diag->detail && !details)
        continue;
      keep (list, diag_copy (diag));
    }
  for (guint s = 0; s < 3; s++)
    list->counts[s] += lost[s];
}

void
ts_diag_list_append_copies (TsDiagList *list, const TsDiagList *from)
{
  append_copies (list, from, TRUE);
}

void
ts_diag_list_append_plain (TsDiagList *list, const TsDiagList *from)
{
  append_copies (list, from, FALSE);
}

/* Notes by what they say, whoever says it first. */
static GHashTable *
notes_said (const TsDiagList *list)
{
  GHashTable *said = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < list->diags->len; i++)
    {
      TsDiag *diag = g_ptr_array_index (list->diags, i);

      if (diag->severity == TS_SEVERITY_NOTE && diag->source != NULL && !g_hash_table_contains (said, diag->message))
        g_hash_table_insert (said, diag->message, diag);
    }
  return said;
}

/* The same words about the same kind of thing in another file. */
static gboolean
is_said_elsewhere (GHashTable *said, const TsDiag *diag)
{
  const TsDiag *first = NULL;

  if (diag->severity == TS_SEVERITY_NOTE && diag->source != NULL)
    first = g_hash_table_lookup (said, diag->message);
  return first != NULL && first->source != diag->source && strcmp (first->code, diag->code) == 0;
}

void
ts_diag_list_append_unsaid (TsDiagList *list, const TsDiagList *from)
{
  g_autoptr (GHashTable) said = notes_said (list);
  guint before = list->diags->len;

  append_copies (list, from, TRUE);
  for (guint i = list->diags->len; i > before; i--)
    if (is_said_elsewhere (said, g_ptr_array_index (list->diags, i - 1)))
      {
        list->counts[TS_SEVERITY_NOTE]--;
        g_ptr_array_remove_index (list->diags, i - 1);
      }
}

void
ts_diag_list_take (TsDiagList *list, TsDiagList *from)
{
  ts_diag_list_append_copies (list, from);
  g_ptr_array_set_size (from->diags, 0);
  memset (from->counts, 0, sizeof from->counts);
}

guint
ts_diag_list_length (const TsDiagList *list)
{
  return list->diags->len;
}

const TsDiag *
ts_diag_list_get (const TsDiagList *list, guint index)
{
  return g_ptr_array_index (list->diags, index);
}

guint
ts_diag_list_count (const TsDiagList *list, TsSeverity severity)
{
  return list->counts[severity];
}

void
ts_diag_list_make_note (TsDiagList *list, guint index, const char *help)
{
  TsDiag *diag = g_ptr_array_index (list->diags, index);

  list->counts[diag->severity]--;
  diag->severity = TS_SEVERITY_NOTE;
  list->counts[diag->severity]++;
  if (help != NULL)
    {
      g_free (diag->help);
      diag->help = g_strdup (help);
    }
}

const char *
ts_severity_name (TsSeverity severity)
{
  static const char *const names[] = { "error", "warning", "note" };

  return names[severity];
}

static guint
char_width (gunichar c)
{
  if (g_unichar_iszerowidth (c))
    return 0;
  return g_unichar_iswide (c) ? 2 : 1;
}

/* Next character of possibly broken UTF-8: a bad byte reads as U+FFFD and is one byte long. */
static gunichar
next_char (const char **p, const char *end)
{
  gunichar c = g_utf8_get_char_validated (*p, end - *p);

  if (c == (gunichar) -1 || c == (gunichar) -2 || c == 0)
    {
      (*p)++;
      return 0xfffd;
    }
  *p = g_utf8_next_char (*p);
  return c;
}

static void
append_shown (GString *out, gunichar c)
{
  if (c == '\t')
    g_string_append_c (out, ' ');
  else
    g_string_append_unichar (out, g_unichar_iscntrl (c) ? 0xfffd : c);
}

static void
append_excerpt (const TsDiag *diag, TsPlace place, GString *out)
{
  gsize length;
  const char *line = ts_source_line (diag->source, place.line, &length);
  const char *end = line + length;
  guint32 line_start = ts_source_line_offset (diag->source, place.line);
  const char *caret = line + MIN (diag->span.offset - line_start, length);
  const char *caret_end = MIN (caret + MAX (diag->span.length, 1), end);
  guint skip = place.column > SHOWN_BEFORE ? place.column - SHOWN_BEFORE : 0;
  guint pad = 0, under = 0;
  const char *p = line;

  for (guint i = 0; i < skip && p < end; i++)
    next_char (&p, end);
  g_string_append (out, skip > 0 ? "  ..." : "  ");
  pad = skip > 0 ? 5 : 2;
  for (guint shown = 0; p < end && shown < SHOWN_BEFORE + SHOWN_AFTER; shown++)
    {
      const char *at = p;
      gunichar c = next_char (&p, end);

      append_shown (out, c);
      if (at < caret)
        pad += char_width (c);
      else if (at < caret_end)
        under += char_width (c);
    }
  g_string_append (out, p < end ? "...\n" : "\n");
  for (guint i = 0; i < pad; i++)
    g_string_append_c (out, ' ');
  g_string_append_c (out, '^');
  for (guint i = 1; i < under; i++)
    g_string_append_c (out, '~');
  g_string_append_c (out, '\n');
}

void
ts_diag_format (const TsDiag *diag, GString *out)
{
  gboolean placed = diag->source != NULL && !ts_span_is_none (diag->span);
  TsPlace place = { 0, 0 };

  if (diag->detail)
    {
      g_string_append_printf (out, "%s\n", diag->message);
      return;
    }
  if (diag->source != NULL)
    {
      g_string_append_printf (out, "%s:", ts_source_name (diag->source));
      if (placed)
        {
          place = ts_source_place (diag->source, diag->span.offset);
          g_string_append_printf (out, "%u:%u:", place.line, place.column);
        }
      g_string_append_c (out, ' ');
    }
  g_string_append_printf (out, "%s: %s [%s]\n", ts_severity_name (diag->severity), diag->message, diag->code);
  if (placed)
    append_excerpt (diag, place, out);
  if (diag->help != NULL)
    g_string_append_printf (out, "  help: %s\n", diag->help);
}

static gboolean
is_shown (const TsDiag *diag, TsDiagLevel level)
{
  if (diag->severity != TS_SEVERITY_NOTE)
    return TRUE;
  return level == TS_DIAGS_DETAILS || (level == TS_DIAGS_NOTES && !diag->detail);
}

void
ts_diag_list_format (const TsDiagList *list, TsDiagLevel level, GString *out)
{
  guint printed = 0, lost = 0;

  for (guint i = 0; i < list->diags->len; i++)
    {
      const TsDiag *diag = g_ptr_array_index (list->diags, i);

      if (is_shown (diag, level) && printed++ < TS_MAX_DIAGS_PRINTED)
        ts_diag_format (diag, out);
    }
  for (guint s = 0; s < G_N_ELEMENTS (list->counts); s++)
    lost += list->counts[s];
  lost -= list->diags->len; /* counted but not kept */
  if (printed + lost > TS_MAX_DIAGS_PRINTED)
    g_string_append_printf (out, "... and %u more (at most %u are shown)\n", printed + lost - TS_MAX_DIAGS_PRINTED,
                            TS_MAX_DIAGS_PRINTED);
}

static void
diag_to_json (const TsDiag *diag, TsJson *json)
{
  const gboolean placed = diag->source != NULL && !ts_span_is_none (diag->span);
  const TsPlace  place = placed ? ts_source_place (diag->source, diag->span.offset) : (TsPlace) { 0, 0 };

  ts_json_begin_object (json, NULL);
  ts_json_string (json, "severity", ts_severity_name (diag->severity));
  ts_json_string (json, "code", diag->code);
  ts_json_string (json, "message", diag->message);
  ts_json_string (json, "rule", diag->rule);
  ts_json_string (json, "help", diag->help);
  ts_json_string (json, "file", diag->source != NULL ? ts_source_name (diag->source) : NULL);
  if (placed)
    {
      ts_json_int (json, "line", place.line);
      ts_json_int (json, "column", place.column);
    }
  else
    {
      ts_json_null (json, "line");
      ts_json_null (json, "column");
    }
  ts_json_string (json, "function", diag->function);
  ts_json_string (json, "subject", diag->subject);
  ts_json_end_object (json);
}

void
ts_diag_list_to_json (const TsDiagList *list, TsJson *json)
{
  for (guint i = 0; i < ts_diag_list_length (list); i++)
    diag_to_json (ts_diag_list_get (list, i), json);
}
