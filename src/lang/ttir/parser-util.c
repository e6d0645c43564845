/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tokens, errors and names of the Triton IR reader. */
#include <string.h>

#include "base/limits.h"
#include "lang/ttir/format.h"
#include "lang/ttir/parser-private.h"

gboolean
tt_accept (TtParser *p, char punct)
{
  if (!tt_at (p, punct))
    return FALSE;
  tt_next (p);
  return TRUE;
}

gboolean
tt_accept_word (TtParser *p, const char *word)
{
  if (!tt_at_word (p, word))
    return FALSE;
  tt_next (p);
  return TRUE;
}

gboolean
tt_accept_arrow (TtParser *p)
{
  if (tt_token (p)->kind != TT_TOKEN_ARROW)
    return FALSE;
  tt_next (p);
  return TRUE;
}

static gboolean
expected (TtParser *p, const char *what)
{
  const TtToken *token = tt_token (p);

  if (token->kind == TT_TOKEN_END)
    return tt_error (p, "syntax", "expected %s before the end of the file", what);
  if (token->kind == TT_TOKEN_ERROR)
    return tt_error (p, "syntax", "%s", p->lexer.problem);
  return tt_error (p, "syntax", "expected %s", what);
}

gboolean
tt_expect (TtParser *p, char punct)
{
  char what[] = "'x'";

  what[1] = punct;
  return tt_accept (p, punct) || expected (p, what);
}

gboolean
tt_expect_word (TtParser *p, const char *word)
{
  return tt_accept_word (p, word) || expected (p, word);
}

gboolean
tt_expect_arrow (TtParser *p)
{
  return tt_accept_arrow (p) || expected (p, "'->'");
}

const char *
tt_token_text (TtParser *p)
{
  const TtToken *token = tt_token (p);

  return ts_intern_n (p->module->strings, p->lexer.text + token->start, token->end - token->start);
}

TsSpan
tt_span (TtParser *p, guint32 start)
{
  guint32 end = MAX (p->lexer.last_end, start);

  return (TsSpan) { start, end - start, 0 };
}

static gboolean
report (TtParser *p, TsSpan span, const char *code, const char *format, va_list args)
{
  if (!p->failed)
    ts_diag_add_valist (p->diags, TS_SEVERITY_ERROR, code, p->source, span, format, args);
  p->failed = TRUE;
  return FALSE;
}

gboolean
tt_error (TtParser *p, const char *code, const char *format, ...)
{
  const TtToken *token = tt_token (p);
  va_list args;

  va_start (args, format);
  report (p, (TsSpan) { token->start, token->end - token->start, 0 }, code, format, args);
  va_end (args);
  return FALSE;
}

gboolean
tt_error_at (TtParser *p, guint32 offset, guint32 length, const char *code, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  report (p, (TsSpan) { offset, length, 0 }, code, format, args);
  va_end (args);
  return FALSE;
}

/* Opens or closes one bracket of the stack. Angle brackets are loose: in raw text they also stand for comparisons. FALSE: a closing
 * bracket of another kind than the last opened. */
static gboolean
step_bracket (GString *stack, char c)
{
  static const char closers[] = ")]}", openers[] = "([{";
  const char *closer = strchr (closers, c);

  if (c == '<' || strchr (openers, c) != NULL)
    g_string_append_c (stack, c);
  else if (c == '>')
    {
      if (stack->len > 0 && stack->str[stack->len - 1] == '<')
        g_string_truncate (stack, stack->len - 1);
    }
  else if (closer != NULL)
    {
      while (stack->len > 0 && stack->str[stack->len - 1] == '<')
        g_string_truncate (stack, stack->len - 1);
      if (stack->len == 0 || stack->str[stack->len - 1] != openers[closer - closers])
        return FALSE;
      g_string_truncate (stack, stack->len - 1);
    }
  return TRUE;
}

gboolean
tt_step_brackets (GString *stack, const TtToken *token)
{
  if (token->kind == TT_TOKEN_DICT_OPEN)
    return step_bracket (stack, '<') && step_bracket (stack, '{');
  if (token->kind == TT_TOKEN_DICT_CLOSE)
    return step_bracket (stack, '}') && step_bracket (stack, '>');
  return token->kind != TT_TOKEN_PUNCT || step_bracket (stack, token->punct);
}

