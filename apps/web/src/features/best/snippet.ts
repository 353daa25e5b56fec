import { RUN_SNIPPET } from '@tilemark/core';
import { OPS, type Op } from '@tilemark/kernels';
import { type BestPageQuery, sizesOf } from './query';

/** An array of a type's elements in a program, and its 1. */
const ARRAYS = {
  f32: ['Float32Array', '1'],
  i32: ['Int32Array', '1'],
  u32: ['Uint32Array', '0'],
  f16: ['Uint16Array', '0x3c00'],
} as const;

/** The same question to the API, as a library would ask it on a user's machine. */
export function snippet(origin: string, query: BestPageQuery): string {
  const op: Op = OPS[query.op];
  const shape = op.shape(sizesOf(query));
  const tensors = op.stored(shape, query.dtype).inputs;
  const inputs = tensors.flatMap(({ dims, order, parts }) =>
    parts.map(({ binding, item, length }) => {
      const [array, one] = ARRAYS[item.element];
      const count = item.packing
        ? `${(length * item.packing.bits) / 32}`
        : length === dims.rows * dims.cols
          ? `${dims.rows} * ${dims.cols}`
          : `${length}`;
      const rows = order === 'transposed' ? ' // a row for each column of the output' : '';
      return {
        name: binding,
        array,
        line: `const ${binding} = new ${array}(${count}).fill(${one});${rows}`,
      };
    }),
  );
  const isHalf = inputs.some(({ array }) => array === 'Uint16Array');
  const dimensions = Object.entries(shape)
    .map(([name, size]) => `  ${name}: '${size}',`)
    .join('\n');
  return `const adapter = await navigator.gpu.requestAdapter();
const { vendor, architecture } = adapter.info;
const query = new URLSearchParams({
  op: '${query.op}',
${dimensions}
  dtype: '${query.dtype}',
  profile: '${query.profile}',
  vendor,
  architecture,
});
const answer = await fetch(\`${origin}/api/v1/best?\${query}\`);
if (!answer.ok) throw new Error((await answer.json()).detail);
const best = await answer.json();
const requiredFeatures = best.needs.features.filter((name) => adapter.features.has(name));
// The defaults are less than most GPUs allow.
const requiredLimits = Object.fromEntries(
  [
    'maxBufferSize',
    'maxStorageBufferBindingSize',
    'maxComputeWorkgroupStorageSize',
    'maxComputeInvocationsPerWorkgroup',
    'maxComputeWorkgroupSizeX',
    'maxComputeWorkgroupSizeY',
  ].map((name) => [name, adapter.limits[name]]),
);
const device = await adapter.requestDevice({ requiredFeatures, requiredLimits });

// Your matrices, row-major, instead of these${isHalf ? ' (the bits of halves)' : ''}.
${inputs.map(({ line }) => line).join('\n')}
const output = await run(device, best, [${inputs.map(({ name }) => name).join(', ')}]);

${RUN_SNIPPET}`;
}
