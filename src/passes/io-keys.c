/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparing and ranking the keys of CanonicalizeIOOrder. */
#include "passes/io-keys.h"

/* Keys of the statements seen last, found without hashing their pairs. */
#define RECENT 64

typedef struct
{
  TsIoKey  key;
  guint32  number; /* in the order of coming up */
  guint32  n;      /* members; then the rank of the next one, in the end that behind the last */
  gboolean double_buffer_c;
} Class;

struct TsIoRanking
{
  gboolean    double_buffer_c;
  guint       n, n_added;
  guint32    *rank_of;  /* by index; until the ranks are known, the number of the class */
  guint32    *at_rank;
  GHashTable *table;    /* Class, by key */
  GPtrArray  *classes;  /* by number; in the end by rank */
  Class      *recent[RECENT];
};

/* --- comparing --------------------------------------------------------------------------------------------------------------- */

static gint
compare_pairs (const TsIoKey *a, const TsIoKey *b)
{
  if (a->pairs == b->pairs)
    return 0;
  for (guint i = 0; i < a->n_pairs && i < b->n_pairs; i++)
    {
      if (a->pairs[i].group != b->pairs[i].group)
        return a->pairs[i].group < b->pairs[i].group ? -1 : 1;
      if (a->pairs[i].stage != b->pairs[i].stage)
        return a->pairs[i].stage < b->pairs[i].stage ? -1 : 1;
    }
  return (a->n_pairs > b->n_pairs) - (a->n_pairs < b->n_pairs);
}

/* Stages of accumulators come in twos; no stage stands before stage 0. */
static gint32
chunk (gint32 stage)
{
  return stage < 0 ? -1 : stage / 2;
}

gint
ts_io_key_compare (const TsIoKey *a, const TsIoKey *b, gboolean double_buffer_c, const char **decided_by)
{
  gint by_tier = (gint) a->tier - (gint) b->tier;
  gint by_stage = double_buffer_c ? chunk (a->stage) - chunk (b->stage) : compare_pairs (a, b);
  gint by_sub = (gint) a->sub - (gint) b->sub;
  gint by_number = double_buffer_c ? (a->stage > b->stage) - (a->stage < b->stage) : 0;
  *decided_by = by_tier != 0 ? "tier" : by_stage != 0 ? "stage" : by_sub != 0 ? "sub" : by_number != 0 ? "stage number" : "index";
  return by_tier != 0 ? by_tier : by_stage != 0 ? by_stage : by_sub != 0 ? by_sub : by_number;
}

char *
ts_io_key_text (const TsIoKey *key, gboolean double_buffer_c, guint index)
{
  if (double_buffer_c)
    return g_strdup_printf ("(%u, %d, %u, %d, %u)", key->tier, chunk (key->stage), key->sub, key->stage, index);
  GString *text = g_string_new (NULL);
  g_string_append_printf (text, "(%u, \"", key->tier);
  for (guint i = 0; i < key->n_pairs; i++)
    g_string_append_printf (text, "%s%d:%d", i > 0 ? ";" : "", key->pairs[i].group, key->pairs[i].stage);
  g_string_append_printf (text, "\", %u, %u)", key->sub, index);
  return g_string_free (text, FALSE);
}

/* --- ranking ----------------------------------------------------------------------------------------------------------------- */

static int
compare_classes (gconstpointer a, gconstpointer b)
{
  const Class *x = *(Class *const *) a, *y = *(Class *const *) b;
  const char *decided_by;
  return ts_io_key_compare (&x->key, &y->key, x->double_buffer_c, &decided_by);
}

static guint
hash_class (gconstpointer data)
{
  const Class *c = data;
  guint h = c->key.tier * 2u + c->key.sub + 31u * (guint) c->key.stage;
  for (guint i = 0; i < c->key.n_pairs && !c->double_buffer_c; i++)
    h = (h * 31u + (guint) c->key.pairs[i].group) * 31u + (guint) c->key.pairs[i].stage;
  return h;
}

static gboolean
equal_class (gconstpointer a, gconstpointer b)
{
  const Class *x = a, *y = b;
  const char *decided_by;
  return ts_io_key_compare (&x->key, &y->key, x->double_buffer_c, &decided_by) == 0;
}

TsIoRanking *
ts_io_ranking_new (guint n, gboolean double_buffer_c)
{
  TsIoRanking *ranking = g_new0 (TsIoRanking, 1);
  ranking->double_buffer_c = double_buffer_c;
  ranking->n = n;
  ranking->rank_of = g_new (guint32, MAX (n, 1));
  ranking->table = g_hash_table_new (hash_class, equal_class);
  ranking->classes = g_ptr_array_new_with_free_func (g_free);
  return ranking;
}

void
ts_io_ranking_free (TsIoRanking *ranking)
{
  if (ranking == NULL)
    return;
  g_hash_table_unref (ranking->table);
  g_ptr_array_unref (ranking->classes);
  g_free (ranking->rank_of);
  g_free (ranking->at_rank);
  g_free (ranking);
}

static Class *
find_class (TsIoRanking *ranking, const TsIoKey *key)
{
  guint slot = ((guint) (GPOINTER_TO_SIZE (key->pairs) >> 3) * 5u + key->tier * 2u + key->sub + (guint) key->stage * 7u
                + key->category * 16u) % RECENT;
  Class *recent = ranking->recent[slot];
  if (recent != NULL && recent->key.pairs == key->pairs && recent->key.tier == key->tier && recent->key.sub == key->sub
      && recent->key.stage == key->stage && recent->key.n_pairs == key->n_pairs && recent->key.category == key->category)
    return recent;

  Class probe = { *key, ranking->classes->len, 0, ranking->double_buffer_c };
  Class *found = g_hash_table_lookup (ranking->table, &probe);
  if (found == NULL)
    {
      found = g_memdup2 (&probe, sizeof probe);
      g_hash_table_add (ranking->table, found);
      g_ptr_array_add (ranking->classes, found);
    }
  ranking->recent[slot] = found;
  return found;
}

void
ts_io_ranking_add (TsIoRanking *ranking, const TsIoKey *key)
{
  g_return_if_fail (ranking->n_added < ranking->n);
  Class *found = find_class (ranking, key);
  found->n++;
  ranking->rank_of[ranking->n_added++] = found->number;
}

void
ts_io_ranking_finish (TsIoRanking *ranking, const guint32 **rank_of, const guint32 **at_rank)
{
  g_autofree Class **by_number = g_memdup2 (ranking->classes->pdata, sizeof (Class *) * ranking->classes->len);
  ranking->at_rank = g_new (guint32, MAX (ranking->n, 1));
  g_ptr_array_sort (ranking->classes, compare_classes);
  guint32 next = 0;
  for (guint i = 0; i < ranking->classes->len; i++)
    {
      Class *c = ranking->classes->pdata[i];
      guint32 n = c->n;
      c->n = next;
      next += n;
    }
  for (guint i = 0; i < ranking->n_added; i++)
    {
      ranking->rank_of[i] = by_number[ranking->rank_of[i]]->n++;
      ranking->at_rank[ranking->rank_of[i]] = i;
    }
  *rank_of = ranking->rank_of;
  *at_rank = ranking->at_rank;
}

/* Each class ends where the next begins. */
const TsIoKey *
ts_io_ranking_key (const TsIoRanking *ranking, guint index)
{
  guint low = 0, high = ranking->classes->len - 1;
  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      if (ranking->rank_of[index] < ((const Class *) ranking->classes->pdata[middle])->n)
        high = middle;
      else
        low = middle + 1;
    }
  return &((const Class *) ranking->classes->pdata[low])->key;
}
