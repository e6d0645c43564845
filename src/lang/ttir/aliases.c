/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Aliases of a section: `#name = attribute`, `!name = type`. They may stand in front of their use or behind it, so all are
 * collected before anything is read. Source: spec ttir section 2. */
#include <string.h>

#include "base/limits.h"
#include "lang/ttir/aliases.h"
#include "lang/ttir/parser-private.h"

typedef enum { FRESH, OPEN, DONE } State;

typedef struct
{
  const char   *name; /* with its # or !, interned */
  guint32       at;   /* of the name */
  guint32       text, end; /* what it stands for */
  guint         index;
  State         state;
  const TsType *type;  /* of a ! alias, once it was asked for */
  TsExpr       *value; /* of a # alias, likewise */
  guint         height; /* levels of brackets in it, those of the aliases that it names included */
  const TsType *constant; /* of the number or the dense<> that it stands for, once arith.constant asked */
  guint         items; /* attributes in it, those of the aliases that it names included */
} Alias;

typedef struct
{
  const char *name;
  guint32     at;
} Mention;

struct TtAliases
{
  GPtrArray  *list;    /* Alias, in order */
  GHashTable *by_name; /* the first of each name */
  GArray     *mentions;
  TtExpander *expander;
  GHashTable *resolved;  /* interned text to the same with its aliases replaced */
  gboolean    has_refused; /* more attributes than can be walked through */
  gboolean    has_noted; /* that some are not replaced */
};

/* --- collecting ------------------------------------------------------------------------------------------------------------ */

static gboolean
is_alias_token (const TtLexer *lexer)
{
  const TtToken *token = &lexer->token;

  if (token->kind != TT_TOKEN_HASH && token->kind != TT_TOKEN_BANG)
    return FALSE;
  /* A dot makes it a name of a dialect, and so does what stands in angle brackets directly behind it. */
  return memchr (lexer->text + token->start, '.', token->end - token->start) == NULL
         && (token->end >= lexer->length || lexer->text[token->end] != '<');
}

static const char *
name_of (TtParser *p, const TtLexer *lexer)
{
  return ts_intern_n (p->module->strings, lexer->text + lexer->token.start, lexer->token.end - lexer->token.start);
}

/* The number in %x#1 is no name. */
static void
note_mention (TtParser *p, const TtLexer *lexer, TtTokenKind before)
{
  const TtToken *token = &lexer->token;
  Mention mention = { .at = token->start };

  if (!is_alias_token (lexer) || (before == TT_TOKEN_VALUE && lexer->last_end == token->start))
    return;
  mention.name = name_of (p, lexer);
  g_array_append_val (p->aliases->mentions, mention);
}

/* `= text` behind the name, up to the end of its line or of what it opens. */
static void
collect_alias (TtParser *p, TtLexer *lexer, const char *name, guint32 at)
{
  Alias *alias = g_new0 (Alias, 1);
  g_autoptr (GString) stack = g_string_new (NULL);
  TtTokenKind before = TT_TOKEN_END;

  *alias = (Alias) { .name = name, .at = at, .text = lexer->token.start, .index = p->aliases->list->len };
  while (lexer->token.kind != TT_TOKEN_END && (!lexer->token.on_new_line || stack->len > 0))
    {
      note_mention (p, lexer, before);
      if (!tt_step_brackets (stack, &lexer->token))
        break;
      before = lexer->token.kind;
      tt_lexer_next (lexer);
    }
  alias->end = MAX (lexer->last_end, alias->text);
  g_ptr_array_add (p->aliases->list, alias);
  if (!g_hash_table_contains (p->aliases->by_name, name))
    g_hash_table_insert (p->aliases->by_name, (gpointer) name, alias);
}

static const char *
meaning_of (gpointer data, const char *name, gsize length, gsize *meaning_length)
{
  TtParser *p = data;
  const Alias *alias = g_hash_table_lookup (p->aliases->by_name, ts_intern_n (p->module->strings, name, length));

  if (alias == NULL)
    return NULL;
  *meaning_length = alias->end - alias->text;
  return p->lexer.text + alias->text;
}

