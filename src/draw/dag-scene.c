/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws a window onto a laid-out graph: boxes of groups, edges, nodes with unit shape and stage band, legend. What is too small to
 * read goes, texts first, then shapes; a crowd becomes a map of densities. */
#include <math.h>
#include <string.h>

#include "draw/dag-private.h"
#include "draw/words.h"

#define MARGIN TS_DAG_MARGIN
#define TITLE_STRIP 20 /* pixels at the top of a group that its title takes */
#define TEXT_ZOOM 0.5
#define SHAPE_ZOOM 0.2
/* Beyond so many, nodes become a map and edges go. */
#define MAX_SHAPES 1500u
#define MAX_EDGES 2500u
#define CELL 6.0
#define LEGEND_HEIGHT 28.0

typedef struct
{
  const TsDag     *dag;
  const TsDagView *view;
  const TsTheme   *theme;
  TsMeasurer      *measurer;
  TsScene         *scene;
  double           zoom, x, y;  /* picture = graph * zoom + (x, y) */
  double           top, bottom; /* of the window onto the graph */
  gint32           selected;    /* node, or -1 */
} DagDrawing;

void
ts_dag_view_init (TsDagView *view)
{
  *view = (TsDagView) { .zoom = 1, .selected_op = -1, .highlight_stage = -1 };
}

static double
to_x (const DagDrawing *d, double x)
{
  return x * d->zoom + d->x;
}

static double
to_y (const DagDrawing *d, double y)
{
  return y * d->zoom + d->y;
}

static gboolean
in_sight (const DagDrawing *d, double x, double y, double w, double h)
{
  return to_x (d, x + w) >= 0 && to_x (d, x) <= d->scene->width && to_y (d, y + h) >= d->top && to_y (d, y) <= d->bottom;
}

/* --- groups
 * ------------------------------------------------------------------------------------------------------------------------ */

static void
draw_group (const DagDrawing *d, guint g)
{
  const TsDagGroup *group = &d->dag->groups[g];
  double x = to_x (d, d->dag->layout->boxes[g].x), y = to_y (d, d->dag->layout->boxes[g].y);
  double w = d->dag->layout->boxes[g].w * d->zoom, h = d->dag->layout->boxes[g].h * d->zoom;
  gint32 owner = group->op >= 0 ? group->op : group->parent >= 0 ? d->dag->groups[group->parent].op : -1;
  TsLink link = { TS_LINK_GROUP, 0, -1, owner, -1, (gint32) g, group->stage >= 0 ? 100 + group->stage : group->number, 0, 0 };
  TsColor stage = ts_theme_stage_color (d->theme, group->stage);
  TsPaint paint = { .fill = d->theme->panel, .stroke = d->theme->outline, .width = 1, .radius = 8 };

  if (!in_sight (d, d->dag->layout->boxes[g].x, d->dag->layout->boxes[g].y, d->dag->layout->boxes[g].w, d->dag->layout->boxes[g].h))
    return;
  if (group->stage >= 0)
    {
      paint.fill = ts_color_mix (d->theme->background, stage, 0.1);
      paint.stroke = ts_color_mix (d->theme->background, stage, 0.5);
    }
  ts_scene_begin (d->scene, &link, d->view->titles ? group->title : NULL);
  ts_scene_rect (d->scene, x, y, w, h, paint);
  ts_scene_end (d->scene);
}

/* Titles come after the edges, on a plate: an edge that enters the group must not run through the words. */
static void
draw_group_title (const DagDrawing *d, guint g)
{
  const TsDagGroup *group = &d->dag->groups[g];
  float size = TS_FONT_SIZE * (float) MIN (d->zoom, 1.0);
  TsColor stage = ts_theme_stage_color (d->theme, group->stage);
  TsTextStyle style = { size, TS_WEIGHT_BOLD, d->theme->text, TS_ANCHOR_START };
  double x = to_x (d, d->dag->layout->boxes[g].x) + 10, y = to_y (d, d->dag->layout->boxes[g].y) + size + 3;
  double room = d->dag->layout->boxes[g].w * d->zoom - 20;
  g_autofree char *text = NULL;
  double width;

  if (d->zoom < TEXT_ZOOM || room < 20
      || !in_sight (d, d->dag->layout->boxes[g].x, d->dag->layout->boxes[g].y, d->dag->layout->boxes[g].w, 20))
    return;
  text = ts_measure_fit (d->measurer, group->title, size, TS_WEIGHT_BOLD, room);
  width = ts_measure (d->measurer, text, size, TS_WEIGHT_BOLD);
  ts_scene_rect (d->scene, x - 3, y - size, width + 6, size + 4,
                 (TsPaint) { .fill = group->stage >= 0 ? ts_color_mix (d->theme->background, stage, 0.1) : d->theme->panel });
  ts_put_text (d->scene, d->measurer, x, y, room, style, text);
}

