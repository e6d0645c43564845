/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A dump file from top to bottom, one statement in memory at a time. Source: spec dsl 2.1. */
#include "lang/pypto/source.h"

#include <string.h>

/* --- imports and symbols ------------------------------------------------------------------------------------------------- */

/* import pypto.language as P, from pypto import language as P */
static void
read_import (TsReader *reader, const TsStatement *statement)
{
  ts_read_prefix (reader->lexicon, statement);
  if (strchr (ts_lexicon_prefix (reader->lexicon), '.') == NULL)
    reader->module->prefix = ts_module_intern (reader->module, ts_lexicon_prefix (reader->lexicon));
}

static void
add_symbol (TsReader *reader, TsName *name, const char *text)
{
  name->symbol = ts_value_new (reader->module, TS_VALUE_SYMBOL, text, ts_type_scalar (reader->module, TS_DTYPE_INDEX));
}

/* M = pl.dynamic("M") */
static void
read_constant (TsReader *reader, const TsStatement *statement)
{
  const TsNode *call = statement->value, *target = statement->targets;
  gboolean is_dynamic = call != NULL && call->kind == TS_NODE_CALL && call->first->kind == TS_NODE_NAME
                        && ts_name_meaning (reader->lexicon, call->first->name) == TS_MEANING_DYNAMIC;

  if (is_dynamic && call->n == 2 && call->first->next->kind == TS_NODE_STRING && target->kind == TS_NODE_NAME)
    add_symbol (reader, target->name, call->first->next->text);
  else
    ts_reader_error_at (reader, "unsupported", statement->offset, statement->end,
                        "a printed program declares nothing but dynamic symbols, as in M = pl.dynamic(\"M\")");
}

static void
collect_symbol (TsName *name, gpointer data)
{
  if (name->symbol != NULL)
    g_ptr_array_add (data, name->symbol);
}

void
ts_reader_store_symbols (TsReader *reader)
{
  g_autoptr (GPtrArray) symbols = g_ptr_array_new ();

  ts_lexicon_foreach (reader->lexicon, collect_symbol, symbols);
  g_ptr_array_sort (symbols, ts_value_compare_hints);
  reader->module->symbols = ts_arena_memdup (reader->module->arena, symbols->pdata, sizeof (gpointer) * symbols->len);
  reader->module->n_symbols = symbols->len;
}

/* --- classes and functions ----------------------------------------------------------------------------------------------- */

static gboolean
is_decorated_as (TsReader *reader, const TsStatement *statement, TsNameMeaning meaning, TsNameMeaning other)
{
  TsName *name = statement->decorators != NULL ? ts_read_decorator (reader, statement->decorators) : NULL;

  return name != NULL && (name->meaning == meaning || name->meaning == other);
}

static void
read_member (TsReader *reader, TsStatement *statement)
{
  if (statement->kind == TS_STATEMENT_DEF && is_decorated_as (reader, statement, TS_MEANING_FUNCTION, TS_MEANING_INLINE))
    ts_read_function (reader, statement);
  else
    {
      if (statement->kind != TS_STATEMENT_PASS && statement->kind != TS_STATEMENT_BAD && statement->kind != TS_STATEMENT_EXPRESSION)
        ts_reader_error_at (reader, "unsupported", statement->offset, statement->end, "a program holds decorated functions only");
      ts_suite_skip (reader->parser, statement);
    }
}

static void
read_class (TsReader *reader, TsStatement *class)
{
  TsSuite suite;
  TsStatement *member;

  if (!is_decorated_as (reader, class, TS_MEANING_PROGRAM, TS_MEANING_PROGRAM))
    {
      ts_suite_skip (reader->parser, class);
      return;
    }
  reader->module->is_program = TRUE;
  reader->module->name = ts_module_intern (reader->module, class->name->text);
  ts_suite_open (&suite, reader->parser, class);
  for (;;)
    {
      TsPoolMark mark = ts_pool_mark (reader->pool);

      if (reader->stopped || (member = ts_suite_next (&suite)) == NULL)
        break;
      read_member (reader, member);
      ts_pool_release (reader->pool, mark);
    }
}

void
ts_read_module (TsReader *reader)
{
  TsStatement *statement;
  TsPoolMark mark = ts_pool_mark (reader->pool);

  while (!reader->stopped && (statement = ts_parser_top (reader->parser)) != NULL)
    {
      if (statement->kind == TS_STATEMENT_IMPORT || statement->kind == TS_STATEMENT_FROM)
        read_import (reader, statement);
      else if (statement->kind == TS_STATEMENT_ASSIGN)
        read_constant (reader, statement);
      else if (statement->kind == TS_STATEMENT_CLASS)
        read_class (reader, statement);
      else if (statement->kind == TS_STATEMENT_DEF && is_decorated_as (reader, statement, TS_MEANING_FUNCTION, TS_MEANING_INLINE))
        ts_read_function (reader, statement);
      else
        ts_suite_skip (reader->parser, statement);
      ts_pool_release (reader->pool, mark);
    }
  ts_reader_store_symbols (reader);
}
