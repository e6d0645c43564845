/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random kernels with every kind of loop, branches, nested calls, break, continue and return go through the passes; every snapshot
 * must write the same to every place in memory, in the same order, as the kernel as it was written. */
#include <stdlib.h>
#include <string.h>

#include "interpret.h"
#include "ir/compare.h"
#include "lang/pypto/pypto.h"
#include "passes/pipeline.h"

/* --- kernels ------------------------------------------------------------------------------------------------------------ */

#define N_TILES 4
#define N_LATE 3   /* scalars that nothing assigns up front */
#define ALL (~0u)

/* A set of variables that are certainly assigned: tiles first, then late scalars. Where control never comes it holds all. */
typedef guint32 Known;

/* A loop that is being written. */
typedef struct Around
{
  struct Around *outer;
  gboolean       jumps;      /* may be left by break and continue */
  Known          at_breaks, at_continues;
} Around;

typedef struct
{
  GRand   *rand;
  GString *text;
  GPtrArray *indices; /* loop variables in scope */
  guint    n_loops, budget;
  gboolean messages;
  gboolean nested;   /* calls in expressions */
  gboolean single;   /* one assignment per variable, none read outside of the block that assigns it */
  guint    n_names, names[N_TILES + N_LATE];
} Gen;

static gint
below (Gen *g, gint n)
{
  return g_rand_int_range (g->rand, 0, n);
}

static void
line (Gen *g, guint depth, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_string_append_printf (g->text, "%*s", (int) (8 + 4 * depth), "");
  g_string_append_vprintf (g->text, format, args);
  g_string_append_c (g->text, '\n');
  va_end (args);
}

/* Tile or late scalar as it is called now; `renamed`: as the statement at hand calls it from now on. */
static const char *
name (Gen *g, guint variable, gboolean renamed)
{
  if (renamed && g->single)
    g->names[variable] = ++g->n_names;
  g_autofree char *text = g_strdup_printf (variable < N_TILES ? "t%u_%u" : "late%u_%u",
                                           variable < N_TILES ? variable : variable - N_TILES, g->names[variable]);
  return g_intern_string (text);
}

/* A variable of `known` in [from, from + n); -1: none. */
static gint
pick_known (Gen *g, Known known, guint from, guint n)
{
  guint start = (guint) below (g, (gint) n);
  for (guint i = 0; i < n; i++)
    if ((known >> (from + (start + i) % n) & 1) != 0)
      return (gint) ((start + i) % n);
  return -1;
}

/* A small expression without sign. */
static char *
index_expr (Gen *g, Known known)
{
  gint late = pick_known (g, known, N_TILES, N_LATE);
  switch (below (g, g->nested ? 7 : 6))
    {
    case 6:
      return g_strdup ("pl.tile.get_block_idx() % 3");
    case 0:
      return g_strdup_printf ("%d", below (g, 8));
    case 1:
      return g_strdup_printf ("s%d", below (g, 3));
    case 2:
      if (late >= 0)
        return g_strdup (name (g, N_TILES + (guint) late, FALSE));
      return g_strdup ("n");
    default:
      if (g->indices->len == 0)
        return g_strdup_printf ("s%d", below (g, 3));
      return g_strdup_printf ("%s + %d", (char *) g->indices->pdata[below (g, (gint) g->indices->len)], below (g, 3));
    }
}

/* A tile, or a call that makes one. */
static char *
tile_expr (Gen *g, Known known, guint depth)
{
  gint a = pick_known (g, known, 0, N_TILES);
  if (a >= 0 && (!g->nested || depth > 2 || below (g, 3) > 0))
    return g_strdup (name (g, (guint) a, FALSE));
  if (a < 0 || below (g, 3) == 0)
    {
      g_autofree char *at = index_expr (g, known);
      return g_strdup_printf ("pl.tile.load(%s, [(%s) * 32, 0], [32, 64])", below (g, 3) == 0 ? "y" : "x", at);
    }
  g_autofree char *first = tile_expr (g, known, depth + 1);
  if (below (g, 2) == 0)
    return g_strdup_printf ("pl.tile.exp(%s)", first);
  g_autofree char *second = tile_expr (g, known, depth + 1);
  return g_strdup_printf ("pl.tile.add(%s, %s)", first, second);
}

