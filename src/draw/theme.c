/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Themes as tables. Every text colour has a contrast of 4.5:1 on its background, every outline 3:1; tests check it. */
#include "draw/theme.h"

#include <math.h>

/* Colour-blind safe, in this order. Source: mock/README.md. */
#define STAGE_COLORS                                                                                                        \
  { TS_RGB (0x0072B2), TS_RGB (0xE69F00), TS_RGB (0x009E73), TS_RGB (0xCC79A7),                                             \
    TS_RGB (0x56B4E9), TS_RGB (0xD55E00), TS_RGB (0xF0E442), TS_RGB (0x999999) }
#define LANE_COLORS                                                                                                         \
  { [TS_LANE_SCALAR] = TS_RGB (0x999999), [TS_LANE_MTE_IN] = TS_RGB (0x0072B2), [TS_LANE_CUBE] = TS_RGB (0xCC79A7),         \
    [TS_LANE_VECTOR] = TS_RGB (0x009E73), [TS_LANE_MTE_OUT] = TS_RGB (0xE69F00) }

static const TsTheme THEMES[TS_N_THEMES] = {
  [TS_THEME_LIGHT] = {
    .name = "light",
    .background = TS_RGB (0xFFFFFF), .panel = TS_RGB (0xF7F6F5), .panel_strong = TS_RGB (0xE6E4E2),
    .text = TS_RGB (0x1D1D1D), .text_soft = TS_RGB (0x5E5C64), .grid = TS_RGB (0xE3E1DF), .outline = TS_RGB (0x868489),
    .hatch = TS_RGB (0x7A787D), .edge = TS_RGB (0x55535A), .edge_soft = TS_RGB (0x8E8C93), .alert = TS_RGB (0xB3121D),
    .select = TS_RGB (0x1A5FB4), .critical = TS_RGB (0xB3121D), .marker = TS_RGB (0x813D9C), .bytes = TS_RGB (0xC9C6C4),
    .untagged = TS_RGB (0xF0EFED), .muted = TS_RGB (0xDEDDDA), .stage = STAGE_COLORS, .lane = LANE_COLORS,
  },
  [TS_THEME_DARK] = {
    .name = "dark",
    .background = TS_RGB (0x1E1E20), .panel = TS_RGB (0x29292C), .panel_strong = TS_RGB (0x3B3B40),
    .text = TS_RGB (0xF6F5F4), .text_soft = TS_RGB (0xB5B3B8), .grid = TS_RGB (0x3A3A3E), .outline = TS_RGB (0x8B898F),
    .hatch = TS_RGB (0x9A989E), .edge = TS_RGB (0xC0BEC4), .edge_soft = TS_RGB (0x8B898F), .alert = TS_RGB (0xFF7B72),
    .select = TS_RGB (0x78AEED), .critical = TS_RGB (0xFF7B72), .marker = TS_RGB (0xD6A3EC), .bytes = TS_RGB (0x5B5A60),
    .untagged = TS_RGB (0x37363B), .muted = TS_RGB (0x48474C), .stage = STAGE_COLORS, .lane = LANE_COLORS,
  },
  [TS_THEME_HIGH_CONTRAST] = {
    .name = "high-contrast",
    .background = TS_RGB (0xFFFFFF), .panel = TS_RGB (0xFFFFFF), .panel_strong = TS_RGB (0xE0E0E0),
    .text = TS_RGB (0x000000), .text_soft = TS_RGB (0x1D1D1D), .grid = TS_RGB (0xB0B0B0), .outline = TS_RGB (0x000000),
    .hatch = TS_RGB (0x1D1D1D), .edge = TS_RGB (0x000000), .edge_soft = TS_RGB (0x3D3D3D), .alert = TS_RGB (0x9B0000),
    .select = TS_RGB (0x00338A), .critical = TS_RGB (0x9B0000), .marker = TS_RGB (0x4B0070), .bytes = TS_RGB (0x8A8A8A),
    .untagged = TS_RGB (0xFFFFFF), .muted = TS_RGB (0xE0E0E0), .stage = STAGE_COLORS, .lane = LANE_COLORS, .bar_outline = 1.5f,
  },
  [TS_THEME_PRINT] = {
    .name = "print",
    .background = TS_RGB (0xFFFFFF), .panel = TS_RGB (0xFFFFFF), .panel_strong = TS_RGB (0xEFEFEF),
    .text = TS_RGB (0x000000), .text_soft = TS_RGB (0x444444), .grid = TS_RGB (0xDADADA), .outline = TS_RGB (0x666666),
    .hatch = TS_RGB (0x666666), .edge = TS_RGB (0x333333), .edge_soft = TS_RGB (0x777777), .alert = TS_RGB (0xA00000),
    .select = TS_RGB (0x1A3F8A), .critical = TS_RGB (0xA00000), .marker = TS_RGB (0x5A2080), .bytes = TS_RGB (0xC4C4C4),
    .untagged = TS_RGB (0xFFFFFF), .muted = TS_RGB (0xEAEAEA), .stage = STAGE_COLORS, .lane = LANE_COLORS, .bar_outline = 0.75f,
  },
};

