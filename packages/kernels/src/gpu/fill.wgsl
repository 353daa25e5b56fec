// Fills a part of a tensor with the inputs of `inputs.ts`, bit for bit; fills.ts says what they are for.
//
// bindings  0 the part   1 how to fill it
// The header declares T, the type that items are computed in, `bits_of` an item, HALVES: two of them share a
// word, FRACTION_BITS: the significant bits of a fraction, SCALE: what a fraction's integer is multiplied by
// (a constant, because WGSL lets a division at run time be off by 2.5 ULP), INTEGERS: T is one, and the place
// of SIGN and the other bits of infinity and NaN.

struct Fill {
  length: u32, stream: u32, kind: u32, range: i32, least: i32,
  // Of the lines that are summed.
  each: u32, steps: u32, pitch: u32, step: u32, role: u32,
}

const WHOLE = 1u;
const SCALED = 2u;
const BITS = 3u;
const LARGE = 4u;
const OUTLIERS = 5u;
const ZEROS = 6u;
const ADDENDS = 7u;
const RARE = 8u;
const SIGNED = 9u;

@group(0) @binding(0) var<storage, read_write> tensor: array<u32>;
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

fn power_of_two(exponent: i32) -> f32 {
  return bitcast<f32>(u32(exponent + 127) << 23u);
}

fn odd(bits: u32) -> f32 {
  return f32(i32(2u * (bits >> (32u - FRACTION_BITS)) + 1u) - (1i << FRACTION_BITS));
}

fn fraction(bits: u32) -> T {
  return T(odd(bits) * SCALE);
}

fn integer(bits: u32) -> T {
  let value = i32((bits >> 1u) % u32(fill.range - fill.least)) + fill.least;
  return T(select(value + 1, value, value < 0));
}

fn rare(bits: u32) -> T {
  return T(select(0, 1 - i32(2u * (bits & 1u)), (bits >> 1u) % u32(fill.range) == 0u));
}

/// The line of an element, counted through a batch.
fn line_of(at: u32) -> u32 {
  let size = fill.each * fill.steps;
  return at / size * fill.each + at % size / fill.pitch % fill.each;
}

fn of_one_sign(at: u32, bits: u32) -> T {
  let is_one = (bits >> 1u) % u32(max(-fill.least, 1)) == 0u;
  let magnitude = select(exponent(bits >> 1u), select(0, 1, is_one), fill.least < 0);
  let is_negative = fill.role == 0u && hash32(hash32(line_of(at) + fill.stream)) % 2u == 1u;
  return T(select(magnitude, -magnitude, is_negative));
}

/// Its step along the sum.
fn step_of(at: u32) -> u32 {
  return at % (fill.each * fill.steps) / fill.step % fill.steps;
}

fn scaled(at: u32, bits: u32) -> T {
  const WIDTH = FRACTION_BITS - 1u;
  let line = line_of(at);
  let p = step_of(at);
  let of_line = hash32(hash32(line + fill.stream));
  let places = max((fill.steps + 1u - fill.role) / 2u, 1u);
  var magnitude = bits >> (32u - WIDTH);
  if (p % 2u == fill.role) {
    magnitude = select(0u, 1u, p == 2u * (hash32(of_line) % places) + fill.role);
  } else if ((bits & 0x0eu) == 0u) {
    magnitude = select(1u << ((bits >> 8u) % WIDTH), 0u, (bits & 0x10u) == 0u);
  }
  let value = select(f32(magnitude), -f32(magnitude), (bits & 1u) == 1u && magnitude > 0u);
  return T(value * power_of_two(exponent(of_line >> 1u)));
}

fn large(at: u32, bits: u32) -> T {
  const WIDTH = i32(FRACTION_BITS);
  if (hash32(hash32(line_of(at) + fill.stream)) % 8u != 0u) {
    return T(odd(bits) * power_of_two(fill.least - WIDTH));
  }
  let magnitude = (1u << (FRACTION_BITS - 1u)) + ((bits >> (33u - FRACTION_BITS)) | 1u);
  return T(f32(magnitude) * power_of_two(fill.range - WIDTH));
}

fn outlier(at: u32, bits: u32) -> T {
  let is_outlier = step_of(at) % 2u == fill.role && hash32(bits) % 32u == 0u;
  return T(odd(bits) * SCALE * power_of_two(select(0, fill.range, is_outlier)));
}

fn among_zeros(at: u32, bits: u32) -> T {
  if (hash32(hash32(at / 64u + fill.stream)) % 2u == 0u) { return T(0); }
  if (INTEGERS) { return integer(bits); }
  return fraction(bits);
}

fn denormal(bits: u32) -> u32 {
  return ((bits >> 31u) << SIGN) | (bits & ((1u << (FRACTION_BITS - 1u)) - 1u)) | 1u;
}

fn special(bits: u32, which: u32) -> u32 {
  switch (which) {
    case 0u: { return 1u << SIGN; }
    case 1u: { return ((bits >> 31u) << SIGN) | INFINITE; }
    case 2u: { return NAN; }
    default: { return denormal(bits); }
  }
}

fn pattern(bits: u32) -> u32 {
  const MANTISSA = 0x7fffffu & ~((1u << (24u - FRACTION_BITS)) - 1u);
  let more = hash32(bits);
  if ((more & 15u) == 0u) { return 0u; }
  if (INTEGERS) { return bits; }
  if ((more & 15u) == 1u) { return special(bits, (more >> 4u) & 3u); }
  let float = (bits & 0x80000000u) | (u32(exponent(more >> 4u)) << 23u) | (bits & MANTISSA);
  return bits_of(T(bitcast<f32>(float)));
}

/// Its bits.
fn item(i: u32) -> u32 {
  let bits = hash32(i + fill.stream);
  switch (fill.kind) {
    case WHOLE: { return bits_of(integer(bits)); }
    case SCALED: { return bits_of(scaled(i, bits)); }
    case BITS: { return pattern(bits); }
    case LARGE: { return bits_of(large(i, bits)); }
    case OUTLIERS: { return bits_of(outlier(i, bits)); }
    case ZEROS: { return bits_of(among_zeros(i, bits)); }
    case ADDENDS: { return bits_of(T(exponent(bits >> 1u))); }
    case RARE: { return bits_of(rare(bits)); }
    case SIGNED: { return bits_of(of_one_sign(i, bits)); }
    default: { return bits_of(fraction(bits)); }
  }
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  if (!HALVES) {
    for (var i = id.x; i < fill.length; i += groups.x * 256u) {
      tensor[i] = item(i);
    }
    return;
  }
  for (var i = id.x; i < (fill.length + 1u) / 2u; i += groups.x * 256u) {
    // What lies behind an odd number of halves stays.
    var upper = tensor[i] & 0xffff0000u;
    if (2u * i + 1u < fill.length) { upper = item(2u * i + 1u) << 16u; }
    tensor[i] = upper | item(2u * i);
  }
}
