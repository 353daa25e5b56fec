import {
  type BestRow,
  type Profile,
  type Question,
  REQUIREMENTS_SNIPPET,
  RUN_SNIPPET,
} from '@tilemark/core';
import { type Engine, type Problem, shapeText, storedOf } from '@tilemark/kernels';

/** An array of a type's elements in a program, and its 1. */
const ARRAYS = {
  f32: ['Float32Array', '1'],
  i32: ['Int32Array', '1'],
  u32: ['Uint32Array', '0'],
  f16: ['Uint16Array', '0x3c00'],
} as const;

/** The same question to the API, as a library would ask it on a user's machine. */
export function snippet(
  origin: string,
  problem: Problem,
  { engine, profile }: { readonly engine: Engine; readonly profile: Profile },
): string {
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
  profile: '${profile}',
  engine: '${engine}',${problem.epilogue ? `\n  epilogue: '${problem.epilogue}',` : ''}
  vendor,
  architecture,
});
const answer = await fetch(\`${origin}/api/v1/best?\${query}\`);
if (!answer.ok) throw new Error((await answer.json()).detail);
const best = await answer.json();
const device = await adapter.requestDevice(requirementsOf(adapter, [best]));

// Your matrices, row-major, instead of these${isHalf ? ' (the bits of halves)' : ''}.
${inputs.map(({ line }) => line).join('\n')}
const kernel = await prepare(device, best);
const output = await kernel.run([${inputs.map(({ name }) => name).join(', ')}]);

${REQUIREMENTS_SNIPPET}

${RUN_SNIPPET}`;
}

/** The command that searches on a GPU under an engine; null: none runs there. */
export function tuneCommand(
  origin: string,
  { op, dtype, engine = 'tint', profile }: Question,
  { best, problem }: BestRow,
): string | null {
  const program = {
    tint: `npx -y ${origin}/worker.tgz`,
    naga: `curl -fsS ${origin}/worker.tgz | tar xzf - && deno run -A --unstable-webgpu package/tilemark.mjs`,
    webkit: null,
  }[best?.engine ?? engine];
  const asked = `--op ${op} --shape ${shapeText(problem)} --dtype ${dtype} --profile ${profile}`;
  return program && `${program} tune ${asked} --budget 2m`;
}