/* --- edges
 * ------------------------------------------------------------------------------------------------------------------------- */

static gboolean
edge_is_wanted (const DagDrawing *d, const TsDagEdge *edge)
{
  return d->view->edge_kinds == 0 || (d->view->edge_kinds >> edge->kind & 1) != 0;
}

static gboolean
touches_selection (const DagDrawing *d, const TsDagEdge *edge)
{
  return d->selected >= 0 && ((gint32) edge->from == d->selected || (gint32) edge->to == d->selected);
}

/* From side to side in a bow: an edge without a lane of its own (buffers, next iteration). */
static guint
bow (const DagDrawing *d, const TsDagEdge *edge, TsPoint *out)
{
  const TsDagNode *a = &d->dag->nodes[edge->from], *b = &d->dag->nodes[edge->to];
  TsPoint p = d->dag->layout->centers[edge->from], q = d->dag->layout->centers[edge->to];
  double reach, side;

  if (fabs (p.x - q.x) < (a->width + b->width) / 2 + 10)
    {
      /* One above the other: around the right side, carried ones around the left. */
      side = edge->carried ? -1 : 1;
      reach = 24 + fabs (q.y - p.y) * 0.15;
      out[0] = (TsPoint) { p.x + side * a->width / 2, p.y };
      out[3] = (TsPoint) { q.x + side * b->width / 2, q.y };
      out[1] = (TsPoint) { MAX (side * out[0].x, side * out[3].x) * side + side * reach, p.y };
      out[2] = (TsPoint) { out[1].x, q.y };
      return 4;
    }
  side = q.x > p.x ? 1 : -1;
  out[0] = (TsPoint) { p.x + side * a->width / 2, p.y };
  out[3] = (TsPoint) { q.x - side * b->width / 2, q.y };
  reach = MAX (fabs (out[3].x - out[0].x) / 2, 20);
  out[1] = (TsPoint) { out[0].x + side * reach, p.y };
  out[2] = (TsPoint) { out[3].x - side * reach, q.y };
  return 4;
}

/* Way points joined so that the line is straight along the ranks it passes and bends between them. */
static guint
bend (const DagDrawing *d, const TsPoint *route, guint n, TsPoint *out)
{
  guint m = 0;

  out[m++] = route[0];
  for (guint k = 1; k < n; k++)
    {
      TsPoint p = route[k - 1], q = route[k];

      if (p.x == q.x && p.y == q.y)
        continue;
      if (d->dag->left_to_right)
        {
          out[m++] = (TsPoint) { (p.x + q.x) / 2, p.y };
          out[m++] = (TsPoint) { (p.x + q.x) / 2, q.y };
        }
      else
        {
          out[m++] = (TsPoint) { p.x, (p.y + q.y) / 2 };
          out[m++] = (TsPoint) { q.x, (p.y + q.y) / 2 };
        }
      out[m++] = q;
    }
  return m;
}

