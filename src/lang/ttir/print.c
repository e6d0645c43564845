/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Modules of Triton IR as text. Source: spec ttir section 8. Names are given in a walk of their own before anything is written,
 * since a use may stand before its definition. */
#include <string.h>

#include "base/number.h"
#include "ir/op-info.h"
#include "lang/ttir/aliases.h"
#include "lang/ttir/format.h"
#include "lang/ttir/info.h"
#include "lang/ttir/parser-private.h"
#include "lang/ttir/print-private.h"

/* --- names ----------------------------------------------------------------------------------------------------------------- */

/* All names a function was read with: a new number must not take one of them. */
static void
collect_hint (TsValue *value, GHashTable *reserved)
{
  if (value->hint[0] != '\0')
    g_hash_table_add (reserved, (gpointer) value->hint);
}

static gboolean
collect_hints (TsOp *op, gpointer data)
{
  for (guint i = 0; i < op->n_results; i++)
    collect_hint (op->results[i], data);
  for (guint r = 0; r < op->n_regions; r++)
    for (guint b = 0; b < op->regions[r].n_blocks; b++)
      for (guint i = 0; i < op->regions[r].blocks[b]->n_args; i++)
        collect_hint (op->regions[r].blocks[b]->args[i], data);
  return TRUE;
}

typedef struct
{
  TtPrinter  *t;
  GHashTable *reserved;
  GPtrArray  *scope; /* names taken, in order; those of a region are given free behind it */
} Namer;

static const char *
intern_name (Namer *n, const char *text)
{
  return ts_intern (n->t->module->strings, text);
}

static const char *
next_number (Namer *n)
{
  char text[16];

  do
    g_snprintf (text, sizeof text, "%u", n->t->next_number++);
  while (g_hash_table_contains (n->reserved, text) || g_hash_table_contains (n->t->taken, text));
  return intern_name (n, text);
}

/* %cst, %c4_i32, %c4, %true */
static char *
constant_name (const TsOp *op)
{
  const TsExpr *value = ts_op_attr (op, "value");

  if (value == NULL || value->kind != TS_EXPR_INT)
    return g_strdup ("cst");
  if (value->dtype == TS_DTYPE_BOOL)
    return g_strdup (value->i != 0 ? "true" : "false");
  if (value->dtype == TS_DTYPE_INDEX)
    return g_strdup_printf ("c%" G_GINT64_FORMAT, value->i);
  return g_strdup_printf ("c%" G_GINT64_FORMAT "_%s", value->i, ts_dtype_ttir_name ((TsDtype) value->dtype));
}

static const char *
free_variant (Namer *n, const char *base)
{
  for (guint k = 0;; k++)
    {
      g_autofree char *text = g_strdup_printf ("%s_%u", base, k);

      if (!g_hash_table_contains (n->reserved, text) && !g_hash_table_contains (n->t->taken, text))
        return intern_name (n, text);
    }
}

static const char *
choose_name (Namer *n, const char *hint, const TsOp *op)
{
  if (hint[0] != '\0' && !g_hash_table_contains (n->t->taken, hint))
    return hint;
  if (hint[0] == '\0' && op != NULL && op->code == TS_OP_ARITH_CONSTANT)
    {
      g_autofree char *base = constant_name (op);

      if (!g_hash_table_contains (n->reserved, base) && !g_hash_table_contains (n->t->taken, base))
        return intern_name (n, base);
      return free_variant (n, base);
    }
  if (hint[0] == '\0' || g_ascii_isdigit (hint[0]))
    return next_number (n);
  return free_variant (n, hint);
}

static const char *
take (Namer *n, const char *name)
{
  g_hash_table_add (n->t->taken, (gpointer) name);
  g_ptr_array_add (n->scope, (gpointer) name);
  return name;
}

/* Neighbours with one hint are a group: `%r:2`, `%r#1`. */
static guint
group_length (const TsOp *op, guint first)
{
  guint n = 1;

  while (first + n < op->n_results && op->results[first + n]->hint == op->results[first]->hint)
    n++;
  return n;
}

