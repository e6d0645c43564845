/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a machine file: every key known, every value in range, every fault told with file, group and key: all of them at once, so
 * that who writes a file mends it in one go. */
#include "machine/machine-private.h"

#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/number.h"

typedef enum { KIND_NUMBER, KIND_COUNT, KIND_CHOICE, KIND_TEXT } KeyKind;
typedef enum { PRESENCE_REQUIRED, PRESENCE_OPTIONAL } KeyPresence;

typedef struct
{
  const char *group, *key;
  guint8      kind, presence;
  double      least, most;
  const char *choices;
} KeyRow;

static const KeyRow key_table[N_KEYS] = {
#define TS_MACHINE_KEY(id, group, key, kind, presence, least, most, choices) \
  [KEY_##id] = { group, key, KIND_##kind, PRESENCE_##presence, least, most, choices },
#include "machine/keys.def"
#undef TS_MACHINE_KEY
};

typedef struct
{
  TsMachine *machine;
  GKeyFile  *file;
  GHashTable *index;     /* "group.key" to row number + 1 */
  GHashTable *overridden; /* "group.key" of every override */
  MachineFaults faults;
} Reader;

/* --- faults ---------------------------------------------------------------------------------------------------------------- */

void
machine_fault (MachineFaults *faults, TsMachineError code, const char *format, ...)
{
  va_list args;
  if (faults->n++ == 0)
    faults->first = code;
  if (faults->n > TS_MAX_DIAGS_PRINTED)
    return;
  if (faults->n > 1)
    g_string_append_c (faults->text, '\n');
  va_start (args, format);
  g_string_append_vprintf (faults->text, format, args);
  va_end (args);
}

/* All faults as one error, a line each; its code is that of the first. */
static gboolean
finish (MachineFaults *faults, GError **error)
{
  if (faults->n == 0)
    return TRUE;
  if (faults->n > TS_MAX_DIAGS_PRINTED)
    g_string_append_printf (faults->text, "\n... and %u more errors", faults->n - TS_MAX_DIAGS_PRINTED);
  g_set_error_literal (error, TS_MACHINE_ERROR, faults->first, faults->text->str);
  return FALSE;
}

static gboolean
fail (Reader *r, TsMachineError code, const char *group, const char *key, const char *format, ...) G_GNUC_PRINTF (5, 6);

static gboolean
fail (Reader *r, TsMachineError code, const char *group, const char *key, const char *format, ...)
{
  g_autofree char *full = g_strconcat (group, ".", key, NULL);
  g_autofree char *text = NULL;
  va_list          args;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  machine_fault (&r->faults, code, "%s: [%s] %s%s: %s", r->machine->name, group, key,
                 g_hash_table_contains (r->overridden, full) ? " (set by hand)" : "", text);
  return FALSE;
}

/* --- values --------------------------------------------------------------------------------------------------------------- */

static gboolean
parse_number (const char *text, double *out)
{
  char *end;
  *out = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && isfinite (*out) && !g_ascii_isspace (*text);
}

static gboolean
read_number (Reader *r, const KeyRow *row, const char *value, double *out)
{
  gint64 whole;
  if (!parse_number (value, out))
    return fail (r, TS_MACHINE_ERROR_BAD_VALUE, row->group, row->key, "'%s' is not a number", value);
  if (*out < 0)
    return fail (r, TS_MACHINE_ERROR_BAD_VALUE, row->group, row->key, "'%s' is negative", value);
  if (row->kind == KIND_COUNT && !ts_parse_int64 (value, &whole))
    return fail (r, TS_MACHINE_ERROR_BAD_VALUE, row->group, row->key, "'%s' is not a whole number", value);
  if (*out < row->least || *out > row->most)
    return fail (r, TS_MACHINE_ERROR_BAD_VALUE, row->group, row->key, "'%s' is out of range (%.15g to %.15g)", value, row->least,
                 row->most);
  return TRUE;
}

static gboolean
read_choice (Reader *r, const KeyRow *row, const char *value, double *out)
{
  g_auto (GStrv) choices = g_strsplit (row->choices, ",", -1);
  for (guint i = 0; choices[i] != NULL; i++)
    if (strcmp (choices[i], value) == 0)
      {
        *out = i;
        return TRUE;
      }
  return fail (r, TS_MACHINE_ERROR_BAD_VALUE, row->group, row->key, "'%s' is not one of %s", value, row->choices);
}

static gboolean
read_row (Reader *r, guint number, const char *value)
{
  const KeyRow *row = &key_table[number];
  double       *out = &r->machine->figure[number];
  switch ((KeyKind) row->kind)
    {
    case KIND_NUMBER:
    case KIND_COUNT:
      return read_number (r, row, value, out);
    case KIND_CHOICE:
      return read_choice (r, row, value, out);
    case KIND_TEXT:
    default:
      *out = 0;
      return TRUE;
    }
}

/* --- groups whose keys are made of names ---------------------------------------------------------------------------------- */

/* [sync] mte2-v = 15: cycles from the end on one pipe to the start on the other. */
static gboolean
read_pair (Reader *r, const char *key, const char *value)
{
  static const KeyRow limits = { "sync", NULL, KIND_COUNT, PRESENCE_OPTIONAL, 0, 1e9, NULL };
  g_auto (GStrv)      names = g_strsplit (key, "-", -1);
  KeyRow              row = limits;
  TsPipe              from, to;
  double              cycles;
  if (g_strv_length (names) != 2 || !ts_pipe_from_name (names[0], &from) || !ts_pipe_from_name (names[1], &to))
    return fail (r, TS_MACHINE_ERROR_UNKNOWN_KEY, "sync", key,
                 "not a pair of pipes such as mte2-v (pipes: s, mte2, mte1, m, v, mte3, fix)");
  /* Within a pipe order is kept without a flag; only on V does an operation wait for the one before to be through (the barrier). */
  if (from == to && from != TS_PIPE_V)
    return fail (r, TS_MACHINE_ERROR_UNKNOWN_KEY, "sync", key, "a pipe has no flag to itself; only v-v, the barrier, has a cost");
  row.key = key;
  if (!read_number (r, &row, value, &cycles))
    return FALSE;
  r->machine->pair_flag[from][to] = (gint32) cycles;
  return TRUE;
}

/* An element type as the last part of a key: "exp.fp16". */
static TsDtype
take_dtype (char *name)
{
  char            *dot = strrchr (name, '.');
  g_autofree char *upper = dot != NULL ? g_ascii_strup (dot + 1, -1) : NULL;
  const TsDtype    dtype = upper != NULL ? ts_dtype_from_name (upper, -1) : TS_DTYPE_NONE;
  if (dtype != TS_DTYPE_NONE)
    *dot = '\0';
  return dtype;
}

static gboolean
parse_rate (const char *value, VectorRate *rate)
{
  const gsize      first = strcspn (value, " \t");
  g_autofree char *head = g_strndup (value, first);
  const char      *per_repeat = value + first + strspn (value + first, " \t");
  return parse_number (head, &rate->head) && parse_number (per_repeat, &rate->per_repeat)
         && rate->head >= 0 && rate->head <= 1e9 && rate->per_repeat >= 0 && rate->per_repeat <= 1e9;
}

static gint
class_from_name (const char *name)
{
  for (guint i = 0; i < TS_N_COST_CLASSES; i++)
    if (i != TS_COST_NONE && strcmp (ts_cost_class_name (i), name) == 0)
      return (gint) i;
  return -1;
}

/* [vector-ops] exp = 31 2: head, then cycles per repeat; also exp.fp16, tile.gatherb, tile.gatherb.fp16. */
static gboolean
read_rate (Reader *r, const char *key, const char *value)
{
  g_autofree char *name = g_strdup (key);
  const TsDtype    dtype = take_dtype (name);
  const gint       class = class_from_name (name);
  const TsOpCode   code = ts_op_code_from_name (name, -1);
  VectorRate       rate;
  if (class < 0 && code == TS_OP_UNKNOWN)
    return fail (r, TS_MACHINE_ERROR_UNKNOWN_KEY, "vector-ops", key, "neither a cost class nor an operation");
  if (!parse_rate (value, &rate))
    return fail (r, TS_MACHINE_ERROR_BAD_VALUE, "vector-ops", key,
                 "'%s' is not two numbers, head and cycles per repeat, neither negative", value);
  if (class >= 0)
    r->machine->rates[class][dtype] = rate;
  else
    g_array_append_val (r->machine->op_rates, ((OpRate){ code, dtype, rate }));
  return TRUE;
}

/* A confidence, a colon, something behind it. */
#define SHORTEST_SOURCE 3

/* [source] mte2.startup = H: where from. The key is GROUP.KEY, GROUP.* or *. */
static gboolean
read_source (Reader *r, const char *key, const char *value)
{
  const char      *dot = strchr (key, '.');
  g_autofree char *group = dot != NULL ? g_strndup (key, dot - key) : NULL;
  if (strlen (value) < SHORTEST_SOURCE || strchr ("HML", value[0]) == NULL || value[1] != ':')
    return fail (r, TS_MACHINE_ERROR_BAD_VALUE, "source", key,
                 "'%s' does not begin with a confidence (H:, M: or L:)", value);
  if (strcmp (key, "*") == 0)
    return TRUE;
  if (group == NULL || !g_key_file_has_group (r->file, group)
      || (strcmp (dot + 1, "*") != 0 && !g_key_file_has_key (r->file, group, dot + 1, NULL)))
    return fail (r, TS_MACHINE_ERROR_UNKNOWN_KEY, "source", key, "the file has no such figure");
  return TRUE;
}

/* --- the whole file ------------------------------------------------------------------------------------------------------- */

static gboolean
is_named_group (const char *group)
{
  return strcmp (group, "sync") == 0 || strcmp (group, "vector-ops") == 0 || strcmp (group, "source") == 0;
}

static gboolean
is_group (const char *group)
{
  for (guint i = 0; i < N_KEYS; i++)
    if (strcmp (key_table[i].group, group) == 0)
      return TRUE;
  return is_named_group (group);
}

static gboolean
read_key (Reader *r, const char *group, const char *key, const char *value)
{
  g_autofree char *full = g_strconcat (group, ".", key, NULL);
  const guint      number = GPOINTER_TO_UINT (g_hash_table_lookup (r->index, full));
  if (number != 0)
    return read_row (r, number - 1, value);
  if (strcmp (group, "sync") == 0)
    return read_pair (r, key, value);
  if (strcmp (group, "vector-ops") == 0)
    return read_rate (r, key, value);
  if (strcmp (group, "source") == 0)
    return read_source (r, key, value);
  return fail (r, TS_MACHINE_ERROR_UNKNOWN_KEY, group, key, "unknown key");
}

/* The best source text for a figure: its own, its group's, the file's. */
static void
find_source (Reader *r, TsFigure *figure)
{
  g_autofree char *own = g_strconcat (figure->group, ".", figure->key, NULL);
  g_autofree char *of_group = g_strconcat (figure->group, ".*", NULL);
  const char      *candidates[] = { own, of_group, "*" };
  if (g_hash_table_contains (r->overridden, own))
    {
      figure->source = "set by hand";
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (candidates); i++)
    {
      g_autofree char *text = g_key_file_get_value (r->file, "source", candidates[i], NULL);
      if (text == NULL || strlen (text) < SHORTEST_SOURCE) /* the group itself is checked later, in file order */
        continue;
      figure->confidence = text[0] == 'H' ? "H" : text[0] == 'M' ? "M" : "L";
      figure->source = g_string_chunk_insert (r->machine->texts, g_strstrip (text + 2));
      return;
    }
}

static void
add_figure (Reader *r, const char *group, const char *key, const char *value)
{
  TsFigure figure = { 0 };
  figure.group = g_string_chunk_insert_const (r->machine->texts, group);
  figure.key = g_string_chunk_insert_const (r->machine->texts, key);
  figure.value = g_string_chunk_insert_const (r->machine->texts, value);
  find_source (r, &figure);
  g_array_append_val (r->machine->figures, figure);
}

static void
read_group (Reader *r, const char *group)
{
  g_auto (GStrv) keys = g_key_file_get_keys (r->file, group, NULL, NULL);
  if (!is_group (group)) /* once: its keys are no better */
    {
      fail (r, TS_MACHINE_ERROR_UNKNOWN_KEY, group, keys != NULL && keys[0] != NULL ? keys[0] : "", "unknown group (groups: "
            "core, memory, s, mte2, mte1, m, v, mte3, fix, vector-ops, sync, facts, source)");
      return;
    }
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      g_autofree char *value = g_key_file_get_value (r->file, group, keys[i], NULL);
      g_strstrip (value); /* blanks at the end of a line are nobody's meaning */
      if (read_key (r, group, keys[i], value) && strcmp (group, "source") != 0)
        add_figure (r, group, keys[i], value);
    }
}

