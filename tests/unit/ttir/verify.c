/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verifier of Triton IR: what must hold beyond the syntax, with the place of the error. Source: spec ttir section 7. */
#include <string.h>

#include "base/diag.h"
#include "base/intern.h"
#include "ir/op-info.h"
#include "ir/verify.h"
#include "lang/ttir/ttir.h"

#define REDUCE(args, tail, type)                                                                                                   \
  "%r = \"tt.reduce\"(%t) <{axis = 0 : i32}> ({\n^bb0(" args "):\n" tail "\n}) : (tensor<8xf32>) -> " type

#define SCAN(element, reverse, type) \
  "%sc = \"tt.scan\"(%t) <{axis = 0 : i32, " reverse "}> ({\n^bb0(%a: " element ", %b2: " element \
  "):\ntt.scan.return %a : " element "\n}) : (tensor<8xf32>) -> " type

#define SLICE(offset, stride, size)                                                                                                \
  "%x = tensor.extract_slice %t[" offset "] [" size "] [" stride "] : tensor<8xf32> to tensor<4xf32>"

/* Bodies of a function; `line` counts from the first line of the body, 0: not looked at. `code` NULL: no error. */
static const struct
{
  const char *body, *code;
  guint       line;
} rows[] = {
  { "", NULL, 0 },
  /* 1: operands are defined, dominate their uses, and have the stated type */
  { "%a = arith.addi %b, %n : i32\n%b = arith.constant 1 : i32", "dominance", 1 },
  { "scf.if %c {\n%b = arith.constant 1 : i32\n}\n%d = \"u.v\"() ({\n%e = arith.addi %n, %n : i32\n}) : () -> i32", NULL, 0 },
  /* 2: terminators */
  { "cf.br ^bb1\n^bb1:\n%a = arith.constant 1 : i32\ncf.br ^bb2\n^bb2:", NULL, 0 },
  { "tt.return\n%a = arith.constant 1 : i32", "terminator", 1 },
  { "scf.if %c {\ntt.return\n}", "terminator", 2 },
  { "\"scf.if\"(%c) ({\n%a = arith.constant 1 : i32\n}) : (i1) -> ()", "terminator", 2 },
  { "%x = scf.if %c -> (i32) {\nscf.yield %n : i32\n} else {\nscf.yield %f : f32\n}", "terminator", 4 },
  { "%x = scf.if %c -> (i32) {\nscf.yield %n : i32\n}", "type", 1 },
  { "%x = scf.for %i = %n to %n step %n iter_args(%a = %f) -> (f32) : i32 {\nscf.yield %n : i32\n}", "terminator", 2 },
  { "%x = scf.for %i = %n to %n step %n iter_args(%a = %f) -> (f32) : i32 {\nscf.yield\n}", "terminator", 2 },
  { "%w = scf.while (%u = %n) : (i32) -> i32 {\nscf.condition(%c) %u : i32\n} do {\n^bb0(%v: i32):\nscf.yield %v : i32\n}",
    NULL, 0 },
  { "%w = scf.while (%u = %n) : (i32) -> i32 {\nscf.condition(%c) %f : f32\n} do {\n^bb0(%v: i32):\nscf.yield %v : i32\n}",
    "terminator", 2 },
  { "%w = scf.while (%u = %n) : (i32) -> i32 {\nscf.condition(%c) %u : i32\n} do {\n^bb0(%v: i32):\nscf.yield %f : f32\n}",
    "terminator", 5 },
  { "%w = scf.while (%u = %n) : (i32) -> i32 {\nscf.yield %u : i32\n} do {\n^bb0(%v: i32):\nscf.yield %v : i32\n}",
    "terminator", 2 },
  { "cf.cond_br %c, ^bb1, ^bb2(%n : i32)\n^bb1:\ncf.br ^bb2(%n : i32)\n^bb2(%x: i32):", NULL, 0 },
  { "cf.br ^bb1(%f : f32)\n^bb1(%x: i32):", "terminator", 1 },
  { "cf.br ^bb1\n^bb1(%x: i32):", "terminator", 1 },
  { "\"x.y\"()[^bb1] : () -> ()\n^bb1:", NULL, 0 }, /* what no table knows may end a block */
  /* 3: binary, unary, select */
  { "%x = arith.select %c, %n, %n : i32", NULL, 0 },
  { "%x:3 = arith.addi %n, %n : i32", "type", 1 },
  { "%x, %y = tt.get_program_id x : i32", "type", 1 },
  { "%x = scf.if %c -> (i32) {\n} else {\nscf.yield %n : i32\n}", "terminator", 1 }, /* what is implied has a place */
  /* elements, each refused and taken */
  { "%x = arith.addf %n, %n : i32", "type", 1 },
  { "%x = arith.addf %f, %f : f32", NULL, 0 },
  { "%x = arith.addi %t, %t : tensor<8xf32>", "type", 1 },
  { "%x = arith.andi %c, %c : i1", NULL, 0 },
  { "%x = arith.cmpf oeq, %n, %n : i32", "type", 1 },
  { "%x = arith.cmpi eq, %f, %f : f32", "type", 1 },
  { "%x = arith.extsi %n : i32 to i16", "type", 1 },
  { "%x = arith.extui %c : i1 to i32", NULL, 0 },
  { "%x = arith.trunci %n : i32 to i64", "type", 1 },
  { "%x = arith.trunci %n : i32 to i1", NULL, 0 },
  { "%x = arith.extf %f : f32 to f16", "type", 1 },
  { "%x = arith.extf %f : f32 to f64", NULL, 0 },
  { "%x = arith.truncf %f : f32 to f64", "type", 1 },
  { "%x = arith.truncf %t : tensor<8xf32> to tensor<8xbf16>", NULL, 0 },
  { "%x = arith.sitofp %t : tensor<8xf32> to tensor<8xf32>", "type", 1 },
  { "%x = arith.uitofp %c : i1 to f32", NULL, 0 },
  { "%x = arith.fptosi %f : f32 to f32", "type", 1 },
  { "%x = arith.fptoui %f : f32 to i8", NULL, 0 },
  { "%x = arith.bitcast %n : i32 to i64", "type", 1 },
  { "%x = arith.bitcast %n : i32 to f32", NULL, 0 },
  { "%x = math.exp %n : i32", "type", 1 },
  { "%x = math.absi %f : f32", "type", 1 },
  { "tt.assert %n, \"x\" : i32", "type", 1 },
  { "tt.assert %c, \"x\" : i1", NULL, 0 },
  { "%x = tt.addptr %pt, %t : tensor<8x!tt.ptr<f32>>, tensor<8xf32>", "type", 1 },
  { "%x = tt.atomic_rmw fadd, acq_rel, gpu, %p, %n : (!tt.ptr<f32>, i32) -> f32", "type", 1 },
  { "%x = tt.atomic_rmw fadd, acq_rel, gpu, %p, %f : (!tt.ptr<f32>, f32) -> f32", NULL, 0 },
  { "%x = tt.atomic_cas acq_rel, gpu, %p, %n, %n : (!tt.ptr<f32>, i32, i32) -> f32", "type", 1 },
  { "%x = tt.join %t, %t : tensor<8xf32> -> tensor<16xf32>", "type", 1 },
  { "%x = tt.join %t, %t : tensor<8xf32> -> tensor<8x2xf32>", NULL, 0 },
  { "%x, %y = tt.split %t : tensor<8xf32> -> tensor<4xf32>", "type", 1 },
  /* 4: make_range */
  { "%x = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<7xi32>", "type", 1 },
  { "%x = tt.make_range {end = 0 : i32, start = 0 : i32} : tensor<0xi32>", "type", 1 },
  { "%x = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi64>", "type", 1 },
  /* 5: expand_dims, broadcast, splat, reshape */
  { "%x = tt.expand_dims %t {axis = 0 : i32} : tensor<8xf32> -> tensor<8x1xf32>", "type", 1 },
  { "%x = tt.expand_dims %t {axis = 5 : i32} : tensor<8xf32> -> tensor<8x1xf32>", "type", 1 },
  { "%x = tt.broadcast %t : tensor<8xf32> -> tensor<8x4xf32>", "type", 1 },
  { "%x = tt.broadcast %t : tensor<8xf32> -> tensor<16xf32>", "type", 1 },
  { "%x = tt.splat %n : i32 -> tensor<8xf32>", "type", 1 },
  { "%x = tt.reshape %t : tensor<8xf32> -> tensor<9xf32>", "type", 1 },
  /* 6: trans */
  { "%x = tt.trans %t {order = array<i32: 1>} : tensor<8xf32> -> tensor<8xf32>", "type", 1 },
  { "%x = tt.trans %m {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<4x8xf32>", "type", 1 },
  /* 7: addptr, load, store */
  { "%x = tt.addptr %pt, %n : tensor<8x!tt.ptr<f32>>, i32", "type", 1 },
  { "%x = tt.load %pt, %c : tensor<8x!tt.ptr<f32>>", "type", 1 },
  { "tt.store %p, %n : !tt.ptr<f32>", "type", 1 },
  { "tt.store %pt, %f : tensor<8x!tt.ptr<f32>>", "type", 1 },
  /* results of operations no table knows: unknown until another operation states them */
  { "%u = my.op : tensor<8xf32>\ntt.store %pt, %u : tensor<8x!tt.ptr<f32>>", NULL, 0 },
  { "%u = my.op : f32\ntt.store %p, %u : !tt.ptr<f32>", NULL, 0 },
  { "%u = my.op : tensor<8xi1>\ntt.store %pt, %t, %u : tensor<8x!tt.ptr<f32>>", NULL, 0 },
  { "%u = my.op : tensor<8xi1>\n%x = tt.load %pt, %u : tensor<8x!tt.ptr<f32>>", NULL, 0 },
  { "%u = my.op : i1\n%x = tt.load %p, %u, %f : !tt.ptr<f32>", NULL, 0 },
  { "%k = my.m\n%u = my.op : tensor<8xf32>\n%x = tt.load %pt, %k, %u : tensor<8x!tt.ptr<f32>>", NULL, 0 },
  { "%b = my.p : !tt.ptr<tensor<8xf32>>\n%u = my.op\ntt.store %b, %u : !tt.ptr<tensor<8xf32>>", NULL, 0 },
  { "%u = my.op : tensor<8xi32>\n%x = arith.addi %u, %u : tensor<8xi32>\ntt.store %pt, %u : tensor<8x!tt.ptr<f32>>", "type", 3 },
  { "%u = \"my.op\"() : () -> !tt.tensordesc<tensor<8xf32>>\ntt.store %pt, %u : tensor<8x!tt.ptr<f32>>", "type", 2 },
  /* 3 again: casts, products, constants, element-wise calls */
  { "%x = arith.index_cast %n : i32 to index", NULL, 0 },
  { "%x = arith.index_cast %n : i32 to i64", "type", 1 },
  { "%x = arith.index_castui %x0 : index to index", "type", 1 },
  { "%x = arith.addi %wide, %wide : i128", NULL, 0 },
  { "%x = arith.addf %wide, %wide : i128", "type", 1 },
  { "%x = arith.addi %x0, %x0 : index", NULL, 0 },
  { "%x = arith.extsi %x0 : index to i64", "type", 1 },
  { "%x = arith.extsi %n : i32 to tensor<8xi64>", "type", 1 },
  { "%x = arith.select %msk, %t, %t : tensor<8xi1>, tensor<8xf32>", NULL, 0 },
  { "%x = arith.select %msk, %m, %m : tensor<8xi1>, tensor<4x8xf32>", "type", 1 },
  { "%x = arith.select %ints, %t, %t : tensor<8xi32>, tensor<8xf32>", "type", 1 },
  { "%x, %y = arith.mului_extended %n, %n : i32", NULL, 0 },
  { "%x, %y = arith.mulsi_extended %f, %f : f32", "type", 1 },
  { "%x, %y = arith.mului_extended %f, %f : f32", "type", 1 },
  { "%x = \"arith.mulsi_extended\"(%n, %n) : (i32, i32) -> i32", "type", 1 },
  { "%x, %y = arith.addui_extended %n, %n : i32, i1", NULL, 0 },
  { "%x, %y = arith.addui_extended %n, %n : i32, i32", "type", 1 },
  { "%x, %y = arith.addui_extended %ints, %ints : tensor<8xi32>, i1", "type", 1 },
  { "%x = \"arith.cmpi\"(%n, %n) <{predicate = 10 : i64}> : (i32, i32) -> i1", "type", 1 },
  { "%x = \"arith.cmpf\"(%f, %f) <{predicate = 16 : i64}> : (f32, f32) -> i1", "type", 1 },
  { "%x = arith.constant true : i32", "type", 1 },
  { "%x = arith.constant dense<1> : tensor<4xi32>", NULL, 0 },
  { "%x = arith.constant [1, 2] : tensor<2xi64>", "type", 1 },
  { "%x = arith.constant 5 : ui8", "type", 1 },
  { "%x = arith.constant 5 : i128", NULL, 0 },
  { "%x = \"arith.constant\"() : () -> i32", "type", 1 },
  { "%x = \"arith.constant\"() <{value = 1 : i64}> : () -> i32", "type", 1 },
  { "%x = tt.extern_elementwise %t, %f {libname = \"\", libpath = \"\", pure = true, symbol = \"s\"} : (tensor<8xf32>, f32) -> "
    "tensor<8xf32>",
    NULL, 0 },
  { "%x = tt.extern_elementwise %t {pure = true} : (tensor<8xf32>) -> tensor<4xf32>", "type", 1 },
  { "%x = tt.extern_elementwise %f {pure = true} : (f32) -> tensor<4xf32>", "type", 1 },
  { "%x = tt.extern_elementwise %f {pure = 1 : i32} : (f32) -> f32", "type", 1 },
  { "%x, %y = tt.extern_elementwise %f {pure = true} : (f32) -> (f32, f32)", "type", 1 },
  { "%x:2 = tt.elementwise_inline_asm \"a\" {pure = true} %ints : tensor<8xi32> -> tensor<8xi32>, tensor<4xi32>", "type", 1 },
  { "%x = tt.elementwise_inline_asm \"a\" {pure = true} %ints : tensor<8xi32> -> i32", "type", 1 },
  { "%x = tt.mulhiui %f, %f : f32", "type", 1 },
  { "%x = tt.precise_sqrt %n : i32", "type", 1 },
  { "%x = tt.precise_divf %n, %n : i32", "type", 1 },
  { "%x = tt.clampf %n, %n, %n, propagateNan = none : i32", "type", 1 },
  { "%x = tt.fp_to_fp %n : i32 -> f32", "type", 1 },
  { "%x = tt.fp_to_fp %t : tensor<8xf32> -> f16", "type", 1 },
  { "%x = tt.fp_to_fp %t, rounding = rtne : tensor<8xf32> -> tensor<8xf16>", NULL, 0 },
  { "%x = tt.get_program_id x : i64", "type", 1 },
  { "%x = tt.get_num_programs x : f32", "type", 1 },
  { "%x = \"tt.get_program_id\"() <{axis = 3 : i32}> : () -> i32", "type", 1 },
  { "tt.print \"x\" {hex = false} : %n : i32", NULL, 0 },
  { "\"tt.print\"(%n) <{prefix = 3 : i32}> : (i32) -> ()", "type", 1 },
  { "\"tt.assert\"(%c) : (i1) -> ()", "type", 1 },
  { "llvm.intr.assume %n : i32", "type", 1 },
  { "\"gpu.barrier\"(%n) : (i32) -> ()", "type", 1 },
  /* counts: a name of the table in a generic form that its own syntax cannot say */
  { "%x = \"arith.addi\"(%n) : (i32) -> i32", "type", 1 },
  { "%x = \"arith.addi\"(%n, %n, %n) : (i32, i32, i32) -> i32", "type", 1 },
  { "%x:2 = \"arith.addi\"(%n, %n) : (i32, i32) -> (i32, i64)", "type", 1 },
  { "%x = \"arith.addi\"(%n, %n) ({\n}) : (i32, i32) -> i32", "type", 1 },
  { "\"cf.br\"() : () -> ()", "type", 1 },
  { "\"cf.cond_br\"(%c) : (i1) -> ()", "type", 1 },
  { "\"cf.cond_br\"(%n)[^bb1, ^bb1] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()\n^bb1:", "type", 1 },
  { "%x = \"scf.for\"(%n, %n, %n) : (i32, i32, i32) -> i32", "type", 1 },
  { "%x = scf.for %i = %f to %f step %f iter_args(%a = %f) -> (f32) : f32 {\nscf.yield %a : f32\n}", "type", 1 },
  { "\"scf.for\"(%n, %n, %long) ({\n^bb0(%i: i32):\n\"scf.yield\"() : () -> ()\n}) : (i32, i32, i64) -> ()", "type", 1 },
  { "\"scf.if\"(%n) ({\n\"scf.yield\"() : () -> ()\n}) : (i32) -> ()", "type", 1 },
  { "%x = \"scf.while\"(%n) ({\n}) : (i32) -> i32", "type", 1 },
  { "%x = scf.while (%u = %n) : (i32) -> i32 {\nscf.condition(%c) %u : i32\n} do {\n^bb0(%v: f32):\nscf.yield %n : i32\n}",
    "type", 1 },
  { "%x = scf.while (%u = %n) : (i32) -> i32 {\nscf.condition(%c) %u : i32\n} do {\nscf.yield %n : i32\n}", "type", 1 },
  { "%x = scf.while (%u = %n) : (i32) -> i32 {\n\"scf.condition\"(%n, %u) : (i32, i32) -> ()\n} do {\n^bb0(%v: i32):\n"
    "scf.yield %v : i32\n}",
    "type", 2 },
  { "\"tt.call\"(%n) : (i32) -> ()", "type", 1 },
  { "%x = \"tt.load\"(%p, %f) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!tt.ptr<f32>, f32) -> f32", NULL, 0 },
  { "%x = \"tt.load\"(%p, %n) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!tt.ptr<f32>, i32) -> f32", "type", 1 },
  /* 5 again: what no tensor is */
  { "%x = tt.splat %n : i32 -> i32", "type", 1 },
  { "%x = tt.splat %t : tensor<8xf32> -> tensor<8xf32>", "type", 1 },
  { "%x = tt.expand_dims %n {axis = 0 : i32} : i32 -> tensor<1xi32>", "type", 1 },
  { "%x = tt.expand_dims %t {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xi32>", "type", 1 },
  { "%x = tt.broadcast %n : i32 -> i32", "type", 1 },
  { "%x = tt.broadcast %t : tensor<8xf32> -> tensor<8xi32>", "type", 1 },
  { "%x = tt.reshape %n : i32 -> i32", "type", 1 },
  { "%x = tt.reshape %t : tensor<8xf32> -> tensor<2x4xi32>", "type", 1 },
  { "%x = tt.trans %m {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xi32>", "type", 1 },
  { "%x = tt.trans %m {order = array<i32: 1, 1>} : tensor<4x8xf32> -> tensor<8x8xf32>", "type", 1 },
  { "%x = tt.cat %t, %t : tensor<8xf32> -> tensor<16xf32>", NULL, 0 },
  { "%x = tt.cat %t, %t : tensor<8xf32> -> tensor<8xf32>", "type", 1 },
  { "%x = tt.cat %t, %t : tensor<8xf32> -> tensor<16xi32>", "type", 1 },
  { "%x = tt.cat %n, %n : i32 -> tensor<2xi32>", "type", 1 },
  { "%x, %y = tt.split %m : tensor<4x8xf32> -> tensor<4xf32>", "type", 1 },
  { "%x = tt.histogram %t : tensor<8xf32> -> tensor<4xi32>", "type", 1 },
  { "%x = tt.histogram %ints : tensor<8xi32> -> tensor<2x4xi32>", "type", 1 },
  { "%x = tt.histogram %ints, %c : tensor<8xi32> -> tensor<4xi32>", "type", 1 },
  { "%x = tt.histogram %ints, %msk : tensor<8xi32> -> tensor<4xi32>", NULL, 0 },
  { "%x = tt.gather %t[%ints] {axis = 0 : i32} : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xf32>", NULL, 0 },
  { "%x = tt.gather %t[%ints] {axis = 1 : i32} : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xf32>", "type", 1 },
  { "%x = tt.gather %t[%t] {axis = 0 : i32} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>", "type", 1 },
  { "%x = tt.gather %t[%ints] {axis = 0 : i32} : (tensor<8xf32>, tensor<8xi32>) -> tensor<4xf32>", "type", 1 },
  { "%x = tt.gather %t[%ints] {axis = 0 : i32} : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xi32>", "type", 1 },
  { "%x = tt.gather %m[%ints] {axis = 0 : i32} : (tensor<4x8xf32>, tensor<8xi32>) -> tensor<8xf32>", "type", 1 },
  { "%x = tt.make_range {end = 8 : i32} : tensor<8xi32>", "type", 1 },
  /* 7 again: pointers */
  { "%x = tt.addptr %n, %n : i32, i32", "type", 1 },
  { "%x = tt.addptr %blk, %n : !tt.ptr<tensor<4x8xf32>>, i32", "type", 1 },
  { "%x = tt.load %blk {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<4x8xf32>>", NULL, 0 },
  { "%x = tt.load %blk {boundaryCheck = array<i32: 2>} : !tt.ptr<tensor<4x8xf32>>", "type", 1 },
  { "%x = tt.load %blk {boundaryCheck = array<i32: 1, 1>} : !tt.ptr<tensor<4x8xf32>>", "type", 1 },
  { "%x = tt.load %blk {boundaryCheck = array<i32: 0, 1, 2>} : !tt.ptr<tensor<4x8xf32>>", "type", 1 },
  { "%x = tt.load %pt {boundaryCheck = array<i32: 1>} : tensor<8x!tt.ptr<f32>>", "type", 1 },
  { "%x = tt.load %blk {boundaryCheck = array<i32: 0>, padding = 3 : i32} : !tt.ptr<tensor<4x8xf32>>", "type", 1 },
  { "%x = tt.load %p {isVolatile = 1 : i32} : !tt.ptr<f32>", "type", 1 },
  { "tt.store %blk, %m {boundaryCheck = array<i32: -1>} : !tt.ptr<tensor<4x8xf32>>", "type", 1 },
  { "tt.store %blk, %t : !tt.ptr<tensor<4x8xf32>>", "type", 1 },
  { "tt.store %blk, %m, %c : !tt.ptr<tensor<4x8xf32>>", "type", 1 },
  { "%x = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i32>", NULL, 0 },
  { "%x = tt.bitcast %p : !tt.ptr<f32> -> i64", "type", 1 },
  { "%x = tt.bitcast %t : tensor<8xf32> -> tensor<8xi64>", "type", 1 },
  { "%x = tt.bitcast %t : tensor<8xf32> -> tensor<2x4xi32>", "type", 1 },
  { "%x = tt.int_to_ptr %long : i64 -> !tt.ptr<f32>", NULL, 0 },
  { "%x = tt.int_to_ptr %n : i32 -> !tt.ptr<f32>", "type", 1 },
  { "%x = tt.int_to_ptr %long : i64 -> f32", "type", 1 },
  { "%x = tt.int_to_ptr %long : i64 -> tensor<8x!tt.ptr<f32>>", "type", 1 },
  { "%x = tt.ptr_to_int %pt : tensor<8x!tt.ptr<f32>> -> tensor<8xi64>", NULL, 0 },
  { "%x = tt.ptr_to_int %p : !tt.ptr<f32> -> i32", "type", 1 },
  { "%x = tt.ptr_to_int %n : i32 -> i64", "type", 1 },
  { "%x = tt.atomic_rmw fadd, acq_rel, gpu, %blk, %m : (!tt.ptr<tensor<4x8xf32>>, tensor<4x8xf32>) -> tensor<4x8xf32>", "type", 1 },
  { "%x = tt.atomic_rmw fadd, acq_rel, gpu, %pt, %t, %c : "
    "(tensor<8x!tt.ptr<f32>>, tensor<8xf32>, i1) -> tensor<8xf32>",
    "type", 1 },
  { "%x = tt.atomic_rmw fadd, acq_rel, gpu, %p, %f : (!tt.ptr<f32>, f32) -> i32", "type", 1 },
  { "%x = tt.make_tensor_ptr %p, [%long, %long], [%long, %long], [%n, %n] {order = array<i32: 1, 0>} : "
    "!tt.ptr<tensor<4x8xf32>>",
    NULL, 0 },
  { "%x = tt.make_tensor_ptr %p, [%n, %long], [%long, %long], [%n, %n] {order = array<i32: 1, 0>} : "
    "!tt.ptr<tensor<4x8xf32>>",
    "type", 1 },
  { "%x = tt.make_tensor_ptr %p, [%long, %long], [%long, %n], [%n, %n] {order = array<i32: 1, 0>} : "
    "!tt.ptr<tensor<4x8xf32>>",
    "type", 1 },
  { "%x = tt.make_tensor_ptr %p, [%long, %long], [%long, %long], [%n, %long] {order = array<i32: 1, 0>} : "
    "!tt.ptr<tensor<4x8xf32>>",
    "type", 1 },
  { "%x = tt.make_tensor_ptr %p, [%long], [%long], [%n] {order = array<i32: 0>} : !tt.ptr<tensor<4x8xf32>>", "type", 1 },
  { "%x = tt.make_tensor_ptr %p, [%long, %long], [%long, %long], [%n, %n] {order = array<i32: 1, 1>} : "
    "!tt.ptr<tensor<4x8xf32>>",
    "type", 1 },
  { "%x = tt.make_tensor_ptr %p, [%long, %long], [%long, %long], [%n, %n] {order = array<i32: 1>} : "
    "!tt.ptr<tensor<4x8xf32>>",
    "type", 1 },
  { "%x = tt.make_tensor_ptr %p, [%long], [%long], [%n] {order = array<i32: 0>} : !tt.ptr<tensor<8xi32>>", "type", 1 },
  { "%x = tt.make_tensor_ptr %n, [%long], [%long], [%n] {order = array<i32: 0>} : !tt.ptr<tensor<8xi32>>", "type", 1 },
  { "%x = tt.make_tensor_ptr %p, [%long], [%long], [%n] {order = array<i32: 0>} : !tt.ptr<f32>", "type", 1 },
  { "%x = tt.advance %blk, [%n, %n] : !tt.ptr<tensor<4x8xf32>>", NULL, 0 },
  { "%x = tt.advance %blk, [%n] : !tt.ptr<tensor<4x8xf32>>", "type", 1 },
  { "%x = tt.advance %blk, [%n, %long] : !tt.ptr<tensor<4x8xf32>>", "type", 1 },
  { "%x = tt.advance %p, [%n] : !tt.ptr<f32>", "type", 1 },
  { "%x = \"tt.advance\"(%blk, %n, %n) : (!tt.ptr<tensor<4x8xf32>>, i32, i32) -> !tt.ptr<tensor<8xf32>>", "type", 1 },
  /* 8: dot */
  { "%x = tt.dot %m, %t, %t : tensor<4x8xf32> * tensor<8xf32> -> tensor<8xf32>", "type", 1 },
  { "%k = arith.constant dense<1.0> : tensor<9x4xf32>\n%z = arith.constant dense<0.0> : tensor<4x4xf32>\n"
    "%x = tt.dot %m, %k, %z : tensor<4x8xf32> * tensor<9x4xf32> -> tensor<4x4xf32>",
    "type", 3 },
  /* 9: reduce */
  { REDUCE ("%a: f32, %b: f32", "tt.reduce.return %a : f32", "f32"), NULL, 0 },
  { REDUCE ("%a: f32, %b: f32", "tt.reduce.return %n : i32", "f32"), "terminator", 3 },
  { REDUCE ("%a: f32, %b: f32", "tt.scan.return %a : f32", "f32"), "terminator", 3 },
  { REDUCE ("%a: f32", "tt.reduce.return %a : f32", "f32"), "type", 1 },
  { REDUCE ("%a: f32, %b: f32", "tt.reduce.return %a : f32", "tensor<1xf32>"), "type", 1 },
  { "%r = \"tt.reduce\"(%t) <{axis = 1 : i32}> ({\n^bb0(%a: f32, %b: f32):\ntt.reduce.return %a : f32\n}) : (tensor<8xf32>) -> f32",
    "type", 1 },
  { REDUCE ("%a: i32, %b: f32", "tt.reduce.return %b : f32", "f32"), "type", 1 },
  { REDUCE ("%a: f32, %b: tensor<8xf32>", "tt.reduce.return %a : f32", "f32"), "type", 1 },
  { REDUCE ("%a: f32, %b: f32", "tt.reduce.return %a : f32", "i32"), "type", 1 },
  { "%r2:2 = \"tt.reduce\"(%t, %m) <{axis = 0 : i32}> ({\n^bb0(%a: f32, %b2: f32, %d: f32, %e: f32):\n"
    "tt.reduce.return %a, %b2 : f32, f32\n}) : (tensor<8xf32>, tensor<4x8xf32>) -> (f32, tensor<8xf32>)",
    "type", 1 },
  { SCAN ("f32", "reverse = false", "tensor<8xf32>"), NULL, 0 },
  { SCAN ("f32", "reverse = 1 : i32", "tensor<8xf32>"), "type", 1 },
  { SCAN ("f32", "reverse = false", "f32"), "type", 1 },
  { SCAN ("f32", "reverse = false", "tensor<8xi32>"), "type", 1 },
  { SCAN ("i32", "reverse = false", "tensor<8xf32>"), "type", 1 },
  { "%r2 = \"tt.scan\"(%t) <{axis = 0 : i32}> ({\n^bb0(%a: f32, %d: f32):\ntt.scan.return %n : i32\n}) : (tensor<8xf32>) -> "
    "tensor<8xf32>",
    "terminator", 3 },
  /* 10: insert_slice, extract_slice, empty */
  { SLICE ("0", "1", "4"), NULL, 0 },
  { SLICE ("0", "2", "4"), NULL, 0 },
  { SLICE ("2", "2", "4"), "type", 1 }, /* the last is at 8 */
  { SLICE ("0", "3", "4"), "type", 1 },
  { SLICE ("0", "0", "4"), "type", 1 },
  { SLICE ("-1", "1", "4"), "type", 1 },
  { SLICE ("0", "1", "3"), "type", 1 },
  { SLICE ("0", "9223372036854775807", "4"), "type", 1 },
  { "%x = tensor.extract_slice %t[%x0] [4] [1] : tensor<8xf32> to tensor<4xf32>", NULL, 0 },
  { "%x = tensor.extract_slice %t[%n] [4] [1] : tensor<8xf32> to tensor<4xf32>", "type", 1 },
  { "%x = tensor.extract_slice %t[0] [4] [1] : tensor<8xf32> to tensor<4xi32>", "type", 1 },
  { "%x = tensor.extract_slice %m[0] [4] [1] : tensor<4x8xf32> to tensor<4xf32>", "type", 1 },
  { "%x = tensor.extract_slice %m[1, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>", NULL, 0 }, /* rank is reduced */
  { "%x = tensor.extract_slice %m[1, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>", "type", 1 },
  { "%x = tensor.insert_slice %t into %m[3, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<4x8xf32>", NULL, 0 },
  { "%x = tensor.insert_slice %t into %m[4, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<4x8xf32>", "type", 1 },
  { "%x = tensor.insert_slice %t into %m[0, 0] [1, 8] [1, 2] : tensor<8xf32> into tensor<4x8xf32>", "type", 1 },
  { "%x = tensor.empty(%x0) : tensor<?x8xf32>", NULL, 0 },
  { "%x = tensor.empty() : tensor<?x8xf32>", "type", 1 },
  { "%x = tensor.empty(%n) : tensor<?x8xf32>", "type", 1 },
  { "%x = tensor.empty() : f32", "type", 1 },
  { "%e = tensor.empty() : tensor<16xf32>\n%x = tensor.insert_slice %t into %e[10] [8] [1] : tensor<8xf32> into tensor<16xf32>",
    "type", 2 },
  /* 11: calls */
  { "%x = tt.call @g(%n) : (i32) -> i32", NULL, 0 },
  { "%x = tt.call @nobody(%n) : (i32) -> i32", "undefined-function", 1 },
  { "%x = tt.call @g(%f) : (f32) -> i32", "call", 1 },
  { "%x = tt.call @g(%n) : (i32) -> f32", "call", 1 },
  { "%x = tt.call @g() : () -> i32", "call", 1 },
};

