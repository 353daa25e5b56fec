import { InputError, refuseIf } from '@tilemark/kernels';
import { atLine, attribute, type Statement, type Token, written } from './tokens';

/** A type of WGSL by how it lies in memory, in bytes. */
export type Type =
  | {
      readonly kind: 'number';
      readonly name: string;
      readonly size: number;
      readonly align: number;
      readonly depth: 0;
    }
  | {
      readonly kind: 'vector' | 'array';
      readonly of: Type;
      /** null: as many as its buffer has room for. */
      readonly count: number | null;
      readonly stride: number;
      readonly size: number;
      readonly align: number;
      readonly depth: number;
    }
  | {
      readonly kind: 'struct';
      readonly members: readonly Member[];
      readonly size: number;
      readonly align: number;
      /** Types within it, one within the other. */
      readonly depth: number;
    };

interface Member {
  readonly name: string;
  readonly type: Type;
  readonly offset: number;
}

/** A number at a fixed place of a buffer: a field, the component of a vector, an array's element. */
export interface Leaf {
  /** Within its variable: `dims.x`, `strides[1]`; empty: the variable is a number. */
  readonly path: string;
  readonly scalar: string;
  /** In bytes. */
  readonly offset: number;
}

/** Types within each other. */
const MOST_WITHIN = 64;
const MOST_MEMBERS = 1_024;
const LONGEST_ARRAY = 2 ** 31;
const VECTOR = /^vec([234])([iufh]?)$/;
const MATRIX = /^mat([234])x([234])([fh]?)$/;
const SHORT: Readonly<Record<string, string>> = { i: 'i32', u: 'u32', f: 'f32', h: 'f16' };

const roundUp = (size: number, to: number) => Math.ceil(size / to) * to;

const numberOf = (name: string): Type => {
  const size = name === 'f16' ? 2 : 4;
  return { kind: 'number', name, size, align: size, depth: 0 };
};

function vectorOf(of: Type, count: number): Type {
  const align = of.size * (count === 2 ? 2 : 4);
  const depth = of.depth + 1;
  return { kind: 'vector', of, count, stride: of.size, size: of.size * count, align, depth };
}

function arrayOf(of: Type, count: number | null): Type {
  const stride = roundUp(of.size, of.align);
  const size = stride * (count ?? 1);
  return { kind: 'array', of, count, stride, size, align: of.align, depth: of.depth + 1 };
}

/**
 * Reads types by the rules of the language (https://www.w3.org/TR/WGSL/#alignment-and-size).
 *
 * @param sizeOf the value of an expression that a compiler knows; throws InputError at its line
 */
export function typesIn(
  statements: readonly Statement[],
  sizeOf: (expression: string, line: number) => number,
): (tokens: readonly Token[], field: string) => Type {
  const declared = new Map(
    statements
      .filter(({ keyword }) => keyword === 'struct' || keyword === 'alias')
      .map((statement) => [statement.name?.text ?? '', statement]),
  );
  const known = new Map<Statement, Type>();

  const declaredType = (statement: Statement, depth: number): Type => {
    const made = known.get(statement);
    if (made) return made;
    const { keyword, rest } = statement;
    const type =
      keyword === 'struct'
        ? structOf(rest.slice(3, -1), depth)
        : read(rest.slice(3), 0, depth).type;
    refuseIf(
      type.kind === 'struct' && type.members.length === 0,
      `struct ${statement.name?.text} has no members: write those that it has`,
      atLine(statement.tokens[0].line),
    );
    known.set(statement, type);
    return type;
  };

  const structOf = (tokens: readonly Token[], depth: number): Type => {
    const members: Member[] = [];
    let [end, align] = [0, 1];
    for (let at = 0; at < tokens.length; ) {
      const begin = at;
      while (tokens[at]?.text === '@') at = afterAttribute(tokens, at);
      const attributes = tokens.slice(begin, at);
      const [name, colon] = tokens.slice(at, at + 2);
      if (!name || colon?.text !== ':') return broken(name ?? tokens[begin]);
      const { after, type } = read(tokens, at + 2, depth);
      const said = (what: string, otherwise: number) => {
        const text = attribute(attributes, what);
        return text === undefined ? otherwise : sizeOf(text, name.line);
      };
      const own = said('align', type.align);
      refuseIf(
        !(own >= type.align && own <= 2 ** 30 && (own & (own - 1)) === 0),
        `${name.text} has @align(${own}): write a power of two, ${type.align} or more`,
        atLine(name.line),
      );
      const size = said('size', type.size);
      refuseIf(
        size < type.size,
        `${name.text} has @size(${size}): write ${type.size}, the bytes of its type, or more`,
        atLine(name.line),
      );
      const offset = roundUp(end, own);
      refuseIf(
        members.length >= MOST_MEMBERS,
        `a struct has at most ${MOST_MEMBERS} members: use an array`,
        atLine(name.line),
      );
      members.push({ name: name.text, type, offset });
      [end, align] = [offset + size, Math.max(align, own)];
      if (after < tokens.length && tokens[after]?.text !== ',') return broken(tokens[after]);
      at = after + 1;
    }
    const within = 1 + Math.max(0, ...members.map(({ type }) => type.depth));
    return { kind: 'struct', members, size: roundUp(end, align), align, depth: within };
  };

  /** The type that begins at a token, and where it ends. */
  const read = (
    tokens: readonly Token[],
    at: number,
    depth: number,
  ): { readonly type: Type; readonly after: number } => {
    const token = tokens[at];
    if (!token) return broken(token);
    const { text, line } = token;
    refuseDepth(depth, line);
    const [, lanes, suffix = ''] = VECTOR.exec(text) ?? [];
    const [, columns, rows, half = ''] = MATRIX.exec(text) ?? [];
    const scalar = SHORT[suffix || half];
    const built = (of: Type) =>
      lanes ? vectorOf(of, Number(lanes)) : arrayOf(vectorOf(of, Number(rows)), Number(columns));
    if (scalar) return { type: built(numberOf(scalar)), after: at + 1 };
    if (tokens[at + 1]?.text !== '<') {
      const statement = declared.get(text);
      const type = statement ? declaredType(statement, depth + 1) : numberOf(text);
      // It may have been read where it was less deep.
      refuseDepth(depth + type.depth, line);
      return { type, after: at + 1 };
    }
    const { after, type } = read(tokens, at + 2, depth + 1);
    if (text === 'atomic') return { type, after: endOf(tokens, after) };
    if (text !== 'array') return { type: built(type), after: endOf(tokens, after) };
    if (tokens[after]?.text !== ',') {
      return { type: arrayOf(type, null), after: endOf(tokens, after) };
    }
    let end = after + 1;
    for (let open = 0; end < tokens.length; end++) {
      const next = tokens[end]?.text;
      if (open === 0 && next === '>') break;
      open += next === '(' ? 1 : next === ')' ? -1 : 0;
    }
    const length = tokens.slice(after + 1, end).filter(({ text: each }) => each !== ',');
    const count = sizeOf(written(length), line);
    refuseIf(
      count < 1 || count > LONGEST_ARRAY,
      `an array has a length of ${count}: write a whole number from 1 to ${LONGEST_ARRAY}`,
      atLine(line),
    );
    return { type: arrayOf(type, count), after: endOf(tokens, end) };
  };

  return (tokens, field) => {
    if (tokens.length === 0) throw new InputError('it has no type', field);
    return read(tokens, 0, 0).type;
  };
}

