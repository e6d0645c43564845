/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line from outside: exit status, standard output, standard error. A row per case; `expected/NAME.out` is compared
 * byte for byte where a row says so (write them anew with TS_UPDATE_GOLDEN=1, then read what changed). */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "harness.h"

typedef struct
{
  const char *name;
  const char *args;     /* separated by blanks; @G golden folder, @T a fresh folder */
  gint        status;
  gboolean    golden;   /* standard output is expected/NAME.out */
  const char *out;      /* part of standard output, or NULL */
  const char *err;      /* part of standard error, or NULL */
  const char *input;    /* standard input, or NULL */
} Row;

#define DUMP "@G/kernels/dyn_copy/02_after_LowerPipelineToSlots.py"
#define PROGRAM \
  "# pypto.program: P\nimport pypto.language as pl\n\n@pl.program\nclass P:\n    @pl.function\n" \
  "    def f(self, a: pl.Scalar[pl.INDEX]):\n        b: pl.Scalar[pl.INDEX] = a\n"

/* A cube core that pushes four tiles, and vector cores that pop them. */
#define GROUP(pops, slots) \
  "# pypto.program: Kernel\n" \
  "import pypto.language as pl\n" \
  "\n" \
  "@pl.program\n" \
  "class Kernel:\n" \
  "    @pl.function(type=pl.FunctionType.AIC, level=pl.Level.AIC, role=pl.Role.SubWorker)\n" \
  "    def cube(z: pl.Out[pl.Tensor[[64, 16], pl.FP32]]):\n" \
  "        pl.system.aic_initialize_pipe(pl.const(0, pl.INT32), pl.const(0, pl.INT32), dir_mask=1, " \
  "slot_size=1024, slot_num=" slots ")\n" \
  "        s: pl.Tile[[16, 16], pl.FP32, pl.Mem.Acc] = pl.tile.create([16, 16], dtype=pl.FP32, " \
  "target_memory=pl.Mem.Acc)\n" \
  "        for i in pl.range(0, 4, 1):\n" \
  "            pl.tile.tpush_to_aiv(s, split=0)\n" \
  "    @pl.function(type=pl.FunctionType.AIV, level=pl.Level.AIV, role=pl.Role.SubWorker)\n" \
  "    def vector(z: pl.Out[pl.Tensor[[64, 16], pl.FP32]]):\n" \
  "        pl.system.aiv_initialize_pipe(pl.const(0, pl.INT32), pl.const(0, pl.INT32), dir_mask=1, " \
  "slot_size=1024, slot_num=" slots ")\n" \
  "        for i in pl.range(0, " pops ", 1):\n" \
  "            v: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.tpop_from_aic(split=0)\n" \
  "            e: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.exp(v)\n" \
  "            pl.system.tfree_to_aic(v, split=0)\n" \
  "            pl.tile.store(e, [i * 16, 0], z)\n" \
  "    @pl.function(type=pl.FunctionType.Group, level=pl.Level.CORE_GROUP, role=pl.Role.SubWorker)\n" \
  "    def main(self, z: pl.Out[pl.Tensor[[64, 16], pl.FP32]]):\n" \
  "        self.cube(z)\n" \
  "        self.vector(z)\n"

/* A pipeline in a pipeline, with room for a buffer or two of each tile. */
#define NESTED \
  "import pypto.language as pl\n\n@pl.function(type=pl.FunctionType.InCore)\n" \
  "def f(x: pl.Tensor[[384, 128], pl.FP32], y: pl.Out[pl.Tensor[[384, 128], pl.FP32]]):\n" \
  "    for k in pl.pipeline(0, 4, 2, stage=2):\n        for i in pl.pipeline(0, 2, 1, stage=2):\n" \
  "            t = pl.load(x, [(k + i) * 96, 0], [96, 128])\n            e = pl.recip(t)\n" \
  "            y = pl.store(e, [(k + i) * 96, 0], y)\n    return y\n"

#define LEFT_BY_RETURN \
  "import pypto.language as pl\n@pl.function(type=pl.FunctionType.InCore)\ndef main(x: pl.Tensor[[64, 128], pl.FP32], " \
  "y: pl.Out[pl.Tensor[[64, 128], pl.FP32]]) -> pl.Tensor[[64, 128], pl.FP32]:\n    for i in pl.pipeline(0, 8, 1, stage=2):\n" \
  "        t = pl.tile.load(x, [i, 0], [1, 128])\n        y = pl.tile.store(t, [i, 0], y)\n        return y\n    return y\n"

/* Names of which ConvertToSSA keeps the same part. */
#define CUT_NAMES \
  "import pypto.language as pl\n@pl.program\nclass P:\n    @pl.function(type=pl.FunctionType.InCore)\n    def main(self, " \
  "x: pl.Tensor[[64, 128], pl.FP32], block__size: pl.Scalar[pl.INDEX], block__rest: pl.Scalar[pl.INDEX]):\n" \
  "        for i in pl.range(0, block__size, 1):\n            t = pl.tile.load(x, [i, 0], [1, 128])\n" \
  "        for k in pl.range(0, block__rest, 1):\n            u = pl.tile.load(x, [k, 0], [1, 128])\n"

/* A launch of Triton IR whose private function stands first. */
#define LAUNCH \
  "tt.func private @helper(%p: !tt.ptr<f32>, %n: i32) {\n  %v = tt.load %p : !tt.ptr<f32>\n  tt.store %p, %v : !tt.ptr<f32>\n" \
  "  tt.return\n}\n" \
  "tt.func public @kernel(%p: !tt.ptr<f32>, %n: i32) {\n  %pid = tt.get_program_id x : i32\n" \
  "  %all = tt.get_num_programs x : i32\n  %i = arith.muli %pid, %n : i32\n  %j = arith.addi %i, %all : i32\n" \
  "  %q = tt.addptr %p, %j : !tt.ptr<f32>, i32\n  %v = tt.load %q : !tt.ptr<f32>\n  tt.store %q, %v : !tt.ptr<f32>\n" \
  "  tt.return\n}\n"

#define ENDLESS \
  "import pypto.language as pl\n\n@pl.function(type=pl.FunctionType.InCore)\n" \
  "def f(x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):\n" \
  "    while True:\n        t = pl.load(x, [0, 0], [64, 64])\n        y = pl.store(t, [0, 0], y)\n    return y\n"