/* A question that a call answers. */
static char *
asking (Gen *g, Known known)
{
  g_autofree char *tile = tile_expr (g, known, 1), *at = index_expr (g, known);
  return g_strdup_printf ("pl.tile.read(%s, [%s, 0]) > 0.0", tile, at);
}

static char *plain_condition (Gen *g, Known known);

static char *
condition (Gen *g, Known known)
{
  if (!g->nested || below (g, 3) > 0)
    return plain_condition (g, known);
  g_autofree char *first = below (g, 2) == 0 ? plain_condition (g, known) : asking (g, known), *second = asking (g, known);
  switch (below (g, 3))
    {
    case 0:
      return g_strdup (second);
    case 1:
      return g_strdup_printf ("%s and %s", first, second);
    default:
      return g_strdup_printf ("%s or %s", first, second);
    }
}

static char *
plain_condition (Gen *g, Known known)
{
  static const char *const forms[] = { "%s == %d", "%s > %d", "%s < %d", "(%s) %% 2 == %d", "not %s == %d", "%s != %d" };
  g_autofree char *a = index_expr (g, known);
  g_autoptr (GString) text = g_string_new (NULL);
  guint form = (guint) below (g, G_N_ELEMENTS (forms));
  gint limit = form == 3 ? below (g, 2) : below (g, 7);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  g_string_append_printf (text, forms[form], a, limit);
#pragma GCC diagnostic pop
  return g_strdup (text->str);
}

static Known write_block (Gen *g, guint depth, Around *around, Known known, guint length);

static Known
write_tile (Gen *g, guint depth, Known known)
{
  gint a = pick_known (g, known, 0, N_TILES);
  g_autofree char *first = a >= 0 ? tile_expr (g, known, 0) : NULL, *second = a >= 0 ? tile_expr (g, known, 0) : NULL;
  guint to = (guint) below (g, N_TILES);
  g_autofree char *at = index_expr (g, known);
  gint form = a < 0 ? 0 : below (g, 3);
  if (form == 0)
    line (g, depth, "%s = pl.tile.load(%s, [(%s) * 32, 0], [32, 64])", name (g, to, TRUE), below (g, 3) == 0 ? "y" : "x", at);
  else if (form == 1)
    line (g, depth, "%s = pl.tile.add(%s, %s)", name (g, to, TRUE), first, second);
  else
    line (g, depth, "%s = pl.tile.exp(%s)", name (g, to, TRUE), first);
  return known | 1u << to;
}

static void
write_store (Gen *g, guint depth, Known known)
{
  gint tile = pick_known (g, known, 0, N_TILES);
  g_autofree char *at = index_expr (g, known);
  const char *buffer = below (g, 4) == 0 ? "w" : "y";
  if (tile < 0)
    return;
  g_autofree char *what = g->nested ? tile_expr (g, known, 0) : g_strdup (name (g, (guint) tile, FALSE));
  if (!g->single && below (g, 3) == 0)
    line (g, depth, "%s = pl.tile.store(%s, [(%s) * 32, 0], %s)", buffer, what, at, buffer);
  else
    line (g, depth, "pl.tile.store(%s, [(%s) * 32, 0], %s)", what, at, buffer);
}

static Known
write_scalar (Gen *g, guint depth, Known known)
{
  g_autofree char *a = index_expr (g, known);
  guint late = (guint) below (g, N_LATE);
  if (g->single || below (g, 2) == 0)
    {
      line (g, depth, "%s = (%s + s%d) %% 7", name (g, N_TILES + late, TRUE), a, below (g, 3));
      return known | 1u << (N_TILES + late);
    }
  line (g, depth, "s%d = (s%d + %s) %% 11", below (g, 3), below (g, 3), a);
  return known;
}

static Known
write_if (Gen *g, guint depth, Around *around, Known known)
{
  g_autofree char *when = condition (g, known);
  line (g, depth, "if %s:", when);
  Known then = write_block (g, depth + 1, around, known, 1 + (guint) below (g, 3));
  gint form = below (g, 4);
  if (form == 0)
    return then & known;
  Known other = known;
  if (form == 1)
    {
      g_autofree char *or_when = condition (g, known);
      line (g, depth, "elif %s:", or_when);
      Known middle = write_block (g, depth + 1, around, known, 1 + (guint) below (g, 2));
      if (below (g, 2) == 0)
        return then & middle & known;
      then &= middle;
    }
  line (g, depth, "else:");
  other = write_block (g, depth + 1, around, known, 1 + (guint) below (g, 3));
  return then & other;
}

