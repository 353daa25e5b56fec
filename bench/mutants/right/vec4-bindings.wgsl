/* tilemark
{"name": "vec4-bindings", "op": "matmul", "dtypes": ["f32"], "covers": {"rows": 32, "cols": 32}, "multiples": {"n": 4, "k": 4}}
*/
// Right: vec4 bindings of all three, tile 4 x 4
struct Shape { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> A: array<vec4f>;
@group(0) @binding(1) var<storage, read> B: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4f>;
@group(0) @binding(3) var<uniform> shape: Shape;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let m = shape.m; let n4 = shape.n / 4u; let k4 = shape.k / 4u; let col = id.x; if (col >= n4) { return; }
  for (var r = 0u; r < 4u; r++) { let row = id.y * 4u + r; if (row >= m) { break; } var sum = vec4f();
    for (var p = 0u; p < k4; p++) { let a = A[row * k4 + p]; sum += a.x * B[(4u * p) * n4 + col] + a.y * B[(4u * p + 1u) * n4 + col] + a.z * B[(4u * p + 2u) * n4 + col] + a.w * B[(4u * p + 3u) * n4 + col]; }
    C[row * n4 + col] = sum; }
}
