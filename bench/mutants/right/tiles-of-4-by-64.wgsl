/* tilemark
{"name": "tiles-of-4-by-64", "op": "matmul", "dtypes": ["f32"], "covers": {"rows": 4, "cols": 64}}
*/
// Right: tiles of 4 x 64, K by 12
struct Shape { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<f32>;
@group(0) @binding(2) var<storage, read_write> C: array<f32>;
@group(0) @binding(3) var<uniform> shape: Shape;
var<workgroup> ta: array<f32, 48>; var<workgroup> tb: array<f32, 768>;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) t: u32) {
  let m = shape.m; let n = shape.n; let k = shape.k; var sum = vec4f(); let col = w.x * 64u + t;
  for (var s = 0u; s < k; s += 12u) {
    if (t < 48u) { let r = w.y * 4u + t / 12u; let p = s + t % 12u; ta[t] = 0.0; if (r < m && p < k) { ta[t] = A[r * k + p]; } }
    for (var i = 0u; i < 12u; i++) { tb[i * 64u + t] = 0.0; if (s + i < k && col < n) { tb[i * 64u + t] = B[(s + i) * n + col]; } }
    workgroupBarrier();
    for (var i = 0u; i < 12u; i++) { sum += vec4f(ta[i], ta[12u + i], ta[24u + i], ta[36u + i]) * tb[i * 64u + t]; }
    workgroupBarrier();
  }
  for (var r = 0u; r < 4u; r++) { if (w.y * 4u + r < m && col < n) { C[(w.y * 4u + r) * n + col] = sum[r]; } }
}