const refuseDepth = (depth: number, line: number) =>
  refuseIf(
    depth > MOST_WITHIN,
    `this has more than ${MOST_WITHIN} types within each other: make it flatter`,
    atLine(line),
  );

function endOf(tokens: readonly Token[], at: number): number {
  const close = tokens[at]?.text === ',' ? at + 1 : at;
  return tokens[close]?.text === '>' ? close + 1 : broken(tokens[at]);
}

function afterAttribute(tokens: readonly Token[], at: number): number {
  if (tokens[at + 2]?.text !== '(') return at + 2;
  let depth = 0;
  let end = at + 2;
  do depth += tokens[end]?.text === '(' ? 1 : tokens[end]?.text === ')' ? -1 : 0;
  while (++end < tokens.length && depth > 0);
  return end;
}

function broken(token: Token | undefined): never {
  throw new InputError(
    `the declarations cannot be read: did not expect '${token?.text ?? 'the end'}'`,
    token ? atLine(token.line) : 'wgsl',
  );
}

/** The element of an array as long as its buffer, which may be the only member of a struct. */
export function endlessOf(type: Type): Type | null {
  if (type.kind === 'array') return type.count === null ? type.of : null;
  const [only, ...others] = type.kind === 'struct' ? type.members : [];
  return only && others.length === 0 ? endlessOf(only.type) : null;
}

export const scalarOf = (type: Type): string =>
  type.kind === 'number' ? type.name : type.kind === 'struct' ? '' : scalarOf(type.of);

/** Numbers that a variable has, without listing them: a short text may declare billions. */
export function numbersIn(type: Type, length: number, counted = new Map<Type, number>()): number {
  const known = counted.get(type);
  if (known !== undefined) return known;
  const within = (inner: Type) => numbersIn(inner, length, counted);
  const count =
    type.kind === 'number'
      ? 1
      : type.kind === 'struct'
        ? type.members.reduce((sum, member) => sum + within(member.type), 0)
        : (type.count ?? length) * within(type.of);
  counted.set(type, count);
  return count;
}

export function leavesIn(type: Type, length: number, path = '', offset = 0): Leaf[] {
  if (type.kind === 'number') return [{ path, scalar: type.name, offset }];
  const within = (name: string) => (path ? `${path}.${name}` : name);
  if (type.kind === 'struct') {
    return type.members.flatMap((member) =>
      leavesIn(member.type, length, within(member.name), offset + member.offset),
    );
  }
  return Array.from({ length: type.count ?? length }, (_, i) => {
    const name = type.kind === 'vector' ? within('xyzw'[i] ?? '') : `${path}[${i}]`;
    return leavesIn(type.of, length, name, offset + i * type.stride);
  }).flat();
}
