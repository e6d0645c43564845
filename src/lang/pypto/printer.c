/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Printed form of modules, functions and statements. Source: spec dsl sections 2, 5 and 7. */

#include "lang/pypto/printer.h"

#define INDENT 4u

static void print_block (TsPrinter *p, const TsBlock *block, guint indent);

static void
put_indent (TsPrinter *p, guint indent)
{
  static const char blanks[] = "                                                                ";

  for (; indent >= sizeof blanks - 1; indent -= sizeof blanks - 1)
    ts_put (p, blanks, sizeof blanks - 1);
  ts_put (p, blanks, indent);
}

/* Notes where the line that begins here stands; returns the index of the note, for end_place(). */
static guint
begin_place (TsPrinter *p, gint32 op)
{
  TsTextPlace place = { op, p->line, (guint32) p->out->len, 0, p->line };

  if (p->places == NULL)
    return 0;
  g_array_append_val (p->places, place);
  return p->places->len - 1;
}

/* Ends the line and gives the place its length. */
static void
end_place_line (TsPrinter *p, guint place)
{
  if (p->places != NULL)
    {
      TsTextPlace *note = &g_array_index (p->places, TsTextPlace, place);

      note->length = (guint32) p->out->len - note->offset;
    }
  ts_end_line (p);
}

/* After the regions: the last line that belongs to it. */
static void
end_place (TsPrinter *p, guint place)
{
  if (p->places != NULL)
    g_array_index (p->places, TsTextPlace, place).end_line = MAX (g_array_index (p->places, TsTextPlace, place).line, p->line - 1);
}

static void
print_comments (TsPrinter *p, const char *const *comments, guint n, guint indent)
{
  for (guint i = 0; i < n; i++)
    {
      put_indent (p, indent);
      ts_put_literal (p, "#");
      if (comments[i][0] != '\0')
        {
          ts_put_literal (p, " ");
          ts_put_text (p, comments[i]);
        }
      ts_end_line (p);
    }
}

/* Lines kept as written, each at the indentation of its place. */
static void
print_verbatim (TsPrinter *p, const char *text, guint indent)
{
  for (const char *line = text; line != NULL;)
    {
      const char *end = strchr (line, '\n');
      gsize length = end != NULL ? (gsize) (end - line) : strlen (line);

      if (length > 0)
        put_indent (p, indent);
      ts_put (p, line, length);
      line = end != NULL && end[1] != '\0' ? end + 1 : NULL;
      if (line != NULL)
        ts_end_line (p);
    }
}

/* --- headers of statements with regions ------------------------------------------------------------------------------------ */

static void
print_names (TsPrinter *p, TsValue *const *values, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      if (i > 0)
        ts_put_literal (p, ", ");
      ts_put_text (p, ts_names_get (&p->names, values[i]));
    }
}

/* (a, b) or (a,) */
static void
print_name_tuple (TsPrinter *p, TsValue *const *values, guint n)
{
  ts_put_literal (p, "(");
  print_names (p, values, n);
  ts_put_text (p, n == 1 ? ",)" : ")");
}

static void
print_inits (TsPrinter *p, TsExpr *const *inits, guint n)
{
  ts_put_literal (p, "init_values=(");
  for (guint i = 0; i < n; i++)
    {
      if (i > 0)
        ts_put_literal (p, ", ");
      ts_print_expr (p, inits[i], TS_LEAVES_PLAIN);
    }
  ts_put_text (p, n == 1 ? ",)" : ")");
}

static gboolean
is_index (const TsExpr *e, gint64 value)
{
  return e->kind == TS_EXPR_INT && e->dtype == TS_DTYPE_INDEX && e->i == value;
}

