/// <reference path="./wgsl-reflect.d.ts" />
import { InputError, ifValid, refuseIf } from '@tilemark/kernels';
import type { Token, TypeInfo } from 'wgsl_reflect';
import { WgslReflect } from 'wgsl_reflect/wgsl_reflect.module.js';
import { evaluate, type Names } from './expression';
import { endlessOf, type Leaf, leavesIn, scalarOf } from './layout';
import {
  afterAttributes,
  atLine,
  attribute,
  closing,
  endsOf,
  keywordOf,
  nameOf,
  type Statement,
  statementsOf,
  templateOf,
  tokensOf,
} from './statements';

/** Part of a source, by its characters. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

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
  readonly group: number;
  readonly binding: number;
  readonly isUniform: boolean;
  readonly isWritable: boolean;
  /** Whether the code writes it, as far as can be told without a compiler. */
  readonly isWritten: boolean;
  /** The scalar of its elements, if its size is that of its buffer; null: a fixed one. */
  readonly element: string | null;
  /** Of an array as long as its buffer: those of its first elements, as many as are asked for. */
  readonly leaves: (elements: number) => readonly Leaf[];
  readonly bytes: number;
  /** Where its attributes are, from the first to the `var`, and its access if it says one. */
  readonly written: { readonly attributes: Span; readonly access: Span | null };
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

/** What a source declares, as far as an answer is wanted before a compiler sees it. */
export interface Source {
  readonly text: string;
  /** `enable`, `requires` and `diagnostic`, which must stand before all else. */
  readonly directives: readonly (Span & { readonly text: string; readonly line: number })[];
  readonly entryPoints: readonly EntryPoint[];
  readonly variables: readonly Variable[];
  readonly constants: ReadonlyMap<string, Constant>;
  /** Every identifier in it. */
  readonly names: ReadonlySet<string>;
  /** Those that it declares for the whole module. */
  readonly declared: ReadonlySet<string>;
}

/** Reads a source. Throws InputError at the line that cannot be read. */
export function sourceOf(text: string): Source {
  const tokens = tokensOf(text);
  const statements = statementsOf(tokens);
  const directives = statements.flatMap((statement) => {
    const { first, last } = endsOf(statement);
    const isDirective = DIRECTIVES.includes(first.lexeme);
    const span = { start: first.start, end: last.end };
    const words = statement.map(({ lexeme }) => lexeme).join(' ');
    return isDirective ? [{ ...span, text: tight(words), line: first.line }] : [];
  });
  const functions = statements.filter((statement) => keywordOf(statement)?.lexeme === 'fn');
  const constants = statements.flatMap((statement) => constantOf(statement, text));
  const declared = statements.flatMap((statement) => nameOf(statement)?.lexeme ?? []);
  const isName = ({ type, lexeme }: Token) => type.name === 'ident' || /^[a-z]\w*$/i.test(lexeme);
  return {
    text,
    directives,
    entryPoints: functions.flatMap(entryPointOf),
    variables: variablesOf(text, statements),
    constants: new Map(constants.map((constant) => [constant.name, constant])),
    names: new Set(tokens.filter(isName).map(({ lexeme }) => lexeme)),
    declared: new Set(declared),
  };
}

const DIRECTIVES: readonly string[] = ['enable', 'requires', 'diagnostic'];