static void
name_results (Namer *n, const TsOp *op)
{
  for (guint i = 0; i < op->n_results;)
    {
      guint length = group_length (op, i);
      const char *name = take (n, choose_name (n, op->results[i]->hint, op));

      n->t->names[op->results[i]->id] = name;
      for (guint k = 0; k < length && length > 1; k++)
        {
          g_autofree char *text = g_strdup_printf ("%s#%u", name, k);

          n->t->names[op->results[i + k]->id] = intern_name (n, text);
        }
      i += length;
    }
}

static void name_region (Namer *n, const TsRegion *region);

static void
name_block (Namer *n, const TsBlock *block)
{
  for (const TsOp *op = block->first; op != NULL; op = op->next)
    {
      for (guint r = 0; r < op->n_regions; r++)
        name_region (n, &op->regions[r]);
      name_results (n, op);
    }
}

static void
name_region (Namer *n, const TsRegion *region)
{
  guint mark = n->scope->len;

  for (guint b = 0; b < region->n_blocks; b++)
    for (guint i = 0; i < region->blocks[b]->n_args; i++)
      {
        const TsValue *arg = region->blocks[b]->args[i];

        n->t->names[arg->id] = take (n, choose_name (n, arg->hint, NULL));
      }
  for (guint b = 0; b < region->n_blocks; b++)
    name_block (n, region->blocks[b]);
  if (region->op == NULL)
    return;
  while (n->scope->len > mark)
    {
      g_hash_table_remove (n->t->taken, g_ptr_array_index (n->scope, n->scope->len - 1));
      g_ptr_array_set_size (n->scope, (gint) n->scope->len - 1);
    }
}

static void
name_function (TtPrinter *t, const TsFunction *function)
{
  Namer n = { t, g_hash_table_new (g_str_hash, g_str_equal), g_ptr_array_new () };

  g_hash_table_remove_all (t->taken);
  t->next_number = 0;
  ts_region_walk ((TsRegion *) &function->body, collect_hints, n.reserved);
  for (guint i = 0; i < function->n_params; i++)
    collect_hint (function->params[i], n.reserved);
  for (guint i = 0; i < function->n_params; i++)
    t->names[function->params[i]->id] = take (&n, choose_name (&n, function->params[i]->hint, NULL));
  name_region (&n, &function->body);
  g_hash_table_unref (n.reserved);
  g_ptr_array_unref (n.scope);
}

/* --- small parts ----------------------------------------------------------------------------------------------------------- */

void
tp_value (TtPrinter *t, const TsValue *value)
{
  const char *name = value->id < t->module->n_values ? t->names[value->id] : NULL;

  g_string_append_c (t->out, '%');
  g_string_append (t->out, name != NULL ? name : value->hint);
}

void
tp_operand (TtPrinter *t, const TsExpr *operand)
{
  TsValue *value = ts_expr_as_value (operand);

  if (value != NULL)
    tp_value (t, value);
  else
    tp_attribute (t->out, operand);
}

void
tp_operands (TtPrinter *t, const TsOp *op, guint first, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_string_append (t->out, i > 0 ? ", " : "");
      tp_operand (t, op->operands[first + i]);
    }
}

static void
write_entries (GString *out, const TsAttr *attrs, guint n, const TsOp *op, TpHidden hidden)
{
  guint written = 0;

  for (guint i = 0; i < n; i++)
    {
      if (hidden != NULL && hidden (op, &attrs[i]))
        continue;
      g_string_append (out, written++ > 0 ? ", " : "{");
      tp_key (out, attrs[i].key);
      if (attrs[i].value->kind == TS_EXPR_NONE)
        continue;
      g_string_append (out, " = ");
      if (attrs[i].written != NULL)
        g_string_append (out, attrs[i].written);
      else
        tp_attribute (out, attrs[i].value);
    }
  if (written > 0)
    g_string_append_c (out, '}');
}

void
tp_dict (TtPrinter *t, const TsOp *op, TpHidden hidden)
{
  gsize before = t->out->len;

  g_string_append_c (t->out, ' ');
  write_entries (t->out, op->attrs, op->n_attrs, op, hidden);
  if (t->out->len == before + 1)
    g_string_truncate (t->out, before);
}

