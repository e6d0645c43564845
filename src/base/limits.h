/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every bound on input, in one place. A message that refuses input names the limit and the size seen. */
#pragma once

/* Largest single input file, in bytes. Spans hold 32-bit offsets. */
#define TS_MAX_FILE_BYTES (1024u * 1024u * 1024u)
/* Nesting of regions (loops in loops, branches in loops, ...) in one function. */
#define TS_MAX_NESTING 200u
/* Height of an expression tree, and of brackets within brackets. */
#define TS_MAX_EXPR_DEPTH 1000u
/* Digits of one numeric literal and bytes of one string literal. */
#define TS_MAX_NUMBER_LENGTH 400u
#define TS_MAX_STRING_LENGTH (1024u * 1024u)
/* Parts of a dotted name: each part makes a name of all before it. */
#define TS_MAX_NAME_PARTS 64u
/* Tokens of one file. */
#define TS_MAX_TOKENS 400000000u
/* Operations of one module, after any pass; values likewise. */
#define TS_MAX_OPS 50000000u
/* Operations a module may grow to while a pass copies loop bodies: about 2 GB of memory. */
#define TS_MAX_PASS_OPS 4000000
/* Copies one loop may be replicated into by one pass (stage count, unroll count). */
#define TS_MAX_STAGES 1024u
#define TS_MAX_UNROLL 1024u
/* Keywords, attributes and comments of one operation, each. */
#define TS_MAX_KEYWORDS 4096u
/* Dump tags of a function: every consumer asks for each of them. */
#define TS_MAX_DUMP_TAGS 256u
/* Attributes that the aliases of a Triton IR file repeat, in all. */
#define TS_MAX_ALIAS_ITEMS 4000000u
/* Aliases within aliases in text that is kept as written, and bytes of it that the aliases of one module stand for in all. */
#define TS_MAX_ALIAS_DEPTH 64u
#define TS_MAX_ALIAS_BYTES (64u * 1024u * 1024u)
/* Types within a type and nodes of its dimensions, as a user's file makes them: they are printed with every statement. */
#define TS_MAX_TYPE_PARTS 4096u
/* Rank of a shape. */
#define TS_MAX_RANK 32u
/* Diagnostics printed before a count takes over. */
#define TS_MAX_DIAGS_PRINTED 100u
/* Diagnostics kept in one list; later ones are only counted. */
#define TS_MAX_DIAGS_KEPT 10000u
/* Files of one dump folder. */
#define TS_MAX_DUMP_FILES 10000u
/* One machine file. */
#define TS_MAX_MACHINE_BYTES (1024u * 1024u)
