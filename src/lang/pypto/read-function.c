/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions: decorator, signature, attributes, body. Source: spec dsl 2.3, 2.4, 2.5. */
#include "lang/pypto/reader.h"

#include <string.h>

#include "lang/pypto/verbatim.h"

/* --- decorator ----------------------------------------------------------------------------------------------------------- */

static TsName *
decorator_name (TsReader *reader, const TsNode *decorator)
{
  const TsNode *callee = decorator->kind == TS_NODE_CALL ? decorator->first : decorator;

  if (callee->kind != TS_NODE_NAME)
    return NULL;
  switch (ts_name_meaning (reader->lexicon, callee->name))
    {
    case TS_MEANING_PROGRAM:
    case TS_MEANING_FUNCTION:
    case TS_MEANING_INLINE:
    case TS_MEANING_JIT:
      return callee->name;
    default:
      return NULL;
    }
}

/* Other decorators may stand above ours: the first that the language knows counts. */
static const TsNode *
find_decorator (TsReader *reader, const TsNode *decorators)
{
  for (; decorators != NULL; decorators = decorators->next)
    if (decorator_name (reader, decorators) != NULL)
      return decorators;
  return NULL;
}

TsName *
ts_read_decorator (TsReader *reader, const TsNode *decorators)
{
  const TsNode *decorator = find_decorator (reader, decorators);

  return decorator != NULL ? decorator_name (reader, decorator) : NULL;
}

/* What a decorator is given is written out: no name is looked up there, nor would -D be. Returns NULL. */
static gpointer
not_written_out (TsReader *reader, const TsNode *node, const char *message, const char *example)
{
  TsDiag *diag = ts_reader_note (reader, TS_SEVERITY_ERROR, "bad-argument", node, "%s", message);

  if (reader->function != NULL)
    diag->function = g_strdup (reader->function->name);
  if (node->kind == TS_NODE_NAME && node->name->root == TS_ROOT_NONE)
    diag->help = g_strdup_printf ("write it out, as %s.%s: names are not looked up in a decorator",
                                  ts_lexicon_prefix (reader->lexicon), example);
  return NULL;
}

const char *
ts_read_level (TsReader *reader, const TsNode *node)
{
  static const struct { const char *name, *canonical; } levels[] = {
    { "AIV", "AIV" }, { "AIC", "AIC" }, { "CORE_GROUP", "CORE_GROUP" }, { "CHIP_DIE", "CHIP_DIE" }, { "CHIP", "CHIP" },
    { "HOST", "HOST" }, { "CLUSTER_0", "CLUSTER_0" }, { "CLUSTER_1", "CLUSTER_1" }, { "CLUSTER_2", "CLUSTER_2" },
    { "GLOBAL", "GLOBAL" }, { "L2CACHE", "CHIP_DIE" }, { "PROCESSOR", "CHIP" }, { "UMA", "CHIP" }, { "NODE", "HOST" },
    { "POD", "CLUSTER_0" }, { "CLOS1", "CLUSTER_1" }, { "CLOS2", "CLUSTER_2" },
  };

  if (node->kind == TS_NODE_NAME && ts_name_meaning (reader->lexicon, node->name) == TS_MEANING_ENUM
      && ts_name_is_of (node->name, "Level"))
    for (guint i = 0; i < G_N_ELEMENTS (levels); i++)
      if (strcmp (levels[i].name, ts_name_member (node->name)) == 0)
        return ts_module_intern (reader->module, levels[i].canonical);
  return not_written_out (reader, node, "a member of pl.Level is expected here", "Level.CHIP");
}

static const char *
read_role (TsReader *reader, const TsNode *node)
{
  if (node->kind == TS_NODE_NAME && ts_name_meaning (reader->lexicon, node->name) == TS_MEANING_ENUM
      && ts_name_is_of (node->name, "Role")
      && (strcmp (ts_name_member (node->name), "Orchestrator") == 0 || strcmp (ts_name_member (node->name), "SubWorker") == 0))
    return ts_module_intern (reader->module, ts_name_member (node->name));
  return not_written_out (reader, node, "a member of pl.Role is expected here", "Role.SubWorker");
}

static void
read_function_type (TsReader *reader, TsFunction *function, const TsNode *node)
{
  if (node->kind == TS_NODE_NAME && ts_name_meaning (reader->lexicon, node->name) == TS_MEANING_ENUM
      && ts_name_is_of (node->name, "FunctionType")
      && ts_function_type_from_name (ts_name_member (node->name), -1, &function->type))
    return;
  not_written_out (reader, node, "unknown FunctionType value", "FunctionType.InCore");
}