static void
print_for (TsPrinter *p, const TsOp *op)
{
  static const char *const kinds[] = { "range(", "parallel(", "unroll(", "pipeline(" };
  guint n_carried = ts_for_n_carried (op);
  TsExpr *const *bounds = op->operands;
  gboolean step = !is_index (bounds[TS_FOR_STEP], 1), start = step || !is_index (bounds[TS_FOR_START], 0);
  gboolean pipeline = op->sub == TS_LOOP_PIPELINE;
  TsExpr *stages = pipeline ? ts_op_attr (op, TS_ATTR_STAGES) : NULL; /* other loops have no stage=, only the attribute */

  ts_put_literal (p, "for ");
  ts_put_text (p, ts_names_get (&p->names, ts_for_var (op)));
  if (n_carried > 0)
    {
      ts_put_literal (p, ", ");
      print_name_tuple (p, ts_op_body (op, 0)->args + 1, MIN (n_carried, ts_op_body (op, 0)->n_args - 1));
    }
  ts_put_literal (p, " in ");
  ts_put_prefixed (p, kinds[op->sub & 3]);
  for (guint i = start ? TS_FOR_START : TS_FOR_STOP; i <= (step ? TS_FOR_STEP : TS_FOR_STOP); i++)
    {
      if (i != (start ? TS_FOR_START : TS_FOR_STOP))
        ts_put_literal (p, ", ");
      ts_print_expr (p, bounds[i], TS_LEAVES_PLAIN);
    }
  if (stages != NULL)
    {
      ts_put_literal (p, ", stage=");
      ts_print_expr (p, stages, TS_LEAVES_BARE);
    }
  if (n_carried > 0)
    {
      ts_put_literal (p, ", ");
      print_inits (p, op->operands + TS_FOR_INITS, n_carried);
    }
  ts_print_attrs (p, op, pipeline ? TS_ATTR_STAGES : NULL, FALSE);
  ts_put_literal (p, "):");
}

/* Carried: the condition is a statement of the body. Plain: it stands in the header. */
static void
print_while (TsPrinter *p, const TsOp *op)
{
  const TsBlock *body = ts_op_body (op, 0);

  if (op->n_operands > 0 || body->n_args > 0 || !ts_op_is (body->first, TS_OP_COND))
    {
      ts_put_literal (p, "for ");
      print_name_tuple (p, body->args, body->n_args);
      ts_put_literal (p, " in ");
      ts_put_prefixed (p, "while_(");
      print_inits (p, op->operands, op->n_operands);
      ts_print_attrs (p, op, NULL, FALSE);
      ts_put_literal (p, "):");
      return;
    }
  ts_put_literal (p, "while ");
  ts_print_expr (p, body->first->operands[0], TS_LEAVES_PLAIN);
  ts_put_literal (p, ":");
}

typedef struct
{
  const char *call;   /* with its opening bracket and what always stands first */
  gboolean    is_for;
} ScopeHeader;

static const ScopeHeader scope_headers[] = {
  [TS_SCOPE_AT] = { "at(", FALSE },
  [TS_SCOPE_CLUSTER] = { "cluster(", FALSE },
  [TS_SCOPE_SPMD] = { "spmd(", FALSE },
  [TS_SCOPE_SPMD_FOR] = { "spmd(", TRUE },
  [TS_SCOPE_SPLIT_AIV] = { "split_aiv(", TRUE },
  [TS_SCOPE_AUTO] = { "scope(", FALSE },
  [TS_SCOPE_MANUAL] = { "scope(", FALSE },
};

static void
print_scope (TsPrinter *p, const TsOp *op)
{
  const ScopeHeader *header = &scope_headers[MIN (op->sub, G_N_ELEMENTS (scope_headers) - 1)];
  gboolean first = TRUE;

  if (header->is_for)
    {
      ts_put_literal (p, "for ");
      print_names (p, ts_op_body (op, 0)->args, ts_op_body (op, 0)->n_args);
      ts_put_literal (p, " in ");
    }
  else
    ts_put_literal (p, "with ");
  ts_put_prefixed (p, header->call);
  if (op->sub == TS_SCOPE_MANUAL)
    {
      ts_put_literal (p, "mode=");
      ts_put_prefixed (p, "ScopeMode.MANUAL");
      first = FALSE;
    }
  for (guint i = 0; i < op->n_operands; i++, first = FALSE)
    {
      if (!first)
        ts_put_literal (p, ", ");
      ts_print_expr (p, op->operands[i], TS_LEAVES_PLAIN);
    }
  for (guint i = 0; i < op->n_keywords; i++, first = FALSE)
    {
      if (!first)
        ts_put_literal (p, ", ");
      ts_print_keyword (p, &op->keywords[i], '"');
    }
  ts_print_attrs (p, op, NULL, first);
  ts_put_literal (p, ")");
  if (!header->is_for && op->n_results > 0)
    {
      ts_put_literal (p, " as ");
      ts_put_text (p, ts_names_get (&p->names, op->results[0]));
    }
  ts_put_literal (p, ":");
}

/* --- simple statements ------------------------------------------------------------------------------------------------------- */

static void
print_annotated (TsPrinter *p, const TsValue *value)
{
  ts_put_text (p, ts_names_get (&p->names, value));
  if (value->type != NULL)
    {
      ts_put_literal (p, ": ");
      ts_print_type (p, value->type);
    }
  ts_put_literal (p, " = ");
}

