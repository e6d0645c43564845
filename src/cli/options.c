/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options that several subcommands take, and what they mean. Source: cli.md, common options. */

#include "config.h"

#include <string.h>

#include "base/number.h"
#include "cli/cli.h"

void
ts_cli_clear (TsCli *cli)
{
  g_free (cli->function);
  g_free (cli->machine);
  g_free (cli->planner);
  g_free (cli->passes);
  g_free (cli->after);
  g_free (cli->verify);
  g_free (cli->format);
  g_free (cli->entry);
  g_strfreev (cli->defines);
  g_strfreev (cli->args);
  g_strfreev (cli->sets);
  g_strfreev (cli->files);
  g_clear_pointer (&cli->run, ts_run_unref);
  g_clear_pointer (&cli->input, ts_input_unref);
  g_clear_pointer (&cli->figure, ts_figure_free);
}

static gboolean
show_version (const char *option, const char *value, gpointer data, GError **error)
{
  ts_cli_print ("tilescope-cli %s\n", TS_VERSION);
  exit (TS_EXIT_DONE);
}

static void
append_entries (GArray *all, const GOptionEntry *entries)
{
  for (; entries != NULL && entries->long_name != NULL; entries++)
    g_array_append_vals (all, entries, 1);
}

/* The options of a subcommand: its own first. */
static GArray *
collect_entries (TsCli *cli, guint groups, const GOptionEntry *own)
{
  GArray *all = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));
  const GOptionEntry run[] = {
    { "function", 0, 0, G_OPTION_ARG_STRING, &cli->function, "Which function; default: the first Group, else the first with pipes",
      "NAME" },
    { "entry", 0, 0, G_OPTION_ARG_STRING, &cli->entry, "Which program or function of a file that holds several", "NAME" },
    { "define", 'D', 0, G_OPTION_ARG_STRING_ARRAY, &cli->defines,
      "Bind an open constant or a scalar parameter; of a Triton launch program_id, num_programs, ..._y, ..._z (repeatable)",
      "NAME=VALUE" },
    { "arg", 0, 0, G_OPTION_ARG_STRING_ARRAY, &cli->args, "Shape and type of a bare parameter (repeatable)", "NAME=SHAPE:DTYPE" },
    { "machine", 0, 0, G_OPTION_ARG_STRING, &cli->machine, "Machine; default: " TS_DEFAULT_MACHINE, "NAME|FILE" },
    { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &cli->sets, "Override a figure of the machine (repeatable)", "[GROUP.]KEY=VALUE" },
    { "planner", 0, 0, G_OPTION_ARG_STRING, &cli->planner, "Memory planner: pypto, ptoas, dsa-rp", "NAME" },
    { "passes", 0, 0, G_OPTION_ARG_STRING, &cli->passes, "Comma separated passes, “default” or “none”", "LIST" },
    { "verify", 0, 0, G_OPTION_ARG_STRING, &cli->verify, "Verification between passes: none, basic, full", "LEVEL" },
    { "max-instructions", 0, 0, G_OPTION_ARG_INT64, &cli->max_instructions, "Bound of the simulated stream; default: 4000000",
      "N" },
    { "format", 0, 0, G_OPTION_ARG_STRING, &cli->format, "Language of the input: py, ttir", "NAME" },
    G_OPTION_ENTRY_NULL,
  };
  const GOptionEntry snapshot[] = {
    { "after", 0, 0, G_OPTION_ARG_STRING, &cli->after, "The snapshot after this pass (the last match)", "PASS" },
    { "snapshot", 0, 0, G_OPTION_ARG_INT, &cli->snapshot, "The snapshot of this number, from 0", "N" },
    G_OPTION_ENTRY_NULL,
  };
  const GOptionEntry json[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &cli->json, "Print JSON", NULL },
    G_OPTION_ENTRY_NULL,
  };
  const GOptionEntry common[] = {
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &cli->quiet, "Print errors only", NULL },
    { "verbose", 'v', 0, G_OPTION_ARG_NONE, &cli->verbose, "Print more", NULL },
    { "version", 0, G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK, show_version, "Print the version", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &cli->files, NULL, NULL },
    G_OPTION_ENTRY_NULL,
  };

  append_entries (all, own);
  if (groups & TS_CLI_RUN)
    append_entries (all, run);
  if (groups & TS_CLI_SNAPSHOT)
    append_entries (all, snapshot);
  if (groups & TS_CLI_JSON)
    append_entries (all, json);
  append_entries (all, common);
  return all;
}

static gboolean
takes_value (const GOptionEntry *entry)
{
  return entry->arg != G_OPTION_ARG_NONE && !(entry->flags & G_OPTION_FLAG_NO_ARG);
}

/* The option that a word names and that takes a value. *rest is the value when the word holds it ("-DN=4", "-qDN=4", "--set=a=1"),
 * else the empty end of the word: the value is the next one. NULL: no such option. */
