// transpose/padded: the tile of transpose/tiled with one unused column. The elements
// of a column of the tile then lie in different memory banks.
//
// bindings  0 A [rows x cols]   1 B [cols x rows], both row-major   2 the shape
// tunables  TILE  side of the tile; also threads along each side of a workgroup
//
//   A             tile         B
//  +--------+    +-----+-+   +-----+
//  |  [abc] | -> | abc |.|-> |     |    read by columns: the elements are
//  |  [def] |    | def |.|   |[ad] |    TILE + 1 apart, each in its own bank
//  +--------+    +-----+-+   |[be] |
//                            |[cf] |
//                            +-----+

struct Shape { rows: u32, cols: u32 }

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read_write> B: array<T>;
@group(0) @binding(2) var<uniform> shape: Shape;

const PITCH = TILE + 1;
var<workgroup> tile: array<T, TILE * PITCH>;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let first_row = group.y * TILE;
  let first_col = group.x * TILE;

  let row = first_row + local.y;
  let col = first_col + local.x;
  if (row < shape.rows && col < shape.cols) {
    tile[local.y * PITCH + local.x] = A[row * shape.cols + col];
  }
  workgroupBarrier();

  let out_row = first_col + local.y;
  let out_col = first_row + local.x;
  if (out_row < shape.cols && out_col < shape.rows) {
    B[out_row * shape.rows + out_col] = tile[local.x * PITCH + local.y];
  }
}
