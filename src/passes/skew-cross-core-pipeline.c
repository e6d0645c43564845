/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SkewCrossCorePipeline: the sending half of a loop between cube and vector core runs ahead of the receiving half.
 * Source: spec passes-schedule section 4. */
#include <string.h>

#include "base/limits.h"
#include "base/number.h"
#include "ir/build.h"
#include "ir/deps.h"
#include "ir/op-info.h"
#include "passes/aliases.h"
#include "passes/loops.h"

/* Groups of skewed loops start here, far from those of LowerPipelineLoops. */
#define FIRST_GROUP 1048576

/* One function. */
typedef struct
{
  TsPassContext *context;
  TsModule      *module;
  TsFunction    *function;
  TsCloner      *cloner;
  TsDepsBuilder *deps;
  guint8        *carried;  /* by value id, during one gate: carried by the loop at hand; grown as needed */
  guint          n_carried;
  TsAliases     *aliases;  /* of the module as it was for the first loop that needed them: values made since are of halves */
  guint8        *marks;    /* by class, during one gate */
  GArray        *marked;   /* guint32: classes with marks */
  const TsOp    *at;       /* being looked at */
  gint32         n_skewed;
  gboolean       changed, failed;
} Skewing;

/* One loop. P is the producing half, C the consuming one; a statement of a scalar slice is in both. */
typedef struct
{
  TsOp     *loop;
  TsBlock  *body;
  TsDeps   *deps;
  guint     n;         /* statements without the yield */
  guint8   *in_p, *in_c;
  guint     lead;      /* first push or pop */
  guint     n_carried;
  gint64    start, step, trip, stages, depth;
  gint32    group;
  TsOp     *yield;
} Loop;

/* --- carried values ---------------------------------------------------------------------------------------------------------- */

static void
grow_carried (Skewing *s)
{
  guint n = (guint) s->module->n_values;
  if (n <= s->n_carried)
    return;
  s->carried = g_renew (guint8, s->carried, n);
  memset (s->carried + s->n_carried, 0, n - s->n_carried);
  s->n_carried = n;
}

typedef struct
{
  const guint8 *carried;
  gboolean      found;
} Reading;

static void
see_carried (TsValue *value, gpointer data)
{
  Reading *reading = data;
  reading->found |= reading->carried[value->id] != 0;
}

static gboolean
see_carried_of (TsOp *op, gpointer data)
{
  ts_op_foreach_use (op, see_carried, data);
  return TRUE;
}

/* Does the statement (with everything inside) read a value that is marked as carried? */
static gboolean
reads_carried (Skewing *s, TsOp *op)
{
  Reading reading = { s->carried, FALSE };
  see_carried_of (op, &reading);
  ts_op_walk_regions (op, see_carried_of, &reading);
  return reading.found;
}

/* --- halves ------------------------------------------------------------------------------------------------------------------ */

static gboolean
is_push (const TsOp *op)
{
  return (ts_op_info (op->code)->flags & TS_OPF_PUSH) != 0;
}

static gboolean
is_pop (const TsOp *op)
{
  return (ts_op_info (op->code)->flags & TS_OPF_POP) != 0;
}

/* Pushes and pops at the top of the body. */
static void
count_messages (const TsOp *loop, guint *n_push, guint *n_pop)
{
  *n_push = *n_pop = 0;
  for (const TsOp *op = ts_op_body (loop, 0)->first; op != NULL; op = op->next)
    {
      *n_push += is_push (op);
      *n_pop += is_pop (op);
    }
}

static gboolean
count_message (TsOp *op, gpointer data)
{
  *(guint *) data += is_push (op) || is_pop (op);
  return TRUE;
}

/* Those inside of branches and loops as well. */
static guint
count_all_messages (const TsOp *loop)
{
  guint n = 0;
  ts_block_walk (ts_op_body (loop, 0), count_message, &n);
  return n;
}

