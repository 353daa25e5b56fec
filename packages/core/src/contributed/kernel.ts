import {
  contribute,
  DTYPES,
  defaultsOf,
  faultOf,
  type GpuKernel,
  gpuKernel,
  InputError,
  type KernelFile,
  type OpId,
  opById,
  type Problem,
  refuseIf,
  type Shape,
  sourceFor,
  type Tunable,
  type TunableValues,
} from '@tilemark/kernels';
import { sum } from 'd3-array';
import { type Bindings, bindingsOf, constantsFor, Unsaid } from './bindings';
import { bodyOf, checkOverrides, filledIn } from './body';
import { workgroupsOf } from './dispatch';
import { evaluate, type Names, namesIn } from './expression';
import { completed, manifestOf, writtenIn } from './file';
import { guess } from './guess';
import type { Contributed, Manifest } from './manifest';
import { namesOf, numbersOf, replacedBy, usesDimension } from './names';
import { type EntryPoint, featuresIn, type Source, sourceOf, workgroupSizeOf } from './source';

/** Makes a kernel known to this process, as if it stood in the registry. Throws as `readKernel`. */
export async function admitKernel(file: KernelFile): Promise<Contributed> {
  const contributed = await readKernel(file);
  contribute(contributed.kernel);
  return contributed;
}

/**
 * Reads a kernel's file: everything that can be said of it without compiling. Throws InputError
 * with the place as its field: `wgsl:12` for a line of the source, `manifest.covers.rows`. What the source
 * alone leaves no choice in, the manifest need not say.
 */
export async function readKernel(file: KernelFile): Promise<Contributed> {
  const { kernel, manifest } = checkKernel(file);
  const hash = await sha256(JSON.stringify([file.source, file.manifest ?? null]));
  const id = `${kernel.id}@${hash.slice(0, 8)}` as typeof kernel.id;
  return { kernel: { ...kernel, id, file }, manifest, file, hash };
}

/**
 * As `readKernel`, but without the hash, which browsers compute in secure contexts only: the kernel's
 * id names no version.
 */
export function checkKernel(file: KernelFile): Pick<Contributed, 'kernel' | 'manifest'> {
  try {
    return readAs(file, manifestOf(file));
  } catch (error) {
    if (!(error instanceof Unsaid)) throw error;
    // That a source is no kernel of ours comes before what its manifest does not say.
    const { manifest, open } = guess('unsaid', file);
    if (open.length > 0 || writtenIn(file).name === undefined) throw error;
    return readAs(file, completed(manifest));
  }
}

function readAs(file: KernelFile, manifest: Manifest): Pick<Contributed, 'kernel' | 'manifest'> {
  const kernel = kernelOf(file, manifest);
  checkNumbers(kernel, manifest.op);
  return { kernel, manifest };
}

/** A source as it is read for tunables and a shape, which may be written into it. */
interface Reading {
  readonly source: Source;
  readonly bindings: Bindings;
  readonly features: readonly string[];
}

/** Characters of the filled templates of a kernel whose readings are kept; the last always is. */
const MOST_READ = 1_000_000;

