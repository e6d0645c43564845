/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks keyword arguments up in the table of what they may say. */
#include "ir/keyword-values.h"

#include <string.h>

#include "ir/op-info.h"

/* --- enumerations ------------------------------------------------------------------------------------------------------- */

/* Members by number, or as one text. */
typedef struct
{
  const char *family;
  const char *(*name) (guint member);
  guint       first, end;
  const char *members;
} Family;

#define TS_ENUM_NAMES(family, type, prefix, first, end)                                                                     \
  static const char *prefix##_member (guint member)                                                                         \
  {                                                                                                                         \
    return ts_##prefix##_name ((type) member);                                                                              \
  }
#include "ir/keyword-values.def"

static const Family families[] = {
#define TS_ENUM_NAMES(family, type, prefix, first, end) { family, prefix##_member, first, end, NULL },
#define TS_ENUM_FAMILY(family, members) { family, NULL, 0, 0, members },
#include "ir/keyword-values.def"
};

static const Family *
find_family (const char *name, gsize length)
{
  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    if (strlen (families[i].family) == length && strncmp (families[i].family, name, length) == 0)
      return &families[i];
  return NULL;
}

static gboolean
is_listed (const char *list, const char *word)
{
  const gsize length = strlen (word);
  for (const char *p = list; p != NULL; p = strchr (p, ','))
    {
      p += *p == ',';
      if (strncmp (p, word, length) == 0 && (p[length] == ',' || p[length] == '\0'))
        return TRUE;
    }
  return FALSE;
}

static gboolean
has_member (const Family *family, const char *member)
{
  for (guint i = family->first; i < family->end; i++)
    if (strcmp (family->name (i), member) == 0)
      return TRUE;
  return is_listed (family->members, member);
}

static void
append_list (GString *out, const char *list, const char *quote)
{
  g_auto (GStrv) words = g_strsplit (list, ",", -1);
  for (guint i = 0; words[i] != NULL; i++)
    g_string_append_printf (out, "%s%s%s%s", i > 0 ? ", " : "", quote, words[i], quote);
}

static void
append_members (GString *out, const Family *family)
{
  for (guint i = family->first; i < family->end; i++)
    g_string_append_printf (out, "%s%s", i > family->first ? ", " : "", family->name (i));
  if (family->members != NULL)
    append_list (out, family->members, "");
}

/* --- keywords ----------------------------------------------------------------------------------------------------------- */

typedef struct
{
  const char *key, *operations, *family, *words;
  gint64      low, high;
} Values;

static const Values rows[] = {
#define TS_KEYWORD_VALUES(key, operations, family, words, low, high) { key, operations, family, words, low, high },
#include "ir/keyword-values.def"
};

static const Values *
find_values (const TsOp *op, const char *key)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (strcmp (rows[i].key, key) == 0
        && (rows[i].operations == NULL || is_listed (rows[i].operations, ts_op_info (op->code)->name)))
      return &rows[i];
  return NULL;
}

/* "atomic must be a member of AtomicType (None_, Add) or 0 to 1" */
static char *
say_what_may_be (const Values *row)
{
  GString *out = g_string_new (NULL);
  const Family *family = row->family != NULL ? find_family (row->family, strlen (row->family)) : NULL;
  const char *or = "";
  g_string_append_printf (out, "%s must be ", row->key);
  if (family != NULL)
    {
      g_string_append_printf (out, "a member of %s (", family->family);
      append_members (out, family);
      g_string_append_c (out, ')');
      or = " or ";
    }
  if (row->words != NULL)
    {
      g_string_append_printf (out, "%sone of ", or);
      append_list (out, row->words, "'");
      or = " or ";
    }
  if (row->low <= row->high)
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, or, row->low, row->high);
  return g_string_free (out, FALSE);
}

