/* tilemark {
  "name": "blocks", "op": "matmul", "dtypes": ["f16-q8"],
  "bindings": { "A": "x", "B": "quants", "B_scales": "scales", "C": "y" },
  "covers": { "rows": 16, "cols": 16 }
} */
enable f16;
struct Params { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> quants: array<u32>;
@group(0) @binding(1) var<storage, read> scales: array<f16>;
@group(0) @binding(2) var<storage, read> x: array<f16>;
@group(0) @binding(3) var<storage, read_write> y: array<f16>;
@group(0) @binding(4) var<uniform> params: Params;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.y >= params.m || id.x >= params.n) { return; }
  var sum = 0.0;
  for (var p = 0u; p < params.k; p++) {
    let at = id.x * params.k + p;
    let quant = extractBits(bitcast<i32>(quants[at / 4]), 8 * (at % 4), 8);
    sum += f32(x[id.y * params.k + p]) * f32(quant) * f32(scales[at / 32]);
  }
  y[id.y * params.n + id.x] = f16(sum);
}
