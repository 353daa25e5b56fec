/** What an exported module computed in a runtime, for tests; bundled for it, so without Node. */
export interface Multiplied {
  readonly shape: string;
  /** Whose row ran. */
  readonly gpus: readonly string[];
  readonly dtype: string;
  readonly address: string;
  /** The largest difference from the product in f64, over the largest of its elements. */
  readonly error: number;
}

/** The exports of a module of `/best`. */
interface Answers {
  readonly table: readonly { readonly shape: string }[];
  requirements(adapter: GPUAdapter): GPUDeviceDescriptor;
  kernelFor(device: GPUDevice, shape: string, info?: object): Promise<Kernel>;
}

interface Kernel {
  readonly gpus: Readonly<Record<string, string>>;
  readonly dtype: string;
  readonly address: string;
  readonly tensors: readonly { name: string; bytes: number; isOutput: boolean }[];
  encode(encoder: GPUCommandEncoder, buffers: Readonly<Record<string, GPUBuffer>>): void;
  run(inputs: readonly ArrayBufferView[]): Promise<ArrayBuffer>;
}

/** Eighths, which halves hold exactly, and their bits there. */
const VALUES = [0, 0.125, -0.25, 0.5, -0.125, 0.75, -1, 0.25, 1, -0.5, -0.75];
const BITS = [0, 0x3000, 0xb400, 0x3800, 0xb000, 0x3a00, 0xbc00, 0x3400, 0x3c00, 0xb800, 0xba00];

/** Inputs that repeat after no side of a product. */
function inputOf(dtype: string, length: number, salt: number): Float32Array | Uint16Array {
  const stored = dtype === 'f32' ? new Float32Array(length) : new Uint16Array(length);
  const table = dtype === 'f32' ? VALUES : BITS;
  for (let i = 0; i < length; i++) stored[i] = table[(i * 7 + (i >> 5) + salt) % 11] ?? 0;
  return stored;
}

function ofBits(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const size = exponent === 0 ? fraction / 2 ** 24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}

const valuesIn = (dtype: string, bytes: ArrayBuffer): Float32Array =>
  dtype === 'f32' ? new Float32Array(bytes) : Float32Array.from(new Uint16Array(bytes), ofBits);

/**
 * Multiplies every shape of a module: by typed arrays, then by buffers of its own and an encoder, as
 * the GPU of the runtime, as a GPU of NVIDIA with its subgroups, and as one that tells nothing.
 */
export async function multiplyEverything(gpu: GPU, answers: Answers): Promise<Multiplied[]> {
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new Error('this runtime has no adapter');
  const device = await adapter.requestDevice(answers.requirements(adapter));
  const { subgroupMaxSize, subgroupMinSize } = adapter.info;
  const lanes = { subgroupMaxSize, subgroupMinSize };
  const all: Multiplied[] = [];
  for (const shape of new Set(answers.table.map((row) => row.shape))) {
    const [m = 0, n = 0, k = 0] = shape.split('x').map(Number);
    const sizes = [m * k, k * n];
    const want = productOf(m, n, k);
    for (const info of [adapter.info, { vendor: 'nvidia', ...lanes }, { vendor: '', ...lanes }]) {
      const kernel = await answers.kernelFor(device, shape, info);
      const { address, dtype, gpus } = kernel;
      const inputs = sizes.map((length, salt) => inputOf(dtype, length, salt));
      const [bytes, encoded] = [await kernel.run(inputs), await encode(device, kernel, inputs)];
      const errors = [bytes, encoded].map((one) => errorOf(valuesIn(dtype, one), want));
      all.push({ shape, gpus: Object.keys(gpus), dtype, address, error: Math.max(...errors) });
    }
  }
  device.destroy();
  return all;
}

/** Two dispatches of one encoder over the buffers of a program. */
async function encode(device: GPUDevice, kernel: Kernel, inputs: readonly ArrayBufferView[]) {
  const buffers = kernel.tensors.map(({ bytes, name }, at) => {
    const buffer = device.createBuffer({ size: bytes, usage: 0x8c });
    const whole = new Uint8Array(bytes);
    const data = inputs[at];
    if (data) whole.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    device.queue.writeBuffer(buffer, 0, whole);
    return [name, buffer] as const;
  });
  const at = kernel.tensors.findIndex(({ isOutput }) => isOutput);
  const size = kernel.tensors[at]?.bytes ?? 0;
  const copy = device.createBuffer({ size, usage: 0x9 });
  const encoder = device.createCommandEncoder();
  kernel.encode(encoder, Object.fromEntries(buffers));
  kernel.encode(encoder, Object.fromEntries(buffers));
  encoder.copyBufferToBuffer(buffers[at]?.[1] as GPUBuffer, 0, copy, 0, size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(1);
  return copy.getMappedRange().slice(0);
}

/** The product of the inputs, in f64. */
function productOf(m: number, n: number, k: number): Float64Array {
  const a = inputOf('f32', m * k, 0);
  const b = inputOf('f32', k * n, 1);
  const c = new Float64Array(m * n);
  for (let row = 0; row < m; row++) {
    for (let p = 0; p < k; p++) {
      const factor = a[row * k + p] ?? 0;
      for (let col = 0; col < n; col++) c[row * n + col]! += factor * (b[p * n + col] ?? 0);
    }
  }
  return c;
}

function errorOf(output: Float32Array, want: Float64Array): number {
  let [worst, largest] = [0, 0];
  for (const [i, value] of want.entries()) {
    const error = Math.abs((output[i] ?? Number.NaN) - value);
    if (Number.isNaN(error)) return error;
    worst = Math.max(worst, error);
    largest = Math.max(largest, Math.abs(value));
  }
  return worst / largest;
}