void
tp_block_name (TtPrinter *t, const TsBlock *block)
{
  if (block->label != NULL)
    g_string_append (t->out, block->label);
  else
    g_string_append_printf (t->out, "^bb%u", block->index);
}

void
tp_new_line (TtPrinter *t)
{
  g_string_append_c (t->out, '\n');
  t->line++;
  for (guint i = 0; i < t->indent; i++)
    g_string_append (t->out, "  ");
}

static const char *
meaning_of (gpointer data, const char *name, gsize length, gsize *meaning_length)
{
  const TtPrinter *t = data;
  g_autofree char *key = g_strndup (name, length);
  const char *meaning = g_hash_table_lookup (t->aliases, key);

  *meaning_length = meaning != NULL ? strlen (meaning) : 0;
  return meaning;
}

/* A location that is too long with its aliases replaced is not known. */
static void
append_inlined (TtPrinter *t, const char *location)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append (t->out, tt_expand_aliases (t->expander, text, location) == TT_EXPANDED ? text->str : "unknown");
}

static void
write_location (TtPrinter *t, const char *location)
{
  if (location == NULL || t->locations == TS_TTIR_LOCATIONS_STRIP)
    return;
  g_string_append (t->out, " loc(");
  if (t->locations == TS_TTIR_LOCATIONS_INLINE)
    append_inlined (t, location);
  else
    g_string_append (t->out, location);
  g_string_append_c (t->out, ')');
}

/* --- operations ------------------------------------------------------------------------------------------------------------ */

static void
write_results (TtPrinter *t, const TsOp *op)
{
  if (op->n_results == 0)
    return;
  for (guint i = 0; i < op->n_results;)
    {
      guint length = group_length (op, i);

      g_string_append (t->out, i > 0 ? ", " : "");
      tp_value (t, op->results[i]);
      if (length > 1)
        {
          g_string_truncate (t->out, t->out->len - strlen ("#0"));
          g_string_append_printf (t->out, ":%u", length);
        }
      i += length;
    }
  g_string_append (t->out, " = ");
}

static void
write_kept_text (TtPrinter *t, const TsOp *op, const char *text)
{
  guint next = 0;

  g_string_append (t->out, op->name);
  if (*text != '\0' && *text != '(' && *text != '<')
    g_string_append_c (t->out, ' ');
  for (const char *p = text; *p != '\0'; p++)
    {
      if (*p == '\x01' && next < op->n_operands)
        tp_operand (t, op->operands[next++]);
      else
        g_string_append_c (t->out, *p);
      if (*p == '\n')
        t->line++;
    }
}

/* Of operations that are known the table says what is a property, of the others the file. */
static gboolean
hide_discardable (const TsOp *op, const TsAttr *attr)
{
  if (op->code == TS_OP_TT_REDUCE || op->code == TS_OP_TT_SCAN)
    return strcmp (attr->key, "axis") != 0 && strcmp (attr->key, "reverse") != 0;
  return attr->is_discardable;
}

static gboolean
hide_property (const TsOp *op, const TsAttr *attr)
{
  return !hide_discardable (op, attr);
}

static void
write_result_types (TtPrinter *t, const TsOp *op)
{
  g_autofree const TsType **types = g_new (const TsType *, (gsize) op->n_results + 1);

  for (guint i = 0; i < op->n_results; i++)
    types[i] = op->results[i]->type;
  tp_types (t->out, types, op->n_results);
}

static void
write_generic (TtPrinter *t, const TsOp *op)
{
  gsize before;

  tt_append_quoted (t->out, op->name);
  g_string_append_c (t->out, '(');
  tp_operands (t, op, 0, op->n_operands);
  g_string_append_c (t->out, ')');
  for (guint i = 0; i < op->n_successors; i++)
    {
      g_string_append (t->out, i > 0 ? ", " : "[");
      tp_block_name (t, op->successors[i]);
    }
  if (op->n_successors > 0)
    g_string_append_c (t->out, ']');
  before = t->out->len;
  g_string_append (t->out, " <");
  write_entries (t->out, op->attrs, op->n_attrs, op, hide_discardable);
  if (t->out->len > before + 2)
    g_string_append_c (t->out, '>');
  else
    g_string_truncate (t->out, before);
  for (guint r = 0; r < op->n_regions; r++)
    {
      g_string_append (t->out, r > 0 ? ", " : " (");
      tp_region (t, &op->regions[r], TRUE, FALSE);
    }
  if (op->n_regions > 0)
    g_string_append_c (t->out, ')');
  tp_dict (t, op, hide_property);
  g_string_append (t->out, " : (");
  for (guint i = 0; i < op->n_operands; i++)
    {
      g_string_append (t->out, i > 0 ? ", " : "");
      tp_type (t->out, ts_op_operand_type (op, i));
    }
  g_string_append (t->out, ") -> ");
  write_result_types (t, op);
}

