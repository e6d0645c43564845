/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State and helpers the files of the Triton IR reader share. */
#pragma once

#include <gio/gio.h>

#include "base/diag.h"
#include "ir/build.h"
#include "lang/ttir/info.h"
#include "lang/ttir/lexer.h"

/* Names of one region. Uses may stand before definitions, so a name that is not known yet becomes a pending value; what is still
 * pending at the end of a region moves to the one around it, and at the end of a function it is an error. */
typedef struct TtScope TtScope;
struct TtScope
{
  TtScope    *parent;  /* NULL at a function */
  GHashTable *names;   /* interned text ("x", "x#1") to TsValue */
  GHashTable *pending; /* the same, not defined yet */
  GHashTable *blocks;  /* interned label to TsBlock; of the region */
  GHashTable *defined_blocks;
  GHashTable *block_spans; /* interned label to where it was first met (offset + 1) */
};

/* A type stated at a use, checked when the function has been read. */
typedef struct
{
  TsValue      *value;
  const TsType *type;
  TsSpan        span;
  gboolean      implied; /* only what follows from the operation: for values whose type nothing states */
} TtUse;

typedef struct TtAliases TtAliases;

typedef struct
{
  TtLexer       lexer;
  TsSource     *source;
  TsModule     *module;
  TsDiagList   *diags;
  GCancellable *cancellable;
  TtScope      *scope;
  GArray       *uses;      /* TtUse of the current function */
  TtAliases    *aliases;   /* of the section */
  guint         n_resolved; /* aliases of attributes met so far */
  guint         n_attributes; /* met so far, with all that aliases stand for: counted anew at every use */
  guint         n_repeated;   /* the part of them that only repeats an alias; at most TS_MAX_ALIAS_ITEMS */
  guint         part;      /* the module being read */
  guint         first_function; /* of it */
  GHashTable   *symbols;   /* of it: symbol to TsFunction */
  gboolean      has_renamed; /* a function of it goes by another name than its symbol */
  GHashTable   *types;     /* spelling to TsType: equal types of a file are one object */
  GHashTable   *type_parts; /* TsType to the number of types in it, itself included: aliases of types multiply */
  gboolean      has_large_type; /* one was refused in this section */
  GHashTable   *value_spans; /* pending TsValue to its first use (offset + 1) */
  const TsType *number_type; /* of the number read last that is wider than 64 bits ... */
  TsExpr       *number;      /* ... and its digits: arith.constant tells them apart */
  const TsType *dense_type; /* of the dense value of a generic arith.constant: its operation states the type again */
  const TsOp   *given_op;  /* an operation with many attributes, */
  GHashTable   *given;     /* and the names of those met so far */
  guint         depth;     /* of regions and brackets */
  guint         open_aliases; /* those that are being read */
  guint         deepest;   /* since the innermost alias that is being read began */
  gboolean      failed;    /* the current statement is given up; set with the diagnostic */
} TtParser;

/* One name per result group on the left of `=`. */
typedef struct
{
  const char *name;
  guint       count;
  guint32     offset;
} TtResultName;