/* P: the lead with everything it needs. C: the rest. */
static void
split_body (Loop *loop)
{
  for (guint i = 0; i < loop->n; i++)
    if (is_push (loop->deps->ops[i]) || is_pop (loop->deps->ops[i]))
      {
        loop->lead = i;
        break;
      }
  loop->in_p[loop->lead] = 1;
  for (guint i = loop->lead + 1; i-- > 0;) /* predecessors stand before */
    if (loop->in_p[i])
      for (guint p = loop->deps->pred_start[i]; p < loop->deps->pred_start[i + 1]; p++)
        loop->in_p[loop->deps->preds[p]] = 1;
  for (guint i = 0; i < loop->n; i++)
    loop->in_c[i] = !loop->in_p[i];
}

static gboolean
is_scalar_assign (const TsOp *op)
{
  return op->code == TS_OP_ASSIGN && op->n_results == 1 && ts_type_is_scalar (op->results[0]->type)
         && op->operands[0]->kind != TS_EXPR_CALL;
}

/* What C reads from P must be scalar arithmetic that C can do again for itself, back to values from outside. */
static gboolean
add_slices (Loop *loop, const TsOp **at)
{
  const TsDeps *deps = loop->deps;
  g_autofree guint8 *needed = g_new0 (guint8, loop->n + 1);
  for (guint i = 0; i < deps->n_ops; i++) /* the yield reads on behalf of C */
    if (i >= loop->n || loop->in_c[i])
      for (guint p = deps->pred_start[i]; p < deps->pred_start[i + 1]; p++)
        if (loop->in_p[deps->preds[p]])
          needed[deps->preds[p]] = 1;
  for (guint i = loop->n; i-- > 0;)
    {
      if (!needed[i])
        continue;
      if (!is_scalar_assign (deps->ops[i]))
        {
          *at = deps->ops[i];
          return FALSE;
        }
      loop->in_c[i] = 1;
      for (guint p = deps->pred_start[i]; p < deps->pred_start[i + 1]; p++)
        if (loop->in_p[deps->preds[p]])
          needed[deps->preds[p]] = 1;
    }
  return TRUE;
}

/* What one half does to memory that something writes to, by class of aliases. */
typedef struct
{
  Skewing    *s;
  guint8      set;   /* marks for what the statement uses and, shifted by WRITES, for what it writes to */
  guint8      clash; /* marks of the other half that must not be there already */
  const TsOp *found;
} Effects;

enum
{
  P_USES = 1 << 0,
  C_USES = 1 << 1,
  WRITES = 2,
  P_WRITES = P_USES << WRITES,
  C_WRITES = C_USES << WRITES,
};

static void
see_memory (Effects *effects, const TsValue *value, guint8 set, guint8 clash)
{
  guint32 class = ts_aliases_class (effects->s->aliases, value);
  if (class == 0)
    return;
  guint8 *marks = &effects->s->marks[class];
  if ((*marks & clash) != 0 && effects->found == NULL)
    effects->found = effects->s->at;
  if (*marks == 0)
    g_array_append_val (effects->s->marked, class);
  *marks |= set;
}

static void
see_use (TsValue *value, gpointer data)
{
  Effects *effects = data;
  see_memory (effects, value, effects->set, (guint8) (effects->clash << WRITES));
}

static void
see_write (TsValue *value, gpointer data)
{
  Effects *effects = data;
  see_memory (effects, value, (guint8) (effects->set << WRITES), effects->clash);
}

static gboolean
see_op (TsOp *op, gpointer data)
{
  Effects *effects = data;
  effects->s->at = op;
  ts_op_foreach_use (op, see_use, effects);
  ts_op_foreach_written (effects->s->module, op, see_write, effects);
  return TRUE;
}

/* Memory that one half writes to and the other one uses, with no value that orders the two: what follows would be overtaken. What C
 * uses counts only after P is marked, hence one pass over each half. Releases are in their order with the message. */
