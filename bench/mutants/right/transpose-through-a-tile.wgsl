/* tilemark
{"name": "transpose-through-a-tile", "op": "transpose", "dtypes": ["f32", "f16", "i32"], "covers": {"rows": 32, "cols": 32}}
*/
// Right: a transpose through a workgroup tile of 32 x 33, 32 x 8 threads
struct Shape { rows: u32, cols: u32 }
@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read_write> B: array<T>;
@group(0) @binding(2) var<uniform> shape: Shape;
var<workgroup> tile: array<T, 1056>;
@compute @workgroup_size(32, 8)
fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_id) l: vec3u) {
  for (var r = l.y; r < 32u; r += 8u) { let row = w.x * 32u + r; let col = w.y * 32u + l.x; if (row < shape.rows && col < shape.cols) { tile[r * 33u + l.x] = A[row * shape.cols + col]; } }
  workgroupBarrier();
  for (var r = l.y; r < 32u; r += 8u) { let row = w.x * 32u + l.x; let col = w.y * 32u + r; if (row < shape.rows && col < shape.cols) { B[col * shape.rows + row] = tile[l.x * 33u + r]; } }
}
