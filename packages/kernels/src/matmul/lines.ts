/** What emitters of unrolled shaders write lines with. */

/** One value for each index below `count`. */
export function each<R>(count: number, make: (index: number) => R): R[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Lines as text, `depth` levels of two spaces in. */
export function indent(depth: number, lines: readonly string[]): string {
  return lines.map((line) => '  '.repeat(depth) + line).join('\n');
}
