import { each } from './lines';
import { scaledSteps, stagedTypes } from './packed-dots';
import type { TileLayout } from './tile-layout';
import { numbersOf } from './tile-memory';

/** Number of vec4s in distinct banks: a step's permutation of A's tile stays within them. */
const BANKS = 8;

/** A thread's share of the staging of each tile: where, its loads of a tile along K, and its stores. */
interface Staging {
  readonly places: readonly string[];
  readonly loads: (tile: string) => readonly string[];
  readonly stores: readonly string[];
}

/** 4 x 4 blocks of A, transposed on the way, and vec4s of B or, where it is by rows, such blocks too. */
export function vectorStaging(layout: TileLayout, access: string, batch: string): Staging {
  const a = rowStaging(layout, 'a', access, batch);
  const b = layout.weights
    ? rowStaging(layout, 'b', access, batch)
    : columnStaging(layout, access, batch);
  const [blocks, vectors] = layout.weights ? ['A and B', ''] : ['A', ', and vec4s of B'];
  return {
    places: [
      `// What this thread stages: 4 x 4 blocks of ${blocks}, transposed on the way${vectors}.`,
      ...a.places,
      ...b.places,
    ],
    loads: (tile) => [...a.loads(tile), ...b.loads(tile)],
    stores: [...a.stores, ...b.stores],
  };
}

/** The vec4s of B's tile. */
function columnStaging(layout: TileLayout, access: string, batch: string): Staging {
  const { threads, bn, bk } = layout;
  const vectors = (bn * bk) / 4 / threads;
  return {
    places: each(vectors, (v) => {
      const index = `(thread + ${v * threads})`;
      return [
        `let b_k${v} = ${index} / B_PITCH;`,
        `let b_col${v} = group.x * B_PITCH + ${index} % B_PITCH;`,
        `let b_to${v} = ${index};`,
        `var b${v}: V;`,
      ];
    }).flat(),
    loads: (tile) =>
      each(
        vectors,
        (v) => `b${v} = load_b_${access}(${batch}b_k${v} + ${tile} * ${bk}, b_col${v});`,
      ),
    stores: each(vectors, (v) => `b_tile[${inTurn(layout, 'b')}b_to${v}] = b${v};`),
  };
}

/** 4 x 4 blocks of the rows of A or B, transposed on the way, and the scales of what is packed. */
function rowStaging(layout: TileLayout, side: 'a' | 'b', access: string, batch: string): Staging {
  const { threads, bm, bn, bk } = layout;
  const { size, rows, pitch, from, column } = {
    a: { size: bm, rows: 'shape.m', pitch: 'A_PITCH', from: 'group.y', column: aColumn },
    b: { size: bn, rows: 'shape.n', pitch: 'B_PITCH', from: 'group.x', column: bColumn },
  }[side];
  const { staged } = stagedTypes(layout);
  const isScaled = scaledSteps(layout) !== undefined;
  const blocks = each((size * bk) / 16 / threads, (block) => block);
  const k4 = (block: number, tile: string) => `${side}_k${block} + ${tile} * ${bk / 4}`;
  return {
    places: blocks.flatMap((block) => {
      const index = `(thread + ${block * threads})`;
      const at = column(layout, `${side}_block${block}`, `${side}_k${block}`);
      return [
        `let ${side}_k${block} = ${index} % ${bk / 4};`,
        `let ${side}_block${block} = ${index} / ${bk / 4};`,
        `let ${side}_to${block} = 4 * ${side}_k${block} * ${pitch} + ${at};`,
        ...each(
          4,
          (i) =>
            `let ${side}_row${block}_${i} = min(${from} * ${size} + 4 * ${side}_block${block} + ${i}, ${rows} - 1);`,
        ),
        `var ${each(4, (i) => `${side}${block}_${i}: ${staged};`).join(' var ')}`,
        ...(isScaled ? [`var ${side}_scale${block}: vec4f;`] : []),
      ];
    }),
    loads: (tile) =>
      blocks.flatMap((block) => [
        ...each(
          4,
          (i) =>
            `${side}${block}_${i} = load_${side}_${access}(${batch}${side}_row${block}_${i}, ${k4(block, tile)});`,
        ),
        ...(isScaled
          ? [
              `${side}_scale${block} = load_${side}_scales(${batch}vec4u(${each(4, (i) => `${side}_row${block}_${i}`)}), ${k4(block, tile)});`,
            ]
          : []),
      ]),
    stores: blocks.flatMap((block) => [
      ...['x', 'y', 'z', 'w'].map((k, i) => {
        const values = each(4, (row) => `${side}${block}_${row}.${k}`).join(', ');
        return `${side}_tile[${inTurn(layout, side)}${side}_to${block} + ${i} * ${pitch}] = ${staged}(${values});`;
      }),
      // A block of 32 is eight words: one of two threads has its scales.
      ...(isScaled
        ? [
            `if (${side}_k${block} % 2 == 0) { ${side}_scales[${side}_k${block} / 2 * ${size / 4} + ${side}_block${block}] = ${side}_scale${block}; }`,
          ]
        : []),
    ]),
  };
}

