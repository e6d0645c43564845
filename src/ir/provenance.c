/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Links between the operations of two snapshots: recorded origins, or recovered by names, kinds and order. */

#include "ir/provenance.h"

#include <string.h>

#include "ir/op-info.h"

/* Compressed rows: the entries of id i are ids[start[i]] .. ids[start[i + 1] - 1]. */
typedef struct
{
  guint32  n;
  guint32 *start;
  gint32  *ids;
} Links;

struct TsProvenance
{
  Links    backward;
  Links    forward;
  gboolean inferred;
};

typedef struct
{
  gint32 from; /* id in `after` */
  gint32 to;   /* id in `before` */
} Link;

static gint
by_from_then_to (gconstpointer a, gconstpointer b)
{
  const Link *x = a, *y = b;

  if (x->from != y->from)
    return x->from < y->from ? -1 : 1;
  return x->to < y->to ? -1 : x->to > y->to;
}

/* `list` is sorted and made unique on the way. */
static void
links_build (Links *links, GArray *list, gint32 n)
{
  guint kept = 0;

  g_array_sort (list, by_from_then_to);
  links->n = (guint32) MAX (n, 0);
  links->start = g_new0 (guint32, (gsize) links->n + 1);
  links->ids = g_new (gint32, MAX (list->len, 1));
  for (guint i = 0; i < list->len; i++)
    {
      const Link *link = &g_array_index (list, Link, i);

      if (i > 0 && by_from_then_to (link, link - 1) == 0)
        continue;
      links->ids[kept++] = link->to;
      links->start[link->from + 1]++;
    }
  for (guint i = 0; i < links->n; i++)
    links->start[i + 1] += links->start[i];
}

static TsProvenance *
provenance_new (GArray *list, const TsModule *before, const TsModule *after, gboolean inferred)
{
  TsProvenance *provenance = g_new0 (TsProvenance, 1);

  links_build (&provenance->backward, list, after->n_ops);
  for (guint i = 0; i < list->len; i++)
    {
      Link *link = &g_array_index (list, Link, i);
      gint32 swap = link->from;

      link->from = link->to;
      link->to = swap;
    }
  links_build (&provenance->forward, list, before->n_ops);
  provenance->inferred = inferred;
  return provenance;
}

void
ts_provenance_free (TsProvenance *provenance)
{
  if (provenance == NULL)
    return;
  g_free (provenance->backward.start);
  g_free (provenance->backward.ids);
  g_free (provenance->forward.start);
  g_free (provenance->forward.ids);
  g_free (provenance);
}

gboolean
ts_provenance_is_inferred (const TsProvenance *provenance)
{
  return provenance->inferred;
}

static const gint32 *
links_get (const Links *links, gint32 op, guint *n)
{
  *n = 0;
  if (op < 0 || (guint32) op >= links->n)
    return NULL;
  *n = links->start[op + 1] - links->start[op];
  return links->ids + links->start[op];
}

const gint32 *
ts_provenance_backward (const TsProvenance *provenance, gint32 op, guint *n)
{
  return links_get (&provenance->backward, op, n);
}

const gint32 *
ts_provenance_forward (const TsProvenance *provenance, gint32 op, guint *n)
{
  return links_get (&provenance->forward, op, n);
}

/* --- recorded ---------------------------------------------------------------------------------------------------------------- */

typedef struct
{
  GArray *list;
  gint32  n_before;
} Recorder;

static void
add_link (GArray *list, gint32 from, gint32 to, gint32 n_before)
{
  Link link = { from, to };

  if (to >= 0 && to < n_before)
    g_array_append_val (list, link);
}

static gboolean
record_op (TsOp *op, gpointer data)
{
  Recorder *recorder = data;

  add_link (recorder->list, op->id, op->origin.op, recorder->n_before);
  for (const gint32 *more = op->origin.more; more != NULL && *more >= 0; more++)
    add_link (recorder->list, op->id, *more, recorder->n_before);
  return TRUE;
}

TsProvenance *
ts_provenance_exact (const TsModule *before, const TsModule *after)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (Link));
  Recorder recorder = { list, before->n_ops };

  for (guint i = 0; i < after->n_functions; i++)
    ts_region_walk (&after->functions[i]->body, record_op, &recorder);
  return provenance_new (list, before, after, FALSE);
}

/* --- recovered --------------------------------------------------------------------------------------------------------------- */

