/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files, modules and functions of Triton IR. Source: spec ttir section 2. */
#include <string.h>

#include "base/limits.h"
#include "ir/op-info.h"
#include "lang/ttir/parser-private.h"
#include "lang/ttir/print-private.h"
#include "lang/ttir/ttir.h"

/* --- functions ------------------------------------------------------------------------------------------------------------- */

void
tt_adopt_arg (TtParser *p, TsBlock *block, TsValue *value, const char *location, const char *dict)
{
  /* ts_block_add_arg() makes a value; the reader already has one that earlier uses may mention. */
  TsValue *made = ts_block_add_arg (p->module, block, value->hint, value->type);

  block->args[block->n_args - 1] = value;
  value->block = block;
  value->index = made->index;
  if (location != NULL || dict != NULL)
    {
      TsTtirValueInfo *info = ts_arena_new0 (p->module->shared, TsTtirValueInfo);

      *info = (TsTtirValueInfo) { location, dict };
      value->extra = info;
    }
}

/* Text of a dictionary with its braces, or NULL when there is none. */
static gboolean
parse_raw_dict (TtParser *p, const char **dict)
{
  guint32 start = tt_token (p)->start;
  TsSpan span;

  *dict = NULL;
  if (!tt_at (p, '{'))
    return TRUE;
  if (!tt_check_dict (p))
    return FALSE;
  span = tt_span (p, start);
  *dict = tt_share (p, p->lexer.text + span.offset, span.length);
  return TRUE;
}

static gboolean
parse_param (TtParser *p, TsFunction *function)
{
  guint32 offset = tt_token (p)->start;
  const char *name = NULL, *dict, *location;
  const TsType *type;
  TsValue *value;

  if (tt_token (p)->kind == TT_TOKEN_VALUE)
    {
      const char *text = tt_token_text (p) + 1;

      name = ts_intern_n (p->module->strings, text, strlen (text));
      tt_next (p);
      if (!tt_expect (p, ':'))
        return FALSE;
    }
  type = tt_parse_type (p);
  if (type == NULL || !parse_raw_dict (p, &dict))
    return FALSE;
  location = tt_parse_location (p);
  if (p->failed)
    return FALSE;
  value = ts_function_add_param (p->module, function, name != NULL ? name : "", type, TS_DIRECTION_IN);
  if (name != NULL)
    {
      if (g_hash_table_contains (p->scope->names, name))
        return tt_error_at (p, offset, (guint32) strlen (name) + 1, "redefinition", "argument '%%%s' is given twice", name);
      g_hash_table_insert (p->scope->names, (gpointer) name, value);
    }
  if (location != NULL || dict != NULL)
    {
      TsTtirValueInfo *info = ts_arena_new0 (p->module->shared, TsTtirValueInfo);

      *info = (TsTtirValueInfo) { location, dict };
      value->extra = info;
    }
  return TRUE;
}

/* `-> T` or `-> (T {dict}, U)`; with dictionaries the text is kept. */
static gboolean
parse_results (TtParser *p, TsFunction *function, TsTtirFunctionInfo *info)
{
  g_autoptr (GPtrArray) types = g_ptr_array_new ();
  guint32 start;

  if (!tt_accept_arrow (p))
    return TRUE;
  start = tt_token (p)->start;
  if (!tt_at (p, '('))
    {
      if (!tt_parse_types (p, types))
        return FALSE;
    }
  else
    {
      gboolean has_dict = FALSE;

      tt_next (p);
      while (!tt_at (p, ')'))
        {
          const TsType *type = tt_parse_type (p);
          const char *dict;

          if (type == NULL || !parse_raw_dict (p, &dict))
            return FALSE;
          has_dict = has_dict || dict != NULL;
          g_ptr_array_add (types, (gpointer) type);
          if (!tt_accept (p, ','))
            break;
        }
      if (!tt_expect (p, ')'))
        return FALSE;
      if (has_dict)
        {
          TsSpan span = tt_span (p, start);

          info->result_text = tt_share (p, p->lexer.text + span.offset, span.length);
        }
    }
  ts_function_set_returns (p->module, function, (const TsType *const *) types->pdata, types->len);
  return TRUE;
}