/**
 * Single elements, which neighbouring threads load from neighbouring addresses wherever a row begins.
 * Loads beyond a row or the matrix are clamped to the matrix: those sums are never stored. Addresses
 * are a first one and multiples of a step: one per element would take as many registers again.
 */
export function elementStaging(layout: TileLayout): Staging {
  const { threads, bm, bn, bk, batched } = layout;
  const { product } = numbersOf(layout);
  const begin = (side: string, pitch: string) =>
    batched ? `${product} * shape.${side} * shape.${pitch} + ` : '';
  const last = (matrix: string, length: string) =>
    batched ? `arrayLength(&${matrix}) - 1` : `${length} - 1`;
  const plus = (step: string, times: number) => (times === 0 ? '' : ` + ${times} * ${step}`);
  const as = each((bm * bk) / threads, (i) => {
    const [k, row] = [`thread % ${bk}`, `(thread / ${bk} + ${i * (threads / bk)})`];
    return {
      to: `${k} * A_PITCH + ${aColumn(layout, `(${row} / 4)`, `(${k} / 4)`)}`,
      lane: `${row} % 4`,
      step: plus('a_step', i),
    };
  });
  // The columns that a thread loads of a row, then as many of a row below.
  const across = Math.max(bn / threads, 1);
  const bs = each((bn * bk) / threads, (i) => ({
    col: i % across,
    step: plus('b_step', Math.floor(i / across)),
  }));
  return {
    places: [
      '// What this thread stages: single elements, beside those of its neighbours.',
      `let last_a = ${last('A', 'shape.m * shape.k')};`,
      `let last_b = ${last('B', 'shape.k * shape.n')};`,
      `let a_step = ${threads / bk} * shape.k;`,
      `let b_step = ${Math.max(threads / bn, 1)} * shape.n;`,
      `let a_at = ${begin('m', 'k')}(group.y * ${bm} + thread / ${bk}) * shape.k + thread % ${bk};`,
      ...each(across, (col) => {
        const column = `min(group.x * ${bn} + thread % ${bn} + ${col * threads}, shape.n - 1)`;
        return `let b_at${col} = ${begin('k', 'n')}thread / ${bn} * shape.n + ${column};`;
      }),
      ...as.flatMap(({ to }, i) => [`let a_to${i} = ${to};`, `var a${i}: Acc;`]),
      ...bs.map((_, i) => `var b${i}: Acc;`),
    ],
    loads: (tile) => [
      ...as.map(({ step }, i) => `a${i} = Acc(A[min(a_at + ${tile} * ${bk}${step}, last_a)]);`),
      ...bs.map(
        ({ col, step }, i) =>
          `b${i} = Acc(B[min(b_at${col} + ${tile} * ${bk} * shape.n${step}, last_b)]);`,
      ),
    ],
    stores: [
      ...as.map(({ lane }, i) => `a_tile[${inTurn(layout, 'a')}a_to${i}][${lane}] = a${i};`),
      ...bs.map((_, i) => {
        const to = `${inTurn(layout, 'b')}thread / 4 + ${(i * threads) / 4}`;
        return `b_tile[${to}][thread % 4] = b${i};`;
      }),
    ],
  };
}

/**
 * Column of A's tile, in vec4s, at which `column` is stored in the rows of the four steps `k4`.
 * Threads that write one column at different steps would conflict in one bank; permuted, the
 * 8 / (bk / 4) columns of each step cover all banks. `%` tells Tint the range.
 */
export function aColumn(layout: TileLayout, column: string, k4: string): string {
  if (!layout.swizzled) return column;
  return `((${column} ^ (${k4} * ${(4 * BANKS) / layout.bk} % ${BANKS})) % A_PITCH)`;
}

/** The column of B's tile where its rows are staged; always permuted, for it has no padding. */
export const bColumn = ({ bk, weights }: TileLayout, column: string, k4: string): string =>
  weights ? `((${column} ^ (${k4} * ${(4 * BANKS) / bk} % ${BANKS})) % B_PITCH)` : column;

/** The offset of the current tile, as a prefix of an index. */
export const inTurn = ({ doubled }: TileLayout, operand: 'a' | 'b') =>
  doubled ? `${operand}_turn + ` : '';
