/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forward names of the application's classes, so that headers need not include each other. */
#pragma once

typedef struct _TsApplication TsApplication;
typedef struct _TsMainWindow TsMainWindow;
typedef struct _TsDocument TsDocument;
typedef struct _TsSelection TsSelection;
typedef struct _TsCanvas TsCanvas;
typedef struct _TsSettings TsSettings;
