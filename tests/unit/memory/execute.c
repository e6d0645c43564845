/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random kernels with loops and branches go through all memory passes and are then run on a toy memory: every operation leaves a
 * token in the bytes of its result, and every operand must still find there the token of the very value it names. Written from
 * the meaning of the kernel alone, so that it catches any tile that loses its bytes too early, whatever pass is to blame. */
#include <stdlib.h>
#include <string.h>

#include "ir/op-info.h"
#include "kernel.h"
#include "lang/pypto/pypto.h"
#include "passes/allocations.h"

/* --- kernels ------------------------------------------------------------------------------------------------------------ */

/* What a variable is besides its number. */
typedef struct
{
  guint group; /* variables that are one tile under several names */
  guint block; /* where that tile was made; 0: it came out of a loop or a branch */
} Var;

typedef struct
{
  GRand   *rand;
  GString *text;
  GArray  *live;   /* numbers of the variables in scope */
  guint    n_vars, budget;
  GArray  *vars;   /* Var, of kernels that are not tame */
  guint    block, n_blocks;
  gboolean pipelines;
} Gen;

#define TYPE "Tile(64, 64; FP32; Vec)"

static guint
pick (Gen *g)
{
  return g_array_index (g->live, guint, (guint) g_rand_int_range (g->rand, 0, (gint) g->live->len));
}

static guint
new_var (Gen *g)
{
  Var var = { g->n_vars, g->block };
  if (g->vars != NULL)
    g_array_append_val (g->vars, var);
  return g->n_vars++;
}

static Var *
var_at (Gen *g, guint var)
{
  return &g_array_index (g->vars, Var, var);
}

static void
keep (Gen *g, guint var)
{
  g_array_append_val (g->live, var);
}

static void
gen_store (Gen *g, const char *indent, guint of)
{
  g_string_append_printf (g->text, "%ss%u: Tensor(64, 64; FP32) = tile.store(v%u, [0, 0], x)\n", indent, new_var (g), of);
}

static void gen_block (Gen *g, guint depth, guint length);

static guint
gen_statement (Gen *g, const char *indent, gboolean tagged)
{
  static const char *const unary[] = { "exp", "recip", "neg", "rsqrt" };
  guint a = pick (g), b = pick (g), var = new_var (g);
  gint group = g_rand_int_range (g->rand, 0, 2), stage = g_rand_int_range (g->rand, 0, 3);
  g_autofree char *attrs = tagged ? g_strdup_printf (", attrs={\"pipeline_membership\": \"%d:%d\"}", group, stage) : g_strdup ("");
  switch (g_rand_int_range (g->rand, 0, 6))
    {
    case 0:
      g_string_append_printf (g->text, "%sv%u: " TYPE " = tile.load(x, [0, 0], [64, 64], [64, 64], target_memory=Mem.Vec%s)\n",
                              indent, var, attrs);
      break;
    case 1:
      g_string_append_printf (g->text, "%sv%u: " TYPE " = tile.add(v%u, v%u%s)\n", indent, var, a, b, attrs);
      break;
    case 2:
      g_string_append_printf (g->text, "%sv%u: " TYPE " = tile.set_validshape(v%u, 8, 8)\n", indent, var, a);
      break;
    case 3:
      g_string_append_printf (g->text, "%sv%u: " TYPE " = v%u\n", indent, var, a);
      break;
    default:
      g_string_append_printf (g->text, "%sv%u: " TYPE " = tile.%s(v%u%s)\n", indent, var,
                              unary[g_rand_int_range (g->rand, 0, 4)], a, attrs);
    }
  return var;
}

static void
gen_loop (Gen *g, guint depth, const char *indent)
{
  guint init = new_var (g), arg = new_var (g), scope = g->live->len;
  g_string_append_printf (g->text, "%sv%u: " TYPE " = tile.exp(v%u)\n", indent, init, pick (g));
  g_string_append_printf (g->text, "%sfor i%u, (v%u,) in range(0, 3, 1, init_values=(v%u,)):\n", indent, arg, arg, init);
  keep (g, arg);
  gen_block (g, depth + 1, (guint) g_rand_int_range (g->rand, 1, 6));
  g_autofree char *inner = g_strdup_printf ("%s    ", indent);
  guint last = new_var (g), result = new_var (g);
  g_string_append_printf (g->text, "%sv%u: " TYPE " = tile.%s(v%u)\n%sv%u: " TYPE " = yield_(v%u)\n", inner, last,
                          g_rand_boolean (g->rand) ? "exp" : "recip", pick (g), inner, result, last);
  g_array_set_size (g->live, scope);
  keep (g, result);
}

