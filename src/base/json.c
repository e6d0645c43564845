/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json.h"

#include <math.h>

#include "base/number.h"

void
ts_json_init (TsJson *json, GString *out, gboolean pretty)
{
  *json = (TsJson) { .out = out, .pretty = pretty };
}

void
ts_json_append_quoted (GString *out, const char *text)
{
  g_autofree char *valid = g_utf8_validate (text, -1, NULL) ? NULL : g_utf8_make_valid (text, -1);

  g_string_append_c (out, '"');
  for (const char *p = valid != NULL ? valid : text; *p != '\0'; p++)
    switch (*p)
      {
      case '"':
        g_string_append (out, "\\\"");
        break;
      case '\\':
        g_string_append (out, "\\\\");
        break;
      case '\n':
        g_string_append (out, "\\n");
        break;
      case '\t':
        g_string_append (out, "\\t");
        break;
      case '\r':
        g_string_append (out, "\\r");
        break;
      default:
        if ((guchar) *p < 0x20 || *p == 0x7f)
          g_string_append_printf (out, "\\u%04x", (guchar) *p);
        else
          g_string_append_c (out, *p);
      }
  g_string_append_c (out, '"');
}

static void
new_line (TsJson *json)
{
  if (!json->pretty)
    return;
  g_string_append_c (json->out, '\n');
  for (guint i = 0; i < json->depth; i++)
    g_string_append (json->out, "  ");
}

static void
begin_value (TsJson *json, const char *key)
{
  if (json->need_comma)
    g_string_append (json->out, json->pretty ? "," : ", ");
  if (json->depth > 0)
    new_line (json);
  json->need_comma = TRUE;
  if (key != NULL)
    {
      ts_json_append_quoted (json->out, key);
      g_string_append (json->out, ": ");
    }
}

static void
begin_scope (TsJson *json, const char *key, char bracket)
{
  begin_value (json, key);
  g_string_append_c (json->out, bracket);
  json->depth++;
  json->need_comma = FALSE;
}

static void
end_scope (TsJson *json, char bracket)
{
  gboolean empty = !json->need_comma;

  json->depth--;
  if (!empty)
    new_line (json);
  g_string_append_c (json->out, bracket);
  json->need_comma = TRUE;
}

void
ts_json_begin_object (TsJson *json, const char *key)
{
  begin_scope (json, key, '{');
}

void
ts_json_end_object (TsJson *json)
{
  end_scope (json, '}');
}

void
ts_json_begin_array (TsJson *json, const char *key)
{
  begin_scope (json, key, '[');
}

void
ts_json_end_array (TsJson *json)
{
  end_scope (json, ']');
}

void
ts_json_int (TsJson *json, const char *key, gint64 value)
{
  begin_value (json, key);
  ts_append_int (json->out, value);
}

static void
append_shortest (GString *out, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  for (int digits = 6; digits <= 17; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (buffer, sizeof buffer, format, value);
      if (g_ascii_strtod (buffer, NULL) == value)
        break;
    }
  g_string_append (out, buffer);
}

void
ts_json_double (TsJson *json, const char *key, double value)
{
  begin_value (json, key);
  if (isfinite (value))
    append_shortest (json->out, value);
  else
    g_string_append (json->out, "null");
}

void
ts_json_ratio (TsJson *json, const char *key, double value)
{
  ts_json_double (json, key, isfinite (value) ? round (value * 1000.0) / 1000.0 : value);
}

void
ts_json_bool (TsJson *json, const char *key, gboolean value)
{
  begin_value (json, key);
  g_string_append (json->out, value ? "true" : "false");
}

void
ts_json_string (TsJson *json, const char *key, const char *value)
{
  if (value == NULL)
    {
      ts_json_null (json, key);
      return;
    }
  begin_value (json, key);
  ts_json_append_quoted (json->out, value);
}

void
ts_json_null (TsJson *json, const char *key)
{
  begin_value (json, key);
  g_string_append (json->out, "null");
}