static gboolean
read_flag (TsReader *reader, const TsNode *node, gboolean fallback)
{
  if (node->kind == TS_NODE_TRUE || node->kind == TS_NODE_FALSE)
    return node->kind == TS_NODE_TRUE;
  ts_reader_error (reader, "bad-argument", node, "True or False is expected here");
  return fallback;
}

static void
add_function_attrs (TsReader *reader, TsFunction *function, const TsNode *dict)
{
  TsOp *holder = ts_op_new (reader->module, TS_OP_TEXT, "", NULL, 0);
  TsAttr *attrs;

  if (!ts_read_attrs (reader, holder, dict))
    return;
  for (guint i = 0; i < holder->n_attrs; i++)
    {
      if (strcmp (holder->attrs[i].key, "auto_scope") == 0 || strcmp (holder->attrs[i].key, "external_source") == 0)
        ts_reader_error (reader, "bad-argument", dict, "'%s' belongs to the decorator", holder->attrs[i].key);
      for (guint j = 0; j < function->n_attrs; j++)
        if (function->attrs[j].key == holder->attrs[i].key)
          ts_reader_error (reader, "bad-argument", dict, "the attribute '%s' is given twice", holder->attrs[i].key);
    }
  attrs = ts_arena_array (reader->module->arena, TsAttr, function->n_attrs + holder->n_attrs);
  if (function->n_attrs > 0)
    memcpy (attrs, function->attrs, sizeof (TsAttr) * function->n_attrs);
  if (holder->n_attrs > 0)
    memcpy (attrs + function->n_attrs, holder->attrs, sizeof (TsAttr) * holder->n_attrs);
  function->attrs = attrs;
  function->n_attrs += holder->n_attrs;
}

static void
read_decorator_keyword (TsReader *reader, TsFunction *function, const TsNode *keyword)
{
  const char *key = keyword->kind == TS_NODE_KEYWORD ? keyword->name->text : NULL;
  const TsNode *value = keyword->first;

  if (key == NULL)
    ts_reader_error (reader, "bad-argument", keyword, "a function's decorator takes keywords only");
  else if (strcmp (key, "type") == 0)
    read_function_type (reader, function, value);
  else if (strcmp (key, "level") == 0)
    function->level = ts_read_level (reader, value);
  else if (strcmp (key, "role") == 0)
    function->role = read_role (reader, value);
  else if (strcmp (key, "auto_scope") == 0)
    function->auto_scope = read_flag (reader, value, TRUE);
  else if (strcmp (key, "strict_ssa") == 0)
    function->strict_ssa = read_flag (reader, value, FALSE);
  else if (strcmp (key, "external_source") == 0 && value->kind == TS_NODE_STRING)
    function->external_source = ts_module_intern (reader->module, value->text);
  else if (strcmp (key, "attrs") == 0)
    add_function_attrs (reader, function, value);
  else
    ts_reader_error (reader, "unknown-keyword", keyword, "unknown keyword argument '%s' of pl.function", key);
}

/* What a type implies is filled in; something else given beside it is an error. */
static void
fill_in (TsReader *reader, const TsNode *decorator, const char **field, const char *implied, const char *what)
{
  if (implied == NULL)
    return;
  if (*field != NULL && strcmp (*field, implied) != 0)
    ts_reader_error (reader, "bad-argument", decorator, "%s %s contradicts the function's type, which implies %s", what, *field,
                     implied);
  *field = ts_module_intern (reader->module, implied);
}

static void
read_function_decorator (TsReader *reader, TsFunction *function, const TsStatement *def)
{
  const TsNode *decorator = find_decorator (reader, def->decorators);

  if (decorator == NULL)
    {
      ts_reader_error_at (reader, "unsupported", def->offset, def->end, "'%s' has no decorator of the kernel language",
                          def->name->text);
      return;
    }
  function->is_inline = decorator_name (reader, decorator)->meaning == TS_MEANING_INLINE;
  if (function->is_inline)
    function->type = TS_FUNCTION_INLINE;
  if (decorator->kind == TS_NODE_CALL)
    for (const TsNode *keyword = decorator->first->next; keyword != NULL; keyword = keyword->next)
      read_decorator_keyword (reader, function, keyword);
  fill_in (reader, decorator, &function->level, ts_function_type_level (function->type), "level");
  fill_in (reader, decorator, &function->role, ts_function_type_role (function->type), "role");
}