/* --- tokens ---------------------------------------------------------------------------------------------------------------- */
static inline TtToken *tt_next (TtParser *p) { return tt_lexer_next (&p->lexer); }
static inline TtToken *tt_token (TtParser *p) { return &p->lexer.token; }
static inline gboolean tt_at (TtParser *p, char punct) { return tt_lexer_is_punct (&p->lexer, punct); }
static inline gboolean tt_at_word (TtParser *p, const char *word) { return tt_lexer_is_word (&p->lexer, word); }
/* `<`, also where the lexer has made one token of it and a brace. */
static inline gboolean tt_at_angle (TtParser *p) { return tt_at (p, '<') || tt_token (p)->kind == TT_TOKEN_DICT_OPEN; }
/* Skips it when it is there. */
gboolean tt_accept (TtParser *p, char punct);
gboolean tt_accept_word (TtParser *p, const char *word);
gboolean tt_accept_arrow (TtParser *p);
/* An error when it is not there. */
gboolean tt_expect (TtParser *p, char punct);
gboolean tt_expect_word (TtParser *p, const char *word);
gboolean tt_expect_arrow (TtParser *p);
/* The token's text, interned. */
const char *tt_token_text (TtParser *p);
TsSpan   tt_span (TtParser *p, guint32 start);
/* Reports once per statement and marks it failed; returns FALSE. */
gboolean tt_error (TtParser *p, const char *code, const char *format, ...) G_GNUC_PRINTF (3, 4);
gboolean tt_error_at (TtParser *p, guint32 offset, guint32 length, const char *code, const char *format, ...) G_GNUC_PRINTF (5, 6);
/* Whether so many levels more fit within TS_MAX_NESTING; FALSE: reported. */
gboolean tt_reach (TtParser *p, guint levels);
/* Skips from an opening bracket to behind the one that closes it; strings are skipped as strings. FALSE: not closed. */
gboolean tt_skip_balanced (TtParser *p);
/* Opens or closes what the token opens or closes on a stack of brackets (empty: all are closed). FALSE: it closes the wrong one. */
gboolean tt_step_brackets (GString *stack, const TtToken *token);
/* After an error in what began at `start`: skips to the next line, over whole brackets, so that one error stays one. Stops before a
 * '}' that closes what is around it. */
void     tt_recover (TtParser *p, guint32 start);
/* Copies into the shared arena. */
const char *tt_share (TtParser *p, const char *text, gsize length);

/* --- parts ----------------------------------------------------------------------------------------------------------------- */
const TsType *tt_parse_type (TtParser *p);                  /* NULL: error reported */
/* A pointer where nothing else can stand: dumps leave its `!tt.ptr` out. */
const TsType *tt_parse_pointer_type (TtParser *p);
/* `(A, B)` or one bare type. */
gboolean      tt_parse_types (TtParser *p, GPtrArray *types);
/* A comma list of bare types. */
gboolean      tt_parse_type_list (TtParser *p, GPtrArray *types);
TsExpr       *tt_parse_attribute (TtParser *p);             /* NULL: error reported */
/* `{...}` or `<{...}>` when it is there; entries are added to `op`, sorted by key in the end. */
gboolean      tt_parse_dict (TtParser *p, TsOp *op);
/* `{...}` that is kept as written: its grammar. */
gboolean      tt_check_dict (TtParser *p);
/* `attributes {...}` when the word is there. */
gboolean      tt_parse_attributes (TtParser *p, TsOp *op);
void          tt_sort_attrs (TsAttr *attrs, guint n);
/* One `name` or `name = value` of a dictionary. */
gboolean      tt_parse_entry (TtParser *p, TsOp *op);
/* `loc(...)` when it is there: returns the text inside, shared, or NULL. */
const char   *tt_parse_location (TtParser *p);

/* --- aliases --------------------------------------------------------------------------------------------------------------- */
/* All of the section, before it is read. */
void          tt_aliases_collect (TtParser *p, guint32 start, guint32 end);
void          tt_aliases_free (TtAliases *aliases);
/* Afterwards: reports names that are used and not defined, defined twice, or stand for themselves. */
void          tt_aliases_check (TtParser *p);
/* Is the current token the name of one? Then one of these reads what it stands for. NULL: error reported. */
gboolean      tt_at_alias (TtParser *p);
const TsType *tt_parse_type_alias (TtParser *p);
TsExpr       *tt_parse_attribute_alias (TtParser *p);
/* The type of the number or dense<> that an alias stands for; NULL: it stands for none, which may be reported. */
const TsType *tt_alias_constant_type (TtParser *p, const char *name);
/* Raw text with its aliases replaced, interned; *written is the text as it was when that differs, else NULL. */
const char   *tt_resolve_text (TtParser *p, const char *text, const char **written);