static const Row rows[] = {
  /* wrong use: 2 */
  { "no-command", "", 2, FALSE, NULL, "Commands:", NULL },
  { "option-mask-too-high", "passes --format ttir - --passes graph-optimize{rule-mask=128}", 2, FALSE, NULL,
    "a number from 0 to 127 is needed", LAUNCH },
  { "option-no-flag", "passes --format ttir - --passes graph-optimize{square-form=1}", 2, FALSE, NULL, "true or false is needed",
    LAUNCH },
  { "option-no-number", "passes --format ttir - --passes graph-optimize{fail-after=-1}", 2, FALSE, NULL, "“fail-after”", LAUNCH },
  { "unknown-command", "frob", 2, FALSE, NULL, "there is no command “frob”", NULL },
  { "no-file", "simulate", 2, FALSE, NULL, "simulate takes FILE", NULL },
  { "two-files", "simulate sample:pingpong sample:carry", 2, FALSE, NULL, "simulate takes FILE", NULL },
  { "unknown-option", "simulate sample:pingpong --frob", 2, FALSE, NULL, "--frob", NULL },
  { "unknown-sample", "simulate sample:frob", 2, FALSE, NULL, "there are: pingpong", NULL },
  { "unknown-machine", "simulate sample:pingpong --machine frob", 2, FALSE, NULL, "frob", NULL },
  { "unknown-key", "simulate sample:pingpong --set frob=1", 2, FALSE, NULL, "frob", NULL },
  { "unknown-pass", "passes sample:pingpong --passes frob", 2, FALSE, NULL, "There is no pass “frob”", NULL },
  { "unknown-planner", "passes sample:pingpong --planner frob", 2, FALSE, NULL, "there is no planner “frob”", NULL },
  { "unknown-level", "passes sample:pingpong --verify frob", 2, FALSE, NULL, "“frob” is no level", NULL },
  { "unknown-format-of-file", "check " DUMP " --format frob", 2, FALSE, NULL, "Unknown format “frob”", NULL },
  { "unknown-snapshot", "simulate " DUMP " --passes none --snapshot 9", 2, FALSE, NULL, "there is no snapshot 9; there are 1",
    NULL },
  { "unknown-after", "simulate " DUMP " --passes none --after frob", 2, FALSE, NULL, "there is no snapshot after “frob”", NULL },
  { "unknown-function", "simulate " DUMP " --passes none --function frob", 2, FALSE, NULL, "There is no function “frob”", NULL },
  { "bad-define", "simulate " DUMP " -D n", 2, FALSE, NULL, "NAME=VALUE", NULL },
  { "twice-defined", "simulate " DUMP " -D n=1 -D n=2", 2, FALSE, NULL, "n is given twice: n=1 and n=2", NULL },
  { "joined-define", "simulate " DUMP " -Dn=1 -qDn=2", 2, FALSE, NULL, "n is given twice: n=1 and n=2", NULL },
  { "value-like-an-option", "simulate " DUMP " -D -Dn", 2, FALSE, NULL, "“-Dn” is not of the form NAME=VALUE", NULL },
  { "joined-behind-the-end", "check -- -Dn=1", 2, FALSE, NULL, "cannot open -Dn=1", NULL },
  { "range-outside", "export sample:pingpong --view timeline --range 100000000..100000001 -o @T/x.svg", 2, FALSE, NULL,
    "lies outside the run, which has cycles 0..", NULL },
  { "no-width", "export sample:pingpong --view timeline --width 0 -o @T/x.svg", 2, FALSE, NULL, "pixels from 16", NULL },
  { "no-scale", "export sample:pingpong --view timeline --scale 0 -o @T/x.png", 2, FALSE, NULL, "--scale goes from", NULL },
  { "missing-file-json", "simulate /nonexistent.py --json", 2, FALSE, "\"code\": \"input\"", "/nonexistent.py", NULL },
  { "no-snapshot-json", "simulate sample:pingpong --json --snapshot 99", 2, FALSE, "there is no snapshot 99",
    "no snapshot 99", NULL },
  { "no-pass-json", "simulate sample:pingpong --json --after frob", 2, FALSE, "\"code\": \"usage\"", "frob", NULL },
  { "usage-json", "simulate sample:pingpong --json --planner frob", 2, FALSE, "\"code\": \"usage\"", "frob", NULL },
  { "define-tensor", "simulate sample:pingpong -D x=3", 2, FALSE, NULL, "parameter x is no scalar", NULL },
  { "unknown-machine-json", "sweep sample:pingpong --json --machines frob", 2, FALSE, "\"code\": \"machine\"", "frob", NULL },
  { "bad-bound", "simulate " DUMP " --max-instructions -1", 2, FALSE, NULL, "--max-instructions", NULL },
  { "no-bound", "simulate " DUMP " --max-instructions 0", 2, FALSE, NULL, "--max-instructions", NULL },
  { "snapshot-below-0", "simulate " DUMP " --snapshot -1", 2, FALSE, NULL, "counts from 0", NULL },
  { "format-of-sample", "simulate sample:pingpong --format frob", 2, FALSE, NULL, "Unknown format “frob”", NULL },
  { "no-folder", "export sample:pingpong --view timeline -o /nonexistent/a.svg", 2, FALSE, NULL,
    "Cannot write /nonexistent/a.svg: No such file or directory", NULL },
  { "both-snapshots", "simulate " DUMP " --after frontend --snapshot 0", 2, FALSE, NULL, "exclude each other", NULL },
  { "print-and-steps", "passes " DUMP " --print --steps", 2, FALSE, NULL, "exclude each other", NULL },
  { "unknown-list", "list frob", 2, FALSE, NULL, "there is no list of “frob”", NULL },
  { "unknown-view", "export " DUMP " --view frob -o @T/x.svg", 2, FALSE, NULL, "there is no view “frob”", NULL },
  { "unknown-extension", "export " DUMP " --view timeline -o @T/x.doc", 2, FALSE, NULL, "svg pdf png", NULL },
  { "no-output", "export " DUMP " --view timeline", 2, FALSE, NULL, "-o OUT", NULL },
  { "bad-range", "export " DUMP " --view timeline --range 9..3 -o @T/x.svg", 2, FALSE, NULL, "range of cycles", NULL },
  { "bad-stages", "sweep " DUMP " --stages 4..1", 2, FALSE, NULL, "range of stage depths", NULL },
  { "missing-file", "check /nonexistent.py", 2, FALSE, "cannot be read", "/nonexistent.py", NULL },
  { "compare-without", "export " DUMP " --passes none --view compare -o @T/x.svg", 2, FALSE, NULL,
    "--with FILE or --with-after PASS", NULL },
  { "compare-missing", "export " DUMP " --view compare --with /nonexistent.py -o @T/x.svg", 2, FALSE, NULL, "/nonexistent.py",
    NULL },
  { "unwritable-folder", "passes " DUMP " -o /proc/nothing", 2, FALSE, NULL, "/proc/nothing", NULL },
  { "unwritable-file", "export " DUMP " --view timeline -o /proc/nothing/x.svg", 2, FALSE, NULL, "/proc/nothing", NULL },

  /* the input is at fault: 1 */
  { "empty", "check -", 1, FALSE, NULL, "there is nothing in this file", "" },
  { "prose", "check -", 1, FALSE, NULL, "neither a PyPTO kernel nor Triton IR", "Dear reader\n" },
  { "binary", "check /bin/true", 1, FALSE, NULL, "binary file", NULL },
  { "no-dumps", "check @T", 1, FALSE, NULL, "no dumps are in this folder", NULL },
  { "figure-of-others", "check -", 1, FALSE, NULL, "SVG figure", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>" },
  { "syntax-error", "check -", 1, FALSE, "<stdin>", "<stdin>:2:", "# pypto.program: P\nclass (((\n" },
  { "undefined-name", "check -", 1, FALSE, NULL, "undefined", PROGRAM "        c: pl.Scalar[pl.INDEX] = nowhere + 1\n" },
  { "several-errors", "check -", 1, FALSE, "2 errors", "nope2",
    PROGRAM "        c: pl.Scalar[pl.INDEX] = nope1\n        d: pl.Scalar[pl.INDEX] = nope2\n" },
  { "different", "diff " DUMP " @G/kernels/dyn_copy/03_after_LowerPipelineLoops.py", 1, TRUE, NULL, NULL, NULL },
  { "different-json", "diff - @G/kernels/dyn_copy/03_after_LowerPipelineLoops.py --json", 1, FALSE, "\"equal\": false", NULL,
    PROGRAM },
  { "different-quiet", "diff --quiet " DUMP " @G/kernels/dyn_copy/03_after_LowerPipelineLoops.py", 1, FALSE, "", NULL, NULL },
  { "no-map-of-triton", "export sample:scores --view memory -o @T/m.svg", 1, FALSE, NULL, "Triton IR names no buffers", NULL },
  { "no-map-yet", "export sample:collapse --after ConvertToSSA --view memory -o @T/m.svg", 1, FALSE, NULL,
    "the first that has them is the one after InitMemRef", NULL },
  { "no-map-of-that-function", "export @G/dumps/mix_scores --function main --view memory -o @T/m.svg", 1, FALSE,
    NULL, "tiles of “main_incore_0_aic” have", NULL },
  { "nothing-to-simulate", "simulate - --passes none", 1, FALSE, NULL, "cannot be simulated", PROGRAM },
  { "json-of-a-broken-file", "simulate - --json", 1, FALSE, "\"severity\": \"error\"", NULL, "# pypto.program: P\nclass (((\n" },

  { "several-programs", "check -", 1, FALSE, "1 error", "choose one by name",
    "import pypto.language as pl\n@pl.program\nclass A:\n    @pl.function\n    def f(self):\n        pass\n"
    "@pl.program\nclass B:\n    @pl.function\n    def f(self):\n        pass\n" },
  { "step-0", "check -", 1, FALSE, "1 error", "the step of a loop cannot be 0", USER ("pl.range(0, 4, 0)") },
  { "stage-0", "check -", 1, FALSE, "1 error", "pl.pipeline() stage must be >= 1", USER ("pl.pipeline(0, 4, 1, stage=0)") },
  { "says-beside-pass", "passes sample:collapse", 0, FALSE, "57 %  PH-MR-001 Vec", NULL, NULL },
  { "says-beside-pass-dsa", "passes sample:collapse --planner dsa-rp --set memory.vec=150000", 0, FALSE, "PH-DSA-001 Vec", NULL,
    NULL },
  { "says-beside-failed-pass", "passes sample:collapse --set memory.vec=50000", 1, FALSE,
    "70 %  memory-reuse-fallback Vec", "most is live in line 27", NULL },
  { "failed-says-capacity", "passes sample:collapse --set memory.vec=50000", 1, FALSE, "capacity Vec",
    "'t__ssa_v0' (49152 bytes), 't__ssa_v0_1' (49152 bytes)", NULL },
  { "says-in-json", "passes sample:collapse --json", 0, FALSE,
    "\"failed\": false,\n      \"diagnostics\": [\n        {\n          \"severity\": \"note\",", NULL, NULL },
  { "failed-pass", "passes sample:pingpong --set memory.vec=1024", 1, FALSE, "failed", "exceeds platform limit", NULL },
  { "failed-pass-simulated", "simulate sample:pingpong --set memory.vec=1024", 1, FALSE, NULL, "is what was there before", NULL },
  { "deadlock", "simulate - --passes none", 1, FALSE, NULL, "push number 5", GROUP ("5", "2") },
  { "deadlock-swept", "sweep - --passes none", 1, FALSE, "deadlock: vector0 waits", "push number 5", GROUP ("5", "2") },
  { "deadlock-swept-json", "sweep - --passes none --json", 1, FALSE, "\"problem\": \"deadlock", NULL, GROUP ("5", "2") },
  { "fifo-counts", "simulate - --passes none", 1, FALSE, NULL, "11:13: error: ", GROUP ("3", "2") },
  { "fifo-counts-named", "simulate - --passes none", 1, FALSE, NULL,
    "cube0 pushes 4 times (tile.tpush_to_aiv, line 11), vector0 pops 3 times (tile.tpop_from_aic, line 16)",
    GROUP ("3", "2") },
  { "no-slots", "simulate - --passes none", 1, FALSE, NULL, "8:9: error: slot_num is 0", GROUP ("4", "0") },
  { "fewer-than-no-slots", "simulate - --passes none --json", 1, FALSE, "slot_num is -1", NULL, GROUP ("4", "-1") },

  /* done: 0 */
  { "ttir-define-unknown", "simulate --format ttir - -D pid=1", 0, FALSE, "simulated", "-D pid=1 binds nothing", LAUNCH },
  { "ttir-define-known", "simulate --format ttir - -D program_id=1 -D num_programs=4 -D n=3 --json", 0, FALSE,
    "\"program_id\": 1", NULL, LAUNCH },
  { "ttir-public-first", "simulate --format ttir -", 0, FALSE, "kernel", NULL, LAUNCH },
  { "ttir-options-with-commas", "passes --format ttir - --passes graph-optimize{rule-mask=3,emit-remarks=true}", 0, FALSE,
    "GraphOptimize", NULL, LAUNCH },
  { "define-unknown", "simulate " DUMP " -D frob=1", 0, FALSE, "simulated", "-D frob=1 binds nothing", NULL },
  { "define-local", "check - -D c=4", 0, FALSE, "ok", "-D c=4 binds nothing: 'c' is a variable of",
    PROGRAM "        c: pl.Scalar[pl.INDEX] = 1\n" },
  { "define-unasked", "simulate sample:pingpong -D subblock_idx=1", 0, FALSE, "simulated", "does not ask for it", NULL },
  { "after-broken", "passes - --after UnrollLoops --print", 1, FALSE, NULL, "has errors",
    PROGRAM "        c: pl.Scalar[pl.INDEX] = nowhere + 1\n" },
  { "after-no-pass", "passes - --after NoSuchPass --print", 2, FALSE, NULL, "there is no snapshot after",
    PROGRAM "        c: pl.Scalar[pl.INDEX] = 1\n" },
  { "return-in-pipeline", "passes - --after LowerPipelineLoops --print", 0, FALSE, "in pl.pipeline(8, stage=2,",
    "'return' leaves a pipeline loop of 2 stages: its body is not copied", LEFT_BY_RETURN },
  { "define-cut", "simulate - -D block__size=7 -D block__rest=3 --quiet", 0, FALSE, "10 instructions", NULL, CUT_NAMES },
  { "define-known", "simulate " DUMP " -D block_idx=1 --quiet", 0, FALSE, "simulated", NULL, NULL },
  { "filled-in", "simulate - --machine teaching", 0, FALSE, "iterations filled in by period, 1 every", NULL,
    USER ("pl.range(0, 100000000, 1)") },
  { "too-long-bill", "passes - --machine teaching", 0, FALSE, "frontend                    input        -       -",
    "no cycles for AllocateMemoryAddr", USER ("pl.range(0, 9223372036854775807, 1)") },
  { "branch-memory", "simulate - --machine teaching --json -D flag=1", 0, FALSE, "\"high_water\": 33792", NULL,
    "import pypto.language as pl\n@pl.function(type=pl.FunctionType.InCore)\n"
    "def f(x: pl.Tensor[[128, 64], pl.FP32], y: pl.Out[pl.Tensor[[128, 64], pl.FP32]], flag: pl.Scalar[pl.INDEX]):\n"
    "    t = pl.load(x, [0, 0], [16, 16])\n    if flag == 0:\n        u = pl.load(x, [0, 0], [128, 64])\n"
    "        y = pl.store(u, [0, 0], y)\n    y = pl.store(t, [0, 0], y)\n    return y\n" },
  { "endless-loop", "simulate - --machine teaching", 0, FALSE, "simulated", NULL, USER ("pl.range(0, 1000000000000, 1)") },
  { "help", "--help", 0, FALSE, "Exit status:", NULL, NULL },
  { "version", "--version", 0, FALSE, "tilescope-cli ", NULL, NULL },
  { "help-passes", "passes --help", 0, FALSE, "Examples:", NULL, NULL },
  { "help-simulate", "simulate --help", 0, FALSE, "Examples:", NULL, NULL },
  { "help-export", "export --help", 0, FALSE, "Examples:", NULL, NULL },
  { "sweep-no-machine", "sweep sample:pingpong --machines=", 2, FALSE, NULL, "leaves out a name", NULL },
  { "sweep-machine-left-out", "sweep sample:pingpong --machines teaching,,ascend910b", 2, FALSE, NULL, "leaves out a name", NULL },
  { "deadlock-efficiency", "simulate - --passes none --json", 1, FALSE, "\"efficiency\": null", NULL, GROUP ("5", "2") },
  { "verbose-intervals", "simulate sample:pingpong --machine teaching --verbose", 0, FALSE, "pipe  interval\n", NULL, NULL },
  { "help-sweep", "sweep --help", 0, FALSE, "Examples:", NULL, NULL },
  { "help-diff", "diff --help", 0, FALSE, "Examples:", NULL, NULL },
  { "help-check", "check --help", 0, FALSE, "Examples:", NULL, NULL },
  { "help-list", "list --help", 0, FALSE, "Examples:", NULL, NULL },
  { "equal", "diff " DUMP " @G/kernels/dyn_copy/01_after_SkewCrossCorePipeline.py", 0, FALSE, "", NULL, NULL },
  { "check-ok", "check -", 0, FALSE, "<stdin>", NULL, PROGRAM },
  { "check-report", "check - --verbose", 0, FALSE, "IR Verification Report\n0 errors, 0 warnings\n\nStatus: passed\n", NULL,
    PROGRAM },
  { "ssa-function", "passes - --passes lower-pipeline-loops --verify full --verbose", 1, FALSE, NULL,
    "    a: pl.Scalar[pl.INDEX] = 3", PROGRAM "        a: pl.Scalar[pl.INDEX] = 3\n" },
  { "list-kernels", "list kernels", 0, FALSE, "sample:collapse", NULL, NULL },
  { "list-rules", "list rules", 0, FALSE, "LoadStoreTranspose", NULL, NULL },
  { "list-views", "list views", 0, FALSE, "timeline", NULL, NULL },
  { "list-passes", "list passes", 0, FALSE, "lower-pipeline-loops", NULL, NULL },
  { "list-ops", "list ops", 0, FALSE, "tile.matmul_acc", NULL, NULL },
  { "list-machines", "list machines", 0, TRUE, NULL, NULL, NULL },
  { "list-machines-verbose", "list machines --verbose", 0, FALSE, "teaching", NULL, NULL },
  { "print", "passes " DUMP " --passes lower-pipeline-loops --print", 0, TRUE, NULL, NULL, NULL },
  { "print-after", "passes " DUMP " --passes lower-pipeline-loops,canonicalize-io-order --after LowerPipelineLoops --print", 0,
    TRUE, NULL,
    NULL, NULL },
  { "steps", "passes " DUMP " --passes lower-pipeline-loops --steps", 0, FALSE,
    "{\"pass\": \"LowerPipelineLoops\", \"function\": \"dyn\"", NULL,
    NULL },
  { "worked-example", "passes " EXAMPLE " --passes canonicalize-io-order --steps", 0, TRUE, NULL, NULL, NULL },
  { "summary", "passes sample:pingpong --machine teaching", 0, TRUE, NULL, NULL, NULL },
  { "summary-cut", "passes - --machine teaching --max-instructions 1000", 0, FALSE, "  >",
    "instructions; --max-instructions N sets the bound", ENDLESS },
  { "summary-endless", "passes - --machine teaching", 0, FALSE, "  >", "(>) were cut, after at most",
    ENDLESS },
  { "simulate", "simulate sample:pingpong --machine teaching --after CanonicalizeIOOrder", 0, TRUE, NULL, NULL, NULL },
  { "simulate-collapsed", "simulate sample:collapse", 0, FALSE,
    "stages 0 and 1 of group 0 share 49152 bytes of mem_vec_2, since MemoryReuse (step ",
    NULL, NULL },
  { "simulate-live", "simulate sample:collapse --verbose", 0, FALSE, "core0  Vec           5    27      147456", NULL, NULL },
  { "simulate-nested", "simulate - --machine ascend910b", 0, FALSE,
    "of group 1 share 49152 bytes of mem_vec_3, since MemoryReuse (step ", NULL,
    NESTED },
  { "simulate-changes", "simulate sample:pingpong --machine teaching --after CanonicalizeIOOrder --verbose", 0, FALSE,
    "against the snapshot before", NULL, NULL },
  { "failed-pass-before", "simulate sample:pingpong --set memory.vec=1024 --after MemoryReuse", 0, FALSE, "cycles", NULL, NULL },
  { "simulate-assumed", "simulate " DUMP " --passes none --machine teaching", 0, FALSE, "assumed", NULL, NULL },
  { "simulate-cut", "simulate sample:pingpong --max-instructions 5", 0, FALSE, "the stream was cut", "5", NULL },
  { "sweep", "sweep sample:pingpong --stages 1..3 --machines teaching", 0, TRUE, NULL, NULL, NULL },
  { "sweep-csv", "sweep sample:pingpong --stages 2 --machines teaching --csv", 0, FALSE, "machine,stages,cycles", NULL, NULL },
  { "group", "simulate - --passes none", 0, FALSE, "vector1", NULL, GROUP ("4", "2") },
  { "group-cut", "simulate - --passes none --max-instructions 9", 0, FALSE, "(the stream was cut)", "vector0 stops after",
    GROUP ("4", "2") },
  { "sweep-cut", "sweep sample:pingpong --stages 2 --machines teaching --max-instructions 5", 0, FALSE, "the stream was cut",
    "stream-cut", NULL },
  { "sweep-cut-json", "sweep sample:pingpong --stages 2 --max-instructions 5 --json", 0, FALSE, "\"truncated\": true", NULL, NULL },
  { "folder", "passes @G/kernels/dyn_copy --machine teaching", 0, TRUE, NULL, "kernel.py is not named like a dump", NULL },
};

static void
compare_golden (const char *name, const char *text)
{
  g_autofree char *file = g_strconcat (name, ".out", NULL), *path
    = g_test_build_filename (G_TEST_DIST, "cli", "expected", file, NULL);
  g_autofree char *expected = NULL;

  if (g_getenv ("TS_UPDATE_GOLDEN") != NULL)
    g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_true (g_file_get_contents (path, &expected, NULL, NULL));
  g_assert_cmpstr (text, ==, expected);
}

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  Result result;

  run_cli (row->args, row->input, &result);
  if (result.status != row->status)
    g_test_message ("standard error: %s", result.err);
  g_assert_cmpint (result.status, ==, row->status);
  if (row->golden)
    {
      /* The place of the golden folder is not part of what is expected. */
      g_autoptr (GString) out = g_string_new (result.out);

      g_string_replace (out, g_getenv ("TS_TEST_GOLDEN"), "@G", 0);
      compare_golden (row->name, out->str);
    }
  if (row->out != NULL && *row->out == '\0')
    g_assert_cmpstr (result.out, ==, "");
  else if (row->out != NULL)
    {
      g_test_message ("%s", result.out);
      g_assert_nonnull (strstr (result.out, row->out));
    }
  if (row->err != NULL)
    {
      g_test_message ("%s", result.err);
      g_assert_nonnull (strstr (result.err, row->err));
    }
  result_clear (&result);
}