static TsPaint
edge_paint (const DagDrawing *d, const TsDagEdge *edge)
{
  TsPaint paint = { .stroke = d->theme->edge, .width = 1.2f, .dash = (guint8) ts_edge_look ((TsEdgeKind) edge->kind)->dash,
                    .arrow = d->zoom >= TEXT_ZOOM };

  if (edge->kind == TS_EDGE_ORDER || edge->kind == TS_EDGE_MEMORY || edge->carried)
    paint.stroke = d->theme->edge_soft;
  if (edge->carried)
    paint.dash = TS_DASH_DOTTED;
  if (edge->binding)
    {
      paint.stroke = d->theme->alert;
      paint.width = 1.8f;
    }
  if (touches_selection (d, edge))
    {
      paint.stroke = edge->binding ? d->theme->alert : d->theme->select;
      paint.width = 2.2f;
    }
  else if (d->view->highlight_stage >= 0 && d->dag->nodes[edge->from].stage != d->view->highlight_stage
           && d->dag->nodes[edge->to].stage != d->view->highlight_stage)
    paint.stroke = d->theme->muted;
  return paint;
}

static gint32
link_op (const TsDagNode *node)
{
  return node->op >= 0 ? node->op : -2 - node->stage;
}

static guint
edge_points (const DagDrawing *d, const TsDagEdge *edge, GArray *points)
{
  const TsGraphLayout *layout = d->dag->layout;
  guint n = 2;

  if (edge->route >= 0)
    n = layout->route_start[edge->route + 1] - layout->route_start[edge->route];
  g_array_set_size (points, 3 * MAX (n, 2u) + 1);
  if (edge->route >= 0 && n >= 2)
    return bend (d, layout->route + layout->route_start[edge->route], n, (TsPoint *) (gpointer) points->data);
  return bow (d, edge, (TsPoint *) (gpointer) points->data);
}

static gboolean
points_in_sight (const DagDrawing *d, const TsPoint *points, guint n)
{
  double left = points[0].x, right = left, top = points[0].y, bottom = top;

  for (guint i = 1; i < n; i++)
    {
      left = MIN (left, points[i].x);
      right = MAX (right, points[i].x);
      top = MIN (top, points[i].y);
      bottom = MAX (bottom, points[i].y);
    }
  return in_sight (d, left, top, right - left, bottom - top);
}

static void
draw_edge (const DagDrawing *d, guint e, GArray *points)
{
  const TsDagEdge *edge = &d->dag->edges[e];
  TsLink link = { TS_LINK_EDGE, (guint8) (edge->kind | edge->carried << 4), -1, link_op (&d->dag->nodes[edge->from]), -1,
                  link_op (&d->dag->nodes[edge->to]), (gint32) e, 0, 0 };
  guint n = edge_points (d, edge, points);
  TsPoint *p = (TsPoint *) (gpointer) points->data;
  g_autofree char *title = NULL;

  if (!points_in_sight (d, p, n))
    return;
  for (guint i = 0; i < n; i++)
    p[i] = (TsPoint) { to_x (d, p[i].x), to_y (d, p[i].y) };
  title = d->view->titles ? ts_dag_describe (d->dag, &link) : NULL;
  ts_scene_begin (d->scene, &link, title);
  ts_scene_curve (d->scene, p, n, edge_paint (d, edge));
  ts_scene_end (d->scene);
}

/* Does a plate stay clear of every node and of the titles of groups? Nodes are painted later and would cut its words. */
static gboolean
plate_is_free (const DagDrawing *d, double x, double y, double w, double h)
{
  const TsGraphLayout *layout = d->dag->layout;

  for (guint i = 0; i < d->dag->n_nodes; i++)
    {
      const TsDagNode *node = &d->dag->nodes[i];
      double nw = node->width * d->zoom, nh = node->height * d->zoom;
      double nx = to_x (d, layout->centers[i].x) - nw / 2, ny = to_y (d, layout->centers[i].y) - nh / 2;

      if (x < nx + nw && nx < x + w && y < ny + nh && ny < y + h)
        return FALSE;
    }
  for (guint g = 0; g < d->dag->n_groups; g++)
    {
      double gx = to_x (d, layout->boxes[g].x), gy = to_y (d, layout->boxes[g].y), gw = layout->boxes[g].w * d->zoom;

      if (x < gx + gw && gx < x + w && y < gy + TITLE_STRIP && gy < y + h)
        return FALSE;
    }
  return TRUE;
}

