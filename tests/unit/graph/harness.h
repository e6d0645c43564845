/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs GraphOptimize over a piece of Triton IR and asks what became of it. */
#pragma once

#include <glib.h>

typedef struct
{
  const char *name;
  const char *text;    /* of the function's body (see `whole`) */
  const char *options; /* "rule-mask=2 ub-capacity-bytes=64", or NULL */
  gboolean    taken;   /* was something rewritten? */
  const char
      *expect; /* taken: text that must occur in the result (several separated by "\n...\n"); else the reason's name, and
                * behind it the operation it names or nothing, NULL: any */
} GraphCase;

/* Parses (errors fail the test), verifies, runs the pass with verification of the result, checks the expectation, and, when nothing
 * was taken, that the text did not change. `header` is the signature of @f; NULL: the text is a whole file. */
void graph_check (const char *header, const GraphCase *c);
/* The whole text after the pass. Free with g_free. */
char *graph_run (const char *text, const char *options, gboolean *changed, GString *log);
/* Injects a failure at every created operation in turn: each must leave the text as it was. Returns how many there were. */
guint graph_check_rollback (const char *text, const char *options);
char *graph_wrap (const char *header, const char *body);
/* The error with which the pass fails, which must leave the text as it was; NULL when it does not fail. Free with g_free. */
char *graph_failure (const char *text, const char *options);
/* Remarks of the pass, one a line. Free with g_free. */
char *graph_remarks (const char *text, const char *options);
