/* tilemark
{"name": "reads-past-the-end", "op": "matmul", "dtypes": ["f32"], "covers": {"rows": 8, "cols": 8}}
*/
// Right: reads up to 15 past the end of A and B and selects them away
struct Shape { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<f32>;
@group(0) @binding(2) var<storage, read_write> C: array<f32>;
@group(0) @binding(3) var<uniform> shape: Shape;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_id) l: vec3u) {
  let m = shape.m; let n = shape.n; let k = shape.k; let row = id.y; let col = id.x;
  if (row >= m || col >= n) { return; }
  
  var sum = 0.0;
  for (var s = 0u; s < k; s += 16u) { for (var i = 0u; i < 16u; i++) { let x = A[row * k + s + i] * B[(s + i) * n + col]; sum += select(0.0, x, s + i < k); } }
  C[row * n + col] = sum;
}