/* Words of a binding edge, on a plate at the first place along it where nothing is in the way; left out where there is none. */
static void
draw_edge_label (const DagDrawing *d, guint e, GArray *points)
{
  static const double places[] = { 0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8 };
  const TsDagEdge *edge = &d->dag->edges[e];
  TsTextStyle style = { TS_FONT_SMALL * (float) MIN (d->zoom, 1.0), TS_WEIGHT_NORMAL,
                        edge->binding ? d->theme->alert : d->theme->text_soft, TS_ANCHOR_MIDDLE };
  guint n = edge_points (d, edge, points), pieces = (n - 1) / 3;
  double width = ts_measure (d->measurer, edge->label, style.size, style.weight);

  for (guint k = 0; k < pieces * G_N_ELEMENTS (places); k++)
    {
      /* The middle piece first, then its neighbours. */
      guint step = k / G_N_ELEMENTS (places), piece = (pieces / 2 + (step + 1) / 2 * (step % 2 == 0 ? 1 : pieces - 1)) % pieces;
      const TsPoint *p = (const TsPoint *) (gpointer) points->data + 3 * piece;
      double t = places[k % G_N_ELEMENTS (places)], u = 1 - t;
      double x = to_x (d, u * u * u * p[0].x + 3 * u * u * t * p[1].x + 3 * u * t * t * p[2].x + t * t * t * p[3].x);
      double y = to_y (d, u * u * u * p[0].y + 3 * u * u * t * p[1].y + 3 * u * t * t * p[2].y + t * t * t * p[3].y);
      double left, top = y - style.size / 2 - 3, w = width + 8, h = style.size + 6;

      if (x + width / 2 < 0 || x - width / 2 > d->scene->width || y < d->top || y > d->bottom)
        continue;
      /* A bow may lead close to the edge of the picture; its words stay inside. */
      x = MAX (MIN (x, d->scene->width - width / 2 - 8), width / 2 + 8);
      left = x - width / 2 - 4;
      if (!plate_is_free (d, left, top, w, h))
        continue;
      ts_scene_rect (d->scene, left, top, w, h, (TsPaint) { .fill = d->theme->background, .stroke = style.color, .radius = 3 });
      ts_put_text (d->scene, d->measurer, x, y + style.size * 0.36, 0, style, edge->label);
      return;
    }
}

static void
draw_edges (const DagDrawing *d, gboolean all)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (TsPoint));

  for (guint e = 0; e < d->dag->n_edges; e++)
    {
      const TsDagEdge *edge = &d->dag->edges[e];

      if (edge_is_wanted (d, edge) && (all || edge->binding || touches_selection (d, edge)))
        draw_edge (d, e, points);
    }
  for (guint e = 0; e < d->dag->n_edges && d->zoom >= TEXT_ZOOM; e++)
    {
      const TsDagEdge *edge = &d->dag->edges[e];

      if (edge_is_wanted (d, edge) && edge->label[0] != '\0' && edge->kind != TS_EDGE_VALUE
          && (edge->binding || touches_selection (d, edge)))
        draw_edge_label (d, e, points);
    }
}

/* --- nodes
 * -------------------------------------------------------------------------------------------------------------------------- */

/* The outline that tells the unit: scalar round, transfers slanted towards or away from the core, cube six-cornered, vector a box.
 */
static guint
unit_shape (guint lane, double x, double y, double w, double h, TsPoint *out)
{
  double s = MIN (h * 0.28, w * 0.2);

  switch (lane)
    {
    case TS_LANE_MTE_IN:
      memcpy (out, (TsPoint[]) { { x, y }, { x + w, y }, { x + w - s, y + h }, { x + s, y + h } }, 4 * sizeof *out);
      return 4;
    case TS_LANE_MTE_OUT:
      memcpy (out, (TsPoint[]) { { x + s, y }, { x + w - s, y }, { x + w, y + h }, { x, y + h } }, 4 * sizeof *out);
      return 4;
    case TS_LANE_CUBE:
      memcpy (out, (TsPoint[]) { { x + s, y }, { x + w - s, y }, { x + w, y + h / 2 }, { x + w - s, y + h }, { x + s, y + h },
                                 { x, y + h / 2 } }, 6 * sizeof *out);
      return 6;
    default:
      return 0;
    }
}

