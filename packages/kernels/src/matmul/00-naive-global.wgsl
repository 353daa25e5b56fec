// matmul/naive-global: one thread computes one element of C and adds it up in C itself,
// in global memory: a read and a write for every product.
//
// bindings  0 A [m x k]   1 B [k x n]   2 C [m x n], all row-major   3 the shape
// tunables  BLOCK    threads along each side of a workgroup
//
//                     B  k x n
//                    +---|---+
//                    |   |   |     each thread reads a whole row of A
//                    |   v   |     and a whole column of B
//   A  m x k         +---|---+
//  +---------+       +-------+
//  |-------->|       |   c   |
//  +---------+       +-------+

struct Shape { m: u32, n: u32, k: u32 }

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read> B: array<T>;
@group(0) @binding(2) var<storage, read_write> C: array<T>;
@group(0) @binding(3) var<uniform> shape: Shape;

@compute @workgroup_size(BLOCK, BLOCK)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.y;
  let col = id.x;
  if (row >= shape.m || col >= shape.n) {
    return;
  }
  let at = row * shape.n + col;
  C[at] = T(0);
  for (var p = 0u; p < shape.k; p++) {
    C[at] += A[row * shape.k + p] * B[p * shape.n + col];
  }
}
