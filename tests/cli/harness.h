/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running the command line from the tests of it. */
#pragma once

#include <json-glib/json-glib.h>

/* A kernel written by a user, around a loop header. */
#define USER(loop) \
  "import pypto.language as pl\n\n@pl.function(type=pl.FunctionType.InCore)\n" \
  "def f(x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):\n" \
  "    for i in " loop ":\n        t = pl.load(x, [0, 0], [64, 64])\n        y = pl.store(t, [0, 0], y)\n    return y\n"

/* A kernel of the tests whose steps are known line by line. */
#define EXAMPLE "@G/../cli/kernels/worked-example.py"

typedef struct
{
  char *folder; /* fresh */
  char *out, *err;
  gint  status;
} Result;

/* `args` are separated by blanks; @G stands for the golden folder, @T for a fresh folder. `input` is standard input, or NULL. */
void        run_cli (const char *args, const char *input, Result *result);
void        result_clear (Result *result);
void        remove_tree (const char *path);
/* The object of a text that must be JSON; it lives as long as the parser. */
JsonObject *json_of (const char *text, JsonParser *parser);