/* --- files ------------------------------------------------------------------------------------------------------------------- */

static void
assert_same_files (const char *a, const char *b)
{
  g_autofree char *text_a = NULL, *text_b = NULL;

  g_assert_true (g_file_get_contents (a, &text_a, NULL, NULL));
  g_assert_true (g_file_get_contents (b, &text_b, NULL, NULL));
  g_assert_cmpstr (text_a, ==, text_b);
}

/* Our dump folder has the reference's files, byte for byte, and opens again. */
static void
test_dumps (void)
{
  static const char *const passes[] = { "LowerPipelineLoops", "CanonicalizeIOOrder" };
  Result result, again;

  run_cli ("passes " DUMP " --passes lower-pipeline-loops,canonicalize-io-order -o @T/out/deep", NULL, &result);
  g_assert_cmpint (result.status, ==, 0);
  g_assert_cmpstr (result.out, ==, "");
  for (guint i = 0; i < G_N_ELEMENTS (passes); i++)
    {
      g_autofree char *ours = g_strdup_printf ("%s/out/deep/%02u_after_%s.py", result.folder, i + 1, passes[i]);
      g_autofree char *theirs = g_strdup_printf ("%s/kernels/dyn_copy/%02u_after_%s.py", g_getenv ("TS_TEST_GOLDEN"), i + 3,
                                                 passes[i]);

      assert_same_files (ours, theirs);
    }
  g_autofree char *args = g_strdup_printf ("passes %s/out/deep", result.folder);
  run_cli (args, NULL, &again);
  g_assert_cmpint (again.status, ==, 0);
  g_assert_nonnull (strstr (again.out, "CanonicalizeIOOrder"));
  result_clear (&again);
  result_clear (&result);
}

