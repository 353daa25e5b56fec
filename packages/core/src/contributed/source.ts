import { EXTENSIONS, InputError, ifValid, refuseIf } from '@tilemark/kernels';
import { evaluate, type Names, namesIn } from './expression';
import { endlessOf, scalarOf, type Type, typesIn } from './layout';
import {
  atLine,
  attribute,
  type Span,
  type Statement,
  statementsOf,
  type Token,
  tokensOf,
  written,
} from './tokens';

export interface EntryPoint {
  readonly name: string;
  readonly line: number;
  /** The arguments of `@workgroup_size`, as written. */
  readonly workgroupSize: readonly string[];
}

/** A buffer that the source binds. */
export interface Variable {
  readonly name: string;
  readonly line: number;
  readonly isUniform: boolean;
  readonly isWritable: boolean;
  /** The scalar of its elements, if its size is that of its buffer; null: a fixed one. */
  readonly element: string | null;
  /** Of an array as long as its buffer: scalars of an element. */
  readonly width: number;
  readonly type: Type;
  /** Where its attributes are, from the first to the `var`, and its access if it says one. */
  readonly attributes: Span;
  readonly access: Span | null;
}

/** A `const` or `override` of the module. */
export interface Constant extends Span {
  readonly name: string;
  readonly line: number;
  /** As written; empty: none. */
  readonly type: string;
  readonly value: string;
  readonly isOverride: boolean;
}

/** The declarations of a source, as far as they are needed before a compiler sees it. */
export interface Source {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly entryPoints: readonly EntryPoint[];
  /** In order of their groups and bindings. */
  readonly variables: readonly Variable[];
  readonly constants: ReadonlyMap<string, Constant>;
  /** Every identifier in it. */
  readonly names: ReadonlySet<string>;
  /** Those that it declares for the whole module. */
  readonly declared: ReadonlySet<string>;
}

/** Most constants, each of which may name the one above it. */
const MOST_CONSTANTS = 256;
const MOST_VARIABLES = 32;

/**
 * Reads a source. Throws InputError at the line that cannot be read.
 *
 * @param replaced constants that have another value as it runs; null: one that is not known here
 */
export function sourceOf(
  text: string,
  replaced: ReadonlyMap<string, number | null> = new Map(),
): Source {
  const tokens = tokensOf(text);
  const statements = statementsOf(tokens);
  for (const statement of statements) refuseDialects(statement);
  const all = statements.flatMap((statement) => constantOf(statement, text));
  const beyond = all[MOST_CONSTANTS];
  if (beyond) {
    const what = `the source declares ${all.length} const and override; the most is ${MOST_CONSTANTS}`;
    throw new InputError(`${what}: put tables into an array`, atLine(beyond.line));
  }
  const constants = new Map(all.map((constant) => [constant.name, constant]));
  return {
    text,
    tokens,
    entryPoints: statements.flatMap(entryPointOf),
    variables: variablesOf(statements, fixedNumbers(constants, replaced)),
    constants,
    names: new Set(tokens.flatMap((token) => (/^[\p{L}_]/u.test(token.text) ? token.text : []))),
    declared: new Set(statements.flatMap(({ name }) => name?.text ?? [])),
  };
}

/** Throws InputError at what no compiler takes, or Tilemark does not bind. */
function refuseDialects({ keyword, rest, tokens: [first, second] }: Statement): void {
  const isWhere = first.text === '@' && ['if', 'elif', 'else'].includes(second?.text ?? '');
  refuseIf(
    keyword === 'import' || isWhere,
    'this is WESL, whose imports and conditions no compiler of WGSL takes: link it first, and bring what that prints',
    atLine(first.line),
  );
  refuseIf(
    keyword === 'var' && ['immediate', 'push_constant'].includes(rest[2]?.text ?? ''),
    'immediates are not supported: bind these sizes as var<uniform>, at a binding of its own',
    atLine(first.line),
  );
}

function entryPointOf({ keyword, name, tokens }: Statement): EntryPoint[] {
  if (keyword !== 'fn' || !name || attribute(tokens, 'compute') === undefined) return [];
  const sides = (attribute(tokens, 'workgroup_size') ?? '').split(',').map((side) => side.trim());
  return [{ name: name.text, line: name.line, workgroupSize: sides.filter(Boolean) }];
}

function constantOf({ keyword, name, rest, tokens: [first] }: Statement, text: string): Constant[] {
  const last = rest.at(-1);
  if (!name || !last || !['const', 'override'].includes(keyword)) return [];
  const equals = rest.findIndex((token) => token.text === '=');
  const typed = rest[2]?.text === ':' ? rest.slice(3, equals < 0 ? -1 : equals) : [];
  return [
    {
      name: name.text,
      line: name.line,
      type: written(typed),
      value: equals < 0 ? '' : text.slice(rest[equals]?.end, last.start).trim(),
      isOverride: keyword === 'override',
      start: first.start,
      end: last.end,
    },
  ];
}

function variablesOf(statements: readonly Statement[], known: Names): readonly Variable[] {
  const typeOf = typesIn(statements, (expression, line) =>
    lengthOf(expression, known, atLine(line)),
  );
  let count = 0;
  return statements
    .flatMap((statement) => {
      const variable = variableOf(statement, typeOf, known);
      count += variable.length;
      refuseIf(
        count > MOST_VARIABLES,
        `the source binds more than ${MOST_VARIABLES} variables: put sizes into one struct`,
        atLine(statement.tokens[0].line),
      );
      return variable;
    })
    .toSorted((a, b) => a.group - b.group || a.binding - b.binding);
}