gboolean
tt_reach (TtParser *p, guint levels)
{
  if (p->depth + levels > TS_MAX_NESTING)
    return tt_error (p, "limit", "nested deeper than %u levels%s", TS_MAX_NESTING,
                     p->open_aliases > 0 ? ", each alias in an alias being one more" : "");
  p->deepest = MAX (p->deepest, p->depth + levels);
  return TRUE;
}

gboolean
tt_skip_balanced (TtParser *p)
{
  g_autoptr (GString) stack = g_string_new (NULL);

  do
    {
      if (tt_token (p)->kind == TT_TOKEN_END)
        return tt_error (p, "syntax", "a bracket is not closed");
      /* Raw text may hold characters of its dialect; a string that does not end would swallow what follows when printed. */
      if (tt_token (p)->kind == TT_TOKEN_ERROR && strchr ("\"@", p->lexer.text[tt_token (p)->start]) != NULL) /* or NUL */
        return tt_error (p, "syntax", "%s", p->lexer.problem);
      if (!tt_step_brackets (stack, tt_token (p)))
        return tt_error (p, "syntax", "this bracket closes another than the last opened");
      if (!tt_reach (p, (guint) stack->len))
        return FALSE;
      tt_next (p);
    }
  while (stack->len > 0);
  return TRUE;
}

/* --- going on after an error ------------------------------------------------------------------------------------------------ */

/* +1 for an opening bracket of any kind, -1 for a closing one. */
static int
step (const TtToken *token)
{
  if (token->kind == TT_TOKEN_DICT_OPEN)
    return 1;
  if (token->kind == TT_TOKEN_DICT_CLOSE)
    return -1;
  if (token->kind != TT_TOKEN_PUNCT)
    return 0;
  return strchr ("([{<", token->punct) != NULL ? 1 : strchr (")]}>", token->punct) != NULL ? -1 : 0;
}

static gboolean
is_brace (const TtToken *token)
{
  return token->kind == TT_TOKEN_DICT_OPEN || token->kind == TT_TOKEN_DICT_CLOSE
         || (token->kind == TT_TOKEN_PUNCT && (token->punct == '{' || token->punct == '}'));
}

/* Braces that are open where reading gave up, counted from `start` or the beginning of the line. */
static int
open_braces (TtParser *p, guint32 start)
{
  const guint32 here = tt_token (p)->start;
  guint32 line = here;
  TtLexer lexer;
  int open = 0;

  while (line > start && p->lexer.text[line - 1] != '\n')
    line--;
  tt_lexer_init (&lexer, p->lexer.text, MAX (line, start), here);
  for (; lexer.token.kind != TT_TOKEN_END; tt_lexer_next (&lexer))
    if (is_brace (&lexer.token))
      open = MAX (open + step (&lexer.token), 0);
  return open;
}

void
tt_recover (TtParser *p, guint32 start)
{
  int depth = 0, open = open_braces (p, start);

  for (gboolean first = tt_token (p)->start == start;
       tt_token (p)->kind != TT_TOKEN_END && (first || depth > 0 || !tt_token (p)->on_new_line); first = FALSE)
    {
      int change = step (tt_token (p));

      if (depth == 0 && change < 0 && is_brace (tt_token (p)) && open-- == 0)
        break;
      depth = MAX (depth + change, 0);
      tt_next (p);
    }
}

const char *
tt_share (TtParser *p, const char *text, gsize length)
{
  return ts_arena_strndup (p->module->shared, text, length);
}

/* --- scopes ---------------------------------------------------------------------------------------------------------------- */

void
tt_scope_push (TtParser *p, gboolean is_function)
{
  TtScope *scope = g_new0 (TtScope, 1);

  scope->parent = is_function ? NULL : p->scope;
  scope->names = g_hash_table_new (NULL, NULL);
  scope->pending = g_hash_table_new (NULL, NULL);
  scope->blocks = g_hash_table_new (NULL, NULL);
  scope->defined_blocks = g_hash_table_new (NULL, NULL);
  scope->block_spans = g_hash_table_new (NULL, NULL);
  p->scope = scope;
}

static gint
compare_values (gconstpointer a, gconstpointer b)
{
  return (*(TsValue *const *) a)->id - (*(TsValue *const *) b)->id;
}

/* Pending values in order of first use: errors must not depend on addresses. */
static GPtrArray *
pending_in_order (TtScope *scope)
{
  GPtrArray *values = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, scope->pending);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    g_ptr_array_add (values, value);
  g_ptr_array_sort (values, compare_values);
  return values;
}

