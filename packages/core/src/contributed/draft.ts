import { DTYPES, idsOf, ifValid, type OpId, opById, refuseIf } from '@tilemark/kernels';
import type { z } from 'zod';
import { featuresIn } from './body';
import { evaluate } from './expression';
import { checkText } from './file';
import { isPad } from './layout';
import type { Manifest, manifestSchema } from './manifest';
import { type EntryPoint, type Source, sourceOf, type Variable, workgroupSizeOf } from './source';

/** A manifest as far as a source tells it. */
export interface Draft {
  readonly manifest: z.input<typeof manifestSchema>;
  /** What it does not tell, for its author to say, in order of the manifest. */
  readonly open: readonly string[];
}

/** What stands for something else in the templates of most projects: `{{ M }}`, `${M}`, `$M`. */
const PLACEHOLDER = /\{\{[^{}\n]{1,60}\}\}|\$\{[^{}\n]{1,60}\}|\$[A-Z]\w{0,40}/g;
const STATEMENT = /\{%|^\s*#\s*(?:if|ifdef|define|include|endif)\b/m;

/** Writes a manifest from a source. Throws InputError at what cannot be read. */
export function draftOf(name: string, text: string): Draft {
  checkText(text);
  const open: string[] = [];
  const placeholders = placeholdersIn(text, open);
  refuseIf(
    STATEMENT.test(text),
    'the file has statements of a template or a preprocessor: bring what they print for one shape',
    'wgsl',
  );
  let filled = text;
  for (const [placeholder, value] of Object.entries(placeholders)) {
    const sample = typeof value === 'object' ? value.text : 16;
    filled = filled.replaceAll(placeholder, String(sample));
  }
  const source = sourceOf(filled);
  const { op, epilogue, bindings, zeros, tensors, bound } = tensorsIn(source, open);
  const dtypes = dtypesIn(tensors, source, open);
  const entryPoint = entryPointIn(source, open);
  const { tunables, sizes } = numbersIn(op, source, bound, open);
  const multiples = multiplesIn(op, filled, tensors);
  const dispatched = dispatchedBy(op, entryPoint, source, open);
  return {
    manifest: {
      name,
      about: '',
      op,
      ...(dtypes && { dtypes }),
      ...(epilogue && { epilogue }),
      ...(entryPoint && source.entryPoints.length > 1 && { entryPoint: entryPoint.name }),
      bindings,
      ...filledIn({ sizes, zeros, placeholders, tunables, multiples }),
      ...dispatched,
    },
    open,
  };
}

/** Without what is empty. */
const filledIn = (fields: Readonly<Record<string, object>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => Object.keys(value).length > 0));

