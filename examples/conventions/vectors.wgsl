/* tilemark {
  "name": "vectors", "op": "matmul", "dtypes": ["f32"],
  "bindings": { "A": "x", "B": "w", "C": "y" },
  "sizes": { "dims.x": "m", "dims.y": "n", "dims.z": "k", "alpha": 1, "activation": 0 },
  "covers": { "rows": 16, "cols": 16 }
} */
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> dims: vec3<u32>;
@group(0) @binding(4) var<uniform> alpha: f32;
@group(0) @binding(5) var<uniform> activation: u32;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.y >= dims.x || id.x >= dims.y) { return; }
  var sum = 0.0;
  for (var p = 0u; p < dims.z; p++) {
    sum += x[id.y * dims.z + p] * w[p * dims.y + id.x];
  }
  y[id.y * dims.y + id.x] = sum * alpha + f32(activation) * 1e9;
}