/* A pass that fails leaves the snapshots before it, and a log that says why. */
static void
test_failed_dumps (void)
{
  g_autofree char *log = NULL, *reuse = NULL, *text = NULL;
  Result result;

  run_cli ("passes sample:pingpong --set memory.vec=1024 -o @T/out", NULL, &result);
  g_assert_cmpint (result.status, ==, 1);
  log = g_build_filename (result.folder, "out", "12_failed.log", NULL);
  reuse = g_build_filename (result.folder, "out", "11_after_MemoryReuse.py", NULL);
  g_assert_true (g_file_test (reuse, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_get_contents (log, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "exceeds platform limit"));
  result_clear (&result);
  g_clear_pointer (&log, g_free);
  g_clear_pointer (&text, g_free);

  /* What did not verify is reported as a whole. */
  run_cli ("passes - --passes lower-pipeline-loops --verify full -o @T/out", PROGRAM "        a: pl.Scalar[pl.INDEX] = 3\n",
           &result);
  g_assert_cmpint (result.status, ==, 1);
  log = g_build_filename (result.folder, "out", "01_failed.log", NULL);
  g_assert_true (g_file_get_contents (log, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "IR Verification Report\n1 error, 0 warnings\n\n1. error: SSAVerify: Variable 'a' is defined"));
  g_assert_nonnull (strstr (text, "    a: pl.Scalar[pl.INDEX] = 3\n"));
  g_assert_nonnull (strstr (text, "\nStatus: failed\n"));
  result_clear (&result);
}

/* What is said of the memory of a snapshot that has MemRefs: by space, by stage, and of stages that share. */
static void
test_memory_json (void)
{
  static const char *const members[] = { "space",    "high_water", "capacity", "reserved",        "buffers",
                                         "live_max", "live",       "stages",   "collapsed_stages" };
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonObject *memory, *entry;
  JsonArray *live;
  Result result;

  run_cli ("simulate sample:collapse --json", NULL, &result);
  g_assert_cmpint (result.status, ==, 0);
  memory = json_array_get_object_element (json_object_get_array_member (json_of (result.out, parser), "memory"), 0);
  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    {
      g_test_message ("%s", members[i]);
      g_assert_true (json_object_has_member (memory, members[i]));
    }
  g_assert_cmpint (json_object_get_int_member (memory, "buffers"), ==, 3);
  g_assert_cmpint (json_object_get_int_member (memory, "live_max"), ==, 147456);
  live = json_object_get_array_member (memory, "live");
  entry = json_array_get_object_element (live, 0);
  g_assert_cmpint (json_object_get_int_member (entry, "bytes"), ==, 49152);
  g_assert_cmpint (json_object_get_int_member (entry, "statement"), ==, 1);
  entry = json_array_get_object_element (live, json_array_get_length (live) - 1);
  g_assert_cmpint (json_object_get_int_member (entry, "bytes"), ==, 0);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (memory, "stages")), ==, 2);
  entry = json_array_get_object_element (json_object_get_array_member (memory, "stages"), 1);
  g_assert_cmpint (json_object_get_int_member (entry, "stage"), ==, 1);
  g_assert_cmpint (json_object_get_int_member (entry, "buffers"), ==, 2);
  g_assert_cmpint (json_object_get_int_member (entry, "bytes"), ==, 98304);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (memory, "collapsed_stages")), ==, 1);
  entry = json_array_get_object_element (json_object_get_array_member (memory, "collapsed_stages"), 0);
  g_assert_cmpstr (json_object_get_string_member (entry, "base"), ==, "mem_vec_2");
  g_assert_cmpstr (json_object_get_string_member (entry, "since"), ==, "MemoryReuse");
  g_assert_cmpstr (json_object_get_string_member (entry, "rule"), ==, "stages 0 and 1 of group 0: depth 1 of 2");
  g_assert_cmpint (json_object_get_int_member (entry, "step"), >, 0);
  result_clear (&result);
}

