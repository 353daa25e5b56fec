// matmul/subgroup: no workgroup memory. Every thread of a subgroup loads one element of
// a row of A; shuffles hand it to the others, each of which has its own column of B.
//
// calls     load_a(row, k)   load_b(k, col)   store_c(row, col, sum): memory.ts
// tunables  WORKGROUP  threads in a workgroup, one column of C each
//           ROWS       rows of C a thread computes: uses of every element of B it loads
//
//                                B
//                               +--------+
//                    step k     |bbbbbbbb|   a lane loads its own b, and takes
//                               +--------+   each a from the lane that loaded it
//   A                            C
//  +------------------+         +--------+
//  |   aaaaaaaa       | row 0   |cccccccc|   lanes of a subgroup: 4 to 128,
//  |   aaaaaaaa       | row 1   |cccccccc|   as the device has it
//  +------------------+         +--------+

// Beyond the edge of K zeros are multiplied, which add nothing to the sums.
fn inside_a(row: u32, k: u32) -> Acc {
  if (row < shape.m && k < shape.k) {
    return Acc(load_a(row, k));
  }
  return Acc(0);
}

fn inside_b(k: u32, col: u32) -> Acc {
  if (k < shape.k && col < shape.n) {
    return Acc(load_b(k, col));
  }
  return Acc(0);
}

@compute @workgroup_size(WORKGROUP)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) thread: u32,
  @builtin(subgroup_size) lanes: u32,
  @builtin(subgroup_invocation_id) lane: u32,
) {
  for_product(group.z);
  let col = group.x * WORKGROUP + thread;
  let first_row = group.y * ROWS;

  var sums: array<Acc, ROWS>;
  for (var t = 0u; t < shape.k; t += lanes) {
    var mine: array<Acc, ROWS>;
    for (var r = 0u; r < ROWS; r++) {
      mine[r] = inside_a(first_row + r, t + lane);
    }
    for (var p = 0u; p < lanes; p++) {
      let b = inside_b(t + p, col);
      for (var r = 0u; r < ROWS; r++) {
        sums[r] += subgroupShuffle(mine[r], p) * b;
      }
    }
  }

  for (var r = 0u; r < ROWS; r++) {
    if (first_row + r < shape.m && col < shape.n) {
      store_c(first_row + r, col, sums[r]);
    }
  }
}
