import {
  type Constants,
  DTYPES,
  type Dtype,
  type Epilogue,
  InputError,
  type OpId,
  opById,
  type Problem,
  refuseIf,
  storedOf,
} from '@tilemark/kernels';
import { evaluate, type Names } from './expression';
import { type Leaf, leavesIn, numbersIn } from './layout';
import type { Manifest } from './manifest';
import type { Source, Variable } from './source';
import { atLine } from './tokens';

/** The bindings of a source's variables, in the order in which Tilemark binds. */
export interface Bindings {
  /** The tensors: inputs, then the output. */
  readonly tensors: readonly Variable[];
  readonly constants: readonly Bound[];
  readonly scratch: Variable | null;
}

/** A variable whose contents follow from the shape. */
export interface Bound {
  readonly variable: Variable;
  /** What each of its numbers is: a number, or a formula of dimensions and tunables. */
  readonly numbers: readonly { readonly leaf: Leaf; readonly value: number | string }[];
  /** Scalars of an array of zeros; null: it has the numbers alone. */
  readonly zeros: number | string | null;
}

/** What a manifest leaves out. */
export class Unsaid extends InputError {
  constructor(what: string, field: string) {
    super(`${what} say it, or run \`tilemark kernel new --from FILE\``, field);
  }
}

/** Finds each variable that the manifest names. Throws InputError at the field that is missing or wrong. */
export function bindingsOf(manifest: Manifest, source: Source): Bindings {
  const { bindings, zeros, sizes } = manifest;
  const buffers = buffersOf(manifest.op, manifest.dtypes, manifest.epilogue);
  const wanted = wantedOf(manifest, buffers);
  const arrays = arraysOf(source, sizes);
  for (const what of Object.keys(bindings)) {
    refuseIf(
      !wanted.includes(what),
      `${manifest.op} has no ${what}; it has ${wanted.join(', ')}`,
      `manifest.bindings.${what}`,
    );
  }
  const found = new Map<string, Variable>();
  for (const what of wanted) found.set(what, tensorOf(what, bindings[what], arrays, found));
  const tensors = buffers.flatMap(({ name }) => found.get(name) ?? []);
  for (const [at, tensor] of tensors.entries()) checkElements(tensor, at, manifest, source);
  const output = tensors.at(-1);
  refuseIf(
    output?.isWritable === false,
    `${output?.name} is ${buffers.at(-1)?.name}, the output: declare it var<storage, read_write>`,
    atLine(output?.line ?? 1),
  );
  for (const name of Object.keys(zeros)) {
    const variable = source.variables.find((candidate) => candidate.name === name);
    refuseIf(!variable?.element, noSuch(name, arrays), `manifest.zeros.${name}`);
  }
  const bound = [...found.values()];
  const others = source.variables.filter((variable) => !bound.includes(variable));
  for (const { name } of others.filter((variable) => arrays.includes(variable))) {
    if (Object.hasOwn(zeros, name)) continue;
    throw new Unsaid(`what is ${name}?`, `manifest.zeros.${name}`);
  }
  const isOfZeros = ({ name }: Variable) => Object.hasOwn(zeros, name);
  const leaves = new Map(
    leavesOf(
      others.filter((variable) => !isOfZeros(variable)),
      sizes,
    ),
  );
  const constants = others.map((variable) => ({
    variable,
    numbers: numbersOf(manifest, variable, leaves.get(variable) ?? []),
    zeros: isOfZeros(variable) ? (zeros[variable.name] ?? null) : null,
  }));
  checkSizes(sizes, constants, source);
  return { tensors, constants, scratch: found.get('scratch') ?? null };
}

const wantedOf = ({ scratchBytes }: Manifest, buffers: ReturnType<typeof buffersOf>) => [
  ...buffers.map(({ name }) => name),
  ...(scratchBytes === 0 ? [] : ['scratch']),
];

/** The arrays that may be tensors: none of whose numbers the manifest says. */
export const arraysOf = ({ variables }: Source, sizes: Manifest['sizes'] = {}) =>
  variables.filter(
    ({ element, name }) =>
      element !== null && !Object.keys(sizes).some((key) => key.startsWith(`${name}[`)),
  );

/** The buffers of an op's tensors. Throws InputError where the dtypes do not have the same. */
export function buffersOf(op: OpId, dtypes: readonly Dtype[], epilogue?: Epilogue) {
  const [buffers = [], ...others] = dtypes.map((dtype) => {
    const { inputs, output } = storedOf({
      op,
      shape: opById(op).square(1),
      dtype,
      epilogue,
    } as Problem);
    return [...inputs, output].flatMap(({ parts }) =>
      parts.map(({ binding, item }) => ({ name: binding, element: item.element as string })),
    );
  });
  const namesIn = (list: typeof buffers) => list.map(({ name }) => name).join();
  refuseIf(
    others.some((other) => namesIn(other) !== namesIn(buffers)),
    'these do not have the same bindings: write a kernel for each',
    'manifest.dtypes',
  );
  return buffers;
}