/* --- values ---------------------------------------------------------------------------------------------------------------- */
void     tt_scope_push (TtParser *p, gboolean is_function);
void     tt_scope_pop (TtParser *p);
/* The value a token %name or %name#N means; makes a pending one when it is not defined yet. Moves on. NULL: error reported. */
TsValue *tt_parse_use (TtParser *p);
TsExpr  *tt_parse_operand (TtParser *p);
/* Fills in a pending value or makes a fresh one. NULL and an error when the name is taken. `key` is "x" or "x#1". */
TsValue *tt_define (TtParser *p, const char *key, const char *hint, TsValueKind kind, const TsType *type, guint32 offset);
void     tt_state_type (TtParser *p, const TsExpr *operand, const TsType *type, guint32 offset);
/* The type that operand `i` has by the operation's own syntax, which does not write it: the value a store moves, a mask, an offset.
 * `first` is the type of operand 0. NULL: the syntax writes it, or leaves it open. */
const TsType *tt_implied_type (TtParser *p, const TsOp *op, guint i, const TsType *first);
/* Gives operands that nothing else types what the operation implies; `first` as above. */
void     tt_imply_types (TtParser *p, const TsOp *op, const TsType *first);
/* The current token mentions the label: errors about it point there. */
void     tt_note_label (TtParser *p, const char *label);
TsBlock *tt_block_by_label (TtParser *p, const char *label, TsRegion *region);

/* --- operations ------------------------------------------------------------------------------------------------------------ */
/* Parses `{ ops and blocks }` into a fresh region of `op`. `args` are defined in its entry block under these names first. */
typedef struct
{
  const char   *name; /* without % */
  const TsType *type;
  guint32       offset;
  const char   *location;
} TtBlockArg;
gboolean tt_parse_region (TtParser *p, TsOp *op, const GArray *args);
/* Operations up to `}` or the end; regions and functions use it. */
gboolean tt_parse_block_list (TtParser *p, TsRegion *region, TsBlock *entry);
/* One operation appended to `block`. Recovers at the next line on errors. */
void     tt_parse_statement (TtParser *p, TsBlock *block);

/* The part behind the name of an operation with a pattern: fills `op` and adds result types. FALSE: error reported. */
gboolean tt_parse_pattern (TtParser *p, TsOp *op, const char *format, guint n_results, GPtrArray *result_types);
/* scf.for and the others whose syntax is code. *known is FALSE when `name` is none of them. Result names come with it since loops
 * know their number only from it. */
gboolean tt_parse_structured (TtParser *p, TsOp *op, const char *name, guint n_results, GPtrArray *result_types, gboolean *known);
/* The code of a name: table, or the structural one of scf.for, scf.if, scf.yield, tt.return, tt.call. */
TsOpCode tt_code_from_name (const char *name);
/* The value of arith.constant: a dense value leaves its type to the operation. *type: what a number states that no table has a type
 * for, or NULL. */
TsExpr  *tt_parse_constant (TtParser *p, const TsType **type);
/* The same with ": type" behind it, which a number and an alias may leave out. NULL: error reported; *type NULL: none is stated. */
TsExpr  *tt_parse_typed_constant (TtParser *p, const TsType **type);
/* An operation of this name, at this place, without anything yet. */
TsOp    *tt_new_op (TtParser *p, const char *name, guint32 start);
/* Has every clause of the pattern an attribute it can write? FALSE: *attribute is the first that is missing or has another form. */
gboolean tt_fits_clauses (const TsOp *op, const char *format, const char **attribute);
/* Attributes as dictionaries give them become what the operation's own syntax stores: numbers become words, defaults go. */
void     tt_normalise (TtParser *p, TsOp *op);
/* The current token is the quoted name of a generic form. NULL: error reported. */
TsOp    *tt_parse_generic_op (TtParser *p, guint32 start, GPtrArray *types);
/* Everything of one section, into p->module as a part of its own. */
const TsTtirModuleInfo *tt_parse_section (TtParser *p);
/* Makes a value the next argument of a block; location and dictionary text may be NULL. */
void     tt_adopt_arg (TtParser *p, TsBlock *block, TsValue *value, const char *location, const char *dict);

/* Attribute of an unknown operation kept as written: its text, each byte \x01 standing for the next operand. */
#define TS_TTIR_TEXT "ttir.text"
