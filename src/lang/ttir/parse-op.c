/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations of Triton IR: results, generic form, regions, and what no table knows. Source: spec ttir sections 2 and 6. */
#include <string.h>

#include "base/limits.h"
#include "ir/op-info.h"
#include "lang/ttir/format.h"
#include "lang/ttir/parser-private.h"

/* --- results --------------------------------------------------------------------------------------------------------------- */

static gboolean
parse_result_names (TtParser *p, GArray *names)
{
  while (tt_token (p)->kind == TT_TOKEN_VALUE)
    {
      TtResultName result = { .count = 1, .offset = tt_token (p)->start };
      const char *text = tt_token_text (p) + 1;

      result.name = ts_intern_n (p->module->strings, text, strlen (text));
      tt_next (p);
      if (tt_accept (p, ':'))
        {
          gint64 count;

          if (tt_token (p)->kind != TT_TOKEN_INTEGER || !g_ascii_string_to_signed (tt_token_text (p), 10, 1, 4096, &count, NULL))
            return tt_error (p, "syntax", "expected a number of results (1 to 4096)");
          result.count = (guint) count;
          tt_next (p);
        }
      g_array_append_val (names, result);
      if (!tt_accept (p, ','))
        break;
    }
  return names->len == 0 || tt_expect (p, '=');
}

static guint
count_results (const GArray *names)
{
  guint n = 0;

  for (guint i = 0; i < names->len; i++)
    n += g_array_index (names, TtResultName, i).count;
  return n;
}

/* Results of one group share their hint: `%r:2` prints again as a group. */
static void
define_results (TtParser *p, TsOp *op, const GArray *names, const GPtrArray *types)
{
  guint at = 0;

  for (guint i = 0; i < names->len; i++)
    {
      const TtResultName *group = &g_array_index (names, TtResultName, i);

      for (guint k = 0; k < group->count; k++, at++)
        {
          g_autofree char *key = k == 0 ? g_strdup (group->name) : g_strdup_printf ("%s#%u", group->name, k);
          TsValue *value
              = tt_define (p, ts_module_intern (p->module, key), group->name, TS_VALUE_RESULT, types->pdata[at], group->offset);

          if (value != NULL)
            ts_op_add_result_value (p->module, op, value);
        }
    }
  for (; at < types->len && names->len == 0; at++) /* unnamed results exist all the same */
    ts_op_add_result (p->module, op, "", types->pdata[at]);
}

/* --- unknown syntax -------------------------------------------------------------------------------------------------------- */

#define PLACEHOLDER '\x01' /* stands for the next operand in the kept text */

static gboolean
ends_statement (TtParser *p, const GString *stack)
{
  const TtToken *token = tt_token (p);

  return token->kind == TT_TOKEN_END
         || (stack->len == 0
             && (token->on_new_line || tt_at_word (p, "loc") || (token->kind == TT_TOKEN_PUNCT && token->punct == '}')));
}

static gboolean
is_visible (TtParser *p, const char *name)
{
  for (TtScope *scope = p->scope; scope != NULL; scope = scope->parent)
    if (g_hash_table_contains (scope->names, name))
      return TRUE;
  return FALSE;
}

/* Keeps the tokens up to the end of the statement. A name that is defined outside becomes an operand; one that is not stays text
 * (it may be defined inside an opaque region). */