/* What is known behind a loop whose body certainly runs. */
static Known
behind (const Around *loop, Known at_end)
{
  return at_end & loop->at_breaks & loop->at_continues;
}

static Known
write_for (Gen *g, guint depth, Around *around, Known known)
{
  Around loop = { around, TRUE, ALL, ALL };
  guint kind = (guint) below (g, 8);
  gint trips = below (g, 10), start = below (g, 3), step = 1 + below (g, 3);
  gboolean open = FALSE;
  char *name = g_strdup_printf ("i%u", g->n_loops++);
  if (depth > 0)
    trips = MIN (trips, 4);
  if (kind < 4)
    {
      gint stages = 2 + below (g, 3);
      open = below (g, 4) == 0;
      if (open)
        line (g, depth, "for %s in pl.pipeline(0, n, %d, stage=%d):", name, step, stages);
      else
        line (g, depth, "for %s in pl.pipeline(%d, %d, %d, stage=%d):", name, start, start + trips * step, step, stages);
    }
  else if (kind == 4 && !g->single)
    {
      trips = MIN (trips, 3);
      loop.jumps = FALSE;
      line (g, depth, "for %s in pl.unroll(%d, %d, %d):", name, start, start + trips * step, step);
    }
  else
    {
      open = below (g, 4) == 0;
      line (g, depth, open ? "for %s in pl.range(n):" : "for %s in pl.range(%d, %d, %d):", name, start, start + trips * step, step);
    }
  g_ptr_array_add (g->indices, name);
  Known end = write_block (g, depth + 1, &loop, known, 1 + (guint) below (g, 5));
  g_ptr_array_set_size (g->indices, (gint) g->indices->len - 1);
  return open || trips == 0 || g->single ? known : behind (&loop, end);
}

static Known
write_while (Gen *g, guint depth, Around *around, Known known)
{
  Around loop = { around, TRUE, ALL, ALL };
  char *name = g_strdup_printf ("c%u", g->n_loops++);
  line (g, depth, "%s = 0", name);
  g_autofree char *more = g->nested && below (g, 2) == 0 ? asking (g, known) : NULL;
  line (g, depth, "while %s < %d%s%s:", name, below (g, 5), more != NULL ? " and " : "", more != NULL ? more : "");
  line (g, depth + 1, "%s = %s + 1", name, name);
  g_ptr_array_add (g->indices, name);
  write_block (g, depth + 1, &loop, known, 1 + (guint) below (g, 4));
  g_ptr_array_set_size (g->indices, (gint) g->indices->len - 1);
  return known;
}

static Known
write_jump (Gen *g, guint depth, Around *around, Known known)
{
  if (below (g, 12) == 0)
    {
      line (g, depth, "return");
      return ALL;
    }
  if (around == NULL || !around->jumps)
    return known;
  if (below (g, 3) == 0)
    {
      line (g, depth, "break");
      around->at_breaks &= known;
    }
  else
    {
      line (g, depth, "continue");
      around->at_continues &= known;
    }
  return ALL;
}

static Known
write_guard (Gen *g, guint depth, Around *around, Known known)
{
  g_autofree char *when = condition (g, known);
  if (around == NULL || !around->jumps)
    return known;
  line (g, depth, "if %s:", when);
  write_jump (g, depth + 1, around, known);
  line (g, depth + 1, "pass");
  return known;
}

static Known
write_message (Gen *g, guint depth, Known known)
{
  gint tile = pick_known (g, known, 0, N_TILES);
  guint to = (guint) below (g, N_TILES);
  if (tile < 0)
    return known;
  line (g, depth, "pl.tile.tpush_to_aiv(%s, split=0)", name (g, (guint) tile, FALSE));
  line (g, depth, "%s: pl.Tile[[32, 64], pl.FP32, pl.Mem.Vec] = pl.tile.tpop_from_aiv(split=0)", name (g, to, TRUE));
  /* Where a variable has more definitions, a join may hand on the released tile to nobody. */
  if (!g->single || below (g, 2) == 0)
    return known | 1u << to;
  g_autofree char *at = index_expr (g, known);
  line (g, depth, "pl.tile.store(%s, [(%s) * 32, 0], y)", name (g, to, FALSE), at);
  line (g, depth, "pl.system.tfree_to_aiv(%s)", name (g, to, FALSE));
  return known & ~(1u << to);
}

