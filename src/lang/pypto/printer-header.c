/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands above the functions of a printed module. Source: spec dsl 2.1. */
#include "lang/pypto/printer.h"

static void
print_import (TsPrinter *p)
{
  if (strcmp (p->prefix, "pl") == 0)
    ts_put_literal (p, "import pypto.language as pl");
  else
    {
      ts_put_literal (p, "from pypto import language as ");
      ts_put_text (p, p->prefix);
    }
  ts_end_line (p);
}

/* M = pl.dynamic("M") */
static void
print_declarations (TsPrinter *p, const GPtrArray *declared)
{
  for (guint i = 0; i < declared->len; i++)
    {
      const char *text = g_hash_table_lookup (p->names.symbols, g_ptr_array_index (declared, i));

      ts_put_text (p, text);
      ts_put_literal (p, " = ");
      ts_put_prefixed (p, "dynamic(");
      ts_print_string (p, text, '"');
      ts_put_literal (p, ")");
      ts_end_line (p);
    }
  if (declared->len > 0)
    ts_end_line (p);
}

static void
print_class (TsPrinter *p, const char *name)
{
  ts_put_literal (p, "@");
  ts_put_prefixed (p, "program");
  ts_end_line (p);
  ts_put_literal (p, "class ");
  ts_put_text (p, name);
  ts_put_literal (p, ":");
  ts_end_line (p);
  if (p->module->n_functions > 0)
    return;
  ts_put_literal (p, "    pass");
  ts_end_line (p);
}

static void
print_program_header (TsPrinter *p)
{
  const char *name = p->module->name != NULL ? p->module->name : "Program";

  ts_put_literal (p, "# pypto.program: ");
  ts_put_text (p, name);
  ts_end_line (p);
  print_import (p);
  ts_end_line (p);
  print_declarations (p, p->names.declared);
  if (p->module->is_program)
    print_class (p, name);
}

/* A lone function stands without a header. Its prefix must be known all the same, or nothing in it means anything. */
static void
print_lone_header (TsPrinter *p)
{
  if (strcmp (p->prefix, "pl") != 0)
    {
      print_import (p);
      ts_end_line (p);
    }
  print_declarations (p, p->names.open);
}

void
ts_print_header (TsPrinter *p)
{
  /* Several loose functions need the header: without it the text would be a user's file, whose reader has to choose one. */
  if (p->module->is_program || p->module->n_functions > 1)
    print_program_header (p);
  else
    print_lone_header (p);
}