void
tt_aliases_collect (TtParser *p, guint32 start, guint32 end)
{
  TtTokenKind before = TT_TOKEN_END;
  TtLexer lexer;

  p->aliases = g_new0 (TtAliases, 1);
  p->aliases->list = g_ptr_array_new_with_free_func (g_free);
  p->aliases->by_name = g_hash_table_new (NULL, NULL);
  p->aliases->mentions = g_array_new (FALSE, FALSE, sizeof (Mention));
  p->aliases->resolved = g_hash_table_new (NULL, NULL);
  p->aliases->expander = tt_expander_new (meaning_of, p);
  tt_lexer_init (&lexer, p->lexer.text, start, end);
  lexer.token.on_new_line = TRUE;
  while (lexer.token.kind != TT_TOKEN_END)
    {
      gboolean may_define = lexer.token.on_new_line && is_alias_token (&lexer);
      const char *name = may_define ? name_of (p, &lexer) : NULL;
      guint32 at = lexer.token.start;

      if (may_define)
        {
          TtLexer ahead = lexer;

          tt_lexer_next (&ahead);
          may_define = tt_lexer_is_punct (&ahead, '=');
          if (may_define)
            {
              lexer = ahead;
              tt_lexer_next (&lexer);
              collect_alias (p, &lexer, name, at);
              before = TT_TOKEN_END;
              continue;
            }
        }
      note_mention (p, &lexer, before);
      before = lexer.token.kind;
      tt_lexer_next (&lexer);
    }
}

void
tt_aliases_free (TtAliases *aliases)
{
  if (aliases == NULL)
    return;
  g_ptr_array_unref (aliases->list);
  g_hash_table_unref (aliases->by_name);
  g_array_unref (aliases->mentions);
  g_hash_table_unref (aliases->resolved);
  tt_expander_free (aliases->expander);
  g_free (aliases);
}

/* --- use ------------------------------------------------------------------------------------------------------------------- */

static Alias *
find (TtParser *p)
{
  return is_alias_token (&p->lexer) ? g_hash_table_lookup (p->aliases->by_name, name_of (p, &p->lexer)) : NULL;
}

gboolean
tt_at_alias (TtParser *p)
{
  return find (p) != NULL;
}

/* Reads the alias's own text; `read` takes one attribute or type. Then goes on behind the name. What was read before counts as
 * deep as it would if it were read here: whether a chain of aliases is too long depends on no order. */
static void
resolve (TtParser *p, Alias *alias, void (*read) (TtParser *p, Alias *alias))
{
  guint32 end = tt_token (p)->end;

  p->open_aliases++;
  if (alias->state == FRESH && alias->end > alias->text)
    {
      const guint around = p->deepest;

      alias->state = OPEN;
      p->deepest = p->depth;
      tt_lexer_seek (&p->lexer, alias->text);
      read (p, alias);
      alias->height = p->deepest - p->depth;
      p->deepest = MAX (p->deepest, around);
      if (!p->failed && tt_token (p)->start < alias->end)
        tt_error (p, "syntax", "expected the end of the alias's line");
      alias->state = DONE;
    }
  else if (alias->state == DONE)
    tt_reach (p, alias->height);
  p->open_aliases--;
  tt_lexer_seek (&p->lexer, end);
  p->lexer.last_end = end;
}

static void
read_type (TtParser *p, Alias *alias)
{
  alias->type = tt_parse_type (p);
}

static void
read_value (TtParser *p, Alias *alias)
{
  const guint before = p->n_attributes;

  alias->value = tt_parse_attribute (p);
  alias->items = p->n_attributes - before;
}

const TsType *
tt_parse_type_alias (TtParser *p)
{
  Alias *alias = find (p);

  resolve (p, alias, read_type);
  if (alias->type == NULL) /* a circle, or an error that was reported */
    return p->failed ? NULL : ts_type_opaque (p->module, alias->name);
  return ts_type_with_written (p->module, alias->type, alias->name);
}

/* Aliases share what they stand for, but who walks through an attribute walks through all of it, and aliases of aliases
 * multiply. */
