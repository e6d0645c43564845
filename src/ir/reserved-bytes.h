/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes at the start of a core's memory that system.reserve_buffer takes. Source: spec passes-memory 6.1. */
#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* Bytes every buffer is aligned to, whatever its space asks for itself. Source: spec passes-memory 1.1. */
#define TS_BUFFER_ALIGNMENT 32

typedef struct
{
  TsSpace  space;    /* Mat on a cube core, Vec elsewhere */
  gint64   end;      /* bytes from 0; 0: nothing reserved */
  gboolean overlap;  /* two given ranges overlap */
  guint    n_chosen; /* bases that were left open (-1) */
} TsReserved;

/* Reads the statements of a function: bases left open are taken one after the other. O(operations). */
TsReserved ts_reserved_bytes (const TsFunction *function);
/* The same, and writes the bases chosen into the statements. */
TsReserved ts_reserved_bytes_choose (TsModule *module, TsFunction *function);

/* "192512" for a message that names the unit itself; of a size that saturated "at least 9223372036854775807". Free with g_free. */
char      *ts_bytes_number (gint64 bytes);
/* "192512 bytes" for a message; of a size that saturated "at least 9223372036854775807 bytes". Free with g_free. */
char      *ts_bytes_text (gint64 bytes);

G_END_DECLS
