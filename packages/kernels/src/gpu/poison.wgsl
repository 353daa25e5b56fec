// Writes over a whole buffer what no kernel may leave: the guards on both sides, and between them
// NaN or values as plausible as an earlier result.
//
// bindings  0 the buffer as words   1 what to write

struct Poison {
  // Words of the content: from the first, up to the end.
  first: u32, end: u32,
  // Halves of the last word that belong to the content.
  halves: u32,
  kind: u32,
  // Of the content's values and of the guards' words.
  stream: u32, guard: u32,
  // Largest magnitude of the values.
  most: f32,
}

@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<uniform> poison: Poison;

const FLOATS = 1u;
const HALVES = 2u;
const INTEGERS = 3u;

fn hash32(value: u32) -> u32 {
  var x = value;
  x = (x ^ (x >> 16u)) * 0x7feb352du;
  x = (x ^ (x >> 15u)) * 0x846ca68bu;
  return x ^ (x >> 16u);
}

/// In (-most, most), of 16 bits.
fn value(bits: u32) -> f32 {
  return (f32(2u * (bits & 0xffffu) + 1u) / 65536.0 - 1.0) * poison.most;
}

fn content(i: u32) -> u32 {
  let bits = hash32(i + poison.stream);
  if (poison.kind == FLOATS) { return bitcast<u32>(value(bits)); }
  if (poison.kind == HALVES) { return pack2x16float(vec2f(value(bits), value(bits >> 16u))); }
  if (poison.kind == INTEGERS) { return bitcast<u32>(i32(value(bits))); }
  return POISON_WORD;
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var i = id.x; i < arrayLength(&words); i += groups.x * 256u) {
    let guard = hash32(i ^ poison.guard);
    if (i < poison.first || i >= poison.end) {
      words[i] = guard;
    } else if (i == poison.end - 1u && poison.halves == 1u) {
      words[i] = (content(i) & 0xffffu) | (guard & 0xffff0000u);
    } else {
      words[i] = content(i);
    }
  }
}
