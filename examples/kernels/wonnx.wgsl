/* tilemark
{
  "name": "wonnx",
  "about": "Four by four elements per thread, by products of 4 x 4 matrices",
  "op": "matmul",
  "dtypes": ["f32"],
  "bindings": { "A": "input_left", "B": "input_right", "C": "output_0" },
  "tunables": { "SIZE": { "values": [64, 128, 256, 32], "about": "Threads per workgroup" } },
  "covers": { "rows": 4, "cols": "4 * SIZE", "order": "flat" },
  "multiples": { "m": 4, "n": 4, "k": 4 }
}
*/

// gemm.wgsl of WONNX, MIT licence (LICENSE-wonnx):
// https://github.com/webonnx/wonnx/blob/c62f5d336c152102882a163ebc1eb18e63550de8/wonnx/templates/matrix/gemm.wgsl
// Changed: the template for kernels of 4 x 4 is filled in without bias and stacks, the sizes come
// from the uniform of Tilemark, and threads beyond the last block return.

struct Shape { m: u32, n: u32, k: u32 }

struct GemmArrayVector {
	data: array<vec4<f32>>
};

@group(0) @binding(0)
var<storage, read> input_left: GemmArrayVector;

@group(0) @binding(1)
var<storage, read> input_right: GemmArrayVector;

@group(0) @binding(2)
var<storage, read_write> output_0: GemmArrayVector;

@group(0) @binding(3)
var<uniform> shape: Shape;

@compute @workgroup_size(SIZE, 1)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
	let n_chunks = shape.n / 4u;
	let k_chunks = shape.k / 4u;
	let y = global_id.x % n_chunks;
	let x = global_id.x / n_chunks;
	if (x >= shape.m / 4u) {
		return;
	}

	let index = (x * shape.n) + y;

	let zero_vec = vec4<f32>(0.0, 0.0, 0.0, 0.0);
	let zero_matrix = mat4x4<f32>(zero_vec, zero_vec, zero_vec, zero_vec);

	var tmpsum = zero_matrix;
	var product = zero_matrix;

	for(var k: u32 = 0u; k < k_chunks; k = k + 1u) {
		let index_left = (x * shape.k) + k;
		let index_right = (k * shape.n) + y;

		let mat_left = mat4x4<f32>(
			input_left.data[index_left],
			input_left.data[index_left + k_chunks],
			input_left.data[index_left + 2u * k_chunks],
			input_left.data[index_left + 3u * k_chunks]
		);

		let mat_right = mat4x4<f32>(
			input_right.data[index_right],
			input_right.data[index_right + n_chunks],
			input_right.data[index_right + 2u * n_chunks],
			input_right.data[index_right + 3u * n_chunks]
		);

		product = mat_right * mat_left;
		tmpsum = tmpsum + product;
	}

	for(var index_mat: u32 = 0u; index_mat < 4u; index_mat = index_mat + 1u) {
		output_0.data[index + (index_mat * n_chunks)] = tmpsum[index_mat];
	}
}