static void
report_undefined (TtParser *p, TtScope *scope)
{
  g_autoptr (GPtrArray) values = pending_in_order (scope);

  for (guint i = 0; i < values->len; i++)
    {
      const TsValue *value = g_ptr_array_index (values, i);
      guint32 offset = GPOINTER_TO_UINT (g_hash_table_lookup (p->value_spans, value)) - 1;

      ts_diag_add (p->diags, TS_SEVERITY_ERROR, "undefined-name", p->source,
                   (TsSpan){ offset, (guint32) strlen (value->hint) + 1, 0 }, "use of undefined value '%%%s'", value->hint);
    }
}

static void
report_missing_blocks (TtParser *p, TtScope *scope)
{
  GHashTableIter iter;
  gpointer label;
  g_autoptr (GPtrArray) missing = g_ptr_array_new ();

  g_hash_table_iter_init (&iter, scope->blocks);
  while (g_hash_table_iter_next (&iter, &label, NULL))
    if (!g_hash_table_contains (scope->defined_blocks, label))
      g_ptr_array_add (missing, label);
  g_ptr_array_sort (missing, (GCompareFunc) (void (*) (void)) g_strcmp0);
  for (guint i = 0; i < missing->len; i++)
    {
      const char *name = g_ptr_array_index (missing, i);
      guint32 offset = GPOINTER_TO_UINT (g_hash_table_lookup (scope->block_spans, name)) - 1;

      ts_diag_add (p->diags, TS_SEVERITY_ERROR, "undefined-block", p->source, (TsSpan) { offset, (guint32) strlen (name), 0 },
                   "branch to undefined block '%s'", name);
    }
}

void
tt_scope_pop (TtParser *p)
{
  TtScope *scope = p->scope;
  GHashTableIter iter;
  gpointer name, value;

  report_missing_blocks (p, scope);
  if (scope->parent == NULL)
    report_undefined (p, scope);
  else
    {
      g_hash_table_iter_init (&iter, scope->pending);
      while (g_hash_table_iter_next (&iter, &name, &value))
        g_hash_table_insert (scope->parent->pending, name, value);
    }
  p->scope = scope->parent;
  g_hash_table_unref (scope->names);
  g_hash_table_unref (scope->pending);
  g_hash_table_unref (scope->blocks);
  g_hash_table_unref (scope->defined_blocks);
  g_hash_table_unref (scope->block_spans);
  g_free (scope);
}

static TsValue *
look_up (TtScope *scope, const char *key)
{
  for (; scope != NULL; scope = scope->parent)
    {
      TsValue *value = g_hash_table_lookup (scope->names, key);

      if (value == NULL)
        value = g_hash_table_lookup (scope->pending, key);
      if (value != NULL)
        return value;
    }
  return NULL;
}

/* Reads "#N" directly behind a value token and returns the interned key. */
static const char *
use_key (TtParser *p)
{
  const char *text = p->lexer.text;
  guint32 start = tt_token (p)->start + 1, end = tt_token (p)->end;

  if (end < p->lexer.length && text[end] == '#' && end + 1 < p->lexer.length && g_ascii_isdigit (text[end + 1]))
    {
      guint32 digits = end + 1;

      while (digits < p->lexer.length && g_ascii_isdigit (text[digits]))
        digits++;
      tt_lexer_seek (&p->lexer, digits);
      p->lexer.last_end = digits;
      if (digits == end + 2 && text[end + 1] == '0') /* %x#0 is %x */
        return ts_intern_n (p->module->strings, text + start, end - start);
      return ts_intern_n (p->module->strings, text + start, digits - start);
    }
  tt_next (p);
  return ts_intern_n (p->module->strings, text + start, end - start);
}

TsValue *
tt_parse_use (TtParser *p)
{
  guint32 offset = tt_token (p)->start;
  const char *key;
  TsValue *value;

  if (tt_token (p)->kind != TT_TOKEN_VALUE)
    {
      tt_error (p, "syntax", "expected a value (%%name)");
      return NULL;
    }
  key = use_key (p);
  value = look_up (p->scope, key);
  if (value == NULL)
    {
      value = ts_value_new (p->module, TS_VALUE_FREE, key, NULL);
      g_hash_table_insert (p->scope->pending, (gpointer) key, value);
      g_hash_table_insert (p->value_spans, value, GUINT_TO_POINTER (offset + 1));
    }
  return value;
}

