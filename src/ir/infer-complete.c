/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a user left out of a call: arguments given by name put in their places, keywords in canonical order, defaults filled in.
 * Source: spec dsl 4.5. */
#include "ir/infer-private.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "ir/build.h"
#include "ir/keyword-values.h"
#include "ir/split-mode.h"

/* One parameter of a call as the table names it. `other` is where an argument's default comes from ("valid_shape=shapes"),
 * `fallback` a keyword's default as printed. */
typedef struct
{
  const char *name;
  const char *other;
  const char *fallback;
  gboolean    is_keyword, required;
  TsExpr     *given;
} Parameter;

typedef struct
{
  Infer      f;
  TsOp      *op;
  char      *words; /* storage of the names */
  Parameter *list;
  guint      n_args, n;
} Call;

/* --- reading the row ------------------------------------------------------------------------------------------------------ */

static void
add_parameters (Call *call, char *text, gboolean is_keyword)
{
  for (char *word = text; word != NULL && *word != '\0';)
    {
      char      *comma = strchr (word, ','), *equals;
      Parameter *p = &call->list[call->n++];
      if (comma != NULL)
        *comma = '\0';
      equals = strchr (word, '=');
      p->name = word;
      p->is_keyword = is_keyword;
      p->required = is_keyword ? g_str_has_suffix (word, "!") : equals == NULL && !g_str_has_suffix (word, "?");
      if (equals != NULL)
        {
          *equals = '\0';
          *(is_keyword ? &p->fallback : &p->other) = equals + 1;
        }
      else
        word[strcspn (word, "?!")] = '\0';
      word = comma != NULL ? comma + 1 : NULL;
    }
}

static guint
count_words (const char *text)
{
  guint n = text != NULL && *text != '\0';
  for (; text != NULL && *text != '\0'; text++)
    n += *text == ',';
  return n;
}

static void
read_row (Call *call)
{
  const TsOpInfo *info = call->f.info;
  const char     *args = info->args != NULL ? info->args : "", *keywords = info->keywords != NULL ? info->keywords : "";
  call->list = g_new0 (Parameter, count_words (args) + count_words (keywords) + 1);
  call->words = g_strconcat (args, "\n", keywords, NULL);
  *strchr (call->words, '\n') = '\0';
  add_parameters (call, call->words, FALSE);
  call->n_args = call->n;
  add_parameters (call, call->words + strlen (args) + 1, TRUE);
}

static Parameter *
find (Call *call, const char *name, gsize length)
{
  for (guint i = 0; i < call->n; i++)
    if (strncmp (call->list[i].name, name, length) == 0 && call->list[i].name[length] == '\0')
      return &call->list[i];
  return NULL;
}

/* The parameter a user's i-th positional argument stands for. */
static Parameter *
positional (Call *call, guint i)
{
  const char *p = call->f.info->call;
  if (p == NULL)
    return i < call->n ? &call->list[i] : NULL;
  for (; i > 0 && p != NULL; i--)
    {
      p = strchr (p, ',');
      p = p != NULL ? p + 1 : NULL;
    }
  return p != NULL ? find (call, p, strcspn (p, ",")) : NULL;
}

/* --- taking what the call gives ------------------------------------------------------------------------------------------- */

/* Whether an optional argument stands before a required one (mrgsort_format2): then position alone cannot name it. */
static gboolean
is_positional_only (const Call *call)
{
  for (guint i = 1; i < call->n_args; i++)
    if (call->list[i].required && !call->list[i - 1].required)
      return TRUE;
  return FALSE;
}

static gboolean
take_operands (Call *call)
{
  guint skipped = 0;
  for (guint i = 0; i < call->op->n_operands; i++)
    {
      const TsValue *value = ts_expr_as_value (call->op->operands[i]);
      Parameter     *p = positional (call, i + skipped);
      /* gather (x, index) beside gather (x, dim, index): a tensor never is a keyword's value */
      if (p != NULL && p->is_keyword && value != NULL && !ts_type_is_scalar (value->type))
        p = positional (call, i + ++skipped);
      if (p == NULL)
        {
          infer_fail (&call->f, "argument-count", "%u arguments given, at most %u taken", call->op->n_operands, call->n);
          return FALSE;
        }
      p->given = call->op->operands[i];
    }
  return TRUE;
}