static void
gen_branch (Gen *g, guint depth, const char *indent)
{
  guint scope = g->live->len, result = new_var (g);
  g_autofree char *inner = g_strdup_printf ("%s    ", indent);
  for (guint arm = 0; arm < 2; arm++)
    {
      g_string_append_printf (g->text, arm == 0 ? "%sif n == %u:\n" : "%selse:\n", indent, result);
      gen_block (g, depth + 1, (guint) g_rand_int_range (g->rand, 1, 4));
      guint last = new_var (g);
      g_string_append_printf (g->text, "%sv%u: " TYPE " = tile.add(v%u, v%u)\n%sv%u: " TYPE " = yield_(v%u)\n", inner, last,
                              pick (g), pick (g), inner, result, last);
      g_array_set_size (g->live, scope);
    }
  keep (g, result);
}

static void
gen_block (Gen *g, guint depth, guint length)
{
  g_autofree char *indent = g_strnfill (4 * (depth + 1), ' ');
  for (guint i = 0; i < length && g->budget > 0; i++, g->budget--)
    {
      gint what = g_rand_int_range (g->rand, 0, 10);
      if (what == 0 && depth < 3)
        gen_loop (g, depth, indent);
      else if (what == 1 && depth < 3)
        gen_branch (g, depth, indent);
      else if (what == 2)
        gen_store (g, indent, pick (g));
      else
        {
          guint var = gen_statement (g, indent, what < 6);
          keep (g, var);
        }
    }
}

/* --- kernels that read what loops and branches take over ------------------------------------------------------------------ */

static void gen_wild_block (Gen *g, guint depth, guint length);

static guint
begin_block (Gen *g)
{
  guint outer = g->block;
  g->block = ++g->n_blocks;
  return outer;
}

/* A tile of its own. */
static guint
gen_made (Gen *g, const char *indent, gboolean tagged)
{
  guint a = pick (g), b = pick (g), var = new_var (g);
  gint group = g_rand_int_range (g->rand, 0, 2), stage = g_rand_int_range (g->rand, 0, 3);
  g_autofree char *attrs = tagged ? g_strdup_printf (", attrs={\"pipeline_membership\": \"%d:%d\"}", group, stage) : g_strdup ("");
  switch (g_rand_int_range (g->rand, 0, 4))
    {
    case 0:
      g_string_append_printf (g->text, "%sv%u: " TYPE " = tile.load(x, [0, 0], [64, 64], [64, 64], target_memory=Mem.Vec%s)\n",
                              indent, var, attrs);
      break;
    case 1:
      g_string_append_printf (g->text, "%sv%u: " TYPE " = tile.add(v%u, v%u%s)\n", indent, var, a, b, attrs);
      break;
    default:
      g_string_append_printf (g->text, "%sv%u: " TYPE " = tile.%s(v%u%s)\n", indent, var,
                              g_rand_boolean (g->rand) ? "exp" : "recip", a, attrs);
    }
  return var;
}

/* A copy of what is picked: its name is new, its bytes are not. */
static guint
gen_alias (Gen *g, const char *indent, guint of)
{
  guint var = new_var (g);
  *var_at (g, var) = *var_at (g, of);
  if (g_rand_boolean (g->rand))
    g_string_append_printf (g->text, "%sv%u: " TYPE " = v%u\n", indent, var, of);
  else
    g_string_append_printf (g->text, "%sv%u: " TYPE " = tile.set_validshape(v%u, 8, 8)\n", indent, var, of);
  return var;
}

/* Writes over a tile that was made in this very block, which nobody may read under its old names afterwards. */
static void
gen_in_place (Gen *g, const char *indent)
{
  guint of = pick (g), group = var_at (g, of)->group;
  if (var_at (g, of)->block != g->block)
    return;
  for (guint i = g->live->len; i-- > 0;)
    if (var_at (g, g_array_index (g->live, guint, i))->group == group)
      g_array_remove_index (g->live, i);
  guint var = new_var (g);
  g_string_append_printf (g->text, "%sv%u: " TYPE " = tile.fillpad_inplace(v%u, pad_value=PadValue.zero)\n", indent, var, of);
  keep (g, var);
}

