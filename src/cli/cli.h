/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the subcommands share: options, the input and its run, output, exit status. Source: cli.md. */
#pragma once

#include "base/json.h"
#include "draw/figure.h"
#include "run/run.h"

G_BEGIN_DECLS

/* Exit status. */
typedef enum
{
  TS_EXIT_DONE = 0,
  TS_EXIT_INPUT = 1, /* the input is at fault; diff: different; check: errors found */
  TS_EXIT_USAGE = 2, /* wrong usage, or a file cannot be read or written */
} TsExit;

typedef struct TsCli TsCli;

typedef struct
{
  const char *name;
  const char *arguments;
  const char *summary;
  const char *examples;
  TsExit    (*run) (TsCli *cli, int argc, char **argv);
} TsCommand;

const TsCommand *ts_commands (guint *n);

/* A number that no option gave: no value a user could mean, so that 0 and -1 are judged like any other. */
#define TS_CLI_UNSET G_MININT

/* State of one invocation. Options are filled by ts_cli_parse(). */
struct TsCli
{
  const TsCommand *command;
  /* common options, as given */
  char   *function, *machine, *planner, *passes, *after, *verify, *format, *entry;
  char  **defines, **args, **sets;
  gint    snapshot;         /* TS_CLI_UNSET: not given */
  gint64  max_instructions; /* TS_CLI_UNSET: not given */
  gboolean json, quiet, verbose;
  char  **files;    /* what is left: FILE... */
  /* what they mean */
  TsRunOptions options;
  TsFigureInfo *figure; /* the input was an exported figure: what it was made from, else NULL */
  TsInput     *input;
  TsRun       *run;
};

/* Groups of options a command takes. */
typedef enum
{
  TS_CLI_RUN = 1 << 0,      /* everything that decides a run: function, bindings, machine, passes, ... */
  TS_CLI_SNAPSHOT = 1 << 1, /* --after, --snapshot */
  TS_CLI_JSON = 1 << 2,
} TsCliGroups;

void     ts_cli_clear (TsCli *cli);
/* Parses the options of a command (`entries`: its own, may be NULL) and checks the number of files. FALSE: *status is what to
 * return (also when help was asked for). */
gboolean ts_cli_parse (TsCli *cli, guint groups, const GOptionEntry *entries, guint min_files, guint max_files, int argc,
                       char **argv,
                       TsExit *status);

/* Opens files[0] and prepares its run, printing what goes wrong. FALSE: *status. Diagnostics of reading and of the passes are
 * printed unless `json` was asked for. */
gboolean ts_cli_open (TsCli *cli, TsExit *status);
/* The same for any file, for commands with several. `run` is the caller's. */
TsRun   *ts_cli_open_run (TsCli *cli, const char *spec, TsExit *status);
/* The snapshot that --snapshot or --after names, else the last. A failed last one is status 1. */
gboolean ts_cli_pick_snapshot (TsCli *cli, TsRun *run, guint *index, TsExit *status);

/* Prints "tilescope-cli: MESSAGE", for each line of it, and returns the status that fits the error. */
TsExit   ts_cli_fail (const GError *error);
/* As ts_cli_fail(), and with --json the diagnostics so far (NULL: none) and the error as the object on standard output. */
TsExit   ts_cli_fail_json (const TsCli *cli, const GError *error, const TsDiagList *diags);
/* What an error is about, for programs: a word per domain. */
const char *ts_cli_error_code (const GError *error);
/* Each line of the message as an error of its own. */
void     ts_cli_add_error (TsDiagList *diags, const char *code, const char *message);
/* Wrong usage: as an error, with --json too; `cli` may be NULL. */
TsExit   ts_cli_usage (const TsCli *cli, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* As ts_cli_usage(), for a run: with --json its diagnostics so far come first. */
TsExit   ts_cli_refuse (const TsCli *cli, TsRun *run, TsExit status, const char *format, ...) G_GNUC_PRINTF (4, 5);
/* Diagnostics to standard error; with --quiet errors only. */
void     ts_cli_print_diags (const TsCli *cli, const TsDiagList *diags);
/* Diagnostics of the run and of all its snapshots: free with ts_diag_list_free. */
TsDiagList *ts_cli_run_diags (TsRun *run);
/* The same for a command about one snapshot: when --snapshot or --after picks a file of a folder, the other files' diagnostics are
 * one note. */
TsDiagList *ts_cli_shown_diags (const TsCli *cli, TsRun *run);
void     ts_cli_print_shown_diags (const TsCli *cli, TsRun *run);
/* An object with nothing but them: what --json prints when there is no result. */
void     ts_cli_print_json_diags (const TsDiagList *diags);
void     ts_cli_json_diags (TsJson *json, const char *key, const TsDiagList *diags);

/* Standard output. A reader that closed the pipe ends the program quietly; any other failure is status 2. */
void     ts_cli_write (const char *text, gsize length);
void     ts_cli_write_string (const GString *text);
void     ts_cli_print (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* Columns of text for people: cells are added row by row, widths fit, numbers stand right. */
typedef struct TsTable TsTable;
TsTable *ts_table_new (const char *const *headers, const char *alignment); /* 'l' or 'r' per column */
void     ts_table_cell (TsTable *table, const char *text);
void     ts_table_cell_int (TsTable *table, gint64 value); /* negative: "-" */
void     ts_table_cell_percent (TsTable *table, double share); /* negative: "-" */
/* Prints to standard output and frees. */
void     ts_table_print (TsTable *table);
/* The same as comma separated values. */
void     ts_table_print_csv (TsTable *table);

#define TS_COMMAND(id, name, arguments, summary, examples) TsExit ts_command_##id (TsCli *cli, int argc, char **argv);
#include "cli/commands.def"
#undef TS_COMMAND

G_END_DECLS