static void
print_operands (TsPrinter *p, const TsOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    {
      if (i > 0)
        ts_put_literal (p, ", ");
      ts_print_expr (p, op->operands[i], TS_LEAVES_PLAIN);
    }
}

/* A yield names the results of the loop or branch around it, looking through scopes. */
static void
print_yield (TsPrinter *p, const TsOp *op)
{
  const TsOp *outer = ts_op_parent (op);

  while (outer != NULL && outer->code == TS_OP_SCOPE)
    outer = ts_op_parent (outer);
  if (outer == NULL)
    {
      ts_put_text (p, op->n_operands > 0 ? "return " : "return");
      print_operands (p, op);
      return;
    }
  if (outer->n_results == 1)
    print_annotated (p, outer->results[0]);
  else if (outer->n_results > 1)
    {
      print_names (p, outer->results, outer->n_results);
      ts_put_literal (p, " = ");
    }
  ts_put_prefixed (p, "yield_(");
  print_operands (p, op);
  ts_put_literal (p, ")");
}

/* The statement's own line, without indentation and line end. */
static void
print_own_line (TsPrinter *p, const TsOp *op)
{
  switch (op->code)
    {
    case TS_OP_FOR:
      print_for (p, op);
      return;
    case TS_OP_WHILE:
      print_while (p, op);
      return;
    case TS_OP_IF:
      ts_put_literal (p, "if ");
      ts_print_expr (p, op->operands[0], TS_LEAVES_PLAIN);
      ts_put_literal (p, ":");
      return;
    case TS_OP_SCOPE:
      print_scope (p, op);
      return;
    case TS_OP_COND:
      ts_put_prefixed (p, "cond(");
      print_operands (p, op);
      ts_put_literal (p, ")");
      return;
    case TS_OP_YIELD:
      print_yield (p, op);
      return;
    case TS_OP_RETURN:
      ts_put_text (p, op->n_operands > 0 ? "return " : "return");
      print_operands (p, op);
      return;
    case TS_OP_BREAK:
      ts_put_literal (p, "break");
      return;
    case TS_OP_CONTINUE:
      ts_put_literal (p, "continue");
      return;
    case TS_OP_TEXT:
      ts_put_text (p, op->name);
      return;
    default:
      if (op->n_results == 1)
        print_annotated (p, op->results[0]);
      else if (op->n_results > 1)
        {
          print_names (p, op->results, op->n_results);
          ts_put_literal (p, " = ");
        }
      ts_print_call (p, op);
    }
}

static gboolean
condition_in_header (const TsOp *op)
{
  const TsOp *outer = op->code == TS_OP_COND ? ts_op_parent (op) : NULL;

  return outer != NULL && outer->code == TS_OP_WHILE && outer->n_operands == 0 && ts_op_body (outer, 0)->n_args == 0
         && ts_op_body (outer, 0)->first == op;
}

static void
print_else (TsPrinter *p, const TsOp *op, guint indent)
{
  if (op->code != TS_OP_IF || (op->n_regions < 2 && !(op->flags & TS_OP_FLAG_ELSE_EMPTY)))
    return;
  put_indent (p, indent);
  ts_put_literal (p, "else:");
  ts_end_line (p);
  print_block (p, op->n_regions > 1 ? ts_op_body (op, 1) : NULL, indent + INDENT);
}

static void
print_statement (TsPrinter *p, const TsOp *op, guint indent)
{
  guint place;

  print_comments (p, op->comments, op->n_comments, indent);
  if (op->code == TS_OP_TEXT)
    {
      put_indent (p, indent);
      place = begin_place (p, op->id);
      p->out->len -= indent; /* each of its lines brings its own indentation */
      p->out->str[p->out->len] = '\0';
      print_verbatim (p, op->name, indent);
      end_place_line (p, place);
      end_place (p, place);
      return;
    }
  put_indent (p, indent);
  place = begin_place (p, op->id);
  print_own_line (p, op);
  end_place_line (p, place);
  if (op->n_regions == 0)
    return;
  print_block (p, ts_op_body (op, 0), indent + INDENT);
  print_else (p, op, indent);
  end_place (p, place);
}

