/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tile is a number that only the operation and its operands determine; memory is a map from places to such numbers. */
#include "interpret.h"

#include <string.h>

#include "base/number.h"
#include "ir/op-info.h"

#define MAX_STEPS 200000

typedef struct
{
  gboolean set;
  gint64   number; /* of a scalar; what a tile stands for; the index of a buffer plus 1 */
} Cell;

typedef enum { NEXT, BREAK, CONTINUE, STOP } Flow;

typedef struct
{
  const TsModule *module;
  Cell           *env;     /* by value id */
  GHashTable     *memory;  /* place text to word */
  GHashTable     *writes;  /* place text to GString: its writes */
  guint           n_pops;
  guint           n_steps, n_stores;
  GString        *ends;    /* how the run ended early */
} Run;

static gint64
mix (gint64 a, gint64 b)
{
  guint64 h = ((guint64) a ^ ((guint64) b + G_GUINT64_CONSTANT (0x9e3779b97f4a7c15))) * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
  return (gint64) (h ^ h >> 31);
}

static void
stop (Run *run, const char *what, const char *name)
{
  if (run->ends->len == 0)
    g_string_append_printf (run->ends, "%s '%s'\n", what, name);
}

/* --- expressions --------------------------------------------------------------------------------------------------------- */

static gint64 evaluate (Run *run, const TsExpr *e);
static gint64 call (Run *run, const TsOp *op);

static gint64
evaluate_binary (Run *run, const TsExpr *e)
{
  gint64 a = evaluate (run, e->items[0]), b, out = 0;
  if ((e->op == TS_OPERATOR_AND && a == 0) || (e->op == TS_OPERATOR_OR && a != 0))
    return a != 0;
  b = evaluate (run, e->items[1]);
  switch (e->op)
    {
    case TS_OPERATOR_OR: return a != 0 || b != 0;
    case TS_OPERATOR_AND: return a != 0 && b != 0;
    case TS_OPERATOR_EQ: return a == b;
    case TS_OPERATOR_NE: return a != b;
    case TS_OPERATOR_LT: return a < b;
    case TS_OPERATOR_LE: return a <= b;
    case TS_OPERATOR_GT: return a > b;
    case TS_OPERATOR_GE: return a >= b;
    case TS_OPERATOR_ADD: return ts_add_sat (a, b);
    case TS_OPERATOR_SUB: return ts_add_sat (a, -b);
    case TS_OPERATOR_MUL: return ts_mul_sat (a, b);
    case TS_OPERATOR_FLOOR_DIV: return ts_floor_div (a, b, &out) ? out : 0;
    case TS_OPERATOR_FLOOR_MOD: return ts_floor_div (a, b, &out) ? a - out * b : 0;
    default: g_error ("the interpreter does not know the operator %s", ts_operator_symbol (e->op));
    }
}

static gint64
evaluate (Run *run, const TsExpr *e)
{
  gint64 word = 7;
  switch (e->kind)
    {
    case TS_EXPR_INT:
      return e->i;
    case TS_EXPR_VALUE:
      if (!run->env[e->value->id].set)
        stop (run, "reads, though nothing assigned it,", e->value->hint);
      return run->env[e->value->id].number;
    case TS_EXPR_UNARY:
      return e->op == TS_OPERATOR_NOT ? !evaluate (run, e->items[0]) : -evaluate (run, e->items[0]);
    case TS_EXPR_CAST:
      return evaluate (run, e->items[0]);
    case TS_EXPR_BINARY:
      return evaluate_binary (run, e);
    case TS_EXPR_LIST:
      for (guint i = 0; i < e->n; i++)
        word = mix (word, evaluate (run, e->list[i]));
      return word;
    case TS_EXPR_CALL:
      return call (run, e->call);
    default:
      return 0;
    }
}

static void
set (Run *run, const TsValue *value, gint64 number)
{
  run->env[value->id] = (Cell) { TRUE, number };
}

/* --- memory -------------------------------------------------------------------------------------------------------------- */

static void
note_write (Run *run, const char *place, gint64 word)
{
  GString *line = g_hash_table_lookup (run->writes, place);
  if (line == NULL)
    {
      line = g_string_new (NULL);
      g_hash_table_insert (run->writes, g_strdup (place), line);
    }
  g_string_append_printf (line, " %08x", (guint) word);
}

static char *
place_of (Run *run, const TsExpr *buffer, const TsExpr *offsets)
{
  GString *place = g_string_new (NULL);
  g_string_append_printf (place, "%" G_GINT64_FORMAT, evaluate (run, buffer));
  for (guint i = 0; i < offsets->n; i++)
    g_string_append_printf (place, "%c%05" G_GINT64_FORMAT, i == 0 ? ' ' : ',', evaluate (run, offsets->list[i]));
  return g_string_free (place, FALSE);
}

static gint64
load (Run *run, const TsOp *op)
{
  g_autofree char *place = place_of (run, op->operands[0], op->operands[1]);
  gint64 *held = g_hash_table_lookup (run->memory, place);
  return held != NULL ? *held : (gint64) g_str_hash (place);
}

static void
store (Run *run, const TsOp *op)
{
  char *place = place_of (run, op->operands[2], op->operands[1]);
  gint64 word = evaluate (run, op->operands[0]);
  note_write (run, place, word);
  g_hash_table_insert (run->memory, place, g_memdup2 (&word, sizeof word));
  run->n_stores++;
}

/* --- statements ---------------------------------------------------------------------------------------------------------- */

static Flow run_block (Run *run, const TsBlock *block);

