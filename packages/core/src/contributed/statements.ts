/// <reference path="./wgsl-reflect.d.ts" />
import { InputError } from '@tilemark/kernels';
import type { Token } from 'wgsl_reflect';
import { WgslScanner } from 'wgsl_reflect/wgsl_reflect.module.js';

/** A place in the author's file, as the field of an error: `wgsl:12`. */
export const atLine = (line: number): string => `wgsl:${line}`;

/** The tokens of a source. Throws InputError at the line that has none. */
export function tokensOf(text: string): Token[] {
  try {
    return new WgslScanner(text).scanTokens().filter(({ lexeme }) => lexeme !== '');
  } catch (error) {
    const [, line = '1'] = /line (\d+)/.exec(String(error)) ?? [];
    const written = text.split('\n')[Number(line) - 1]?.trim().slice(0, 60);
    throw new InputError(
      `this is not WGSL: '${written}'; of a template or a preprocessor, say its "placeholders", or bring what it prints`,
      atLine(Number(line)),
    );
  }
}

export type Statement = readonly Token[];

/** The declarations and directives of a module, each with its tokens. */
export function statementsOf(tokens: readonly Token[]): Statement[] {
  const statements: Token[][] = [];
  let statement: Token[] = [];
  let depth = 0;
  for (const token of tokens) {
    statement.push(token);
    if ('{(['.includes(token.lexeme)) depth++;
    if ('})]'.includes(token.lexeme)) depth--;
    const isEnd = token.lexeme === ';' || token.lexeme === '}';
    if (depth > 0 || !isEnd) continue;
    depth = 0;
    // A semicolon may follow the brace of a struct.
    if (statement.length > 1) statements.push(statement);
    statement = [];
  }
  if (statement.length > 0) statements.push(statement);
  return statements;
}

export function endsOf(statement: Statement) {
  const [first] = statement;
  const last = statement.at(-1);
  if (!first || !last) throw new RangeError('a statement has tokens');
  return { first, last };
}

/** Where the attributes of a declaration end: `@group(0) @binding(1)`. */
export function afterAttributes(statement: Statement): number {
  let at = 0;
  while (statement[at]?.lexeme === '@') {
    at += 2;
    if (statement[at]?.lexeme === '(') at = closing(statement, at) + 1;
  }
  return at;
}

/** The bracket that closes the one at `open`. */
export function closing(tokens: Statement, open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    const lexeme = tokens[at]?.lexeme ?? '';
    if ('{(['.includes(lexeme)) depth++;
    if ('})]'.includes(lexeme) && --depth === 0) return at;
  }
  return tokens.length;
}

/** The tokens within the parentheses of an attribute; undefined: it is not there. */
export function attribute(statement: Statement, name: string): Statement | undefined {
  const end = afterAttributes(statement);
  const at = statement.findIndex(
    ({ lexeme }, i) => i < end && lexeme === name && statement[i - 1]?.lexeme === '@',
  );
  if (at < 0) return undefined;
  const open = at + 1;
  return statement[open]?.lexeme === '(' ? statement.slice(open + 1, closing(statement, open)) : [];
}

/** `fn`, `var`, `const`, ... */
export const keywordOf = (statement: Statement) => statement[afterAttributes(statement)];

/** The name that a statement declares. */
export function nameOf(statement: Statement): Token | undefined {
  const keyword = afterAttributes(statement);
  const isDeclaration = ['fn', 'var', 'const', 'override', 'struct', 'alias'].includes(
    statement[keyword]?.lexeme ?? '',
  );
  if (!isDeclaration) return undefined;
  const { after } = templateOf(statement, keyword);
  return statement[after];
}

/** What is in the `<...>` behind a keyword, and where it ends. */
export function templateOf(statement: Statement, keyword: number) {
  const open = keyword + 1;
  if (statement[open]?.lexeme !== '<') return { template: [], after: open };
  const close = statement.findIndex(({ lexeme }, at) => at > open && lexeme === '>');
  return { template: statement.slice(open + 1, close), after: close + 1 };
}