static const TsOp *
find_hidden_effect (Skewing *s, Loop *loop)
{
  const TsOp *found = NULL;
  if (s->aliases == NULL)
    {
      s->aliases = ts_aliases_new (s->module);
      s->marks = g_new0 (guint8, s->aliases->n_classes);
    }
  for (guint half = 0; half < 2 && found == NULL; half++)
    for (guint i = 0; i < loop->n && found == NULL; i++)
      {
        if (half == 0 ? !loop->in_p[i] : !loop->in_c[i])
          continue;
        Effects effects = { s, half == 0 ? P_USES : C_USES, half == 0 ? 0 : P_USES, NULL };
        see_op (loop->deps->ops[i], &effects);
        ts_op_walk_regions (loop->deps->ops[i], see_op, &effects);
        found = effects.found != NULL ? loop->deps->ops[i] : NULL;
      }
  for (guint i = 0; i < s->marked->len; i++)
    s->marks[g_array_index (s->marked, guint32, i)] = 0;
  g_array_set_size (s->marked, 0);
  return found;
}

/* The statement of the sending half that reads a carried value; NULL: none does. */
static const TsOp *
find_carried_read (Skewing *s, Loop *loop)
{
  const TsOp *found = NULL;
  for (guint i = 0; i < loop->n_carried; i++)
    s->carried[ts_for_carried (loop->loop, i)->id] = 1;
  for (guint i = 0; i < loop->n && found == NULL; i++)
    if (loop->in_p[i] && reads_carried (s, loop->deps->ops[i]))
      found = loop->deps->ops[i];
  for (guint i = 0; i < loop->n_carried; i++)
    s->carried[ts_for_carried (loop->loop, i)->id] = 0;
  return found;
}

/* Records a gate with the value that it looks at and the statement that fails it (or NULL); returns `passed`. `value` is taken. */
static gboolean
gate (Skewing *s, const Loop *loop, const char *name, gboolean passed, const TsOp *at, char *value)
{
  ts_step_begin (s->context->steps, "gate", s->module, s->function, loop->loop);
  ts_step_text (s->context->steps, "gate", name);
  ts_step_bool (s->context->steps, "passed", passed);
  ts_step_text (s->context->steps, "value", value);
  if (!passed && at != NULL)
    ts_step_int (s->context->steps, "failed_statement", at->origin.op);
  g_free (value);
  return passed;
}

/* The operation of a statement at fault, as a gate's value; else what there is instead. */
static char *
fault_text (const TsOp *at, const char *otherwise)
{
  return g_strdup (at != NULL ? at->name : otherwise);
}

/* The reason why a loop cannot be skewed; NULL when it can. */
static const char *
find_obstacle (Skewing *s, Loop *loop, const TsOp **at)
{
  guint n_push, n_pop, n_received = 0;
  *at = ts_exit_of (loop->loop);
  if (!gate (s, loop, "straight", *at == NULL, *at, fault_text (*at, "every trip runs to its end")))
    return "it may be left in its middle: the sending half must not run ahead of that";
  count_messages (loop->loop, &n_push, &n_pop);
  split_body (loop);
  for (guint i = 0; i < loop->n; i++)
    n_received += loop->in_c[i] != 0;
  if (!gate (s, loop, "receiving-half", n_received > 0, NULL, g_strdup_printf ("%u of %u statements", n_received, loop->n)))
    return "nothing is left for the receiving half";
  *at = find_carried_read (s, loop);
  if (!gate (s, loop, "carried-values", *at == NULL, *at, fault_text (*at, "none is read by the sending half")))
    return "the sending half reads a carried value";
  guint n_messages = count_all_messages (loop->loop);
  if (!gate (s, loop, "one-message", n_push == 1 && n_pop == 1 && n_messages == 2, NULL,
             g_strdup_printf ("%u pushes and %u pops, %u messages with those of inner blocks", n_push, n_pop, n_messages)))
    return "advancing one of several messages would change their order";
  *at = find_hidden_effect (s, loop);
  if (!gate (s, loop, "hidden-effects", *at == NULL, *at, fault_text (*at, "none")))
    return "one half writes to memory that the other half uses";
  gboolean sliced = add_slices (loop, at);
  if (!gate (s, loop, "scalar-slices", sliced, *at, sliced ? g_strdup ("scalars only") : fault_text (*at, "not a scalar")))
    return "the receiving half reads more than scalars of the sending half";
  return NULL;
}

