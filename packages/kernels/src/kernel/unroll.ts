/**
 * Loops of a constant number of turns, written out. naga guards every loop by counters: on an NVIDIA H200 under
 * wgpu, matmul/tiled-wpt had 0.06 of the speed that it has under Dawn, and has 0.64 so; transposes have all of
 * it instead of 0.36 to 0.81 (2026-11-29).
 */

/** Most statements that a loop becomes; as many as the steps of a tile of K that kernels write out themselves. */
const MOST_STATEMENTS = 1_024;

const HEAD = /for \(var (\w+) = 0u; \1 < ([^;]+); \1\+\+\) \{/;

/** A shader whose short loops are written out: each turn is a block that begins with `const i = 3u;`. */
export function unrolled(source: string): string {
  const constants = new Map(
    [...source.matchAll(/^const (\w+)(?:: u32)? = ([^;]+);/gm)].map(([, name = '', text = '']) => [
      name,
      text,
    ]),
  );
  const written = (text: string): string => {
    const loop = HEAD.exec(text);
    if (!loop) return text;
    const [head, name, count = ''] = loop;
    const from = loop.index + head.length;
    const end = endOfBlock(text, from);
    const body = written(text.slice(from, end));
    const turns = amountOf(count, constants) ?? Number.POSITIVE_INFINITY;
    const isShort = turns * (body.split(';').length - 1) <= MOST_STATEMENTS;
    const block =
      isShort && !/\b(?:break|continue)\b/.test(body)
        ? Array.from({ length: turns }, (_, turn) => `{ const ${name} = ${turn}u;${body}}`).join(
            ' ',
          )
        : `${head}${body}}`;
    return text.slice(0, loop.index) + block + written(text.slice(end + 1));
  };
  return written(source);
}

/** Where the block ends that began before `from`. */
function endOfBlock(text: string, from: number): number {
  let depth = 1;
  for (const { 0: found, index } of text.slice(from).matchAll(/\/\/.*|[{}]/g)) {
    if (found === '{') depth++;
    if (found === '}' && --depth === 0) return from + index;
  }
  throw new SyntaxError(`a block has no end:\n${text}`);
}

/** The value of products and quotients of numbers and constants; null: it is known to the device alone. */
function amountOf(text: string, constants: ReadonlyMap<string, string>): number | null {
  const [first = '', ...rest] = text.split(/ ([*/]) /);
  let value = numberOf(first, constants);
  for (let at = 0; at < rest.length; at += 2) {
    const factor = numberOf(rest[at + 1] ?? '', constants);
    if (value === null || factor === null) return null;
    value = rest[at] === '*' ? value * factor : Math.floor(value / factor);
  }
  return value;
}

function numberOf(text: string, constants: ReadonlyMap<string, string>): number | null {
  if (/^\d+u?$/.test(text)) return Number.parseInt(text, 10);
  const constant = constants.get(text);
  return constant === undefined ? null : amountOf(constant, constants);
}
