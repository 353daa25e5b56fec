// matmul/tiled-wpt: the tiles of matmul/tiled with more work per thread: each thread
// computes WPT elements of a column of C, so a value of B read once from the tile
// is used WPT times.
//
// calls     load_a(row, k)   load_b(k, col)   store_c(row, col, sum): memory.ts
// tunables  TILE  side of a tile; also threads across a workgroup
//           WPT   elements of C a thread computes; TILE / WPT threads down a workgroup
//
//              b_tile                   with TILE 4 and WPT 2 thread (0, 1)
//             +--------+                computes both elements marked c, which
//             |  b     |                lie TILE / WPT rows apart, from two
//             |  b     |                rows of the tile of A and one column
//   a_tile    +--------+   C            of the tile of B
//  +--------+ +--------+
//  | aaaa   | |  c     |
//  | ....   | |        |
//  | aaaa   | |  c     |
//  +--------+ +--------+

const STEP = TILE / WPT;
var<workgroup> a_tile: array<T, TILE * TILE>;
var<workgroup> b_tile: array<T, TILE * TILE>;

// Beyond the edge a tile holds zeros, which add nothing to the sums.
fn inside_a(row: u32, k: u32) -> T {
  if (row < shape.m && k < shape.k) {
    return load_a(row, k);
  }
  return T(0);
}

fn inside_b(k: u32, col: u32) -> T {
  if (k < shape.k && col < shape.n) {
    return load_b(k, col);
  }
  return T(0);
}

@compute @workgroup_size(TILE, STEP)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  for_product(group.z);
  let j = local.x;
  let first_row = group.y * TILE;
  let col = group.x * TILE + j;

  var sums: array<Acc, WPT>;
  for (var t = 0u; t < shape.k; t += TILE) {
    for (var w = 0u; w < WPT; w++) {
      let i = w * STEP + local.y;
      a_tile[i * TILE + j] = inside_a(first_row + i, t + j);
      b_tile[i * TILE + j] = inside_b(t + i, col);
    }
    workgroupBarrier();
    for (var p = 0u; p < TILE; p++) {
      let b = Acc(b_tile[p * TILE + j]);
      for (var w = 0u; w < WPT; w++) {
        let i = w * STEP + local.y;
        sums[w] += Acc(a_tile[i * TILE + p]) * b;
      }
    }
    workgroupBarrier();
  }

  for (var w = 0u; w < WPT; w++) {
    let row = first_row + w * STEP + local.y;
    if (row < shape.m && col < shape.n) {
      store_c(row, col, sums[w]);
    }
  }
}
