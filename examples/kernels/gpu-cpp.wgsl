/* tilemark
{
  "name": "gpu-cpp",
  "about": "Tiles in workgroup memory, a block of sums per thread",
  "op": "matmul",
  "dtypes": ["f32"],
  "bindings": { "A": "a", "B": "b", "C": "c" },
  "tunables": {
    "BM": { "values": [64, 128, 32], "about": "Rows of C per workgroup" },
    "BN": { "values": [64, 128, 32], "about": "Columns of C per workgroup" },
    "BK": { "values": [16, 8, 32], "about": "Steps of K per tile" },
    "TM": { "values": [4, 8], "about": "Rows per thread" },
    "TN": { "values": [4, 8], "about": "Columns per thread" }
  },
  "requires": [
    { "that": "BM * BK % (BM * BN / (TM * TN)) == 0", "because": "its threads share the tile of A evenly" },
    { "that": "BN * BK % (BM * BN / (TM * TN)) == 0", "because": "its threads share the tile of B evenly" }
  ],
  "workgroupBytes": "4 * BK * (BM + BN)",
  "covers": { "rows": "BM", "cols": "BN", "order": "rows-x" },
  "multiples": { "m": "BM", "n": "BN", "k": "BK" }
}
*/

// kShaderMatmul4 of gpu.cpp by Answer.AI, Apache License 2.0 (LICENSE-gpu.cpp):
// https://github.com/AnswerDotAI/gpu.cpp/blob/09bdeaa7a0c6715ed7624ee90eda53aa2d8c4cbc/examples/matmul/run.cpp
// Changed: {{placeholders}} became tunables and sizes, and B is read row by row, where gpu.cpp has
// it transposed. gpu.cpp unrolls the loops as text; here the compiler may.

struct Shape { m: u32, n: u32, k: u32 }

@group(0) @binding(0) var<storage, read> a: array<T>;
@group(0) @binding(1) var<storage, read> b: array<T>;
@group(0) @binding(2) var<storage, read_write> c: array<T>;
@group(0) @binding(3) var<uniform> shape: Shape;
var<workgroup> tileA: array<T, BM * BK>;
var<workgroup> tileB: array<T, BN * BK>;

@compute @workgroup_size(BM * BN / (TM * TN))
fn main(
    @builtin(global_invocation_id) globalID : vec3<u32>,
    @builtin(local_invocation_id) localID : vec3<u32>,
    @builtin(workgroup_id) groupid : vec3<u32>) {

    var threadResults: array<T, TM * TN>;
    var localM: array<T, TM>;
    var localN: array<T, TN>;

    let cRow: u32 = groupid.x;
    let cCol: u32 = groupid.y;
    let numThread: u32 = (BM * BN) / (TM * TN);

    // position of the first c element computed by the thread
    let threadRow: u32 = (localID.x / (BN / TN)) * TM;
    let threadCol: u32 = (localID.x % (BN / TN)) * TN;

    // aPtr and bPtr are the starting positions of the tiles in a and b,
    // incremented in the bkidx loop.
    // cPtr is the starting position of the tile in c which is fixed.

    var aPtr = cRow * BM * shape.k;
    var bPtr = cCol * BN;
    let cPtr = cRow * BM * shape.n + cCol * BN;

    for (var bkidx = 0u; bkidx < shape.k; bkidx += BK) {

      // Load tile
      // Load BM x BK by numThread(BM * BN / (TM * TN))
      // The number of iteration == BM * BK / (BM * BN / (TM * TN))
      for (var idx: u32 = 0; idx < BM * BK / numThread; idx++) {
        tileA[localID.x + idx * numThread] = a[aPtr + ((localID.x + idx * numThread) / BK) * shape.k + (localID.x + idx * numThread) % BK];
      }
      // Load BK x BN by numThread(BM * BN / (TM * TN))
      // The number of iteration == BK * BN / (BM * BN / (TM * TN))
      for (var idx: u32 = 0; idx < BN * BK / numThread; idx++) {
        let at = localID.x + idx * numThread;
        tileB[(at % BN) * BK + at / BN] = b[bPtr + (at / BN) * shape.n + at % BN];
      }

      aPtr += BK;
      bPtr += BK * shape.n;

      workgroupBarrier();
      // Compute tile
      for (var dotIdx: u32 = 0; dotIdx < BK; dotIdx = dotIdx + 1) {
        for (var idx: u32 = 0; idx < TM; idx++) {
          localM[idx] = tileA[(threadRow + idx) * BK + dotIdx];
        }
        for (var idx: u32 = 0; idx < TN; idx++) {
          localN[idx] = tileB[(threadCol + idx) * BK + dotIdx];
        }
        for (var resIdxM: u32 = 0; resIdxM < TM; resIdxM++) {
          for (var resIdxN: u32 = 0; resIdxN < TN; resIdxN++) {
            threadResults[resIdxM * TN + resIdxN] += localM[resIdxM] * localN[resIdxN];
          }
        }
      }
      workgroupBarrier();
    }

    for (var resIdxM: u32 = 0; resIdxM < TM; resIdxM++) {
      for (var resIdxN: u32 = 0; resIdxN < TN; resIdxN++) {
        c[cPtr + (threadRow + resIdxM) * shape.n + threadCol + resIdxN] = threadResults[resIdxM * TN + resIdxN];
      }
    }
}
