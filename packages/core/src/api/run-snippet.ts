/**
 * A program that runs an answer of `/api/v1/best` in any WebGPU: in a page, in Node on Dawn, in Deno.
 * It is plain JavaScript, shown as it is and executed by its test.
 */
export const RUN_SNIPPET = `// inputs: typed arrays in the order of the bindings; f16 as the bits of halves.
async function run(device, { wgsl, passes, bindings }, inputs) {
  const USAGE = { 'read-only-storage': 0x88, storage: 0x84, uniform: 0x48 };
  const module = device.createShaderModule({ code: wgsl });
  const layout = device.createBindGroupLayout({
    entries: bindings.map(({ binding, type }) => ({ binding, visibility: 4, buffer: { type } })),
  });
  const buffers = bindings.map(({ type, bytes, values }, at) => {
    const buffer = device.createBuffer({ size: bytes, usage: USAGE[type] });
    const data = values ? new Uint32Array(values) : inputs[at];
    if (data) device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  });
  const entries = buffers.map((buffer, at) => ({
    binding: bindings[at].binding,
    resource: { buffer },
  }));
  const group = device.createBindGroup({ layout, entries });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  for (const { entryPoint, workgroups } of passes) {
    const pipeline = await device.createComputePipelineAsync({
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module, entryPoint },
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(...workgroups);
  }
  pass.end();
  const output = bindings.findIndex(({ isOutput }) => isOutput);
  const size = bindings[output].bytes;
  const copy = device.createBuffer({ size, usage: 0x9 });
  encoder.copyBufferToBuffer(buffers[output], 0, copy, 0, size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(1);
  return copy.getMappedRange().slice(0);
}`;

/** Code that requests of an adapter what answers of the API need. */
export const REQUIREMENTS_SNIPPET = `/** The features and limits that answers need; throws where the adapter has less. */
function requirementsOf(adapter, answers) {
  const most = (read) => Math.max(...answers.map(read));
  const largest = most(({ bindings }) => Math.max(...bindings.map(({ bytes }) => bytes)));
  const requiredLimits = {
    maxBufferSize: largest,
    maxStorageBufferBindingSize: largest,
    maxComputeWorkgroupStorageSize: most(({ needs }) => needs.workgroupBytes),
    maxComputeInvocationsPerWorkgroup: most(({ needs }) => needs.workgroupSize.reduce((a, b) => a * b)),
    maxComputeWorkgroupSizeX: most(({ needs }) => needs.workgroupSize[0]),
    maxComputeWorkgroupSizeY: most(({ needs }) => needs.workgroupSize[1]),
  };
  const needed = [...new Set(answers.flatMap(({ needs }) => needs.features))];
  // Kernels that shuffle rely on the size of a subgroup: another one gives wrong sums.
  const { subgroupMinSize: smallestSubgroup, subgroupMaxSize: largestSubgroup } = adapter.info;
  for (const name of needed) {
    const size = /^subgroup-size-(\\d+)$/.exec(name)?.[1];
    if (size && !(smallestSubgroup === +size && largestSubgroup === +size)) throw new Error(\`The adapter does not have subgroups of \${size} threads alone.\`);
  }
  // Not sizes of subgroups and their matrices, which are no features, nor what is of the language.
  const requiredFeatures = needed
    .filter((name) => !/^subgroup-(size|matrix)-|_/.test(name));
  for (const [name, value] of Object.entries(requiredLimits)) {
    if (adapter.limits[name] < value) throw new Error(\`The adapter allows \${name} \${adapter.limits[name]}; \${value} is needed.\`);
  }
  for (const name of requiredFeatures) {
    if (!adapter.features.has(name)) throw new Error(\`The adapter does not have \${name}.\`);
  }
  return { requiredFeatures, requiredLimits };
}`;
