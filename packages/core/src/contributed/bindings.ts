import {
  type Constants,
  DTYPES,
  type Dtype,
  type Epilogue,
  hasBias,
  InputError,
  type OpId,
  opById,
  type Problem,
  refuseIf,
  storedOf,
} from '@tilemark/kernels';
import { evaluate, type Names } from './expression';
import { isPad, type Leaf } from './layout';
import type { Manifest } from './manifest';
import type { Source, Variable } from './source';
import { atLine } from './statements';

/** What the variables of a source are bound to, in the order in which Tilemark binds. */
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

type Given = Pick<
  Manifest,
  'op' | 'dtypes' | 'epilogue' | 'batches' | 'bindings' | 'sizes' | 'zeros' | 'scratchBytes'
>;

/**
 * Tells by the manifest, by names, and by their order what each variable is. Throws InputError at the
 * one that cannot be told.
 */
export function bindingsOf(given: Given, source: Source): Bindings {
  const { zeros } = given;
  const variables = source.variables.toSorted((a, b) => a.group - b.group || a.binding - b.binding);
  const isArray = (variable: Variable) => variable.element !== null && !hasSizes(given, variable);
  const arrays = variables.filter((variable) => isArray(variable) && !(variable.name in zeros));
  const { tensors, scratch } = tensorsOf(given, arrays, source);
  const others = variables.filter((variable) => !arrays.includes(variable));
  const sized = others.filter((variable) => !(variable.name in zeros));
  const told = numbersOf(given, sized, source);
  for (const name of Object.keys(zeros)) {
    const variable = variables.find((candidate) => candidate.name === name);
    refuseIf(!variable?.element, `${noSuch(name, arrays)}`, `manifest.zeros.${name}`);
  }
  return {
    tensors,
    scratch,
    constants: others.map((variable) => ({
      variable,
      numbers: told.get(variable) ?? [],
      zeros: zeros[variable.name] ?? null,
    })),
  };
}