static gboolean
parse_unknown (TtParser *p, TsOp *op)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GString) stack = g_string_new (NULL);

  op->code = TS_OP_UNKNOWN;
  for (guint32 last = tt_token (p)->start; !ends_statement (p, stack);)
    {
      TtToken token = *tt_token (p);

      if (token.kind == TT_TOKEN_ERROR)
        return tt_error (p, "syntax", "%s", p->lexer.problem);
      g_string_append_len (text, p->lexer.text + last, token.start - last);
      if (token.kind == TT_TOKEN_VALUE
          && is_visible (p, ts_intern_n (p->module->strings, p->lexer.text + token.start + 1, token.end - token.start - 1)))
        {
          TsExpr *operand = tt_parse_operand (p);

          ts_op_add_operand (p->module, op, operand);
          g_string_append_c (text, PLACEHOLDER);
          last = p->lexer.last_end; /* behind the number that was read with the name */
          continue;
        }
      g_string_append_len (text, p->lexer.text + token.start, token.end - token.start);
      last = token.end;
      if (!tt_step_brackets (stack, &token))
        return tt_error (p, "syntax", "this bracket closes another than the last opened");
      if (!tt_reach (p, (guint) stack->len))
        return FALSE;
      tt_next (p);
    }
  if (text->len > TS_MAX_STRING_LENGTH)
    return tt_error (p, "limit", "an unknown operation longer than %u bytes", TS_MAX_STRING_LENGTH);
  ts_op_add_attr (p->module, op, TS_TTIR_TEXT, ts_expr_text (p->module, text->str));
  ts_diag_add (p->diags, TS_SEVERITY_NOTE, "unknown-operation", p->source, op->span,
               "operation '%s' is not known: it is kept as written", op->name);
  return TRUE;
}

/* --- one operation --------------------------------------------------------------------------------------------------------- */

static TsOp *
parse_pretty_op (TtParser *p, guint32 start, guint n_results, GPtrArray *types)
{
  const char *name = tt_token_text (p);
  TsOp *op = tt_new_op (p, name, start);
  const char *format = tt_format_of ((TsOpCode) op->code);
  gboolean known;

  tt_next (p);
  if (format != NULL)
    return tt_parse_pattern (p, op, format, n_results, types) ? op : NULL;
  if (tt_parse_structured (p, op, name, n_results, types, &known))
    return op;
  if (known || !parse_unknown (p, op))
    return NULL;
  for (guint i = 0; i < n_results; i++)
    g_ptr_array_add (types, (gpointer) ts_type_opaque (p->module, TS_TYPE_UNKNOWN));
  return op;
}

static TsOp *
parse_operation (TtParser *p, GArray *names, guint32 start, GPtrArray *types)
{
  if (tt_token (p)->kind == TT_TOKEN_STRING)
    return tt_parse_generic_op (p, start, types);
  if (tt_token (p)->kind == TT_TOKEN_WORD)
    return parse_pretty_op (p, start, count_results (names), types);
  tt_error (p, "syntax", "expected an operation");
  return NULL;
}

void
tt_parse_statement (TtParser *p, TsBlock *block)
{
  g_autoptr (GArray) names = g_array_new (FALSE, FALSE, sizeof (TtResultName));
  g_autoptr (GPtrArray) types = g_ptr_array_new ();
  guint32 start = tt_token (p)->start;
  const char *location;
  TsOp *op = NULL;

  p->failed = FALSE;
  if (p->module->n_ops >= (gint32) TS_MAX_OPS)
    tt_error (p, "limit", "more than %u operations", TS_MAX_OPS);
  else if (parse_result_names (p, names))
    op = parse_operation (p, names, start, types);
  if (op != NULL && names->len > 0 && types->len != count_results (names))
    tt_error_at (p, start, 1, "result-count", "%u results are named, the operation has %u", count_results (names), types->len);
  if (op != NULL && !p->failed)
    {
      op->span = tt_span (p, start);
      location = tt_parse_location (p);
      op->extra = location;
      define_results (p, op, names, types);
      ts_block_append (block, op);
    }
  if (p->failed || op == NULL)
    {
      tt_recover (p, start);
      if (tt_token (p)->start == start) /* always move on */
        tt_next (p);
    }
}

/* --- regions --------------------------------------------------------------------------------------------------------------- */

static void
place_block (TtParser *p, TsRegion *region, TsBlock *block)
{
  /* The order of labels is the order of blocks: append to the region's array by hand, the block exists already. */
  TsBlock *fresh = ts_region_add_block (p->module, region);

  region->blocks[region->n_blocks - 1] = block;
  block->index = fresh->index;
  block->region = region;
}

