/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line: finds the subcommand and runs it. */

#include "config.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

static const TsCommand commands[] = {
#define TS_COMMAND(id, name, arguments, summary, examples) { name, arguments, summary, examples, ts_command_##id },
#include "cli/commands.def"
#undef TS_COMMAND
};

const TsCommand *
ts_commands (guint *n)
{
  *n = G_N_ELEMENTS (commands);
  return commands;
}

static void
append_help (GString *out)
{
  g_string_append (out, "Usage:\n  tilescope-cli COMMAND [OPTION...] ...\n\n"
                        "Shows how a tile kernel turns into a schedule.\n\nCommands:\n");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    g_string_append_printf (out, "  %-9s %s\n", commands[i].name, commands[i].summary);
  g_string_append (out,
                   "\nFILE is a kernel (.py), Triton IR (.ttir, .mlir), a passes_dump folder, an exported SVG, sample:NAME, or -.\n"
                        "“tilescope-cli COMMAND --help” shows the options of a command with examples.\n\n"
                        "Exit status: 0 done, 1 the input is at fault, 2 wrong usage or a file cannot be read or written.\n\n"
                        "Example:\n  tilescope-cli simulate sample:pingpong --machine teaching\n");
}

static TsExit
run_command (const TsCommand *command, int argc, char **argv)
{
  TsCli cli = { .command = command, .snapshot = TS_CLI_UNSET, .max_instructions = TS_CLI_UNSET };
  TsExit status = command->run (&cli, argc, argv);

  ts_cli_clear (&cli);
  return status;
}

int
main (int argc, char **argv)
{
  g_autoptr (GString) help = g_string_new (NULL);

  setlocale (LC_ALL, "");
  /* A closed pipe shows as a failed write, which ts_cli_write() takes for the end. */
  signal (SIGPIPE, SIG_IGN);
  append_help (help);
  if (argc < 2)
    {
      fputs (help->str, stderr);
      return TS_EXIT_USAGE;
    }
  if (strcmp (argv[1], "--version") == 0)
    {
      ts_cli_print ("tilescope-cli %s\n", TS_VERSION);
      return TS_EXIT_DONE;
    }
  if (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0 || strcmp (argv[1], "help") == 0)
    {
      ts_cli_write_string (help);
      return TS_EXIT_DONE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strcmp (commands[i].name, argv[1]) == 0)
      return run_command (&commands[i], argc - 1, argv + 1);
  return ts_cli_usage (NULL, "there is no command “%s”; see tilescope-cli --help", argv[1]);
}
