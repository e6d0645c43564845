/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sample kernels that are compiled into both programs. */

#include "run/input-private.h"

#include <string.h>

#include "run/kernels-resource.h"

static const struct
{
  TsSample    sample;
  const char *extension;
} rows[] = {
#define TS_SAMPLE(name, extension, kind, summary) { { name, summary, TS_INPUT_##kind }, extension },
#include "run/samples.def"
#undef TS_SAMPLE
};

static const TsSample samples[] = {
#define TS_SAMPLE(name, extension, kind, summary) { name, summary, TS_INPUT_##kind },
#include "run/samples.def"
#undef TS_SAMPLE
};

const TsSample *
ts_samples (guint *n)
{
  *n = G_N_ELEMENTS (samples);
  return samples;
}

GBytes *
ts_sample_read (const char *name, TsInputKind *kind, char **file_name, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = NULL;

      g_string_append_printf (known, "%s%s", i > 0 ? ", " : "", rows[i].sample.name);
      if (strcmp (rows[i].sample.name, name) != 0)
        continue;
      *kind = rows[i].sample.kind;
      *file_name = g_strdup_printf ("%s.%s", name, rows[i].extension);
      path = g_strconcat ("/io/github/tilescope/kernels/", *file_name, NULL);
      return g_resource_lookup_data (ts_kernels_get_resource (), path, G_RESOURCE_LOOKUP_FLAGS_NONE, error);
    }
  g_set_error (error, TS_INPUT_ERROR, TS_INPUT_ERROR_USAGE, "There is no sample “%s”; there are: %s", name, known->str);
  return NULL;
}