/* Dictionaries of the arguments, each behind its number, and those of the results. */
static void
keep_written_attrs (TtParser *p, TsFunction *function, const TsTtirFunctionInfo *function_info)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < function->n_params; i++)
    {
      const TsTtirValueInfo *info = function->params[i]->extra;

      if (info != NULL && info->dict != NULL)
        g_string_append_printf (text, "%s%u %s", text->len > 0 ? ", " : "", i, info->dict);
    }
  if (function_info->result_text != NULL)
    g_string_append_printf (text, "%s-> %s", text->len > 0 ? " " : "", function_info->result_text);
  if (text->len > 0)
    function->written_attrs = tt_share (p, text->str, text->len);
}

/* What the header says of itself stands in no dictionary; of two only one could be printed. */
static gboolean
check_stated (TtParser *p, TsOp *attrs)
{
  static const char *const stated[] = { "sym_name", "sym_visibility", "function_type" };

  for (guint i = 0; i < G_N_ELEMENTS (stated); i++)
    if (ts_op_attr (attrs, stated[i]) != NULL)
      return tt_error (p, "syntax", "'%s' stands in the header of a function, not among its attributes", stated[i]);
  return TRUE;
}

static gboolean
ends_with_dict (const TsFunction *function)
{
  const TsTtirValueInfo *info = function->n_params > 0 ? function->params[function->n_params - 1]->extra : NULL;

  return info != NULL && info->dict != NULL;
}

static gboolean
parse_function_header (TtParser *p, TsFunction *function, TsTtirFunctionInfo *info, TsOp *attrs, const char *visibility)
{
  const guint32 open = tt_token (p)->start;

  if (!tt_expect (p, '('))
    return FALSE;
  while (!tt_at (p, ')'))
    if (!parse_param (p, function) || !tt_accept (p, ','))
      break;
  /* A body behind the last argument has been taken for its dictionary: the place where the bracket is missed says nothing. */
  if (!p->failed && (tt_at (p, '}') || tt_token (p)->kind == TT_TOKEN_END || tt_at_word (p, "tt.func"))
      && ends_with_dict (function))
    return tt_error_at (p, open, 1, "syntax", "the '(' of the arguments of '%s' has no ')' in front of '{'", function->name);
  if (p->failed || !tt_expect (p, ')') || !parse_results (p, function, info))
    return FALSE;
  if (!tt_parse_attributes (p, attrs) || !check_stated (p, attrs))
    return FALSE;
  if (visibility != NULL && strcmp (visibility, "public") != 0)
    ts_op_set_attr (p->module, attrs, "sym_visibility", ts_expr_string (p->module, visibility));
  function->attrs = attrs->attrs;
  function->n_attrs = attrs->n_attrs;
  tt_sort_attrs (function->attrs, function->n_attrs);
  return TRUE;
}

/* Types stated at uses against those of the definitions. A value no table could type takes the first stated one. */
static void
check_uses (TtParser *p)
{
  for (guint i = 0; i < p->uses->len; i++)
    {
      TtUse *use = &g_array_index (p->uses, TtUse, i);
      g_autofree char *stated = NULL, *defined = NULL;

      if (!use->implied && ts_type_is_unknown (use->value->type))
        {
          use->value->type = use->type;
          continue;
        }
      if (use->implied || ts_type_equal (use->value->type, use->type))
        continue;
      stated = ts_ttir_print_type (use->type);
      defined = ts_ttir_print_type (use->value->type);
      ts_diag_add (p->diags, TS_SEVERITY_ERROR, "type-mismatch", p->source, use->span, "'%%%s' is used as %s but defined as %s",
                   use->value->hint, stated, defined);
    }
  for (guint i = 0; i < p->uses->len; i++)
    {
      TtUse *use = &g_array_index (p->uses, TtUse, i);

      if (use->implied && ts_type_is_unknown (use->value->type))
        use->value->type = use->type;
    }
  g_array_set_size (p->uses, 0);
}

/* Values that stayed undefined (reported) still need a type: nothing may hold NULL. */
static void
type_leftovers (TtParser *p)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, p->value_spans);
  while (g_hash_table_iter_next (&iter, &value, NULL))
    if (((TsValue *) value)->type == NULL)
      ((TsValue *) value)->type = ts_type_opaque (p->module, TS_TYPE_UNKNOWN);
  g_hash_table_remove_all (p->value_spans);
}

static TsFunction *
add_function (TtParser *p)
{
  TsFunction *function = ts_module_add_function (p->module, "");

  function->part = p->part;
  return function;
}