/* Of a pipeline loop that is gone, what it yields or starts with is left as a plain copy: then the author's own writing in place
 * tells what became of both names, and nobody can say which he meant. */
static guint
hand_on (Gen *g, guint var)
{
  guint group = var_at (g, var)->group;
  for (guint i = 0; i < g->vars->len && g->pipelines; i++)
    if (var_at (g, i)->group == group)
      var_at (g, i)->block = 0;
  return var;
}

/* The operand of a yield: anything in scope, but no other carried value of the loop by its own name: that one is never moved. */
static guint
pick_yielded (Gen *g, const char *indent, const GArray *carried, guint slot)
{
  guint var = pick (g);
  for (guint i = 0; carried != NULL && i < carried->len; i++)
    if (i != slot && g_array_index (carried, guint, i) == var)
      return hand_on (g, gen_alias (g, indent, var));
  if (g_rand_int_range (g->rand, 0, 3) > 0)
    return hand_on (g, var);
  guint made = new_var (g);
  g_string_append_printf (g->text, "%sv%u: " TYPE " = tile.%s(v%u)\n", indent, made,
                          g_rand_boolean (g->rand) ? "exp" : "recip", var);
  return made;
}

static void
list_vars (Gen *g, const GArray *vars, const char *end)
{
  for (guint i = 0; i < vars->len; i++)
    g_string_append_printf (g->text, "%sv%u", i > 0 ? ", " : "", g_array_index (vars, guint, i));
  g_string_append (g->text, vars->len == 1 && end[0] == ')' ? "," : "");
  g_string_append (g->text, end);
}

static void
gen_yield (Gen *g, const char *indent, const GArray *results, const GArray *carried)
{
  g_autoptr (GArray) yielded = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < results->len; i++)
    {
      guint var = pick_yielded (g, indent, carried, i);
      g_array_append_val (yielded, var);
    }
  g_string_append (g->text, indent);
  if (results->len == 1)
    g_string_append_printf (g->text, "v%u: " TYPE, g_array_index (results, guint, 0));
  else
    list_vars (g, results, "");
  g_string_append (g->text, " = yield_(");
  for (guint i = 0; i < yielded->len; i++)
    g_string_append_printf (g->text, "%sv%u", i > 0 ? ", " : "", g_array_index (yielded, guint, i));
  g_string_append (g->text, ")\n");
}

static GArray *
new_vars (Gen *g, guint n, gboolean known_block)
{
  GArray *vars = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < n; i++)
    {
      guint var = new_var (g);
      var_at (g, var)->block = known_block ? g->block : 0;
      g_array_append_val (vars, var);
    }
  return vars;
}

static void
gen_loop_head (Gen *g, const char *indent, const GArray *carried, const GArray *inits)
{
  guint kind = (guint) g_rand_int_range (g->rand, 0, 5);
  guint number = g_array_index (carried, guint, 0), trips = (guint) g_rand_int_range (g->rand, 0, 4);
  if (kind == 0)
    {
      g_string_append_printf (g->text, "%sfor ", indent);
      list_vars (g, carried, "");
      g_string_append_printf (g->text, "%s in while_(init_values=(", carried->len == 1 ? "," : "");
      list_vars (g, inits, ")");
      g_string_append_printf (g->text, "):\n%s    cond(n < %u)\n", indent, trips);
      return;
    }
  g_string_append_printf (g->text, "%sfor i%u, (", indent, number);
  list_vars (g, carried, ")");
  if (kind < 3 && g->pipelines)
    g_string_append_printf (g->text, " in pl.pipeline(0, %u, 1, stage=%d, init_values=(", 2 * trips + 1,
                            g_rand_int_range (g->rand, 2, 4));
  else
    g_string_append_printf (g->text, " in range(0, %u, 1, init_values=(", trips);
  list_vars (g, inits, ")");
  if (kind < 3 && g->pipelines && g_rand_boolean (g->rand))
    g_string_append (g->text, g_rand_boolean (g->rand) ? ", attrs={\"pipeline_overlap_stores\": False}"
                                                       : ", attrs={\"pipeline_double_buffer_c\": True}");
  g_string_append (g->text, "):\n");
}

