// matmul/naive-global: one thread computes one element of C and adds it up in C itself,
// in global memory: a read and a write for every product.
//
// calls     load_a(row, k)   load_b(k, col)   store_c(row, col, sum): memory.ts
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

@compute @workgroup_size(BLOCK, BLOCK)
fn main(@builtin(global_invocation_id) id: vec3u) {
  for_product(id.z);
  let row = id.y;
  let col = id.x;
  if (row >= shape.m || col >= shape.n) {
    return;
  }
  let at = c_at(row, col);
  C[at] = T(0);
  for (var p = 0u; p < shape.k; p++) {
    C[at] += load_a(row, p) * load_b(p, col);
  }
}