/* Symbols are those of one module; names are those of the file: where an earlier module has it, the number of this one is added.
 * FALSE: defined twice, which is reported, and the function takes the name all the same. */
static void
name_function (TtParser *p, TsFunction *function, TsTtirFunctionInfo *info, const char *symbol)
{
  g_autofree char *name = g_strdup (symbol);

  while (!g_hash_table_contains (p->symbols, symbol) && ts_module_find_function (p->module, name) != NULL)
    {
      g_autofree char *before = name;

      name = g_strdup_printf ("%s#%u", before, p->part + 1);
    }
  ts_module_rename_function (p->module, function, name);
  if (strcmp (name, symbol) != 0)
    {
      info->symbol = tt_share (p, symbol, strlen (symbol));
      p->has_renamed = TRUE;
    }
  if (!g_hash_table_contains (p->symbols, symbol))
    g_hash_table_insert (p->symbols, (gpointer) ts_module_intern (p->module, symbol), function);
}

static gboolean
rename_call (TsOp *op, gpointer data)
{
  const TtParser *p = data;
  const TsFunction *callee = op->code == TS_OP_CALL ? g_hash_table_lookup (p->symbols, op->name) : NULL;

  if (callee != NULL)
    op->name = callee->name;
  return TRUE;
}

/* Calls go to names; a function may be called before it is read. */
static void
rename_calls (TtParser *p)
{
  for (guint i = p->first_function; p->has_renamed && i < p->module->n_functions; i++)
    ts_region_walk (&p->module->functions[i]->body, rename_call, p);
}

/* A function without a body has types only, and nobody outside can call it. */
static void
check_declaration (TtParser *p, const TsFunction *function)
{
  const char *visibility = NULL;
  gboolean named = FALSE;

  for (guint i = 0; i < function->n_params; i++)
    named = named || function->params[i]->hint[0] != '\0';
  for (guint i = 0; i < function->n_attrs; i++)
    if (strcmp (function->attrs[i].key, "sym_visibility") == 0 && function->attrs[i].value->kind == TS_EXPR_STRING)
      visibility = function->attrs[i].value->text;
  if (named)
    tt_error (p, "syntax", "expected '{': the arguments have names, so a body follows");
  else if (visibility == NULL || strcmp (visibility, "public") == 0)
    tt_error (p, "syntax", "expected '{': a public function has a body");
}

static gboolean
is_visibility (const char *word)
{
  static const char *const words[] = { "public", "private", "nested" };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (strcmp (words[i], word) == 0)
      return TRUE;
  return FALSE;
}

static void
parse_function (TtParser *p)
{
  TsTtirFunctionInfo *info = ts_arena_new0 (p->module->shared, TsTtirFunctionInfo);
  TsOp *attrs = ts_op_new (p->module, TS_OP_UNKNOWN, "attributes", NULL, 0);
  const char *visibility = NULL;
  g_autofree char *name = NULL;
  TsFunction *function;
  guint32 start = tt_token (p)->start;

  tt_next (p);
  if (tt_token (p)->kind == TT_TOKEN_WORD && is_visibility (tt_token_text (p)))
    {
      visibility = tt_token_text (p);
      tt_next (p);
    }
  if (tt_token (p)->kind != TT_TOKEN_SYMBOL)
    {
      tt_error (p, "syntax", "expected the function's name (@name)");
      return;
    }
  name = tt_token_text (p)[1] == '"'
             ? tt_unquote (p->lexer.text + tt_token (p)->start + 1, tt_token (p)->end - tt_token (p)->start - 1)
             : g_strdup (tt_token_text (p) + 1);
  if (g_hash_table_contains (p->symbols, name))
    tt_error (p, "redefinition", "function '@%s' is already defined", name);
  p->failed = FALSE;
  tt_next (p);
  function = add_function (p);
  name_function (p, function, info, name);
  function->extra = info;
  tt_scope_push (p, TRUE);
  if (parse_function_header (p, function, info, attrs, visibility))
    {
      function->span = tt_span (p, start);
      keep_written_attrs (p, function, info);
      info->is_declaration = !tt_at (p, '{');
      if (info->is_declaration)
        check_declaration (p, function);
      else
        {
          tt_next (p);
          tt_parse_block_list (p, &function->body, ts_function_block (function));
          p->failed = FALSE;
          tt_expect (p, '}');
        }
      info->location = tt_parse_location (p);
    }
  check_uses (p);
  tt_scope_pop (p);
  type_leftovers (p);
}

