// A second translation unit for the program, with a kernel of its own.
__global__ void fill(int* x) { x[threadIdx.x] = 1; }

int main() { return 0; }
