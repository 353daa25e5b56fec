// matmul/tiled: a workgroup computes one TILE x TILE block of C. It walks along K,
// bringing a tile of A and a tile of B into workgroup memory, so that every
// element is read from memory once for TILE uses.
//
// bindings  0 A [m x k]   1 B [k x n]   2 C [m x n], all row-major   3 the shape
// tunables  TILE      side of a tile; also threads along each side of a workgroup
//           A_LAYOUT  how the tile of A lies in workgroup memory: ROW as in A, COL transposed
//           B_LAYOUT  the same for B
//           MAPPING   COL_X: neighbouring threads take neighbouring columns; ROW_X: rows
//
//                          B
//                         +--+--+--+
//                         |  |##|  |  step t: the tile of B below,
//                         +--+--+--+  of A to the right
//        A                |  |  |  |
//       +--+--+--+        +--+--+--+
//       |  |  |  |        |  |  |  |
//       +--+--+--+        +--+--+--+
//       |##|  |  |        |  |C |  |
//       +--+--+--+        +--+--+--+

struct Shape { m: u32, n: u32, k: u32 }

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read> B: array<T>;
@group(0) @binding(2) var<storage, read_write> C: array<T>;
@group(0) @binding(3) var<uniform> shape: Shape;

var<workgroup> a_tile: array<T, TILE * TILE>;
var<workgroup> b_tile: array<T, TILE * TILE>;

// Where an element of a tile lies.
fn a_at(row: u32, col: u32) -> u32 {
  return select(row * TILE + col, col * TILE + row, A_LAYOUT == COL);
}

fn b_at(row: u32, col: u32) -> u32 {
  return select(row * TILE + col, col * TILE + row, B_LAYOUT == COL);
}

// Beyond the edge a tile holds zeros, which add nothing to the sums.
fn load_a(row: u32, col: u32) -> T {
  if (row < shape.m && col < shape.k) {
    return A[row * shape.k + col];
  }
  return T(0);
}

fn load_b(row: u32, col: u32) -> T {
  if (row < shape.k && col < shape.n) {
    return B[row * shape.n + col];
  }
  return T(0);
}

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let i = select(local.y, local.x, MAPPING == ROW_X);
  let j = select(local.x, local.y, MAPPING == ROW_X);
  let row = select(group.y, group.x, MAPPING == ROW_X) * TILE + i;
  let col = select(group.x, group.y, MAPPING == ROW_X) * TILE + j;

  var sum = Acc(0);
  for (var t = 0u; t < shape.k; t += TILE) {
    a_tile[a_at(i, j)] = load_a(row, t + j);
    b_tile[b_at(i, j)] = load_b(t + i, col);
    workgroupBarrier();
    for (var p = 0u; p < TILE; p++) {
      sum += Acc(a_tile[a_at(i, p)]) * Acc(b_tile[b_at(p, j)]);
    }
    workgroupBarrier();
  }

  if (row < shape.m && col < shape.n) {
    C[row * shape.n + col] = T(sum);
  }
}