#define SIGNATURE                                                                                                                  \
  "tt.func private @g(%a: i32) -> i32 {\n  tt.return %a : i32\n}\n"                                                                \
  "tt.func public @f(%p: !tt.ptr<f32>, %pt: tensor<8x!tt.ptr<f32>>, %t: tensor<8xf32>, %m: tensor<4x8xf32>, %n: i32, %f: f32, "    \
  "%c: i1, %long: i64, %x0: index, %ints: tensor<8xi32>, %msk: tensor<8xi1>, %blk: !tt.ptr<tensor<4x8xf32>>, %wide: i128) {\n"
#define FIRST_LINE 5

/* One wrong use each of the operations that differ in their name only. */
static const struct
{
  TsOpCode    first, last;
  const char *rest; /* behind the name */
} wrong[] = {
  { TS_OP_ARITH_ADDI, TS_OP_ARITH_MINUI, "%f, %f : f32" },
  { TS_OP_ARITH_ADDF, TS_OP_ARITH_MINNUMF, "%n, %n : i32" },
  { TS_OP_ARITH_NEGF, TS_OP_ARITH_NEGF, "%n : i32" },
  { TS_OP_ARITH_EXTSI, TS_OP_ARITH_TRUNCI, "%n : i32 to i32" },
  { TS_OP_ARITH_EXTF, TS_OP_ARITH_TRUNCF, "%f : f32 to f32" },
  { TS_OP_ARITH_SITOFP, TS_OP_ARITH_UITOFP, "%f : f32 to f32" },
  { TS_OP_ARITH_FPTOSI, TS_OP_ARITH_FPTOUI, "%n : i32 to i32" },
  { TS_OP_ARITH_BITCAST, TS_OP_ARITH_BITCAST, "%p : !tt.ptr<f32> to i64" },
  { TS_OP_MATH_ABSF, TS_OP_MATH_ABSF, "%n : i32" },
  { TS_OP_MATH_ABSI, TS_OP_MATH_ABSI, "%f : f32" },
  { TS_OP_MATH_CEIL, TS_OP_MATH_CBRT, "%n : i32" },
  { TS_OP_MATH_CTPOP, TS_OP_MATH_CTTZ, "%f : f32" },
  { TS_OP_MATH_FMA, TS_OP_MATH_FMA, "%n, %n, %n : i32" },
};

