// Compares an output with its reference, each element with its own bound. A workgroup sums up its
// share of the elements in one record.
//
// bindings  0 the output as words   1 the reference   2, 3 norms of A's rows and B's columns
//           4 what is compared      5 the records
// The header declares HALVES: the output's elements are halves, of type H.

struct Comparison {
  length: u32, cols: u32, share: u32, groups: u32,
  // bound = tolerance * scale + relative * |want| + absolute
  tolerance: f32, relative: f32, absolute: f32,
  // An error of one roundoff, relative to the scale.
  unit: f32,
  // The scale of every element; 0: the product of its norms.
  scale: f32,
  // Rows of one product of a batch; each has its own norms of columns.
  rows: u32,
  // Elements of the output before those that `want` has.
  base: u32,
}
struct Record {
  beyond: u32, infinite: u32,
  // The worst element: its place in `want`, its error over its bound, its bits in the output.
  worst: u32, ratio: f32, got: u32, want: f32, bound: f32,
  squares: f32, ideal: f32,
}

@group(0) @binding(0) var<storage, read> output: array<u32>;
@group(0) @binding(1) var<storage, read> want: array<f32>;
@group(0) @binding(2) var<storage, read> row_norms: array<f32>;
@group(0) @binding(3) var<storage, read> col_norms: array<f32>;
@group(0) @binding(4) var<uniform> comparison: Comparison;
@group(0) @binding(5) var<storage, read_write> records: array<Record>;

const INFINITE = 3e38;
const MOST_HALF = 65504.0;

var<workgroup> all: array<Record, 256>;

// By its bits, because compilers have been seen to fold a conversion there and back. The device's
// own conversion counts too, since WGSL lets it round either way.
fn nearest_half(exact: f32) -> f32 {
  let bits = bitcast<u32>(exact);
  return bitcast<f32>((bits + 0xfffu + ((bits >> 13u) & 1u)) & 0xffffe000u);
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  let first = group.x * comparison.share;
  let end = min(first + comparison.share, comparison.length);
  var mine = Record(0u, 0u, 0u, -1.0, 0u, 0.0, 0.0, 0.0, 0.0);
  for (var i = first + thread; i < end; i += 256u) {
    let exact = want[i];
    let at = i + comparison.base;
    var got = 0.0;
    var bits = 0u;
    var ideal = exact;
    // By its bits, because WGSL lets a compiler assume that no float is NaN or infinite.
    var is_finite = true;
    // Infinity of the right sign.
    var is_overflow = false;
    if (HALVES) {
      let word = output[at / 2u];
      bits = (word >> (16u * (at % 2u))) & 0xffffu;
      is_finite = (bits & 0x7c00u) != 0x7c00u;
      is_overflow = bits == select(0x7c00u, 0xfc00u, exact < 0.0);
      if (is_finite) { got = unpack2x16float(bits).x; }
      let near = clamp(exact, -MOST_HALF, MOST_HALF);
      ideal = nearest_half(near);
      let stored = f32(H(near));
      if (abs(stored - exact) > abs(ideal - exact)) { ideal = stored; }
    } else {
      bits = output[at];
      is_finite = (bits & 0x7f800000u) != 0x7f800000u;
      if (is_finite) { got = bitcast<f32>(bits); }
    }
    var scale = comparison.scale;
    if (scale == 0.0) {
      let row = at / comparison.cols;
      var col = at - row * comparison.cols;
      if (row >= comparison.rows) { col += row / comparison.rows * comparison.cols; }
      scale = row_norms[row] * col_norms[col];
    }
    let bound =
      comparison.tolerance * scale + comparison.relative * abs(exact) + comparison.absolute;
    let error = abs(got - exact);
    var ratio = INFINITE;
    if (is_finite) {
      ratio = error / bound;
      let roundoff = scale * comparison.unit;
      // Of zeros alone, and of denormals, there is none.
      if (roundoff > 0.0) {
        let units = error / roundoff;
        let least = (ideal - exact) / roundoff;
        mine.squares += units * units;
        mine.ideal += least * least;
      }
    } else {
      mine.infinite++;
      if (is_overflow && abs(exact) + bound >= MOST_HALF) { ratio = 0.0; }
    }
    if (ratio > 1.0) { mine.beyond++; }
    if (ratio > mine.ratio) {
      mine.ratio = ratio;
      mine.worst = i;
      mine.got = bits;
      mine.want = exact;
      mine.bound = bound;
    }
  }
  all[thread] = mine;
  for (var half = 128u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (thread < half) {
      let other = all[thread + half];
      all[thread].beyond += other.beyond;
      all[thread].infinite += other.infinite;
      all[thread].squares += other.squares;
      all[thread].ideal += other.ideal;
      if (other.ratio > all[thread].ratio) {
        all[thread].ratio = other.ratio;
        all[thread].worst = other.worst;
        all[thread].got = other.got;
        all[thread].want = other.want;
        all[thread].bound = other.bound;
      }
    }
  }
  if (thread == 0u) { records[group.x] = all[0]; }
}