/* --- emission ---------------------------------------------------------------------------------------------------------------- */

static gint64
find_depth (gint64 stages, gint64 trip)
{
  for (gint64 d = MAX (2, stages - 1); d > 1; d--)
    if (trip % d == 0 && trip / 2 >= d)
      return d;
  return 1;
}

static void
record_half (Skewing *s, const Loop *loop, const char *half, const char *part, gint64 copy)
{
  ts_step_begin (s->context->steps, "copy", s->module, s->function, loop->loop);
  ts_step_text (s->context->steps, "half", half);
  ts_step_text (s->context->steps, "part", part);
  ts_step_int (s->context->steps, "stage", copy);
}

typedef struct
{
  Skewing   *s;
  TsStage    pair;
  TsTagCache cache;
} Tagging;

static gboolean
tag_op (TsOp *op, gpointer data)
{
  Tagging *tagging = data;
  if (ts_op_makes_tile (op) && !is_pop (op))
    {
      ts_tag (tagging->s->module, op, tagging->pair, &tagging->cache);
      if (tagging->s->context->steps != NULL)
        {
          g_autofree char *text = ts_membership_text (op);
          ts_step_begin (tagging->s->context->steps, "tag", tagging->s->module, tagging->s->function, op);
          ts_step_text (tagging->s->context->steps, "membership", text);
        }
    }
  return TRUE;
}

/* Copies one half at `index`, appended to `to`. `state` holds the carried values before it; a copy of C replaces them. */
static void
copy_half (Skewing *s, const Loop *loop, TsBlock *to, const guint8 *half, TsExpr *index, TsExpr **state, gint64 copy)
{
  Tagging tagging = { .s = s, .pair = { loop->group, (gint32) copy } };
  ts_cloner_reset (s->cloner);
  ts_cloner_set_clone_number (s->cloner, (gint) copy);
  ts_cloner_set (s->cloner, ts_for_var (loop->loop), index);
  for (guint i = 0; i < loop->n_carried; i++)
    ts_cloner_set (s->cloner, ts_for_carried (loop->loop, i), state[i]);
  for (guint i = 0; i < loop->n; i++)
    {
      if (!half[i])
        continue;
      TsOp *op = ts_cloner_op (s->cloner, loop->deps->ops[i]);
      ts_block_append (to, op);
      tag_op (op, &tagging);
      ts_op_walk_regions (op, tag_op, &tagging);
    }
  if (half == loop->in_c)
    for (guint i = 0; i < loop->n_carried; i++)
      state[i] = ts_cloner_expr (s->cloner, loop->yield->operands[i]);
}

static TsExpr *
literal (Skewing *s, const Loop *loop, gint64 index)
{
  return ts_literal_like (s->module, loop->loop->operands[TS_FOR_START], loop->start + index * loop->step);
}

/* A block that collects copies before they are linked beside the loop. */
static TsBlock *
new_holder (Skewing *s)
{
  return ts_op_add_region (s->module, ts_op_new (s->module, TS_OP_SCOPE, NULL, NULL, 0));
}

static void
move_before (TsOp *anchor, TsBlock *from)
{
  for (TsOp *next, *op = from->first; op != NULL; op = next)
    {
      next = op->next;
      ts_op_unlink (op);
      ts_block_insert_before (anchor, op);
    }
}

static void
move_after (TsOp *anchor, TsBlock *from)
{
  for (TsOp *next, *op = from->first; op != NULL; op = next)
    {
      next = op->next;
      ts_op_unlink (op);
      ts_block_insert_after (anchor, op);
      anchor = op;
    }
}

