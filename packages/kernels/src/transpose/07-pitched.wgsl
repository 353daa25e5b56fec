// transpose/pitched: for rows that start anywhere. Every access moves one element per
// thread to or from neighbouring addresses, in runs as long as a side of the tile.
//
// bindings  0 A [rows x cols]   1 B [cols x rows], both row-major   2 the shape
// tunables  TILE_ROWS  rows of A in a tile: the length of each run written to B
//           TILE_COLS  columns of A in a tile: the length of each run read
//           THREADS    threads in a workgroup
//           ORDER      neighbouring workgroups lie along a row of A or down a column
//
//   A            tile               B
//  +---------+  +-------------+-+  +-----+
//  | abcdefg |  | abcdefg     |.|  | ah  |    a run of A fills a row of the tile;
//  | hijklmn |->| hijklmn     |.|->| bi  |    a column of the tile, one bank per
//  +---------+  +-------------+-+  | cj  |    element, is a run of B

struct Shape { rows: u32, cols: u32 }

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read_write> B: array<T>;
@group(0) @binding(2) var<uniform> shape: Shape;

const PITCH = TILE_COLS + 1;
const STEPS = TILE_ROWS * TILE_COLS / THREADS;
var<workgroup> tile: array<T, TILE_ROWS * PITCH>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  var place = group.xy;
  if (ORDER == ROWS_FIRST) {
    place = group.yx;
  }
  let first = place * vec2u(TILE_ROWS, TILE_COLS);

  // Clamped, not guarded: see transpose/multi-row.
  let col = min(first.y + thread % TILE_COLS, shape.cols - 1);
  for (var step = 0u; step < STEPS; step++) {
    let y = (step * THREADS + thread) / TILE_COLS;
    let row = min(first.x + y, shape.rows - 1);
    tile[y * PITCH + thread % TILE_COLS] = A[row * shape.cols + col];
  }
  workgroupBarrier();

  let out_col = first.x + thread % TILE_ROWS;
  for (var step = 0u; step < STEPS; step++) {
    let x = (step * THREADS + thread) / TILE_ROWS;
    let out_row = first.y + x;
    if (out_row < shape.cols && out_col < shape.rows) {
      B[out_row * shape.rows + out_col] = tile[thread % TILE_ROWS * PITCH + x];
    }
  }
}