static void
paint_shape (const DagDrawing *d, const TsDagNode *node, double x, double y, double w, double h, TsPaint paint)
{
  TsPoint points[6];
  guint n = unit_shape (node->lane, x, y, w, h, points);

  if (n > 0)
    {
      ts_scene_polygon (d->scene, points, n, paint);
      return;
    }
  paint.radius = node->lane == TS_LANE_SCALAR ? (float) (h / 2) : node->lane == TS_LANE_VECTOR ? 4.0f : 0.0f;
  ts_scene_rect (d->scene, x, y, w, h, paint);
}

/* Colour, texture and number of the stage, at the left within the shape. */
static void
draw_stage_band (const DagDrawing *d, const TsDagNode *node, double x, double y, double h, TsColor color)
{
  TsTextStyle style = { TS_FONT_SMALL * (float) d->zoom, TS_WEIGHT_BOLD, ts_theme_text_on (color), TS_ANCHOR_MIDDLE };
  double w = TS_DAG_BAND * d->zoom, inset = h * 0.2;
  char number[16];

  g_snprintf (number, sizeof number, "%d", node->stage);
  ts_scene_rect (d->scene, x, y + inset, w, h - 2 * inset, (TsPaint) { .fill = color, .radius = (float) (3 * d->zoom) });
  ts_scene_hatch (d->scene, x, y + inset, w, h - 2 * inset, ts_theme_stage_texture (node->stage), (style.color & ~0xFFu) | 0x60);
  ts_put_text (d->scene, d->measurer, x + w / 2, y + h / 2 + style.size * 0.36, w, style, number);
}

static gboolean
slanted (const TsDagNode *node)
{
  return node->lane == TS_LANE_MTE_IN || node->lane == TS_LANE_MTE_OUT || node->lane == TS_LANE_CUBE;
}

static void
draw_node_text (const DagDrawing *d, const TsDagNode *node, double x, double y, double w, double h, gboolean muted)
{
  TsTextStyle name = { TS_FONT_SIZE * (float)d->zoom, TS_WEIGHT_NORMAL, muted ? d->theme->text_soft : d->theme->text,
                       TS_ANCHOR_MIDDLE };
  TsTextStyle unit = { TS_FONT_SMALL * (float) d->zoom, TS_WEIGHT_NORMAL, d->theme->text_soft, TS_ANCHOR_MIDDLE };
  double slant = slanted (node) ? 6 * d->zoom : 0;
  double band = node->stage >= 0 && !node->folded ? (TS_DAG_BAND + (slanted (node) ? 4 : 0)) * d->zoom : 0;
  double middle = x + band + (w - band) / 2, room = w - band - 2 * slant - 8 * d->zoom;

  ts_put_text (d->scene, d->measurer, middle, y + h * 0.45, room, name, node->name);
  ts_put_text (d->scene, d->measurer, middle, y + h * 0.82, room, unit, node->unit);
}