static void
gen_wild_loop (Gen *g, guint depth, const char *indent)
{
  guint n = (guint) g_rand_int_range (g->rand, 1, 4), scope = g->live->len;
  g_autofree char *inner = g_strdup_printf ("%s    ", indent);
  g_autoptr (GArray) results = new_vars (g, n, FALSE), inits = g_array_new (FALSE, FALSE, sizeof (guint));
  guint outer = begin_block (g);
  g_autoptr (GArray) carried = new_vars (g, n, TRUE);
  for (guint i = 0; i < n; i++)
    {
      guint init = hand_on (g, pick (g));
      g_array_append_val (inits, init);
    }
  gen_loop_head (g, indent, carried, inits);
  g_array_append_vals (g->live, carried->data, carried->len);
  gen_wild_block (g, depth + 1, (guint) g_rand_int_range (g->rand, 1, 6));
  gen_yield (g, inner, results, carried);
  g->block = outer;
  g_array_set_size (g->live, scope);
  g_array_append_vals (g->live, results->data, results->len);
}

static void
gen_wild_branch (Gen *g, guint depth, const char *indent)
{
  guint scope = g->live->len;
  g_autofree char *inner = g_strdup_printf ("%s    ", indent);
  g_autoptr (GArray) results = new_vars (g, (guint) g_rand_int_range (g->rand, 1, 3), FALSE);
  for (guint arm = 0; arm < 2; arm++)
    {
      g_string_append_printf (g->text, arm == 0 ? "%sif n == %u:\n" : "%selse:\n", indent, scope);
      guint outer = begin_block (g);
      gen_wild_block (g, depth + 1, (guint) g_rand_int_range (g->rand, 0, 4));
      gen_yield (g, inner, results, NULL);
      g->block = outer;
      g_array_set_size (g->live, scope);
    }
  g_array_append_vals (g->live, results->data, results->len);
}

static void
gen_wild_block (Gen *g, guint depth, guint length)
{
  g_autofree char *indent = g_strnfill (4 * (depth + 1), ' ');
  for (guint i = 0; i < length && g->budget > 0; i++, g->budget--)
    {
      gint what = g_rand_int_range (g->rand, 0, 12);
      if (what < 2 && depth < 3)
        gen_wild_loop (g, depth, indent);
      else if (what == 2 && depth < 3)
        gen_wild_branch (g, depth, indent);
      else if (what < 5)
        gen_store (g, indent, pick (g));
      else if (what == 5)
        keep (g, gen_alias (g, indent, pick (g)));
      else if (what == 6)
        gen_in_place (g, indent);
      else
        keep (g, gen_made (g, indent, what < 9));
    }
}

static char *
finish_kernel (GRand *rand, GArray *vars, gboolean pipelines)
{
  Gen g = { rand, g_string_new ("(x: Tensor(64, 64; FP32), n: Scalar[INDEX]):\n"), NULL, 0, 40, vars, 0, 0, pipelines };
  g.live = g_array_new (FALSE, FALSE, sizeof (guint));
  begin_block (&g);
  for (guint i = 0; i < 2; i++)
    {
      guint var = new_var (&g);
      g_string_append_printf (g.text, "    v%u: " TYPE " = tile.load(x, [0, 0], [64, 64], [64, 64], target_memory=Mem.Vec)\n", var);
      keep (&g, var);
    }
  if (vars != NULL)
    gen_wild_block (&g, 0, 14);
  else
    gen_block (&g, 0, 30);
  g_array_unref (g.live);
  return g_string_free (g.text, FALSE);
}

static char *
gen_kernel (GRand *rand)
{
  return finish_kernel (rand, NULL, FALSE);
}

static char *
gen_wild_kernel (GRand *rand)
{
  g_autoptr (GArray) vars = g_array_new (FALSE, FALSE, sizeof (Var));
  return finish_kernel (rand, vars, FALSE);
}

static char *
gen_pipeline_kernel (GRand *rand)
{
  g_autoptr (GArray) vars = g_array_new (FALSE, FALSE, sizeof (Var));
  return finish_kernel (rand, vars, TRUE);
}

/* Loops within loops that begin with what is around them, often with the same tile, and hand out what the inner ones make. */
static guint
gen_unary (Gen *g, const char *indent, guint of)
{
  guint var = new_var (g);
  g_string_append_printf (g->text, "%sv%u: " TYPE " = tile.%s(v%u)\n", indent, var,
                          g_rand_int_range (g->rand, 0, 4) > 0 ? "exp" : "recip", of);
  keep (g, var);
  return var;
}

static guint gen_nest (Gen *g, guint depth, guint init);

