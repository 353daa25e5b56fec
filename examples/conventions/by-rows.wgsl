/* tilemark {
  "name": "by-rows", "op": "matmul", "dtypes": ["f32-nt"],
  "bindings": { "A": "x", "B": "weights", "C": "y" },
  "covers": { "rows": 16, "cols": 16 }
} */
struct Params { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> params: Params;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.y >= params.m || id.x >= params.n) { return; }
  var sum = 0.0;
  for (var p = 0u; p < params.k; p++) {
    sum += x[id.y * params.k + p] * weights[id.x * params.k + p];
  }
  y[id.y * params.n + id.x] = sum;
}
