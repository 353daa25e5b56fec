// matmul/naive: one thread computes one element of C and keeps the sum in a register.
//
// calls     load_a(row, k)   load_b(k, col)   store_c(row, col, sum): memory.ts
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

@compute @workgroup_size(BLOCK, BLOCK)
fn main(@builtin(global_invocation_id) id: vec3u) {
  for_product(id.z);
  let row = select(id.y, id.x, MAPPING == ROW_X);
  let col = select(id.x, id.y, MAPPING == ROW_X);
  if (row >= shape.m || col >= shape.n) {
    return;
  }
  var sum = Acc(0);
  for (var p = 0u; p < shape.k; p++) {
    sum += Acc(load_a(row, p)) * Acc(load_b(p, col));
  }
  store_c(row, col, sum);
}
