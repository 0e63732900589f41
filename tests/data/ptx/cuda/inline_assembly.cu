// Inline assembly: scopes with registers of their own, equal labels, predicates, special registers, pragmas.
extern "C" __global__ void inline_assembly(unsigned* out, unsigned n) {
  unsigned lane, total = 0;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
#pragma unroll 1
  for (unsigned i = 0; i < n; ++i) {
    unsigned r;
    asm volatile("{ .reg .pred p; .reg .b32 t<3>;\n setp.ne.u32 p, %1, 0;\n @p add.u32 t1, %1, %2;\n"
                 " @!p mov.u32 t1, 7;\n mul.lo.u32 t2, t1, t1;\n mov.u32 %0, t2; }"
                 : "=r"(r) : "r"(lane), "r"(i));
    total += r;
  }
  long long begin = clock64();
  asm volatile("{ .reg .pred done; WAIT: setp.ge.s64 done, %0, %1; @done bra LEAVE; bra WAIT; LEAVE: }"
               :: "l"(begin), "l"(begin - 1));
  asm volatile("bar.sync 1, 64;");
  out[threadIdx.x] = total + (unsigned)(clock64() - begin);
}
