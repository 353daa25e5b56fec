import { refuseIf } from '@tilemark/kernels';

export type Names = Readonly<Record<string, number>>;

/** Operators by how tightly they bind, loosest first; a quotient is rounded afterwards. */
const OPERATORS: readonly Readonly<Record<string, (a: number, b: number) => number>>[] = [
  { '&&': (a, b) => Number(a !== 0 && b !== 0), '||': (a, b) => Number(a !== 0 || b !== 0) },
  {
    '==': (a, b) => Number(a === b),
    '!=': (a, b) => Number(a !== b),
    '<=': (a, b) => Number(a <= b),
    '>=': (a, b) => Number(a >= b),
    '<': (a, b) => Number(a < b),
    '>': (a, b) => Number(a > b),
  },
  { '+': (a, b) => a + b, '-': (a, b) => a - b },
  { '*': (a, b) => a * b, '/': (a, b) => a / b, '%': (a, b) => a % b },
];

const FUNCTIONS: Readonly<Record<string, (a: number, b: number) => number>> = {
  max: Math.max,
  min: Math.min,
};

const TOKEN = /\s*(?:(\d+)(?:u|i)?\b|([A-Za-z_]\w*)|(&&|\|\||[=!<>]=|[<>+\-*/%(),]))/y;

/**
 * The value of an expression of whole numbers, names, and the operators of WGSL, `min`, and `max`.
 * Comparisons are 1 or 0. Throws InputError at `field` for a name that is not known, and for anything else.
 *
 * @param round quotients: up, as workgroups cover a side; WGSL itself rounds down
 */
export function evaluate(
  expression: number | string,
  names: Names,
  field: string,
  round = Math.ceil,
): number {
  if (typeof expression === 'number') return expression;
  const tokens = tokensOf(expression, field);
  let at = 0;
  const bad = (what: string) => refuseIf(true, `'${expression}': ${what}`, field);

  const primary = (): number => {
    const token = tokens[at++];
    if (token === '(') {
      const inside = level(0);
      if (tokens[at++] !== ')') bad('a ) is missing');
      return inside;
    }
    if (token === undefined) bad('something is missing at the end');
    const choose = entryOf(FUNCTIONS, token ?? '');
    if (choose && tokens[at] === '(') {
      at++;
      const first = level(0);
      if (tokens[at++] !== ',') bad(`${token} takes two numbers`);
      const second = level(0);
      if (tokens[at++] !== ')') bad('a ) is missing');
      return choose(first, second);
    }
    const value = /^\d/.test(token ?? '') ? Number(token) : entryOf(names, token ?? '');
    if (value !== undefined) return value;
    bad(`${token} is not known here; known: ${Object.keys(names).join(', ') || 'numbers only'}`);
    return Number.NaN;
  };
  const level = (depth: number): number => {
    const operators = OPERATORS[depth];
    if (!operators) return primary();
    let left = level(depth + 1);
    for (;;) {
      const apply = entryOf(operators, tokens[at] ?? '');
      if (!apply) return left;
      at++;
      left = round(apply(left, level(depth + 1)));
    }
  };

  const value = level(0);
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