/* --- functions and modules in generic form --------------------------------------------------------------------------------- */

/* What the dictionaries of a generic tt.func state: its type, and the rest as attributes. */
typedef struct
{
  TsFunction         *function;
  TsTtirFunctionInfo *info;
  TsOp               *attrs;
  GPtrArray          *params, *results;
} GenericFunction;

static gboolean
parse_generic_dict (TtParser *p, GenericFunction *f)
{
  gboolean properties = tt_token (p)->kind == TT_TOKEN_DICT_OPEN;

  if (!properties && !tt_at (p, '{'))
    return TRUE;
  tt_next (p);
  while (!tt_at (p, '}') && tt_token (p)->kind != TT_TOKEN_DICT_CLOSE)
    {
      if (tt_accept_word (p, "function_type"))
        {
          if (f->params->len + f->results->len > 0)
            return tt_error (p, "duplicate-attribute", "attribute 'function_type' is given twice");
          if (!tt_expect (p, '=') || !tt_parse_types (p, f->params) || !tt_expect_arrow (p) || !tt_parse_types (p, f->results))
            return FALSE;
        }
      else if (!tt_parse_entry (p, f->attrs))
        return FALSE;
      if (!tt_accept (p, ','))
        break;
    }
  if (!properties)
    return tt_expect (p, '}');
  if (tt_token (p)->kind != TT_TOKEN_DICT_CLOSE)
    return tt_error (p, "syntax", "expected '}>'");
  tt_next (p);
  return TRUE;
}

/* `({ ^bb0(%a: T, ...): ... })`: the arguments of the first block are the parameters; an empty region makes a declaration. */
static gboolean
parse_generic_body (TtParser *p, GenericFunction *f)
{
  gboolean labelled;

  if (!tt_expect (p, '(') || !tt_expect (p, '{'))
    return FALSE;
  labelled = tt_token (p)->kind == TT_TOKEN_BLOCK;
  if (labelled)
    {
      tt_next (p);
      if (tt_accept (p, '('))
        {
          while (!tt_at (p, ')'))
            if (!parse_param (p, f->function) || !tt_accept (p, ','))
              break;
          if (p->failed || !tt_expect (p, ')'))
            return FALSE;
        }
      if (!tt_expect (p, ':'))
        return FALSE;
    }
  f->info->is_declaration = !labelled && tt_at (p, '}');
  tt_parse_block_list (p, &f->function->body, ts_function_block (f->function));
  p->failed = FALSE;
  return tt_expect (p, '}') && tt_expect (p, ')');
}

/* `{...}` of argument i in arg_attrs or res_attrs; NULL when it is absent or empty. */
static const char *
nested_dict (const GenericFunction *f, const char *key, guint i)
{
  const TsExpr *list = ts_op_attr (f->attrs, key);

  return list != NULL && list->kind == TS_EXPR_LIST && i < list->n && list->list[i]->kind == TS_EXPR_TEXT
                 && strcmp (list->list[i]->text, "{}") != 0
             ? list->list[i]->text
             : NULL;
}

static gboolean
settle_params (TtParser *p, GenericFunction *f, guint32 start)
{
  TsFunction *function = f->function;

  for (guint i = 0; f->info->is_declaration && i < f->params->len; i++)
    ts_function_add_param (p->module, function, "", f->params->pdata[i], TS_DIRECTION_IN);
  if (function->n_params != f->params->len)
    return tt_error_at (p, start, 1, "type-count", "%u argument types for %u arguments", f->params->len, function->n_params);
  for (guint i = 0; i < function->n_params; i++)
    {
      const char *dict = nested_dict (f, "arg_attrs", i);
      const TsTtirValueInfo *old = function->params[i]->extra;

      if (!ts_type_equal (function->params[i]->type, f->params->pdata[i]))
        return tt_error_at (p, start, 1, "type-mismatch", "argument %u has another type in the function's type", i);
      if (dict != NULL)
        {
          TsTtirValueInfo *info = ts_arena_new0 (p->module->shared, TsTtirValueInfo);

          *info = (TsTtirValueInfo) { old != NULL ? old->location : NULL, tt_share (p, dict, strlen (dict)) };
          function->params[i]->extra = info;
        }
    }
  return TRUE;
}