static const GOptionEntry *
valued_option (const GArray *entries, const char *word, const char **rest)
{
  gboolean is_long = g_str_has_prefix (word, "--");
  const char *end = word + strcspn (word, "=");

  if (word[0] != '-')
    return NULL;
  for (const char *letter = word + 1; is_long ? letter == word + 1 : *letter != '\0'; letter++)
    for (guint i = 0; i < entries->len; i++)
      {
        const GOptionEntry *entry = &g_array_index (entries, GOptionEntry, i);
        gboolean is_it = is_long ? strlen (entry->long_name) == (gsize) (end - word - 2)
                                     && strncmp (entry->long_name, word + 2, (gsize) (end - word - 2)) == 0
                                 : entry->short_name == *letter;

        if (!is_it || !takes_value (entry))
          continue;
        *rest = is_long ? end : letter + 1;
        return entry;
      }
  return NULL;
}

/* The words with the value of a short option in a word of its own: GOption knows "-D N=4" and "--define=N=4" but not "-DN=4". */
static GStrv
split_words (const GArray *entries, const char *program, int argc, char **argv)
{
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();

  g_strv_builder_add (words, program);
  for (int i = 1; i < argc; i++)
    {
      const char *rest = NULL;

      if (strcmp (argv[i], "--") == 0)
        {
          for (; i < argc; i++)
            g_strv_builder_add (words, argv[i]);
          break;
        }
      if (valued_option (entries, argv[i], &rest) != NULL && *rest != '\0' && argv[i][1] != '-')
        {
          g_autofree char *option = g_strndup (argv[i], (gsize) (rest - argv[i]));

          g_strv_builder_add (words, option);
          g_strv_builder_add (words, rest);
          continue;
        }
      g_strv_builder_add (words, argv[i]);
      if (rest != NULL && *rest == '\0' && i + 1 < argc)
        g_strv_builder_add (words, argv[++i]); /* a value, whatever it looks like */
    }
  return g_strv_builder_end (words);
}

/* Words to values; FALSE after saying what is wrong. */
static gboolean
understand (TsCli *cli, TsExit *status)
{
  const TsRunOptions defaults = TS_RUN_OPTIONS_INIT;

  cli->options = defaults;
  cli->options.entry = cli->entry;
  cli->options.function = cli->function;
  cli->options.defines = (const char *const *) cli->defines;
  cli->options.args = (const char *const *) cli->args;
  cli->options.machine = cli->machine;
  cli->options.overrides = (const char *const *) cli->sets;
  cli->options.passes = cli->passes;
  cli->options.max_instructions = cli->max_instructions;
  if (cli->planner != NULL && !ts_planner_from_name (cli->planner, &cli->options.planner))
    *status = ts_cli_usage (cli, "there is no planner “%s”; there are pypto, ptoas and dsa-rp", cli->planner);
  else if (cli->verify != NULL && !ts_verify_level_from_name (cli->verify, &cli->options.verify))
    *status = ts_cli_usage (cli, "“%s” is no level of verification; there are none, basic and full", cli->verify);
  else if (cli->max_instructions < 1)
    *status = ts_cli_usage (cli, "--max-instructions must be at least 1");
  else if (cli->after != NULL && cli->snapshot >= 0)
    *status = ts_cli_usage (cli, "--after and --snapshot exclude each other");
  else if (cli->snapshot < 0 && cli->snapshot != TS_CLI_UNSET)
    *status = ts_cli_usage (cli, "--snapshot counts from 0");
  else if (cli->format != NULL && !ts_input_is_format (cli->format))
    *status = ts_cli_usage (cli, "Unknown format “%s”; there are py and ttir", cli->format);
  else
    return TRUE;
  return FALSE;
}

gboolean
ts_cli_parse (TsCli *cli, guint groups, const GOptionEntry *entries, guint min_files, guint max_files, int argc, char **argv,
              TsExit *status)
{
  g_autoptr (GOptionContext) context = g_option_context_new (cli->command->arguments);
  g_autoptr (GError) error = NULL;
  g_autofree char *description = g_strdup_printf ("Examples:\n%s\n", cli->command->examples);
  g_autofree char *program = g_strconcat ("tilescope-cli ", cli->command->name, NULL);
  g_autoptr (GArray) all = collect_entries (cli, groups, entries);
  /* Help is headed by argv[0]; GOption takes the words out of the array it is given. */
  g_auto (GStrv) words = split_words (all, program, argc, argv);
  guint n;

  g_set_prgname (program);
  g_option_context_set_summary (context, cli->command->summary);
  g_option_context_set_description (context, description);
  g_option_context_add_main_entries (context, (const GOptionEntry *) (gpointer) all->data, NULL);
  if (!g_option_context_parse_strv (context, &words, &error))
    {
      *status = ts_cli_usage (cli, "%s", error->message);
      return FALSE;
    }
  if (cli->max_instructions == TS_CLI_UNSET)
    cli->max_instructions = TS_DEFAULT_MAX_INSTRUCTIONS;
  n = cli->files != NULL ? g_strv_length (cli->files) : 0;
  if (n < min_files || n > max_files)
    {
      *status = ts_cli_usage (cli, "%s takes %s", cli->command->name, cli->command->arguments);
      return FALSE;
    }
  return understand (cli, status);
}
