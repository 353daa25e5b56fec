#!/usr/bin/env node
// How many workgroups live on a multiprocessor at once, by their threads and their workgroup
// memory: what a driver gives WebGPU, which may be less than the hardware has.
// Every thread follows a chain of --steps dependent reads of workgroup memory, so a workgroup
// takes as long whatever lives beside it. ROUNDS workgroups a multiprocessor then take as many
// times as long as one as it takes to have them all live: ROUNDS / (how many live at once),
// rounded up. The figure is ROUNDS over that: high by what launching takes, 4% on an H200,
// and low where they do not divide ROUNDS (7 look like 6). Where the memory does not keep up
// with the reads it is low as well: on an H200 no more than about 30 subgroups are told.
// biome-ignore lint/style/noRestrictedImports: asks the driver, not the product
import { create, globals } from 'webgpu';
import { countOf, flagsOf, refuse } from './flags.mjs';

const USAGE = 'usage: node bench/occupancy.mjs [--multiprocessors 132] [--steps 10000]';
const flags = flagsOf(USAGE, { multiprocessors: '132', steps: '10000' });
const multiprocessors = countOf(flags, 'multiprocessors');
const steps = countOf(flags, 'steps');

const ROUNDS = 24;
const THREADS = [32, 128, 256, 512];
const KIB = [0.25, 4, 8, 12, 14, 15, 16, 16.25, 17, 20, 23, 24, 24.25, 25, 28, 32, 36, 40, 48];

Object.assign(globalThis, globals);
// Dawn crashes when the GPU object is collected before its devices.
globalThis.gpu = create([
  'enable-dawn-features=disable_robustness,disable_workgroup_init',
  'disable-dawn-features=timestamp_quantization',
]);
const adapter = await globalThis.gpu.requestAdapter();
if (!adapter) refuse('there is no GPU here that Dawn can open');
const {
  maxComputeWorkgroupStorageSize,
  maxComputeInvocationsPerWorkgroup,
  maxComputeWorkgroupsPerDimension,
} = adapter.limits;
const most = Math.floor(maxComputeWorkgroupsPerDimension / ROUNDS);
if (multiprocessors > most) {
  refuse(`--multiprocessors ${multiprocessors}: at most ${most} on this device`);
}
const device = await adapter.requestDevice({
  requiredFeatures: ['timestamp-query'],
  requiredLimits: {
    maxComputeWorkgroupStorageSize,
    maxComputeInvocationsPerWorkgroup,
    maxComputeWorkgroupSizeX: maxComputeInvocationsPerWorkgroup,
  },
});
const querySet = device.createQuerySet({ type: 'timestamp', count: 2 });
const { QUERY_RESOLVE, COPY_SRC, COPY_DST, MAP_READ, STORAGE } = GPUBufferUsage;
const resolved = device.createBuffer({ size: 16, usage: QUERY_RESOLVE | COPY_SRC });
const readable = device.createBuffer({ size: 16, usage: MAP_READ | COPY_DST });
const end = device.createBuffer({ size: 4, usage: STORAGE });

/** No place in the chain is 0xffffffff, which the compiler does not know. */
const shader = (threads, words) => `
var<workgroup> chain: array<u32, ${words}>;
@group(0) @binding(0) var<storage, read_write> end: array<u32>;
@compute @workgroup_size(${threads})
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3u) {
  for (var i = thread; i < ${words}u; i += ${threads}u) {
    chain[i] = (i * 7919u + group.x) % ${words}u;
  }
  workgroupBarrier();
  var at = 0u;
  for (var step = 0u; step < ${steps}u; step++) {
    at = chain[at];
  }
  if (at == 0xffffffffu) {
    end[0] = at;
  }
}`;

/** Workgroups of one multiprocessor that live at once. */
async function residents(threads, words) {
  const module = device.createShaderModule({ code: shader(threads, words) });
  const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module } });
  const bindings = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer: end } }],
  });
  const timeNs = async (workgroups) => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass({
      timestampWrites: { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 },
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bindings);
    pass.dispatchWorkgroups(workgroups);
    pass.end();
    encoder.resolveQuerySet(querySet, 0, 2, resolved, 0);
    encoder.copyBufferToBuffer(resolved, 0, readable, 0, 16);
    device.queue.submit([encoder.finish()]);
    await readable.mapAsync(GPUMapMode.READ);
    const [from, to] = new BigUint64Array(readable.getMappedRange().slice(0));
    readable.unmap();
    return Number(to - from);
  };
  const leastOfTwo = async (workgroups) =>
    Math.min(await timeNs(workgroups), await timeNs(workgroups));
  await timeNs(multiprocessors);
  const one = await leastOfTwo(multiprocessors);
  return (ROUNDS * one) / (await leastOfTwo(ROUNDS * multiprocessors));
}

const line = (cells) => process.stdout.write(`| ${cells.join(' | ')} |\n`);
const { description, device: name } = adapter.info;
process.stdout.write(
  `${name || adapter.info.vendor}, ${description}, ${new Date().toISOString()}\n\n`,
);
line(['workgroup memory', ...THREADS.map((threads) => `${threads} threads`)]);
line(['---', ...THREADS.map(() => '---')]);
for (const kib of KIB) {
  if (kib * 1024 > maxComputeWorkgroupStorageSize) continue;
  const cells = [];
  for (const threads of THREADS) {
    const fits = threads <= maxComputeInvocationsPerWorkgroup;
    cells.push(fits ? (await residents(threads, kib * 256)).toFixed(2) : '');
  }
  line([`${kib} KiB`, ...cells]);
}
process.exit(0);
