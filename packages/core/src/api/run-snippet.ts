/**
 * A program that runs answers of `/api/v1/best` in any WebGPU: in a page, in Node on Dawn, in Deno.
 * It is plain JavaScript, shown as it is and executed by its tests.
 */
export const RUN_SNIPPET = `// Not \`const\`: what runs an answer stands before this.
var devices;

/** The pipelines of an answer, compiled once for a device. */
function pipelinesOf(device, { wgsl, passes, bindings }) {
  devices ??= new WeakMap();
  const kept = devices.get(device) ?? new Map();
  devices.set(device, kept);
  const entryPoints = passes.map(({ entryPoint }) => entryPoint);
  const key = [...entryPoints, wgsl].join(' ');
  const make = async () => {
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code: wgsl });
    const layout = device.createBindGroupLayout({
      entries: bindings.map(({ binding, type }) => ({ binding, visibility: 4, buffer: { type } })),
    });
    const pipelineLayout = device.createPipelineLayout({ bindGroupLayouts: [layout] });
    const making = entryPoints.map((entryPoint) =>
      device.createComputePipelineAsync({ layout: pipelineLayout, compute: { module, entryPoint } }),
    );
    const [fault, pipelines] = await Promise.all([device.popErrorScope(), Promise.all(making)]);
    if (fault) throw new Error(fault.message);
    return { layout, pipelines };
  };
  if (!kept.has(key)) kept.set(key, make());
  return kept.get(key);
}

/** Makes an answer ready on a device. Throws Error where it does not compile. */
async function prepare(device, answer) {
  const { bindings, passes } = answer;
  const { layout, pipelines } = await pipelinesOf(device, answer);
  const USAGE = { 'read-only-storage': 0x88, storage: 0x84, uniform: 0x48 };
  const bufferOf = ({ type, bytes }, data) => {
    const buffer = device.createBuffer({ size: bytes, usage: USAGE[type] });
    if (!data) return buffer;
    // A buffer ends on a whole vec4.
    const whole = new Uint8Array(bytes);
    whole.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    device.queue.writeBuffer(buffer, 0, whole);
    return buffer;
  };
  const isOwn = ({ name, values }) => values !== undefined || name === 'scratch';
  const own = Object.fromEntries(
    bindings.filter(isOwn).map((one) => [one.name, bufferOf(one, one.values && new Uint32Array(one.values))]),
  );
  const tensors = bindings.filter((one) => !isOwn(one));
  const kernel = {
    ...answer,
    /** The buffers to give to encode: their names, bytes, and which is the output. */
    tensors,
    /** Adds the dispatches to an encoder; buffers by name, such as { A, B, C }. */
    encode(encoder, buffers) {
      const entries = bindings.map(({ binding, name }) => ({
        binding,
        resource: { buffer: own[name] ?? buffers[name] },
      }));
      const group = device.createBindGroup({ layout, entries });
      const pass = encoder.beginComputePass();
      pass.setBindGroup(0, group);
      for (const [at, { workgroups }] of passes.entries()) {
        pass.setPipeline(pipelines[at]);
        pass.dispatchWorkgroups(...workgroups);
      }
      pass.end();
    },
    /** Runs it on typed arrays in the order of the tensors, f16 as the bits of halves; resolves to the output's bytes. */
    async run(inputs) {
      const buffers = tensors.map((tensor, at) => [tensor.name, bufferOf(tensor, inputs[at])]);
      const encoder = device.createCommandEncoder();
      kernel.encode(encoder, Object.fromEntries(buffers));
      const at = tensors.findIndex(({ isOutput }) => isOutput);
      const size = tensors[at].bytes;
      const copy = device.createBuffer({ size, usage: 0x9 });
      encoder.copyBufferToBuffer(buffers[at][1], 0, copy, 0, size);
      device.queue.submit([encoder.finish()]);
      await copy.mapAsync(1);
      const output = copy.getMappedRange().slice(0);
      for (const buffer of [copy, ...buffers.map(([, one]) => one)]) buffer.destroy();
      return output;
    },
  };
  return kernel;
}`;

/** Code that requests of an adapter what answers of the API need. */
export const REQUIREMENTS_SNIPPET = `/** The features of WebGPU among those needed: not sizes of subgroups and of their matrices, nor what is of the language. */
function featuresOf({ needs }) {
  return needs.features.filter((name) => !/^subgroup-(size|matrix)-|_/.test(name));
}

/** What an adapter or a device lacks for an answer; undefined: nothing. */
function lackOf({ features, limits }, info, answer) {
  const [limit] = Object.entries(answer.limits).filter(([name, value]) => limits[name] < value);
  if (limit) return \`allows \${limit[0]} \${limits[limit[0]]}; \${limit[1]} is needed\`;
  const feature = featuresOf(answer).find((name) => !features.has(name));
  if (feature) return \`does not have \${feature}\`;
  // Kernels that shuffle rely on the size of a subgroup: another one gives wrong sums.
  const { subgroupMinSize: smallest, subgroupMaxSize: largest } = info;
  const sizes = answer.needs.features.flatMap((name) => /^subgroup-size-(\\d+)$/.exec(name)?.[1] ?? []);
  const size = sizes.find((size) => !(smallest === +size && largest === +size));
  return size && \`does not have subgroups of \${size} threads alone\`;
}

/** The features and limits for those of the answers that an adapter can run; throws where it can run none. */
function requirementsOf(adapter, answers) {
  const able = answers.filter((answer) => !lackOf(adapter, adapter.info, answer));
  if (able.length === 0) throw new Error(\`The adapter \${lackOf(adapter, adapter.info, answers[0])}.\`);
  const requiredLimits = {};
  for (const [name, value] of able.flatMap(({ limits }) => Object.entries(limits))) {
    requiredLimits[name] = Math.max(requiredLimits[name] ?? 0, value);
  }
  return { requiredFeatures: [...new Set(able.flatMap(featuresOf))], requiredLimits };
}`;