static const char *
check_body (const char *body, TsDiagList *diags, guint *line)
{
  g_autofree char *text = g_strconcat (SIGNATURE, body, "\ntt.return\n}\n", NULL);
  g_autoptr (TsSource) source = ts_source_new_text ("k.ttir", text);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsModule) module = ts_ttir_parse (source, 0, strings, NULL, diags);
  g_autoptr (GString) said = g_string_new (NULL);
  gboolean valid;

  ts_diag_list_format (diags, FALSE, said);
  g_test_message ("%s\n%s", body, said->str);
  if (ts_diag_list_has_errors (diags))
    return "not read";
  valid = ts_verify (module, TS_PROPERTY_TTIR_VALID, diags);
  for (guint k = 0; k < ts_diag_list_length (diags); k++)
    {
      const TsDiag *diag = ts_diag_list_get (diags, k);

      if (diag->severity != TS_SEVERITY_ERROR)
        continue;
      *line = ts_source_place (diag->source, diag->span.offset).line + 1 - FIRST_LINE;
      g_assert_false (valid);
      return diag->code;
    }
  g_assert_true (valid);
  return NULL;
}

static void
test_wrong_uses (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    for (guint code = wrong[i].first; code <= (guint) wrong[i].last; code++)
      {
        g_autofree char *body = g_strdup_printf ("%%x = %s %s", ts_op_info ((TsOpCode) code)->name, wrong[i].rest);
        g_autoptr (TsDiagList) diags = ts_diag_list_new ();
        guint line = 0;

        g_assert_cmpstr (check_body (body, diags, &line), ==, "type");
        g_assert_cmpuint (line, ==, 1);
      }
}