static Known
write_statement (Gen *g, guint depth, Around *around, Known known)
{
  gboolean nests = depth < 5;
  switch (below (g, 20))
    {
    case 0: case 1: case 2:
      return nests ? write_for (g, depth, around, known) : known;
    case 3:
      return nests && !g->single ? write_while (g, depth, around, known) : known;
    case 4: case 5: case 6:
      return nests ? write_if (g, depth, around, known) : known;
    case 7:
      if (!nests)
        return known;
      line (g, depth, "with pl.cluster():");
      return write_block (g, depth + 1, around, known, 1 + (guint) below (g, 3));
    case 8: case 9:
      return write_guard (g, depth, around, known);
    case 10:
      return depth > 1 ? write_jump (g, depth, around, known) : known;
    case 11: case 12:
      return write_scalar (g, depth, known);
    case 13: case 14:
      return write_tile (g, depth, known);
    case 15: case 16:
      return g->messages ? write_message (g, depth, known) : write_tile (g, depth, known);
    default:
      write_store (g, depth, known);
      return known;
    }
}

/* A block is never empty, and mostly ends where control leaves it. */
static Known
write_block (Gen *g, guint depth, Around *around, Known known, guint length)
{
  guint names[N_TILES + N_LATE];
  Known before = known;
  memcpy (names, g->names, sizeof names);
  line (g, depth, "pass");
  for (guint i = 0; i < length && g->budget > 0; i++, g->budget--)
    {
      known = write_statement (g, depth, around, known);
      if (known != ALL)
        continue;
      if (below (g, 8) == 0 && !g->single)
        line (g, depth, "s0 = (s0 + 1) %% 11"); /* never reached */
      break;
    }
  memcpy (g->names, names, sizeof names);
  return g->single && known != ALL ? before : known;
}

static const char header[] =
    "import pypto.language as pl\n@pl.program\nclass P:\n    @pl.function(type=pl.FunctionType.InCore)\n"
    "    def main(self, x: pl.Tensor[[4096, 64], pl.FP32], y: pl.Out[pl.Tensor[[4096, 64], pl.FP32]], "
    "w: pl.Out[pl.Tensor[[4096, 64], pl.FP32]], n: pl.Scalar[pl.INDEX]):\n";

static char *
write_kernel (GRand *rand, gboolean single)
{
  Gen g = { .rand = rand, .text = g_string_new (NULL), .budget = 14, .single = single };
  g.indices = g_ptr_array_new_with_free_func (g_free);
  g.messages = g_rand_int_range (rand, 0, 4) == 0;
  g.nested = !single && g_rand_int_range (rand, 0, 2) == 0;
  g_string_append (g.text, header);
  for (guint i = 0; i < 3; i++)
    line (&g, 0, "s%u = %u", i, i + 1);
  write_block (&g, 0, NULL, 0, 9);
  g_ptr_array_unref (g.indices);
  return g_string_free (g.text, FALSE);
}

/* --- checking ----------------------------------------------------------------------------------------------------------- */

typedef struct
{
  const char *passes;
  TsPlanner   planner;
  const TsMachine *machine;
} Way;

static void
quote (GString *text, const TsDiagList *diags)
{
  ts_diag_list_format (diags, TRUE, text);
}

static gboolean
check_round_trip (const TsModule *module, TsDiagList *diags, gpointer data)
{
  g_autofree char *text = ts_pypto_print (module, NULL, NULL);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsSource) source = ts_source_new_text ("printed.py", text);
  g_autoptr (TsModule) again = ts_pypto_parse (source, strings, NULL, diags);
  if (again == NULL || ts_diag_list_has_errors (diags))
    return FALSE;
  g_autoptr (GPtrArray) differences = ts_module_compare (module, again, TS_COMPARE_DEFAULT);
  if (differences->len > 0)
    ts_diag_add (diags, TS_SEVERITY_ERROR, "round-trip", NULL, TS_SPAN_NONE, "the printed text reads otherwise");
  return differences->len == 0;
}

/* What the scalar parameter is. */
static const gint64 numbers[] = { 0, 1, 3, 6 };