const TsTheme *
ts_theme (TsThemeId id)
{
  return &THEMES[(guint) id < TS_N_THEMES ? id : TS_THEME_LIGHT];
}

const char *
ts_theme_name (TsThemeId id)
{
  return ts_theme (id)->name;
}

gboolean
ts_theme_from_name (const char *name, TsThemeId *out)
{
  for (guint i = 0; i < TS_N_THEMES; i++)
    if (g_strcmp0 (name, THEMES[i].name) == 0)
      {
        *out = (TsThemeId) i;
        return TRUE;
      }
  return FALSE;
}

TsColor
ts_theme_stage_color (const TsTheme *theme, gint stage)
{
  return stage < 0 ? theme->untagged : theme->stage[stage % TS_N_STAGE_COLORS];
}

TsHatch
ts_theme_stage_texture (gint stage)
{
  /* The round after the first has one texture, the next another; from the fifth round on they repeat: the number tells. */
  static const TsHatch ROUNDS[] = { TS_HATCH_NONE, TS_HATCH_UP, TS_HATCH_DOTS, TS_HATCH_VERTICAL, TS_HATCH_CROSS };

  return stage < 0 ? TS_HATCH_NONE : ROUNDS[(stage / TS_N_STAGE_COLORS) % (gint) G_N_ELEMENTS (ROUNDS)];
}

static double
linear (double channel)
{
  return channel <= 0.04045 ? channel / 12.92 : pow ((channel + 0.055) / 1.055, 2.4);
}

static double
luminance (TsColor c)
{
  return 0.2126 * linear (ts_color_red (c)) + 0.7152 * linear (ts_color_green (c)) + 0.0722 * linear (ts_color_blue (c));
}

double
ts_color_contrast (TsColor a, TsColor b)
{
  double la = luminance (a), lb = luminance (b);

  return (MAX (la, lb) + 0.05) / (MIN (la, lb) + 0.05);
}

TsColor
ts_theme_text_on (TsColor fill)
{
  const TsColor white = TS_RGB (0xFFFFFF), black = TS_RGB (0x000000);

  /* White is kept as long as it reads well: black on saturated blue is legal but tiring. */
  return ts_color_contrast (fill, white) >= 4.5 ? white : black;
}

TsColor
ts_color_mix (TsColor a, TsColor b, double share)
{
  TsColor mixed = 0;

  for (guint shift = 0; shift < 32; shift += 8)
    {
      double from = (double) ((a >> shift) & 0xFF), to = (double) ((b >> shift) & 0xFF);

      mixed |= (TsColor) (from + (to - from) * CLAMP (share, 0.0, 1.0) + 0.5) << shift;
    }
  return mixed;
}