static gboolean
take_keywords (Call *call)
{
  for (guint i = 0; i < call->op->n_keywords; i++)
    {
      const TsAttr *keyword = &call->op->keywords[i];
      Parameter    *p = find (call, keyword->key, strlen (keyword->key));
      if (p == NULL)
        {
          infer_fail (&call->f, "unknown-keyword", "unexpected argument '%s' (arguments: %s%s%s)", keyword->key,
                      call->f.info->args != NULL ? call->f.info->args : "", call->f.info->keywords != NULL ? "; " : "",
                      call->f.info->keywords != NULL ? call->f.info->keywords : "");
          return FALSE;
        }
      if (p->given != NULL)
        {
          infer_fail (&call->f, "duplicate-argument", "argument '%s' given twice", keyword->key);
          return FALSE;
        }
      p->given = keyword->value;
    }
  return TRUE;
}

/* --- defaults ------------------------------------------------------------------------------------------------------------- */

/* A default as the table spells it: pl.Mem.Vec, pl.UINT32, 'round', False, -2. */
static TsExpr *
parse_default (TsModule *module, const char *text)
{
  const gsize length = strlen (text);
  gint64      value;
  TsDtype     dtype;
  if (g_str_has_prefix (text, "pl."))
    {
      dtype = ts_dtype_from_name (text + 3, -1);
      return dtype != TS_DTYPE_NONE ? ts_expr_dtype (module, dtype) : ts_expr_enum (module, text + 3);
    }
  if (text[0] == '\'')
    {
      g_autofree char *inner = g_strndup (text + 1, length - 2);
      return ts_expr_string (module, inner);
    }
  if (strcmp (text, "True") == 0 || strcmp (text, "False") == 0)
    return ts_expr_bool (module, text[0] == 'T');
  return ts_parse_int64 (text, &value) ? ts_expr_index (module, value) : ts_expr_text (module, text);
}

static gboolean
fill_defaults (Call *call)
{
  for (guint i = 0; i < call->n; i++)
    {
      Parameter *p = &call->list[i];
      if (p->given == NULL && p->other != NULL)
        p->given = find (call, p->other, strlen (p->other))->given;
      if (p->given == NULL && p->fallback != NULL)
        p->given = parse_default (call->f.module, p->fallback);
      if (p->given == NULL && p->required)
        {
          infer_fail (&call->f, "missing-argument", "argument '%s' is missing", p->name);
          return FALSE;
        }
    }
  return TRUE;
}

/* --- values with several spellings ---------------------------------------------------------------------------------------- */

/* The cast modes have numbers; other operations have modes of their own. What no list knows is refused afterwards. */
static TsExpr *
name_cast_mode (Call *call, TsExpr *e)
{
  static const char *const modes[] = { "none", "rint", "round", "floor", "ceil", "trunc", "odd" };
  gint64                   number;
  if (call->f.info->result == TS_RESULT_CAST && ts_expr_fold_int (e, &number) && number >= 0
      && number < (gint64) G_N_ELEMENTS (modes))
    return ts_expr_string (call->f.module, modes[number]);
  return e;
}

/* pad_value may be 0 or an infinity. */
static TsExpr *
name_pad (Call *call, TsExpr *e)
{
  gint64 number;
  double f;
  if (e->kind == TS_EXPR_ENUM && g_str_has_prefix (e->text, "PadValue."))
    return e;
  if (ts_expr_fold_int (e, &number) && number == 0)
    return ts_expr_enum (call->f.module, "PadValue.zero");
  f = e->kind == TS_EXPR_FLOAT ? e->f : 1;
  if (f == 0 || f == INFINITY || f == -INFINITY)
    return ts_expr_enum (call->f.module, f == 0 ? "PadValue.zero" : f > 0 ? "PadValue.max" : "PadValue.min");
  infer_fail (&call->f, "bad-argument", "pad_value must be zero, max or min");
  return NULL;
}