/* Returns what the trip ends with: often what an inner loop results in, with more or less of the rest read behind it. */
static guint
gen_nest_trip (Gen *g, guint depth, guint carried, const char *indent)
{
  guint last = carried, inner = g->live->len;
  for (gint i = g_rand_int_range (g->rand, 1, 5); i > 0; i--)
    {
      gint what = g_rand_int_range (g->rand, 0, 6);
      if (what == 0)
        gen_store (g, indent, pick (g));
      else if (what == 1)
        gen_unary (g, indent, pick (g));
      else if (what < 4 || depth >= 2 || g->budget == 0)
        last = gen_unary (g, indent, last);
      else
        last = gen_nest (g, depth + 1, g_rand_boolean (g->rand) ? g_array_index (g->live, guint, 1) : pick (g));
    }
  if (depth == 0)
    last = gen_nest (g, depth + 1, g_array_index (g->live, guint, g_rand_int_range (g->rand, 0, (gint) inner)));
  if (last == carried)
    last = gen_unary (g, indent, last);
  if (g_rand_boolean (g->rand))
    gen_store (g, indent, g_rand_boolean (g->rand) ? carried : pick (g));
  return last;
}

static guint
gen_nest (Gen *g, guint depth, guint init)
{
  g_autofree char *indent = g_strnfill (4 * (depth + 1), ' '), *inner = g_strnfill (4 * (depth + 2), ' ');
  guint scope = g->live->len, carried = new_var (g), result = new_var (g);
  gint trips = g_rand_int_range (g->rand, 1, 4);
  g->budget--;
  g_string_append_printf (g->text, "%sfor i%u, (v%u,) in ", indent, carried, carried);
  if (g_rand_int_range (g->rand, 0, 3) > (gint) depth)
    g_string_append_printf (g->text, "pl.pipeline(0, %d, 1, stage=%d, ", 2 * trips, g_rand_int_range (g->rand, 2, 4));
  else
    g_string_append_printf (g->text, "range(0, %d, 1, ", trips);
  g_string_append_printf (g->text, "init_values=(v%u,)):\n", init);
  keep (g, carried);
  guint last = gen_nest_trip (g, depth, carried, inner);
  g_string_append_printf (g->text, "%sv%u: " TYPE " = yield_(v%u)\n", inner, result, last);
  g_array_set_size (g->live, scope);
  keep (g, result);
  return result;
}

static char *
gen_nest_kernel (GRand *rand)
{
  Gen g = { rand, g_string_new ("(x: Tensor(64, 64; FP32), n: Scalar[INDEX]):\n"), NULL, 0, 6 };
  g.live = g_array_new (FALSE, FALSE, sizeof (guint));
  guint made = new_var (&g);
  g_string_append_printf (g.text, "    v%u: " TYPE " = tile.load(x, [0, 0], [64, 64], [64, 64], target_memory=Mem.Vec)\n", made);
  keep (&g, made);
  for (gint i = 0; i < 2; i++)
    made = gen_unary (&g, "    ", made);
  for (gint i = g_rand_int_range (rand, 1, 3); i > 0; i--)
    gen_store (&g, "    ", gen_nest (&g, 0, pick (&g)));
  g_array_unref (g.live);
  return g_string_free (g.text, FALSE);
}

/* Sums of the cube: carried through pipeline loops, seeded in a branch or in an inner loop, stored on the way. */
#define CUBE(space) "Tile(64, 64; FP32; " space ")"

static void
gen_operands (Gen *g, const char *indent)
{
  guint v = g->n_vars;
  for (guint i = 0; i < 2; i++)
    g_string_append_printf (g->text, "%sv%u: " CUBE ("Mat") " = tile.load(x, [0, 0], [64, 64], [64, 64], target_memory=Mem.Mat)\n"
                            "%sv%u: Tile(64, 64; FP32; %s) = tile.move(v%u, target_memory=Mem.%s)\n", indent, v + i, indent,
                            v + 2 + i, i == 0 ? "Left" : "Right", v + i, i == 0 ? "Left" : "Right");
  g->n_vars += 4;
}

static guint
gen_sum (Gen *g, const char *indent, guint acc)
{
  gen_operands (g, indent);
  guint v = g->n_vars++;
  g_string_append_printf (g->text, "%sv%u: " CUBE ("Acc") " = tile.matmul_acc(v%u, v%u, v%u)\n", indent, v, acc, v - 2, v - 1);
  return v;
}