static void
read_groups (Reader *r)
{
  g_auto (GStrv) groups = g_key_file_get_groups (r->file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    read_group (r, groups[i]);
}

/* What is there but wrong is told already. */
static void
miss (Reader *r, const char *group, const char *key)
{
  if (!g_key_file_has_key (r->file, group, key, NULL))
    fail (r, TS_MACHINE_ERROR_MISSING_KEY, group, key, "missing");
}

static void
check_missing (Reader *r)
{
  for (guint i = 0; i < N_KEYS; i++)
    if (key_table[i].presence == PRESENCE_REQUIRED && !machine_has (r->machine, i))
      miss (r, key_table[i].group, key_table[i].key);
  for (guint i = 0; i < TS_N_COST_CLASSES; i++)
    if (i != TS_COST_NONE && i != TS_COST_MATMUL && i != TS_COST_SYNC && r->machine->rates[i][TS_DTYPE_NONE].head < 0)
      miss (r, "vector-ops", ts_cost_class_name (i));
}

/* "[GROUP.]KEY=VALUE": the group ends at the first dot, since keys of vector-ops hold dots themselves. */
static void
apply_override (Reader *r, const char *text)
{
  const char      *equals = strchr (text, '=');
  g_autofree char *left = g_strstrip (equals != NULL ? g_strndup (text, equals - text) : g_strdup (text));
  const char      *dot = strchr (left, '.');
  g_autofree char *group = dot != NULL ? g_strndup (left, dot - left) : g_strdup ("core");
  const char      *key = dot != NULL ? dot + 1 : left;
  g_autofree char *value = equals != NULL ? g_strstrip (g_strdup (equals + 1)) : NULL;
  if (value == NULL || *key == '\0' || *value == '\0')
    {
      machine_fault (&r->faults, TS_MACHINE_ERROR_BAD_VALUE, "%s: '%s' is not [GROUP.]KEY=VALUE", r->machine->name, text);
      return;
    }
  g_hash_table_add (r->overridden, g_strconcat (group, ".", key, NULL));
  /* Asked before the key file is: it refuses odd names with a warning of its own. */
  if (strcmp (group, "source") == 0)
    fail (r, TS_MACHINE_ERROR_UNKNOWN_KEY, group, key, "sources stand in the file only; a figure set by hand says so itself");
  else if (!is_group (group))
    fail (r, TS_MACHINE_ERROR_UNKNOWN_KEY, group, key, "unknown group");
  else if (!g_utf8_validate (text, -1, NULL) || strpbrk (key, "[]=# \t\n\r\v\f") != NULL || strchr (value, '\n') != NULL)
    fail (r, TS_MACHINE_ERROR_UNKNOWN_KEY, group, key, "unknown key");
  else
    g_key_file_set_value (r->file, group, key, value);
}

static GHashTable *
key_index (void)
{
  GHashTable *index = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < N_KEYS; i++)
    g_hash_table_insert (index, g_strconcat (key_table[i].group, ".", key_table[i].key, NULL), GUINT_TO_POINTER (i + 1));
  return index;
}

