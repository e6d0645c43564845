/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes JSON text straight into a string: no tree of nodes, so a million events cost only their text.
 * (json-glib reads JSON and is used in tests to check what this writes.) */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  GString *out;
  guint    depth;
  gboolean need_comma;
  gboolean pretty; /* line breaks and two spaces per level, for people; one line otherwise */
} TsJson;

void ts_json_init (TsJson *json, GString *out, gboolean pretty);

/* `key` is NULL inside an array and at the top. */
void ts_json_begin_object (TsJson *json, const char *key);
void ts_json_end_object (TsJson *json);
void ts_json_begin_array (TsJson *json, const char *key);
void ts_json_end_array (TsJson *json);
void ts_json_int (TsJson *json, const char *key, gint64 value);
/* Not finite becomes null. Printed with up to 17 digits, shortest that reads back equal. */
void ts_json_double (TsJson *json, const char *key, double value);
/* Printed with at most three decimals: ratios for people and tests. */
void ts_json_ratio (TsJson *json, const char *key, double value);
void ts_json_bool (TsJson *json, const char *key, gboolean value);
/* NULL becomes null; broken UTF-8 is replaced by U+FFFD. */
void ts_json_string (TsJson *json, const char *key, const char *value);
void ts_json_null (TsJson *json, const char *key);
/* Appends only the quoted, escaped text. */
void ts_json_append_quoted (GString *out, const char *text);

G_END_DECLS
