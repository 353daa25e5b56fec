import {
  DTYPES,
  type Dtype,
  type Epilogue,
  InputError,
  idsOf,
  ifValid,
  type KernelFile,
  type OpId,
  refuseIf,
} from '@tilemark/kernels';
import {
  arraysOf,
  buffersOf,
  dimensionsOf,
  lastName,
  leavesOf,
  missingText,
  pathOf,
  tensorOf,
} from './bindings';
import { filledIn } from './body';
import { evaluate, namesIn } from './expression';
import { writtenIn } from './file';
import { type Manifest, MOST_PLACEHOLDERS, type WrittenManifest } from './manifest';
import { replacedBy } from './names';
import { type EntryPoint, type Source, sourceOf, type Variable, workgroupSizeOf } from './source';
import { atLine, closing } from './tokens';

/** A manifest with what was guessed. */
export interface Guess {
  readonly manifest: WrittenManifest;
  /** What the source does not tell, for its author to look at, in order of the manifest. */
  readonly open: readonly string[];
}

/** A placeholder in the templates of most projects: `{{ M }}`, `${M}`, `$M`. */
const PLACEHOLDER = /\{\{[^{}\n]{1,60}\}\}|\$\{[^{}\n]{1,60}\}|\$[A-Z]\w{0,40}/g;
const STATEMENT = /\{%|^\s*#\s*(?:if|ifdef|define|include|endif)\b/m;

/**
 * Completes the manifest of a source from what the source tells: the one place that guesses. What
 * its author says stays. Throws InputError at what cannot be read, or is no kernel of ours.
 */
export function guess(name: string, file: Omit<KernelFile, 'author'>): Guess {
  const written = writtenIn(file);
  const open: string[] = [];
  const { source: text } = file;
  const placeholders = { ...placeholdersIn(text, open), ...written.placeholders };
  refuseIf(
    STATEMENT.test(text),
    'the file has statements of a template or a preprocessor: bring what they print for one shape',
    'wgsl',
  );
  const samples = Object.entries(placeholders).map(
    ([placeholder, value]) => [placeholder, typeof value === 'object' ? value : 16] as const,
  );
  const source = sourceOf(filledIn(text, Object.fromEntries(samples), {}), replacedBy(written));
  refuseIf(source.entryPoints.length === 0, 'there is no @compute function', 'wgsl');
  const tensors = tensorsIn(source, written, open);
  const { op } = tensors;
  const entryPoint = entryPointIn(source, written.entryPoint, open);
  const numbers = numbersIn(source, tensors, { placeholders, ...written }, open);
  const guessed = {
    name,
    about: '',
    op,
    dtypes: [...tensors.dtypes],
    ...(tensors.epilogue && { epilogue: tensors.epilogue }),
    ...(entryPoint.name !== 'main' && { entryPoint: entryPoint.name }),
    ...withoutEmpty({
      bindings: tensors.bindings,
      sizes: numbers.sizes,
      zeros: tensors.zeros,
      placeholders,
      tunables: numbers.tunables,
      multiples: multiplesIn(tensors),
    }),
    ...(!written.covers && !written.workgroups && dispatchedBy(op, entryPoint, source, open)),
  };
  const { bindings, sizes, zeros, placeholders: _, ...said } = written;
  return { manifest: { ...guessed, ...said }, open };
}

const withoutEmpty = (fields: Readonly<Record<string, object>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => Object.keys(value).length > 0));

function placeholdersIn(text: string, open: string[]): Manifest['placeholders'] {
  const found = [...new Set(text.match(PLACEHOLDER))];
  refuseIf(
    found.length > MOST_PLACEHOLDERS,
    `the source has ${found.length} placeholders; the most is ${MOST_PLACEHOLDERS}: bring what the template prints`,
    'wgsl',
  );
  return Object.fromEntries(
    found.map((placeholder) => {
      const word = /[A-Za-z]\w*/.exec(placeholder)?.[0] ?? '';
      const isType = new RegExp(`array<\\s*${placeholder.replace(/[^\w\s]/g, '\\$&')}`).test(text);
      const dimension = ['m', 'n', 'k'].find((side) => side === word.toLowerCase());
      if (isType) return [placeholder, { text: 'f32' }];
      if (!dimension) open.push(`placeholders: what is ${placeholder}? 16 is a guess`);
      return [placeholder, dimension ?? 16];
    }),
  );
}