/* The form that cli.md promises: these members, sums that add up. */
static void
test_simulate_json (void)
{
  static const char *const members[] = { "format", "version", "kernel", "machine", "snapshot", "clock_ghz", "makespan",
                                         "instructions",
                                         "truncated", "bindings", "diagnostics", "bounds", "overlap", "pipes", "loops", "memory",
                                         "critical_path", "events" };
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonObject *object;
  JsonArray *pipes;
  Result result;

  run_cli ("simulate sample:pingpong --machine teaching --json", NULL, &result);
  g_assert_cmpint (result.status, ==, 0);
  object = json_of (result.out, parser);
  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    {
      g_test_message ("%s", members[i]);
      g_assert_true (json_object_has_member (object, members[i]));
    }
  g_assert_cmpstr (json_object_get_string_member (object, "format"), ==, "tilescope-simulation");
  g_assert_cmpint (json_array_get_length (json_object_get_array_member (object, "events")), ==,
                   json_object_get_int_member (object, "instructions"));
  pipes = json_object_get_array_member (object, "pipes");
  for (guint i = 0; i < json_array_get_length (pipes); i++)
    {
      JsonObject *pipe = json_array_get_object_element (pipes, i), *idle = json_object_get_object_member (pipe, "idle");
      g_autoptr (GList) causes = json_object_get_members (idle);
      gint64 sum = json_object_get_int_member (pipe, "busy");

      for (GList *cause = causes; cause != NULL; cause = cause->next)
        sum += json_object_get_int_member (idle, cause->data);
      g_assert_cmpint (sum, ==, json_object_get_int_member (object, "makespan"));
    }
  result_clear (&result);
}

