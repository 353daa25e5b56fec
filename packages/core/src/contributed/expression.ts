import { refuseIf } from '@tilemark/kernels';

export type Names = Readonly<Record<string, number>>;

/** Operators by how tightly they bind, loosest first. */
const OPERATORS: readonly Readonly<Record<string, (a: number, b: number) => number>>[] = [
  { '&&': (a, b) => Number(a !== 0 && b !== 0), '||': (a, b) => Number(a !== 0 || b !== 0) },
  { '|': (a, b) => (a | b) >>> 0, '^': (a, b) => (a ^ b) >>> 0 },
  { '&': (a, b) => (a & b) >>> 0 },
  {
    '==': (a, b) => Number(a === b),
    '!=': (a, b) => Number(a !== b),
    '<=': (a, b) => Number(a <= b),
    '>=': (a, b) => Number(a >= b),
    '<': (a, b) => Number(a < b),
    '>': (a, b) => Number(a > b),
  },
  { '<<': (a, b) => a * 2 ** b, '>>': (a, b) => Math.floor(a / 2 ** b) },
  { '+': (a, b) => a + b, '-': (a, b) => a - b },
  { '*': (a, b) => a * b, '/': (a, b) => a / b, '%': (a, b) => a % b },
];

interface Call {
  readonly takes: 1 | 2;
  readonly of: (a: number, b: number) => number;
}

const FUNCTIONS: Readonly<Record<string, Call>> = {
  max: { takes: 2, of: Math.max },
  min: { takes: 2, of: Math.min },
  ceil: { takes: 1, of: Math.ceil },
  u32: { takes: 1, of: Math.trunc },
  i32: { takes: 1, of: Math.trunc },
};

/** Characters; far more than a size needs, and few enough for brackets within brackets. */
const LONGEST = 400;
/** Names that a message lists. */
const MOST_LISTED = 8;

const TOKEN =
  /\s*(?:(0[xX][\da-fA-F]+|\d+)(?:u|i)?\b|([A-Za-z_]\w*)|(&&|\|\||<<|>>|[=!<>]=|[<>+\-*/%&|^(),]))/y;

/**
 * The value of an expression of whole numbers, names, and the operators of WGSL, `min`, `max`, and
 * `ceil`. Comparisons are 1 or 0; `/` rounds down, as there, but in `ceil(n / 16)`. Throws InputError
 * at `field` for a name that is not known, and for anything else.
 *
 * @param round quotients
 */
export function evaluate(
  expression: number | string,
  names: Names,
  field: string,
  round = Math.trunc,
): number {
  if (typeof expression === 'number') return expression;
  refuseIf(expression.length > LONGEST, `an expression has at most ${LONGEST} characters`, field);
  const tokens = tokensOf(expression, field);
  let at = 0;
  const bad = (what: string) => refuseIf(true, `'${expression}': ${what}`, field);
  const expect = (token: string, what: string) => {
    if (tokens[at++] !== token) bad(what);
  };

  const primary = (): number => {
    const token = tokens[at++];
    if (token === '(') {
      const inside = level(0);
      expect(')', 'a ) is missing');
      return inside;
    }
    if (token === undefined) bad('something is missing at the end');
    const call = entryOf(FUNCTIONS, token ?? '');
    if (call && tokens[at] === '(') {
      at++;
      const first = level(0);
      if (call.takes === 2) expect(',', `${token} takes two numbers`);
      const second = call.takes === 2 ? level(0) : 0;
      expect(')', 'a ) is missing');
      return call.of(first, second);
    }
    const value = /^\d/.test(token ?? '') ? Number(token) : entryOf(names, token ?? '');
    if (value !== undefined) return value;
    const known = Object.keys(names).slice(0, MOST_LISTED).join(', ') || 'numbers only';
    bad(`${token} is not known here; known: ${known}`);
    return Number.NaN;
  };
  /** A quotient stays a fraction until it is used. */
  const level = (depth: number): number => {
    const operators = OPERATORS[depth];
    if (!operators) return primary();
    let left = level(depth + 1);
    for (;;) {
      const apply = entryOf(operators, tokens[at] ?? '');
      if (!apply) return left;
      at++;
      left = apply(round(left), round(level(depth + 1)));
    }
  };

  const value = round(level(0));
  if (at < tokens.length) bad(`did not expect ${tokens[at]}`);
  if (!Number.isSafeInteger(value)) bad('this is not a whole number');
  return value;
}

const entryOf = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

function tokensOf(text: string, field: string): string[] {
  const tokens: string[] = [];
  const end = text.trimEnd().length;
  let at = 0;
  while (at < end) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    refuseIf(!match, `'${text}': did not expect '${text.slice(at).trim().slice(0, 8)}'`, field);
    tokens.push(match?.[1] ?? match?.[2] ?? match?.[3] ?? '');
    at = TOKEN.lastIndex;
  }
  return tokens;
}

/** The names in an expression. */
export const namesIn = (expression: number | string): readonly string[] =>
  String(expression).match(/[A-Za-z_]\w*/g) ?? [];