function kernelOf({ author, source: text }: KernelFile, manifest: Manifest): GpuKernel {
  const { op, about, name, dtypes, epilogue, errorGrowth, multiples, passes } = manifest;
  const tunables = tunablesOf(manifest);
  const replaced = replacedBy(manifest);
  const readings = new Map<string, Reading>();
  const reading = (names: Names): Reading => {
    const filled = filledIn(text, manifest.placeholders, names);
    const known = readings.get(filled);
    if (known) return known;
    const whole = sourceOf(filled, replaced);
    // Tokens, which nothing else asks for, take a hundred bytes per character.
    const source = { ...whole, tokens: [] };
    const read = { source, bindings: bindingsOf(manifest, source), features: featuresIn(whole) };
    readings.set(filled, read);
    let excess = sum(readings.keys(), ({ length }) => length) - MOST_READ;
    for (const oldest of readings.keys()) {
      if (excess <= 0 || oldest === filled) break;
      readings.delete(oldest);
      excess -= oldest.length;
    }
    return read;
  };
  const namesFor = (values: TunableValues, shape: Shape | null) =>
    namesOf(values, op, shape ?? opById(op).square(64));
  const { source, features: used } = reading(namesFor(defaultsOf(tunables), null));
  const features = [...new Set([...manifest.features, ...used])];
  for (const tunable of tunables) checkTunable(tunable.name, manifest, source);
  checkOverrides(source, manifest);
  const entries = [
    { field: 'manifest.entryPoint', entryPoint: manifest.entryPoint },
    ...passes.map(({ entryPoint }, i) => ({ field: `manifest.passes[${i}]`, entryPoint })),
  ];
  for (const entry of entries) entryNamed(entry, source);
  const sizesOf = (values: TunableValues) => {
    const names = namesFor(values, null);
    const { source: read } = reading(names);
    const given = { ...names, ...valuesOfConstants(manifest, read, names) };
    return entries.map((entry) => workgroupSizeOf(entryNamed(entry, read), read, given));
  };
  const threads = (size: readonly number[]) => size.reduce((product, side) => product * side, 1);
  const requirements = manifest.requires.map(({ that, because }, i) => ({
    reason: because || `needs ${that}`,
    isOfShape: usesDimension(op, that),
    holds: (values: TunableValues, shape: Shape | null) =>
      evaluate(that, namesFor(values, shape), `manifest.requires[${i}].that`) !== 0,
  }));
  return gpuKernel({
    id: `${author}/${name}` as `${typeof op}/${string}`,
    op,
    rung: 100,
    idea: about || `${name}, contributed`,
    dtypes,
    ...(epilogue && { epilogue }),
    ...(errorGrowth !== undefined && { errorGrowth }),
    tunables,
    constraints: requirements
      .filter((requirement) => !requirement.isOfShape)
      .map(({ holds, reason }) => ({ reason, holds: (values) => holds(values, null) })),
    problemConstraints: [
      ...requirements
        .filter((requirement) => requirement.isOfShape)
        .map(({ holds, reason }) => ({
          reason,
          holds: (values: TunableValues, { shape }: Problem) => holds(values, shape),
        })),
      ...Object.entries(multiples).map(([dimension, multiple]) => ({
        reason: `${dimension} must be a multiple of ${multiple}`,
        holds: (values: TunableValues, { shape }: Problem) => {
          const field = `manifest.multiples.${dimension}`;
          const names = namesFor(values, shape);
          return evaluate(dimension, names, field) % evaluate(multiple, names, field) === 0;
        },
      })),
    ],
    ...(manifest.batches && { batches: true }),
    fuses: false,
    wgsl: (values, _dtype, { shape }) => {
      const names = namesFor(values, shape);
      const read = reading(names);
      return bodyOf(read.source, read.bindings, manifest, values, names);
    },
    declares: [...source.declared],
    keepsLines: true,
    constants: (values, { shape }) => {
      const names = namesFor(values, shape);
      return constantsFor(reading(names).bindings, names);
    },
    needs: (values, dtype) => ({
      // The largest of its dispatches.
      workgroupSize: sizesOf(values).reduce((a, b) => (threads(b) > threads(a) ? b : a)),
      workgroupBytes: evaluate(
        manifest.workgroupBytes,
        numbersOf(values),
        'manifest.workgroupBytes',
      ),
      features: features.filter((feature) => feature !== DTYPES[dtype].feature?.name),
    }),
    entryPoint: () => manifest.entryPoint,
    workgroups: (values, problem) =>
      workgroupsOf(manifest, namesFor(values, problem.shape), problem, 'manifest'),
    followUps: (values, problem) =>
      passes.map((pass, i) => ({
        entryPoint: pass.entryPoint,
        workgroups: workgroupsOf(
          pass,
          namesFor(values, problem.shape),
          problem,
          `manifest.passes[${i}]`,
        ),
      })),
    scratchBytes: (values, { shape }) =>
      evaluate(manifest.scratchBytes, namesFor(values, shape), 'manifest.scratchBytes'),
  });
}

/** A tunable is a constant of the source, or Tilemark declares it; in either case it is used. */
function checkTunable(name: string, manifest: Manifest, { names }: Source): void {
  const field = `manifest.tunables.${name}`;
  const { op, sizes, placeholders, covers, workgroups } = manifest;
  refuseIf(name === 'T', 'T is the type of elements: choose another name', field);
  const formulas = JSON.stringify([sizes, placeholders, covers, workgroups]);
  const isUsed = names.has(name) || namesIn(formulas).includes(name);
  refuseIf(!isUsed, `the source never uses ${name}: use it or leave it out`, field);
  const isDimension = opById(op).dimensions.some((dimension) => dimension.name === name);
  refuseIf(isDimension, `${name} is a dimension of ${op}`, field);
}

function entryNamed(
  { entryPoint, field }: { readonly entryPoint: string; readonly field: string },
  { entryPoints }: Source,
): EntryPoint {
  const found = entryPoints.find(({ name }) => name === entryPoint);
  if (found) return found;
  const names = entryPoints.map(({ name }) => name).join(', ') || 'none';
  const what = `there is no @compute function ${entryPoint}; there are: ${names}`;
  throw names === 'none' ? new InputError(what, field) : new Unsaid(`${what}:`, field);
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

/** The constants of the source that have a size for their value. */
const valuesOfConstants = ({ sizes }: Manifest, { constants }: Source, names: Names): Names =>
  Object.fromEntries(
    Object.entries(sizes)
      .filter(([name]) => constants.has(name))
      .map(([name, value]) => [name, evaluate(value, names, `manifest.sizes.${name}`)]),
  );

/** Evaluates every expression once, on the defaults and a small shape, so that none fails later. */
function checkNumbers(kernel: GpuKernel, op: OpId): void {
  const values = defaultsOf(kernel.tunables);
  const { dtypes, epilogue } = kernel;
  const [dtype = 'f32'] = dtypes;
  for (const id of dtypes) {
    const fault = epilogue && faultOf(op, opById(op).square(64) as Shape, id, { epilogue });
    if (fault?.field === 'epilogue') throw new InputError(fault.reason, 'manifest.epilogue');
  }
  const problem = { op, shape: opById(op).square(64), dtype, epilogue } as Problem;
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
  kernel.constants?.(values, problem);
  sourceFor(kernel, values, problem);
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
