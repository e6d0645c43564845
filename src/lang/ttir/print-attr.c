/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types and attributes of Triton IR as text. */
#include <string.h>

#include "base/number.h"
#include "lang/ttir/float-text.h"
#include "lang/ttir/lexer.h"
#include "lang/ttir/print-private.h"

void
tp_types (GString *out, const TsType *const *types, guint n)
{
  if (n != 1 || types[0]->kind == TS_TYPE_FUNCTION)
    g_string_append_c (out, '(');
  for (guint i = 0; i < n; i++)
    {
      if (i > 0)
        g_string_append (out, ", ");
      tp_type (out, types[i]);
    }
  if (n != 1 || types[0]->kind == TS_TYPE_FUNCTION)
    g_string_append_c (out, ')');
}

static void
append_ranked (GString *out, const TsType *type)
{
  g_string_append (out, "tensor<");
  for (guint i = 0; i < type->rank; i++)
    {
      if (type->dims[i]->i < 0)
        g_string_append_c (out, '?');
      else
        ts_append_int (out, type->dims[i]->i);
      g_string_append_c (out, 'x');
    }
  tp_type (out, type->elems[0]);
  if (type->text != NULL)
    g_string_append_printf (out, ", %s", type->text);
  g_string_append_c (out, '>');
}

void
tp_type (GString *out, const TsType *type)
{
  if (type == NULL)
    {
      g_string_append (out, "none");
      return;
    }
  if (type->written != NULL)
    {
      g_string_append (out, type->written);
      return;
    }
  switch ((TsTypeKind) type->kind)
    {
    case TS_TYPE_SCALAR:
      g_string_append (out, ts_dtype_ttir_name ((TsDtype) type->dtype));
      break;
    case TS_TYPE_RANKED:
      append_ranked (out, type);
      break;
    case TS_TYPE_POINTER:
      g_string_append (out, "!tt.ptr<");
      tp_type (out, type->elems[0]);
      if (type->address_space != 1)
        g_string_append_printf (out, ", %d", type->address_space);
      g_string_append_c (out, '>');
      break;
    case TS_TYPE_FUNCTION:
      g_string_append_c (out, '(');
      for (gint32 i = 0; i < type->address_space; i++)
        {
          g_string_append (out, i > 0 ? ", " : "");
          tp_type (out, type->elems[i]);
        }
      g_string_append (out, ") -> ");
      tp_types (out, type->elems + type->address_space, type->n_elems - (guint) type->address_space);
      break;
    case TS_TYPE_OPAQUE:
    case TS_TYPE_MARKER:
    case TS_TYPE_TENSOR:
    case TS_TYPE_TILE:
    case TS_TYPE_ARRAY:
    case TS_TYPE_TUPLE:
    case TS_TYPE_PTR:
      g_string_append (out, type->text != NULL ? type->text : "none");
      break;
    }
}

char *
ts_ttir_print_type (const TsType *type)
{
  GString *out = g_string_new (NULL);

  tp_type (out, type);
  return g_string_free (out, FALSE);
}

static void
append_number (GString *out, const TsExpr *value)
{
  if (value->kind == TS_EXPR_FLOAT)
    tt_append_float (out, value->f, (TsDtype) value->dtype);
  else if (value->dtype == TS_DTYPE_BOOL)
    g_string_append (out, value->i != 0 ? "true" : "false");
  else
    ts_append_int (out, value->i);
}

static void
append_list (GString *out, const TsExpr *value)
{
  gboolean array = value->raw != NULL && strcmp (value->raw, "array") == 0;
  gboolean dense = value->raw != NULL && !array;

  if (array)
    g_string_append_printf (out, "array<%s%s", ts_dtype_ttir_name ((TsDtype) value->dtype), value->n > 0 ? ": " : "");
  else
    g_string_append (out, dense ? "dense<" : "[");
  for (guint i = 0; i < value->n; i++)
    {
      if (i > 0)
        g_string_append (out, ", ");
      if (array || dense)
        append_number (out, value->list[i]);
      else
        tp_attribute (out, value->list[i]);
    }
  g_string_append_c (out, array || dense ? '>' : ']');
}

void
tp_attribute (GString *out, const TsExpr *value)
{
  switch ((int) value->kind)
    {
    case TS_EXPR_INT:
    case TS_EXPR_FLOAT:
      append_number (out, value);
      if (value->dtype != TS_DTYPE_BOOL)
        g_string_append_printf (out, " : %s", ts_dtype_ttir_name ((TsDtype) value->dtype));
      break;
    case TS_EXPR_STRING:
      tt_append_quoted (out, value->text);
      break;
    case TS_EXPR_LIST:
      append_list (out, value);
      break;
    case TS_EXPR_NONE:
      g_string_append (out, "unit");
      break;
    case TS_EXPR_TEXT:
    case TS_EXPR_ENUM:
      g_string_append (out, value->text);
      break;
    default:
      g_string_append (out, "unit");
    }
}

void
tp_key (GString *out, const char *key)
{
  gboolean plain = g_ascii_isalpha (key[0]) || key[0] == '_';

  for (const char *c = key; *c != '\0'; c++)
    plain = plain && (g_ascii_isalnum (*c) || *c == '_' || *c == '.' || *c == '$');
  if (plain)
    g_string_append (out, key);
  else
    tt_append_quoted (out, key);
}
