import { typeHeader } from '../kernel/specialise';
import copyWgsl from '../probe/copy.wgsl?raw';
import fmaWgsl from '../probe/fma.wgsl?raw';
import { loadOf, type Probe, type ProbeRequest, vectorsOf, workOf } from '../probe/probe';
import { DTYPES } from '../problem/dtype';
import { BufferUsage, createConstants } from './buffers';
import { type Load, type PassTimer, timePass } from './pass';
import { type BindingType, bindGroupLayoutOf, bindGroupOf, type Pipelines } from './pipelines';
import type { DeviceWatch } from './watch';

/** A load lasts about this long, ns: it ends with a short pass within a step of 10 ms, in which Deno waits. */
const LOAD_NS = 6e6;
const MOST_OF_LOAD = 2_048;

/** A probe's source, what it binds, and the words of its uniform. */
interface ProbeProgram {
  readonly source: string;
  readonly bindings: readonly BindingType[];
  /** Size of each storage buffer, bytes. */
  readonly buffers: readonly number[];
  readonly uniform: readonly number[];
}

/** Compiles and binds a probe. Throws CompileError if the device does not support its dtype. */
export async function prepareProbe(
  timer: PassTimer,
  pipelines: Pipelines,
  request: ProbeRequest,
): Promise<Probe> {
  const { encode, destroy } = await bind(timer.watch, pipelines, request);
  const earlier = { quickestNs: 0 };
  return {
    ...workOf(request),
    sample: (dispatches) =>
      timePass(timer, (pass) => encode(pass, dispatches), { dispatches, earlier }),
    destroy,
  };
}

/** The canary again and again, for about LOAD_NS whatever the clocks are: it leaves caches as they are. */
export async function prepareLoad(watch: DeviceWatch, pipelines: Pipelines): Promise<Load> {
  const { encode } = await bind(watch, pipelines, { id: 'canary' });
  let dispatches = 1;
  return {
    encode: (pass) => encode(pass, dispatches),
    took: (ns) => {
      const wanted = Math.round((dispatches * LOAD_NS) / Math.max(ns, 1));
      dispatches = Math.min(Math.max(wanted, 1), 4 * dispatches, MOST_OF_LOAD);
    },
  };
}

async function bind(watch: DeviceWatch, pipelines: Pipelines, request: ProbeRequest) {
  const { source, bindings, buffers: sizes, uniform } = programOf(request);
  const { device } = watch;
  const layout = bindGroupLayoutOf(device, bindings);
  const { pipeline } = await pipelines.compile(source, layout);
  const { buffers, group } = await watch.scoped('allocate a probe', () => {
    const storage = sizes.map((size) => device.createBuffer({ size, usage: BufferUsage.STORAGE }));
    const all = [...storage, createConstants(device, { type: 'uniform', words: uniform })];
    return { buffers: all, group: bindGroupOf(device, layout, all) };
  });
  const { workgroups } = loadOf(request);
  return {
    encode: (pass: GPUComputePassEncoder, dispatches: number) => {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      for (let i = 0; i < dispatches; i++) pass.dispatchWorkgroups(workgroups);
    },
    destroy: () => {
      for (const buffer of buffers) buffer.destroy();
    },
  };
}

function programOf(request: ProbeRequest): ProbeProgram {
  const { workgroup, workgroups, turns } = loadOf(request);
  const header = `const WORKGROUP = ${workgroup}u;`;
  if (request.id === 'copy') {
    const vectors = vectorsOf(request);
    return {
      source: [header, copyWgsl].join('\n'),
      bindings: ['read-only-storage', 'storage', 'uniform'],
      buffers: [16 * vectors, 16 * vectors],
      uniform: [vectors, turns],
    };
  }
  const dtype = request.id === 'fma' ? request.dtype : 'f32';
  const { isInteger } = DTYPES[dtype];
  // Float chains converge to 1 and integers wrap: no infinities or subnormals in any dtype.
  const step = new Uint32Array(new Float32Array(isInteger ? [3, 1] : [0.5, 0.5]).buffer);
  return {
    source: [
      typeHeader(dtype),
      header,
      `const TURNS = ${turns}u;`,
      // Generated, because integers have no fma.
      'fn multiply_add(x: vec4<T>, f: vec4<T>, s: vec4<T>) -> vec4<T> {',
      `  return ${isInteger ? 'x * f + s' : 'fma(x, f, s)'};`,
      '}',
      fmaWgsl,
    ].join('\n'),
    bindings: ['storage', 'uniform'],
    buffers: [4 * workgroup * workgroups],
    uniform: [...step],
  };
}