static gboolean
mentions (const char *body, const char *name)
{
  gsize length = strlen (name);

  for (const char *at = body; (at = strstr (at, name)) != NULL; at++)
    if (!g_ascii_isalnum (at[length]) && strchr ("._", at[length]) == NULL)
      return TRUE;
  return FALSE;
}

/* No operation of the table is without a use that is refused. */
static void
test_every_operation (void)
{
  for (TsOpCode code = 0; code < TS_N_OP_CODES; code++)
    {
      const char *name = ts_op_info (code)->name;
      gboolean found = ts_op_info (code)->dialect != TS_DIALECT_TTIR;

      for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
        found = found || (code >= wrong[i].first && code <= wrong[i].last);
      for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
        found = found || (rows[i].code != NULL && mentions (rows[i].body, name));
      if (!found)
        g_test_message ("%s", name);
      g_assert_true (found);
    }
}

static void
test_rows (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (TsDiagList) diags = ts_diag_list_new ();
      guint line = 0;

      const char *code = check_body (rows[i].body, diags, &line);

      if (g_strcmp0 (code, rows[i].code) == 0 && line == (rows[i].code != NULL ? rows[i].line : 0))
        continue;
      g_test_message ("not as expected (%s on line %u): %s\n", code, line, rows[i].body);
      g_test_fail ();
    }
}