/** The tensors that the arrays of a source are. */
interface Tensors {
  readonly op: OpId;
  readonly dtypes: readonly Dtype[];
  readonly epilogue: Epilogue | undefined;
  /** By what they are, the names of buffers. */
  readonly found: ReadonlyMap<string, Variable>;
  readonly bindings: Readonly<Record<string, string>>;
  readonly zeros: Readonly<Record<string, number | string>>;
}

function tensorsIn(source: Source, written: Partial<WrittenManifest>, open: string[]): Tensors {
  const zeros = written.zeros ?? {};
  const arrays = arraysOf(source, written.sizes).filter(({ name }) => !Object.hasOwn(zeros, name));
  const output = outputOf(source, arrays, open);
  const isBias = ({ name }: Variable) => /bias/i.test(name);
  const inputs = arrays.filter((variable) => variable !== output && !isBias(variable));
  const op = written.op ?? (inputs.length === 1 && !source.names.has('k') ? 'transpose' : 'matmul');
  const bias = op === 'matmul' ? arrays.find((each) => each !== output && isBias(each)) : undefined;
  const epilogue = written.epilogue ?? (bias && 'bias');
  const lists: Dtype[][] = written.dtypes
    ? [[...written.dtypes]]
    : idsOf(DTYPES).map((dtype) => [dtype]);
  const fits = lists.flatMap((dtypes) => {
    const buffers = ifValid(() => buffersOf(op, dtypes, epilogue));
    if (!buffers) return [];
    const wanted = (written.scratchBytes ?? 0) === 0 ? [] : [{ name: 'scratch', element: '' }];
    const found = assigned([...buffers, ...wanted], arrays, output, written);
    const missing = buffers.find(({ name }) => !found.has(name))?.name;
    return [{ dtypes, buffers, found, missing, left: arrays.length - found.size }];
  });
  const whole = fits.filter(({ missing }) => missing === undefined);
  const [fit = fits[0]] = whole.toSorted((a, b) => a.left - b.left);
  if (!fit || fit.missing !== undefined) {
    const what = fit?.missing ?? 'A';
    throw new InputError(missingText(what, arrays), `manifest.bindings.${what}`);
  }
  const { found, buffers } = fit;
  const left = arrays.filter((variable) => ![...found.values()].includes(variable));
  for (const variable of left) refuseHalves(variable, arrays);
  const byOrder = buffers.filter(({ name }) => !isCalled(found.get(name)?.name ?? '', name));
  if (byOrder.length > 1) {
    const pairs = byOrder.map(({ name }) => `${name} = ${found.get(name)?.name}`);
    open.push(`bindings: ${pairs.join(', ')} by their order`);
  }
  if (bias && !written.epilogue) {
    open.push(
      `epilogue: ${bias.name} is taken for a bias, one value for each column; if more is made of each sum, bias-relu, bias-gelu or bias-silu`,
    );
  }
  for (const { name } of left) open.push(`zeros: ${name} is taken for n zeros`);
  const rows = written.dtypes ? undefined : dtypeByRows(fit.dtypes[0], source, found, open);
  if (!written.dtypes && !rows) noteDtype(fit.dtypes[0], [...found.values()], open);
  return {
    op,
    dtypes: rows ? [rows] : fit.dtypes,
    epilogue,
    found,
    bindings: Object.fromEntries([...found].map(([what, { name }]) => [what, name])),
    zeros: { ...zeros, ...Object.fromEntries(left.map(({ name }) => [name, 'n'])) },
  };
}

