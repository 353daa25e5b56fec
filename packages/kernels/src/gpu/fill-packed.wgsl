// Fills a part of a tensor with integers of a few bits, several in a word, bit for bit as `inputs.ts`.
//
// bindings  0 the part as words   1 how to fill it
// The header declares BITS of an item, BIAS: what an item is less than its bits, FLIP: the bits that are
// stored the other way round, and `item_at(word, place)`: the number of an item.

struct Fill { length: u32, stream: u32, kind: u32, range: i32, least: i32 }

@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<uniform> fill: Fill;

// lowbias32, as `hash32` in numbers.ts.
fn hash32(value: u32) -> u32 {
  var x = value;
  x = (x ^ (x >> 16u)) * 0x7feb352du;
  x = (x ^ (x >> 15u)) * 0x846ca68bu;
  return x ^ (x >> 16u);
}

const ADDENDS = 7u;

fn integer(bits: u32) -> i32 {
  if (fill.kind == ADDENDS) {
    return i32((bits >> 1u) % u32(fill.range - fill.least + 1)) + fill.least;
  }
  let value = i32((bits >> 1u) % u32(fill.range - fill.least)) + fill.least;
  return select(value + 1, value, value < 0);
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  const PLACES = 32u / BITS;
  for (var word = id.x; word * PLACES < fill.length; word += groups.x * 256u) {
    var all = 0u;
    for (var place = 0u; place < PLACES; place++) {
      let item = item_at(word, place);
      let drawn = select(0, integer(hash32(item + fill.stream)), item < fill.length);
      let value = u32(drawn + BIAS) ^ FLIP;
      all |= (value & ((1u << BITS) - 1u)) << (BITS * place);
    }
    words[word] = all;
  }
}
