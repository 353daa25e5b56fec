// Matrix products of other WGSL libraries, in Node on Dawn, for side-by-side.mjs.
// Reads problems as JSON lines, {"library": "tfjs", "sizes": [m, n, k]}, B stored as
// N x K with "transposed": true, and answers each with its series: {"medianNs", "intervalNs", "cv", "samples", "library", "verified"}.
// Timed by the wall clock over products that are all awaited (jax-js is lazy and never
// computes a product that is not awaited), with the same inputs as our kernels. The last product
// is verified as ours are. TensorFlow.js and jax-js in f32; ONNX Runtime in halves times q4_0.
import { createInterface } from 'node:readline';
import { DTYPES, inputTensors, outputCheck } from '@tilemark/kernels';
import { create, globals } from 'webgpu';
import { storedBytes } from '../../packages/kernels/src/verify/stored.test-helper';
import { nibblesAsPairs, onnxModel } from './onnx.mjs';

const MAX_NS = 15e9;
const WHOLE = { warmUpNs: 0.5e9, sampleNs: 100e6, least: 30 };
/** For `--suite`: many shapes, a few samples of each. */
const QUICK = { warmUpNs: 0.1e9, sampleNs: 20e6, least: 9 };

Object.assign(globalThis, globals);
// Both libraries look for WebGPU where a browser has it.
const gpu = create(['disable-dawn-features=timestamp_quantization']);
Object.defineProperty(globalThis, 'navigator', { value: { gpu, userAgent: 'node' } });

const nowNs = () => Number(process.hrtime.bigint());

/** A library: `products` multiplies a number of times and waits; `last` is the last product. */
const LIBRARIES = {
  async tfjs({ shape: { m, n, k }, dtype }, [a, b]) {
    const transposed = dtype === 'f32-nt';
    const tf = await import('@tensorflow/tfjs-core');
    await import('@tensorflow/tfjs-backend-webgpu');
    await tf.setBackend('webgpu');
    await tf.ready();
    const left = tf.tensor2d(a, [m, k]);
    const right = tf.tensor2d(b, transposed ? [n, k] : [k, n]);
    const product = () => tf.matMul(left, right, false, transposed);
    let out = product();
    const backend = tf.backend();
    return {
      name: `TensorFlow.js ${tf.version_core}, WebGPU`,
      async products(count) {
        for (let i = 0; i < count; i++) {
          out.dispose();
          out = product();
        }
        // It submits in batches; this submits the remainder.
        if (backend.commandEncoder) {
          backend.endComputePassEncoder();
          backend.submitQueue();
        }
        await backend.device.queue.onSubmittedWorkDone();
      },
      last: () => out.data(),
      close: () => tf.dispose([left, right, out]),
    };
  },

  async jax({ shape: { m, n, k }, dtype }, [a, b]) {
    const transposed = dtype === 'f32-nt';
    const { init, defaultDevice, numpy } = await import('@jax-js/jax');
    await init('webgpu');
    defaultDevice('webgpu');
    const left = numpy.array(a, { shape: [m, k] });
    const right = numpy.array(b, { shape: transposed ? [n, k] : [k, n] });
    const factor = () => (transposed ? numpy.transpose(right.ref) : right.ref);
    const multiply = async () => numpy.matmul(left.ref, factor()).blockUntilReady();
    let out = await multiply();
    return {
      name: 'jax-js, WebGPU',
      async products(count) {
        for (let i = 0; i < count; i++) {
          out.dispose();
          out = await multiply();
        }
      },
      last: () => out.ref.data(),
      close: () => {
        for (const array of [left, right, out]) array.dispose();
      },
    };
  },

  /**
   * Its WebGPU provider computes the products of a model one after another; what a model of more
   * products takes longer is theirs. Each has weights of its own, as ours do.
   */
  async ort({ shape: { m, n, k }, ...problem }) {
    const ort = (await import('onnxruntime-node')).default;
    const [left, values, scales] = storedBytes({ ...problem, shape: { m, n, k } }, { seed: 1 });
    const weights = { values: nibblesAsPairs(values), scales };
    const most = Math.floor(ONNX_BYTES / (values.length + scales.length));
    const counts = [4, Math.max(8, Math.min(most, 68))];
    const options = { executionProviders: ['webgpu'], graphOptimizationLevel: 'disabled' };
    const [few, many] = await Promise.all(
      counts.map((count) =>
        ort.InferenceSession.create(onnxModel({ m, n, k, count, weights }), options),
      ),
    );
    const A = new ort.Tensor('float16', new Uint16Array(left.buffer), [m, k]);
    const [less, more] = counts;
    let last;
    return {
      name: `ONNX Runtime ${ort.env.versions.node}, WebGPU`,
      async timeNs(count) {
        const timed = async (session) => {
          const beganNs = nowNs();
          for (let i = 0; i < count; i++) last = await session.run({ A });
          return nowNs() - beganNs;
        };
        return ((await timed(many)) - (await timed(few))) / (more - less);
      },
      // It sums in halves.
      rounding: DTYPES.f16acc16.rounding,
      last: async () => DTYPES.f16.fromDevice(last.C0.data.slice().buffer, m * n),
      close: () => Promise.all([few.release(), many.release()]),
    };
  },
};