static void
write_op (TtPrinter *t, const TsOp *op)
{
  const char *format = tt_format_of ((TsOpCode) op->code);
  const TsExpr *kept = op->code == TS_OP_UNKNOWN ? ts_op_attr (op, TS_TTIR_TEXT) : NULL;
  TsTtirPlace place = { op->id, t->line, (guint32) t->out->len, 0, t->line };
  guint at = 0;

  if (t->places != NULL)
    {
      at = t->places->len;
      g_array_append_val (t->places, place);
    }
  write_results (t, op);
  if (format != NULL)
    {
      g_string_append (t->out, op->name);
      tp_pattern (t, op, format);
    }
  else if (kept != NULL)
    write_kept_text (t, op, kept->text);
  else if (!tp_structured (t, op))
    write_generic (t, op);
  write_location (t, op->extra);
  if (t->places != NULL)
    {
      TsTtirPlace *stored = &g_array_index (t->places, TsTtirPlace, at);
      const char *line_end = memchr (t->out->str + stored->offset, '\n', t->out->len - stored->offset);

      stored->length
          = line_end != NULL ? (guint32) (line_end - (t->out->str + stored->offset)) : (guint32) t->out->len - stored->offset;
      stored->end_line = t->line;
    }
}

static void
write_block_args (TtPrinter *t, const TsBlock *block)
{
  if (block->n_args == 0)
    return;
  g_string_append_c (t->out, '(');
  for (guint i = 0; i < block->n_args; i++)
    {
      const TsTtirValueInfo *info = block->args[i]->extra;

      g_string_append (t->out, i > 0 ? ", " : "");
      tp_value (t, block->args[i]);
      g_string_append (t->out, ": ");
      tp_type (t->out, block->args[i]->type);
      write_location (t, info != NULL ? info->location : NULL);
    }
  g_string_append_c (t->out, ')');
}

static void
write_label (TtPrinter *t, const TsBlock *block)
{
  t->indent--;
  tp_new_line (t);
  t->indent++;
  tp_block_name (t, block);
  write_block_args (t, block);
  g_string_append_c (t->out, ':');
}

gboolean
tp_names_entry (const TsRegion *region)
{
  if (region->n_blocks > 1 && region->blocks[0]->first == NULL)
    return TRUE;
  for (guint b = 0; b < region->n_blocks; b++)
    for (const TsOp *op = region->blocks[b]->first; op != NULL; op = op->next)
      for (guint i = 0; i < op->n_successors; i++)
        if (op->successors[i] == region->blocks[0])
          return TRUE;
  return FALSE;
}

void
tp_region (TtPrinter *t, const TsRegion *region, gboolean with_args, gboolean skip_empty_yield)
{
  g_string_append_c (t->out, '{');
  t->indent++;
  for (guint b = 0; b < region->n_blocks; b++)
    {
      const TsBlock *block = region->blocks[b];

      if (b > 0 || (with_args && block->n_args > 0) || tp_names_entry (region))
        write_label (t, block);
      for (const TsOp *op = block->first; op != NULL; op = op->next)
        {
          if (skip_empty_yield && op->code == TS_OP_YIELD && op->n_operands == 0 && op->n_attrs == 0 && op->extra == NULL
              && op->next == NULL && (op->prev == NULL || !ts_op_is_terminator (op->prev)))
            continue; /* its reader adds one behind what does not end the block */
          tp_new_line (t);
          write_op (t, op);
        }
    }
  t->indent--;
  tp_new_line (t);
  g_string_append_c (t->out, '}');
}

