import {
  DTYPES,
  type Dtype,
  defaultsOf,
  faultOf,
  type GpuKernel,
  gpuKernel,
  InputError,
  idsOf,
  type OpId,
  opById,
  type Problem,
  refuseIf,
  type Shape,
  sourceFor,
  type Tunable,
  type TunableValues,
} from '@tilemark/kernels';
import { type Bindings, bindingsOf, buffersOf, constantsFor } from './bindings';
import { bodyOf, checkOverrides, directivesIn, featuresIn, filledIn } from './body';
import { workgroupsOf } from './dispatch';
import { evaluate, type Names, namesIn } from './expression';
import { manifestOf } from './file';
import { type Contributed, makeKnown } from './known';
import type { KernelFile, Manifest } from './manifest';
import { namesOf, numbersOf, usesDimension } from './names';
import { type EntryPoint, type Source, sourceOf, workgroupSizeOf } from './source';
import { atLine } from './statements';

/** Makes a kernel known to this process, as if it stood in the registry. Throws as `readKernel`. */
export async function admitKernel(file: KernelFile): Promise<Contributed> {
  const contributed = await readKernel(file);
  makeKnown(contributed.kernel, file);
  return contributed;
}

/**
 * Reads a kernel's file: everything that can be said of it without compiling. Throws InputError
 * with the place as its field: `wgsl:12` for a line of the source, `manifest.covers.rows`.
 */
export async function readKernel(file: KernelFile): Promise<Contributed> {
  const { kernel, manifest } = checkKernel(file);
  const hash = await sha256(`${canonical(manifest)}\n${file.source}`);
  const id = `${kernel.id}@${hash.slice(0, 8)}` as typeof kernel.id;
  return { kernel: { ...kernel, id }, manifest, file, hash };
}

/**
 * As `readKernel`, but without the hash, which browsers compute in secure contexts only: the kernel's
 * id names no version.
 */
export function checkKernel(file: KernelFile): Pick<Contributed, 'kernel' | 'manifest'> {
  const manifest = manifestOf(file);
  const kernel = kernelOf(file, manifest);
  checkNumbers(kernel, manifest.op);
  return { kernel, manifest };
}

/** A source as it is read for tunables and a shape, which may be written into it. */
interface Reading {
  readonly source: Source;
  readonly bindings: Bindings;
}

/** How many readings of a template are kept. */
const MOST_READINGS = 64;