/* The first difference to what the kernel does as it was written; NULL: none. */
static char *
compare_runs (char *const *meaning, const TsModule *after, const char *pass)
{
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autofree char *got = ts_interpret (after, numbers[i]);
      if (strcmp (meaning[i], got) != 0)
        return g_strdup_printf ("%s: n = %d: expected\n%s\ngot\n%s", pass, (int) numbers[i], meaning[i], got);
    }
  return NULL;
}

static gboolean
find_meaning (const TsModule *module, GPtrArray *meaning)
{
  gboolean sound = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_ptr_array_add (meaning, ts_interpret (module, numbers[i]));
      sound &= strchr (meaning->pdata[i], '\'') == NULL;
    }
  return sound;
}

/* What is wrong with the passes over a kernel, its first word the pass and the kind of fault; NULL: nothing. `readable` tells
 * whether the kernel itself can be read and assigns what it reads. */
static char *
find_fault (const Way *way, const char *kernel, gboolean *readable)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsSource) source = ts_source_new_text ("kernel.py", kernel);
  TsModule *module = ts_pypto_parse (source, strings, NULL, diags);
  *readable = module != NULL && !ts_diag_list_has_errors (diags);
  if (!*readable)
    {
      GString *said = g_string_new ("unreadable: ");
      quote (said, diags);
      g_clear_pointer (&module, ts_module_free);
      return g_string_free (said, FALSE);
    }
  g_autoptr (GPtrArray) meaning = g_ptr_array_new_with_free_func (g_free);
  *readable = find_meaning (module, meaning);
  g_autoptr (GArray) plan = ts_pass_plan_parse (way->passes, TS_LANGUAGE_PYPTO, way->planner, &error);
  g_assert_no_error (error);
  TsPipelineOptions options = { .machine = way->machine, .planner = way->planner, .verify = TS_VERIFY_FULL,
                                .check = check_round_trip };
  g_autoptr (GPtrArray) snapshots = ts_pipeline_run (module, plan, &options);
  for (guint i = 0; i < snapshots->len; i++)
    {
      const TsPassSnapshot *snapshot = snapshots->pdata[i];
      const char *pass = snapshot->pass != NULL ? snapshot->pass->name : "input";
      if (snapshot->status != TS_SNAPSHOT_OK)
        {
          *readable &= i > 0;
          GString *said = g_string_new (NULL);
          g_string_append_printf (said, "%s: refused: ", pass);
          quote (said, snapshot->diags);
          return g_string_free (said, FALSE);
        }
      char *fault = snapshot->changed ? compare_runs ((char *const *) meaning->pdata, snapshot->module, pass) : NULL;
      if (fault != NULL)
        return fault;
    }
  return NULL;
}

static gboolean
same_kind (const char *a, const char *b)
{
  const char *end = strchr (a, ':');
  gsize n = end != NULL ? (gsize) (end - a) + 4 : strlen (a);
  return strncmp (a, b, n) == 0;
}

/* The kernel without line `i` and what is indented below it, or only without the line, its block moved out. */
static char *
without (char *const *lines, guint i, gboolean keep_block)
{
  GString *text = g_string_new (NULL);
  gsize indent = strspn (lines[i], " ");
  gboolean inside = TRUE;
  for (guint k = 0; lines[k] != NULL; k++)
    {
      if (k == i || lines[k][0] == '\0')
        continue;
      inside &= k < i || strspn (lines[k], " ") > indent;
      if (k > i && inside && !keep_block)
        continue;
      g_string_append_printf (text, "%s\n", lines[k] + (k > i && inside ? 4 : 0));
    }
  return g_string_free (text, FALSE);
}

/* A smaller kernel with the same fault, without line `i`; NULL: there is none. */
static char *
shrink_at (const Way *way, char *const *lines, guint i, const char *fault)
{
  for (guint keep = 0; keep < 2; keep++)
    {
      gboolean readable;
      char *candidate = without (lines, i, keep != 0);
      g_autofree char *still = find_fault (way, candidate, &readable);
      if (readable && still != NULL && same_kind (fault, still))
        return candidate;
      g_free (candidate);
    }
  return NULL;
}