static void
draw_node (const DagDrawing *d, guint i)
{
  const TsDagNode *node = &d->dag->nodes[i];
  TsPoint center = d->dag->layout->centers[i];
  double w = node->width * d->zoom, h = node->height * d->zoom;
  double x = to_x (d, center.x) - w / 2, y = to_y (d, center.y) - h / 2;
  gboolean muted = d->view->highlight_stage >= 0 && node->stage != d->view->highlight_stage;
  TsColor color = muted ? d->theme->muted : ts_theme_stage_color (d->theme, node->stage);
  TsLink link = { TS_LINK_NODE, 0, (gint16) (node->lane < TS_N_LANES ? node->lane : -1), node->op, -1, -1, (gint32) i, 0, 0 };
  TsPaint paint = { .fill = d->theme->background, .stroke = muted ? d->theme->muted : d->theme->outline, .width = 1.5f };
  g_autofree char *title = NULL;

  if (node->op < 0)
    {
      link.kind = TS_LINK_GROUP;
      link.op = node->group >= 0 ? d->dag->groups[node->group].op : -1;
      link.other = node->group;
      link.count = 200 + node->stage;
    }
  if (node->stage >= 0 && !muted)
    paint.stroke = color;
  if (d->zoom < TEXT_ZOOM)
    paint.fill = node->stage >= 0 ? color : d->theme->panel_strong;
  if (node->lane == TS_N_LANES && !node->folded)
    paint.dash = TS_DASH_DASHED;
  title = d->view->titles ? ts_dag_describe (d->dag, &(TsLink) { TS_LINK_NODE, 0, -1, node->op, -1, -1, (gint32) i, 0, 0 }) : NULL;
  ts_scene_begin (d->scene, &link, title);
  if ((gint32) i == d->selected)
    ts_scene_rect (d->scene, x - 4, y - 4, w + 8, h + 8, (TsPaint) { .stroke = d->theme->select, .width = 3, .radius = 8 });
  if (node->folded && d->zoom >= SHAPE_ZOOM)
    ts_scene_rect (d->scene, x + 4, y + 4, w, h, paint); /* a second sheet: there is more inside */
  if (d->zoom >= SHAPE_ZOOM)
    paint_shape (d, node, x, y, w, h, paint);
  else
    ts_scene_rect (d->scene, x, y, MAX (w, 2), MAX (h, 2), (TsPaint) { .fill = node->stage >= 0 ? color : d->theme->outline });
  if (d->zoom >= TEXT_ZOOM)
    {
      if (node->stage >= 0 && !node->folded)
        draw_stage_band (d, node, x + (slanted (node) ? 10 : 4) * d->zoom, y, h, color);
      draw_node_text (d, node, x, y, w, h, muted);
    }
  ts_scene_end (d->scene);
}

/* Too many to see one by one: how full each cell is, in the colour of the last stage in it. */
static void
draw_map (const DagDrawing *d)
{
  guint across = (guint) MAX (ceil (d->scene->width / CELL), 1), down = (guint) MAX (ceil ((d->bottom - d->top) / CELL), 1);
  g_autofree guint *count = g_new0 (guint, (gsize) across * down);
  g_autofree gint32 *stage = g_new0 (gint32, (gsize) across * down);
  guint most = 1;

  for (guint i = 0; i < d->dag->n_nodes; i++)
    {
      double x = to_x (d, d->dag->layout->centers[i].x) / CELL, y = (to_y (d, d->dag->layout->centers[i].y) - d->top) / CELL;

      if (x < 0 || y < 0 || x >= across || y >= down)
        continue;
      {
        gsize cell = (gsize) y * across + (gsize) x;

        stage[cell] = d->dag->nodes[i].stage;
        most = MAX (most, ++count[cell]);
      }
    }
  for (guint row = 0; row < down; row++)
    {
      TsLink link = { TS_LINK_DENSE, 0, (gint16) MIN (row, (guint) G_MAXINT16), -1, -1, -1, 0, row, row + 1 };
      guint sum = 0;
      TsColumn *columns;

      for (guint c = 0; c < across; c++)
        sum += count[(gsize) row * across + c];
      if (sum == 0)
        continue;
      link.count = (gint32) sum;
      ts_scene_begin (d->scene, &link, NULL);
      columns = ts_scene_strip (d->scene, 0, d->top + row * CELL, across * CELL, CELL - 1, across);
      for (guint c = 0; c < across; c++)
        if (count[(gsize) row * across + c] > 0)
          {
            gint32 s = stage[(gsize) row * across + c];

            columns[c] = (TsColumn) { s >= 0 ? ts_theme_stage_color (d->theme, s) : d->theme->outline,
                                      (guint8) (80 + 175 * count[(gsize) row * across + c] / most) };
          }
      ts_scene_end (d->scene);
    }
}

/* --- frame
 * ---------------------------------------------------------------------------------------------------------------------------- */