function kernelOf({ author, source: text }: KernelFile, manifest: Manifest): GpuKernel {
  const { op, about, name, features, workgroupBytes, multiples, passes, placeholders } = manifest;
  const tunables = tunablesOf(manifest);
  const readings = new Map<string, Reading>();
  const reading = (names: Names): Reading => {
    const filled = filledIn(text, placeholders, names);
    const known = readings.get(filled);
    if (known) return known;
    const source = sourceOf(filled);
    const read = { source, bindings: bindingsOf(manifest, source) };
    const [oldest] = readings.keys();
    if (oldest !== undefined && readings.size >= MOST_READINGS) readings.delete(oldest);
    readings.set(filled, read);
    return read;
  };
  const namesFor = (values: TunableValues, shape: Shape | null) =>
    namesOf(values, op, shape ?? opById(op).square(64));
  const first = reading(namesFor(defaultsOf(tunables), null));
  const { source } = first;
  for (const tunable of tunables) checkTunable(tunable.name, manifest, source);
  checkOverrides(source, manifest);
  const entryPoint = entryPointOf(manifest.entryPoint, source);
  const entryPoints = [
    entryPoint,
    ...passes.map((pass, i) => entryNamed(pass.entryPoint, source, `manifest.passes[${i}]`)),
  ];
  const path = (field: string) => `manifest.${field}`;
  const isOfShape = (expression: number | string) => usesDimension(op, expression);
  const literals = [
    ...Object.values(placeholders),
    ...Object.entries(manifest.sizes)
      .filter(([size]) => source.constants.has(size))
      .map(([, value]) => value),
  ];
  const needed = [...new Set([...features, ...featuresIn(source)])];
  const sizesOf = (values: TunableValues) => {
    const names = namesFor(values, null);
    const { source: read } = reading(names);
    return entryPoints.map(({ name: wanted }) =>
      workgroupSizeOf(entryNamed(wanted, read, 'manifest.entryPoint'), read, {
        ...names,
        ...valuesOfConstants(manifest, read, names),
      }),
    );
  };
  const threads = (size: readonly number[]) => size.reduce((product, side) => product * side, 1);
  const requirements = manifest.requires.map(({ that, because }, i) => ({
    that,
    reason: because || `needs ${that}`,
    field: path(`requires[${i}].that`),
  }));
  return gpuKernel({
    id: `${author}/${name}` as `${typeof op}/${string}`,
    op,
    rung: 100,
    idea: about || `${name}, contributed`,
    dtypes: dtypesOf(manifest, first),
    ...(manifest.epilogue && { epilogue: manifest.epilogue }),
    tunables,
    constraints: requirements
      .filter(({ that }) => !isOfShape(that))
      .map(({ that, reason, field }) => ({
        reason,
        holds: (values: TunableValues) => evaluate(that, numbersOf(values), field) !== 0,
      })),
    problemConstraints: [
      ...requirements
        .filter(({ that }) => isOfShape(that))
        .map(({ that, reason, field }) => ({
          reason,
          holds: (values: TunableValues, { shape }: Problem) =>
            evaluate(that, namesFor(values, shape), field) !== 0,
        })),
      ...Object.entries(multiples).map(([dimension, multiple]) => ({
        reason: `${dimension} must be a multiple of ${multiple}`,
        holds: (values: TunableValues, { shape }: Problem) => {
          const field = path(`multiples.${dimension}`);
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
    ...(literals.some((value) => typeof value !== 'object' && isOfShape(value)) && {
      isPerShape: true,
    }),
    declares: [...source.declared],
    directives: directivesIn(source),
    constants: (values, { shape }) => {
      const names = namesFor(values, shape);
      return constantsFor(reading(names).bindings, names);
    },
    needs: (values) => ({
      // The largest of its dispatches.
      workgroupSize: sizesOf(values).reduce((a, b) => (threads(b) > threads(a) ? b : a)),
      workgroupBytes: evaluate(workgroupBytes, numbersOf(values), path('workgroupBytes')),
      features: needed,
    }),
    entryPoint: () => entryPoint.name,
    workgroups: (values, problem) =>
      workgroupsOf(manifest, namesFor(values, problem.shape), problem, 'manifest'),
    followUps: (values, problem) =>
      passes.map((pass, i) => ({
        entryPoint: pass.entryPoint,
        workgroups: workgroupsOf(
          pass,
          namesFor(values, problem.shape),
          problem,
          path(`passes[${i}]`),
        ),
      })),
    scratchBytes: (values, { shape }) =>
      evaluate(manifest.scratchBytes, namesFor(values, shape), path('scratchBytes')),
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

function entryNamed(wanted: string, { entryPoints }: Source, field: string): EntryPoint {
  const found = entryPoints.find((entryPoint) => entryPoint.name === wanted);
  if (found) return found;
  const names = entryPoints.map((entryPoint) => entryPoint.name).join(', ') || 'none';
  throw new InputError(`there is no @compute function ${wanted}; there are: ${names}`, field);
}

function entryPointOf(wanted: string | undefined, source: Source): EntryPoint {
  const [only, ...others] = source.entryPoints;
  const isOnly = wanted === undefined && only && others.length === 0;
  return isOnly ? only : entryNamed(wanted ?? 'main', source, 'manifest.entryPoint');
}

/** As the manifest says, else what tensors are made of. Throws InputError where they are of others. */
function dtypesOf(
  { op, dtypes, epilogue }: Manifest,
  { bindings: { tensors }, source: { declared } }: Reading,
): readonly Dtype[] {
  const [a] = tensors;
  const isOf = (id: Dtype) =>
    buffersOf(op, [id], epilogue).every(({ element }, at) => element === tensors[at]?.element);
  // The first of several with these elements: row-major, and with sums in f32.
  const dtype =
    idsOf(DTYPES).find(isOf) ?? idsOf(DTYPES).find((id) => DTYPES[id].element === a?.element);
  const known = dtypes ?? (dtype && [dtype]);
  if (!known) {
    throw new InputError(
      `${a?.name} has elements of ${a?.element}: say in "dtypes" what they are, of ${idsOf(DTYPES).join(', ')}`,
      'manifest.dtypes',
    );
  }
  for (const [at, { element, line, name }] of tensors.entries()) {
    // Words may be packed elements, and names of the source's own anything.
    const isNamed = !idsOf(DTYPES).some((id) => DTYPES[id].element === element);
    if (isNamed || element === 'u32' || declared.has(element ?? '')) continue;
    for (const id of known) {
      const wanted = buffersOf(op, [id], epilogue)[at];
      refuseIf(
        wanted?.element !== element,
        `${name} has elements of ${element}, and ${wanted?.name} of ${id} those of ${wanted?.element}`,
        atLine(line),
      );
    }
  }
  return known;
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
function valuesOfConstants({ sizes }: Manifest, { constants }: Source, names: Names): Names {
  return Object.fromEntries(
    Object.entries(sizes)
      .filter(([name]) => constants.has(name))
      .map(([name, value]) => [
        name,
        typeof value === 'number' ? value : evaluate(value, names, `manifest.sizes.${name}`),
      ]),
  );
}

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

/** A manifest as it is hashed: fields of later releases only where they say something. */
function canonical(manifest: Manifest): string {
  const { $schema, name, about, op, dtypes, entryPoint = 'main', ...others } = manifest;
  const { epilogue, bindings, sizes, zeros, placeholders, batches, workgroups, ...rest } = others;
  const later = { epilogue, bindings, sizes, zeros, placeholders, batches, workgroups };
  const said = Object.entries(later).filter(
    ([, value]) => value && (typeof value !== 'object' || Object.keys(value).length > 0),
  );
  return JSON.stringify({
    ...($schema !== undefined && { $schema }),
    name,
    about,
    op,
    dtypes,
    entryPoint,
    ...rest,
    ...Object.fromEntries(said),
  });
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
