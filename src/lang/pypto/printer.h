/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to the printer: its state and the parts that its files share. Source: spec dsl, everything marked [P]. */
#pragma once

#include <string.h>

#include "base/number.h"
#include "ir/names.h"
#include "lang/pypto/pypto.h"

G_BEGIN_DECLS

typedef struct
{
  const TsModule *module;
  GString        *out;
  TsNames         names;
  const char     *prefix;     /* "pl" */
  guint           depth;      /* of expressions */
  guint           line;       /* of the next byte, from 1 */
  gboolean        signature;  /* MemRef bases are quoted there */
  GArray         *places;     /* TsTextPlace, or NULL */
} TsPrinter;

/* Faster than g_string_append_len for the short pieces that texts are made of. */
static inline void
ts_put (TsPrinter *p, const char *text, gsize length)
{
  GString *out = p->out;

  if (G_LIKELY (out->len + length < out->allocated_len))
    {
      memcpy (out->str + out->len, text, length);
      out->len += length;
      out->str[out->len] = '\0';
    }
  else
    g_string_append_len (out, text, (gssize) length);
}

#define ts_put_literal(p, literal) ts_put ((p), literal, sizeof (literal) - 1)

static inline void
ts_put_text (TsPrinter *p, const char *text)
{
  ts_put (p, text, strlen (text));
}

/* The prefix and a dot, then the text: "pl.FP32". */
static inline void
ts_put_prefixed (TsPrinter *p, const char *text)
{
  ts_put_text (p, p->prefix);
  ts_put_literal (p, ".");
  ts_put_text (p, text);
}

static inline void
ts_end_line (TsPrinter *p)
{
  ts_put_literal (p, "\n");
  p->line++;
}

typedef enum
{
  TS_LEAVES_PLAIN,  /* INDEX integers and FP32 floats stand bare */
  TS_LEAVES_TYPED,  /* every number is a pl.const(): a composite dimension, a tree made only of constants */
  TS_LEAVES_BARE,   /* every number stands bare: keyword values, sizes */
} TsLeaves;

/* Everything above the first function: header, import, symbols, class; of a lone function what its reader needs. */
void ts_print_header (TsPrinter *p);
void ts_print_expr (TsPrinter *p, const TsExpr *e, TsLeaves leaves);
/* A dimension or view entry: constants bare whatever their dtype, else typed leaves. */
void ts_print_dim (TsPrinter *p, const TsExpr *e);
void ts_print_dims (TsPrinter *p, TsExpr *const *dims, guint n); /* with brackets */
void ts_print_type (TsPrinter *p, const TsType *type);
void ts_print_string (TsPrinter *p, const char *text, char quote);
/* The right-hand side of an operation: "pl.tile.load(...)", "self.f(...)", or the expression of an ASSIGN. */
void ts_print_call (TsPrinter *p, const TsOp *op);
/* ", attrs={...}" or nothing; `skip` is a key that is not printed, or NULL. `first`: nothing stands before it. */
void ts_print_attrs (TsPrinter *p, const TsOp *op, const char *skip, gboolean first);
/* The entries of an attribute dictionary, with braces. */
void ts_print_dict (TsPrinter *p, const TsAttr *attrs, guint n, const char *skip);
/* key=value of a keyword. */
void ts_print_keyword (TsPrinter *p, const TsAttr *keyword, char quote);

G_END_DECLS