/* Leaves out whatever can be left out while the fault stays. Takes over the kernel. */
static char *
shrink (const Way *way, char *kernel, const char *fault)
{
  gboolean smaller = TRUE;
  while (smaller)
    {
      smaller = FALSE;
      for (guint i = 5;;)
        {
          g_auto (GStrv) lines = g_strsplit (kernel, "\n", -1);
          if (i >= g_strv_length (lines) || lines[i][0] == '\0')
            break;
          char *candidate = shrink_at (way, lines, i, fault);
          if (candidate == NULL)
            {
              i++;
              continue;
            }
          smaller = TRUE;
          g_free (kernel);
          kernel = candidate;
        }
    }
  return kernel;
}

static guint
number_from (const char *variable, guint otherwise)
{
  const char *text = g_getenv (variable);
  return text != NULL ? (guint) atoi (text) : otherwise;
}

static void
check_random (gconstpointer data)
{
  static const char *const unlimited[] = { "memory.vec=0", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TsMachine) machine = ts_machine_load ("ascend910b", unlimited, &error);
  g_assert_no_error (error);
  const char *passes = data;
  guint rounds = number_from ("TS_JUMPS_ROUNDS", strcmp (passes, "default") == 0 ? 150 : 1000);
  guint seed = number_from ("TS_JUMPS_SEED", 4711), faults = 0;
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  gboolean single = strstr (passes, "ConvertToSSA") == NULL && strcmp (passes, "default") != 0;
  for (guint round = 0; round < rounds && faults < number_from ("TS_JUMPS_FAULTS", 1); round++)
    {
      Way way = { passes, round % 2 ? TS_PLANNER_PTOAS : TS_PLANNER_PYPTO, machine };
      char *kernel = write_kernel (rand, single);
      gboolean readable;
      g_autofree char *fault = find_fault (&way, kernel, &readable);
      if (fault != NULL)
        {
          faults++;
          g_test_message ("kernel %u, %s, %" G_GSIZE_FORMAT " bytes, before it is shrunk: %s", round, ts_planner_name (way.planner),
                          strlen (kernel), fault);
          if (readable)
            kernel = shrink (&way, kernel, fault);
          g_autofree char *last = find_fault (&way, kernel, &readable);
          g_test_message ("kernel %u, %s:\n%s\n%s", round, ts_planner_name (way.planner), kernel, last);
          g_test_fail ();
        }
      g_free (kernel);
    }
}

#define LOOP_PASSES                                                                                              \
  "UnrollLoops,ConvertToSSA,SkewCrossCorePipeline,LowerPipelineToSlots,LowerPipelineLoops,CanonicalizeIOOrder"

/* More guards in a row than may nest. */
static void
check_guards (gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TsMachine) machine = ts_machine_load ("ascend910b", NULL, &error);
  g_assert_no_error (error);
  Way way = { LOOP_PASSES, TS_PLANNER_PYPTO, machine };
  g_autoptr (GString) kernel = g_string_new (NULL);
  g_string_append_printf (kernel, "%s        a = n\n        %s:\n            a = a + 1\n", header, (const char *) data);
  for (guint k = 0; k < 300; k++)
    {
      g_string_append_printf (kernel, "            if a == %u:\n                %s\n", 5 * k + 7,
                              k % 7 == 6 ? "break" : "continue");
      g_string_append_printf (kernel, "            b = a + %u\n            a = b + 1\n", k % 3);
      if (k % 50 == 0)
        g_string_append (kernel, "            t = pl.tile.load(x, [(b % 9) * 32, 0], [32, 64])\n");
      if (k % 50 == 25)
        g_string_append (kernel, "            pl.tile.store(t, [(a % 7) * 32, 0], y)\n");
    }
  gboolean readable;
  g_autofree char *fault = find_fault (&way, kernel->str, &readable);
  if (fault != NULL)
    g_test_message ("%s", fault);
  g_assert_null (fault);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/passes/jumps/default", "default", check_random);
  g_test_add_data_func ("/passes/jumps/loop-passes", LOOP_PASSES, check_random);
  /* Loops that nobody gave a structured form. */
  g_test_add_data_func ("/passes/jumps/as-written",
                        "SkewCrossCorePipeline,LowerPipelineToSlots,LowerPipelineLoops,CanonicalizeIOOrder", check_random);
  g_test_add_data_func ("/passes/jumps/guards/range", "for i in pl.range(6)", check_guards);
  g_test_add_data_func ("/passes/jumps/guards/pipeline", "for i in pl.pipeline(5, stage=2)", check_guards);
  g_test_add_data_func ("/passes/jumps/guards/while", "while a < 600", check_guards);
  return g_test_run ();
}
