import {
  contribute,
  defaultsOf,
  type GpuKernel,
  gpuKernel,
  InputError,
  type OpId,
  opById,
  type Problem,
  refuseIf,
  type Tunable,
  type TunableValues,
} from '@tilemark/kernels';
import { z } from 'zod';
import { refusalOf } from '../schema/refusals';
import { evaluate, type Names } from './expression';
import {
  type Covers,
  KERNEL_LIMITS,
  type KernelFile,
  type Manifest,
  manifestSchema,
} from './manifest';
import {
  atLine,
  checkBindings,
  type Declarations,
  declarationsOf,
  type EntryPoint,
  shapeOrderOf,
  workgroupSizeOf,
} from './source';

/** A contributed kernel with what it was made from. */
export interface Contributed {
  readonly kernel: GpuKernel;
  readonly manifest: Manifest;
  readonly file: KernelFile;
  /** SHA-256 of source and manifest, in hex. */
  readonly hash: string;
}

/** The manifest of a file that has none beside it: a comment before the code. */
function headerOf(source: string): string | undefined {
  for (let at = 0; ; ) {
    at += /^\s*/.exec(source.slice(at))?.[0].length ?? 0;
    const isLine = source.startsWith('//', at);
    if (!isLine && !source.startsWith('/*', at)) return undefined;
    const close = source.indexOf(isLine ? '\n' : '*/', at);
    if (close < 0) return undefined;
    const text = isLine ? undefined : /^\s*tilemark\b/.exec(source.slice(at + 2, close))?.[0];
    if (text !== undefined) return source.slice(at + 2 + text.length, close);
    at = close + (isLine ? 1 : 2);
  }
}

/** A process knows the newest this many, up to 64 MiB of source; a grid keeps all. */
const MOST_KNOWN = 256;

interface Known {
  readonly file: KernelFile;
  readonly withdraw: () => void;
}

/** By id, of those that this process knows; its bundles share them, as they do the kernels. */
const shared = globalThis as { tilemarkKernelFiles?: Map<string, Known> };

/** The file of a contributed kernel; null: it is one of ours. */
export const fileOf = (kernel: string): KernelFile | null =>
  shared.tilemarkKernelFiles?.get(kernel)?.file ?? null;

/** Whether an id is that of a contributed kernel: only theirs name a version. */
export const isContributed = (kernel: string): boolean => kernel.includes('@');

/** Makes a kernel known to this process, as if it stood in the registry. Throws as `readKernel`. */
export async function admitKernel(file: KernelFile): Promise<Contributed> {
  const contributed = await readKernel(file);
  const { id } = contributed.kernel;
  shared.tilemarkKernelFiles ??= new Map();
  const known = shared.tilemarkKernelFiles;
  known.delete(id);
  known.set(id, { file, withdraw: contribute(contributed.kernel) });
  const [oldest] = known;
  if (oldest && known.size > MOST_KNOWN) {
    oldest[1].withdraw();
    known.delete(oldest[0]);
  }
  return contributed;
}

/**
 * Reads a kernel's file: everything that can be said of it without compiling. Throws InputError
 * with the place as its field: `wgsl:12` for a line of the source, `manifest.covers.rows`.
 */
export async function readKernel(file: KernelFile): Promise<Contributed> {
  const { kernel, manifest } = checkKernel(file);
  const hash = await sha256(`${JSON.stringify(manifest)}\n${file.source}`);
  const id = `${kernel.id}@${hash.slice(0, 8)}` as typeof kernel.id;
  return { kernel: { ...kernel, id }, manifest, file, hash };
}

/**
 * As `readKernel`, but without the hash, which browsers compute in secure contexts only: the kernel's
 * id names no version.
 */
export function checkKernel(file: KernelFile): Pick<Contributed, 'kernel' | 'manifest'> {
  const { author, source } = file;
  checkText(source);
  const manifest = manifestOf(file);
  const declared = declarationsOf(source);
  const { op } = manifest;
  checkBindings(op, manifest.dtypes, manifest.scratchBytes !== 0, declared);
  const kernel = kernelOf(`${author}/${manifest.name}`, manifest, source, declared);
  for (const { name } of kernel.tunables) checkTunable(name, manifest, declared);
  checkNumbers(kernel, op);
  return { kernel, manifest };
}

