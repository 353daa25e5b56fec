// transpose/swizzled: a thread transposes 4 x 4 blocks in its registers, and the tile
// holds vec4s with no padding: where a block goes within its row is permuted.
//
// bindings  0 A [rows x cols]   1 B [cols x rows], both row-major   2 the shape
// tunables  TILE_ROWS  rows of A in a tile
//           TILE_COLS  columns of A in a tile; a workgroup is TILE_COLS / 4 threads wide
//           THREADS_Y  threads down a workgroup
//           ORDER      where neighbouring workgroups lie: along a row of A (ROWS_FIRST), down
//                      a column (COLS_FIRST), down a diagonal (DIAGONAL), or across BAND
//                      tiles and then down (BANDS)
// entries   main where both row lengths are multiples of 4, else unaligned
//
//   A                      tile, as in B          B
//  +-------------------+   +---------------+    +---------------+
//  | [4x4] [4x4] [4x4] |   | row 0  0 1 2 3|    | 0 1 2 3       |
//  |   0                |->| row 4  1 0 3 2| -> | 0 1 2 3       |
//  |   1               |   | row 8  2 3 0 1|    | 0 1 2 3       |
//  +-------------------+   +---------------+    +---------------+
//
// Block column c of tile row r lies at c XOR (r / 4): threads side by side write
// rows 4 apart, and read neighbours of one row, each in its own bank both times.

struct Shape { rows: u32, cols: u32 }

@group(0) @binding(0) var<storage, read> A4: array<vec4<T>>;
@group(0) @binding(1) var<storage, read_write> B4: array<vec4<T>>;
@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read_write> B: array<T>;
@group(0) @binding(2) var<uniform> shape: Shape;

const BAND = 8u;
const THREADS_X = TILE_COLS / 4;
const PITCH = TILE_ROWS / 4;
const BLOCKS_Y = TILE_ROWS / 4 / THREADS_Y;
const VECTORS = TILE_ROWS * TILE_COLS / 4;
const THREADS = THREADS_X * THREADS_Y;
var<workgroup> tile: array<vec4<T>, VECTORS>;

fn place(row: u32, col: u32) -> u32 {
  return row * PITCH + (col ^ (row / 4 % PITCH));
}

/// Puts the block at block row `y` and block column `x` of A's tile, transposed.
fn put(x: u32, y: u32, a: vec4<T>, b: vec4<T>, c: vec4<T>, d: vec4<T>) {
  tile[place(4 * x, y)] = vec4(a.x, b.x, c.x, d.x);
  tile[place(4 * x + 1, y)] = vec4(a.y, b.y, c.y, d.y);
  tile[place(4 * x + 2, y)] = vec4(a.z, b.z, c.z, d.z);
  tile[place(4 * x + 3, y)] = vec4(a.w, b.w, c.w, d.w);
}

/// First row and column of A's tile.
fn origin(group: vec3u, groups: vec3u) -> vec2u {
  var tile = group.xy;
  if (ORDER == ROWS_FIRST) {
    tile = group.yx;
  }
  if (ORDER == DIAGONAL) {
    tile.y = (group.x + group.y) % groups.y;
  }
  if (ORDER == BANDS) {
    let index = group.y * groups.x + group.x;
    let band = index / (BAND * groups.x);
    let width = min(BAND, groups.y - band * BAND);
    let place = index % (BAND * groups.x);
    tile = vec2u(place / width, band * BAND + place % width);
  }
  return tile * vec2u(TILE_ROWS, TILE_COLS);
}

@compute @workgroup_size(THREADS_X, THREADS_Y)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_id) local: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let first = origin(group, groups);
  // Clamped, not guarded: see transpose/multi-row. Row lengths are multiples of 4.
  let col4 = min(first.y / 4 + local.x, shape.cols / 4 - 1);
  for (var step = 0u; step < BLOCKS_Y; step++) {
    let y = step * THREADS_Y + local.y;
    let row = min(first.x + 4 * y, shape.rows - 4);
    let at = row * (shape.cols / 4) + col4;
    let pitch = shape.cols / 4;
    put(local.x, y, A4[at], A4[at + pitch], A4[at + 2 * pitch], A4[at + 3 * pitch]);
  }
  workgroupBarrier();

  for (var step = 0u; step < VECTORS / THREADS; step++) {
    let i = step * THREADS + thread;
    let out_row = first.y + i / PITCH;
    let out_col = first.x + i % PITCH * 4;
    if (out_row < shape.cols && out_col < shape.rows) {
      B4[(out_row * shape.rows + out_col) / 4] = tile[place(i / PITCH, i % PITCH)];
    }
  }
}

fn load(row: u32, col: u32) -> vec4<T> {
  let cols = min(vec4u(col) + vec4u(0, 1, 2, 3), vec4u(shape.cols - 1));
  let at = min(row, shape.rows - 1) * shape.cols + cols;
  return vec4(A[at.x], A[at.y], A[at.z], A[at.w]);
}

@compute @workgroup_size(THREADS_X, THREADS_Y)
fn unaligned(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_id) local: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let first = origin(group, groups);
  let col = first.y + 4 * local.x;
  for (var step = 0u; step < BLOCKS_Y; step++) {
    let y = step * THREADS_Y + local.y;
    let row = first.x + 4 * y;
    put(local.x, y, load(row, col), load(row + 1, col), load(row + 2, col), load(row + 3, col));
  }
  workgroupBarrier();

  for (var step = 0u; step < VECTORS / THREADS; step++) {
    let i = step * THREADS + thread;
    let out_row = first.y + i / PITCH;
    let out_col = first.x + i % PITCH * 4;
    if (out_row < shape.cols) {
      let v = tile[place(i / PITCH, i % PITCH)];
      for (var lane = 0u; lane < 4; lane++) {
        if (out_col + lane < shape.rows) {
          B[out_row * shape.rows + out_col + lane] = v[lane];
        }
      }
    }
  }
}