static void
place (DagDrawing *d)
{
  const TsDagView *view = d->view;
  double gw = d->dag->layout->width, gh = d->dag->layout->height;
  double head = view->title != NULL ? 40 : 0;
  double foot = (view->legend ? LEGEND_HEIGHT : 0) + (view->caption != NULL ? 22 : 0);
  double width = view->width, height = view->height;

  d->zoom = view->zoom > 0 ? view->zoom : 1;
  if (width <= 0)
    width = MAX (gw * d->zoom + 2 * MARGIN, view->legend || view->title != NULL ? 560 : 0);
  if (view->fit && view->width > 0 && gw > 0)
    d->zoom = MIN (1.0, (width - 2 * MARGIN) / gw);
  if (height <= 0)
    height = gh * d->zoom + 2 * MARGIN + head + foot;
  if (view->fit && gw > 0 && gh > 0)
    d->zoom = MAX (MIN (d->zoom, (height - 2 * MARGIN - head - foot) / gh), 1e-3);
  d->top = head;
  d->bottom = height - foot;
  d->x = MARGIN - view->pan_x * d->zoom;
  d->y = head + MARGIN - view->pan_y * d->zoom;
  if (view->fit || view->width <= 0)
    {
      d->x = (width - gw * d->zoom) / 2;
      d->y = head + (d->bottom - d->top - gh * d->zoom) / 2;
    }
  ts_scene_reset (d->scene, width, MAX (height, 1), d->theme->background);
}

static double
legend_edge (const DagDrawing *d, double x, double y, TsPaint paint, const char *words)
{
  TsTextStyle style = { TS_FONT_SMALL, TS_WEIGHT_NORMAL, d->theme->text_soft, TS_ANCHOR_START };
  double room = d->scene->width - MARGIN - x - 32;

  if (ts_measure (d->measurer, words, style.size, style.weight) > room)
    return x;
  ts_scene_line (d->scene, x, y - 3, x + 26, y - 3, paint);
  return x + 32 + ts_put_text (d->scene, d->measurer, x + 32, y, room, style, words) + 16;
}

static double
legend_shape (const DagDrawing *d, double x, double y, TsLane lane)
{
  TsTextStyle style = { TS_FONT_SMALL, TS_WEIGHT_NORMAL, d->theme->text_soft, TS_ANCHOR_START };
  TsDagNode node = { .lane = (guint8) lane };
  double room = d->scene->width - MARGIN - x - 26;

  if (ts_measure (d->measurer, ts_lane_name (lane), style.size, style.weight) > room)
    return x;
  paint_shape (d, &node, x, y - 9, 20, 12, (TsPaint) { .fill = d->theme->background, .stroke = d->theme->outline });
  return x + 26 + ts_put_text (d->scene, d->measurer, x + 26, y, room, style, ts_lane_name (lane)) + 14;
}

static void
draw_legend (const DagDrawing *d)
{
  guint kinds = 0, lanes = 0;
  gboolean binding = FALSE, carried = FALSE;
  double x = MARGIN, y = d->bottom + LEGEND_HEIGHT - 10;

  for (guint e = 0; e < d->dag->n_edges; e++)
    {
      kinds |= 1u << d->dag->edges[e].kind;
      binding |= d->dag->edges[e].binding;
      carried |= d->dag->edges[e].carried;
    }
  for (guint i = 0; i < d->dag->n_nodes; i++)
    lanes |= 1u << d->dag->nodes[i].lane;
  for (guint lane = 0; lane < TS_N_LANES; lane++)
    if ((lanes >> lane & 1) != 0)
      x = legend_shape (d, x, y, (TsLane) lane);
  for (guint kind = 0; kind < TS_N_EDGE_KINDS; kind++)
    if ((kinds >> kind & 1) != 0)
      {
        TsDagEdge edge = { .kind = (guint8) kind };
        TsPaint paint = edge_paint (d, &edge);

        paint.arrow = FALSE;
        paint.stroke = kind == TS_EDGE_VALUE ? d->theme->edge : paint.stroke;
        paint.width = 1.2f;
        x = legend_edge (d, x, y, paint, _ (ts_edge_look ((TsEdgeKind) kind)->words));
      }
  if (carried)
    x = legend_edge (d, x, y, (TsPaint) { .stroke = d->theme->edge_soft, .dash = TS_DASH_DOTTED }, _ ("to the next iteration"));
  if (binding)
    legend_edge (d, x, y, (TsPaint){ .stroke = d->theme->alert, .width = 1.8f, .dash = TS_DASH_DASHED },
                 _ ("binds in the simulation"));
}