static gboolean
refuse (const TsMachine *machine, GError **error, const char *why)
{
  g_set_error (error, TS_MACHINE_ERROR, TS_MACHINE_ERROR_SYNTAX, "%s: not a machine file: %s", machine->name, why);
  return FALSE;
}

gboolean
machine_read (TsMachine *machine, const char *text, gsize length, const char *const *overrides, GError **error)
{
  g_autoptr (GKeyFile)   file = g_key_file_new ();
  g_autoptr (GHashTable) index = key_index ();
  g_autoptr (GHashTable) overridden = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GString)    faults = g_string_new (NULL);
  g_autoptr (GError)     syntax = NULL;
  g_autofree char       *clean = NULL;
  Reader                 r = { machine, file, index, overridden, { faults, 0, 0 } };

  if (!g_utf8_validate_len (text, length, NULL))
    return refuse (machine, error, "not UTF-8 text");
  clean = machine_check_lines (machine->name, text, length, &r.faults);
  if (clean == NULL)
    return refuse (machine, error, "it has no line such as [core]");
  if (!g_key_file_load_from_data (file, clean, strlen (clean), G_KEY_FILE_NONE, &syntax))
    return refuse (machine, error, syntax->message);
  for (guint i = 0; overrides != NULL && overrides[i] != NULL; i++)
    apply_override (&r, overrides[i]);
  read_groups (&r);
  check_missing (&r);
  return finish (&r.faults, error);
}
