/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Diagnostics as data: severity, code, message, place. They are collected, not thrown: one error never hides the others. */
#pragma once

#include <glib.h>

#include "base/json.h"
#include "base/source.h"

G_BEGIN_DECLS

typedef enum
{
  TS_SEVERITY_ERROR,
  TS_SEVERITY_WARNING,
  TS_SEVERITY_NOTE, /* facts worth knowing: an assumed default, an unknown operation, a performance hint */
} TsSeverity;

typedef struct
{
  TsSeverity  severity;
  const char *code;    /* static, short and stable, e.g. "undefined-name", "PH-MR-001"; tests and tools match it */
  char       *rule;    /* the verifier property or pass that speaks, or NULL */
  char       *message; /* one sentence without a final period, no line breaks; English */
  char       *help;    /* advice, or NULL */
  TsSource   *source;  /* may be NULL: no file */
  TsSpan      span;    /* may be none: the whole file */
  char       *function; /* name of the function it speaks of, or NULL */
  char       *subject; /* what it speaks of beside a place: a buffer's base, a memory space; or NULL */
  gint32      op;      /* operation id within the module of the snapshot, or -1 */
  gboolean    detail;  /* a line of a log: only --verbose prints it, and as it is, without place and severity */
} TsDiag;

/* Grows at its end; keeps at most TS_MAX_DIAGS_KEPT and counts the rest. Not thread-safe. */
typedef struct TsDiagList TsDiagList;

TsDiagList   *ts_diag_list_new (void);
void          ts_diag_list_free (TsDiagList *list);

/* Adds a diagnostic and returns it, so that optional fields (rule, help, subject, op; strings are taken over) can be set.
 * Never NULL: past the bound a scratch entry is returned. `code` must be static. */
TsDiag       *ts_diag_add (TsDiagList *list, TsSeverity severity, const char *code, TsSource *source, TsSpan span,
                           const char *format, ...) G_GNUC_PRINTF (6, 7);
TsDiag       *ts_diag_add_valist (TsDiagList *list, TsSeverity severity, const char *code, TsSource *source, TsSpan span,
                                  const char *format, va_list args) G_GNUC_PRINTF (6, 0);
/* Moves all entries of `from` to the end of `list`; `from` is empty afterwards. */
void          ts_diag_list_take (TsDiagList *list, TsDiagList *from);
/* Copies all entries. */
void          ts_diag_list_append_copies (TsDiagList *list, const TsDiagList *from);
/* The same without details. */
void          ts_diag_list_append_plain (TsDiagList *list, const TsDiagList *from);
/* Copies all but the notes that another file has already had word for word: the files of a folder are one program at its stages,
 * and what is noted of the program is noted where it first appears. */
void          ts_diag_list_append_unsaid (TsDiagList *list, const TsDiagList *from);

guint         ts_diag_list_length (const TsDiagList *list);
const TsDiag *ts_diag_list_get (const TsDiagList *list, guint index);
/* Counts also what was not kept. */
guint         ts_diag_list_count (const TsDiagList *list, TsSeverity severity);
static inline gboolean
ts_diag_list_has_errors (const TsDiagList *list)
{
  return ts_diag_list_count (list, TS_SEVERITY_ERROR) > 0;
}

/* An error turns out to be none: it becomes a note with this help (copied; NULL: as it was). */
void          ts_diag_list_make_note (TsDiagList *list, guint index, const char *help);

const char   *ts_severity_name (TsSeverity severity);

/* Appends `FILE:LINE:COLUMN: error: MESSAGE [CODE]`, the source line and a caret under the span, each line ended.
 * The caret is placed by display width, so wide characters and tabs line up. Source: cli.md, exit status section. */
void          ts_diag_format (const TsDiag *diag, GString *out);
typedef enum { TS_DIAGS_NO_NOTES, TS_DIAGS_NOTES, TS_DIAGS_DETAILS } TsDiagLevel;
/* All of the list that the level asks for, at most TS_MAX_DIAGS_PRINTED, then a count of the rest. */
void          ts_diag_list_format (const TsDiagList *list, TsDiagLevel level, GString *out);

/* Each as an object, into the array that is open. What a diagnostic does not have is null. */
void          ts_diag_list_to_json (const TsDiagList *list, TsJson *json);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsDiagList, ts_diag_list_free)

G_END_DECLS
