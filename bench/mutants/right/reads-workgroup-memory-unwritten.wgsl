/* tilemark
{"name": "reads-workgroup-memory-unwritten", "op": "matmul", "dtypes": ["f32"], "covers": {"rows": 8, "cols": 8}}
*/
// Right: workgroup memory read before it is written: zero
struct Shape { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<f32>;
@group(0) @binding(2) var<storage, read_write> C: array<f32>;
@group(0) @binding(3) var<uniform> shape: Shape;
var<workgroup> sums: array<f32, 64>;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) t: u32) {
  let n = shape.n; let k = shape.k; if (id.y >= shape.m || id.x >= n) { return; }
  for (var p = 0u; p < k; p++) { sums[t] += A[id.y * k + p] * B[p * n + id.x]; }
  C[id.y * n + id.x] = sums[t];
}