/* Length without a trailing "_" and digits. */
static gsize
cut_number (const char *name, gsize length)
{
  gsize end = length;

  while (end > 0 && g_ascii_isdigit (name[end - 1]))
    end--;
  return end < length && end > 1 && name[end - 1] == '_' ? end - 1 : length;
}

gsize
ts_name_stem (const char *name)
{
  const char *role = name[0] != '\0' ? strstr (name + 1, "__") : NULL;

  return cut_number (name, role != NULL ? (gsize) (role - name) : strlen (name));
}

/* Digits from `p` on, and perhaps a clone suffix, until the end of the name. */
static gboolean
is_version (const char *p)
{
  gsize length = strlen (p), cut = cut_number (p, length), digits = strspn (p, "0123456789");

  return digits > 0 && (digits == length || digits == cut);
}

/* What stands behind "__": [qualifier_]role_vN, without a further "__". */
static gboolean
is_role (const char *p)
{
  static const char *const roles[] = { "ssa", "iter", "rv", "phi", "tile", "tmp", "out", "store", "idx" };

  const char *further = strstr (p, "__");

  for (const char *v = strstr (p, "_v"); v != NULL && (further == NULL || v < further); v = strstr (v + 1, "_v"))
    for (gsize i = 0; is_version (v + 2) && i < G_N_ELEMENTS (roles); i++)
      {
        gsize length = strlen (roles[i]), before = (gsize) (v - p);
        if (before >= length && strncmp (v - length, roles[i], length) == 0 && (before == length || *(v - length - 1) == '_'))
          return TRUE;
      }
  return FALSE;
}

gsize
ts_name_written (const char *name)
{
  for (const char *p = name[0] != '\0' ? strstr (name + 1, "__") : NULL; p != NULL; p = strstr (p + 1, "__"))
    if (is_role (p + 2))
      return (gsize) (p - name);
  return strlen (name);
}

gboolean
ts_name_answers (const char *name, const char *said, gsize length)
{
  return length > 0 && strncmp (name, said, length) == 0 && (name[length] == '\0' || ts_name_written (name) == length);
}

/* How strictly two operations must agree to be the same, from strict to loose. */
typedef enum
{
  LEVEL_STAGE, /* stem of the result, kind of operation, pipeline membership */
  LEVEL_KIND,  /* stem and kind */
  LEVEL_STEM,  /* stem only: tensor.slice became tile.load */
  N_LEVELS,
} Level;

typedef struct
{
  gint32      op;
  const char *keys[N_LEVELS];
  gboolean    matched;
} Item;

typedef struct
{
  GStringChunk *chunk;
  GString      *text;
  GArray       *items;
} Collector;

static const char *
kind_word (const TsOp *op)
{
  const char *dot = op->name != NULL ? strrchr (op->name, '.') : NULL;

  return dot != NULL ? dot + 1 : op->name != NULL ? op->name : "";
}

/* What an operation is called: its result, the variable of a loop, what a yield becomes, the first thing it reads. */
static const char *
name_of (const TsOp *op)
{
  const TsOp *outer = op->code == TS_OP_YIELD ? ts_op_parent (op) : NULL;

  if (op->code == TS_OP_FOR)
    return ts_for_var (op)->hint;
  if (outer != NULL && outer->n_results > 0)
    return outer->results[0]->hint;
  if (op->n_results > 0)
    return op->results[0]->hint;
  if (op->n_operands > 0 && op->operands[0]->kind == TS_EXPR_VALUE)
    return op->operands[0]->value->hint;
  return "";
}

static const char *
finish_key (Collector *c)
{
  return g_string_chunk_insert_const (c->chunk, c->text->str);
}

static gboolean
collect_op (TsOp *op, gpointer data)
{
  Collector *c = data;
  const char *name = name_of (op), *kind = kind_word (op);
  gboolean is_alloc = strcmp (kind, "alloc") == 0;
  Item item = { .op = op->id };
  guint n;
  const TsStage *stages = ts_op_membership (op, &n);

  /* The numbers of allocations are their identity, not marks of copies. */
  g_string_printf (c->text, "%.*s/", is_alloc ? (int) strlen (name) : (int) ts_name_stem (name), name);
  if (op->n_results == 0 || op->n_regions > 0)
    g_string_append_printf (c->text, "%d", op->code);
  item.keys[LEVEL_STEM] = finish_key (c);
  g_string_append_printf (c->text, "/%d/%s", op->code < TS_OP_UNKNOWN && kind[0] == '\0' ? op->code : 0, kind);
  item.keys[LEVEL_KIND] = finish_key (c);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (c->text, ";%d:%d", stages[i].group, stages[i].stage);
  item.keys[LEVEL_STAGE] = finish_key (c);
  g_array_append_val (c->items, item);
  return TRUE;
}

