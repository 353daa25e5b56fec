// transpose/multi-row: the padded tile moved by fewer threads, several rows each.
// A thread has several loads in flight and computes its addresses once.
//
// bindings  0 A [rows x cols]   1 B [cols x rows], both row-major   2 the shape
// tunables  TILE  side of the tile; also threads across a workgroup
//           ROWS  threads down a workgroup; each moves TILE / ROWS rows
//
//   A               tile             B
//  +----------+    +------+-+    +--------+
//  |  [0 0 0] |    | 0000 |.|    |        |    0, 1: the thread row that moves it;
//  |  [1 1 1] | -> | 1111 |.| -> |[0 0 0] |    with ROWS = 2 the third row is
//  |  [0 0 0] |    | 0000 |.|    |[1 1 1] |    thread row 0's again
//  |  [1 1 1] |    | 1111 |.|    |[0 0 0] |
//  +----------+    +------+-+    +--------+

struct Shape { rows: u32, cols: u32 }

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read_write> B: array<T>;
@group(0) @binding(2) var<uniform> shape: Shape;

const PITCH = TILE + 1;
const STEPS = TILE / ROWS;
var<workgroup> tile: array<T, TILE * PITCH>;

@compute @workgroup_size(TILE, ROWS)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let first_row = group.y * TILE;
  let first_col = group.x * TILE;

  // Beyond the edge a thread reads the last element again, which nobody writes:
  // without a branch between them, the loads are all in flight at once.
  let col = min(first_col + local.x, shape.cols - 1);
  for (var step = 0u; step < STEPS; step++) {
    let y = step * ROWS + local.y;
    let row = min(first_row + y, shape.rows - 1);
    tile[y * PITCH + local.x] = A[row * shape.cols + col];
  }
  workgroupBarrier();

  let out_col = first_row + local.x;
  for (var step = 0u; step < STEPS; step++) {
    let y = step * ROWS + local.y;
    let out_row = first_col + y;
    if (out_row < shape.cols && out_col < shape.rows) {
      B[out_row * shape.rows + out_col] = tile[local.x * PITCH + y];
    }
  }
}
