/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random functions of Triton IR go through GraphOptimize, each rule alone and all together, asked for its steps and not: memory
 * must hold the same to the byte after the function as it was and as it became. Usage: random [FIRST SEED] [COUNT] */
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "harness.h"
#include "lang/ttir/ttir.h"
#include "ir/verify.h"
#include "random-gen.h"
#include "toy.h"

#define BUFFER_STEP (2 * RANDOM_BUFFER_BYTES) /* who leaves a buffer does not find the next one */
#define FIRST_ADDRESS 4096

static guint first_seed = 1, n_seeds = 0;

/* --- memory ---------------------------------------------------------------------------------------------------------------- */

static gint64
origin_of (const RandomKernel *kernel, guint buffer)
{
  return FIRST_ADDRESS + RANDOM_BUFFER_ORIGIN + (kernel->may_alias ? kernel->offsets[buffer] : buffer * BUFFER_STEP);
}

/* Small numbers that every type of the buffer holds exactly. */
static void
fill_buffer (ToyMemory *memory, const char *element, gint64 from, gint64 to, GRand *rand)
{
  gboolean is_float = element[0] != 'i';
  gint64 bytes = strcmp (element, "bf16") == 0 ? 2 : atoi (element + 1) / 8;

  for (gint64 at = from; at < to; at += bytes)
    {
      gint32 small = g_rand_int_range (rand, -9, 10);
      gint64 number = small;
      float f = (float) small;
      guint32 bits;

      memcpy (&bits, &f, sizeof bits);
      if (is_float)
        number = bytes == 2 ? bits >> 16 : bits;
      number = GINT64_TO_LE (number);
      memcpy (memory->bytes + at, &number, (gsize) bytes);
    }
}

static ToyMemory
memory_new (const RandomKernel *kernel, guint32 seed)
{
  ToyMemory memory = { .size = FIRST_ADDRESS + RANDOM_BUFFERS * BUFFER_STEP, .n_ranges = kernel->may_alias ? 1 : RANDOM_BUFFERS };
  GRand *rand = g_rand_new_with_seed (seed);

  memory.bytes = g_malloc0 (memory.size);
  for (guint i = 0; i < memory.n_ranges; i++)
    {
      memory.ranges[i].from = FIRST_ADDRESS + i * BUFFER_STEP;
      memory.ranges[i].to = memory.ranges[i].from + RANDOM_BUFFER_BYTES;
      fill_buffer (&memory, kernel->elements[i], memory.ranges[i].from, memory.ranges[i].to, rand);
    }
  g_rand_free (rand);
  return memory;
}

/* --- one kernel ------------------------------------------------------------------------------------------------------------ */

/* Runs the text from the memory that belongs to the seed. What it leaves there; free with g_free. */
static guint8 *
run_text (const RandomKernel *kernel, const char *text, guint32 seed)
{
  g_autoptr (TsSource) source = ts_source_new_text ("k.ttir", text);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (TsModule) module = ts_ttir_parse (source, 0, strings, NULL, diags);
  g_autoptr (GString) errors = g_string_new (NULL);
  g_autofree char *why = NULL;
  ToyMemory memory = memory_new (kernel, seed);
  guint64 args[RANDOM_BUFFERS + G_N_ELEMENTS (kernel->scalars)];

  if (module != NULL)
    ts_verify (module, TS_PROPERTY_TTIR_VALID, diags);
  for (guint i = 0; i < ts_diag_list_length (diags); i++)
    if (ts_diag_list_get (diags, i)->severity == TS_SEVERITY_ERROR)
      ts_diag_format (ts_diag_list_get (diags, i), errors);
  if (errors->len > 0)
    g_error ("seed %u: %s\n%s", seed, errors->str, text);
  for (guint i = 0; i < RANDOM_BUFFERS; i++)
    args[i] = (guint64) origin_of (kernel, i);
  for (guint i = 0; i < G_N_ELEMENTS (kernel->scalars); i++)
    args[RANDOM_BUFFERS + i] = (guint64) kernel->scalars[i];
  why = toy_run (module, ts_module_find_function (module, "f"), args, toy_n_programs (module, kernel->n_programs), &memory);
  if (why != NULL)
    g_error ("seed %u: %s\n%s", seed, why, text);
  return memory.bytes;
}

/* Rewrites of each rule, from the log. */
static const char *const counters[] = { "success-load-store=", "success-transpose-pointwise=", "success-store-coalescing=",
                                        "success-row-coalescing=" };

