/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer target of machine files: any text, with an override behind its first NUL byte, is a machine or an error that says
 * where; whatever machine comes out prices the largest and the smallest work without harm. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void
price_everything (const TsMachine *machine)
{
  const gint64 sizes[] = { -1, 0, 1, 4096, G_MAXINT64 };
  for (guint pipe = 0; pipe <= TS_N_PIPES; pipe++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
      {
        const TsWork     work = { .pipe = pipe, .cost = i % TS_N_COST_CLASSES, .dtype = TS_DTYPE_FP16, .to = TS_SPACE_DDR,
                                  .rows = sizes[i], .row_bytes = sizes[i], .bytes = sizes[i], .m = sizes[i], .n = sizes[i],
                                  .k = sizes[i], .nd2nz = TRUE, .nz2nd = TRUE, .transposed = TRUE };
        const TsCost     cost = ts_machine_cost (machine, &work);
        g_autofree char *words = ts_machine_explain (machine, &work);
        if (cost.occupancy < 0 || cost.latency < cost.occupancy || cost.transfer < 0 || *words == '\0')
          abort ();
      }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char      *text = g_strndup ((const char *) data, size);
  const gsize           length = strlen (text);
  g_autofree char      *override = length < size ? g_strndup ((const char *) data + length + 1, size - length - 1) : NULL;
  const char *const     overrides[] = { override, NULL };
  g_autoptr (GError)    error = NULL;
  g_autoptr (TsMachine) machine = ts_machine_load_text ("input", text, overrides, &error);
  if ((machine == NULL) != (error != NULL))
    abort ();
  if (machine != NULL)
    price_everything (machine);
  return 0;
}