/* --- functions and modules ------------------------------------------------------------------------------------------------- */

static gboolean
hide_visibility (const TsOp *op, const TsAttr *attr)
{
  return strcmp (attr->key, "sym_visibility") == 0;
}

static const char *
visibility_of (const TsFunction *function)
{
  for (guint i = 0; i < function->n_attrs; i++)
    if (strcmp (function->attrs[i].key, "sym_visibility") == 0 && function->attrs[i].value->kind == TS_EXPR_STRING)
      return function->attrs[i].value->text;
  return "public";
}

static void
write_params (TtPrinter *t, const TsFunction *function, gboolean names)
{
  for (guint i = 0; i < function->n_params; i++)
    {
      const TsValue *param = function->params[i];
      const TsTtirValueInfo *info = param->extra;

      g_string_append (t->out, i > 0 ? ", " : "");
      if (names)
        {
          tp_value (t, param);
          g_string_append (t->out, ": ");
        }
      tp_type (t->out, param->type);
      if (info != NULL && info->dict != NULL)
        g_string_append_printf (t->out, " %s", info->dict);
      write_location (t, info != NULL ? info->location : NULL);
    }
}

static void
write_function (TtPrinter *t, const TsFunction *function)
{
  static const TsTtirFunctionInfo plain = { 0 };
  const TsTtirFunctionInfo *info = function->extra != NULL ? function->extra : &plain;
  gsize before;

  if (function->body_kind == TS_BODY_TEXT)
    {
      for (const char *p = function->body_text; *p != '\0'; p++)
        t->line += *p == '\n';
      g_string_append (t->out, function->body_text);
      return;
    }
  name_function (t, function);
  if (t->places != NULL)
    {
      TsTtirPlace place = { -1 - function->id, t->line, (guint32) t->out->len, 0, t->line };

      g_array_append_val (t->places, place);
    }
  g_string_append_printf (t->out, "tt.func %s @", visibility_of (function));
  tp_key (t->out, info->symbol != NULL ? info->symbol : function->name);
  g_string_append_c (t->out, '(');
  write_params (t, function, !info->is_declaration);
  g_string_append_c (t->out, ')');
  if (function->n_returns > 0)
    {
      g_string_append (t->out, " -> ");
      if (info->result_text != NULL)
        g_string_append (t->out, info->result_text);
      else
        tp_types (t->out, function->returns, function->n_returns);
    }
  before = t->out->len;
  g_string_append (t->out, " attributes ");
  write_entries (t->out, function->attrs, function->n_attrs, NULL, hide_visibility);
  if (t->out->len == before + strlen (" attributes "))
    g_string_truncate (t->out, before);
  if (!info->is_declaration)
    {
      g_string_append_c (t->out, ' ');
      tp_region (t, &function->body, FALSE, FALSE);
    }
  write_location (t, info->location);
}

static void
write_aliases (TtPrinter *t, const TsTtirModuleInfo *info, gboolean after)
{
  for (guint i = 0; i < info->n_aliases; i++)
    {
      const TsTtirAlias *alias = &info->aliases[i];
      gboolean location = g_str_has_prefix (alias->text, "loc(");

      if (alias->after != after || (location && t->locations != TS_TTIR_LOCATIONS_KEEP))
        continue;
      for (const char *p = alias->text; *p != '\0'; p++)
        t->line += *p == '\n';
      g_string_append_printf (t->out, "%s = %s\n", alias->name, alias->text);
      t->line++;
    }
}

static void
use_aliases (TtPrinter *t, const TsTtirModuleInfo *info)
{
  g_hash_table_remove_all (t->aliases);
  tt_expander_free (t->expander); /* a name means something else here */
  t->expander = tt_expander_new (meaning_of, t);
  for (guint i = 0; i < info->n_aliases; i++)
    g_hash_table_insert (t->aliases, (gpointer) info->aliases[i].name, (gpointer) info->aliases[i].text);
}