/* --- dominance ------------------------------------------------------------------------------------------------------------- */

#define BLOCKS 9

typedef struct
{
  guint to[BLOCKS][2];
} Flow;

static void
reach (const Flow *flow, guint block, guint without, gboolean *seen)
{
  if (block == without || seen[block])
    return;
  seen[block] = TRUE;
  for (guint i = 0; i < 2; i++)
    reach (flow, flow->to[block][i], without, seen);
}

/* By definition: every way from the entry to b leads through a, or there is none. */
static gboolean
dominates (const Flow *flow, guint a, guint b)
{
  gboolean seen[BLOCKS] = { FALSE }, seen_without[BLOCKS] = { FALSE };

  reach (flow, 0, BLOCKS, seen);
  reach (flow, 0, a, seen_without);
  return !seen[b] || (seen[a] && !seen_without[b]);
}

/* Every block defines a value and uses those of all others; the errors must be those that the definition asks for. */
static void
check_flow (const Flow *flow)
{
  g_autoptr (GString) text = g_string_new ("tt.func @f(%n: i32, %c: i1) {\n");
  g_autoptr (GHashTable) expected = g_hash_table_new (NULL, NULL);
  guint line = 2;

  for (guint b = 0; b < BLOCKS; b++)
    {
      g_string_append_printf (text, "^b%u:\n%%v%u = arith.addi %%n, %%n : i32\n", b, b);
      line += 2;
      for (guint a = 0; a < BLOCKS; a++, line++)
        {
          g_string_append_printf (text, "%%u%u_%u = arith.addi %%v%u, %%n : i32\n", a, b, a);
          if (a != b && !dominates (flow, a, b))
            g_hash_table_add (expected, GUINT_TO_POINTER (line));
        }
      g_string_append_printf (text, "cf.cond_br %%c, ^b%u, ^b%u\n", flow->to[b][0], flow->to[b][1]);
      line++;
    }
  g_string_append (text, "}\n");
  g_autoptr (TsSource) source = ts_source_new_text ("k.ttir", text->str);
  g_autoptr (TsStrings) strings = ts_strings_new ();
  g_autoptr (TsDiagList) diags = ts_diag_list_new ();
  g_autoptr (TsModule) module = ts_ttir_parse (source, 0, strings, NULL, diags);

  g_assert_cmpuint (ts_diag_list_length (diags), ==, 0);
  ts_verify (module, TS_PROPERTY_TTIR_VALID, diags);
  for (guint k = 0; k < ts_diag_list_length (diags); k++)
    {
      const TsDiag *diag = ts_diag_list_get (diags, k);
      guint at = ts_source_place (diag->source, diag->span.offset).line;

      gboolean found = g_hash_table_remove (expected, GUINT_TO_POINTER (at));

      if (!found)
        g_test_message ("line %u of\n%s", at, text->str);
      g_assert_true (found);
      g_assert_cmpstr (diag->code, ==, "dominance");
    }
  g_assert_cmpuint (g_hash_table_size (expected), ==, 0);
}

static void
test_dominance (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  for (guint round = 0; round < 200; round++)
    {
      Flow flow;

      for (guint b = 0; b < BLOCKS; b++)
        for (guint i = 0; i < 2; i++)
          flow.to[b][i] = (guint) g_rand_int_range (random, round % 2 == 0 ? 0 : (gint32) MIN (b, BLOCKS - 2) / 2, BLOCKS);
      check_flow (&flow);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ttir/verify", test_rows);
  g_test_add_func ("/ttir/verify/wrong-uses", test_wrong_uses);
  g_test_add_func ("/ttir/verify/every-operation", test_every_operation);
  g_test_add_func ("/ttir/dominance", test_dominance);
  return g_test_run ();
}
