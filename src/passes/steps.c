/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of what a pass decided, and their JSON form. */
#include "passes/steps.h"

#include <string.h>

#include "ir/names.h"

/* Field and step arrays grow by moving; what fields point at (texts, arrays) lives in the arena and stays. */
struct TsSteps
{
  TsArena *arena;
  const char **names; /* by value id, see ts_names_all(); NULL: hints */
  guint    n_names;
  GArray  *steps;  /* Record */
  GArray  *fields; /* TsStepField, all steps one after the other */
};

typedef struct
{
  TsStep step;
  guint  first_field;
} Record;

TsSteps *
ts_steps_new (void)
{
  TsSteps *steps = g_new0 (TsSteps, 1);
  steps->arena = ts_arena_new ();
  steps->steps = g_array_new (FALSE, FALSE, sizeof (Record));
  steps->fields = g_array_new (FALSE, FALSE, sizeof (TsStepField));
  return steps;
}

void
ts_steps_free (TsSteps *steps)
{
  if (steps == NULL)
    return;
  g_array_unref (steps->steps);
  g_array_unref (steps->fields);
  g_free (steps->names);
  ts_arena_free (steps->arena);
  g_free (steps);
}

void
ts_steps_set_names (TsSteps *steps, const TsModule *module)
{
  if (steps == NULL)
    return;
  g_free (steps->names);
  steps->names = ts_names_all (module);
  steps->n_names = (guint) module->n_values;
}

const char *
ts_step_name_of (const TsSteps *steps, const TsValue *value)
{
  const char *name = steps != NULL && (guint) value->id < steps->n_names ? steps->names[value->id] : NULL;
  return name != NULL ? name : value->hint;
}

static const char *
keep_text (TsSteps *steps, const char *text)
{
  return text != NULL ? ts_arena_strndup (steps->arena, text, strlen (text)) : NULL;
}

void
ts_step_begin (TsSteps *steps, const char *kind, const TsModule *module, const TsFunction *function, const TsOp *op)
{
  if (steps == NULL)
    return;

  Record record = { .first_field = steps->fields->len };
  record.step.kind = kind;
  record.step.op = -1;
  if (function != NULL)
    {
      /* Steps of one function follow each other: the name is stored once per run of them. */
      const Record *last = steps->steps->len > 0 ? &g_array_index (steps->steps, Record, steps->steps->len - 1) : NULL;
      if (last != NULL && g_strcmp0 (last->step.function, function->name) == 0)
        record.step.function = last->step.function;
      else
        record.step.function = keep_text (steps, function->name);
    }
  if (op != NULL)
    {
      record.step.op = op->origin.op;
      record.step.line = ts_module_line (module, op->span);
    }
  g_array_append_val (steps->steps, record);
}

static void
add_field (TsSteps *steps, TsStepField field)
{
  g_return_if_fail (steps->steps->len > 0);
  g_array_append_val (steps->fields, field);
  g_array_index (steps->steps, Record, steps->steps->len - 1).step.n_fields++;
}

void
ts_step_int (TsSteps *steps, const char *key, gint64 value)
{
  if (steps != NULL)
    add_field (steps, (TsStepField) { .key = key, .kind = TS_FIELD_INT, .i = value });
}

void
ts_step_bool (TsSteps *steps, const char *key, gboolean value)
{
  if (steps != NULL)
    add_field (steps, (TsStepField) { .key = key, .kind = TS_FIELD_BOOL, .i = value != FALSE });
}

void
ts_step_text (TsSteps *steps, const char *key, const char *value)
{
  if (steps != NULL)
    add_field (steps, (TsStepField) { .key = key, .kind = TS_FIELD_TEXT, .text = keep_text (steps, value) });
}

void
ts_step_value (TsSteps *steps, const char *key, const TsValue *value)
{
  if (steps != NULL)
    ts_step_text (steps, key, ts_step_name_of (steps, value));
}

void
ts_step_textf (TsSteps *steps, const char *key, const char *format, ...)
{
  if (steps == NULL)
    return;
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  ts_step_text (steps, key, text);
}

void
ts_step_ints (TsSteps *steps, const char *key, const gint64 *values, guint n)
{
  if (steps == NULL)
    return;
  const gint64 *copy = ts_arena_memdup (steps->arena, values, sizeof (gint64) * n);
  add_field (steps, (TsStepField) { .key = key, .kind = TS_FIELD_INTS, .n = n, .ints = copy });
}

void
ts_step_texts (TsSteps *steps, const char *key, const char *const *values, guint n)
{
  if (steps == NULL)
    return;
  const char **copy = ts_arena_array (steps->arena, const char *, n);
  for (guint i = 0; i < n; i++)
    copy[i] = keep_text (steps, values[i]);
  add_field (steps, (TsStepField) { .key = key, .kind = TS_FIELD_TEXTS, .n = n, .texts = copy });
}

guint
ts_steps_length (const TsSteps *steps)
{
  return steps != NULL ? steps->steps->len : 0;
}

const TsStep *
ts_steps_get (const TsSteps *steps, guint index)
{
  g_return_val_if_fail (steps != NULL && index < steps->steps->len, NULL);
  Record *record = &g_array_index (steps->steps, Record, index);
  /* The field array may have moved since the last call. */
  record->step.fields = record->step.n_fields > 0
                          ? &g_array_index (steps->fields, TsStepField, record->first_field) : NULL;
  return &record->step;
}

const char *
ts_step_find_text (const TsStep *step, const char *key)
{
  for (guint i = 0; i < step->n_fields; i++)
    if (step->fields[i].kind == TS_FIELD_TEXT && g_str_equal (step->fields[i].key, key))
      return step->fields[i].text;
  return NULL;
}

static void
write_field (TsJson *json, const TsStepField *field)
{
  switch (field->kind)
    {
    case TS_FIELD_INT:
      ts_json_int (json, field->key, field->i);
      break;
    case TS_FIELD_BOOL:
      ts_json_bool (json, field->key, field->i != 0);
      break;
    case TS_FIELD_TEXT:
      ts_json_string (json, field->key, field->text);
      break;
    case TS_FIELD_INTS:
      ts_json_begin_array (json, field->key);
      for (guint i = 0; i < field->n; i++)
        ts_json_int (json, NULL, field->ints[i]);
      ts_json_end_array (json);
      break;
    case TS_FIELD_TEXTS:
      ts_json_begin_array (json, field->key);
      for (guint i = 0; i < field->n; i++)
        ts_json_string (json, NULL, field->texts[i]);
      ts_json_end_array (json);
      break;
    }
}

void
ts_step_to_json (const TsStep *step, const char *pass, guint number, GString *out)
{
  TsJson json;
  ts_json_init (&json, out, FALSE);
  ts_json_begin_object (&json, NULL);
  ts_json_string (&json, "pass", pass);
  ts_json_string (&json, "function", step->function);
  ts_json_int (&json, "step", number);
  ts_json_string (&json, "kind", step->kind);
  if (step->op >= 0)
    ts_json_int (&json, "statement", step->op);
  else
    ts_json_null (&json, "statement");
  if (step->line > 0)
    ts_json_int (&json, "line", step->line);
  else
    ts_json_null (&json, "line");
  for (guint i = 0; i < step->n_fields; i++)
    write_field (&json, &step->fields[i]);
  ts_json_end_object (&json);
}
