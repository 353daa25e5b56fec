import { type Profile, RUN_SNIPPET } from '@tilemark/core';
import { type Problem, storedOf } from '@tilemark/kernels';

/** An array of a type's elements in a program, and its 1. */
const ARRAYS = {
  f32: ['Float32Array', '1'],
  i32: ['Int32Array', '1'],
  u32: ['Uint32Array', '0'],
  f16: ['Uint16Array', '0x3c00'],
} as const;

/** In a program: what to request of an adapter for answers of the API. */
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
  // Not sizes of subgroups and their matrices, which the adapter has, nor what is of the language.
  const requiredFeatures = [...new Set(answers.flatMap(({ needs }) => needs.features))]
    .filter((name) => !/^subgroup-(size|matrix)-|_/.test(name));
  for (const [name, value] of Object.entries(requiredLimits)) {
    if (adapter.limits[name] < value) throw new Error(\`The adapter allows \${name} \${adapter.limits[name]}; \${value} is needed.\`);
  }
  for (const name of requiredFeatures) {
    if (!adapter.features.has(name)) throw new Error(\`The adapter does not have \${name}.\`);
  }
  return { requiredFeatures, requiredLimits };
}`;

/** The same question to the API, as a library would ask it on a user's machine. */
export function snippet(origin: string, problem: Problem, profile: Profile): string {
  const { inputs: tensors } = storedOf(problem);
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
  const dimensions = Object.entries(problem.shape)
    .map(([name, size]) => `  ${name}: '${size}',`)
    .join('\n');
  return `const adapter = await navigator.gpu.requestAdapter();
const { vendor, architecture } = adapter.info;
const query = new URLSearchParams({
  op: '${problem.op}',
${dimensions}
  dtype: '${problem.dtype}',
  profile: '${profile}',${problem.epilogue ? `\n  epilogue: '${problem.epilogue}',` : ''}
  vendor,
  architecture,
});
const answer = await fetch(\`${origin}/api/v1/best?\${query}\`);
if (!answer.ok) throw new Error((await answer.json()).detail);
const best = await answer.json();
const device = await adapter.requestDevice(requirementsOf(adapter, [best]));

// Your matrices, row-major, instead of these${isHalf ? ' (the bits of halves)' : ''}.
${inputs.map(({ line }) => line).join('\n')}
const output = await run(device, best, [${inputs.map(({ name }) => name).join(', ')}]);

${REQUIREMENTS_SNIPPET}

${RUN_SNIPPET}`;
}