function checkText(source: string): void {
  const bytes = new TextEncoder().encode(source).length;
  const { sourceBytes } = KERNEL_LIMITS;
  refuseIf(source.trim() === '', 'the file is empty', 'wgsl');
  refuseIf(
    source.startsWith('\ufeff'),
    'the file begins with a byte-order mark: save it as UTF-8 without one',
    atLine(1),
  );
  refuseIf(
    bytes > sourceBytes,
    `the source has ${bytes} bytes; the limit is ${sourceBytes} (256 KiB)`,
    'wgsl',
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const strange = source.search(/[\x00-\x08\x0e-\x1f\ufffd]/);
  const line = source.slice(0, strange).split('\n').length;
  refuseIf(strange >= 0, 'this is not text: save the file as UTF-8', atLine(line));
}

function manifestOf({ source, manifest }: KernelFile): Manifest {
  const text = manifest ?? headerOf(source);
  if (text === undefined) {
    throw new InputError(
      'there is no manifest: put /* tilemark { ... } */ before the code, or put a .json of the same name beside it (the command `kernel new NAME` writes an example)',
      'manifest',
    );
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const [, position] = /position (\d+)/.exec(String(error)) ?? [];
    const before = manifest === undefined ? source.slice(0, source.indexOf(text)) : '';
    const line = `${before}${text.slice(0, Number(position ?? 0))}`.split('\n').length;
    const why = error instanceof Error ? error.message : String(error);
    throw new InputError(
      `the manifest is not JSON: ${why}`,
      manifest === undefined ? atLine(line) : `manifest:${line}`,
    );
  }
  const { data, error } = manifestSchema.safeParse(json);
  if (data) return data;
  const [issue] = error.issues;
  const path = ['manifest', ...(issue?.path.map(String) ?? [])].join('.');
  throw new InputError(refusalOf(path, issue?.message ?? z.prettifyError(error)), path);
}

/** A tunable is declared by Tilemark, once, and used by the source. */
function checkTunable(name: string, { op }: Manifest, { code, constants }: Declarations): void {
  const field = `manifest.tunables.${name}`;
  const constant = constants.get(name);
  const line = atLine(constant?.line ?? 1);
  refuseIf(
    constant?.override === null,
    `${name} is a tunable, which Tilemark declares: delete this line`,
    line,
  );
  refuseIf(
    !['', 'u32', undefined].includes(constant?.override?.type),
    `${name} is a tunable: declare the override as u32, not ${constant?.override?.type}`,
    line,
  );
  refuseIf(name === 'T', 'T is the type of elements: choose another name', field);
  const isUsed = new RegExp(`\\b${name}\\b`).test(code);
  refuseIf(!isUsed, `the source never uses ${name}: use it or leave it out`, field);
  const isDimension = opById(op).dimensions.some((dimension) => dimension.name === name);
  refuseIf(isDimension, `${name} is a dimension of ${op}`, field);
}

function kernelOf(
  id: string,
  manifest: Manifest,
  source: string,
  declared: Declarations,
): GpuKernel {
  const { op, dtypes, about, name, features, workgroupBytes, multiples, passes } = manifest;
  const entry = (wanted: string, field: string): EntryPoint => {
    const found = declared.entryPoints.find((entryPoint) => entryPoint.name === wanted);
    if (found) return found;
    const names = declared.entryPoints.map((entryPoint) => entryPoint.name).join(', ') || 'none';
    throw new InputError(`there is no @compute function ${wanted}; there are: ${names}`, field);
  };
  const first = entry(manifest.entryPoint, 'manifest.entryPoint');
  const all = [first, ...passes.map((pass, i) => entry(pass.entryPoint, `manifest.passes[${i}]`))];
  const { body, directives, needed } = bodyOf(source, manifest, declared);
  const shapeOrder = shapeOrderOf(op, declared);
  const sizes = (values: TunableValues) =>
    all.map((size) => workgroupSizeOf(size, declared, numbersOf(values)));
  const threads = (size: readonly number[]) => size.reduce((product, side) => product * side, 1);
  const path = (field: string) => `manifest.${field}`;
  return gpuKernel({
    id: id as `${typeof op}/${string}`,
    op,
    rung: 100,
    idea: about || `${name}, contributed`,
    dtypes,
    tunables: tunablesOf(manifest),
    constraints: manifest.requires.map(({ that, because }, i) => ({
      reason: because || `needs ${that}`,
      holds: (values: TunableValues) =>
        evaluate(that, numbersOf(values), path(`requires[${i}].that`)) !== 0,
    })),
    problemConstraints: Object.entries(multiples).map(([dimension, multiple]) => ({
      reason: `${dimension} must be a multiple of ${multiple}`,
      holds: (values: TunableValues, problem: Problem) => {
        const field = path(`multiples.${dimension}`);
        const names = { ...numbersOf(values), ...problem.shape };
        return evaluate(dimension, names, field) % evaluate(multiple, names, field) === 0;
      },
    })),
    wgsl: body,
    ...(directives.length > 0 && { directives }),
    ...(shapeOrder && { shapeOrder }),
    needs: (values) => ({
      // The largest of its dispatches.
      workgroupSize: sizes(values).reduce((a, b) => (threads(b) > threads(a) ? b : a)),
      workgroupBytes: evaluate(workgroupBytes, numbersOf(values), path('workgroupBytes')),
      features: [...new Set([...features, ...needed])],
    }),
    entryPoint: () => first.name,
    workgroups: (values, problem) => grid(manifest.covers, values, problem, path('covers')),
    followUps: (values, problem) =>
      passes.map(({ entryPoint, covers }, i) => ({
        entryPoint,
        workgroups: grid(covers, values, problem, path(`passes[${i}].covers`)),
      })),
    scratchBytes: (values, problem) =>
      evaluate(
        manifest.scratchBytes,
        { ...numbersOf(values), ...problem.shape },
        path('scratchBytes'),
      ),
  });
}

/** The features of WGSL extensions. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  f16: 'shader-f16',
  subgroups: 'subgroups',
  chromium_experimental_subgroup_matrix: 'chromium-experimental-subgroup-matrix',
};

/**
 * The source without what Tilemark writes above it: directives, which must stand before all else,
 * and overrides that are tunables. Its lines stay where they are.
 */
function bodyOf(
  source: string,
  { tunables }: Manifest,
  { code, constants, directives, directivesEnd }: Declarations,
) {
  const needed = directives.flatMap(({ text, line }) => {
    const [, names] = /^enable\s([\s\S]*);$/.exec(text) ?? [];
    return (names?.split(',') ?? []).map((name) => {
      const feature = EXTENSIONS[name.trim()];
      if (feature) return feature;
      const known = Object.keys(EXTENSIONS).join(', ');
      throw new InputError(`no device here has ${name.trim()}; there are: ${known}`, atLine(line));
    });
  });
  const blank = (text: string, start: number, end: number) =>
    text.slice(0, start) + text.slice(start, end).replace(/[^\n]/g, ' ') + text.slice(end);
  let body = source;
  // Comments between directives go with them.
  if (directives.length > 0) {
    body = blank(body, code.length - code.trimStart().length, directivesEnd);
  }
  for (const name of Object.keys(tunables)) {
    const { override } = constants.get(name) ?? {};
    if (override) body = blank(body, override.start, override.end);
  }
  const others = directives.filter(({ text }) => !text.startsWith('enable'));
  return { body, directives: others.map(({ text }) => text), needed };
}

function tunablesOf({ tunables }: Manifest): Tunable[] {
  return Object.entries(tunables).map(([name, declared]) => {
    const {
      values,
      default: initial = values[0],
      about,
    } = Array.isArray(declared) ? { values: declared, about: '' } : declared;
    const field = `manifest.tunables.${name}`;
    refuseIf(new Set(values).size < values.length, `${name} has a value twice`, field);
    const chosen = values.find((value) => value === initial);
    if (chosen === undefined) {
      throw new InputError(`the default of ${name} must be one of its values`, `${field}.default`);
    }
    return { name, values, default: chosen, about: about || name };
  });
}

/** A shape with its sides rounded up to what the kernel takes multiples of. */
export function roundedUp(
  { kernel, manifest }: Pick<Contributed, 'kernel' | 'manifest'>,
  values: TunableValues,
  shape: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const defaults = numbersOf(defaultsOf(kernel.tunables));
  const rounded = { ...shape };
  for (const [dimension, of] of Object.entries(manifest.multiples)) {
    const size = rounded[dimension];
    if (size === undefined) continue;
    const names = { ...defaults, ...numbersOf(values), ...rounded };
    const multiple = evaluate(of, names, `manifest.multiples.${dimension}`);
    if (multiple > 0) rounded[dimension] = Math.ceil(size / multiple) * multiple;
  }
  return rounded;
}

/** The values that are numbers: words are of no use in an expression. */
function numbersOf(values: TunableValues): Names {
  return Object.fromEntries(
    Object.entries(values).filter((pair): pair is [string, number] => typeof pair[1] === 'number'),
  );
}

/** Workgroups that cover the output. */
function grid(
  { rows, cols, split, order }: Covers,
  values: TunableValues,
  problem: Problem,
  field: string,
): readonly [x: number, y: number, z: number] {
  const names = { ...numbersOf(values), ...problem.shape };
  const side = (expression: number | string, name: string) => {
    const value = evaluate(expression, names, `${field}.${name}`);
    refuseIf(
      value < 1,
      `a workgroup covers ${value} ${name}; it must be 1 or more`,
      `${field}.${name}`,
    );
    return value;
  };
  const output = opById(problem.op).output(problem.shape);
  const across = Math.ceil(output.cols / side(cols, 'cols'));
  const down = Math.ceil(output.rows / side(rows, 'rows'));
  const deep = side(split, 'split');
  if (order === 'flat') return [across * down, 1, deep];
  return order === 'rows-x' ? [down, across, deep] : [across, down, deep];
}

/** Evaluates every expression once, on the defaults and a small shape, so that none fails later. */
function checkNumbers(kernel: GpuKernel, op: OpId): void {
  const values = Object.fromEntries(
    kernel.tunables.map((tunable) => [tunable.name, tunable.default]),
  );
  const [dtype = 'f32'] = kernel.dtypes;
  const problem = { op, shape: opById(op).square(64), dtype } as Problem;
  const broken = kernel.constraints.find(({ holds }) => !holds(values));
  refuseIf(
    broken !== undefined,
    `the defaults break a requirement: ${broken?.reason}`,
    'manifest.requires',
  );
  for (const { holds } of kernel.problemConstraints ?? []) holds(values, problem);
  const { workgroupSize } = kernel.needs(values, dtype);
  refuseIf(Math.min(...workgroupSize) < 1, 'a workgroup has 0 threads', 'manifest.entryPoint');
  kernel.workgroups(values, problem);
  kernel.followUps?.(values, problem);
  kernel.scratchBytes?.(values, problem);
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