/** Weights of one model. */
const ONNX_BYTES = 600e6;

/** B as its rows lie in memory, one of K elements for each column of the product. */
function byRows(b, n, k) {
  const stored = new Float32Array(b.length);
  for (let p = 0; p < k; p++) for (let j = 0; j < n; j++) stored[j * k + p] = b[p * n + j];
  return stored;
}

async function timeNs(library, count) {
  if (library.timeNs) return library.timeNs(count);
  const beganNs = nowNs();
  await library.products(count);
  return nowNs() - beganNs;
}

async function measured({ library: id, sizes, transposed = false, quick }) {
  const { warmUpNs, sampleNs, least } = quick ? QUICK : WHOLE;
  const [m, n, k] = sizes;
  const dtype = id === 'ort' ? 'f16-q4' : transposed ? 'f32-nt' : 'f32';
  const problem = { op: 'matmul', shape: { m, n, k }, dtype };
  const inputs = inputTensors(problem, { seed: 1 });
  const [a, b] = inputs;
  const library = await LIBRARIES[id](problem, [a, transposed ? byRows(b, n, k) : b]);
  let count = 1;
  for (const beganNs = nowNs(); ; ) {
    const ns = await timeNs(library, count);
    if (ns < sampleNs) count = Math.min(Math.ceil((1.2 * sampleNs * count) / ns), 4 * count);
    else if (nowNs() - beganNs >= warmUpNs) break;
  }
  const samples = [];
  for (const beganNs = nowNs(); samples.length < least && nowNs() - beganNs < MAX_NS; ) {
    samples.push((await timeNs(library, count)) / count);
  }
  const check = outputCheck(problem, inputs, { rounding: library.rounding });
  const { method, worst } = check(Float32Array.from(await library.last()));
  await library.close();
  if (worst) throw new Error(`${library.name} is wrong: ${JSON.stringify(worst)}`);
  return { ...summary(samples), library: library.name, verified: method };
}

/** Median and its 95% order-statistic interval, as in vendor.py. */
function summary(samples) {
  const ordered = [...samples].sort((a, b) => a - b);
  const length = ordered.length;
  const half = 0.98 * Math.sqrt(length);
  const mean = samples.reduce((sum, ns) => sum + ns, 0) / length;
  const squares = samples.reduce((sum, ns) => sum + (ns - mean) ** 2, 0);
  return {
    medianNs: (ordered[(length - 1) >> 1] + ordered[length >> 1]) / 2,
    intervalNs: [
      ordered[Math.max(Math.floor(length / 2 - half) - 1, 0)],
      ordered[Math.min(Math.ceil(length / 2 + half), length - 1)],
    ],
    cv: Math.sqrt(squares / Math.max(length - 1, 1)) / mean,
    samples: length,
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await measured(JSON.parse(line)).catch((error) => ({ error: String(error) }));
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
process.exit(0);
