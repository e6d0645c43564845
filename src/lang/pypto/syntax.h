/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Syntax trees: what stands in the text, before it means anything. They live in a pool, dump mode's for one statement only. */
#pragma once

#include "lang/pypto/token.h"

G_BEGIN_DECLS

/* Operators beyond those of the IR. */
enum
{
  TS_SYNTAX_AT = TS_N_OPERATORS, /* a @ b */
  TS_SYNTAX_IN,
  TS_SYNTAX_NOT_IN,
  TS_SYNTAX_IS,
  TS_SYNTAX_IS_NOT,
  TS_SYNTAX_PLUS, /* +a */
};

/* Children are linked through `first` and `next`. */
typedef enum
{
  TS_NODE_NAME,       /* name, plain or dotted */
  TS_NODE_INT,
  TS_NODE_FLOAT,
  TS_NODE_STRING,
  TS_NODE_FSTRING,
  TS_NODE_TRUE,
  TS_NODE_FALSE,
  TS_NODE_NONE,
  TS_NODE_ELLIPSIS,
  TS_NODE_TUPLE,
  TS_NODE_LIST,
  TS_NODE_SET,
  TS_NODE_DICT,       /* key, value, key, value, ...; a DOUBLE_STAR stands alone */
  TS_NODE_UNARY,      /* op */
  TS_NODE_BINARY,     /* op; also one comparison */
  TS_NODE_CHAIN,      /* a < b < c: comparisons whose first operand repeats the last one's second; children are BINARY */
  TS_NODE_CALL,       /* callee, then arguments */
  TS_NODE_KEYWORD,    /* name = the child: only as an argument */
  TS_NODE_STAR,       /* *a */
  TS_NODE_DOUBLE_STAR,
  TS_NODE_SUBSCRIPT,  /* base, then one index, slice or TUPLE */
  TS_NODE_SLICE,      /* lower, upper, step; EMPTY where left out */
  TS_NODE_EMPTY,
  TS_NODE_ATTRIBUTE,  /* child.name, where the child is no name */
  TS_NODE_CONDITIONAL,/* condition, then, else */
  TS_NODE_COMPREHENSION, /* op: kind of the node it would make; element (two for a dict), then FOR clauses */
  TS_NODE_CLAUSE,     /* for: target, iterable, conditions */
  TS_NODE_LAMBDA,     /* lambda: a DEF whose body is one return; the child is what it returns */
  TS_NODE_WALRUS,
  TS_NODE_OTHER,      /* await, yield, bytes, complex numbers: parsed so that they can be named in a message; text says which */
  TS_NODE_TYPE,       /* an annotation whose text was met before: `type` */
} TsNodeKind;

typedef struct TsStatement TsStatement;
typedef struct TsNode TsNode;
struct TsNode
{
  guint8  kind;     /* TsNodeKind */
  guint8  op;
  guint16 height;   /* of the tree, a leaf is 1 */
  guint32 n;        /* children */
  guint32 offset;
  guint32 end;
  TsNode *next;
  TsNode *first;
  union
  {
    TsName       *name;
    gint64        i;
    double        f;
    const char   *text;
    const TsType *type;
    TsStatement  *lambda;
  };
};

typedef enum
{
  TS_STATEMENT_EXPRESSION, /* value */
  TS_STATEMENT_ASSIGN,     /* targets (chained ones linked), annotation, value (NULL: only declared) */
  TS_STATEMENT_AUGMENTED,  /* targets, op, value */
  TS_STATEMENT_RETURN,     /* value or NULL */
  TS_STATEMENT_BREAK,
  TS_STATEMENT_CONTINUE,
  TS_STATEMENT_PASS,
  TS_STATEMENT_IMPORT,     /* imports */
  TS_STATEMENT_FROM,       /* name (module, may be NULL), level (leading dots), imports */
  TS_STATEMENT_ASSERT,     /* value, annotation: the message */
  TS_STATEMENT_OTHER,      /* del, raise, global, nonlocal: `what`; value: the first list, or NULL */
  TS_STATEMENT_IF,         /* value; otherwise: IF (elif) or ELSE */
  TS_STATEMENT_ELSE,
  TS_STATEMENT_WHILE,      /* value */
  TS_STATEMENT_FOR,        /* targets, value */
  TS_STATEMENT_WITH,       /* value, targets: after `as` */
  TS_STATEMENT_DEF,        /* name, params, annotation: the result's, decorators */
  TS_STATEMENT_CLASS,      /* name, value: bases, decorators */
  TS_STATEMENT_BLOCK,      /* try, except, finally, match, async ...: `what`, a suite nobody looks into */
  TS_STATEMENT_BAD,        /* a syntax error; `offset` and `end` are what was given up; targets or name: what it would have bound */
} TsStatementKind;

typedef struct TsParameter TsParameter;
struct TsParameter
{
  TsParameter *next;
  TsName      *name;
  TsNode      *annotation;
  TsNode      *value;  /* default */
  guint8       stars;  /* 1: *args, or a lone '*' when name is NULL; 2: **kwargs */
  guint32      offset, end;
};

typedef struct TsImport TsImport;
struct TsImport
{
  TsImport *next;
  TsName   *name;  /* NULL: from x import * */
  TsName   *alias; /* NULL: none */
};

struct TsStatement
{
  guint8       kind;        /* TsStatementKind */
  guint8       is_elif;
  guint8       has_suite;   /* a compound statement */
  guint8       is_read;     /* its suite stands in `body`; else it is still to be read from the parser */
  guint8       n_targets;   /* of a chained assignment; saturates */
  guint8       level;
  guint8       op;          /* of an AUGMENTED one */
  guint32      offset, end; /* own line: a compound statement's header */
  guint32      suite_end;   /* DEF with a skipped suite: where it ends */
  const char  *what;        /* static */
  TsName      *name;
  TsNode      *targets;
  TsNode      *annotation;
  TsNode      *value;
  TsNode      *decorators;
  TsParameter *params;
  TsImport    *imports;
  const char **comments;    /* n_comments texts without '#' */
  guint        n_comments;
  TsStatement *next;
  TsStatement *body;
  TsStatement *otherwise;
};

/* What a construct is called in messages ("a conditional expression"). */
const char *ts_node_kind_name (TsNodeKind kind);

static inline gboolean
ts_node_is_name (const TsNode *node, const char *text)
{
  return node != NULL && node->kind == TS_NODE_NAME && g_str_equal (node->name->text, text);
}

/* A name without dots. */
static inline gboolean
ts_node_is_plain_name (const TsNode *node)
{
  return node->kind == TS_NODE_NAME && node->name->parent == NULL;
}

G_END_DECLS
