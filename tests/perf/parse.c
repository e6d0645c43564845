/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast printed programs are read, and what they cost in memory. Usage: parse [STATEMENTS [REPEATS]].
 * Bounds (design section 9, issue 7): 10,000 statements in 20 ms; 50 MB in 2 s; under 10 bytes of memory per byte of text. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "cpu-time.h"
#include "lang/pypto/pypto.h"

/* A body such as the memory passes print it: five kinds of statements with MemRefs and memberships. */
static char *
make_text (guint n_statements)
{
  GString *text = g_string_new (
    "# pypto.program: Big\nimport pypto.language as pl\n\n@pl.program\nclass Big:\n"
    "    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)\n"
    "    def big(x: pl.Tensor[[1024, 128], pl.FP32], y: pl.Out[pl.Tensor[[1024, 128], pl.FP32]]) -> "
    "pl.Tensor[[1024, 128], pl.FP32]:\n");

  for (guint i = 0; i < 64; i++)
    g_string_append_printf (text, "        mem_vec_%u: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 16384)\n", i);
  g_string_append (text, "        for i in pl.range(0, 16, 2):\n");
  for (guint i = 0; i + 70 < n_statements; i += 5)
    {
      guint k = i / 5, m = k % 64;
      g_autofree char *type = g_strdup_printf ("pl.Tile[[32, 128], pl.FP32, pl.MemRef(mem_vec_%u, pl.const(%u, pl.INT64), 16384), "
                                               "pl.Mem.Vec] = ", m, m * 16384);

      g_string_append_printf (text, "            t_%u: %spl.tile.load(x, [(i + %u) * 64, 0], [32, 128], [32, 128], "
                              "target_memory=pl.Mem.Vec, attrs={\"pipeline_membership\": \"%u:%u\"})\n", k, type, k % 7, k % 3,
                                k % 4);
      g_string_append_printf (text, "            a_%u: %spl.tile.muls(t_%u, 0.088387999999999994)\n", k, type, k);
      g_string_append_printf (text, "            b_%u: %spl.tile.exp(a_%u)\n", k, type, k);
      g_string_append_printf (text, "            c_%u: %spl.tile.add(b_%u, t_%u)\n", k, type, k, k);
      g_string_append_printf (text, "            y_%u: pl.Tensor[[1024, 128], pl.FP32] = pl.tile.store(c_%u, "
                              "[(i + %u) * 64, 0], y)\n", k, k, k % 7);
    }
  g_string_append (text, "        return y\n");
  return g_string_free (text, FALSE);
}

/* Time of this process alone, in microseconds: the machine may have other things to do. */
static gint64
cpu_time (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (gint64) t.tv_sec * G_USEC_PER_SEC + t.tv_nsec / 1000;
}

/* The most memory the process has had, in bytes. */
static gsize
peak_memory (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (gsize) usage.ru_maxrss * 1024;
}

int
main (int argc, char **argv)
{
  int status = bench_usage (argc, argv, NULL, "bench-parse [STATEMENTS [REPEATS]]");
  if (status >= 0)
    return status;
  guint n = argc > 1 ? (guint) atoi (argv[1]) : 10000, repeats = argc > 2 ? (guint) atoi (argv[2]) : 5;
  g_autofree char *text = make_text (n);
  g_autoptr (TsSource) source = ts_source_new_text ("big.py", text);
  gsize length;
  gint64 best = G_MAXINT64;
  gsize bytes = 0;
  gint32 n_ops = 0;
  gsize before;

  ts_source_text (source, &length);
  before = peak_memory ();
  for (guint i = 0; i < repeats; i++)
    {
      g_autoptr (TsStrings) strings = ts_strings_new ();
      g_autoptr (TsDiagList) diags = ts_diag_list_new ();
      gint64 start = cpu_time ();
      TsModule *module = ts_pypto_parse (source, strings, NULL, diags);
      gint64 time = cpu_time () - start;

      if (module == NULL || ts_diag_list_has_errors (diags))
        return 1;
      best = MIN (best, time);
      bytes = ts_arena_bytes (module->arena);
      n_ops = module->n_ops;
      ts_module_free (module);
    }
  printf ("%d statements, %.1f MB: %.2f ms (%.0f ns a statement, %.0f MB/s), %.2f bytes of module and %.2f of peak memory "
          "per byte of text\n", n_ops,
          (double) length / 1e6, (double) best / 1e3, (double) best * 1e3 / n_ops, (double) length / (double) best,
          (double) bytes / (double) length, (double) (peak_memory () - before) / (double) length);
  return 0;
}
