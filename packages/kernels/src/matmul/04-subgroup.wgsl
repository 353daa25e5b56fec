// matmul/subgroup: no workgroup memory. Every thread of a subgroup loads one element of
// a row of A; shuffles hand it to the others, each of which has its own column of B.
//
// bindings  0 A [m x k]   1 B [k x n]   2 C [m x n], all row-major   3 the shape
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

struct Shape { m: u32, n: u32, k: u32 }

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read> B: array<T>;
@group(0) @binding(2) var<storage, read_write> C: array<T>;
@group(0) @binding(3) var<uniform> shape: Shape;

// Beyond the edge of K zeros are multiplied, which add nothing to the sums.
fn load_a(row: u32, col: u32) -> Acc {
  if (row < shape.m && col < shape.k) {
    return Acc(A[row * shape.k + col]);
  }
  return Acc(0);
}

fn load_b(row: u32, col: u32) -> Acc {
  if (row < shape.k && col < shape.n) {
    return Acc(B[row * shape.n + col]);
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
  let col = group.x * WORKGROUP + thread;
  let first_row = group.y * ROWS;

  var sums: array<Acc, ROWS>;
  for (var t = 0u; t < shape.k; t += lanes) {
    var mine: array<Acc, ROWS>;
    for (var r = 0u; r < ROWS; r++) {
      mine[r] = load_a(first_row + r, t + lane);
    }
    for (var p = 0u; p < lanes; p++) {
      let b = load_b(t + p, col);
      for (var r = 0u; r < ROWS; r++) {
        sums[r] += subgroupShuffle(mine[r], p) * b;
      }
    }
  }

  for (var r = 0u; r < ROWS; r++) {
    if (first_row + r < shape.m && col < shape.n) {
      C[(first_row + r) * shape.n + col] = T(sums[r]);
    }
  }
}
