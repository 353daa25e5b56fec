/* tilemark
{"name": "k-in-four-parts", "op": "matmul", "dtypes": ["f32"], "covers": {"rows": 8, "cols": 8, "split": 4}, "entryPoint": "parts", "scratchBytes": "16 * m * n", "passes": [{"entryPoint": "join", "covers": {"rows": 8, "cols": 8}}]}
*/
// Right: K in four parts in scratch, added by a second pass
struct Shape { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<f32>;
@group(0) @binding(2) var<storage, read_write> C: array<f32>;
@group(0) @binding(3) var<uniform> shape: Shape;
@group(0) @binding(4) var<storage, read_write> scratch: array<u32>;
@compute @workgroup_size(8, 8)
fn parts(@builtin(global_invocation_id) id: vec3u) {
  let m = shape.m; let n = shape.n; let k = shape.k; if (id.y >= m || id.x >= n) { return; } let q = (k + 3u) / 4u; var sum = 0.0;
  for (var p = id.z * q; p < min(k, (id.z + 1u) * q); p++) { sum += A[id.y * k + p] * B[p * n + id.x]; } scratch[(id.z * m + id.y) * n + id.x] = bitcast<u32>(sum);
}
@compute @workgroup_size(8, 8)
fn join(@builtin(global_invocation_id) id: vec3u) {
  let m = shape.m; let n = shape.n; if (id.y >= m || id.x >= n) { return; } var sum = 0.0; for (var q = 0u; q < 4u; q++) { sum += bitcast<f32>(scratch[(q * m + id.y) * n + id.x]); } C[id.y * n + id.x] = sum;
}