static void
settle_results (TtParser *p, GenericFunction *f)
{
  g_autoptr (GString) text = g_string_new ("(");
  gboolean has_dict = FALSE;

  ts_function_set_returns (p->module, f->function, (const TsType *const *) f->results->pdata, f->results->len);
  for (guint i = 0; i < f->results->len; i++)
    {
      const char *dict = nested_dict (f, "res_attrs", i);
      g_autofree char *type = ts_ttir_print_type (f->results->pdata[i]);

      g_string_append_printf (text, "%s%s%s%s", i > 0 ? ", " : "", type, dict != NULL ? " " : "", dict != NULL ? dict : "");
      has_dict = has_dict || dict != NULL;
    }
  g_string_append_c (text, ')');
  if (has_dict)
    f->info->result_text = tt_share (p, text->str, text->len);
}

static gboolean
settle_generic (TtParser *p, GenericFunction *f, guint32 start)
{
  static const char *const stated[] = { "sym_name", "arg_attrs", "res_attrs" };
  const TsExpr *name = ts_op_attr (f->attrs, "sym_name"), *visibility = ts_op_attr (f->attrs, "sym_visibility");

  if (name == NULL || name->kind != TS_EXPR_STRING)
    return tt_error_at (p, start, 1, "syntax", "a generic tt.func needs its sym_name");
  if (visibility != NULL && (visibility->kind != TS_EXPR_STRING || !is_visibility (visibility->text)))
    return tt_error_at (p, start, 1, "syntax", "the sym_visibility of a function is \"public\", \"private\" or \"nested\"");
  if (g_hash_table_contains (p->symbols, name->text))
    return tt_error_at (p, start, 1, "redefinition", "function '@%s' is already defined", name->text);
  name_function (p, f->function, f->info, name->text);
  if (!settle_params (p, f, start))
    return FALSE;
  settle_results (p, f);
  keep_written_attrs (p, f->function, f->info);
  for (guint i = 0; i < G_N_ELEMENTS (stated); i++)
    ts_op_remove_attr (f->attrs, stated[i]);
  if (visibility != NULL && strcmp (visibility->text, "public") == 0)
    ts_op_remove_attr (f->attrs, "sym_visibility");
  f->function->attrs = f->attrs->attrs;
  f->function->n_attrs = f->attrs->n_attrs;
  tt_sort_attrs (f->function->attrs, f->function->n_attrs);
  return TRUE;
}

/* `() -> ()` behind a colon. */
static gboolean
parse_no_types (TtParser *p)
{
  return tt_expect (p, ':') && tt_expect (p, '(') && tt_expect (p, ')') && tt_expect_arrow (p) && tt_expect (p, '(')
         && tt_expect (p, ')');
}

static void
parse_generic_function (TtParser *p)
{
  g_autoptr (GPtrArray) params = g_ptr_array_new (), results = g_ptr_array_new ();
  GenericFunction f = { add_function (p), ts_arena_new0 (p->module->shared, TsTtirFunctionInfo),
                        ts_op_new (p->module, TS_OP_UNKNOWN, "attributes", NULL, 0), params, results };
  guint32 start = tt_token (p)->start;

  f.function->extra = f.info;
  f.function->span = (TsSpan) { start, tt_token (p)->end - start, 0 };
  tt_next (p);
  tt_scope_push (p, TRUE);
  if (tt_expect (p, '(') && tt_expect (p, ')') && (tt_token (p)->kind != TT_TOKEN_DICT_OPEN || parse_generic_dict (p, &f))
      && parse_generic_body (p, &f) && parse_generic_dict (p, &f) && parse_no_types (p) && settle_generic (p, &f, start))
    f.info->location = tt_parse_location (p);
  if (f.info->is_declaration && !p->failed)
    check_declaration (p, f.function);
  check_uses (p);
  tt_scope_pop (p);
  type_leftovers (p);
}

static gboolean
at_generic (TtParser *p, const char *name)
{
  const TtToken *token = tt_token (p);
  gsize length = strlen (name);

  return token->kind == TT_TOKEN_STRING && token->end - token->start == length + 2
         && memcmp (p->lexer.text + token->start + 1, name, length) == 0;
}

/* --- other things at the top ----------------------------------------------------------------------------------------------- */