const noSuch = (name: string, variables: readonly Variable[]) =>
  `the source binds no array ${name}; it binds ${variables.map((variable) => variable.name).join(', ') || 'none'}`;

/** The array that is a tensor. Throws InputError where there is none, or it is another already. */
export function tensorOf(
  what: string,
  said: string | undefined,
  arrays: readonly Variable[],
  found: ReadonlyMap<string, Variable>,
): Variable {
  const field = `manifest.bindings.${what}`;
  const name = said ?? what;
  const variable = arrays.find((candidate) => candidate.name === name);
  const [taken] = [...found].find(([, other]) => other === variable) ?? [];
  if (variable && !taken) return variable;
  const bound = new Set(found.values());
  const isLeft = arrays.some((candidate) => !bound.has(candidate));
  if (taken) throw new InputError(`${name} is ${taken} already`, field);
  if (isLeft || said !== undefined) {
    throw new Unsaid(`${noSuch(name, arrays)}: which is ${what}?`, field);
  }
  throw new InputError(missingText(what, arrays), field);
}

/** Why a source cannot have a tensor that it has no array for, and what to do. */
export const missingText = (what: string, arrays: readonly Variable[]): string => {
  const names = arrays.map(({ name }) => name).join(', ') || 'none';
  const part = /^(\w)_/.exec(what)?.[1];
  return part
    ? `nothing is ${what} (${names}): blocks that hold their own scales are not taken; bind the quants of ${part}, and ${what} as a buffer of its own`
    : `nothing is ${what} (${names}): each tensor is bound once, in an array of its own; bind one where a source reads two from one`;
};

/** Throws InputError where elements are others than those of the dtypes. */
function checkElements(
  { element, line, name }: Variable,
  at: number,
  { dtypes, op, epilogue }: Manifest,
  { declared }: Source,
): void {
  const isKnown = Object.values(DTYPES).some((dtype) => dtype.element === element);
  // Words may be packed elements, and names of the source's own anything.
  if (!isKnown || element === 'u32' || declared.has(element ?? '')) return;
  for (const dtype of dtypes) {
    const wanted = buffersOf(op, [dtype], epilogue)[at];
    refuseIf(
      wanted?.element !== element,
      `${name} has elements of ${element}, and ${wanted?.name} of ${dtype} those of ${wanted?.element}`,
      atLine(line),
    );
  }
}

/** The meaning of every number of a variable: as the manifest says, or a dimension by its own name; `_pad` is 0. */
function numbersOf(
  { batches, op, sizes }: Manifest,
  variable: Variable,
  leaves: readonly Leaf[],
): Bound['numbers'] {
  const names = dimensionsOf(op, batches);
  return leaves.map((leaf) => {
    const key = keysOf(variable, leaf).find((candidate) => Object.hasOwn(sizes, candidate));
    const name = lastName(pathOf(variable, leaf));
    const byName = name.startsWith('_') ? 0 : names.find((each) => each === name);
    const value = key === undefined ? byName : sizes[key];
    if (value !== undefined) return { leaf, value };
    const path = leaf.path && !leaf.path.startsWith('[') ? leaf.path : pathOf(variable, leaf);
    throw new Unsaid(`what is ${path}?`, `manifest.sizes.${path}`);
  });
}

/** The names of dimensions; of a count only where there are batches: `b` may be anything else. */
export const dimensionsOf = (op: OpId, batches: boolean | undefined): readonly string[] =>
  opById(op).dimensions.flatMap(({ name, default: count }) =>
    count === undefined || batches ? name : [],
  );

function checkSizes(sizes: Manifest['sizes'], constants: readonly Bound[], source: Source): void {
  const places = constants.flatMap(({ numbers, variable }) =>
    numbers.map(({ leaf }) => ({ keys: keysOf(variable, leaf), path: pathOf(variable, leaf) })),
  );
  const listed = places
    .slice(0, MOST_LISTED)
    .map(({ path }) => path)
    .join(', ');
  for (const name of Object.keys(sizes)) {
    const isThere = source.constants.has(name) || places.some(({ keys }) => keys.includes(name));
    refuseIf(
      !isThere,
      `the source has no field, override, or const ${name}; its fields: ${listed || 'none'}`,
      `manifest.sizes.${name}`,
    );
  }
}

