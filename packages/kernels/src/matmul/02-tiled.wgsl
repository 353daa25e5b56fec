// matmul/tiled: a workgroup computes one TILE x TILE block of C. It walks along K,
// bringing a tile of A and a tile of B into workgroup memory, so that every
// element is read from memory once for TILE uses.
//
// calls     load_A(at)   load_B(at)   store_c(row, col, sum): memory.ts; INDEXING is about `at`
// tunables  TILE      side of a tile; also threads along each side of a workgroup
//           A_LAYOUT  how the tile of A lies in workgroup memory: ROW as in A, COL transposed
//           B_LAYOUT  the same for B
//           MAPPING   COL_X: neighbouring threads take neighbouring columns; ROW_X: rows
//           UNROLL    products written out in a turn of the inner loop; FULL: no loop
//           INDEXING  RECOMPUTED: addresses from indices at every tile; HOISTED: by addition
//           SIZING    CONST: TILE is known to the compiler; OVERRIDE: to the pipeline only
//           BOUNDS    how "outside" is asked: AND_NOT, OR, or NONE (not at all)
//           MULADD    MUL_ADD: a * b + sum; FMA: fma(a, b, sum)
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

var<workgroup> a_tile: array<T, TILE * TILE>;
var<workgroup> b_tile: array<T, TILE * TILE>;

// Where an element of a tile lies.
fn a_place(row: u32, col: u32) -> u32 {
  return select(row * TILE + col, col * TILE + row, A_LAYOUT == COL);
}

fn b_place(row: u32, col: u32) -> u32 {
  return select(row * TILE + col, col * TILE + row, B_LAYOUT == COL);
}

// Beyond the edge a tile holds zeros, which add nothing to the sums.
fn outside(row: u32, col: u32, rows: u32, cols: u32) -> bool {
  if (BOUNDS == AND_NOT) {
    return !(row < rows && col < cols);
  }
  if (BOUNDS == OR) {
    return row >= rows || col >= cols;
  }
  return false;
}

fn inside_a(at: u32, row: u32, k: u32) -> T {
  if (outside(row, k, shape.m, shape.k)) {
    return T(0);
  }
  return load_A(at);
}

fn inside_b(at: u32, k: u32, col: u32) -> T {
  if (outside(k, col, shape.k, shape.n)) {
    return T(0);
  }
  return load_B(at);
}

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  for_product(group.z);
  let i = select(local.y, local.x, MAPPING == ROW_X);
  let j = select(local.x, local.y, MAPPING == ROW_X);
  let row = select(group.y, group.x, MAPPING == ROW_X) * TILE + i;
  let col = select(group.x, group.y, MAPPING == ROW_X) * TILE + j;

  var a_from = a_at(row, j);
  var b_from = b_at(i, col);
  var sum = Acc(0);
  for (var t = 0u; t < shape.k; t += TILE) {
    if (INDEXING == RECOMPUTED) {
      a_from = a_at(row, t + j);
      b_from = b_at(t + i, col);
    }
    a_tile[a_place(i, j)] = inside_a(a_from, row, t + j);
    b_tile[b_place(i, j)] = inside_b(b_from, t + i, col);
    if (INDEXING == HOISTED) {
      a_from += TILE;
      b_from += TILE * shape.n;
    }
    workgroupBarrier();
    sum = add_products(sum, i, j);
    workgroupBarrier();
  }

  if (!outside(row, col, shape.m, shape.n)) {
    store_c(row, col, sum);
  }
}

// fn add_products(sum: Acc, i: u32, j: u32) -> Acc adds to sum the products of row i
// of the tile of A and column j of the tile of B. 02-tiled.ts writes it, because
// WGSL cannot be told to unroll a loop:
