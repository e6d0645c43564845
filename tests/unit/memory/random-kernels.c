/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random kernels: loops and branches in the ways that have cost a tile its bytes. */
#include "random-kernels.h"

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
gen_plain_yield (Gen *g, const char *indent, const GArray *results, const GArray *yielded)
{
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

static void
gen_yield (Gen *g, const char *indent, const GArray *results, const GArray *carried)
{
  g_autoptr (GArray) yielded = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < results->len; i++)
    {
      guint var = pick_yielded (g, indent, carried, i);
      g_array_append_val (yielded, var);
    }
  gen_plain_yield (g, indent, results, yielded);
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

char *
ts_random_kernel (GRand *rand)
{
  return finish_kernel (rand, NULL, FALSE);
}

char *
ts_random_wild_kernel (GRand *rand)
{
  g_autoptr (GArray) vars = g_array_new (FALSE, FALSE, sizeof (Var));
  return finish_kernel (rand, vars, FALSE);
}

char *
ts_random_pipeline_kernel (GRand *rand)
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
static guint gen_nest_branch (Gen *g, guint depth, guint last, const char *indent);

/* Returns what comes of `last`: often what an inner loop or a branch results in, with more or less of the rest read behind it. */
static guint
gen_nest_steps (Gen *g, guint depth, guint last, const char *indent, gint n)
{
  for (; n > 0; n--)
    {
      gint what = g_rand_int_range (g->rand, 0, 8);
      if (what == 0)
        gen_store (g, indent, pick (g));
      else if (what == 1)
        gen_unary (g, indent, pick (g));
      else if (what < 4 || depth >= 3 || g->budget == 0)
        last = gen_unary (g, indent, last);
      else if (what < 6)
        last = gen_nest_branch (g, depth, last, indent);
      else
        last = gen_nest (g, depth + 1, g_rand_boolean (g->rand) ? g_array_index (g->live, guint, 1) : pick (g));
    }
  return last;
}

/* One branch makes something, the other often hands on what was there before, which may be read in both of them and behind. */
static guint
gen_nest_branch (Gen *g, guint depth, guint last, const char *indent)
{
  guint scope = g->live->len, result = new_var (g), handing = (guint) g_rand_int_range (g->rand, 0, 3);
  g_autofree char *inner = g_strdup_printf ("%s    ", indent);
  g->budget--;
  for (guint arm = 0; arm < 2; arm++)
    {
      guint end = last;
      g_string_append_printf (g->text, arm == 0 ? "%sif n == %u:\n" : "%selse:\n", indent, result);
      if (arm != handing)
        end = gen_unary (g, inner, gen_nest_steps (g, depth + 1, last, inner, g_rand_int_range (g->rand, 0, 3)));
      else if (g_rand_int_range (g->rand, 0, 4) == 0)
        end = pick (g);
      if (g_rand_boolean (g->rand))
        gen_store (g, inner, g_rand_boolean (g->rand) ? last : pick (g));
      g_string_append_printf (g->text, "%sv%u: " TYPE " = yield_(v%u)\n", inner, result, end);
      g_array_set_size (g->live, scope);
    }
  keep (g, result);
  return result;
}

static guint
gen_nest_trip (Gen *g, guint depth, guint carried, const char *indent)
{
  guint inner = g->live->len, last = gen_nest_steps (g, depth, carried, indent, g_rand_int_range (g->rand, 1, 5));
  if (depth == 0 && g_rand_boolean (g->rand))
    last = gen_nest (g, depth + 1, g_array_index (g->live, guint, g_rand_int_range (g->rand, 0, (gint) inner)));
  if (last == carried)
    last = gen_unary (g, indent, last);
  if (g_rand_boolean (g->rand))
    gen_store (g, indent, g_rand_boolean (g->rand) ? carried : pick (g));
  return last;
}

static void
gen_nest_head (Gen *g, guint depth, const char *indent, const GArray *carried, const GArray *inits)
{
  gint trips = g_rand_int_range (g->rand, 1, 4), kind = g_rand_int_range (g->rand, 0, 8);
  g_string_append_printf (g->text, kind == 0 ? "%sfor " : "%sfor i%u, (", indent, g_array_index (carried, guint, 0));
  list_vars (g, carried, kind == 0 ? "" : ")");
  if (kind == 0)
    g_string_append_printf (g->text, "%s in while_(", carried->len == 1 ? "," : "");
  else if (g_rand_int_range (g->rand, 0, 3) > (gint) depth)
    g_string_append_printf (g->text, " in pl.pipeline(0, %d, 1, stage=%d, ", 2 * trips, g_rand_int_range (g->rand, 2, 4));
  else
    g_string_append_printf (g->text, " in range(0, %d, 1, ", trips);
  g_string_append (g->text, "init_values=(");
  list_vars (g, inits, ")");
  g_string_append_printf (g->text, kind == 0 ? "):\n%s    cond(n < %d)\n" : "):\n", indent, trips);
}

static guint
gen_nest (Gen *g, guint depth, guint init)
{
  g_autofree char *indent = g_strnfill (4 * (depth + 1), ' '), *inner = g_strnfill (4 * (depth + 2), ' ');
  guint scope = g->live->len, n = g_rand_int_range (g->rand, 0, 4) == 0 ? 2 : 1;
  g_autoptr (GArray) carried = g_array_new (FALSE, FALSE, sizeof (guint)), inits = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) results = g_array_new (FALSE, FALSE, sizeof (guint)), yielded = g_array_new (FALSE, FALSE, sizeof (guint));
  g->budget--;
  for (guint i = 0; i < n; i++)
    {
      guint start = i == 0 ? init : pick (g), in = new_var (g), out = new_var (g);
      g_array_append_val (inits, start);
      g_array_append_val (carried, in);
      g_array_append_val (results, out);
    }
  gen_nest_head (g, depth, indent, carried, inits);
  g_array_append_vals (g->live, carried->data, carried->len);
  for (guint i = 0; i < n; i++)
    {
      guint last = i == 0 ? gen_nest_trip (g, depth, g_array_index (carried, guint, 0), inner) : pick (g);
      if (i > 0 && last <= g_array_index (results, guint, n - 1))
        last = gen_unary (g, inner, last); /* a carried value is never yielded in another one's place by its own name */
      g_array_append_val (yielded, last);
    }
  gen_plain_yield (g, inner, results, yielded);
  g_array_set_size (g->live, scope);
  g_array_append_vals (g->live, results->data, results->len);
  return g_array_index (results, guint, 0);
}

char *
ts_random_nest_kernel (GRand *rand)
{
  Gen g = { rand, g_string_new ("(x: Tensor(64, 64; FP32), n: Scalar[INDEX]):\n"), NULL, 0, 8 };
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

char *
ts_random_cube_kernel (GRand *rand)
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
