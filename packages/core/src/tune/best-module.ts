/** Answers of `/best` as a module of JavaScript: every shader once, and a function that chooses and compiles. */
import { DTYPES, type Dtype, idsOf, shapeText } from '@tilemark/kernels';
import { group } from 'd3-array';
import type { Question } from '../api/question';
import { REQUIREMENTS_SNIPPET, RUN_SNIPPET } from '../api/run-snippet';
import { vendorNames } from '../measure/hardware';
import { answerFor, type BestRow } from './best';
import { remarkOf, sourceOf } from './best-words';
import { provenanceLines } from './provenance';

/** Key of the rows for GPUs that were not asked about. */
const ANY = 'any';

/** The dtype in which a device without f16 has the tensors of another, f32 for f16; null: none. */
function withoutHalves(dtype: Dtype): Dtype | null {
  const storedIn = (id: Dtype) => {
    const { A, B, C } = DTYPES[id].tensors;
    const storages = [A, B, C].map(({ storage }) => storage.replace('f16', 'f32'));
    return [...storages, B.order].join(' ');
  };
  const isWhole = (id: Dtype) => !DTYPES[id].feature;
  if (isWhole(dtype)) return null;
  return idsOf(DTYPES).find((id) => isWhole(id) && storedIn(id) === storedIn(dtype)) ?? null;
}

/** The rows, and for each problem those of every other GPU: in its dtype, and where there is no f16. */
function withFallbacks(rows: readonly BestRow[], { engine = 'tint', profile }: Question) {
  const unknown = { basis: 'any', learned: [], limits: null, isHost: false, engine } as const;
  const problems = [...group(rows, ({ problem }) => shapeText(problem)).values()];
  const others = problems.flatMap(([first]): BestRow[] => {
    if (!first) return [];
    const whole = withoutHalves(first.problem.dtype);
    const dtypes = [first.problem.dtype, ...(whole ? [whole] : [])];
    return dtypes.map((dtype) => {
      const problem = { ...first.problem, dtype };
      return { gpu: null, problem, ...answerFor(problem, profile, unknown) };
    });
  });
  return [...rows, ...others];
}

/** How `adapter.info` names a GPU that was asked about. */
function namesOf(id: string) {
  const [key = '', architecture] = id.split('/');
  const [vendor = '', model] = key.split('-');
  return {
    vendors: vendorNames(vendor),
    ...(architecture && { architecture }),
    ...(model && { model }),
  };
}

export function moduleOf(rows: readonly BestRow[], question: Question): string {
  const all = withFallbacks(rows, question).filter(({ best }) => best?.wgsl);
  const programs = [...new Map(all.map(({ best }) => [best?.wgsl, best])).values()];
  const wgsl = programs.map((program) => program?.wgsl);
  const alike = group(all, ({ best, problem }) =>
    JSON.stringify({
      ...{ shape: shapeText(problem), dtype: problem.dtype, program: wgsl.indexOf(best?.wgsl) },
      ...{ limits: best?.limits, bindings: best?.bindings, passes: best?.passes },
    }),
  );
  const table = [...alike].map(([text, same]) => {
    const from = same.map((row) => {
      const said = [sourceOf(row), remarkOf(row)].filter(Boolean).join('; ');
      return [row.gpu?.id ?? ANY, said];
    });
    return { gpus: Object.fromEntries(from), ...JSON.parse(text) };
  });
  const ids = rows.flatMap(({ gpu }) => gpu?.id ?? []);
  const names = Object.fromEntries(ids.map((id) => [id, namesOf(id)]));
  const kept = programs.map(
    (one) => one && { address: one.address, needs: one.needs, wgsl: one.wgsl },
  );
  const head = provenanceLines(rows, question).map((line) => `// ${line}\n`);
  const body = `// Which kernel runs which shape on which GPU.
// \`const { requirements, kernelFor } = await import(...)\`; device from adapter.requestDevice(requirements(adapter));
// \`const kernel = await kernelFor(device, '${table[0]?.shape ?? '1x4096x4096'}')\`, then kernel.encode(encoder, { A, B, C })
// with buffers of kernel.tensors in kernel.dtype, or await kernel.run([a, b]).

/** Every program once. */
const programs = ${JSON.stringify(kept, null, 1)};

/** Which program for which shape, and by GPU where that is from; \`${ANY}\`: every other. */
export const table = ${JSON.stringify(table)};

/** How adapter.info names the GPUs. */
const names = ${JSON.stringify(names)};

const rows = table.map((row) => ({ ...programs[row.program], ...row }));

/** The rows of a shape that may run on a GPU, the likeliest first. Where nothing names it, it may be any. */
function rowsFor(shape, { vendor = '', architecture = '', device = '', description = '' }) {
  const text = (device + ' ' + description).toLowerCase().replace(/[^a-z0-9]+/g, '_');
  const placeOf = (gpu) => {
    if (gpu === '${ANY}') return 4;
    if (vendor === '') return 3;
    const named = names[gpu];
    if (!named.vendors.includes(vendor.toLowerCase())) return Infinity;
    if (named.architecture) return named.architecture === architecture.toLowerCase() ? 1 : Infinity;
    return named.model && text.includes(named.model) ? 0 : 2;
  };
  return rows
    .filter((row) => row.shape === shape)
    .map((row) => ({ row, place: Math.min(...Object.keys(row.gpus).map(placeOf)) }))
    .filter(({ place }) => place < Infinity)
    .sort((a, b) => a.place - b.place)
    .map(({ row }) => row);
}

/**
 * @typedef {object} Tensor A buffer to give to encode, by its name.
 * @property {string} name
 * @property {number} bytes
 * @property {boolean} isOutput
 *
 * @typedef {object} Kernel
 * @property {string} address
 * @property {string} dtype
 * @property {Tensor[]} tensors
 * @property {(encoder: GPUCommandEncoder, buffers: Record<string, GPUBuffer>) => void} encode
 * @property {(inputs: ArrayBufferView[]) => Promise<ArrayBuffer>} run
 */

/**
 * The features and limits to request: all that some row needs and the adapter has.
 * @param {GPUAdapter} adapter
 * @returns {{ requiredFeatures: GPUFeatureName[], requiredLimits: Record<string, number> }}
 */
export const requirements = (adapter) => requirementsOf(adapter, rows);

/**
 * The kernel of a shape, compiled once per device: the first of the GPU's that it has the limits and features
 * for and that compiles. Pass adapter.info where the device has none. Throws Error with every reason.
 * @param {GPUDevice} device
 * @param {string} shape
 * @param {Partial<GPUAdapterInfo>} [info]
 * @returns {Promise<Kernel>}
 */
export async function kernelFor(device, shape, info = device.adapterInfo ?? {}) {
  const refusals = [];
  for (const row of rowsFor(shape, info)) {
    const lack = lackOf(device, info, row);
    if (lack) {
      refusals.push(\`\${row.address}: the device \${lack}\`);
      continue;
    }
    try {
      return await prepare(device, row);
    } catch (error) {
      refusals.push(\`\${row.address}: \${error.message}\`);
    }
  }
  throw new Error([\`No kernel for \${shape} runs here.\`, ...refusals].join('\\n'));
}

${REQUIREMENTS_SNIPPET}

${RUN_SNIPPET}
`;
  const kilobytes = Math.ceil(new TextEncoder().encode(body).length / 1000);
  return `${head.join('')}// ${kilobytes} kB: ${programs.length} programs, ${table.length} rows.\n${body}`;
}