function outputOf(source: Source, arrays: readonly Variable[], open: string[]): Variable {
  const writable = arrays.filter(({ isWritable }) => isWritable);
  const stored =
    writable.length > 1 ? writable.filter(({ name }) => isWritten(name, source)) : writable;
  const [first, ...others] = stored.length > 0 ? stored : writable;
  if (!first) {
    throw new InputError(
      'nothing is written: declare the output var<storage, read_write>',
      atLine(arrays[0]?.line ?? 1),
    );
  }
  const named = [first, ...others].find(({ name }) => isCalled(name, 'C'));
  if (others.length > 0 && !named) open.push(`bindings: ${first.name} is taken for the output`);
  return named ?? first;
}

const ASSIGNS = /^(?:=|[-+*/%&|^]=|<<=|>>=|\+\+|--)$/;
const BEFORE_ADDRESS = new Set(['(', ',', '=', 'return']);
const READERS: readonly string[] = ['arrayLength', 'atomicLoad', 'subgroupMatrixLoad'];

/** Whether a variable is assigned to, or its address handed on to what may write there. */
function isWritten(name: string, { tokens }: Source): boolean {
  const text = (at: number) => tokens[at]?.text ?? '';
  return tokens.some((token, index) => {
    if (token.text !== name || text(index - 1) === '.') return false;
    let before = index - 1;
    while (text(before) === '(' && text(before - 1) !== '&' && text(before - 1) === '(') before--;
    const address = text(before) === '&' ? before : text(before - 1) === '&' ? before - 1 : -1;
    if (address > 0 && BEFORE_ADDRESS.has(text(address - 1))) {
      return text(address - 1) !== '(' || !READERS.includes(text(address - 2).replace(/<.*/, ''));
    }
    let at = index + 1;
    for (;;) {
      if (text(at) === '[') at = closing(tokens, at) + 1;
      else if (text(at) === '.') at += 2;
      else return ASSIGNS.test(text(at));
    }
  });
}

const SHORT_NAMES: Readonly<Record<string, string>> = { A: 'lhs', B: 'rhs', C: 'dst' };

/** `A`, `a`, `lhs`, `matrixA`, `a_matrix`; of a part, any name with its word. */
const isCalled = (name: string, what: string) =>
  [what.toLowerCase(), SHORT_NAMES[what]].includes(name.toLowerCase()) ||
  (what.includes('_') && new RegExp(what.slice(2, 6), 'i').test(name)) ||
  (what === 'bias' && /bias/i.test(name)) ||
  new RegExp(`^(?:(?:mat|matrix|tensor|array)_?${what}|${what}_(?:mat|matrix|tensor))$`, 'i').test(
    name,
  );

/** Variables by what they are: as said, by name, then in order, each of the right elements. */
function assigned(
  buffers: ReturnType<typeof buffersOf>,
  arrays: readonly Variable[],
  output: Variable,
  { bindings = {}, dtypes: said }: Partial<WrittenManifest>,
): Map<string, Variable> {
  const found = new Map<string, Variable>();
  const isOf = ({ element }: Variable, wanted: string) =>
    wanted === '' || element === wanted || (element === 'T' && wanted !== 'u32');
  const take = (what: string, fits: (variable: Variable) => boolean) => {
    const taken = [...found.values()];
    const variable = arrays.find((each) => !taken.includes(each) && fits(each));
    if (variable && !found.has(what)) found.set(what, variable);
  };
  for (const [what, name] of Object.entries(bindings)) {
    found.set(what, tensorOf(what, name, arrays, found));
  }
  const last = buffers.findLast(({ name }) => name !== 'scratch')?.name ?? '';
  take(last, (variable) => variable === output);
  for (const { name } of buffers) take(name, (variable) => isCalled(variable.name, name));
  for (const { element, name } of buffers) take(name, (variable) => isOf(variable, element));
  for (const { element, name } of buffers) {
    const variable = found.get(name);
    // Of a dtype that is said, words may be packed elements.
    const isWords = said && variable?.element === 'u32';
    if (variable && !isWords && !isOf(variable, element)) found.delete(name);
  }
  return found;
}

