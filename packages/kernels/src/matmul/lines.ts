/** Helpers with which the emitters of unrolled shaders write lines. */

/** One value for each index below `count`. */
export function each<R>(count: number, make: (index: number) => R): R[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Joins lines, indented by `depth` levels of two spaces. */
export function indent(depth: number, lines: readonly string[]): string {
  return lines.map((line) => '  '.repeat(depth) + line).join('\n');
}