function variableOf(
  { keyword, name, rest, tokens }: Statement,
  typeOf: ReturnType<typeof typesIn>,
  known: Names,
): (Variable & { readonly group: number; readonly binding: number })[] {
  const [first] = tokens;
  const [var_, , space] = rest;
  const isBuffer = rest[1]?.text === '<' && ['storage', 'uniform'].includes(space?.text ?? '');
  const group = attribute(tokens, 'group');
  const binding = attribute(tokens, 'binding');
  if (keyword !== 'var' || !(isBuffer || binding !== undefined)) return [];
  const at = atLine(first.line);
  // Some frameworks number them by themselves.
  if (!var_ || !name || (group === undefined) !== (binding === undefined)) {
    throw new InputError('write @group(0) @binding(N) var<...> name: type;', at);
  }
  refuseIf(
    !isBuffer,
    `binding ${binding} must be a buffer: var<storage, read>, var<storage, read_write> or var<uniform>`,
    at,
  );
  const type = typeOf(rest.slice(rest.indexOf(name) + 2), at);
  refuseHeader(name.text, type, at);
  const element = endlessOf(type);
  const access = rest[3]?.text === ',' ? rest[4] : undefined;
  return [
    {
      name: name.text,
      line: first.line,
      group: lengthOf(group ?? '0', known, at),
      binding: lengthOf(binding ?? '0', known, at),
      isUniform: space?.text === 'uniform',
      isWritable: access !== undefined && access.text !== 'read',
      element: element && scalarOf(element),
      width: element?.kind === 'vector' ? (element.count ?? 1) : 1,
      type,
      attributes: { start: first.start, end: var_.start },
      access: access ?? null,
    },
  ];
}

/** Throws InputError for sizes that stand in the buffer of a tensor, as tutorials have them. */
function refuseHeader(name: string, type: Type, at: string): void {
  const [last, ...before] = type.kind === 'struct' ? type.members.toReversed() : [];
  const values = last && endlessOf(last.type) && before.length > 0 ? last.name : null;
  refuseIf(
    values !== null,
    `${name} has ${before
      .map((member) => member.name)
      .toReversed()
      .join(
        ', ',
      )} before its values; a tensor is its values alone: bind it as an array, and the sizes as a uniform`,
    at,
  );
}

/** A number that a compiler knows: the length of an array. Throws InputError at `field`. */
function lengthOf(expression: string, known: Names, field: string): number {
  const value = ifValid(() => evaluate(expression, known, field)) ?? -1;
  refuseIf(
    value < 0,
    `'${expression.slice(0, 80)}' cannot be read: write the number that it is, without tunables and names of "sizes"`,
    field,
  );
  return value;
}

/** The value of an expression of the source, of whose names some are given. Throws InputError at `field`. */
export function numberOf(
  expression: string,
  constants: Source['constants'],
  given: Names,
  field: string,
): number {
  // Those alone that it depends on: a search asks this for each variant.
  return evaluate(expression, learnt(namesIn(expression), constants, given), field);
}

/** All constants that are the same whenever the source runs: each is evaluated once. */
function fixedNumbers(
  constants: Source['constants'],
  replaced: ReadonlyMap<string, number | null>,
): Names {
  const fixed = new Map([...constants].filter(([name]) => replaced.get(name) !== null));
  const given = [...replaced].filter(
    (pair): pair is [string, number] => pair[1] !== null && fixed.has(pair[0]),
  );
  return learnt(fixed.keys(), fixed, Object.fromEntries(given));
}

/** With what constants are, and those that they name. Others are not sizes. */
function learnt(wanted: Iterable<string>, constants: Source['constants'], given: Names): Names {
  const names: Record<string, number> = { ...given };
  const tried = new Set(Object.keys(names));
  const learn = (all: Iterable<string>): void => {
    for (const name of all) {
      const constant = constants.get(name);
      if (!constant || tried.has(name)) continue;
      tried.add(name);
      learn(namesIn(constant.value));
      const value = ifValid(() => evaluate(constant.value, names, name));
      if (value !== null) names[name] = value;
    }
  };
  learn(wanted);
  return names;
}

/** Threads of a workgroup along x, y, and z. Throws InputError at the entry point. */
export function workgroupSizeOf(
  { workgroupSize, line }: EntryPoint,
  { constants }: Source,
  given: Names,
): [x: number, y: number, z: number] {
  const [x = 1, y = 1, z = 1] = workgroupSize.map((side) =>
    numberOf(side, constants, given, atLine(line)),
  );
  return [x, y, z];
}

export const SUBGROUPS =
  /^subgroup(?:[A-LN-Z]|M(?:in|ax|ul)|_(?:size|id|invocation_id)$)|^num_subgroups$|^quad(?:Broadcast|Swap)/;

/**
 * WebGPU features of what a source enables, as far as kernels of ours know their names, and of the subgroups
 * that it uses: devices without them skip it. Of all else that it enables, the compiler knows.
 */
export function featuresIn({ tokens, names, declared }: Source): string[] {
  const enabled = tokens.flatMap(({ text }, at) => {
    if (text !== 'enable') return [];
    const end = tokens.findIndex((token, i) => i > at && token.text === ';');
    return tokens.slice(at + 1, end).map((token) => token.text);
  });
  const isUsed = [...names].some((name) => !declared.has(name) && SUBGROUPS.test(name));
  return Object.entries(EXTENSIONS).flatMap(([feature, extension]) =>
    enabled.includes(extension) || (feature === 'subgroups' && isUsed) ? feature : [],
  );
}
