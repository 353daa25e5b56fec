/* tilemark {
  "name": "fused", "op": "matmul", "dtypes": ["f32"], "epilogue": "bias-gelu",
  "bindings": { "A": "x", "B": "w1", "bias": "b1", "C": "y" },
  "covers": { "rows": 16, "cols": 16 }
} */
struct Params { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> b1: array<f32>;
@group(0) @binding(2) var<storage, read> w1: array<f32>;
@group(0) @binding(3) var<storage, read> x: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.y >= params.m || id.x >= params.n) { return; }
  var sum = 0.0;
  for (var p = 0u; p < params.k; p++) {
    sum += x[id.y * params.k + p] * w1[p * params.n + id.x];
  }
  y[id.y * params.n + id.x] = gelu(sum + b1[id.x]);
}
fn gelu(x: f32) -> f32 {
  return 0.5 * x * (1.0 + tanh(sqrt(2.0 / 3.14159265) * (x + 0.044715 * x * x * x)));
}
