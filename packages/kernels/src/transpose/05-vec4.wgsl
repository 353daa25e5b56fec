// transpose/vec4: four elements at a time from A into the padded tile, and four at a
// time from the tile into B.
//
// bindings  0 A [rows x cols]   1 B [cols x rows], both row-major   2 the shape
// tunables  TILE  side of the tile; a workgroup is TILE / 4 threads wide
//           ROWS  threads down a workgroup; each moves TILE / ROWS rows
// entries   main where both row lengths are multiples of 4, else unaligned
//
//   A                 tile              B
//  +-----------+    +---------+-+    +-----------+
//  | [abcd]    | -> | a b c d |.| -> | [aeim]    |    a thread writes four
//  | [efgh]    |    | e f g h |.|    | [bfjn]    |    neighbours of a row of the
//  | [ijkl]    |    | i j k l |.|    | [cgko]    |    tile and reads four of a
//  | [mnop]    |    | m n o p |.|    | [dhlp]    |    column
//  +-----------+    +---------+-+    +-----------+

struct Shape { rows: u32, cols: u32 }

@group(0) @binding(0) var<storage, read> A4: array<vec4<T>>;
@group(0) @binding(1) var<storage, read_write> B4: array<vec4<T>>;
@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read_write> B: array<T>;
@group(0) @binding(2) var<uniform> shape: Shape;

const PITCH = TILE + 1;
const STEPS = TILE / ROWS;
var<workgroup> tile: array<T, TILE * PITCH>;

fn put(row: u32, col: u32, v: vec4<T>) {
  let at = row * PITCH + col;
  tile[at] = v.x;
  tile[at + 1] = v.y;
  tile[at + 2] = v.z;
  tile[at + 3] = v.w;
}

fn take(row: u32, col: u32) -> vec4<T> {
  let at = row * PITCH + col;
  return vec4(tile[at], tile[at + PITCH], tile[at + 2 * PITCH], tile[at + 3 * PITCH]);
}

@compute @workgroup_size(TILE / 4, ROWS)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let first_row = group.y * TILE;
  let first_col = group.x * TILE;
  let x = local.x * 4;

  // Clamped, not guarded: see transpose/multi-row.
  let col = min(first_col + x, shape.cols - 4);
  for (var step = 0u; step < STEPS; step++) {
    let y = step * ROWS + local.y;
    let row = min(first_row + y, shape.rows - 1);
    put(y, x, A4[(row * shape.cols + col) / 4]);
  }
  workgroupBarrier();

  let out_col = first_row + x;
  for (var step = 0u; step < STEPS; step++) {
    let y = step * ROWS + local.y;
    let out_row = first_col + y;
    if (out_row < shape.cols && out_col < shape.rows) {
      B4[(out_row * shape.rows + out_col) / 4] = take(x, y);
    }
  }
}

@compute @workgroup_size(TILE / 4, ROWS)
fn unaligned(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let first_row = group.y * TILE;
  let first_col = group.x * TILE;
  let x = local.x * 4;

  let last = shape.cols - 1;
  let col = min(vec4u(first_col + x) + vec4u(0, 1, 2, 3), vec4u(last));
  for (var step = 0u; step < STEPS; step++) {
    let y = step * ROWS + local.y;
    let at = min(first_row + y, shape.rows - 1) * shape.cols + col;
    put(y, x, vec4(A[at.x], A[at.y], A[at.z], A[at.w]));
  }
  workgroupBarrier();

  let out_col = first_row + x;
  for (var step = 0u; step < STEPS; step++) {
    let y = step * ROWS + local.y;
    let out_row = first_col + y;
    if (out_row < shape.cols) {
      let v = take(x, y);
      for (var lane = 0u; lane < 4; lane++) {
        if (out_col + lane < shape.rows) {
          B[out_row * shape.rows + out_col + lane] = v[lane];
        }
      }
    }
  }
}
