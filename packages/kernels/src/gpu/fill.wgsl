// Fills a part of a tensor with the inputs of `inputs.ts`, bit for bit.
//
// bindings  0 the part   1 how to fill it
// The header declares T, the type of items, FRACTION_BITS: the significant bits of a fraction, SCALE:
// what a fraction's integer is multiplied by (a constant, because WGSL lets a division at run time be
// off by 2.5 ULP), and INTEGERS: T is one.

struct Fill {
  length: u32, stream: u32, kind: u32, range: i32, least: i32,
  // Of scaled values.
  each: u32, steps: u32, pitch: u32, step: u32, role: u32,
}

const EXACT = 1u;
const SCALED = 2u;
const BITS = 3u;

@group(0) @binding(0) var<storage, read_write> tensor: array<T>;
@group(0) @binding(1) var<uniform> fill: Fill;

// lowbias32, as `hash32` in inputs.ts.
fn hash32(value: u32) -> u32 {
  var x = value;
  x = (x ^ (x >> 16u)) * 0x7feb352du;
  x = (x ^ (x >> 15u)) * 0x846ca68bu;
  return x ^ (x >> 16u);
}

/// From least to range.
fn exponent(bits: u32) -> i32 {
  return i32(bits % u32(fill.range - fill.least + 1)) + fill.least;
}

fn fraction(bits: u32) -> T {
  let odd = i32(2u * (bits >> (32u - FRACTION_BITS)) + 1u) - (1i << FRACTION_BITS);
  return T(f32(odd) * SCALE);
}

fn integer(bits: u32) -> T {
  let value = i32((bits >> 1u) % u32(fill.range - fill.least)) + fill.least;
  return T(select(value + 1, value, value < 0));
}

fn scaled(at: u32, bits: u32) -> T {
  const WIDTH = FRACTION_BITS - 1u;
  let size = fill.each * fill.steps;
  let within = at % size;
  let line = at / size * fill.each + within / fill.pitch % fill.each;
  let p = within / fill.step % fill.steps;
  let of_line = hash32(hash32(line + fill.stream));
  let places = max((fill.steps + 1u - fill.role) / 2u, 1u);
  var magnitude = bits >> (32u - WIDTH);
  if (p % 2u == fill.role) {
    magnitude = select(0u, 1u, p == 2u * (hash32(of_line) % places) + fill.role);
  } else if ((bits & 0x0eu) == 0u) {
    magnitude = select(1u << ((bits >> 8u) % WIDTH), 0u, (bits & 0x10u) == 0u);
  }
  let value = select(f32(magnitude), -f32(magnitude), (bits & 1u) == 1u && magnitude > 0u);
  return T(value * bitcast<f32>(u32(exponent(of_line >> 1u) + 127) << 23u));
}

fn pattern(bits: u32) -> T {
  const MANTISSA = 0x7fffffu & ~((1u << (24u - FRACTION_BITS)) - 1u);
  let more = hash32(bits);
  if ((more & 15u) == 0u) { return T(0); }
  if (INTEGERS) { return T(bitcast<i32>(bits)); }
  let float = (bits & 0x80000000u) | (u32(exponent(more >> 4u)) << 23u) | (bits & MANTISSA);
  return T(bitcast<f32>(float));
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var i = id.x; i < fill.length; i += groups.x * 256u) {
    let bits = hash32(i + fill.stream);
    if (fill.kind == EXACT) {
      tensor[i] = integer(bits);
    } else if (fill.kind == SCALED) {
      tensor[i] = scaled(i, bits);
    } else if (fill.kind == BITS) {
      tensor[i] = pattern(bits);
    } else {
      tensor[i] = fraction(bits);
    }
  }
}