/** Throws InputError for a tensor whose rest is in a binding of its own. */
function refuseHalves(variable: Variable, arrays: readonly Variable[]): void {
  const isRest = (rest: string) => /^_?(?:\d|lo|hi|low|high|rest|part\d?)$/i.test(rest);
  const first = arrays.find(
    ({ name }) => variable.name.startsWith(name) && isRest(variable.name.slice(name.length)),
  );
  refuseIf(
    first !== undefined,
    `${first?.name} and ${variable.name} are one tensor in two bindings; each tensor is bound whole: read all of it from ${first?.name}`,
    atLine(variable.line),
  );
}

/** The dtype whose B lies by rows, where an index into it has the stride k. Throws InputError for such an A. */
function dtypeByRows(
  dtype: Dtype | undefined,
  source: Source,
  found: Tensors['found'],
  open: string[],
): Dtype | undefined {
  const [a, b] = [found.get('A'), found.get('B')];
  if (!a || !b || !found.has('C')) return undefined;
  const line = strideLine(source, a.name, 'm', 'k');
  refuseIf(
    line !== null,
    `${a.name} is read by columns (k x m), and A lies by rows: read ${a.name}[row * k + p]`,
    atLine(line ?? 1),
  );
  const byRows = idsOf(DTYPES).find((id) => id === `${dtype}-nt`);
  if (!byRows || strideLine(source, b.name, 'k', 'n') === null) return undefined;
  open.push(`dtypes: ${b.name} is read by rows (n x k), so ${byRows}`);
  return byRows;
}

/** The line of an index whose stride is one dimension, where none is the other; null: there is none. */
function strideLine(
  { tokens }: Source,
  array: string,
  stride: string,
  other: string,
): number | null {
  const names = (side: string, from: number, to: number) =>
    tokens.slice(from, to).some(({ text }) => text.toLowerCase() === side);
  let line: number | null = null;
  for (const [at, token] of tokens.entries()) {
    if (token.text !== array || tokens[at + 1]?.text !== '[') continue;
    const end = closing(tokens, at + 1);
    if (names(other, at + 2, end)) return null;
    if (names(stride, at + 2, end)) line ??= token.line;
  }
  return line;
}

function noteDtype(dtype: Dtype | undefined, tensors: readonly Variable[], open: string[]): void {
  if (dtype === 'f16') open.push('dtypes: f16 has sums in f32; if these are in f16, f16acc16');
  if (tensors.some(({ element }) => element === 'T'))
    open.push('dtypes: f32 is a guess, of what T is');
  if (dtype && tensors.some(({ element }) => element === 'u32')) {
    open.push(`dtypes: ${dtype} is a guess, of what the words hold`);
  }
}

const NO_ENTRY: EntryPoint = { name: 'main', line: 1, workgroupSize: [] };

function entryPointIn(
  { entryPoints }: Source,
  said: string | undefined,
  open: string[],
): EntryPoint {
  const [first = NO_ENTRY] = entryPoints;
  const main = entryPoints.find(({ name }) => name === (said ?? 'main')) ?? first;
  if (entryPoints.length > 1 && said === undefined) {
    open.push(`entryPoint: ${main.name}, of ${entryPoints.map(({ name }) => name).join(', ')}`);
  }
  return main;
}

/** Whether a field fills a gap between the kernel's own sizes. */
const isPad = (name: string) => /pad|unused|^_|^reserved/i.test(name);