static void
parse_alias (TtParser *p, GArray *aliases, gboolean after)
{
  TsTtirAlias alias = { .name = tt_token_text (p), .after = after };
  guint32 start, end;

  alias.name = tt_share (p, alias.name, strlen (alias.name));
  tt_next (p);
  if (!tt_expect (p, '='))
    return;
  start = tt_token (p)->start;
  end = start;
  while (tt_token (p)->kind != TT_TOKEN_END && !tt_token (p)->on_new_line)
    {
      TtTokenKind kind = tt_token (p)->kind;

      if (kind == TT_TOKEN_DICT_OPEN || (kind == TT_TOKEN_PUNCT && strchr ("([{<", tt_token (p)->punct) != NULL))
        {
          if (!tt_skip_balanced (p))
            return;
        }
      else
        tt_next (p);
      end = tt_span (p, start).offset + tt_span (p, start).length;
    }
  alias.text = tt_share (p, p->lexer.text + start, end - start);
  g_array_append_val (aliases, alias);
}

/* A generic form is read like any other, so that it is whole; what it says is kept as written. */
static gboolean
skip_generic (TtParser *p)
{
  g_autoptr (GPtrArray) types = g_ptr_array_new ();
  gboolean ok;

  tt_scope_push (p, TRUE);
  ok = tt_parse_generic_op (p, tt_token (p)->start, types) != NULL;
  if (ok)
    tt_parse_location (p);
  check_uses (p);
  tt_scope_pop (p);
  type_leftovers (p);
  return ok && !p->failed;
}

/* Up to the end of the line on which all brackets are closed. What ends in the middle of something is no operation. */
static gboolean
skip_pretty (TtParser *p)
{
  gboolean goes_on = FALSE;

  do
    {
      TtTokenKind kind = tt_token (p)->kind;

      if (kind == TT_TOKEN_ERROR)
        return tt_error (p, "syntax", "%s", p->lexer.problem);
      goes_on = kind == TT_TOKEN_ARROW || (kind == TT_TOKEN_PUNCT && strchr (",:=", tt_token (p)->punct) != NULL);
      if (kind == TT_TOKEN_DICT_OPEN || (kind == TT_TOKEN_PUNCT && strchr ("([{<", tt_token (p)->punct) != NULL))
        {
          if (!tt_skip_balanced (p))
            return FALSE;
        }
      else
        tt_next (p);
    }
  while (!tt_token (p)->on_new_line && tt_token (p)->kind != TT_TOKEN_END && !tt_at (p, '}'));
  return !goes_on || tt_error (p, "syntax", "expected more of the operation");
}

/* An operation at module level that is no function, modules within modules among them: kept as written, in place. */
static void
parse_other (TtParser *p)
{
  guint32 start = tt_token (p)->start;
  const char *word = tt_token (p)->kind == TT_TOKEN_WORD ? tt_token_text (p) : NULL;
  TsFunction *function;
  TsSpan span;

  if (word == NULL ? tt_token (p)->kind != TT_TOKEN_STRING : strchr (word, '.') == NULL && strcmp (word, "module") != 0)
    {
      tt_error (p, "syntax", "expected a function, a module or an alias");
      return;
    }
  if (word == NULL ? !skip_generic (p) : !skip_pretty (p))
    return;
  span = tt_span (p, start);
  function = add_function (p);
  function->body_kind = TS_BODY_TEXT;
  function->body_text = ts_intern_n (p->module->strings, p->lexer.text + span.offset, span.length);
  function->span = span;
}

/* Always moves on. A '}' that ends the module around it stays. */
static void
skip_item (TtParser *p, guint32 start, gboolean inside)
{
  const guint32 here = tt_token (p)->start;

  tt_recover (p, start);
  if (tt_token (p)->start == here && (here == start || (!inside && tt_at (p, '}'))))
    tt_next (p);
}

static void parse_items (TtParser *p, TsTtirModuleInfo *info, GArray *aliases, gboolean inside);

static void
parse_inside (TtParser *p, TsTtirModuleInfo *info, GArray *aliases)
{
  info->n_before = p->module->n_functions - p->first_function;
  parse_items (p, info, aliases, TRUE);
  info->n_inside = p->module->n_functions - p->first_function - info->n_before;
}