/* What somebody else compiles has no body here. Source: spec dsl 2.3. */
static void
check_external (TsReader *reader, const TsFunction *function, const TsStatement *def)
{
  if (function->external_source == NULL || reader->dump)
    return;
  if (function->type != TS_FUNCTION_AIC && function->type != TS_FUNCTION_AIV)
    ts_reader_error_at (reader, "bad-argument", def->offset, def->end,
                        "external_source= belongs to AIC and AIV functions only");
  else if (function->body_kind != TS_BODY_ELLIPSIS)
    ts_reader_error_at (reader, "bad-argument", def->offset, def->end, "the body of an external kernel is '...'");
}

/* --- signature ----------------------------------------------------------------------------------------------------------- */

/* Does the name mean a parameter of this function already? Values are numbered as they are made. */
static gboolean
is_parameter (const TsReader *reader, const TsFunction *function, const TsName *name)
{
  const TsValue *value = name->value;

  return value != NULL && value != &reader->poison && function->n_params > 0 && value->kind == TS_VALUE_PARAM
         && value->id >= function->params[0]->id;
}

/* Variables first, types afterwards: a type may name a later parameter. */
static void
add_parameters (TsReader *reader, TsFunction *function, const TsParameter *params)
{
  for (const TsParameter *param = params; param != NULL; param = param->next)
    {
      TsValue *value;

      if (param->name == NULL) /* a lone * or / says how to call, not what is computed */
        continue;
      if (param->stars != 0)
        {
          ts_reader_error_at (reader, "unsupported", param->offset, param->end, "a starred parameter cannot stand in a kernel");
          continue;
        }
      if (param == params && param->annotation == NULL && strcmp (param->name->text, "self") == 0)
        {
          function->has_self = TRUE;
          continue;
        }
      if (!reader->dump && is_parameter (reader, function, param->name))
        ts_reader_error_at (reader, "already-defined", param->offset, param->end, "a second parameter '%s'", param->name->text);
      value = ts_function_add_param (reader->module, function, param->name->text, NULL, TS_DIRECTION_IN);
      ts_reader_bind (reader, param->name, value);
    }
}

static gboolean
is_scalar_annotation (const TsNode *node)
{
  return node != NULL && ((node->kind == TS_NODE_TYPE && ts_type_is_scalar (node->type))
                          || (node->kind == TS_NODE_SUBSCRIPT && node->first->kind == TS_NODE_NAME
                              && strcmp (node->first->name->last, "Scalar") == 0));
}

/* Calls give every argument, and the printed form has no place for a default. Source: spec dsl 2.4, 4.5. */
static void
warn_default (TsReader *reader, const TsParameter *param)
{
  TsDiag *diag = ts_reader_note (reader, TS_SEVERITY_WARNING, "unused-default", param->value,
                                 "the default of '%s' has no effect: whoever calls this function gives every argument",
                                 param->name->text);

  if (is_scalar_annotation (param->annotation))
    diag->help = g_strdup_printf ("-D %s=VALUE gives the parameter a value", param->name->text);
}

static void
read_parameter_types (TsReader *reader, TsFunction *function, const TsParameter *params, gboolean scalars)
{
  guint i = 0;

  for (const TsParameter *param = params; param != NULL; param = param->next)
    {
      TsDirection direction = TS_DIRECTION_IN;
      const TsType *type = NULL;

      /* What add_parameters() left out has no variable. */
      if (param->name == NULL || i >= function->n_params || function->params[i]->hint != param->name->text)
        continue;
      i++;
      if (is_scalar_annotation (param->annotation) != scalars)
        continue;
      if (param->value != NULL)
        warn_default (reader, param);
      if (param->annotation == NULL)
        ts_reader_error_at (reader, "missing-annotation", param->offset, param->end, "parameter '%s' has no type",
                            param->name->text);
      else
        type = ts_read_parameter_type (reader, param->annotation, &direction);
      if (ts_type_is_scalar (type) && direction == TS_DIRECTION_INOUT)
        ts_reader_error (reader, "bad-type", param->annotation, "a scalar parameter cannot be InOut");
      function->directions[i - 1] = (guint8) direction;
      function->params[i - 1]->type = type != NULL ? type : ts_type_marker (reader->module, "pl.UnknownType");
    }
}

