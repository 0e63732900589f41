// Votes, shuffles, matches, warp reductions, bit functions and the video instructions' intrinsics.
__global__ void across_lanes(unsigned* out, const unsigned* in) {
  const unsigned all = 0xffffffffu;
  unsigned v = in[threadIdx.x];
  v += __shfl_sync(all, v, 3) + __shfl_up_sync(all, v, 1) + __shfl_down_sync(all, v, 2) + __shfl_xor_sync(all, v, 16);
  const int any = __any_sync(all, v > 7) + __all_sync(all, v > 1);
  int same = 0;
  const unsigned peers = __match_any_sync(all, v) ^ __match_all_sync(all, v & 1, &same);
  out[0] = __ballot_sync(all, v & 1) + any + same + peers + __activemask();
#if __CUDA_ARCH__ >= 800
  out[1] = __reduce_add_sync(all, v) + __reduce_xor_sync(all, v);
  out[2] = static_cast<unsigned>(__reduce_min_sync(all, static_cast<int>(v)));
#endif
  __syncwarp();
  out[3] = __popc(v) + __clz(v) + __ffs(v) + __brev(v) + __byte_perm(v, any, 0x5410) + __funnelshift_l(v, any, 7);
  out[4] = __vadd4(v, peers) + __vabsdiffu4(v, peers) + __vmaxs2(v, peers) + __sad(3, 4, v) + __umulhi(v, peers);
}

__global__ void barriers(int* out) {
  out[0] = __syncthreads_count(threadIdx.x & 1) + __syncthreads_and(out[1]) + __syncthreads_or(out[2]);
  __threadfence_block();
  __threadfence();
  __threadfence_system();
  out[3] = static_cast<int>(clock64()) + static_cast<int>(clock());
}
