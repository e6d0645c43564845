/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Annotations: dumps repeat them, so one whose text was met before is not read again. */
#include "lang/pypto/parser-private.h"

/* The end of the brackets that open at `p`, or NULL when they go over a line's end. */
static const char *
close_of (const char *p)
{
  guint depth = 0;

  for (;; p++)
    switch (*p)
      {
      case '[':
      case '(':
        depth++;
        break;
      case ']':
      case ')':
        if (--depth == 0)
          return p + 1;
        break;
      case '"':
      case '\'':
        {
          const char *close = p + 1;

          while (*close != *p && *close != '\n' && *close != '\\' && *close != '\0')
            close++;
          if (*close != *p)
            return NULL;
          p = close;
        }
        break;
      case '\0':
      case '\n':
      case '\r':
      case '#':
        return NULL;
      default:
        break;
      }
}

TsNode *
ts_parser_annotation (TsParser *parser)
{
  if (parser->type_lookup != NULL && ts_parser_at (parser, TS_TOKEN_NAME))
    {
      const char *text = ts_lexer_text (parser->lexer, NULL);
      const char *start = text + parser->token.offset;
      const char *end = text + parser->token.end;

      if (*end == '[')
        end = close_of (end);
      if (end != NULL)
        {
          const TsType *type = parser->type_lookup (parser->type_lookup_data, start, (gsize) (end - start));

          if (type != NULL)
            {
              TsNode *node = ts_parser_node (parser, TS_NODE_TYPE, parser->token.offset);

              node->type = type;
              node->end = (guint32) (end - text);
              ts_lexer_jump (parser->lexer, node->end);
              ts_parser_advance (parser);
              return node;
            }
        }
    }
  return ts_parser_expression (parser);
}