static void
print_block (TsPrinter *p, const TsBlock *block, guint indent)
{
  gboolean any = FALSE;

  for (const TsOp *op = block != NULL ? block->first : NULL; op != NULL; op = op->next)
    {
      if (condition_in_header (op))
        {
          TsTextPlace header = { op->id, p->line - 1, 0, 0, p->line - 1 };

          if (p->places != NULL)
            {
              const TsTextPlace *loop = &g_array_index (p->places, TsTextPlace, p->places->len - 1);

              header.offset = loop->offset;
              header.length = loop->length;
              g_array_append_val (p->places, header);
            }
          continue;
        }
      print_statement (p, op, indent);
      any = TRUE;
    }
  if (any)
    return;
  put_indent (p, indent);
  ts_put_literal (p, "pass");
  ts_end_line (p);
}

/* --- functions --------------------------------------------------------------------------------------------------------------- */

static void
decorator_field (TsPrinter *p, gboolean *first, const char *text)
{
  ts_put_text (p, *first ? "(" : ", ");
  *first = FALSE;
  ts_put_text (p, text);
}

static void
print_decorator (TsPrinter *p, const TsFunction *function)
{
  gboolean first = TRUE;

  ts_put_literal (p, "@");
  if (function->is_inline)
    {
      ts_put_prefixed (p, "inline");
      return;
    }
  ts_put_prefixed (p, "function");
  if (function->type != TS_FUNCTION_OPAQUE)
    {
      decorator_field (p, &first, "type=");
      ts_put_prefixed (p, "FunctionType.");
      ts_put_text (p, ts_function_type_name (function->type));
    }
  if (function->level != NULL)
    {
      decorator_field (p, &first, "level=");
      ts_put_prefixed (p, "Level.");
      ts_put_text (p, function->level);
    }
  if (function->role != NULL)
    {
      decorator_field (p, &first, "role=");
      ts_put_prefixed (p, "Role.");
      ts_put_text (p, function->role);
    }
  if (!function->auto_scope)
    decorator_field (p, &first, "auto_scope=False");
  if (function->external_source != NULL)
    {
      decorator_field (p, &first, "external_source=");
      ts_print_string (p, function->external_source, '"');
    }
  if (!first)
    ts_put_literal (p, ")");
}

static void
print_param (TsPrinter *p, const TsFunction *function, guint i)
{
  static const char *const wrappers[] = { NULL, "Out[", "InOut[" };
  const char *wrapper = wrappers[MIN (function->directions[i], 2)];
  const TsValue *param = function->params[i];

  ts_put_text (p, ts_names_get (&p->names, param));
  if (param->type == NULL)
    return;
  ts_put_literal (p, ": ");
  if (wrapper != NULL)
    ts_put_prefixed (p, wrapper);
  ts_print_type (p, param->type);
  if (wrapper != NULL)
    ts_put_literal (p, "]");
}

static void
print_returns (TsPrinter *p, const TsFunction *function)
{
  gboolean tuple = function->returns_tuple || function->n_returns > 1;

  if (function->n_returns == 0 && !tuple)
    return;
  ts_put_literal (p, " -> ");
  if (tuple)
    ts_put_literal (p, "tuple[");
  for (guint i = 0; i < function->n_returns; i++)
    {
      if (i > 0)
        ts_put_literal (p, ", ");
      ts_print_type (p, function->returns[i]);
    }
  if (tuple)
    ts_put_text (p, function->n_returns == 0 ? "()]" : "]");
}

static void
print_signature (TsPrinter *p, const TsFunction *function)
{
  gboolean first = TRUE;

  p->signature = TRUE;
  ts_put_literal (p, "def ");
  ts_put_text (p, function->name);
  ts_put_literal (p, "(");
  if (p->module->is_program && g_strcmp0 (function->role, "SubWorker") != 0)
    {
      ts_put_literal (p, "self");
      first = FALSE;
    }
  for (guint i = 0; i < function->n_params; i++)
    {
      if (!first)
        ts_put_literal (p, ", ");
      first = FALSE;
      print_param (p, function, i);
    }
  ts_put_literal (p, ")");
  print_returns (p, function);
  ts_put_literal (p, ":");
  p->signature = FALSE;
}

/* A split of NONE is the absence of one. */
static gboolean
is_dropped_attr (const TsAttr *attr)
{
  gint64 value;

  if (strcmp (attr->key, "split") != 0)
    return FALSE;
  return (attr->value->kind == TS_EXPR_ENUM && strcmp (attr->value->text, "SplitMode.NONE") == 0)
         || (ts_expr_as_int (attr->value, &value) && value == 0);
}