export const pathOf = ({ name }: Variable, { path }: Leaf) =>
  path === '' || path.startsWith('[') ? `${name}${path}` : `${name}.${path}`;

const keysOf = (variable: Variable, leaf: Leaf) => [pathOf(variable, leaf), leaf.path];

/** `params.dims.M` -> `M`; of a component or an element, that of the vector: `dims.x`. */
export const lastName = (path: string) => path.replace(/^.*\.(?=[A-Za-z_]\w+$|[A-Za-z]$)/, '');

/** Numbers of all variables that are no tensors: as many as the largest uniform buffer has. */
const MOST_NUMBERS = 16_384;
/** Characters of a number's path: more than "sizes" may name. */
const LONGEST_PATH = 512;
/** Fields that a message lists. */
const MOST_LISTED = 32;
const NUMBERS: readonly string[] = ['u32', 'i32', 'f32', 'f16'];

/** The numbers of variables that are no tensors. Throws InputError for what cannot be filled. */
export function leavesOf(
  variables: readonly Variable[],
  sizes: Manifest['sizes'],
): (readonly [Variable, readonly Leaf[]])[] {
  let numbers = 0;
  return variables.map((variable) => {
    const { line, name, type } = variable;
    const elements = Object.keys(sizes).map((key) =>
      key.startsWith(`${name}[`) ? Number(/\[(\d+)\]/.exec(key)?.[1] ?? 0) + 1 : 1,
    );
    const length = Math.max(1, ...elements);
    numbers += numbersIn(type, length);
    refuseIf(
      // Products of lengths may be infinite.
      !(numbers <= MOST_NUMBERS),
      `${name} makes it ${numbers} numbers; the most is ${MOST_NUMBERS}: say how many "zeros" it has, or bind them as an array that ends with its buffer`,
      atLine(line),
    );
    const leaves = leavesIn(type, length);
    refuseIf(
      leaves.some((leaf) => pathOf(variable, leaf).length > LONGEST_PATH),
      `${name.slice(0, 40)} has a number whose path is longer than ${LONGEST_PATH} characters: write shorter names`,
      atLine(line),
    );
    const other = leaves.find(({ scalar }) => !NUMBERS.includes(scalar));
    refuseIf(
      other !== undefined,
      `${name} has a number of the type ${other?.scalar}: write one of ${NUMBERS.join(', ')}`,
      atLine(line),
    );
    return [variable, leaves];
  });
}

/** Bytes of a variable filled with numbers, and with zeros. */
const MOST_BYTES = 65_536;
const MOST_ZEROS = 2 ** 30;

/** The buffers of the constants, for these names. Throws InputError at an unknown size. */
export function constantsFor({ constants }: Bindings, names: Names): Constants[] {
  return constants.map(({ variable, numbers, zeros }) => {
    const type = variable.isUniform ? 'uniform' : 'read-only-storage';
    if (zeros !== null) {
      const count = evaluate(zeros, names, `manifest.zeros.${variable.name}`);
      const bytes = variable.element === 'f16' ? 2 : 4;
      refuseIf(
        count < 0 || bytes * count > MOST_ZEROS,
        `${variable.name} has ${bytes * count} bytes of zeros: write 0 to ${MOST_ZEROS}`,
        `manifest.zeros.${variable.name}`,
      );
      return { type, words: [], bytes: Math.max(bytes * count, 16) };
    }
    const end = Math.max(variable.type.size, ...numbers.map(({ leaf }) => leaf.offset + 4));
    refuseIf(
      !(end <= MOST_BYTES),
      `${variable.name} has ${end} bytes; the most is ${MOST_BYTES}: write a smaller @size, @align, or length`,
      atLine(variable.line),
    );
    const view = new DataView(new ArrayBuffer(Math.ceil(end / 16) * 16));
    for (const { leaf, value } of numbers) {
      const field = `manifest.sizes.${pathOf(variable, leaf)}`;
      write(view, leaf, typeof value === 'number' ? value : evaluate(value, names, field), field);
    }
    return { type, words: new Uint32Array(view.buffer) };
  });
}

function write(view: DataView, { offset, scalar }: Leaf, value: number, field: string): void {
  if (scalar === 'f32') {
    view.setFloat32(offset, value, true);
  } else if (scalar === 'f16') {
    refuseIf(value !== 0 && value !== 1, 'an f16 can be 0 or 1 only', field);
    view.setUint16(offset, value === 1 ? 0x3c00 : 0, true);
  } else {
    refuseIf(!Number.isInteger(value), `${value} is not a whole number`, field);
    view.setUint32(offset, value, true);
  }
}
