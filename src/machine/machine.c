/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine as an object: finding its file, what it says about capacities and timing. */
#include "machine/machine-private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/limits.h"
#include "machine/machine-files.h" /* generated from data/machines */

G_DEFINE_QUARK (ts-machine-error-quark, ts_machine_error)

#define RESOURCE_FOLDER "/io/github/tilescope/machines/"

const char *const *
ts_machine_shipped_names (void)
{
  static const char *const names[] = { "teaching", "ascend910b", "ascend950", NULL };
  return names;
}

static char *
user_folder (void)
{
  return g_build_filename (g_get_user_data_dir (), "tilescope", "machines", NULL);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

char **
ts_machine_names (void)
{
  GPtrArray         *names = g_ptr_array_new ();
  g_autofree char   *folder = user_folder ();
  g_autoptr (GDir)   dir = g_dir_open (folder, 0, NULL);
  const char        *file;
  guint              n_shipped;
  for (const char *const *name = ts_machine_shipped_names (); *name != NULL; name++)
    g_ptr_array_add (names, g_strdup (*name));
  n_shipped = names->len;
  while (dir != NULL && (file = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *name = g_str_has_suffix (file, ".machine") ? g_strndup (file, strlen (file) - strlen (".machine")) : NULL;
      /* a shipped name wins over a file of the same name: see ts_machine_load() and ts_machine_hidden_file() */
      if (name != NULL && *name != '\0' && !g_strv_contains (ts_machine_shipped_names (), name))
        g_ptr_array_add (names, g_steal_pointer (&name));
    }
  if (names->len > n_shipped)
    qsort (names->pdata + n_shipped, names->len - n_shipped, sizeof names->pdata[0], compare_names);
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

char *
ts_machine_hidden_file (const char *name)
{
  g_autofree char *folder = user_folder ();
  g_autofree char *file = g_strconcat (name, ".machine", NULL);
  g_autofree char *path = g_build_filename (folder, file, NULL);
  if (!g_strv_contains (ts_machine_shipped_names (), name) || !g_file_test (path, G_FILE_TEST_EXISTS))
    return NULL;
  return g_steal_pointer (&path);
}

void
ts_machine_warn_hidden (const char *name, TsDiagList *diags)
{
  g_autofree char *hidden = ts_machine_hidden_file (name);
  if (hidden != NULL)
    ts_diag_add (diags, TS_SEVERITY_WARNING, "hidden-machine", NULL, TS_SPAN_NONE,
                 "%s is not used: %s is a shipped machine; rename the file, or give its path", hidden, name);
}

/* --- life ------------------------------------------------------------------------------------------------------------------- */

static TsMachine *
machine_new (const char *name)
{
  TsMachine *machine = g_new0 (TsMachine, 1);
  g_atomic_ref_count_init (&machine->references);
  machine->name = g_strdup (name);
  machine->texts = g_string_chunk_new (4096);
  machine->figures = g_array_new (FALSE, TRUE, sizeof (TsFigure));
  machine->op_rates = g_array_new (FALSE, TRUE, sizeof (OpRate));
  for (guint i = 0; i < N_KEYS; i++)
    machine->figure[i] = NAN;
  for (guint i = 0; i < TS_N_COST_CLASSES; i++)
    for (guint j = 0; j < TS_N_DTYPES; j++)
      machine->rates[i][j].head = -1;
  memset (machine->pair_flag, -1, sizeof machine->pair_flag);
  return machine;
}

TsMachine *
ts_machine_ref (TsMachine *machine)
{
  g_atomic_ref_count_inc (&machine->references);
  return machine;
}

void
ts_machine_unref (TsMachine *machine)
{
  if (machine == NULL || !g_atomic_ref_count_dec (&machine->references))
    return;
  g_free (machine->name);
  g_string_chunk_free (machine->texts);
  g_array_unref (machine->figures);
  g_array_unref (machine->op_rates);
  g_free (machine);
}

/* --- timing --------------------------------------------------------------------------------------------------------------- */

static const MachineKey queue_keys[TS_N_PIPES] = { KEY_S_QUEUE_DEPTH, KEY_MTE2_QUEUE_DEPTH, KEY_MTE1_QUEUE_DEPTH, KEY_M_QUEUE_DEPTH,
                                                   KEY_V_QUEUE_DEPTH, KEY_MTE3_QUEUE_DEPTH, KEY_FIX_QUEUE_DEPTH };
static const MachineKey flight_keys[TS_N_PIPES] = { KEY_S_IN_FLIGHT, KEY_MTE2_IN_FLIGHT, KEY_MTE1_IN_FLIGHT, KEY_M_IN_FLIGHT,
                                                    KEY_V_IN_FLIGHT, KEY_MTE3_IN_FLIGHT, KEY_FIX_IN_FLIGHT };
static const MachineKey flag_keys[TS_N_PIPES] = { KEY_S_FLAG, KEY_MTE2_FLAG, KEY_MTE1_FLAG, KEY_M_FLAG,
                                                  KEY_V_FLAG, KEY_MTE3_FLAG, KEY_FIX_FLAG };

static gint64
barrier_cost (const TsMachine *machine, TsPipe pipe)
{
  const double of_core = machine->figure[KEY_BARRIER];
  return (gint64) (pipe == TS_PIPE_V ? machine_figure (machine, KEY_V_BARRIER, of_core) : of_core);
}

/* A pair of [sync] wins over the producer's own figure, which wins over that of the core. */
static gint64
flag_cost (const TsMachine *machine, TsPipe from, TsPipe to)
{
  if (machine->pair_flag[from][to] >= 0)
    return machine->pair_flag[from][to];
  if (from == to)
    return from == TS_PIPE_V ? barrier_cost (machine, from) : 0;
  return (gint64) machine_figure (machine, flag_keys[from], machine->figure[KEY_FLAG]);
}

static void
resolve_timing (TsMachine *machine)
{
  TsMachineTiming *timing = &machine->timing;
  timing->dispatch_cost = (gint64) machine->figure[KEY_DISPATCH];
  timing->cross_core = (gint64) machine->figure[KEY_CROSS_CORE];
  timing->gm_alias = (TsGmAlias) machine_figure (machine, KEY_GM_ALIAS, TS_GM_ALIAS_WINDOW);
  for (guint from = 0; from < TS_N_PIPES; from++)
    {
      timing->queue_depth[from] = (gint64) machine_figure (machine, queue_keys[from], machine->figure[KEY_QUEUE_DEPTH]);
      timing->barrier[from] = barrier_cost (machine, from);
      timing->in_flight[from] = (gint64) machine_figure (machine, flight_keys[from], 1);
      for (guint to = 0; to < TS_N_PIPES; to++)
        timing->sync[from][to] = flag_cost (machine, from, to);
    }
}

/* --- loading -------------------------------------------------------------------------------------------------------------- */

TsMachine *
ts_machine_load_text (const char *name, const char *text, const char *const *overrides, GError **error)
{
  g_autoptr (TsMachine) machine = machine_new (name);
  if (!machine_read (machine, text, strlen (text), overrides, error))
    return NULL;
  resolve_timing (machine);
  return g_steal_pointer (&machine);
}

static TsMachine *
load_bytes (const char *name, GBytes *bytes, const char *const *overrides, GError **error)
{
  gsize                 length;
  const char           *text = g_bytes_get_data (bytes, &length);
  g_autofree char      *copy = g_strndup (text, length);
  if (strlen (copy) != length)
    {
      g_set_error (error, TS_MACHINE_ERROR, TS_MACHINE_ERROR_SYNTAX, "%s: not a machine file: it contains a NUL byte", name);
      return NULL;
    }
  return ts_machine_load_text (name, copy, overrides, error);
}

static TsMachine *
load_file (const char *path, const char *const *overrides, GError **error)
{
  g_autoptr (GError) read_error = NULL;
  g_autoptr (GBytes) bytes = ts_file_read (path, NULL, &read_error);
  if (bytes == NULL)
    {
      g_set_error (error, TS_MACHINE_ERROR, TS_MACHINE_ERROR_READ, "%s: cannot read the machine file: %s", path,
                   read_error->message);
      return NULL;
    }
  if (g_bytes_get_size (bytes) > TS_MAX_MACHINE_BYTES)
    {
      g_set_error (error, TS_MACHINE_ERROR, TS_MACHINE_ERROR_READ,
                   "%s: %" G_GSIZE_FORMAT " bytes are more than a machine file may have (%u)", path, g_bytes_get_size (bytes),
                   TS_MAX_MACHINE_BYTES);
      return NULL;
    }
  return load_bytes (path, bytes, overrides, error);
}

static TsMachine *
load_shipped (const char *name, const char *const *overrides, GError **error)
{
  g_autofree char   *path = g_strconcat (RESOURCE_FOLDER, name, ".machine", NULL);
  g_autoptr (GBytes) bytes = g_resource_lookup_data (machine_files_get_resource (), path, G_RESOURCE_LOOKUP_FLAGS_NONE, error);
  return bytes != NULL ? load_bytes (name, bytes, overrides, error) : NULL;
}

TsMachine *
ts_machine_load (const char *name_or_path, const char *const *overrides, GError **error)
{
  g_autofree char *file_name = g_strconcat (name_or_path, ".machine", NULL);
  g_autofree char *folder = user_folder ();
  g_autofree char *user_path = g_build_filename (folder, file_name, NULL);
  g_autofree char *known = NULL;
  if (g_strv_contains (ts_machine_shipped_names (), name_or_path))
    return load_shipped (name_or_path, overrides, error);
  if (strchr (name_or_path, G_DIR_SEPARATOR) != NULL || g_str_has_suffix (name_or_path, ".machine"))
    return load_file (name_or_path, overrides, error);
  if (g_file_test (user_path, G_FILE_TEST_EXISTS))
    {
      TsMachine *machine = load_file (user_path, overrides, error);
      if (machine != NULL) /* errors name the file, everything else the machine */
        {
          g_free (machine->name);
          machine->name = g_strdup (name_or_path);
        }
      return machine;
    }
  if (g_file_test (name_or_path, G_FILE_TEST_IS_REGULAR))
    return load_file (name_or_path, overrides, error);
  known = g_strjoinv (", ", (char **) ts_machine_shipped_names ());
  g_set_error (error, TS_MACHINE_ERROR, TS_MACHINE_ERROR_UNKNOWN_MACHINE,
               "unknown machine '%s': not one of %s, not a file, and there is no %s", name_or_path, known, user_path);
  return NULL;
}

/* --- answers -------------------------------------------------------------------------------------------------------------- */

const char *
ts_machine_name (const TsMachine *machine)
{
  return machine->name;
}

double
ts_machine_clock_ghz (const TsMachine *machine)
{
  return machine->figure[KEY_CLOCK];
}

TsBackend
ts_machine_backend (const TsMachine *machine)
{
  return (TsBackend) machine->figure[KEY_BACKEND];
}

gint64
ts_machine_capacity (const TsMachine *machine, TsSpace space)
{
  static const gint16 keys[TS_N_SPACES] = {
    [TS_SPACE_DDR] = -1, [TS_SPACE_VEC] = KEY_VEC, [TS_SPACE_MAT] = KEY_MAT, [TS_SPACE_LEFT] = KEY_LEFT,
    [TS_SPACE_RIGHT] = KEY_RIGHT, [TS_SPACE_ACC] = KEY_ACC, [TS_SPACE_BIAS] = KEY_BIAS, [TS_SPACE_SCALAR_LOCAL] = -1,
    [TS_SPACE_LEFT_SCALE] = KEY_LEFT_SCALE, [TS_SPACE_RIGHT_SCALE] = KEY_RIGHT_SCALE,
  };
  if ((guint) space >= TS_N_SPACES || keys[space] < 0)
    return 0;
  return (gint64) machine_figure (machine, (MachineKey) keys[space], 0);
}

gint64
ts_machine_acc_rows (const TsMachine *machine, TsDtype dtype)
{
  return dtype == TS_DTYPE_INT32 && ts_machine_backend (machine) != TS_BACKEND_A5 ? 32 : 16;
}

const TsMachineTiming *
ts_machine_timing (const TsMachine *machine)
{
  return &machine->timing;
}

const TsFigure *
ts_machine_figures (const TsMachine *machine, guint *n)
{
  *n = machine->figures->len;
  return (const TsFigure *) machine->figures->data;
}
