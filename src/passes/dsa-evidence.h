/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which pipes touch a buffer, and when: whether giving its bytes to another one makes one pipe wait for another. Source: spec
 * passes-memory 6.3, soft penalties; ops.md 12. */
#pragma once

#include "ir/lifetimes.h"
#include "ir/op-info.h"
#include "passes/pass.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean usable;               /* all accesses are known, whole, on one path, and the first one writes */
  gboolean in_loop;
  guint32  path;                 /* which branch or loop body */
  guint8   first_pipe;           /* TsPipe of the initial write */
  guint8   pipes;                /* bit per TsPipe that touches it */
} TsPipeEvidence;

/* One entry per interval; free with g_free. */
TsPipeEvidence *ts_pipe_evidence_new (const TsPassContext *context, const TsFunction *function, const TsLifetimes *lifetimes);
/* Would `later` have to wait for another pipe if it took the bytes of `earlier`, whose life is over before its own begins? */
gboolean        ts_pipe_evidence_penalises (const TsPipeEvidence *earlier, const TsPipeEvidence *later);

G_END_DECLS
