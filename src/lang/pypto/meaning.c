/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names to meanings: a table of words, then families of enumerations, then operations. */
#include <string.h>

#include "lang/pypto/meaning.h"

#include "ir/op-info.h"
#include "lang/pypto/token.h"

typedef struct
{
  const char *text;
  guint8      meaning;
  guint8      detail;
  guint8      bare; /* also without the prefix */
} Word;

static const Word words[] = {
#define TS_WORD(text, meaning, detail, bare) { text, TS_MEANING_##meaning, detail, bare },
#include "lang/pypto/meanings.def"
#undef TS_WORD
};

/* Enumerations of the language: as spelled, and under which name they are kept. */
static const struct { const char *spelled, *kept; } families[] = {
  { "Mem", "Mem" }, { "MemorySpace", "Mem" }, { "TensorLayout", "TensorLayout" }, { "TileLayout", "TileLayout" },
  { "PadValue", "PadValue" }, { "CompactMode", "CompactMode" }, { "PipeType", "PipeType" }, { "AtomicType", "AtomicType" },
  { "FunctionType", "FunctionType" }, { "Level", "Level" }, { "Role", "Role" }, { "SplitMode", "SplitMode" },
  { "ScopeMode", "ScopeMode" }, { "adir", "adir" },
};

static const Word *
find_word (const char *text, gboolean bare)
{
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if ((!bare || words[i].bare) && strcmp (words[i].text, text) == 0)
      return &words[i];
  return NULL;
}

/* What follows "PREFIX." in the text; NULL when it does not begin so. */
static const char *
behind (const char *text, const char *prefix)
{
  gsize length = strlen (prefix);

  return strncmp (text, prefix, length) == 0 && text[length] == '.' && text[length + 1] != '\0' ? text + length + 1 : NULL;
}

/* Without `as`, an import gives the language the name "pypto.language", and its distributed part the longer one. */
static TsNameRoot
root_of (TsLexicon *lexicon, const TsName *name, const char **rest)
{
  const struct { const char *prefix; TsNameRoot root; } roots[] = {
    { ts_lexicon_distributed_prefix (lexicon), TS_ROOT_PLD }, { ts_lexicon_prefix (lexicon), TS_ROOT_PL },
    { "pld", TS_ROOT_PLD }, { "self", TS_ROOT_SELF },
  };

  for (guint i = 0; i < G_N_ELEMENTS (roots); i++)
    if ((*rest = behind (name->text, roots[i].prefix)) != NULL)
      return roots[i].root;
  *rest = name->text;
  return TS_ROOT_NONE;
}

/* Family.Member, or a layout by itself. The kept spelling, to be freed, or NULL. */
static char *
enum_spelling (const char *rest, gboolean rooted)
{
  const char *dot = strchr (rest, '.');
  TsLayout layout;

  if (dot == NULL)
    return rooted && ts_layout_from_name (rest, -1, &layout) ? g_strconcat ("TensorLayout.", rest, NULL) : NULL;
  if (strchr (dot + 1, '.') != NULL)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    if (strlen (families[i].spelled) == (gsize) (dot - rest) && strncmp (families[i].spelled, rest, (gsize) (dot - rest)) == 0)
      return g_strconcat (families[i].kept, dot, NULL);
  /* An enumeration we do not know yet is still no operation: those are lower case. */
  return rooted && g_ascii_isupper (*rest) ? g_strdup (rest) : NULL;
}

/* The name in the operation table: a component that is a keyword of Python has a '_' more in the text. */
static void
set_operation (TsLexicon *lexicon, TsName *name, const char *rest)
{
  TsStrings *strings = ts_lexicon_strings (lexicon);
  g_autofree char *text = name->root == TS_ROOT_PLD ? g_strconcat ("pld.", rest, NULL) : g_strdup (rest);
  gsize length = strlen (text);
  const char *last = strrchr (text, '.');

  last = last != NULL ? last + 1 : text;
  if (length > 1 && text[length - 1] == '_')
    {
      TsName *plain = ts_lexicon_get (lexicon, last, strlen (last) - 1);

      if (plain->keyword != 0)
        text[--length] = '\0';
    }
  name->meaning = TS_MEANING_OPERATION;
  name->rest = ts_intern (strings, text);
  name->code = (guint16) ts_op_code_from_name (name->rest, -1);
}

TsNameMeaning
ts_name_ask (TsLexicon *lexicon, TsName *name)
{
  const char *rest;
  const Word *word;
  g_autofree char *spelling = NULL;
  TsDtype dtype;

  name->root = (guint8) root_of (lexicon, name, &rest);
  name->rest = rest;
  name->meaning = TS_MEANING_PLAIN;
  if (name->root == TS_ROOT_SELF)
    {
      name->meaning = TS_MEANING_METHOD;
      return (TsNameMeaning) name->meaning;
    }
  word = find_word (rest, name->root == TS_ROOT_NONE);
  if (word == NULL && name->root == TS_ROOT_PL && g_str_has_prefix (rest, "jit."))
    word = find_word ("jit", FALSE);
  if (word != NULL)
    {
      name->meaning = word->meaning;
      name->detail = word->detail;
    }
  else if ((spelling = enum_spelling (rest, name->root != TS_ROOT_NONE)) != NULL)
    {
      name->meaning = TS_MEANING_ENUM;
      name->rest = ts_intern (ts_lexicon_strings (lexicon), spelling);
    }
  else if (name->root != TS_ROOT_NONE && (dtype = ts_dtype_from_name (rest, -1)) != TS_DTYPE_NONE)
    {
      name->meaning = TS_MEANING_DTYPE;
      name->detail = (guint8) dtype;
    }
  else if (name->root != TS_ROOT_NONE)
    set_operation (lexicon, name, rest);
  return (TsNameMeaning) name->meaning;
}

gboolean
ts_name_is_of (const TsName *name, const char *family)
{
  gsize length = strlen (family);

  return name->meaning == TS_MEANING_ENUM && strncmp (name->rest, family, length) == 0 && name->rest[length] == '.';
}