static void
write_module_head (TtPrinter *t, const TsTtirModuleInfo *info, const TsModulePart *part)
{
  g_string_append (t->out, "module ");
  if (info->name != NULL)
    g_string_append_printf (t->out, "%s ", info->name);
  if (part->n_attrs > 0)
    {
      g_string_append (t->out, "attributes ");
      write_entries (t->out, part->attrs, part->n_attrs, NULL, NULL);
      g_string_append_c (t->out, ' ');
    }
  g_string_append_c (t->out, '{');
  t->indent++;
}

/* Of one module, from *next on and at most n. */
static void
write_functions (TtPrinter *t, guint index, guint *next, guint n)
{
  const TsModule *module = t->module;

  for (; n > 0 && *next < module->n_functions && module->functions[*next]->part == index; (*next)++, n--)
    {
      if (t->out->len > 0 && t->out->str[t->out->len - 1] != '\n')
        tp_new_line (t);
      write_function (t, module->functions[*next]);
    }
}

/* One module of the file, with its functions from *next on. */
static void
write_part (TtPrinter *t, guint index, guint *next)
{
  const TsModule *module = t->module;
  const TsTtirModuleInfo *info = ((const TsTtirFileInfo *) module->extra)->modules[index];
  /* What a pass says of a module that the file does not write (RowCoalescing) has no other place than its head. */
  gboolean bare = info->is_implicit && module->parts[index].n_attrs == 0;
  guint first = *next;

  use_aliases (t, info);
  write_aliases (t, info, FALSE);
  if (!bare)
    {
      write_functions (t, index, next, info->n_before);
      if (*next > first)
        tp_new_line (t);
      write_module_head (t, info, &module->parts[index]);
      write_functions (t, index, next, info->is_implicit ? G_MAXUINT : info->n_inside);
      t->indent--;
      tp_new_line (t);
      g_string_append_c (t->out, '}');
      write_location (t, info->location);
    }
  write_functions (t, index, next, G_MAXUINT);
  if (!bare || *next > first)
    tp_new_line (t);
  if (info->resources != NULL)
    {
      for (const char *p = info->resources; *p != '\0'; p++)
        t->line += *p == '\n';
      g_string_append_printf (t->out, "%s\n", info->resources);
      t->line++;
    }
  write_aliases (t, info, TRUE);
}

static void
write_file (TtPrinter *t)
{
  guint next = 0;

  for (guint i = 0; i < t->module->n_parts; i++)
    {
      if (i > 0)
        {
          g_string_append (t->out, "\n// -----\n\n");
          t->line += 3;
        }
      write_part (t, i, &next);
    }
}

static void
printer_init (TtPrinter *t, const TsModule *module, TsTtirLocations locations)
{
  *t = (TtPrinter) { .module = module, .out = g_string_new (NULL), .locations = locations, .line = 1 };
  t->names = g_new0 (const char *, MAX (module->n_values, 1));
  t->taken = g_hash_table_new (g_str_hash, g_str_equal);
  t->aliases = g_hash_table_new (g_str_hash, g_str_equal);
}

static char *
printer_finish (TtPrinter *t)
{
  g_free (t->names);
  g_hash_table_unref (t->taken);
  g_hash_table_unref (t->aliases);
  tt_expander_free (t->expander);
  return g_string_free (t->out, FALSE);
}

char *
ts_ttir_print (const TsModule *module, TsTtirLocations locations, GArray *places, GPtrArray *names)
{
  TtPrinter t;

  printer_init (&t, module, locations);
  t.places = places;
  write_file (&t);
  if (names != NULL)
    {
      g_ptr_array_set_size (names, module->n_values);
      for (gint32 i = 0; i < module->n_values; i++)
        names->pdata[i] = (gpointer) t.names[i];
    }
  return printer_finish (&t);
}

char *
ts_ttir_print_op (const TsModule *module, const TsOp *op)
{
  TsFunction *function = ts_op_function (op);
  char *text, *line_end;
  TtPrinter t;

  printer_init (&t, module, TS_TTIR_LOCATIONS_STRIP);
  if (function != NULL)
    name_function (&t, function);
  write_op (&t, op);
  text = printer_finish (&t);
  line_end = strchr (text, '\n');
  if (line_end != NULL)
    *line_end = '\0';
  return text;
}