static void
draw_frame (const DagDrawing *d)
{
  const TsDagView *view = d->view;
  TsTextStyle strong = { TS_FONT_TITLE, TS_WEIGHT_BOLD, d->theme->text, TS_ANCHOR_START };
  TsTextStyle soft = { TS_FONT_SIZE, TS_WEIGHT_NORMAL, d->theme->text_soft, TS_ANCHOR_START };
  double room = d->scene->width - 2 * MARGIN, used;

  if (view->title != NULL)
    {
      used = ts_put_text (d->scene, d->measurer, MARGIN, 26, room, strong, view->title) + 12;
      if (view->subtitle != NULL)
        ts_put_text (d->scene, d->measurer, MARGIN + used, 26, room - used, soft, view->subtitle);
    }
  if (view->legend)
    draw_legend (d);
  if (view->caption != NULL)
    ts_put_text (d->scene, d->measurer, MARGIN, d->scene->height - 8, room, soft, view->caption);
}

/* What is not shown is said: in the corner of the graph. */
static void
draw_notice (const DagDrawing *d, gboolean edges_left_out)
{
  TsTextStyle style = { TS_FONT_SMALL, TS_WEIGHT_NORMAL, d->theme->text_soft, TS_ANCHOR_START };
  g_autofree char *words = NULL;
  double width;

  if (d->dag->n_hidden > 0)
    words = g_strdup_printf (_ ("%u operations are not shown: fold loops or look at a neighbourhood"), d->dag->n_hidden);
  else if (edges_left_out)
    words = g_strdup (_ ("edges are drawn from closer by"));
  else if (d->dag->n_nodes == 0)
    words = g_strdup (_ ("no operations"));
  if (words == NULL)
    return;
  width = ts_measure (d->measurer, words, style.size, style.weight);
  if (width + 24 > d->scene->width)
    return;
  ts_scene_rect (d->scene, 8, d->bottom - 22, width + 12, 18, (TsPaint) { .fill = d->theme->background, .stroke = d->theme->outline,
                                                                         .radius = 3 });
  ts_put_text (d->scene, d->measurer, 14, d->bottom - 9, 0, style, words);
}

void
ts_dag_scene (const TsDag *dag, const TsDagView *view, const TsTheme *theme, TsMeasurer *measurer, TsScene *scene)
{
  DagDrawing d = { .dag = dag, .view = view, .theme = theme, .measurer = measurer, .scene = scene };
  guint seen = 0, edges = 0;
  gboolean crowd, all_edges;

  d.selected = view->selected_op >= 0 ? ts_dag_node_of (dag, view->selected_op) : -1;
  place (&d);
  {
    g_autofree char *name = g_strdup_printf (_ ("Dependencies of %s: %u operations"), view->title != NULL ? view->title : "",
                                             dag->n_nodes);

    ts_scene_set_name (scene, name);
  }
  for (guint i = 0; i < dag->n_nodes; i++)
    seen += in_sight (&d, dag->layout->centers[i].x - dag->nodes[i].width / 2, dag->layout->centers[i].y - dag->nodes[i].height / 2,
                      dag->nodes[i].width, dag->nodes[i].height);
  for (guint e = 0; e < dag->n_edges; e++)
    edges += edge_is_wanted (&d, &dag->edges[e]);
  crowd = seen > MAX_SHAPES;
  all_edges = !crowd && (seen < dag->n_nodes || edges <= MAX_EDGES);
  ts_scene_clip (scene, 0, d.top, scene->width, d.bottom - d.top);
  for (guint g = 0; g < dag->n_groups && !crowd; g++)
    draw_group (&d, g);
  if (crowd)
    draw_map (&d);
  draw_edges (&d, all_edges);
  for (guint i = 0; i < dag->n_nodes && !crowd; i++)
    if (in_sight (&d, dag->layout->centers[i].x - dag->nodes[i].width / 2, dag->layout->centers[i].y - dag->nodes[i].height / 2,
                  dag->nodes[i].width, dag->nodes[i].height))
      draw_node (&d, i);
  for (guint g = 0; g < dag->n_groups && !crowd; g++)
    draw_group_title (&d, g);
  draw_notice (&d, !all_edges && edges > 0);
  ts_scene_unclip (scene);
  draw_frame (&d);
}