TsExpr *
tt_parse_operand (TtParser *p)
{
  TsValue *value = tt_parse_use (p);

  return value != NULL ? ts_expr_value (p->module, value) : NULL;
}

TsValue *
tt_define (TtParser *p, const char *key, const char *hint, TsValueKind kind, const TsType *type, guint32 offset)
{
  TsValue *value = g_hash_table_lookup (p->scope->pending, key);

  if (g_hash_table_contains (p->scope->names, key))
    {
      tt_error_at (p, offset, (guint32) strlen (hint) + 1, "redefinition", "'%%%s' is already defined in this region", key);
      return NULL;
    }
  if (value != NULL)
    g_hash_table_remove (p->scope->pending, key);
  else
    value = ts_value_new (p->module, kind, hint, NULL);
  value->kind = kind;
  value->hint = hint;
  value->type = type;
  g_hash_table_insert (p->scope->names, (gpointer) key, value);
  return value;
}

void
tt_state_type (TtParser *p, const TsExpr *operand, const TsType *type, guint32 offset)
{
  TtUse use = { ts_expr_as_value (operand), type, { offset, 1, 0 } };

  if (use.value != NULL && type != NULL)
    g_array_append_val (p->uses, use);
}

const TsType *
tt_implied_type (TtParser *p, const TsOp *op, guint i, const TsType *first)
{
  const TsType *pointee = op->code == TS_OP_TT_LOAD || op->code == TS_OP_TT_STORE ? tt_pointee (p->module, first) : NULL;
  guint value = op->code == TS_OP_TT_LOAD ? 2 : 1;

  switch ((int) op->code)
    {
    case TS_OP_TT_LOAD:
    case TS_OP_TT_STORE:
      return i == 0 || pointee == NULL ? NULL : i == value ? pointee : tt_bool_like (p->module, pointee);
    case TS_OP_TT_ADVANCE:
      return i == 0 ? NULL : ts_type_scalar (p->module, TS_DTYPE_INT32);
    case TS_OP_TT_MAKE_TENSOR_PTR:
      return i == 0 ? NULL : ts_type_scalar (p->module, i <= op->n_operands / 3 * 2 ? TS_DTYPE_INT64 : TS_DTYPE_INT32);
    case TS_OP_TENSOR_EMPTY:
      return ts_type_scalar (p->module, TS_DTYPE_INDEX);
    case TS_OP_TENSOR_EXTRACT_SLICE:
    case TS_OP_TENSOR_INSERT_SLICE:
      return i < (op->code == TS_OP_TENSOR_INSERT_SLICE ? 2 : 1) ? NULL : ts_type_scalar (p->module, TS_DTYPE_INDEX);
    default:
      return NULL;
    }
}

void
tt_imply_types (TtParser *p, const TsOp *op, const TsType *first)
{
  for (guint i = 0; i < op->n_operands; i++)
    {
      TtUse use = { .value = ts_expr_as_value (op->operands[i]), .implied = TRUE };

      if (use.value != NULL && (use.type = tt_implied_type (p, op, i, first)) != NULL)
        g_array_append_val (p->uses, use);
    }
}

void
tt_note_label (TtParser *p, const char *label)
{
  if (!g_hash_table_contains (p->scope->block_spans, label))
    g_hash_table_insert (p->scope->block_spans, (gpointer) label, GUINT_TO_POINTER (tt_token (p)->start + 1));
}

TsBlock *
tt_block_by_label (TtParser *p, const char *label, TsRegion *region)
{
  TsBlock *block = g_hash_table_lookup (p->scope->blocks, label);

  if (block == NULL)
    {
      /* Placed in the region when its label is met: a branch may come first, and order is that of the labels. */
      block = ts_arena_new0 (p->module->arena, TsBlock);
      block->region = region;
      block->label = label;
      g_hash_table_insert (p->scope->blocks, (gpointer) label, block);
      tt_note_label (p, label);
    }
  return block;
}

TsOp *
tt_new_op (TtParser *p, const char *name, guint32 start)
{
  TsOp *op = ts_op_new (p->module, TS_OP_UNKNOWN, name, NULL, 0);

  op->code = tt_code_from_name (name);
  op->span = (TsSpan) { start, (guint32) strlen (name), 0 };
  op->origin = (TsOrigin) { op->id, 0, NULL };
  return op;
}