static void
parse_module (TtParser *p, TsTtirModuleInfo *info, GArray *aliases)
{
  TsOp *attrs = ts_op_new (p->module, TS_OP_UNKNOWN, "attributes", NULL, 0);

  tt_next (p);
  if (tt_token (p)->kind == TT_TOKEN_SYMBOL)
    {
      info->name = tt_token_text (p);
      tt_next (p);
    }
  if (!tt_parse_attributes (p, attrs))
    return;
  p->module->parts[p->part] = (TsModulePart) { attrs->attrs, attrs->n_attrs };
  if (!tt_expect (p, '{'))
    return;
  parse_inside (p, info, aliases);
  p->failed = FALSE;
  tt_expect (p, '}');
  info->location = tt_parse_location (p);
}

/* `"builtin.module"() <{...}> ({ ... }) {...} : () -> ()` */
static void
parse_generic_module (TtParser *p, TsTtirModuleInfo *info, GArray *aliases)
{
  TsOp *attrs = ts_op_new (p->module, TS_OP_UNKNOWN, "attributes", NULL, 0);
  const TsExpr *name;

  tt_next (p);
  if (!tt_expect (p, '(') || !tt_expect (p, ')') || (tt_token (p)->kind == TT_TOKEN_DICT_OPEN && !tt_parse_dict (p, attrs))
      || !tt_expect (p, '(') || !tt_expect (p, '{'))
    return;
  parse_inside (p, info, aliases);
  p->failed = FALSE;
  if (!tt_expect (p, '}') || !tt_expect (p, ')') || !tt_parse_dict (p, attrs) || !parse_no_types (p))
    return;
  name = ts_op_attr (attrs, "sym_name");
  if (name != NULL && name->kind == TS_EXPR_STRING)
    {
      g_autoptr (GString) symbol = g_string_new ("@");

      tp_key (symbol, name->text);
      info->name = ts_module_intern (p->module, symbol->str);
      ts_op_remove_attr (attrs, "sym_name");
    }
  p->module->parts[p->part] = (TsModulePart) { attrs->attrs, attrs->n_attrs };
  info->location = tt_parse_location (p);
}

static void
parse_items (TtParser *p, TsTtirModuleInfo *info, GArray *aliases, gboolean inside)
{
  gboolean seen_module = FALSE;

  while (tt_token (p)->kind != TT_TOKEN_END && !(inside && tt_at (p, '}')))
    {
      guint32 start = tt_token (p)->start;

      if (g_cancellable_is_cancelled (p->cancellable))
        return;
      p->failed = FALSE;
      if (tt_token (p)->kind == TT_TOKEN_HASH || tt_token (p)->kind == TT_TOKEN_BANG)
        parse_alias (p, aliases, seen_module || p->module->n_functions > p->first_function);
      else if (tt_token (p)->kind == TT_TOKEN_RESOURCES)
        {
          info->resources = tt_share (p, p->lexer.text + start, tt_token (p)->end - start);
          tt_next (p);
        }
      else if (tt_at_word (p, "tt.func"))
        parse_function (p);
      else if (at_generic (p, "tt.func"))
        parse_generic_function (p);
      else if (at_generic (p, "builtin.module") && !inside && !seen_module)
        {
          seen_module = TRUE;
          info->is_implicit = FALSE;
          parse_generic_module (p, info, aliases);
        }
      else if (tt_at_word (p, "module") && !inside && !seen_module)
        {
          seen_module = TRUE;
          info->is_implicit = FALSE;
          parse_module (p, info, aliases);
        }
      else if (!inside && (tt_at_word (p, "module") || at_generic (p, "builtin.module")))
        tt_error (p, "syntax", "a second module: a line \"// -----\" stands between modules");
      else
        parse_other (p);
      if (p->failed)
        skip_item (p, start, inside);
    }
}

const TsTtirModuleInfo *
tt_parse_section (TtParser *p)
{
  TsTtirModuleInfo *info = ts_arena_new0 (p->module->shared, TsTtirModuleInfo);
  g_autoptr (GArray) aliases = g_array_new (FALSE, FALSE, sizeof (TsTtirAlias));

  info->is_implicit = TRUE;
  p->part = ts_module_add_part (p->module);
  p->first_function = p->module->n_functions;
  p->has_renamed = FALSE;
  g_hash_table_remove_all (p->symbols);
  parse_items (p, info, aliases, FALSE);
  tt_aliases_check (p);
  rename_calls (p);
  info->aliases = ts_arena_memdup (p->module->shared, aliases->data, sizeof (TsTtirAlias) * aliases->len);
  info->n_aliases = aliases->len;
  return info;
}