static guint
gen_seeded_sum (Gen *g, const char *indent, guint acc)
{
  gen_operands (g, indent);
  guint v = g->n_vars;
  g->n_vars += 3;
  g_string_append_printf (g->text, "%sif n == %u:\n%s    v%u: " CUBE ("Acc") " = tile.matmul(v%u, v%u)\n"
                          "%s    v%u: " CUBE ("Acc") " = yield_(v%u)\n%selse:\n"
                          "%s    v%u: " CUBE ("Acc") " = tile.matmul_acc(v%u, v%u, v%u)\n"
                          "%s    v%u: " CUBE ("Acc") " = yield_(v%u)\n", indent, v, indent, v, v - 2, v - 1, indent, v + 2, v,
                          indent, indent, v + 1, acc, v - 2, v - 1, indent, v + 2, v + 1);
  return v + 2;
}

static guint
gen_sum_loop (Gen *g, guint depth, guint init)
{
  g_autofree char *indent = g_strnfill (4 * (depth + 1), ' '), *inner = g_strnfill (4 * (depth + 2), ' ');
  gint stage = g_rand_int_range (g->rand, 1, 6), kind = g_rand_int_range (g->rand, 0, 3);
  guint acc = g->n_vars++, result = g->n_vars++;
  g_autofree char *stages = stage > 1 ? g_strdup_printf ("stage=%d, ", stage) : g_strdup ("");
  g_string_append_printf (g->text, "%sfor i%u, (v%u,) in %s(0, %d, 1, %sinit_values=(v%u,)):\n", indent, acc, acc,
                          stage > 1 ? "pl.pipeline" : "range", g_rand_int_range (g->rand, 1, 9), stages, init);
  guint sum = acc;
  if (kind == 0 && depth == 0)
    sum = gen_sum_loop (g, depth + 1, sum);
  sum = kind == 1 ? gen_seeded_sum (g, inner, sum) : gen_sum (g, inner, sum);
  if (g_rand_boolean (g->rand))
    g_string_append_printf (g->text, "%ss%u: Tensor(64, 64; FP32) = tile.store(v%u, [0, 0], x)\n", inner, new_var (g), sum);
  g_string_append_printf (g->text, "%sv%u: " CUBE ("Acc") " = yield_(v%u)\n", inner, result, sum);
  return result;
}

static char *
gen_cube_kernel (GRand *rand)
{
  Gen g = { rand, g_string_new ("(x: Tensor(64, 64; FP32), n: Scalar[INDEX]):\n"), NULL, 0, 0 };
  for (gint i = g_rand_int_range (rand, 1, 3); i > 0; i--)
    {
      guint zero = new_var (&g);
      g_string_append_printf (g.text, "    v%u: " CUBE ("Acc") " = tile.create([64, 64], dtype=FP32, target_memory=Mem.Acc)\n",
                              zero);
      guint sum = gen_sum_loop (&g, 0, zero);
      g_string_append_printf (g.text, "    s%u: Tensor(64, 64; FP32) = tile.store(v%u, [0, 0], x)\n", new_var (&g), sum);
    }
  return g_string_free (g.text, FALSE);
}

/* --- running ------------------------------------------------------------------------------------------------------------ */

#define CELL 16384 /* every tile of these kernels */

typedef struct
{
  GHashTable *cells;  /* address / CELL to token */
  GHashTable *tokens; /* value to the token it stands for */
  guint       n_tokens;
  guint64     choices; /* which way branches go, a bit each */
  char       *wrong;
} Machine;

static gint64
address_of (const TsValue *value)
{
  gint64 at = -1;
  g_assert_true (ts_expr_as_int (value->type->memref->offset, &at));
  g_assert_cmpint (at % CELL, ==, 0);
  return at / CELL + (gint64) value->type->space * 4096;
}

static void
check_read (Machine *m, const TsOp *op, const TsValue *value)
{
  gpointer held = g_hash_table_lookup (m->cells, GSIZE_TO_POINTER (address_of (value) + 1));
  if (m->wrong == NULL && held != g_hash_table_lookup (m->tokens, value))
    m->wrong = g_strdup_printf ("%s reads '%s' after its bytes were taken", op->name != NULL ? op->name : "a copy", value->hint);
}

static gpointer
token_of (Machine *m, const TsExpr *e)
{
  return g_hash_table_lookup (m->tokens, ts_expr_as_value (e));
}