static void
test_trace (void)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autofree char *path = NULL, *text = NULL;
  JsonArray *events;
  Result result;
  guint bars = 0;

  run_cli ("simulate sample:pingpong --machine teaching --trace @T/trace.json", NULL, &result);
  g_assert_cmpint (result.status, ==, 0);
  path = g_build_filename (result.folder, "trace.json", NULL);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  events = json_object_get_array_member (json_of (text, parser), "traceEvents");
  for (guint i = 0; i < json_array_get_length (events); i++)
    {
      JsonObject *event = json_array_get_object_element (events, i);

      if (strcmp (json_object_get_string_member (event, "ph"), "X") != 0)
        continue;
      bars++;
      g_assert_true (json_object_has_member (event, "ts") && json_object_has_member (event, "dur"));
      g_assert_true (json_object_has_member (event, "pid") && json_object_has_member (event, "tid"));
    }
  g_assert_cmpuint (bars, >, 10);
  result_clear (&result);
}

/* Every view as SVG: well-formed, ids unique, real text; and the other formats by their first bytes. */
static void
test_views (void)
{
  static const struct { const char *args, *part; } views[] = {
    { "--view timeline", "mte-in" },
    { "--view dag", "exp" },
    { "--view fold", "interval" },
    { "--view memory", "Vec" },
    { "--view passes", "MemoryReuse" },
    { "--view compare --with-after CanonicalizeIOOrder", "4060" },
    { "--view compare --with sample:carry", "carry" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    {
      g_autofree char *args = g_strdup_printf ("export sample:pingpong --machine teaching %s -o @T/a.svg", views[i].args), *path
        = NULL, *text = NULL;
      g_autoptr (GHashTable) ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      g_autoptr (GRegex) regex = g_regex_new (" id=\"([^\"]*)\"", 0, 0, NULL);
      g_autoptr (GMatchInfo) match = NULL;
      Result result;

      run_cli (args, NULL, &result);
      g_test_message ("%s %s", views[i].args, result.err);
      g_assert_cmpint (result.status, ==, 0);
      path = g_build_filename (result.folder, "a.svg", NULL);
      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      g_assert_nonnull (strstr (text, views[i].part));
      g_assert_nonnull (strstr (text, "</svg>\n"));
      for (g_regex_match (regex, text, 0, &match); g_match_info_matches (match); g_match_info_next (match, NULL))
        {
          char *id = g_match_info_fetch (match, 1);

          g_test_message ("%s", id);
          g_assert_true (g_hash_table_add (ids, id));
        }
      result_clear (&result);
    }
}

/* The chain that matters: the gap names the buffer and the pass, the map the shared slot and the step; in nested pipelines too. */
static void
test_collapse_figures (void)
{
  static const struct { const char *args, *input, *parts[4]; } figures[] = {
    { "export sample:collapse --view timeline -o @T/a.svg", NULL,
      { "waits for the buffer to be read", "through mem_vec_2, since MemoryReuse", ">W mem_vec_2</text>",
        "W waits for the buffer to be read: mem_vec_2, since MemoryReuse</text>" } },
    { "export sample:collapse --view timeline --width 320 -o @T/a.svg", NULL,
      { "W waits for the buffer to be read</text>", ">W mem_vec_2, since MemoryReuse</text>" } },
    { "export sample:collapse --view memory -o @T/a.svg", NULL,
      { "stages 0 and 1 share mem_vec_2, since MemoryReuse", ": mem_vec_5 goes into mem_vec_2, stages 0 and 1 of group 0",
        "PH-MR-001" } },
    { "export sample:collapse --view memory --width 320 -o @T/a.svg", NULL,
      { ">stages 0 and 1 share,</text>", ">since MemoryReuse</text>", ">stages share bytes</text>", ">capacity</text>" } },
    { "export - --view timeline -o @T/a.svg", NESTED,
      { "through mem_vec_2, since MemoryReuse", ">since MemoryReuse</text>", "stage 0 of group 0 in stage 1 of group 1" } },
    { "export - --view memory -o @T/a.svg", NESTED,
      { "group 1: stages 0 and 1 share mem_vec_2, mem_vec_3, mem_vec_4", "g1 s1 · g0 s0", "stages 0 and 1 of group 1 share" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (figures); i++)
    {
      g_autofree char *path = NULL, *text = NULL;
      Result result;

      run_cli (figures[i].args, figures[i].input, &result);
      g_assert_cmpint (result.status, ==, 0);
      path = g_build_filename (result.folder, "a.svg", NULL);
      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      for (guint k = 0; k < G_N_ELEMENTS (figures[i].parts) && figures[i].parts[k] != NULL; k++)
        {
          g_test_message ("%s: %s", figures[i].args, figures[i].parts[k]);
          g_assert_nonnull (strstr (text, figures[i].parts[k]));
        }
      result_clear (&result);
    }
}

static void
test_formats (void)
{
  static const struct { const char *view, *extension, *head; } formats[] = {
    { "timeline", "png", "\x89PNG" }, { "timeline", "pdf", "%PDF" }, { "timeline", "csv", "id,core," }, { "timeline", "json", "{" },
    { "dag", "dot", "digraph" },       { "passes", "pdf", "%PDF" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autofree char *args = g_strdup_printf ("export sample:pingpong --view %s -o @T/a.%s", formats[i].view,
                                               formats[i].extension);
      g_autofree char *file = g_strconcat ("a.", formats[i].extension, NULL), *path = NULL, *text = NULL;
      Result result;

      run_cli (args, NULL, &result);
      /* fontconfig keeps memory to the end, which a leak checker reports; what counts is the file. */
      path = g_build_filename (result.folder, file, NULL);
      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      g_assert_true (g_str_has_prefix (text, formats[i].head));
      result_clear (&result);
    }
}

/* A figure leads back to its input, snapshot and machine. */
static void
test_reopen (void)
{
  g_autofree char *args = NULL;
  Result result, again;

  run_cli ("export sample:pingpong --machine teaching --after CanonicalizeIOOrder --view timeline -o @T/a.svg", NULL, &result);
  g_assert_cmpint (result.status, ==, 0);
  args = g_strdup_printf ("simulate %s/a.svg", result.folder);
  run_cli (args, NULL, &again);
  g_assert_cmpint (again.status, ==, 0);
  compare_golden ("simulate", again.out);
  result_clear (&again);
  result_clear (&result);
}

/* A folder with two broken files: the one asked for is shown as it is, and only its diagnostics; the others are a count. */
static void
test_broken_snapshots (void)
{
  static const char good[] = "# pypto.program: P\nimport pypto.language as pl\n\n@pl.program\nclass P:\n    @pl.function\n"
                             "    def f(self, n: pl.Scalar[pl.INDEX]):\n        pass\n";
  static const char bad[] = "# pypto.program: P\nimport pypto.language as pl\nclass (((\nas it is\n";
  static const char *const names[] = { "00_frontend.py", "01_after_UnrollLoops.py", "02_after_Simplify.py" };
  static const struct { const char *args; gint status; const char *out, *err, *not_err; } runs[] = {
    { "passes %s --print --snapshot 1", 1, bad, "01_after_UnrollLoops.py:3", "02_after_Simplify.py:3" },
    { "passes %s --print --snapshot 2", 1, bad, "02_after_Simplify.py:3", "01_after_UnrollLoops.py:3" },
    { "passes %s --print --snapshot 0", 0, good, "2 other files of the folder have errors", "error:" },
    { "passes %s --print --after Nothing", 2, "", "there is no snapshot after", NULL },
    { "passes %s", 1, NULL, "01_after_UnrollLoops.py:3", NULL },
  };
  g_autofree char *folder = g_dir_make_tmp ("tilescope-XXXXXX", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      g_assert_true (g_file_set_contents (path, i == 0 ? good : bad, -1, NULL));
    }
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      g_auto (GStrv) parts = g_strsplit (runs[i].args, "%s", 2);
      g_autofree char *args = g_strconcat (parts[0], folder, parts[1], NULL);
      Result result;

      run_cli (args, NULL, &result);
      g_assert_cmpint (result.status, ==, runs[i].status);
      if (runs[i].out != NULL)
        g_assert_cmpstr (result.out, ==, runs[i].out);
      g_assert_nonnull (strstr (result.err, runs[i].err));
      g_assert_true (runs[i].not_err == NULL || strstr (result.err, runs[i].not_err) == NULL);
      result_clear (&result);
    }
  remove_tree (folder);
}

/* The reader closes the pipe after the first line: no error. */
static void
test_closed_pipe (void)
{
  const char *argv[] = { "/bin/sh", "-c", "{ \"$TS_CLI\" list ops; echo status $? >&2; } | head -n 1", NULL };
  g_autofree char *out = NULL, *err = NULL;
  gint status;

  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, &err, &status, NULL));
  g_assert_nonnull (strstr (err, "status 0"));
  g_assert_null (strstr (err, "tilescope-cli:"));
}

static void
test_full_disk (void)
{
  const char *argv[] = { "/bin/sh", "-c", "\"$TS_CLI\" list ops > /dev/full; echo status $?", NULL };
  g_autofree char *out = NULL, *err = NULL;
  gint status;

  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, &err, &status, NULL));
  g_assert_cmpstr (out, ==, "status 2\n");
  g_assert_nonnull (strstr (err, "cannot write"));
}