static void
print_func_attr (TsPrinter *p, const TsFunction *function, guint indent)
{
  static const char *const splits[] = { "NONE", "UP_DOWN", "LEFT_RIGHT" };
  gboolean first = TRUE;
  gint64 split;

  for (guint i = 0; i < function->n_attrs; i++)
    {
      const TsAttr *attr = &function->attrs[i];

      if (is_dropped_attr (attr))
        continue;
      if (first)
        {
          put_indent (p, indent);
          ts_put_prefixed (p, "func_attr({");
        }
      else
        ts_put_literal (p, ", ");
      first = FALSE;
      ts_print_string (p, attr->key, '"');
      ts_put_literal (p, ": ");
      if (strcmp (attr->key, "split") == 0 && ts_expr_as_int (attr->value, &split) && split > 0 && split < 3)
        {
          ts_put_prefixed (p, "SplitMode.");
          ts_put_text (p, splits[split]);
        }
      else
        ts_print_expr (p, attr->value, TS_LEAVES_PLAIN);
    }
  if (first)
    return;
  ts_put_literal (p, "})");
  ts_end_line (p);
}

static void
print_function (TsPrinter *p, const TsFunction *function, guint indent)
{
  guint place;

  ts_names_enter (&p->names, function);
  print_comments (p, function->comments, function->n_comments, indent);
  put_indent (p, indent);
  print_decorator (p, function);
  ts_end_line (p);
  put_indent (p, indent);
  place = begin_place (p, -1 - function->id);
  print_signature (p, function);
  end_place_line (p, place);
  print_func_attr (p, function, indent + INDENT);
  if (function->body_kind == TS_BODY_STATEMENTS)
    print_block (p, ts_function_block (function), indent + INDENT);
  else
    {
      if (function->body_kind == TS_BODY_TEXT)
        print_verbatim (p, function->body_text, indent + INDENT);
      else
        {
          put_indent (p, indent + INDENT);
          ts_put_literal (p, "...");
        }
      ts_end_line (p);
    }
  end_place (p, place);
}

/* --- module ------------------------------------------------------------------------------------------------------------------ */

static void
printer_init (TsPrinter *p, const TsModule *module, GString *out, GArray *places)
{
  memset (p, 0, sizeof *p);
  p->module = module;
  p->out = out;
  p->prefix = module->prefix != NULL ? module->prefix : "pl";
  p->line = 1;
  p->places = places;
  ts_names_init (&p->names, module);
  ts_names_collect_symbols (&p->names);
}

char *
ts_pypto_print (const TsModule *module, GArray *places, GPtrArray *names)
{
  g_autofree TsFunction **order = ts_module_print_order (module);
  GString *out = g_string_sized_new (4096 + (gsize) module->n_ops * 96);
  TsPrinter p;

  printer_init (&p, module, out, places);
  ts_print_header (&p);
  for (guint i = 0; i < module->n_functions; i++)
    print_function (&p, order[i], module->is_program ? INDENT : 0);
  if (names != NULL)
    {
      g_ptr_array_set_size (names, module->n_values);
      for (gint32 i = 0; i < module->n_values; i++)
        g_ptr_array_index (names, i) = (gpointer) p.names.names[i];
    }
  ts_names_clear (&p.names);
  return g_string_free (out, FALSE);
}

char *
ts_pypto_print_function (const TsModule *module, const TsFunction *function)
{
  GString *out = g_string_new (NULL);
  TsPrinter p;

  printer_init (&p, module, out, NULL);
  print_function (&p, function, 0);
  ts_names_clear (&p.names);
  return g_string_free (out, FALSE);
}

/* A printer that has entered the function of `op`, for texts of one line. */
static char *
print_one (const TsModule *module, const TsOp *op, const TsExpr *e, const TsType *type)
{
  GString *out = g_string_new (NULL);
  const TsFunction *function = op != NULL && op->block != NULL ? ts_op_function (op) : NULL;
  TsPrinter p;

  printer_init (&p, module, out, NULL);
  if (function != NULL)
    ts_names_enter (&p.names, function);
  else
    for (guint i = 0; i < module->n_functions; i++)
      ts_names_enter (&p.names, module->functions[i]);
  if (op != NULL)
    print_own_line (&p, op);
  else if (e != NULL)
    ts_print_expr (&p, e, TS_LEAVES_PLAIN);
  else
    ts_print_type (&p, type);
  ts_names_clear (&p.names);
  return g_string_free (out, FALSE);
}

char *
ts_pypto_print_op (const TsModule *module, const TsOp *op)
{
  return print_one (module, op, NULL, NULL);
}

char *
ts_pypto_print_expr (const TsModule *module, const TsExpr *e)
{
  return print_one (module, NULL, e, NULL);
}

char *
ts_pypto_print_type (const TsModule *module, const TsType *type)
{
  return print_one (module, NULL, NULL, type);
}