static gboolean
parse_block_args (TtParser *p, TsBlock *block)
{
  if (!tt_accept (p, '('))
    return TRUE;
  while (!tt_at (p, ')'))
    {
      guint32 offset = tt_token (p)->start;
      const char *text, *name;
      const TsType *type;
      const char *location;
      TsValue *value;

      if (tt_token (p)->kind != TT_TOKEN_VALUE)
        return tt_error (p, "syntax", "expected a value (%%name)");
      text = tt_token_text (p) + 1;
      name = ts_intern_n (p->module->strings, text, strlen (text));
      tt_next (p);
      if (!tt_expect (p, ':') || (type = tt_parse_type (p)) == NULL)
        return FALSE;
      location = tt_parse_location (p);
      value = tt_define (p, name, name, TS_VALUE_BLOCK_ARG, type, offset);
      if (value == NULL)
        return FALSE;
      tt_adopt_arg (p, block, value, location, NULL);
      if (!tt_accept (p, ','))
        break;
    }
  return tt_expect (p, ')');
}

static gboolean
parse_label (TtParser *p, TsRegion *region, TsBlock **block)
{
  const char *label = tt_token_text (p);

  if (g_hash_table_contains (p->scope->defined_blocks, label))
    return tt_error (p, "redefinition", "block '%s' is already defined in this region", label);
  *block = tt_block_by_label (p, label, region);
  g_hash_table_add (p->scope->defined_blocks, (gpointer) label);
  tt_next (p);
  if ((*block)->index == 0 && region->blocks[0] != *block)
    place_block (p, region, *block);
  if (!parse_block_args (p, *block))
    return FALSE;
  if (region->op == NULL && *block == region->blocks[0] && (*block)->n_args > 0)
    return tt_error (p, "syntax", "the entry block of a function has its parameters and no arguments of its own");
  return tt_expect (p, ':');
}

gboolean
tt_parse_block_list (TtParser *p, TsRegion *region, TsBlock *entry)
{
  TsBlock *block = entry;
  guint32 label;

  while (!tt_at (p, '}') && tt_token (p)->kind != TT_TOKEN_END)
    {
      if (g_cancellable_is_cancelled (p->cancellable))
        return FALSE;
      label = tt_token (p)->start;
      if (tt_token (p)->kind != TT_TOKEN_BLOCK)
        {
          tt_parse_statement (p, block);
          continue;
        }
      p->failed = FALSE;
      /* A label in front of everything names the entry block itself. */
      if (block == entry && entry->n_ops == 0 && entry->label == NULL && region->n_blocks == 1 && entry->n_args == 0)
        {
          entry->label = tt_token_text (p);
          if (g_hash_table_contains (p->scope->blocks, entry->label))
            {
              tt_error (p, "syntax", "the entry block cannot be branched to");
              entry->label = NULL;
            }
          g_hash_table_insert (p->scope->blocks, (gpointer) tt_token_text (p), entry);
        }
      if (!parse_label (p, region, &block))
        {
          tt_recover (p, label);
          if (tt_token (p)->kind == TT_TOKEN_BLOCK && p->failed)
            tt_next (p);
        }
    }
  return TRUE;
}

gboolean
tt_parse_region (TtParser *p, TsOp *op, const GArray *args)
{
  TsBlock *entry;
  guint number = op->n_regions;
  gboolean ok;

  if (!tt_reach (p, 1))
    return FALSE;
  if (!tt_expect (p, '{'))
    return FALSE;
  entry = ts_op_add_region (p->module, op);
  tt_scope_push (p, FALSE);
  for (guint i = 0; args != NULL && i < args->len; i++)
    {
      const TtBlockArg *arg = &g_array_index (args, TtBlockArg, i);
      TsValue *value = tt_define (p, arg->name, arg->name, TS_VALUE_BLOCK_ARG, arg->type, arg->offset);

      if (value != NULL)
        tt_adopt_arg (p, entry, value, arg->location, NULL);
    }
  p->depth++;
  ok = tt_parse_block_list (p, &op->regions[number], entry);
  p->depth--;
  tt_scope_pop (p);
  p->failed = FALSE; /* errors inside were reported; the operation around them stands */
  return ok && tt_expect (p, '}');
}
