/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A source text with its name, and places in it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Half-open byte range in one source. `file` indexes the module's list of sources. length 0 with offset TS_NO_OFFSET: no place. */
typedef struct
{
  guint32 offset;
  guint32 length;
  guint32 file;
} TsSpan;

#define TS_NO_OFFSET G_MAXUINT32
#define TS_SPAN_NONE ((TsSpan) { TS_NO_OFFSET, 0, 0 })

static inline gboolean
ts_span_is_none (TsSpan span)
{
  return span.offset == TS_NO_OFFSET;
}

/* Line and column count from 1; the column counts characters, not bytes. */
typedef struct
{
  guint line;
  guint column;
} TsPlace;

/* Immutable once made, reference-counted, safe to share between threads. */
typedef struct TsSource TsSource;

/* Takes the bytes (a reference is added) and builds the line table: O(length). `name` is what messages show. */
TsSource   *ts_source_new (const char *name, GBytes *bytes);
TsSource   *ts_source_new_text (const char *name, const char *text);
TsSource   *ts_source_ref (TsSource *source);
void        ts_source_unref (TsSource *source);

const char *ts_source_name (const TsSource *source);
/* The text is followed by a NUL that does not belong to it; NUL bytes may also stand inside. */
const char *ts_source_text (const TsSource *source, gsize *length);
/* Does the text hold this word, as letters, digits and "_" make words? With `ending` also one that goes on with it; may be NULL. */
gboolean    ts_source_has_word (const TsSource *source, const char *word, const char *ending);
guint       ts_source_n_lines (const TsSource *source);
/* The line (from 1) without its end; *length excludes "\r\n" or "\n". Out of range: an empty line. */
const char *ts_source_line (const TsSource *source, guint line, gsize *length);
/* Byte offset of the first character of a line (from 1). */
guint32     ts_source_line_offset (const TsSource *source, guint line);
/* O(log lines). */
TsPlace     ts_source_place (const TsSource *source, guint32 offset);
guint       ts_source_line_of (const TsSource *source, guint32 offset);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsSource, ts_source_unref)

G_END_DECLS
