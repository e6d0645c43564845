/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Directives that act while a kernel is read. Source: spec dsl 5.4. */
#include <string.h>

#include "base/number.h"
#include "lang/pypto/eval-format.h"
#include "lang/pypto/source.h"

static void
append_const (GString *out, const TsConst *value)
{
  switch ((TsConstKind) value->kind)
    {
    case TS_CONST_NONE: g_string_append (out, "None"); break;
    case TS_CONST_BOOL: g_string_append (out, value->i != 0 ? "True" : "False"); break;
    case TS_CONST_INT: ts_append_int (out, value->i); break;
    case TS_CONST_FLOAT: ts_append_double (out, value->f); break;
    case TS_CONST_STRING:
    case TS_CONST_ENUM:
    case TS_CONST_DYNAMIC: g_string_append (out, value->text); break;
    case TS_CONST_DTYPE: g_string_append (out, ts_dtype_name ((TsDtype) value->detail)); break;
    case TS_CONST_TUPLE:
    case TS_CONST_LIST:
      g_string_append_c (out, '[');
      for (guint i = 0; i < value->n; i++)
        {
          if (i > 0)
            g_string_append (out, ", ");
          append_const (out, value->items[i]);
        }
      g_string_append_c (out, ']');
      break;
    default: g_string_append (out, ts_const_kind_name (value)); break;
    }
}

/* A field whose value is a constant, as Python writes it; else as it stands in the file. */
static void
append_field (TsReader *reader, GString *out, const TsNode *node, const TsFormatPart *part)
{
  const TsNode *expression = reader->eval != NULL && !part->is_broken ? ts_format_expression (reader->eval, part->text) : NULL;
  const TsConst *value = expression != NULL ? ts_reader_closure (reader, expression) : NULL;
  const TsConst *spec = value != NULL && part->spec != NULL ? ts_eval_format (reader->eval, reader->scope, node, part->spec) : NULL;
  char conversion = part->shown != NULL && part->conversion == '\0' && part->spec == NULL ? 'r' : part->conversion;
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean good = value != NULL && (part->spec == NULL || spec->kind == TS_CONST_STRING)
                  && ts_format_value (text, value, conversion, spec != NULL ? spec->text : NULL);

  g_string_append (out, part->shown != NULL ? part->shown : "");
  if (good)
    g_string_append_len (out, text->str, (gssize) text->len);
  else if (value != NULL && part->spec == NULL && part->conversion == '\0')
    append_const (out, value);
  else
    g_string_append_printf (out, "{%s%s%s}", part->text, part->spec != NULL ? ":" : "", part->spec != NULL ? part->spec : "");
}

static void
append_fstring (TsReader *reader, GString *out, const TsNode *node)
{
  const char *text = node->text;
  TsFormatPart part;

  while (ts_format_next (&text, &part))
    {
      if (part.is_field)
        append_field (reader, out, node, &part);
      else
        g_string_append (out, part.text);
      ts_format_part_clear (&part);
    }
}

static void
append_argument (TsReader *reader, GString *out, const TsNode *node)
{
  const TsConst *value;

  if (out->len > 0)
    g_string_append_c (out, ' ');
  if (node->kind == TS_NODE_FSTRING)
    append_fstring (reader, out, node);
  else if ((value = ts_reader_closure (reader, node)) != NULL)
    append_const (out, value);
  else
    {
      TsExpr *e = ts_read_expr (reader, node);
      g_autofree char *text = e != NULL ? ts_pypto_print_expr (reader->module, e) : NULL;

      g_string_append (out, text != NULL ? text : "?");
    }
}

static void
read_assert (TsReader *reader, const TsNode *call)
{
  const TsNode *condition = call->first->next;
  const TsConst *value = condition != NULL ? ts_reader_closure (reader, condition) : NULL;
  g_autoptr (GString) message = g_string_new (NULL);

  if (condition == NULL)
    ts_reader_error (reader, "bad-argument", call, "pl.static_assert takes a condition");
  else if (value == NULL)
    ts_reader_note (reader, TS_SEVERITY_WARNING, "not-evaluated", call, "this static assertion cannot be evaluated");
  else if (value->kind == TS_CONST_NONE || ((value->kind == TS_CONST_BOOL || value->kind == TS_CONST_INT) && value->i == 0))
    {
      if (condition->next != NULL)
        append_argument (reader, message, condition->next);
      ts_reader_error (reader, "assertion-failed", call, "static assertion failed%s%s", message->len > 0 ? ": " : "", message->str);
    }
}

void
ts_read_static (TsReader *reader, const TsNode *call)
{
  g_autoptr (GString) text = g_string_new (NULL);

  switch ((TsStaticWord) call->first->name->detail)
    {
    case TS_STATIC_ASSERT:
      read_assert (reader, call);
      break;
    case TS_STATIC_PRINT:
      for (const TsNode *argument = call->first->next; argument != NULL; argument = argument->next)
        if (argument->kind != TS_NODE_KEYWORD)
          append_argument (reader, text, argument);
      ts_reader_note (reader, TS_SEVERITY_NOTE, "static-print", call, "%s", g_strdelimit (text->str, "\n\r", ' '));
      break;
    case TS_STATIC_DUMP_TAG:
      ts_read_dump_tag (reader, call);
      break;
    }
}