function numbersIn(
  source: Source,
  { op, found, zeros }: Tensors,
  written: Partial<WrittenManifest>,
  open: string[],
) {
  const dimensions = dimensionsOf(op, written.batches);
  const sides = dimensionsOf(op, false);
  const dimensionOf = (name: string) => dimensions.find((side) => side === name.toLowerCase());
  // In a template they may be made of what is put there.
  const isLiteral = Object.keys(written.placeholders ?? {}).length === 0;
  const tunables: Record<string, number[]> = {};
  const sizes: Record<string, number | string> = { ...written.sizes };
  const ofWorkgroups = new Set(
    source.entryPoints.flatMap(({ workgroupSize }) => workgroupSize.flatMap(namesIn)),
  );
  for (const { name, value, isOverride } of source.constants.values()) {
    if (Object.hasOwn(sizes, name) || Object.hasOwn(written.tunables ?? {}, name)) continue;
    const number = ifValid(() => evaluate(value, {}, name));
    const isTunable = /^[A-Z][A-Z0-9_]*$/.test(name) && name !== 'T' && !dimensionOf(name);
    if (isTunable && number !== null && (isOverride || ofWorkgroups.has(name))) {
      tunables[name] = [number];
      open.push(`tunables: ${name} has the value of the source alone; add those to try`);
    } else if (isOverride ? value === '' || dimensionOf(name) : dimensionOf(name) && isLiteral) {
      sizes[name] = dimensionOf(name) ?? 1;
      if (!dimensionOf(name)) open.push(`sizes: what is override ${name}? 1 is a guess`);
    }
  }
  const bound = [...found.values()];
  const others = source.variables.filter(
    (variable) => !bound.includes(variable) && !Object.hasOwn(zeros, variable.name),
  );
  const leaves = leavesOf(others, written.sizes ?? {}).flatMap(([variable, its]) =>
    its.map((leaf) => ({
      path: leaf.path,
      whole: pathOf(variable, leaf),
      name: lastName(pathOf(variable, leaf)),
    })),
  );
  const once = new Set<string>();
  const twice = new Set<string>();
  for (const { path } of leaves) (once.has(path) ? twice : once).add(path);
  const untold: string[] = [];
  for (const { name, path, whole } of leaves) {
    if (Object.hasOwn(sizes, whole) || (path && Object.hasOwn(sizes, path))) continue;
    const isShort = path && !path.startsWith('[') && !twice.has(path);
    const key = isShort ? path : whole;
    const value = dimensionOf(name) ?? valueBy(name);
    if (value === undefined) untold.push(key);
    sizes[key] = value ?? 0;
  }
  const formulas = Object.values(sizes).flatMap(namesIn);
  const missing = sides.filter((side) => !formulas.includes(side));
  const isInOrder = untold.length === sides.length && missing.length === sides.length;
  const isOnly = untold.length === 1 && missing.length === 1 && leaves.length > 1;
  for (const [at, key] of untold.entries()) {
    const side = isInOrder ? sides[at] : isOnly ? missing[0] : undefined;
    sizes[key] = side ?? 0;
    open.push(`sizes: ${side ? `${key} is taken for ${side}` : `what is ${key}? 0 is a guess`}`);
  }
  return { tunables: { ...tunables, ...written.tunables }, sizes };
}

/** What a field is by its name, if it is no dimension. */
function valueBy(name: string): number | string | undefined {
  const [, side, part] = /^([mnk])(?:d|div)?(\d)$/i.exec(name) ?? [];
  if (side) return `${side.toLowerCase()} / ${part}`;
  if (isPad(name)) return 0;
  return /alpha|scale|batch/i.test(name) ? 1 : undefined;
}

/** Rows that are read by vectors start on one. */
function multiplesIn({ dtypes: [dtype = 'f32'], found, op }: Tensors): Record<string, number> {
  const isByRows = DTYPES[dtype].tensors.B.order === 'transposed';
  const columns: Readonly<Record<string, string>> =
    op === 'matmul' ? { A: 'k', B: isByRows ? 'k' : 'n', C: 'n' } : { A: 'cols', B: 'rows' };
  const pairs = [...found].flatMap(([what, { element, width }]): [string, number][] => {
    const dimension = columns[what];
    return dimension && width > 1 && element !== 'u32' ? [[dimension, width]] : [];
  });
  return Object.fromEntries(pairs);
}

function dispatchedBy(
  op: OpId,
  entryPoint: EntryPoint,
  source: Source,
  open: string[],
): Pick<WrittenManifest, 'covers' | 'workgroups'> {
  const [x, y] = ifValid(() => workgroupSizeOf(entryPoint, source, {})) ?? [16, 16];
  open.push(
    'covers: taken from the workgroup size, as if each thread wrote one element; `kernel schema` describes covers and workgroups',
  );
  const elements = op === 'matmul' ? 'm * n' : 'rows * cols';
  if (y === 1) return { workgroups: { linear: `ceil(${elements} / ${x})` } };
  return { covers: { rows: y, cols: x } };
}
