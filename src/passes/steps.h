/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pass in slow motion: typed records of its decisions, replayed by the window and printed by --steps (design section 5).
 * Every function accepts NULL and then does nothing, so that passes record unconditionally. */
#pragma once

#include "base/json.h"
#include "ir/module.h"

G_BEGIN_DECLS

typedef struct TsSteps TsSteps;

typedef enum { TS_FIELD_INT, TS_FIELD_TEXT, TS_FIELD_BOOL, TS_FIELD_INTS, TS_FIELD_TEXTS } TsFieldKind;

typedef struct
{
  const char  *key;  /* static */
  TsFieldKind  kind;
  gint64       i;    /* INT, BOOL */
  const char  *text; /* TEXT */
  guint        n;    /* INTS, TEXTS */
  const gint64      *ints;
  const char *const *texts;
} TsStepField;

typedef struct
{
  const char        *kind;      /* static: "category", "emit", "clone", ... */
  const char        *function;  /* name */
  gint32             op;        /* id of the statement it speaks of in the module before the pass, -1 none */
  guint              line;      /* of that statement in the source, 0 none */
  const TsStepField *fields;
  guint              n_fields;
} TsStep;

TsSteps      *ts_steps_new (void);
/* Steps to come call variables what they print as in this module (of the kernel language), which is the one before the pass. */
void          ts_steps_set_names (TsSteps *steps, const TsModule *module);
void          ts_steps_free (TsSteps *steps);

/* Starts a record; fields follow. `kind` is static. `op` may be NULL. */
void          ts_step_begin (TsSteps *steps, const char *kind, const TsModule *module, const TsFunction *function, const TsOp *op);
void          ts_step_int (TsSteps *steps, const char *key, gint64 value);
void          ts_step_bool (TsSteps *steps, const char *key, gboolean value);
void          ts_step_text (TsSteps *steps, const char *key, const char *value);
/* The name of a variable, see ts_step_name_of(). */
void          ts_step_value (TsSteps *steps, const char *key, const TsValue *value);
void          ts_step_textf (TsSteps *steps, const char *key, const char *format, ...) G_GNUC_PRINTF (3, 4);
void          ts_step_ints (TsSteps *steps, const char *key, const gint64 *values, guint n);
void          ts_step_texts (TsSteps *steps, const char *key, const char *const *values, guint n);

/* What a variable is called: as it prints before the pass; its hint when the pass has made it, or `steps` is NULL. */
const char   *ts_step_name_of (const TsSteps *steps, const TsValue *value);
guint         ts_steps_length (const TsSteps *steps);
const TsStep *ts_steps_get (const TsSteps *steps, guint index);
/* The value of a text field, or NULL. */
const char   *ts_step_find_text (const TsStep *step, const char *key);
/* One JSON object, without line end: {"pass": ..., "function": ..., "step": N, "kind": ..., "statement": id, "line": N, ...}. */
void          ts_step_to_json (const TsStep *step, const char *pass, guint number, GString *out);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsSteps, ts_steps_free)

G_END_DECLS
