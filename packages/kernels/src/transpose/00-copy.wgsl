// transpose/copy: moves the same bytes without transposing. No transpose can be
// faster, so this is the ladder's ceiling.
//
// bindings  0 A [rows x cols]   1 B, as long as A   2 the shape
// tunables  WORKGROUP  threads in a workgroup
//
//   A  |0 1 2 3|4 5 6 7|8 9 . .|    one thread moves one vec4; the last thread
//   B  |0 1 2 3|4 5 6 7|8 9 . .|    moves what is left, element by element

struct Shape { rows: u32, cols: u32 }

@group(0) @binding(0) var<storage, read> A: array<vec4<T>>;
@group(0) @binding(1) var<storage, read_write> B: array<vec4<T>>;
@group(0) @binding(2) var<uniform> shape: Shape;

@compute @workgroup_size(WORKGROUP)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  // Workgroups are numbered over x and y, because x alone is limited to 65,535.
  let i = (group.y * groups.x + group.x) * WORKGROUP + thread;
  let length = shape.rows * shape.cols;
  if (i < length / 4u) {
    B[i] = A[i];
  } else if (i == length / 4u) {
    for (var lane = 0u; lane < length % 4u; lane++) {
      B[i][lane] = A[i][lane];
    }
  }
}