static char *
member_fault (const TsExpr *e, const Values *row)
{
  const char *dot = strchr (e->text, '.');
  const gsize length = dot != NULL ? (gsize) (dot - e->text) : strlen (e->text);
  const Family *family = find_family (e->text, length);
  if (row != NULL && (row->family == NULL || strlen (row->family) != length || strncmp (row->family, e->text, length) != 0))
    return say_what_may_be (row);
  if (family == NULL || (dot != NULL && has_member (family, dot + 1)))
    return NULL;
  GString *out = g_string_new (NULL);
  g_string_append_printf (out, "%s has no member '%s'; it has ", family->family, dot != NULL ? dot + 1 : "");
  append_members (out, family);
  return g_string_free (out, FALSE);
}

static char *
value_fault (const TsExpr *e, const Values *row)
{
  gint64 number;
  if (e->kind == TS_EXPR_ENUM)
    return member_fault (e, row);
  if (row == NULL)
    return NULL;
  if (e->kind == TS_EXPR_STRING && (row->words == NULL || !is_listed (row->words, e->text)))
    return say_what_may_be (row);
  if (ts_expr_fold_int (e, &number) && (number < row->low || number > row->high))
    return say_what_may_be (row);
  return e->kind == TS_EXPR_DTYPE || e->kind == TS_EXPR_FLOAT ? say_what_may_be (row) : NULL;
}

char *
ts_op_keyword_fault (const TsOp *op)
{
  /* What the table does not know may have keywords of its own, by whatever name. */
  if (ts_op_info (op->code)->args == NULL)
    return NULL;
  for (guint i = 0; i < op->n_keywords; i++)
    {
      char *fault = value_fault (op->keywords[i].value, find_values (op, op->keywords[i].key));
      if (fault != NULL)
        return fault;
    }
  return NULL;
}

char *
ts_op_target_fault (const TsOp *op)
{
  if (op->code != TS_OP_TILE_LOAD && op->code != TS_OP_TILE_MGATHER)
    return NULL;
  TsSpace space = ts_op_result_space (op);
  if (space == TS_SPACE_NONE || ts_transfer_pipe (TS_SPACE_DDR, space, TS_BACKEND_NONE) != TS_PIPE_NONE)
    return NULL;
  return g_strdup_printf ("no pipe brings global memory into %s: it reaches Vec and Mat, what lies in Mat is moved on",
                          ts_space_name (space));
}

/* --- lists of whole numbers ---------------------------------------------------------------------------------------------- */

static gboolean
may_be_whole (const TsExpr *e)
{
  const TsValue *value = ts_expr_as_value (e);

  if (value != NULL)
    return value->type == NULL || (ts_type_is_scalar (value->type) && ts_dtype_is_integer ((TsDtype) value->type->dtype));
  switch ((TsExprKind) e->kind)
    {
    case TS_EXPR_STRING:
    case TS_EXPR_NONE:
    case TS_EXPR_LIST:
    case TS_EXPR_DTYPE:
    case TS_EXPR_ENUM:
      return FALSE;
    default:
      return e->dtype == TS_DTYPE_NONE || ts_dtype_is_integer ((TsDtype) e->dtype);
    }
}

char *
ts_op_places_fault (const TsOp *op)
{
  static const char *const words[] = { "shape", "shapes", "valid_shape", "offset", "offsets", "indices", "drop_dims", "dst_offset",
                                       "dst_offsets", "src_offset", "src_offsets", NULL };
  const char *args = ts_op_info (op->code)->args;
  g_auto (GStrv) names = g_strsplit (args != NULL ? args : "", ",", -1);

  for (guint i = 0; i < op->n_operands && names[i] != NULL; i++)
    {
      const TsExpr *list = op->operands[i];

      names[i][strcspn (names[i], "?=")] = '\0';
      if (list->kind != TS_EXPR_LIST || !g_strv_contains (words, names[i]))
        continue;
      for (guint k = 0; k < list->n; k++)
        if (!may_be_whole (list->list[k]))
          return g_strdup_printf ("item %u of '%s' is no whole number", k, names[i]);
    }
  return NULL;
}
