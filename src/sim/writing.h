/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What writers of events, of which there may be millions, do between two pieces of them. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define TS_WRITING_LOOK_EVERY 1024u /* events between two looks at the cancellable: some milliseconds */

/* Before event `i` of `n`, the first of which began at byte `begin` of the text. Behind the first piece the text gets room for as
 * many bytes as all of them will take, so that tens of megabytes are not copied each time it has doubled. TRUE: cancelled. */
static inline gboolean
ts_writing_stop (GString *out, gsize begin, guint i, guint n, GCancellable *cancellable)
{
  if (i % TS_WRITING_LOOK_EVERY != 0)
    return FALSE;
  if (i == TS_WRITING_LOOK_EVERY)
    {
      gsize len = out->len, each = (len - begin) / i + 1;
      g_string_set_size (out, len + each * (n - i) / 8 * 9);
      g_string_truncate (out, len);
    }
  return g_cancellable_is_cancelled (cancellable);
}

G_END_DECLS