static GArray *
collect (GStringChunk *chunk, const TsFunction *function)
{
  g_autoptr (GString) text = g_string_new (NULL);
  Collector c = { chunk, text, g_array_new (FALSE, FALSE, sizeof (Item)) };

  ts_region_walk ((TsRegion *) &function->body, collect_op, &c);
  return c.items;
}

/* Groups by the key of a level: key to array of indices, unmatched items only when there are any of that key. */
static GHashTable *
group (GArray *items, Level level, gboolean unmatched_only)
{
  GHashTable *groups = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);

  for (guint i = 0; i < items->len; i++)
    {
      const Item *item = &g_array_index (items, Item, i);
      GArray *members = g_hash_table_lookup (groups, item->keys[level]);

      if (unmatched_only && item->matched)
        continue;
      if (members == NULL)
        {
          members = g_array_new (FALSE, FALSE, sizeof (guint));
          g_hash_table_insert (groups, (gpointer) item->keys[level], members);
        }
      g_array_append_val (members, i);
    }
  return groups;
}

/* Copies stand next to each other in program order, so the i-th of n comes from the i * m / n-th of m. */
static void
link_groups (GArray *list, GArray *before, const GArray *from, GArray *after, const GArray *to)
{
  for (guint i = 0; i < to->len; i++)
    {
      Item *target = &g_array_index (after, Item, g_array_index (to, guint, i));
      guint k = (guint) ((guint64) i * from->len / to->len);
      Item *source = &g_array_index (before, Item, g_array_index (from, guint, k));
      Link link = { target->op, source->op };

      g_array_append_val (list, link);
      target->matched = source->matched = TRUE;
    }
}

static void
match_level (GArray *list, GArray *before, GArray *after, Level level)
{
  g_autoptr (GHashTable) fresh = group (before, level, TRUE);
  g_autoptr (GHashTable) all = group (before, level, FALSE);
  g_autoptr (GHashTable) wanted = group (after, level, TRUE);

  for (guint i = 0; i < after->len; i++)
    {
      const Item *item = &g_array_index (after, Item, i);
      const GArray *to = g_hash_table_lookup (wanted, item->keys[level]);
      const GArray *from = g_hash_table_lookup (fresh, item->keys[level]);

      if (item->matched || to == NULL || g_array_index (to, guint, 0) != i)
        continue;
      if (from == NULL)
        from = g_hash_table_lookup (all, item->keys[level]);
      if (from == NULL || (level != LEVEL_STEM && to->len % from->len != 0))
        continue;
      link_groups (list, before, from, after, to);
    }
}

/* The function of `before` that the operations of `name` stood in: itself, or what it was outlined or split from. */
static const TsFunction *
find_source (const TsModule *before, const char *name)
{
  static const char *const suffixes[] = { "_aic", "_aiv" };
  const TsFunction *found = ts_module_find_function (before, name);
  g_autofree char *text = g_strdup (name);
  gsize length = strlen (text);

  if (found != NULL)
    return found;
  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++)
    if (g_str_has_suffix (text, suffixes[i]))
      {
        length -= strlen (suffixes[i]);
        text[length] = '\0';
        if ((found = ts_module_find_function (before, text)) != NULL)
          return found;
      }
  length = cut_number (text, length);
  text[length] = '\0';
  if (g_str_has_suffix (text, "_incore"))
    text[length - strlen ("_incore")] = '\0';
  found = ts_module_find_function (before, text);
  return found != NULL || before->n_functions != 1 ? found : before->functions[0];
}

TsProvenance *
ts_provenance_match (const TsModule *before, const TsModule *after)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (Link));
  GStringChunk *chunk = g_string_chunk_new (4096);

  for (guint f = 0; f < after->n_functions; f++)
    {
      const TsFunction *source = find_source (before, after->functions[f]->name);
      g_autoptr (GArray) from = source != NULL ? collect (chunk, source) : NULL;
      g_autoptr (GArray) to = source != NULL ? collect (chunk, after->functions[f]) : NULL;

      for (Level level = 0; source != NULL && level < N_LEVELS; level++)
        match_level (list, from, to, level);
    }
  g_string_chunk_free (chunk);
  return provenance_new (list, before, after, TRUE);
}
