/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Translation of what drawings say, from the program's own catalogue. Programs that never bind it (the command line, tests) get the
 * English words, so that their files are the same in every locale. */
#pragma once

#include <glib.h>

#include "config.h"

#define _(text) g_dgettext (GETTEXT_PACKAGE, text)
#define N_(text) (text)