static void
read_returns (TsReader *reader, TsFunction *function, const TsNode *node)
{
  const TsNode *first = node;
  const TsType **types;
  guint n = 1;

  if (node == NULL || node->kind == TS_NODE_NONE)
    return;
  if (node->kind == TS_NODE_SUBSCRIPT && ts_node_is_name (node->first, "tuple"))
    {
      function->returns_tuple = TRUE;
      first = node->first->next;
      n = first->kind == TS_NODE_TUPLE ? first->n : 1;
      first = first->kind == TS_NODE_TUPLE ? first->first : first;
    }
  types = ts_pool_array (reader->pool, const TsType *, MAX (n, 1));
  n = 0;
  for (const TsNode *each = first; each != NULL; each = each->next, n++)
    if (function->returns_tuple && each->kind == TS_NODE_SUBSCRIPT && ts_node_is_name (each->first, "tuple"))
      {
        ts_reader_error (reader, "bad-type", each, "results cannot be nested: write pl.Tuple[...] for one that is a tuple");
        return;
      }
    else if ((types[n] = ts_read_type (reader, each)) == NULL)
      return;
  ts_function_set_returns (reader->module, function, types, n);
}

static void
read_signature (TsReader *reader, TsFunction *function, const TsStatement *def)
{
  reader->in_signature = TRUE;
  add_parameters (reader, function, def->params);
  read_parameter_types (reader, function, def->params, TRUE);
  read_parameter_types (reader, function, def->params, FALSE);
  read_returns (reader, function, def->annotation);
  reader->in_signature = FALSE;
}

/* --- body ---------------------------------------------------------------------------------------------------------------- */

static gboolean
is_func_attr (TsReader *reader, const TsStatement *statement)
{
  const TsNode *node = statement->kind == TS_STATEMENT_EXPRESSION ? statement->value : NULL;

  return node != NULL && node->kind == TS_NODE_CALL && node->first->kind == TS_NODE_NAME
         && ts_name_meaning (reader->lexicon, node->first->name) == TS_MEANING_FUNC_ATTR;
}

static void
read_func_attr (TsReader *reader, TsFunction *function, const TsNode *call)
{
  if (call->n != 2 || call->first->next->kind != TS_NODE_DICT)
    ts_reader_error (reader, "bad-argument", call, "pl.func_attr takes one dictionary");
  else
    add_function_attrs (reader, function, call->first->next);
}

/* Docstring, pl.func_attr and `...` may stand first; then the statements. */
static void
read_statements (TsReader *reader, TsFunction *function, TsStatement *def)
{
  TsSuite suite;
  gboolean preamble = TRUE;

  reader->block = ts_function_block (function);
  ts_suite_open (&suite, reader->parser, def);
  for (;;)
    {
      TsPoolMark mark = ts_pool_mark (reader->pool);
      TsStatement *statement = ts_reader_next (reader, &suite);
      gboolean is_docstring, is_attr;

      if (statement == NULL)
        break;
      is_docstring = statement->kind == TS_STATEMENT_EXPRESSION && statement->value->kind == TS_NODE_STRING;
      is_attr = preamble && is_func_attr (reader, statement);
      if (statement->kind == TS_STATEMENT_EXPRESSION && statement->value->kind == TS_NODE_ELLIPSIS && reader->block->first == NULL)
        function->body_kind = TS_BODY_ELLIPSIS;
      else if (is_attr)
        read_func_attr (reader, function, statement->value);
      else
        ts_read_statement (reader, statement);
      preamble = preamble && (is_docstring || is_attr);
      if (!def->is_read)
        ts_pool_release (reader->pool, mark);
    }
  if (reader->block->first != NULL)
    function->body_kind = TS_BODY_STATEMENTS;
}

/* Levels whose workers are ordinary Python. */
static gboolean
is_host_worker (const TsFunction *function)
{
  static const char *const levels[] = { "HOST", "CLUSTER_0", "CLUSTER_1", "CLUSTER_2", "GLOBAL" };

  if (function->level == NULL || g_strcmp0 (function->role, "SubWorker") != 0)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (levels); i++)
    if (strcmp (function->level, levels[i]) == 0)
      return TRUE;
  return FALSE;
}

