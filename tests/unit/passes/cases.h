/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cases of passes as data: a kernel, the passes, the text they must make. See tests/golden/schedule/README.md for the form. */
#pragma once

#include "passes/pipeline.h"

G_BEGIN_DECLS

typedef struct
{
  char *name;
  char *passes;  /* as --passes takes them */
  char *planner;
  char *machine;
  char *params;  /* of the function that is put around the body; NULL: the usual ones */
  char *after;   /* the parameters afterwards, when they are renamed */
  char *returns;
  char *verify;
  gboolean whole; /* the texts are whole programs */
  char *input;
  char *output;  /* NULL when an error is expected */
  char *error;   /* code of the first error */
  char *says;    /* must occur in the message of the first error, or of the first warning where there is an output */
} TsCase;

/* Reads a file of cases; an array of TsCase. Fails the test program when the file is not well formed. */
GPtrArray *ts_cases_read (const char *path);
/* The input as a program. Free with g_free. */
char      *ts_case_program (const TsCase *c, const char *body);
/* Short words for types and arguments ($V, <0:1>) written out. Free with g_free. */
char      *ts_case_expand (const char *text);
TsModule  *ts_case_parse (const char *program, TsDiagList *diags);
/* Runs the passes of the case on its input. The last snapshot tells; NULL when the input cannot be read, see `diags`. */
GPtrArray *ts_case_run (const TsCase *c, TsMachine *machine, gboolean record_steps, TsDiagList *diags);
void       ts_case_check (gconstpointer c);

G_END_DECLS