static gboolean
count_again (TtParser *p, const Alias *alias)
{
  const guint32 length = (guint32) strlen (alias->name);

  if (alias->items > TS_MAX_ALIAS_ITEMS - MIN (p->n_repeated, TS_MAX_ALIAS_ITEMS))
    {
      if (!p->aliases->has_refused) /* the next one would say the same */
        ts_diag_add (p->diags, TS_SEVERITY_ERROR, "limit", p->source, (TsSpan) { p->lexer.last_end - length, length, 0 },
                     "the aliases of attributes stand for more than %u attributes", TS_MAX_ALIAS_ITEMS);
      p->aliases->has_refused = TRUE;
      return FALSE;
    }
  p->n_repeated += alias->items;
  p->n_attributes += alias->items;
  return TRUE;
}

TsExpr *
tt_parse_attribute_alias (TtParser *p)
{
  Alias *alias = find (p);

  const gboolean again = alias->state == DONE;

  resolve (p, alias, read_value);
  p->n_resolved++;
  if (again && !count_again (p, alias)) /* reported: the statement around it is whole all the same */
    return ts_expr_text (p->module, alias->name);
  return alias->value != NULL || p->failed ? alias->value : ts_expr_text (p->module, alias->name);
}

const TsType *
tt_alias_constant_type (TtParser *p, const char *name)
{
  Alias *alias = g_hash_table_lookup (p->aliases->by_name, ts_intern_n (p->module->strings, name, strlen (name)));
  const TtLexer here = p->lexer;
  State state;

  if (alias == NULL || alias->constant != NULL || alias->state == OPEN || alias->end == alias->text || !tt_reach (p, 1))
    return alias != NULL ? alias->constant : NULL;
  state = alias->state;
  alias->state = OPEN; /* a circle of constants ends here */
  p->depth++;
  tt_lexer_seek (&p->lexer, alias->text);
  tt_parse_typed_constant (p, &alias->constant);
  p->depth--;
  alias->state = state;
  p->lexer = here;
  return alias->constant;
}

/* --- raw text -------------------------------------------------------------------------------------------------------------- */

/* Said once: what follows has the same cause. A circle is reported in the end. */
static void
note_unexpanded (TtParser *p, TtExpansion problem)
{
  const TtToken *token = tt_token (p);
  const guint limit = problem == TT_EXPANSION_TOO_DEEP   ? TS_MAX_ALIAS_DEPTH
                      : problem == TT_EXPANSION_TOO_LONG ? TS_MAX_STRING_LENGTH
                                                         : TS_MAX_ALIAS_BYTES;

  if (problem == TT_EXPANSION_CIRCLE || p->aliases->has_noted)
    return;
  p->aliases->has_noted = TRUE;
  ts_diag_add (p->diags, TS_SEVERITY_NOTE, "limit", p->source, (TsSpan) { token->start, token->end - token->start, 0 },
               problem == TT_EXPANSION_TOO_DEEP   ? "aliases within aliases, more than %u levels: compared as they are written"
               : problem == TT_EXPANSION_TOO_LONG ? "aliases that stand for more than %u bytes: compared as they are written"
                                                  : "the aliases of this module stand for more than %u bytes in all: from here on "
                                                    "they are compared as they are written",
               limit);
}

const char *
tt_resolve_text (TtParser *p, const char *text, const char **written)
{
  TtAliases *a = p->aliases;
  g_autoptr (GString) out = NULL;
  const char *resolved;
  TtExpansion problem;

  *written = NULL;
  if (g_hash_table_size (a->by_name) == 0 || strpbrk (text, "#!") == NULL)
    return text;
  resolved = g_hash_table_lookup (a->resolved, text);
  if (resolved == NULL)
    {
      out = g_string_new (NULL);
      problem = tt_expand_aliases (a->expander, out, text);
      if (problem != TT_EXPANDED)
        note_unexpanded (p, problem);
      resolved = problem != TT_EXPANDED || strcmp (out->str, text) == 0 ? text : ts_module_intern (p->module, out->str);
      g_hash_table_insert (a->resolved, (gpointer) text, (gpointer) resolved);
    }
  if (resolved != text)
    *written = text;
  return resolved;
}

/* --- checks ---------------------------------------------------------------------------------------------------------------- */

static void
complain (TtParser *p, const char *name, guint32 at, const char *code, const char *what)
{
  ts_diag_add (p->diags, TS_SEVERITY_ERROR, code, p->source, (TsSpan) { at, (guint32) strlen (name), 0 }, "alias '%s' %s", name,
               what);
}