static void
write_result (Machine *m, const TsValue *value, gpointer token)
{
  g_hash_table_insert (m->tokens, (gpointer) value, token);
  g_hash_table_insert (m->cells, GSIZE_TO_POINTER (address_of (value) + 1), token);
}

static void
execute_op (Machine *m, const TsOp *op)
{
  const TsValue *result = op->n_results == 1 && ts_type_is_tile (op->results[0]->type) ? op->results[0] : NULL;
  gint shared = ts_op_shared_argument (op);
  for (guint i = 0; i < op->n_operands; i++)
    {
      const TsValue *value = ts_expr_as_value (op->operands[i]);
      if (value == NULL || !ts_type_is_tile (value->type))
        continue;
      check_read (m, op, value);
      if (result != NULL && ts_op_forbids_alias (op, i, TS_BACKEND_A2A3) && address_of (value) == address_of (result)
          && m->wrong == NULL)
        m->wrong = g_strdup_printf ("%s writes '%s' over its operand '%s'", op->name, result->hint, value->hint);
    }
  if (result == NULL || op->code == TS_OP_TILE_ALLOC)
    return;
  gboolean sums = ts_op_info (op->code)->buffer == TS_BUFFER_REUSES;
  const TsValue *over = shared >= 0 ? ts_expr_as_value (op->operands[shared]) : NULL;
  if (over != NULL && address_of (over) != address_of (result) && m->wrong == NULL)
    m->wrong = g_strdup_printf ("'%s' does not lie where '%s' does", result->hint, over->hint);
  if (shared == 0 && op->code != TS_OP_TILE_MOVE && !sums)
    g_hash_table_insert (m->tokens, (gpointer) result, token_of (m, op->operands[0])); /* the same bytes under another name */
  else if (op->code == TS_OP_TILE_MOVE)
    write_result (m, result, token_of (m, op->operands[0]));
  else
    write_result (m, result, GUINT_TO_POINTER (++m->n_tokens));
}

static gboolean execute_block (Machine *m, const TsBlock *block);

static void
take_yield (Machine *m, const TsBlock *block, TsValue *const *to, guint n)
{
  const TsOp *yield = ts_block_yield (block);
  g_autofree gpointer *tokens = g_new (gpointer, n + 1);
  for (guint i = 0; i < n; i++)
    tokens[i] = token_of (m, yield->operands[i]);
  for (guint i = 0; i < n; i++)
    g_hash_table_insert (m->tokens, to[i], tokens[i]);
}

static guint
choose (Machine *m)
{
  guint choice = m->choices & 1;
  m->choices = m->choices >> 1 | m->choices << 63;
  return choice;
}

static void
execute_loop (Machine *m, const TsOp *op)
{
  gboolean is_for = op->code == TS_OP_FOR;
  guint first = is_for ? TS_FOR_INITS : 0;
  TsValue *const *carried = ts_op_body (op, 0)->args + (is_for ? 1 : 0);
  gint64 bounds[3] = { 0, 4, 1 };
  for (guint i = 0; i < 3 && is_for; i++)
    g_assert_true (ts_expr_fold_int (op->operands[i], &bounds[i]));
  for (guint i = 0; i < op->n_results; i++)
    g_hash_table_insert (m->tokens, carried[i], token_of (m, op->operands[first + i]));
  for (gint64 i = bounds[0]; i < bounds[1] && m->wrong == NULL; i += bounds[2])
    {
      if (!execute_block (m, ts_op_body (op, 0)))
        break;
      take_yield (m, ts_op_body (op, 0), carried, op->n_results);
    }
  for (guint i = 0; i < op->n_results; i++)
    g_hash_table_insert (m->tokens, op->results[i], g_hash_table_lookup (m->tokens, carried[i]));
}

static void
execute_if (Machine *m, const TsOp *op)
{
  const TsBlock *arm = ts_op_body (op, choose (m));
  execute_block (m, arm);
  take_yield (m, arm, op->results, op->n_results);
}

/* FALSE when the condition of a while loop ends it. */
static gboolean
execute_block (Machine *m, const TsBlock *block)
{
  for (const TsOp *op = block->first; op != NULL; op = op->next)
    if (op->code == TS_OP_FOR || op->code == TS_OP_WHILE)
      execute_loop (m, op);
    else if (op->code == TS_OP_IF)
      execute_if (m, op);
    else if (op->code == TS_OP_COND && choose (m) == 0)
      return FALSE;
    else if (op->code != TS_OP_YIELD && op->code != TS_OP_COND)
      execute_op (m, op);
  return TRUE;
}