/** `enable f16 ;` -> `enable f16;` */
const tight = (words: string) => words.replace(/ ([;,.()])/g, '$1').replace(/([.(]) /g, '$1');

function entryPointOf(statement: Statement): EntryPoint[] {
  const name = nameOf(statement);
  if (!attribute(statement, 'compute') || !name) return [];
  const size = textOf(attribute(statement, 'workgroup_size') ?? []);
  const sides = size.split(',').map((side) => side.trim());
  return [{ name: name.lexeme, line: name.line, workgroupSize: sides.filter(Boolean) }];
}

const textOf = (tokens: Statement) => tokens.map(({ lexeme }) => lexeme).join(' ');

function constantOf(statement: Statement, text: string): Constant[] {
  const keyword = keywordOf(statement);
  const name = nameOf(statement);
  if (!keyword || !name || !['const', 'override'].includes(keyword.lexeme)) return [];
  const { first, last } = endsOf(statement);
  const at = statement.indexOf(name) + 1;
  const equals = statement.findIndex(({ lexeme }, i) => i >= at && lexeme === '=');
  const typed = statement[at]?.lexeme === ':' ? statement.slice(at + 1) : [];
  const isValued = equals >= 0;
  const type = typed.slice(0, isValued ? equals - at - 1 : -1);
  return [
    {
      name: name.lexeme,
      line: name.line,
      type: textOf(type),
      value: isValued ? text.slice(statement[equals]?.end, last.start).trim() : '',
      isOverride: keyword.lexeme === 'override',
      start: first.start,
      end: last.end,
    },
  ];
}

function variablesOf(text: string, statements: readonly Statement[]): Variable[] {
  const bound = statements.filter(isBound);
  if (bound.length === 0) return [];
  const types = typesOf(text, statements);
  const functions = statements.filter((statement) => keywordOf(statement)?.lexeme === 'fn').flat();
  return bound.map((statement) => {
    const { first } = endsOf(statement);
    const keyword = keywordOf(statement) ?? first;
    const name = nameOf(statement);
    // Some frameworks number them by themselves.
    const [group] = attribute(statement, 'group') ?? [];
    const [binding] = attribute(statement, 'binding') ?? [];
    const { template } = templateOf(statement, afterAttributes(statement));
    const [space, , access] = template;
    if (!name || (group === undefined) !== (binding === undefined)) {
      throw new InputError('write @group(0) @binding(N) var<...> name: type;', atLine(first.line));
    }
    const isBuffer = space?.lexeme === 'storage' || space?.lexeme === 'uniform';
    refuseIf(
      !isBuffer,
      `binding ${binding?.lexeme ?? name.lexeme} must be a buffer: var<storage, read>, var<storage, read_write> or var<uniform>`,
      atLine(first.line),
    );
    const type = types.get(name.lexeme);
    const whole = type ? endlessOf(type) : null;
    return {
      name: name.lexeme,
      line: first.line,
      group: Number.parseInt(group?.lexeme ?? '0', 10),
      binding: Number.parseInt(binding?.lexeme ?? '0', 10),
      isUniform: space?.lexeme === 'uniform',
      isWritable: access !== undefined && access.lexeme !== 'read',
      isWritten: isWritten(name.lexeme, functions),
      element: whole && scalarOf(whole),
      bytes: type?.size ?? 0,
      leaves: (elements) => {
        const length = Math.max(elements, 1);
        return type ? leavesIn(type, length, '', 0) : [];
      },
      written: {
        attributes: { start: first.start, end: keyword.start },
        access: access ?? null,
      },
    };
  });
}

/** The types of the variables that are bound. Functions are left out: a compiler reads those. */
function typesOf(text: string, statements: readonly Statement[]): ReadonlyMap<string, TypeInfo> {
  const kept = statements.filter((statement) => {
    const keyword = keywordOf(statement)?.lexeme ?? '';
    return ['struct', 'alias', 'const', 'override'].includes(keyword) || isBound(statement);
  });
  let module = '';
  for (const statement of kept) {
    const { first, last } = endsOf(statement);
    // Lines stay where they are, for messages.
    const blank = text.slice(module.length, first.start).replace(/[^\n]/g, ' ');
    module += blank + text.slice(first.start, last.end);
  }
  try {
    const { storage, uniforms } = new WgslReflect(module);
    return new Map([...storage, ...uniforms].map(({ name, type }) => [name, type]));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, line] = /Line: (\d+)/.exec(message) ?? [];
    throw new InputError(
      `the declarations cannot be read: ${message.replace(/\.* *Line: .*$/, '')}`,
      line ? atLine(Number(line)) : 'wgsl',
    );
  }
}

function isBound(statement: Statement): boolean {
  const [space] = templateOf(statement, afterAttributes(statement)).template;
  const isBuffer = space?.lexeme === 'storage' || space?.lexeme === 'uniform';
  const isVariable = keywordOf(statement)?.lexeme === 'var';
  return isVariable && (isBuffer || attribute(statement, 'binding') !== undefined);
}

const ASSIGNS = new Set(['=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>=', '++']);

/** Whether a variable is assigned to, or handed on by its address. */
function isWritten(name: string, tokens: Statement): boolean {
  return tokens.some(({ lexeme }, index) => {
    if (lexeme !== name || tokens[index - 1]?.lexeme === '.') return false;
    if (tokens[index - 1]?.lexeme === '&') return tokens[index - 2]?.lexeme === '(';
    let at = index + 1;
    for (;;) {
      if (tokens[at]?.lexeme === '[') at = closing(tokens, at) + 1;
      else if (tokens[at]?.lexeme === '.') at += 2;
      else return ASSIGNS.has(tokens[at]?.lexeme ?? '');
    }
  });
}

/** Threads of a workgroup along x, y, and z. Throws InputError at the entry point. */
export function workgroupSizeOf(
  { workgroupSize, line }: EntryPoint,
  { constants }: Source,
  given: Names,
): [x: number, y: number, z: number] {
  const names: Record<string, number> = { ...given };
  // In the order of the file, so that one may use those above it. Others are not sizes.
  for (const [name, { value }] of constants) {
    const number = ifValid(() => evaluate(value, names, name, Math.floor));
    if (number !== null) names[name] ??= number;
  }
  const [x = 1, y = 1, z = 1] = workgroupSize.map((side) =>
    evaluate(side, names, atLine(line), Math.floor),
  );
  return [x, y, z];
}