static void
check_names (TtParser *p)
{
  TtAliases *a = p->aliases;
  g_autoptr (GHashTable) reported = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < a->list->len; i++)
    {
      const Alias *alias = g_ptr_array_index (a->list, i);

      if (g_hash_table_lookup (a->by_name, alias->name) != alias)
        complain (p, alias->name, alias->at, "redefinition", "is already defined");
    }
  for (guint i = 0; i < a->mentions->len; i++)
    {
      const Mention *mention = &g_array_index (a->mentions, Mention, i);

      if (!g_hash_table_contains (a->by_name, mention->name) && g_hash_table_add (reported, (gpointer) mention->name))
        complain (p, mention->name, mention->at, "undefined-alias", "is not defined");
    }
}

/* first[i] .. first[i + 1] - 1: the mentions inside alias i. Mentions stand in order of their places, and so do aliases. */
static guint *
mentions_of (const TtAliases *a)
{
  guint *first = g_new (guint, a->list->len + 1), k = 0;

  for (guint i = 0; i < a->list->len; i++)
    {
      const Alias *alias = g_ptr_array_index (a->list, i);

      while (k < a->mentions->len && g_array_index (a->mentions, Mention, k).at < alias->text)
        k++;
      first[i] = k;
      while (k < a->mentions->len && g_array_index (a->mentions, Mention, k).at < alias->end)
        k++;
      first[i + 1] = k;
    }
  return first;
}

/* End of the mentions of alias i: the next alias's first may lie further on. */
static gboolean
is_inside (const TtAliases *a, guint k, const Alias *alias)
{
  return k < a->mentions->len && g_array_index (a->mentions, Mention, k).at < alias->end;
}

/* Each of those on the way from `inner` back to it, once. */
static void
report_circle (TtParser *p, const GPtrArray *stack, const Alias *inner, GHashTable *reported)
{
  for (guint i = stack->len; i-- > 0;)
    {
      const Alias *alias = g_ptr_array_index (stack, i);

      if (!g_hash_table_add (reported, (gpointer) alias)) /* its whole circle was reported */
        return;
      complain (p, alias->name, alias->at, "alias-cycle", "stands for itself");
      if (alias == inner)
        return;
    }
}

static void
check_circles (TtParser *p)
{
  TtAliases *a = p->aliases;
  g_autoptr (GHashTable) reported = g_hash_table_new (NULL, NULL);
  g_autofree guint *next = mentions_of (a);
  g_autofree guint8 *state = g_new0 (guint8, MAX (a->list->len, 1u));
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();

  for (guint i = 0; i < a->list->len; i++)
    {
      if (state[i] != FRESH)
        continue;
      state[i] = OPEN;
      g_ptr_array_add (stack, g_ptr_array_index (a->list, i));
      while (stack->len > 0)
        {
          const Alias *alias = g_ptr_array_index (stack, stack->len - 1);
          Alias *inner;

          if (!is_inside (a, next[alias->index], alias))
            {
              state[alias->index] = DONE;
              g_ptr_array_set_size (stack, (gint) stack->len - 1);
              continue;
            }
          inner = g_hash_table_lookup (a->by_name, g_array_index (a->mentions, Mention, next[alias->index]++).name);
          if (inner != NULL && state[inner->index] == OPEN)
            report_circle (p, stack, inner, reported);
          if (inner == NULL || state[inner->index] != FRESH)
            continue;
          state[inner->index] = OPEN;
          g_ptr_array_add (stack, inner);
        }
    }
}

/* What nothing uses is read all the same: it must be a type or an attribute. */
static void
check_meanings (TtParser *p)
{
  for (guint i = 0; i < p->aliases->list->len; i++)
    {
      Alias *alias = g_ptr_array_index (p->aliases->list, i);

      p->failed = FALSE;
      if (alias->end == alias->text)
        complain (p, alias->name, alias->at, "syntax", "stands for nothing: what it means follows on its line");
      else
        resolve (p, alias, alias->name[0] == '!' ? read_type : read_value);
    }
}

void
tt_aliases_check (TtParser *p)
{
  check_meanings (p);
  check_names (p);
  check_circles (p);
}