/* The steady loop takes over the loop itself: its variable, its carried values and their inits. */
static void
make_steady (Skewing *s, Loop *loop, TsValue *const *results)
{
  TsModule *module = s->module;
  TsOp *op = loop->loop;
  TsBlock *steady = new_holder (s);
  TsExpr *variable = ts_expr_value (module, ts_for_var (op));
  g_autofree TsExpr **state = g_new (TsExpr *, loop->n_carried + 1);
  for (guint i = 0; i < loop->n_carried; i++)
    state[i] = ts_expr_value (module, ts_for_carried (op, i));

  for (gint64 i = 0; i < loop->depth; i++)
    {
      record_half (s, loop, "send", "steady", i);
      copy_half (s, loop, steady, loop->in_p, ts_expr_offset (module, variable, i * loop->step), state, i);
    }
  for (gint64 i = 0; i < loop->depth; i++)
    {
      TsExpr *back = ts_literal_like (module, op->operands[TS_FOR_STEP], (loop->depth - i) * loop->step);
      record_half (s, loop, "receive", "steady", i);
      copy_half (s, loop, steady, loop->in_c, ts_promoted_binary (module, TS_OPERATOR_SUB, variable, back), state, i);
    }

  for (guint i = 0; i < loop->n; i++)
    ts_op_unlink (loop->deps->ops[i]);
  if (loop->yield != NULL)
    ts_op_unlink (loop->yield);
  ts_block_splice (loop->body, steady);
  if (loop->yield != NULL)
    {
      ts_op_set_operands (module, loop->yield, state, loop->n_carried);
      ts_block_append (loop->body, loop->yield);
    }
  TsExpr *start = literal (s, loop, loop->depth), *stop = literal (s, loop, loop->trip);
  op->operands[TS_FOR_STEP] = ts_literal_like (module, op->operands[TS_FOR_STEP], loop->depth * loop->step);
  op->operands[TS_FOR_START] = start;
  op->operands[TS_FOR_STOP] = stop;
  ts_op_set_results (module, op, NULL, 0);
  for (guint i = 0; i < loop->n_carried; i++)
    {
      g_autofree char *hint = g_strconcat (results[i]->hint, "_swp", NULL);
      ts_op_add_result (module, op, hint, results[i]->type);
    }
}

static void
emit (Skewing *s, Loop *loop)
{
  TsModule *module = s->module;
  TsOp *op = loop->loop;
  g_autofree TsValue **results = g_memdup2 (op->results, sizeof (TsValue *) * op->n_results);
  g_autofree TsExpr **state = g_new (TsExpr *, loop->n_carried + 1);
  g_autofree TsExpr **inits = g_new (TsExpr *, loop->n_carried + 1);
  TsBlock *prologue = new_holder (s), *epilogue = new_holder (s);
  loop->group = FIRST_GROUP + s->n_skewed++;
  for (guint i = 0; i < loop->n_carried; i++)
    inits[i] = op->operands[TS_FOR_INITS + i];

  for (gint64 i = 0; i < loop->depth; i++)
    {
      record_half (s, loop, "send", "prologue", i);
      copy_half (s, loop, prologue, loop->in_p, literal (s, loop, i), inits, i);
    }
  /* The epilogue copies the body too, so it is made before the body goes; it starts from what the steady loop will leave. */
  TsValue **left = g_new (TsValue *, loop->n_carried + 1);
  for (guint i = 0; i < loop->n_carried; i++)
    {
      left[i] = ts_value_new (module, TS_VALUE_RESULT, results[i]->hint, results[i]->type);
      state[i] = ts_expr_value (module, left[i]);
    }
  for (gint64 i = 0; i < loop->depth; i++)
    {
      record_half (s, loop, "receive", "epilogue", i);
      copy_half (s, loop, epilogue, loop->in_c, literal (s, loop, loop->trip - loop->depth + i), state, i);
    }
  for (guint i = 0; i < loop->n_carried; i++)
    ts_block_append (epilogue, ts_assign_to (module, results[i], state[i], op));

  make_steady (s, loop, results);
  for (guint i = 0; i < loop->n_carried; i++)
    left[i]->hint = op->results[i]->hint;
  ts_op_set_results (module, op, left, loop->n_carried);
  g_free (left);
  move_before (op, prologue);
  move_after (op, epilogue);
  ts_loop_demote (op);
  ts_loop_strip_policy (op);
}