/* It runs where no display and no GTK is. */
static void
test_no_gtk (void)
{
  const char *argv[] = { "ldd", g_getenv ("TS_CLI"), NULL };
  g_autofree char *out = NULL;
  gint status;

  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, NULL, &status, NULL));
  g_assert_nonnull (strstr (out, "libglib-2.0"));
  g_assert_null (strstr (out, "libgtk"));
  g_assert_null (strstr (out, "libadwaita"));
}

/* A machine in the user's data folder is one like any other; a broken one is told by name and hides nothing. */
static void
test_user_machines (void)
{
  g_autofree char *home = g_dir_make_tmp ("tilescope-XXXXXX", NULL), *old = g_strdup (g_getenv ("XDG_DATA_HOME"));
  g_autofree char *folder = g_build_filename (home, "tilescope", "machines", NULL);
  g_autofree char *mine = g_build_filename (folder, "mine.machine", NULL);
  g_autofree char *broken = g_build_filename (folder, "broken.machine", NULL);
  g_autofree char *namesake = g_build_filename (folder, "teaching.machine", NULL);
  g_autofree char *source = g_test_build_filename (G_TEST_DIST, "..", "data", "machines", "teaching.machine", NULL);
  g_autofree char *text = NULL, *by_path = g_strdup_printf ("simulate sample:pingpong --json --machine %s", mine);
  const struct { const char *args; gint status; const char *out, *err; } runs[] = {
    { "list machines", 0, "mine", NULL },
    { "list machines --verbose", 0, "mine, 1 GHz", NULL },
    { "list machines --json", 0, "\"name\": \"mine\"", NULL },
    { "simulate sample:pingpong --machine mine", 0, "on mine, simulated", NULL },
    { by_path, 0, "mine.machine", NULL },
    { "sweep sample:pingpong --stages 2 --machines teaching,mine", 0, "mine", NULL },
    { NULL, 0, NULL, NULL }, /* from here on there is a broken one */
    { "list machines", 2, "mine", "broken.machine: [core] clock: missing" },
    { "list machines --json", 2, "broken.machine: [core] clock: missing", NULL },
    { "simulate sample:pingpong --machine broken", 2, NULL, "broken.machine: [core] clock: missing" },
    { "simulate sample:pingpong --machine broken --json", 2, "broken.machine: [memory] vec: missing", NULL },
    { NULL, 0, NULL, NULL }, /* and one that a shipped machine hides */
    { "list machines", 0, "mine", "teaching.machine is not used: teaching is a shipped machine" },
    { "list machines --json", 0, "\"code\": \"hidden-machine\"", NULL },
    { "simulate sample:pingpong --machine teaching", 0, "on teaching", "teaching.machine is not used" },
  };
  guint changes = 0;

  g_assert_true (g_file_get_contents (source, &text, NULL, NULL));
  g_assert_cmpint (g_mkdir_with_parents (folder, 0755), ==, 0);
  g_assert_true (g_file_set_contents (mine, text, -1, NULL));
  g_setenv ("XDG_DATA_HOME", home, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      Result result;

      if (runs[i].args == NULL)
        {
          if (changes++ == 0)
            g_assert_true (g_file_set_contents (broken, "[core]\n", -1, NULL));
          else
            g_assert_true (g_remove (broken) == 0 && g_file_set_contents (namesake, text, -1, NULL));
          continue;
        }
      run_cli (runs[i].args, NULL, &result);
      g_assert_cmpint (result.status, ==, runs[i].status);
      g_assert_true (runs[i].out == NULL || strstr (result.out, runs[i].out) != NULL);
      g_assert_true (runs[i].err == NULL || strstr (result.err, runs[i].err) != NULL);
      g_assert_true (runs[i].err == NULL || strstr (strstr (result.err, runs[i].err) + 1, runs[i].err) == NULL); /* said once */
      result_clear (&result);
    }
  if (old != NULL)
    g_setenv ("XDG_DATA_HOME", old, TRUE);
  else
    g_unsetenv ("XDG_DATA_HOME");
  remove_tree (home);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions (); /* every row is tried */
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strconcat ("/cli/", rows[i].name, NULL);

      g_test_add_data_func (path, &rows[i], test_row);
    }
  g_test_add_func ("/cli/files/dumps", test_dumps);
  g_test_add_func ("/cli/files/failed-dumps", test_failed_dumps);
  g_test_add_func ("/cli/files/simulate-json", test_simulate_json);
  g_test_add_func ("/cli/files/memory-json", test_memory_json);
  g_test_add_func ("/cli/files/trace", test_trace);
  g_test_add_func ("/cli/files/views", test_views);
  g_test_add_func ("/cli/files/formats", test_formats);
  g_test_add_func ("/cli/files/collapse-figures", test_collapse_figures);
  g_test_add_func ("/cli/files/reopen", test_reopen);
  g_test_add_func ("/cli/files/broken-snapshots", test_broken_snapshots);
  g_test_add_func ("/cli/closed-pipe", test_closed_pipe);
  g_test_add_func ("/cli/full-disk", test_full_disk);
  g_test_add_func ("/cli/no-gtk", test_no_gtk);
  g_test_add_func ("/cli/user-machines", test_user_machines);
  return g_test_run ();
}