/* A split may be a member of pl.SplitMode; what it cannot be is refused afterwards. */
static TsExpr *
number_split (Call *call, TsExpr *e)
{
  gint64 split;
  return ts_split_mode (e, &split) ? ts_expr_index (call->f.module, split) : e;
}

/* The same word means other things elsewhere: the mode of a barrier or of a reduction over ranks is none of rounding. */
static const struct
{
  const char *key;
  int         result; /* only of operations with this result rule; -1: of all */
  TsExpr *(*convert) (Call *call, TsExpr *e);
} spellings[] = { { "mode", TS_RESULT_CAST, name_cast_mode }, { "pad_value", -1, name_pad }, { "split", -1, number_split } };

static gboolean
convert_spellings (Call *call)
{
  for (guint i = 0; i < G_N_ELEMENTS (spellings); i++)
    {
      Parameter *p = find (call, spellings[i].key, strlen (spellings[i].key));
      if (p == NULL || p->given == NULL || (spellings[i].result >= 0 && spellings[i].result != (int) call->f.info->result))
        continue;
      p->given = spellings[i].convert (call, p->given);
      if (p->given == NULL)
        return FALSE;
    }
  return TRUE;
}

/* --- putting the call together again -------------------------------------------------------------------------------------- */

/* Arguments in their places; the operands themselves when they cannot be told apart. */
static void
write_operands (Call *call)
{
  TsModule             *module = call->f.module;
  g_autoptr (GPtrArray) operands = g_ptr_array_new ();
  guint                 last = 0;
  for (guint i = 0; i < call->n_args; i++)
    if (call->list[i].given != NULL)
      last = i + 1;
  for (guint i = 0; i < last; i++)
    if (call->list[i].given != NULL)
      g_ptr_array_add (operands, call->list[i].given);
    else if (call->f.info->result == TS_RESULT_SLICE)
      g_ptr_array_add (operands, ts_expr_list (module, NULL, 0)); /* "no valid shape", so that drop_dims keeps its place */
  ts_op_set_operands (module, call->op, (TsExpr *const *) operands->pdata, operands->len);
}

static void
write_keywords (Call *call)
{
  call->op->n_keywords = 0;
  call->op->keywords = NULL;
  for (guint i = call->n_args; i < call->n; i++)
    if (call->list[i].given != NULL)
      ts_op_add_keyword (call->f.module, call->op, call->list[i].name, call->list[i].given);
}

/* What is written now is held against the lists. */
static gboolean
check_values (Call *call)
{
  g_autofree char *fault = ts_op_keyword_fault (call->op);
  if (fault == NULL)
    fault = ts_op_target_fault (call->op);
  if (fault == NULL)
    fault = ts_op_places_fault (call->op);
  if (fault != NULL)
    infer_fail (&call->f, "bad-argument", "%s", fault);
  return fault == NULL;
}

static gboolean
complete (Call *call)
{
  const gboolean in_place = is_positional_only (call);
  for (guint i = 0; in_place && i < call->n_args; i++)
    call->list[i].required = FALSE;
  if ((!in_place && !take_operands (call)) || !take_keywords (call) || !fill_defaults (call) || !convert_spellings (call))
    return FALSE;
  if (!in_place)
    write_operands (call);
  write_keywords (call);
  return check_values (call);
}

gboolean
ts_infer_complete (TsModule *module, TsOp *op, TsDiagList *diags, TsSpan span)
{
  Call     call = { .f = { module, op, ts_op_info (op->code), diags, span, NULL }, .op = op };
  gboolean ok;
  if (call.f.info->args == NULL)
    return TRUE; /* no row of ours: nothing is known */
  read_row (&call);
  ok = complete (&call);
  g_free (call.words);
  g_free (call.list);
  return ok;
}
