import { DTYPES, type Dtype, PACKED_DOTS } from '../problem/dtype';
import { isBatch } from '../problem/ops';
import type { Problem } from '../problem/problem';
import type { GpuKernel, Needs, TunableValue, TunableValues, WrittenFor } from './kernel';
import { unrolled } from './unroll';

/** A compiler of WGSL: of Chrome and Dawn; of Firefox, wgpu and Deno; of Safari. */
export type Engine = 'tint' | 'naga' | 'webkit';

/** The WGSL that runs for a problem. */
export const sourceFor = (
  kernel: GpuKernel,
  values: TunableValues,
  problem: Problem,
  engine?: Engine,
): string =>
  specialise(kernel, values, problem.dtype, { ...problem, batched: isBatch(problem) }, engine);

/**
 * The WGSL that runs: generated declarations of the element type and of every tunable, then the
 * kernel's body verbatim, comments included. The text identifies the pipeline, and its hash tells
 * whether a result was measured with today's source.
 */
export function specialise(
  kernel: GpuKernel,
  values: TunableValues,
  dtype: Dtype,
  { batched = false, shape = null, epilogue }: Partial<WrittenFor> = {},
  engine: Engine = 'tint',
): string {
  const { declares = [], wgsl } = kernel;
  const body = typeof wgsl === 'string' ? wgsl : wgsl(values, dtype, { batched, shape, epilogue });
  const { features } = kernel.needs(values, dtype);
  const extensions = extensionsOf(features, engine);
  const header = [...extensions, typeHeader(dtype, declares), tunableHeader(kernel, values)];
  if (!kernel.keepsLines) {
    const source = [...header, body].join('\n');
    return engine === 'naga' ? unrolled(source) : source;
  }
  const lines = header.join('\n').split('\n');
  const directives = lines.filter(isDirective).map((line) => `${line} `);
  return [directives.join('') + body, ...lines.filter((line) => !isDirective(line))].join('\n');
}

const isDirective = (line: string) => /^(?:enable|requires) /.test(line);

/** The WGSL extensions of features. */
export const EXTENSIONS: Readonly<Record<string, string>> = {
  subgroups: 'subgroups',
  'shader-f16': 'f16',
  'chromium-experimental-subgroup-matrix': 'chromium_experimental_subgroup_matrix',
};

/** Directives for the WGSL extensions of these features. naga has subgroups without a line that enables them. */
function extensionsOf(features: readonly string[], engine: Engine): string[] {
  const enabled = Object.entries(EXTENSIONS)
    .filter(([name]) => features.includes(name) && (name !== 'subgroups' || engine !== 'naga'))
    .map(([, extension]) => `enable ${extension};`);
  return features.includes(PACKED_DOTS) ? [...enabled, `requires ${PACKED_DOTS};`] : enabled;
}

/** WebGPU features that a specialised kernel uses, including those of its dtype and subgroups. */
export const featuresOf = (
  kernel: GpuKernel,
  values: TunableValues,
  dtype: Dtype,
): readonly string[] => featuresWith(kernel.needs(values, dtype), dtype);

/** WebGPU features of a kernel with these needs. */
export function featuresWith({ features, subgroupSize }: Needs, dtype: Dtype): readonly string[] {
  const { feature } = DTYPES[dtype];
  return [
    ...(feature ? [feature.name] : []),
    ...features,
    ...(subgroupSize === undefined ? [] : [subgroupSizeFeature(subgroupSize)]),
  ];
}

/** The feature that a device lists if it has, or can be made to have, subgroups of this size. */
export const subgroupSizeFeature = (size: number): string => `subgroup-size-${size}`;

/** A feature in words. Sizes of subgroups and of their matrices are properties of the adapter, not features of WebGPU. */
export const featureText = (name: string): string =>
  name
    .replace(/^chromium-experimental-.*$/, '$& (Tint alone compiles it)')
    .replace(/^subgroup-size-(\d+)$/, 'subgroups of $1 threads')
    .replace(/^subgroup-matrix-(\w+)-(\w+)-(\S+)$/, '$1 to $2 matrices of $3');

/** A shader's source by dtype, built once: the same string is found faster than an equal one. */
export function sourceByDtype(build: (dtype: Dtype) => string): (dtype: Dtype) => string {
  const built = new Map<Dtype, string>();
  return (dtype) => {
    const source = built.get(dtype) ?? build(dtype);
    built.set(dtype, source);
    return source;
  };
}

/** Declares `T`, the element type in memory, and `Acc`, the type of sums, but for those that are. */
export function typeHeader(dtype: Dtype, declared: readonly string[] = []): string {
  const { element, sums, feature } = DTYPES[dtype];
  return [
    ...(feature ? [`enable ${feature.wgslExtension};`] : []),
    ...(declared.includes('T') ? [] : [`alias T = ${element};`]),
    ...(declared.includes('Acc') ? [] : [`alias Acc = ${sums};`]),
  ].join('\n');
}

/**
 * Numbers become `const TILE: u32 = 16u;`. Words become named constants, so that a body can test
 * `if (A_LAYOUT == COL)` and the compiler folds the branch away.
 */
function tunableHeader(kernel: GpuKernel, values: TunableValues): string {
  const words = new Set(kernel.tunables.flatMap((tunable) => tunable.values.filter(isWord)));
  const names = [...words].map((word, i) => `const ${constantName(word)}: u32 = ${i}u;`);
  const overrides = kernel.overrides?.(values) ?? [];
  const undeclared = kernel.tunables.filter(({ name }) => !kernel.declares?.includes(name));
  const tunables = undeclared.map(({ name }) => {
    const value = values[name];
    if (value === undefined) throw new TypeError(`${kernel.id}: no value for ${name}`);
    const declared = overrides.includes(name) ? 'override' : 'const';
    return `${declared} ${name}: u32 = ${isWord(value) ? constantName(value) : `${value}u`};`;
  });
  return [...names, ...tunables].join('\n');
}

export function isWord(value: TunableValue): value is string {
  return typeof value === 'string';
}

/** `read-coalesced` -> `READ_COALESCED`. */
export function constantName(word: string): string {
  return word.toUpperCase().replaceAll('-', '_');
}
