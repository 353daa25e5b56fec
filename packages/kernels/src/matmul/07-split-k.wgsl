// matmul/split-k: tiles as in matmul/tiled, but K is split over workgroups, and a second
// pass adds up what they found. Gives a GPU enough to do where C is small and K long.
//
// calls     load_a(row, k)   load_b(k, col)   store_c(row, col, sum): memory.ts
// scratch   partial sums [SPLIT x m x n]
// tunables  TILE   side of a tile; also threads along each side of a workgroup
//           SPLIT  parts of K, each summed by its own workgroup
// entries   main, then add_parts
//
//             B +----+
//               |  0 |          SPLIT 3: three workgroups share one block of C,
//               |  1 |          each with its part of K, and write three blocks
//   A           |  2 |          of partial sums
//  +---------+  +----+
//  | 0  1  2 |  |C   | <- partial 0 + partial 1 + partial 2
//  +---------+  +----+

@group(0) @binding(SCRATCH) var<storage, read_write> partial: array<Acc>;

var<workgroup> a_tile: array<T, TILE * TILE>;
var<workgroup> b_tile: array<T, TILE * TILE>;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let i = local.y;
  let j = local.x;
  let row = group.y * TILE + i;
  let col = group.x * TILE + j;

  // Parts are whole tiles, all of the same number; the last may have less to do.
  let tiles = (shape.k + TILE - 1) / TILE;
  let part = (tiles + SPLIT - 1) / SPLIT * TILE;
  let end = min((group.z + 1) * part, shape.k);

  var sum = Acc(0);
  for (var t = group.z * part; t < end; t += TILE) {
    // Beyond the edge a tile holds zeros, which add nothing to the sums.
    var a = T(0);
    var b = T(0);
    if (row < shape.m && t + j < shape.k) {
      a = load_a(row, t + j);
    }
    if (t + i < shape.k && col < shape.n) {
      b = load_b(t + i, col);
    }
    a_tile[i * TILE + j] = a;
    b_tile[i * TILE + j] = b;
    workgroupBarrier();
    for (var p = 0u; p < TILE; p++) {
      sum += Acc(a_tile[i * TILE + p]) * Acc(b_tile[p * TILE + j]);
    }
    workgroupBarrier();
  }

  if (row < shape.m && col < shape.n) {
    partial[(group.z * shape.m + row) * shape.n + col] = sum;
  }
}

@compute @workgroup_size(TILE, TILE)
fn add_parts(@builtin(global_invocation_id) id: vec3u) {
  if (id.y >= shape.m || id.x >= shape.n) {
    return;
  }
  let at = id.y * shape.n + id.x;
  var sum = Acc(0);
  for (var part = 0u; part < SPLIT; part++) {
    sum += partial[part * shape.m * shape.n + at];
  }
  store_c(id.y, id.x, sum);
}
