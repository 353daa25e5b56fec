/* tilemark {
  "name": "mixed", "op": "matmul", "dtypes": ["f32-f16"],
  "bindings": { "A": "x", "B": "weights", "C": "y" },
  "covers": { "rows": 16, "cols": 16 }
} */
enable f16;
struct Shape { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<f16>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> shape: Shape;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.y >= shape.m || id.x >= shape.n) { return; }
  var sum = 0.0;
  for (var p = 0u; p < shape.k; p++) {
    sum += x[id.y * shape.k + p] * f32(weights[p * shape.n + id.x]);
  }
  y[id.y * shape.n + id.x] = sum;
}