static gint64
call (Run *run, const TsOp *op)
{
  const TsOpInfo *info = ts_op_info (op->code);
  gint64 word = (gint64) op->code;
  if (op->code == TS_OP_TILE_LOAD)
    return load (run, op);
  if (op->code == TS_OP_TILE_STORE)
    {
      store (run, op);
      return evaluate (run, op->operands[2]);
    }
  if (op->code == TS_OP_TILE_MOVE)
    return evaluate (run, op->operands[0]);
  if ((info->flags & TS_OPF_POP) != 0) /* what the other core sent as the next */
    return mix (word, run->n_pops++);
  for (guint i = 0; i < op->n_operands; i++)
    word = mix (word, evaluate (run, op->operands[i]));
  if ((info->flags & TS_OPF_PUSH) != 0)
    note_write (run, op->name, word);
  return word;
}

static void
take_yield (Run *run, const TsBlock *block, TsValue *const *to, guint n)
{
  const TsOp *yield = ts_block_yield (block);
  g_autofree gint64 *numbers = g_new (gint64, n + 1);
  g_assert_true (n == 0 || (yield != NULL && yield->n_operands == n));
  for (guint i = 0; i < n; i++)
    numbers[i] = evaluate (run, yield->operands[i]);
  for (guint i = 0; i < n; i++)
    set (run, to[i], numbers[i]);
}

static Flow
run_loop (Run *run, const TsOp *op)
{
  const TsBlock *body = ts_op_body (op, 0);
  gboolean is_for = op->code == TS_OP_FOR;
  guint first = is_for ? TS_FOR_INITS : 0, n = op->n_operands - first;
  TsValue *const *carried = body->args + (is_for ? 1 : 0);
  gint64 at = is_for ? evaluate (run, op->operands[TS_FOR_START]) : 0;
  gint64 stop_at = is_for ? evaluate (run, op->operands[TS_FOR_STOP]) : 1;
  gint64 step = is_for ? evaluate (run, op->operands[TS_FOR_STEP]) : 0;
  Flow flow = NEXT;
  for (guint i = 0; i < n; i++)
    set (run, carried[i], evaluate (run, op->operands[first + i]));
  for (; (step >= 0 ? at < stop_at : at > stop_at) && flow != STOP && flow != BREAK; at += step)
    {
      if (is_for)
        set (run, body->args[0], at);
      flow = run->ends->len > 0 ? STOP : run_block (run, body);
      if (flow == NEXT)
        take_yield (run, body, carried, n);
    }
  for (guint i = 0; i < n; i++)
    set (run, op->results[i], run->env[carried[i]->id].number);
  return flow == STOP ? STOP : NEXT;
}

static Flow
run_if (Run *run, const TsOp *op)
{
  guint arm = evaluate (run, op->operands[0]) != 0 ? 0 : 1;
  if (arm >= op->n_regions)
    return NEXT;
  Flow flow = run_block (run, ts_op_body (op, arm));
  if (flow == NEXT)
    take_yield (run, ts_op_body (op, arm), op->results, op->n_results);
  return flow;
}

static Flow
run_op (Run *run, const TsOp *op)
{
  if (++run->n_steps > MAX_STEPS)
    stop (run, "runs for ever in", op->name != NULL ? op->name : "a statement");
  if (run->ends->len > 0)
    return STOP;
  switch ((int) op->code)
    {
    case TS_OP_FOR:
    case TS_OP_WHILE:
      return run_loop (run, op);
    case TS_OP_IF:
      return run_if (run, op);
    case TS_OP_COND:
      return evaluate (run, op->operands[0]) != 0 ? NEXT : BREAK;
    case TS_OP_BREAK:
      return BREAK;
    case TS_OP_CONTINUE:
      return CONTINUE;
    case TS_OP_RETURN:
      return STOP;
    case TS_OP_SCOPE:
      return run_block (run, ts_op_body (op, 0));
    case TS_OP_YIELD:
      return NEXT;
    case TS_OP_SYSTEM_TFREE_TO_AIV:
      evaluate (run, op->operands[0]);
      run->env[ts_expr_as_value (op->operands[0])->id].set = FALSE;
      return NEXT;
    default:
      {
        gint64 word = op->code == TS_OP_ASSIGN ? evaluate (run, op->operands[0]) : call (run, op);
        if (op->n_results > 0)
          set (run, op->results[0], word);
        return NEXT;
      }
    }
}

static Flow
run_block (Run *run, const TsBlock *block)
{
  Flow flow = NEXT;
  for (const TsOp *op = block->first; op != NULL && flow == NEXT; op = op->next)
    flow = run_op (run, op);
  return flow;
}

/* --- the account --------------------------------------------------------------------------------------------------------- */

static void
free_line (gpointer line)
{
  g_string_free (line, TRUE);
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static char *
account (Run *run)
{
  guint n;
  g_autofree gpointer *places = g_hash_table_get_keys_as_array (run->writes, &n);
  GString *text = g_string_new (NULL);
  if (n > 0)
    qsort (places, n, sizeof *places, compare_places);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s:%s\n", (char *) places[i], ((GString *) g_hash_table_lookup (run->writes, places[i]))->str);
  g_string_append_printf (text, "%u stores\n%s", run->n_stores, run->ends->str);
  return g_string_free (text, FALSE);
}

char *
ts_interpret (const TsModule *module, gint64 n)
{
  const TsFunction *function = module->functions[0];
  Run run = { .module = module, .env = g_new0 (Cell, module->n_values + 1), .ends = g_string_new (NULL) };
  run.memory = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  run.writes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_line);
  for (guint i = 0; i < function->n_params; i++)
    set (&run, function->params[i], ts_type_is_scalar (function->params[i]->type) ? n : (gint64) i + 1);
  run_block (&run, ts_function_block (function));
  char *text = account (&run);
  g_free (run.env);
  g_hash_table_unref (run.memory);
  g_hash_table_unref (run.writes);
  g_string_free (run.ends, TRUE);
  return text;
}
