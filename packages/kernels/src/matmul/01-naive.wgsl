// matmul/naive: one thread computes one element of C and keeps the sum in a register.
//
// bindings  0 A [m x k]   1 B [k x n]   2 C [m x n], all row-major   3 the shape
// tunables  BLOCK    threads along each side of a workgroup
//           MAPPING  COL_X: neighbouring threads take neighbouring columns (coalesced)
//                    ROW_X: neighbouring threads take neighbouring rows (strided)
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
  let row = select(id.y, id.x, MAPPING == ROW_X);
  let col = select(id.x, id.y, MAPPING == ROW_X);
  if (row >= shape.m || col >= shape.n) {
    return;
  }
  var sum = Acc(0);
  for (var p = 0u; p < shape.k; p++) {
    sum += Acc(A[row * shape.k + p]) * Acc(B[p * shape.n + col]);
  }
  C[row * shape.n + col] = T(sum);
}