/* --- one loop ---------------------------------------------------------------------------------------------------------------- */

static void
record_loop (Skewing *s, const Loop *loop, const char *reason, const TsOp *at)
{
  TsSteps *steps = s->context->steps;
  ts_step_begin (steps, "loop", s->module, s->function, loop->loop);
  ts_step_bool (steps, "accepted", reason == NULL);
  ts_step_int (steps, "stages", loop->stages);
  if (reason != NULL)
    {
      ts_step_text (steps, "reason", reason);
      if (at != NULL)
        ts_step_int (steps, "failed_statement", at->origin.op);
      return;
    }
  ts_step_int (steps, "trips", loop->trip);
  ts_step_int (steps, "depth_wanted", MAX (2, loop->stages - 1));
  ts_step_int (steps, "depth", loop->depth);
  for (guint i = 0; i < loop->n; i++)
    {
      ts_step_begin (steps, "role", s->module, s->function, loop->deps->ops[i]);
      ts_step_text (steps, "half", loop->in_p[i] && loop->in_c[i] ? "both" : loop->in_p[i] ? "send" : "receive");
      ts_step_bool (steps, "lead", i == loop->lead);
    }
}

static void
demote (Skewing *s, Loop *loop, const char *reason, const TsOp *at)
{
  record_loop (s, loop, reason, at);
  ts_loop_demote (loop->loop);
  ts_loop_strip_policy (loop->loop);
}

static gboolean
count_op (TsOp *op, gpointer data)
{
  ++*(gint64 *) data;
  return TRUE;
}

static void
refuse (Skewing *s, const Loop *loop, const char *code, const char *message)
{
  ts_pass_fail (s->context, s->module, loop->loop, code, "%s", message);
  s->failed = TRUE;
}

/* A loop that is known to be worth a try: constant bounds, two trips, messages both ways. */
static void
skew_loop (Skewing *s, Loop *loop)
{
  gint64 n_nested = 0, end;
  const TsOp *at = NULL;
  loop->body = ts_op_body (loop->loop, 0);
  loop->yield = ts_block_yield (loop->body);
  loop->n_carried = ts_for_n_carried (loop->loop);
  if ((loop->yield != NULL ? loop->yield->n_operands : 0) != loop->n_carried || loop->loop->n_results != loop->n_carried)
    {
      refuse (s, loop, "carried-values", "The loop does not yield what it carries");
      return;
    }
  grow_carried (s);
  loop->deps = ts_deps_builder_run (s->deps, loop->body);
  loop->n = loop->body->n_ops - (loop->yield != NULL ? 1 : 0);
  loop->in_p = g_new0 (guint8, loop->n + 1);
  loop->in_c = g_new0 (guint8, loop->n + 1);
  const char *obstacle = find_obstacle (s, loop, &at);

  loop->depth = find_depth (loop->stages, loop->trip);
  ts_block_walk (loop->body, count_op, &n_nested);
  if (obstacle != NULL)
    demote (s, loop, obstacle, at);
  else if (!ts_mul (loop->trip, loop->step, &end) || !ts_add (loop->start, end, &end))
    refuse (s, loop, "overflow", "The loop would end outside of 64 bits");
  else if (!ts_room_for (s->module, n_nested, ts_mul_sat (loop->depth, 3)))
    refuse (s, loop, "too-large", "The copies of the body are more than a module may hold");
  else
    {
      record_loop (s, loop, NULL, NULL);
      emit (s, loop);
    }
  ts_deps_free (loop->deps);
  g_free (loop->in_p);
  g_free (loop->in_c);
}