static void
count_rewrites (const char *log, guint *counts)
{
  for (const char *end = strstr (log, "pass-end"); end != NULL; end = strstr (end + 1, "pass-end"))
    for (guint i = 0; i < G_N_ELEMENTS (counters); i++)
      {
        const char *at = strstr (end, counters[i]);

        if (at != NULL)
          counts[i] += (guint) strtoul (at + strlen (counters[i]), NULL, 10);
      }
}

static void
check_options (const RandomKernel *kernel, guint32 seed, const guint8 *expected, const char *options, guint *counts)
{
  gboolean changed;
  g_autoptr (GString) log = g_string_new (NULL);
  g_autofree char *after = graph_run (kernel->text, options, &changed, log);
  g_autofree guint8 *bytes = NULL;

  if (!changed)
    return;
  count_rewrites (log->str, counts);
  bytes = run_text (kernel, after, seed);
  for (gsize i = 0; i < FIRST_ADDRESS + RANDOM_BUFFERS * BUFFER_STEP; i++)
    if (bytes[i] != expected[i])
      g_error ("seed %u, %s: byte %zu is %d, was %d\n%s\nbecame\n%s", seed, options, i, bytes[i], expected[i],
               kernel->text, after);
}

static void
check_kernel (guint32 seed, RandomKind kind, const char *const *options, guint *counts)
{
  static const char *const capacities[] = { "98304", "128", "32" };
  static const char *const budgets[] = { "64", "64", "64", "1", "3" };
  g_autoptr (RandomKernel) kernel = random_kernel_new (seed, kind);
  g_autofree guint8 *expected = run_text (kernel, kernel->text, seed);

  for (guint i = 0; options[i] != NULL; i++)
    {
      g_autofree char *all = g_strdup_printf ("%s ub-capacity-bytes=%s max-rewrites-per-function=%s", options[i],
                                              capacities[seed % 3],
                                              budgets[seed % 5]);

      check_options (kernel, seed, expected, all, counts);
    }
}

/* --- kinds ----------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  const char *options[4]; /* each rule that the kind tempts, and all rules */
  guint       seeds;
  gboolean    tempts[4];  /* rules */
} Plan;

static const Plan plans[N_RANDOM_KINDS] = {
  [RANDOM_STORES] = { { "rule-mask=4", "rule-mask=127" }, 120, { FALSE, FALSE, TRUE, FALSE } },
  [RANDOM_ORDERS] = { { "rule-mask=1", "rule-mask=127" }, 90, { TRUE, FALSE, FALSE, FALSE } },
  [RANDOM_DOTS] = { { "rule-mask=2", "rule-mask=127" }, 25, { FALSE, TRUE, FALSE, FALSE } },
  [RANDOM_MIXED] = { { "rule-mask=127", "rule-mask=5", "rule-mask=6" }, 30, { TRUE, TRUE, TRUE, FALSE } },
  [RANDOM_ROWS] = { { "rule-mask=8 force-simt-only=true", "rule-mask=127 force-simt-only=true" }, 50, { FALSE, FALSE, TRUE,
                                                                      TRUE } },
};

static void
test_kind (gconstpointer data)
{
  RandomKind kind = GPOINTER_TO_UINT (data);
  const Plan *plan = &plans[kind];
  guint counts[G_N_ELEMENTS (counters)] = { 0 }, n = n_seeds > 0 ? n_seeds : plan->seeds;

  for (guint i = 0; i < n; i++)
    {
      if (n_seeds > 0)
        g_print ("# seed %u\n", first_seed + i);
      check_kernel (first_seed + i, kind, plan->options, counts);
    }
  g_test_message ("%u functions, rewrites %u %u %u %u", n, counts[0], counts[1], counts[2], counts[3]);
  for (guint i = 0; i < G_N_ELEMENTS (counters); i++)
    if (plan->tempts[i])
      g_assert_cmpuint (counts[i], >, n / 20);
}

int
main (int argc, char **argv)
{
  static const char *const names[] = { "stores", "orders", "dots", "mixed", "rows" };

  g_test_init (&argc, &argv, NULL);
  first_seed = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : 1;
  n_seeds = argc > 2 ? (guint) strtoul (argv[2], NULL, 10) : 0;
  for (guint i = 0; i < N_RANDOM_KINDS; i++)
    {
      g_autofree char *path = g_strdup_printf ("/graph/random/%s", names[i]);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_kind);
    }
  return g_test_run ();
}