static char *
execute (const TsFunction *function, guint64 choices)
{
  Machine m = { g_hash_table_new (NULL, NULL), g_hash_table_new (NULL, NULL), 0, choices, NULL };
  execute_block (&m, ts_function_block (function));
  g_hash_table_unref (m.cells);
  g_hash_table_unref (m.tokens);
  return m.wrong;
}

typedef struct
{
  const char *planner, *passes;
  char     *(*gen) (GRand *rand);
  const char *kind; /* of kernels, as the path of the test says it */
} Plan;

#define REUSE "InitMemRef,MaterializeSemanticAliases,MemoryReuse,AllocateMemoryAddr"
#define NO_REUSE "InitMemRef,MaterializeSemanticAliases,AllocateMemoryAddr"
#define PIPELINE "LowerPipelineLoops,CanonicalizeIOOrder,"

static void
check_planner (gconstpointer data)
{
  const Plan *plan = data;
  const char *planner = plan->planner, *passes = plan->passes;
  const char *seed = g_getenv ("TS_EXECUTE_SEED");
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed != NULL ? (guint32) atoi (seed) : 1475);
  const char *asked = g_getenv ("TS_EXECUTE_ROUNDS");
  gboolean tame = plan->gen == gen_kernel || plan->gen == gen_cube_kernel;
  guint rounds = asked != NULL ? (guint) atoi (asked) : tame ? 200 : 60;
  g_autofree char *shortest = NULL;
  gsize length = 0;
  guint faults = 0;
  for (guint round = 0; round < rounds; round++)
    {
      g_autofree char *kernel = plan->gen (rand);
      g_autoptr (TsDiagList) diags = ts_diag_list_new ();
      g_autoptr (GPtrArray) snapshots = ts_kernel_run (kernel, "InCore", passes, round % 2 ? "none" : "ascend910b", planner, diags);
      if (snapshots == NULL)
        {
          g_autoptr (GString) said = g_string_new (NULL);
          ts_diag_list_format (diags, TRUE, said);
          g_error ("%s\n%s", said->str, kernel);
        }
      const TsPassSnapshot *last = snapshots->pdata[snapshots->len - 1];
      if (last->module == NULL)
        {
          /* Too much may be live for this core; sums always fit. */
          g_assert_true (plan->gen != gen_cube_kernel || round % 2 == 0);
          continue;
        }
      for (guint way = 0; way < 4; way++)
        {
          g_autofree char *wrong = execute (last->module->functions[0], (guint64) g_rand_int (rand) << 32 | g_rand_int (rand));
          if (wrong != NULL)
            {
              g_autofree char *text = ts_pypto_print (last->module, NULL, NULL);
              faults++;
              if (shortest == NULL || strlen (kernel) < length)
                {
                  length = strlen (kernel);
                  g_free (shortest);
                  shortest = g_strdup_printf ("round %u: %s\n%s\n%s", round, wrong, kernel, text);
                }
              break;
            }
        }
    }
  if (faults == 0)
    return;
  g_test_message ("%u of %u kernels lose a tile, the shortest of them in %s", faults, rounds, shortest);
  g_test_fail ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  static const Plan plans[] = {
    { "pypto", REUSE, gen_kernel, "" },
    { "dsa-rp", NO_REUSE, gen_kernel, "" },
    { "pypto", PIPELINE REUSE, gen_cube_kernel, "cube/" },
    { "dsa-rp", PIPELINE NO_REUSE, gen_cube_kernel, "cube/" },
    { "pypto", REUSE, gen_wild_kernel, "wild/" },
    { "dsa-rp", NO_REUSE, gen_wild_kernel, "wild/" },
    { "pypto", PIPELINE REUSE, gen_pipeline_kernel, "pipeline/" },
    { "dsa-rp", PIPELINE NO_REUSE, gen_pipeline_kernel, "pipeline/" },
    { "pypto", PIPELINE REUSE, gen_nest_kernel, "nest/" },
    { "dsa-rp", PIPELINE NO_REUSE, gen_nest_kernel, "nest/" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (plans); i++)
    {
      g_autofree char *path = g_strdup_printf ("/memory/execute/%s%s", plans[i].kind, plans[i].planner);
      g_test_add_data_func (path, &plans[i], check_planner);
    }
  return g_test_run ();
}