static void
visit_loop (Skewing *s, TsOp *op)
{
  guint n_push, n_pop;
  gint64 stop;
  Loop loop = { .loop = op, .stages = ts_op_attr_int (op, TS_ATTR_STAGES, 0) };
  count_messages (op, &n_push, &n_pop);
  if (n_push == 0 || n_pop == 0)
    {
      record_loop (s, &loop, "no message in both directions", NULL);
      return;
    }
  s->changed = TRUE;
  if (loop.stages < 1 || loop.stages > TS_MAX_STAGES)
    {
      g_autofree char *message =
          g_strdup_printf ("The loop has %" G_GINT64_FORMAT " stages; 1 to %u are possible", loop.stages, TS_MAX_STAGES);
      refuse (s, &loop, "bad-stage", message);
    }
  else if (loop.stages == 1)
    demote (s, &loop, "one stage: nothing runs ahead", NULL);
  else if (!ts_expr_as_int (op->operands[TS_FOR_STEP], &loop.step))
    refuse (s, &loop, "symbolic-step", "The step of a pipeline loop between cores must be a constant");
  else if (loop.step == 0)
    refuse (s, &loop, "zero-step", "The step of the loop is 0");
  else if (!ts_expr_as_int (op->operands[TS_FOR_START], &loop.start) || !ts_expr_as_int (op->operands[TS_FOR_STOP], &stop))
    demote (s, &loop, "bounds are known at run time only", NULL);
  else if (!ts_trip_count_exact (loop.start, stop, loop.step, &loop.trip))
    refuse (s, &loop, "overflow", "The trip count of the loop does not fit in 64 bits");
  else if (loop.trip < 2)
    demote (s, &loop, "fewer than two trips", NULL);
  else
    skew_loop (s, &loop);
}

static void
visit_block (Skewing *s, TsBlock *block)
{
  TsOp *next;
  for (TsOp *op = block->first; op != NULL && !s->failed; op = next)
    {
      next = op->next;
      for (guint r = 0; r < op->n_regions; r++)
        for (guint b = 0; b < op->regions[r].n_blocks; b++)
          visit_block (s, op->regions[r].blocks[b]);
      if (ts_pass_cancelled (s->context))
        s->failed = TRUE;
      else if (!s->failed && ts_loop_is_pipeline (op))
        visit_loop (s, op);
    }
}

static TsPassResult
run (TsPassContext *context, TsModule *module)
{
  g_autoptr (TsCloner) cloner = ts_cloner_new (module);
  g_autoptr (TsDepsBuilder) deps = ts_deps_builder_new (module);
  Skewing s = { .context = context, .module = module, .cloner = cloner, .deps = deps };
  s.marked = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < module->n_functions && !s.failed; i++)
    {
      s.function = module->functions[i];
      s.n_skewed = 0;
      for (guint b = 0; b < s.function->body.n_blocks; b++)
        visit_block (&s, s.function->body.blocks[b]);
    }
  g_free (s.carried);
  g_free (s.marks);
  ts_aliases_free (s.aliases);
  g_array_unref (s.marked);
  return s.failed ? TS_PASS_FAILED : s.changed ? TS_PASS_CHANGED : TS_PASS_UNCHANGED;
}

const TsPassInfo ts_pass_skew_cross_core_pipeline = {
  .name = "SkewCrossCorePipeline",
  .id = "skew-cross-core-pipeline",
  .summary = "Let the sender of a loop between cube and vector core run ahead",
  .help = "A pipeline loop whose body pushes to the other core and pops from it is split: what the first message needs goes "
          "ahead by up to max(2, F-1) trips (the largest depth that divides the trip count at least twice), the rest follows. A "
          "prologue fills the pipeline, an epilogue drains it; the loop becomes sequential. Loops for which this is not "
          "possible become sequential as they are; loops without messages both ways are not touched.\n"
          "\n"
          "Different from the compiler: the policy attributes go with the stage count, and a loop where one half writes "
          "to memory that the other half uses, under any name, is not skewed, nor one that a break, continue or return may leave "
          "in its middle, nor one with further messages inside branches or loops.",
  .language = TS_LANGUAGE_PYPTO,
  .required = TS_PROPERTIES_TILE,
  .produced = TS_PROPERTIES_TILE,
  .planners = TS_PLANNERS_ALL,
  .in_default = TRUE,
  .run = run,
};
