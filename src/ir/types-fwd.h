/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forward declarations of the IR's structures, so that headers need no cycles. */
#pragma once

#include <glib.h>

typedef struct TsModule   TsModule;
typedef struct TsFunction TsFunction;
typedef struct TsRegion   TsRegion;
typedef struct TsBlock    TsBlock;
typedef struct TsOp       TsOp;
typedef struct TsValue    TsValue;
typedef struct TsType     TsType;
typedef struct TsExpr     TsExpr;
typedef struct TsAttr     TsAttr;
typedef struct TsMemRef   TsMemRef;
typedef struct TsView     TsView;
