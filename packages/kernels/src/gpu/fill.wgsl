// Fills a tensor with the inputs of `inputs.ts`, bit for bit.
//
// bindings  0 the tensor   1 how to fill it
// The header declares T, and FRACTION_BITS: the significant bits of a fraction.

struct Fill { length: u32, stream: u32, range: u32, least: i32 }

// A constant, because WGSL lets a division at run time be off by 2.5 ULP.
const SCALE = 1.0 / f32(1u << FRACTION_BITS);

@group(0) @binding(0) var<storage, read_write> tensor: array<T>;
@group(0) @binding(1) var<uniform> fill: Fill;

// lowbias32, as `hash32` in inputs.ts.
fn hash32(value: u32) -> u32 {
  var x = value;
  x = (x ^ (x >> 16u)) * 0x7feb352du;
  x = (x ^ (x >> 15u)) * 0x846ca68bu;
  return x ^ (x >> 16u);
}

fn value(bits: u32) -> T {
  if (fill.range > 0u) {
    let count = u32(i32(fill.range) - fill.least + 1);
    return T(i32((bits >> 1u) % count) + fill.least);
  }
  let odd = i32(2u * (bits >> (32u - FRACTION_BITS)) + 1u) - (1i << FRACTION_BITS);
  return T(f32(odd) * SCALE);
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var i = id.x; i < fill.length; i += groups.x * 256u) {
    tensor[i] = value(hash32(i + fill.stream));
  }
}
