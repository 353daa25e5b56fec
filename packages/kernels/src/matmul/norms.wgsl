// 2-norms of the rows or the columns of a matrix.
//
// bindings  the matrix, the norms, its lines
// A line's elements lie `step` apart, its first at `pitch` times its index; `each` lines are in one
// matrix, and matrices lie one after the other. 16 threads share a line. The header declares
// S, the matrix with load_matrix, and INPUTS: the number of its bindings.

struct Lines { count: u32, each: u32, length: u32, pitch: u32, step: u32 }

@group(0) @binding(INPUTS) var<storage, read_write> norms: array<f32>;
@group(0) @binding(INPUTS + 1) var<uniform> lines: Lines;

var<workgroup> squares: array<f32, 256>;

@compute @workgroup_size(16, 16)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_id) local: vec3u,
) {
  // Neighbours in x read neighbours in memory.
  let along = select(local.yx, local.xy, lines.step == 1u);
  for (var first = 16u * group.x; first < lines.count; first += 16u * groups.x) {
    let line = first + along.y;
    let begin = line / lines.each * lines.each * lines.length + line % lines.each * lines.pitch;
    var sum = 0.0;
    for (var p = along.x; p < lines.length && line < lines.count; p += 16u) {
      let value = load_matrix(begin + p * lines.step);
      sum += value * value;
    }
    squares[16u * along.y + along.x] = sum;
    workgroupBarrier();
    if (along.x == 0u && line < lines.count) {
      var total = 0.0;
      for (var i = 0u; i < 16u; i++) { total += squares[16u * along.y + i]; }
      norms[line] = sqrt(total);
    }
    workgroupBarrier();
  }
}
