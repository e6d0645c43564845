/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures to test with: small schedules computed here, and large ones made up. */
#pragma once

#include "draw/bill-chart.h"
#include "draw/timeline.h"

typedef struct
{
  TsTimelineInput  input;
  GArray          *events;
  GPtrArray       *names;
  TsTimelineLane   lanes[8];
  TsTimelineLoop   loops[3];
  TsTimelineSpace  space;
  TsTimelineBytes *steps;
  GArray          *dep_start, *deps, *critical;
} Sample;

/* Two-stage load, exp, store over `iterations` iterations, in-order issue: the schedule of the teaching machine. */
Sample *sample_pingpong (guint iterations);
/* `n` events over five lanes, two in flight on the first: lengths and gaps from a fixed sequence. */
Sample *sample_large (guint n);
/* Names of every kind: long, Chinese, hostile; stages beyond the palette; every cause. */
Sample *sample_odd (void);
void    sample_free (Sample *sample);

/* A bill of eight passes with gains, losses, a pass without figures and one that failed. */
const TsBillBar *sample_bill (guint *n);

/* Compares a text with golden file NAME in the test's folder; with TS_UPDATE_GOLDEN set in the environment writes it instead. */
void    assert_golden (const char *name, const char *text);