function placeholdersIn(text: string, open: string[]): Manifest['placeholders'] {
  const found = [...new Set(text.match(PLACEHOLDER))];
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

function tensorsIn(source: Source, open: string[]) {
  const arrays = source.variables
    .filter(({ element }) => element !== null)
    .toSorted((a, b) => a.group - b.group || a.binding - b.binding);
  const output = arrays.find(({ isWritten, isWritable }) => isWritten && isWritable);
  const others = arrays.filter((variable) => variable !== output);
  const op: OpId = others.length === 1 ? 'transpose' : 'matmul';
  const names = opById(op).tensors;
  const isBias = ({ name }: Variable) => /bias|residual|addend/i.test(name);
  const inputs = others.filter((variable) => !isBias(variable)).slice(0, names.length - 1);
  const extra = others.filter((variable) => !inputs.includes(variable));
  const missing = names.slice(0, -1).slice(inputs.length);
  if (!output) open.push(`bindings: nothing is written, so what ${names.at(-1)} is cannot be told`);
  if (missing.length > 0) open.push(`bindings: nothing is ${missing.join(' and ')}`);
  const isNamed = inputs.every(({ name }, at) => name.toUpperCase() === names[at]);
  if (op === 'matmul' && inputs.length === 2 && !isNamed) {
    open.push(
      `bindings: A and B are taken by their order, ${inputs.map(({ name }) => name).join(', ')}`,
    );
  }
  const bias = op === 'matmul' ? extra.find(({ name }) => /bias/i.test(name)) : undefined;
  if (bias) {
    open.push(
      `epilogue: ${bias.name} is taken for a bias, one value for each column; if more is made of each sum, bias-relu, bias-gelu or bias-silu`,
    );
  }
  const unknown = extra.filter((variable) => variable !== bias);
  for (const { name } of unknown) open.push(`zeros: ${name} is taken for n zeros`);
  const tensors = [...inputs, ...(output ? [output] : [])];
  const bindings = [
    ...inputs.map(({ name }, at) => [names[at], name]),
    ...(bias ? [['bias', bias.name]] : []),
    ...(output ? [[names.at(-1), output.name]] : []),
  ];
  return {
    op,
    tensors,
    bound: [...tensors, ...extra],
    bindings: Object.fromEntries(bindings) as Record<string, string>,
    zeros: Object.fromEntries(unknown.map(({ name }) => [name, 'n'])),
    ...(bias && { epilogue: 'bias' as const }),
  };
}

function dtypesIn(
  tensors: readonly Variable[],
  source: Source,
  open: string[],
): Manifest['dtypes'] | undefined {
  const [a] = tensors;
  const isKnown = idsOf(DTYPES).some((id) => DTYPES[id].element === a?.element);
  const areAll = (element: string) => tensors.every((tensor) => tensor.element === element);
  if (areAll('f16')) open.push('dtypes: f16 has sums in f32; if these are in f16, f16acc16');
  if (areAll('f32') && featuresIn(source).includes('shader-f16')) {
    open.push('dtypes: f32; if operands are rounded to f16 first, f32-staged-f16');
  }
  if (isKnown && a?.element !== 'u32') return undefined;
  open.push(
    `dtypes: ${a?.element ?? 'nothing'} does not say of what the tensors are; f32 is a guess`,
  );
  return ['f32'];
}

function entryPointIn({ entryPoints }: Source, open: string[]): EntryPoint | undefined {
  const [first] = entryPoints;
  const main = entryPoints.find(({ name }) => name === 'main') ?? first;
  if (entryPoints.length > 1) {
    open.push(`entryPoint: ${main?.name}, of ${entryPoints.map(({ name }) => name).join(', ')}`);
  }
  refuseIf(!main, 'there is no @compute function', 'wgsl');
  return main;
}

function numbersIn(op: OpId, source: Source, bound: readonly Variable[], open: string[]) {
  const dimensions = Object.keys(opById(op).square(1));
  const dimensionOf = (name: string) => dimensions.find((side) => side === name.toLowerCase());
  const tunables: Record<string, number[]> = {};
  const sizes: Record<string, number | string> = {};
  for (const { name, value, isOverride } of source.constants.values()) {
    const number = ifValid(() => evaluate(value, {}, name, Math.floor));
    const isOfWorkgroup = source.entryPoints.some(({ workgroupSize }) =>
      workgroupSize.some((side) => new RegExp(`\\b${name}\\b`).test(side)),
    );
    const isTunable = /^[A-Z][A-Z0-9_]*$/.test(name) && name !== 'T' && !dimensionOf(name);
    if (isTunable && number !== null && (isOverride || isOfWorkgroup)) {
      tunables[name] = [number];
      open.push(`tunables: ${name} has the value of the source alone; add those to try`);
    } else if (isOverride && value === '') {
      sizes[name] = dimensionOf(name) ?? 1;
      if (!dimensionOf(name)) open.push(`sizes: what is override ${name}? 1 is a guess`);
    }
  }
  const leaves = source.variables
    .filter((variable) => !bound.includes(variable))
    .flatMap(({ leaves: leavesOf, name }) =>
      leavesOf(1).map(({ path }) =>
        path === '' || path.startsWith('[') ? `${name}${path}` : path,
      ),
    );
  const lastOf = (path: string) => /(\w+)$/.exec(path)?.[1] ?? path;
  const untold = leaves.filter((path) => !dimensionOf(lastOf(path)) && !isPad(lastOf(path)));
  for (const path of untold) {
    const quarter = /^([mnk])(?:d|div)?(\d)$/i.exec(lastOf(path));
    const isScale = /alpha|scale/i.test(path);
    sizes[path] = quarter ? `${quarter[1]?.toLowerCase()} / ${quarter[2]}` : isScale ? 1 : 0;
    if (!quarter && !isScale) open.push(`sizes: what is ${path}? 0 is a guess`);
  }
  return { tunables, sizes };
}

/** Rows that are read by vectors start on one. */
function multiplesIn(op: OpId, text: string, tensors: readonly Variable[]) {
  const columns = op === 'matmul' ? ['k', 'n', 'n'] : ['cols', 'rows'];
  const pairs = tensors.flatMap(({ name }, at): [string, number][] => {
    const type = new RegExp(`\\b${name}\\s*:\\s*array<\\s*vec([24])`).exec(text)?.[1];
    const dimension = columns[at];
    return type && dimension ? [[dimension, Number(type)]] : [];
  });
  return Object.fromEntries(pairs);
}

function dispatchedBy(
  op: OpId,
  entryPoint: EntryPoint | undefined,
  source: Source,
  open: string[],
): Pick<z.input<typeof manifestSchema>, 'covers' | 'workgroups'> {
  const size = entryPoint && ifValid(() => workgroupSizeOf(entryPoint, source, {}));
  const [x, y] = size ?? [16, 16];
  open.push(
    'covers: taken from the workgroup size, as if each thread wrote one element; `kernel schema` describes covers and workgroups',
  );
  const elements = op === 'matmul' ? 'm * n' : 'rows * cols';
  if (y === 1) return { workgroups: { linear: `${elements} / ${x}` } };
  return { covers: { rows: y, cols: x } };
}