static void
read_verbatim (TsReader *reader, TsFunction *function, TsStatement *def)
{
  g_autofree char *text = NULL;

  ts_suite_skip (reader->parser, def);
  text = ts_verbatim_suite (reader->source, def->end, def->suite_end);
  function->body_kind = strcmp (text, "...") == 0 ? TS_BODY_ELLIPSIS : TS_BODY_TEXT;
  function->body_text = ts_module_intern (reader->module, text);
}

/* Names that a signature mentions and nothing defines are dynamic symbols. */
static void
settle_forward_names (TsReader *reader)
{
  for (guint i = 0; i < reader->forward->len; i++)
    {
      TsName *name = g_ptr_array_index (reader->forward, i);

      if (name->symbol == NULL && name->value != NULL && name->value->kind == TS_VALUE_SYMBOL)
        name->symbol = name->value;
    }
  g_ptr_array_set_size (reader->forward, 0);
}

/* Those at the ends of blocks, and those of `pass` and docstrings, which emit nothing, with no statement behind to print them. */
static void
warn_dropped_comments (TsReader *reader, const TsStatement *def)
{
  guint32 offset = def->offset, end = def->suite_end > 0 ? def->suite_end : G_MAXUINT32;
  guint n = ts_parser_count_dropped_comments (reader->parser, def->offset, end, &offset) + reader->comments->len;
  TsDiag *diag;

  if (n == 0)
    return;
  diag = ts_diag_add (reader->diags, TS_SEVERITY_WARNING, "comment-dropped", reader->source,
                      ts_reader_span (reader, offset, offset),
                      n == 1 ? "a comment at the end of a block belongs to no statement and is dropped"
                             : "comments at the ends of blocks belong to no statement and are dropped");
  diag->function = g_strdup (reader->function->name);
}

/* A user's function that says what it gives and gives nothing. */
static void
warn_missing_return (TsReader *reader, const TsFunction *function, const TsStatement *def, guint errors_before)
{
  const TsOp *last = function->body_kind == TS_BODY_STATEMENTS ? ts_function_block (function)->last : NULL;

  if (reader->dump || reader->has_return || function->n_returns == 0 || last == NULL || last->code == TS_OP_YIELD
      || ts_diag_list_count (reader->diags, TS_SEVERITY_ERROR) > errors_before)
    return;
  ts_diag_add (reader->diags, TS_SEVERITY_WARNING, "missing-return", reader->source,
               ts_reader_span (reader, def->offset, def->end), "'%s' declares %u result%s and returns nothing", function->name,
               function->n_returns, function->n_returns == 1 ? "" : "s");
}

TsFunction *
ts_read_function_head (TsReader *reader, TsStatement *def)
{
  TsFunction *function = ts_module_add_function (reader->module, def->name->text);

  function->auto_scope = TRUE;
  function->strict_ssa = reader->strict_ssa;
  function->span = ts_reader_span (reader, def->offset, def->end);
  function->comments = ts_arena_array (reader->module->arena, const char *, MAX (def->n_comments, 1));
  for (guint i = 0; i < def->n_comments; i++)
    function->comments[i] = ts_module_intern (reader->module, def->comments[i]);
  function->n_comments = def->n_comments;
  reader->function = function;
  read_function_decorator (reader, function, def);
  read_signature (reader, function, def);
  reader->function = NULL;
  return function;
}

void
ts_read_function_body (TsReader *reader, TsFunction *function, TsStatement *def, guint mark)
{
  guint errors_before = ts_diag_list_count (reader->diags, TS_SEVERITY_ERROR);

  reader->function = function;
  reader->outer = NULL;
  reader->has_return = FALSE;
  g_ptr_array_set_size (reader->comments, 0);
  if (is_host_worker (function))
    read_verbatim (reader, function, def);
  else
    read_statements (reader, function, def);
  check_external (reader, function, def);
  warn_missing_return (reader, function, def, errors_before);
  settle_forward_names (reader);
  warn_dropped_comments (reader, def);
  ts_reader_undo (reader, mark);
  g_hash_table_remove_all (reader->declared);
  g_hash_table_remove_all (reader->reported);
  g_hash_table_remove_all (reader->tag_index);
  g_ptr_array_set_size (reader->tags, 0);
  if (reader->types != NULL)
    ts_type_cache_forget (reader->types);
  reader->function = NULL;
  reader->block = NULL;
}

void
ts_read_function (TsReader *reader, TsStatement *def)
{
  guint mark = ts_reader_mark (reader);
  TsFunction *function = ts_read_function_head (reader, def);

  ts_read_function_body (reader, function, def, mark);
}
