#include "random_module.h"

#include <fmt/format.h>

namespace kerncast::ptx {
namespace {

using Choices = std::vector<std::string>;

std::string one_of(const Choices& choices) { return *rc::gen::elementOf(choices); }
int number(int below) { return *rc::gen::inRange(0, below); }
bool chance(int one_in) { return number(one_in) == 0; }

std::string hexadecimal(int digits) {
  std::string out;
  for (int i = 0; i < digits; ++i)
    out += "0123456789ABCDEF"[number(16)];
  return out;
}

std::string integer() {
  return one_of({"0", "1", "-1", "017", "0b101", "0xFFFFFFFF", "4U", "18446744073709551615", "(1<<4)+3",
                 "5 > 3 ? 2 : 1", "WARP_SZ", "-9223372036854775807-1", std::to_string(number(1 << 20))});
}

std::string real() {
  return chance(2)   ? one_of({"1.5", "-2.0", ".5", "1e30", "-0.0", "1.5+2.25"})
         : chance(2) ? "0f" + hexadecimal(8)
                     : "-0d" + hexadecimal(16);
}

// `{a, b}` of `count` elements.
template <class Element> std::string braces(int count, Element&& element) {
  std::string out = "{";
  for (int i = 0; i < count; ++i)
    out += fmt::format("{}{}", i == 0 ? "" : ", ", element());
  out += "}";
  return out;
}

std::string address_element() {
  return one_of({"first", "first+8", "generic(first)", "generic(first)+-4", "7"});
}

std::string global(int index) {
  const std::string name = fmt::format("g{}", index);
  const std::string align = chance(2) ? ".align 16 " : "";
  const int length = 1 + number(4);
  switch (number(8)) {
  case 0:
    return ".extern .shared " + align + ".b8 " + name + "[];\n";
  case 1:
    return ".visible .global " + align + ".b32 " + name + "[] = " + braces(length, integer) + ";\n";
  case 2:
    return ".const " + align + ".f32 " + name + " = " + real() + ";\n";
  case 3:
    return ".global .v2 .f64 " + name +
           "[3] = " + braces(1 + number(3), [] { return braces(1 + number(2), real); }) + ";\n";
  case 4:
    return ".global .u64 " + name + "[8] = " + braces(length, address_element) + ";\n";
  case 5:
    return ".global .b8 " + name + "[8] = {0xFF(first), 0xFF00(generic(first)), 0xFF0000(first+4), 3};\n";
  case 6:
    return ".global .attribute(.managed) .s16 " + name + "[2][3] = {{1, -2}, {3}};\n";
  default:
    return ".global .samplerref " + name + " = { addr_mode_0 = wrap, filter_mode = nearest };\n";
  }
}

// The registers that every scope declares anew, under the same names.
std::string declarations() {
  return ".reg .b32 %r<8>, sum;\n.reg .pred p<2>, %q;\n.reg .b64 a;\n.reg .f32 %f<4>;\n.reg .v4 .f32 v;\n"
         ".reg .f64 d;\n";
}

std::string instruction() {
  const std::string statement = one_of({"add.s32 %r1, %r2, sum;",
                                        "mov.u32 %r3, %tid.x;",
                                        "ld.global.v4.u32 {%r1, %r2, _, %r3}, [a+-16];",
                                        "ld.param.u64 a, [out];",
                                        "mov.f32 %f1, v.x;",
                                        "setp.lt.and.s32 p0|%q, %r1, %r2, !p1;",
                                        "atom.global.add.u32 _, [a], 1;",
                                        "mov.b64 a, first;",
                                        "mov.u64 a, first+8;",
                                        "bar.sync 0;",
                                        "ld.global.f32 %f2, [first+4];",
                                        "vadd.s32.u32.s32.sat.min %r0, %r1.b0, %r2.h1, sum;",
                                        "vmad.s32.s32.u32 %r0, -%r1.b0, %r2.h1, sum;",
                                        "call helper;",
                                        "call.uni (%r1), adder, (%r2, 4);",
                                        "shfl.sync.bfly.b32 %r0|p1, %r1, 1, 0x1f, -1;",
                                        "fma.rn.f32 %f0, %f1, %f2, %f3;",
                                        "ld.local.u32 %r1, [16];",
                                        "ld.global.u32 %r1, [first+4].unified;",
                                        "mov.u32 %r2, WARP_SZ;"});
  const std::string value = chance(2) ? "mov.b32 %r4, " + integer() + ";" : "mov.f64 d, " + real() + ";";
  return (chance(4) ? one_of({"@p0 ", "@!%q "}) : "") + (chance(3) ? value : statement) + "\n";
}

std::string note(int index) {
  return one_of(
      {".loc 1 " + std::to_string(number(99)) + " 3\n",
       ".loc 1 3 4, function_name $L__info+4, inlined_at 1 10 0\n", ".loc 1 3 4, inlined_at 1 10 0\n",
       ".pragma \"nounroll\";\n", fmt::format("list{}: .branchtargets START;\n", index),
       fmt::format("proto{}: .callprototype _ (.param .b64 _) .noreturn;\n", index),
       fmt::format("targets{}: .calltargets helper;\n", index),
       fmt::format(".shared .align 8 .b8 s{}[16];\n", index), fmt::format(".local .v2 .u32 s{};\n", index)});
}

// Statements of a scope; scopes inside it have names of their own. `size` bounds the whole.
std::string statements(int& size, int& serial) {
  std::string out = declarations();
  if (chance(2))
    out += "LOOP:\n@p0 bra LOOP;\n";
  for (int i = number(6); i > 0 && size > 0; --i) {
    --size;
    if (chance(4))
      out += "{\n" + statements(size, serial) + "}\n";
    else
      out += chance(3) ? note(serial++) : instruction();
  }
  return out;
}

std::string function(int index) {
  int size = 40;
  int serial = 0;
  std::string out =
      chance(2) ? fmt::format(".visible .entry f{}(.param .u64 .ptr .global .align 16 out, .param .f32 x[3])"
                              "\n.maxntid 128, 2\n.minnctapersm 2\n.pragma \"used\";\n",
                              index)
                : fmt::format(".weak .func (.reg .b32 back) f{}(.param .b64 out)\n", index);
  return out + "{\nSTART:\n" + statements(size, serial) + "ret;\n}\n";
}

} // namespace

std::string random_module() {
  std::string out =
      ".version 8.0\n.target sm_80" + std::string(chance(2) ? ", debug" : "") + "\n" +
      (chance(4) ? "" : ".address_size 64\n") + ".file 1 \"a.cu\"" + (chance(2) ? ", 159, 0x20" : "") +
      "\n.global .f32 first[8];\n.extern .func helper;\n.func (.param .b32 r) adder(.param .b32 x, "
      ".param .b32 y)\n;\n";
  const int items = 1 + number(6);
  for (int i = 0; i < items; ++i)
    out += chance(2) ? function(i) : global(i);
  return out + ".section .debug_str\n{\n$L__info:\n.b8 102, 0\n}\n.pragma \"last\";\n";
}

} // namespace kerncast::ptx