/** The buffers of an op's tensors. Throws InputError where the dtypes do not have the same. */
export function buffersOf(op: OpId, dtypes: readonly Dtype[] | undefined, epilogue?: Epilogue) {
  const { square, tensors } = opById(op);
  if (!dtypes) {
    const names = [...tensors];
    if (hasBias({ epilogue })) names.splice(-1, 0, 'bias');
    return names.map((name) => ({ name, element: null }));
  }
  const [buffers = [], ...others] = dtypes.map((dtype) => {
    const { inputs, output } = storedOf({ op, shape: square(1), dtype, epilogue } as Problem);
    return [...inputs, output].flatMap(({ parts }) =>
      parts.map(({ binding, item }) => ({ name: binding, element: item.element })),
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

/** Whether the manifest says numbers of an array: then it is none of the tensors. */
const hasSizes = ({ sizes }: Given, { name }: Variable) =>
  Object.keys(sizes).some((key) => key.startsWith(`${name}[`));

function tensorsOf(
  { op, dtypes, epilogue, bindings, scratchBytes }: Given,
  arrays: readonly Variable[],
  { text }: Source,
): Pick<Bindings, 'tensors' | 'scratch'> {
  const names = buffersOf(op, dtypes, epilogue).map(({ name }) => name);
  const wanted = scratchBytes === 0 ? names : [...names, 'scratch'];
  const found = new Map<string, Variable>();
  const left = () => arrays.filter((variable) => ![...found.values()].includes(variable));
  for (const [what, name] of Object.entries(bindings)) {
    const field = `manifest.bindings.${what}`;
    const variable = arrays.find((candidate) => candidate.name === name);
    const others = wanted.join(', ');
    refuseIf(!wanted.includes(what), `${op} has no ${what}; it has ${others}`, field);
    if (!variable) throw new InputError(noSuch(name, arrays), field);
    found.set(what, variable);
  }
  const open = () => wanted.filter((what) => !found.has(what));
  // By name; then the output and scratch memory, which are written; then by order.
  for (const what of open()) {
    const [variable, second] = left().filter(({ name }) => isCalled(name, what));
    if (variable && !second) found.set(what, variable);
  }
  const outputs = open().filter((what) => what === names.at(-1) || what === 'scratch');
  const written = left().filter((variable) => variable.isWritable && variable.isWritten);
  for (const [at, what] of outputs.entries()) {
    const variable = written[at];
    if (variable) found.set(what, variable);
  }
  for (const what of open()) {
    const [variable] = left();
    if (variable) found.set(what, variable);
  }
  const [missing] = open();
  const [extra] = left();
  const all = wanted.map((what) => `${what} = ${found.get(what)?.name ?? '?'}`).join(', ');
  const line = 1 + (text.slice(0, text.search(/@(?:group|binding)/)).match(/\n/g)?.length ?? 0);
  if (missing) {
    throw new InputError(
      `${op} has ${wanted.join(', ')}, and nothing is ${missing} here (${all})`,
      atLine(line),
    );
  }
  if (extra) {
    throw new InputError(
      `what is ${extra.name}? ${op} has ${wanted.join(', ')} (${all}); say it in "bindings", or how many zeros it has in "zeros"`,
      atLine(extra.line),
    );
  }
  const output = found.get(names.at(-1) ?? '');
  refuseIf(
    output?.isWritable === false,
    `${output?.name} is ${names.at(-1)}, the output: declare it var<storage, read_write>`,
    atLine(output?.line ?? 1),
  );
  return {
    tensors: names.flatMap((what) => found.get(what) ?? []),
    scratch: found.get('scratch') ?? null,
  };
}

/** `A`, `a`, `matrixA`, `a_matrix`. */
const isCalled = (name: string, what: string) =>
  name.toLowerCase() === what.toLowerCase() ||
  new RegExp(`^(?:(?:mat|matrix|tensor|array)_?${what}|${what}_(?:mat|matrix|tensor))$`, 'i').test(
    name,
  );

type Told = ReadonlyMap<Variable, Bound['numbers']>;

/** What every number of the constants is: as the manifest says, else by its name, else by its order. */
function numbersOf(
  { batches, op, sizes }: Given,
  variables: readonly Variable[],
  source: Source,
): Told {
  const used = new Set<string>();
  const sides = Object.keys(opById(op).square(1));
  // A count only where there are batches: `b` may be anything else.
  const dimensions = opById(op)
    .dimensions.filter((dimension) => batches || sides.includes(dimension.name))
    .map(({ name }) => name);
  const known = variables.map((variable) => {
    const numbers = leavesOf(variable, sizes).map((leaf) => {
      const whole = pathOf(variable, leaf);
      const keys = [whole, leaf.path].filter((key) => Object.hasOwn(sizes, key));
      for (const key of keys) used.add(key);
      const [key] = keys;
      const name = lastName(whole);
      const dimension = dimensions.find((candidate) => candidate === name.toLowerCase());
      const value = key === undefined ? (dimension ?? null) : (sizes[key] ?? null);
      return { leaf, name, value };
    });
    return { variable, numbers };
  });
  for (const name of Object.keys(sizes)) {
    refuseIf(
      !used.has(name) && !source.constants.has(name),
      `the source has no field, override, or const ${name}; its fields: ${known.flatMap(({ variable, numbers }) => numbers.map(({ leaf }) => pathOf(variable, leaf))).join(', ') || 'none'}`,
      `manifest.sizes.${name}`,
    );
  }
  const all = known.flatMap(({ numbers }) => numbers);
  const open = all.filter(({ name, value }) => value === null && !isPad(name));
  const missing = sides.filter((side) => all.every(({ value }) => value !== side));
  const isInOrder = open.length === sides.length && missing.length === sides.length;
  const isOnly = open.length === 1 && missing.length === 1 && all.length > 1;
  return new Map(
    known.map(({ variable, numbers }) => [
      variable,
      numbers.map((number) => {
        const { leaf, name, value } = number;
        if (value !== null) return { leaf, value };
        if (isPad(name)) return { leaf, value: 0 };
        const at = open.indexOf(number);
        const told = isInOrder ? sides[at] : isOnly ? missing[0] : undefined;
        if (told !== undefined) return { leaf, value: told };
        throw new InputError(
          `${variable.name} has ${numbers.length} numbers (${some(numbers.map(({ leaf: { path } }) => path || variable.name))}), and what ${some(open.map((those) => those.name))} ${open.length > 1 ? 'are' : 'is'} cannot be told: say it in "sizes": { "${leaf.path || variable.name}": "${sides.at(-1)}" }`,
          atLine(variable.line),
        );
      }),
    ]),
  );
}

/** The first names of a list that may be long. */
const some = (names: readonly string[]) =>
  names.length > 8 ? `${names.slice(0, 8).join(', ')}, ...` : names.join(', ');

const pathOf = ({ name }: Variable, { path }: Leaf) =>
  path === '' || path.startsWith('[') ? `${name}${path}` : `${name}.${path}`;

/** `params.dims.M` -> `M`; of a component or an element, that of the vector: `dims.x`. */
const lastName = (path: string) => path.replace(/^.*\.(?=[A-Za-z_]\w+$|[A-Za-z]$)/, '');

function leavesOf(variable: Variable, sizes: Given['sizes']): readonly Leaf[] {
  const elements = Object.keys(sizes).map((key) =>
    key.startsWith(`${variable.name}[`) ? Number(/\[(\d+)\]/.exec(key)?.[1] ?? 0) + 1 : 0,
  );
  return variable.leaves(Math.max(0, ...elements));
}

/** The buffers of the constants, for these names. Throws InputError at an unknown size. */
export function constantsFor({ constants }: Bindings, names: Names): Constants[] {
  return constants.map(({ variable, numbers, zeros }) => {
    const type = variable.isUniform ? 'uniform' : 'read-only-storage';
    if (zeros !== null) {
      const count = evaluate(zeros, names, `manifest.zeros.${variable.name}`);
      return { type, words: [], bytes: Math.max(bytesOf(variable.element ?? '') * count, 16) };
    }
    const end = Math.max(variable.bytes, ...numbers.map(({ leaf }) => leaf.offset + 4));
    const view = new DataView(new ArrayBuffer(Math.ceil(end / 16) * 16));
    for (const { leaf, value } of numbers) {
      const field = `manifest.sizes.${pathOf(variable, leaf)}`;
      write(view, leaf, typeof value === 'number' ? value : evaluate(value, names, field), field);
    }
    return { type, words: new Uint32Array(view.buffer) };
  });
}

const bytesOf = (scalar: string) =>
  Object.values(DTYPES).find(({ element }) => element === scalar)?.bytes ?? 4;

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
