/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is opened: a kernel, Triton IR, a folder of dumps, a sample. Read and recognised, not yet parsed. */
#pragma once

#include <gio/gio.h>

#include "base/diag.h"
#include "base/source.h"

G_BEGIN_DECLS

typedef enum
{
  TS_INPUT_PYPTO, /* one file of the kernel language, in either mode */
  TS_INPUT_TTIR,  /* one file of Triton IR */
  TS_INPUT_DUMPS, /* a passes_dump folder */
} TsInputKind;

/* READ is exit status 2 (missing, unreadable, wrong use); the others are status 1 (the input itself is at fault). Source:
 * cli.md. */
#define TS_INPUT_ERROR ts_input_error_quark ()
typedef enum
{
  TS_INPUT_ERROR_READ,       /* missing or unreadable file or folder */
  TS_INPUT_ERROR_USAGE,      /* unknown sample, unknown format */
  TS_INPUT_ERROR_EMPTY,      /* no text at all */
  TS_INPUT_ERROR_BINARY,     /* bytes that are no text */
  TS_INPUT_ERROR_UNKNOWN,    /* text, but neither language */
  TS_INPUT_ERROR_NO_DUMPS,   /* a folder without dumps */
  TS_INPUT_ERROR_FIGURE,     /* an SVG: open it with draw/open.h, which reads what it was made from */
} TsInputError;
GQuark ts_input_error_quark (void);

/* One file of a dump folder, in order. */
typedef struct
{
  char     *file;    /* name within the folder */
  char     *pass;    /* "LowerPipelineLoops", "frontend"; the file's stem when the name follows no pattern */
  gint      number;  /* NN of the name; -1 when it follows no pattern */
  TsSource *source;  /* NULL: cannot be read, see `problem` */
  char     *problem; /* why the file could not be read, or NULL */
  char     *log;     /* text of NN_after_X.log beside it, or NULL */
} TsDumpFile;

/* Immutable once made, reference-counted, safe to share between threads. */
typedef struct TsInput TsInput;

/* Is this a word that `format` below may be? */
gboolean     ts_input_is_format (const char *format);

/* Reads `spec`: a path, a folder, "sample:NAME", or "-" (standard input). `format` is NULL (recognise by content) or "py", "ttir".
 * Errors: TS_INPUT_ERROR, G_IO_ERROR_CANCELLED. */
TsInput     *ts_input_load (const char *spec, const char *format, GCancellable *cancellable, GError **error);
/* From a text in memory (drag and drop, tests); `name` is what messages show. */
TsInput     *ts_input_from_text (const char *name, const char *text, gsize length, const char *format, GError **error);
TsInput     *ts_input_ref (TsInput *input);
void         ts_input_unref (TsInput *input);

TsInputKind  ts_input_kind (const TsInput *input);
/* As given: "sample:pingpong", a path. */
const char  *ts_input_spec (const TsInput *input);
/* For titles and file names, without folder and extension: "pingpong". */
const char  *ts_input_title (const TsInput *input);
/* Path of the file or folder, or NULL (sample, standard input). For watching it. */
const char  *ts_input_path (const TsInput *input);
/* Hexadecimal SHA-256 of the bytes (of all files in order, for a folder). */
const char  *ts_input_sha256 (const TsInput *input);
/* The text; NULL for a folder. */
TsSource    *ts_input_source (const TsInput *input);
/* Files of a folder; NULL and 0 otherwise. */
const TsDumpFile *ts_input_dumps (const TsInput *input, guint *n);
/* What was odd about the input: gaps in numbering, missing 00_frontend.py, files that are no dumps. */
const TsDiagList *ts_input_diags (const TsInput *input);
/* Adds a warning that its opener found out; before the input is shared. */
void         ts_input_warn (TsInput *input, const char *code, const char *message);

/* What the file offers to open: an array of TsPyptoEntry (lang/pypto/pypto.h) that lives as long as the input; empty for others. */
const GArray *ts_input_entries (TsInput *input);

/* Is the kind of a text recognisable? For drag and drop and MIME sniffing. */
gboolean     ts_input_recognise (const char *text, gsize length, TsInputKind *out);

/* --- sample kernels, compiled in --------------------------------------------------------------------------------------- */
typedef struct
{
  const char *name;    /* "pingpong" */
  const char *summary; /* one line */
  TsInputKind kind;
} TsSample;
const TsSample *ts_samples (guint *n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsInput, ts_input_unref)

G_END_DECLS
