import { InputError } from '@tilemark/kernels';

/** A place in the author's file, as the field of an error: `wgsl:12`. */
export const atLine = (line: number): string => `wgsl:${line}`;

/** Part of a source, by its characters. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Token extends Span {
  readonly text: string;
  readonly line: number;
}

const BLANK = /(?:\s+|\/\/[^\n]*)+/y;
const TOKEN =
  /[\p{XID_Start}_][\p{XID_Continue}]*|0[xX][\da-fA-F.pP+-]+[iufh]?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[iufh]?|<<=|>>=|<<|[-+*/%&|^=!<]=|&&|\|\||->|--|\+\+|[-+*/%&|^=!<>~@(){}[\],.;:]/uy;

/** The tokens of a source, without comments. Throws InputError at the line that has none. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  for (let at = 0; ; ) {
    const start = skipped(text, at);
    for (let i = at; i < start; i++) if (text[i] === '\n') line++;
    if (start >= text.length) return tokens;
    TOKEN.lastIndex = start;
    const [token] = TOKEN.exec(text) ?? [];
    if (token === undefined) {
      const written = text.split('\n')[line - 1]?.trim().slice(0, 60);
      throw new InputError(
        `this is not WGSL: '${written}'; of a template or a preprocessor, say its "placeholders", or bring what it prints`,
        atLine(line),
      );
    }
    at = start + token.length;
    tokens.push({ text: token, line, start, end: at });
  }
}

/** The end of blanks and comments; comments may be in comments. */
function skipped(text: string, from: number): number {
  let at = from;
  for (;;) {
    BLANK.lastIndex = at;
    at += BLANK.exec(text)?.[0].length ?? 0;
    if (!text.startsWith('/*', at)) return at;
    let depth = 0;
    do {
      depth += text.startsWith('/*', at) ? 1 : text.startsWith('*/', at) ? -1 : 0;
      at += text.startsWith('/*', at) || text.startsWith('*/', at) ? 2 : 1;
    } while (depth > 0 && at < text.length);
  }
}

/** A declaration or a directive of a module. */
export interface Statement {
  /** All of it. */
  readonly tokens: readonly [Token, ...Token[]];
  /** From the keyword on, behind the attributes. */
  readonly rest: readonly Token[];
  /** `fn`, `var`, `const`, ... */
  readonly keyword: string;
  /** What it declares; undefined: nothing. */
  readonly name: Token | undefined;
}

export function statementsOf(tokens: readonly Token[]): Statement[] {
  const statements: Statement[] = [];
  let begin = 0;
  let depth = 0;
  for (const [at, { text }] of tokens.entries()) {
    if (isOpen(text)) depth++;
    if (isClose(text)) depth = Math.max(depth - 1, 0);
    const isLast = at === tokens.length - 1;
    if (depth > 0 ? !isLast : text !== ';' && text !== '}' && !isLast) continue;
    const [first, ...others] = tokens.slice(begin, at + 1);
    begin = at + 1;
    // A semicolon may follow the brace of a struct.
    if (first && first.text !== ';') statements.push(statementOf([first, ...others]));
  }
  return statements;
}

const isOpen = (text: string) => text === '(' || text === '{' || text === '[';
const isClose = (text: string) => text === ')' || text === '}' || text === ']';

const DECLARES: readonly string[] = ['fn', 'var', 'const', 'override', 'struct', 'alias'];

function statementOf(tokens: Statement['tokens']): Statement {
  let at = 0;
  while (tokens[at]?.text === '@') at = afterParentheses(tokens, at + 2);
  const rest = tokens.slice(at);
  const keyword = rest[0]?.text ?? '';
  const after = rest[1]?.text === '<' ? rest.findIndex(({ text }) => text === '>') + 1 : 1;
  return { tokens, rest, keyword, name: DECLARES.includes(keyword) ? rest[after] : undefined };
}

const afterParentheses = (tokens: readonly Token[], at: number) =>
  tokens[at]?.text === '(' ? closing(tokens, at) + 1 : at;

/** The bracket that closes the one at `open`. */
export function closing(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    const text = tokens[at]?.text ?? '';
    if (isOpen(text)) depth++;
    if (isClose(text) && --depth === 0) return at;
  }
  return tokens.length;
}

/** The text of an attribute, as written; undefined: it is absent. */
export function attribute(tokens: readonly Token[], name: string): string | undefined {
  for (let at = 0; tokens[at]?.text === '@'; at = afterParentheses(tokens, at + 2)) {
    if (tokens[at + 1]?.text !== name) continue;
    return written(tokens.slice(at + 3, afterParentheses(tokens, at + 2) - 1));
  }
  return undefined;
}

/** Tokens as a compiler reads them. */
export const written = (tokens: readonly Token[]) =>
  tokens
    .map(({ start, text }, at) => (tokens[at - 1]?.end === start ? '' : ' ') + text)
    .join('')
    .trim();
