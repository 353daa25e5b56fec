import { each, indent } from './lines';
import { isPacked, scaledSteps } from './packed-dots';
import { isShared, isSplit, type SharedLayout, type TileLayout } from './tile-layout';
import { addParts, addShares, numbersOf, tileDeclarations } from './tile-memory';
import { aColumn, bColumn, elementStaging, inTurn, vectorStaging } from './tile-staging';

/** The largest K, for loops that must end at a constant. */
export const MAX_K = 65_536;

/** Entry point for a shape: `main` moves vec4s, so rows of A, B and C must start on one. */
export function tileEntryPoint({ n, k }: { readonly n: number; readonly k: number }): string {
  return n % 4 === 0 && k % 4 === 0 ? 'main' : 'unaligned';
}

/** The shader's body: two forms of memory access, and the same entry point over each. */
export function emitTileKernel(layout: TileLayout): string {
  return [
    tileDeclarations(layout),
    // Elements are accessed alike wherever rows begin.
    ...(layout.elements
      ? [entryPoint(layout, 'main', 'unaligned')]
      : [entryPoint(layout, 'main', 'aligned'), entryPoint(layout, 'unaligned', 'unaligned')]),
    ...(isSplit(layout) ? [addParts(layout)] : []),
    ...(isShared(layout) ? [addShares(layout)] : []),
  ].join('\n');
}

function entryPoint(layout: TileLayout, name: string, access: string): string {
  if (!isShared(layout)) {
    return `
@compute @workgroup_size(${layout.threads})
fn ${name}(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
${product(layout, access)}
}`;
  }
  const { bm, bn, bk } = layout;
  return `
@compute @workgroup_size(${layout.threads})
fn ${name}(@builtin(workgroup_id) id: vec3u, @builtin(local_invocation_index) thread: u32) {
  let across = (shape.n + ${bn - 1}) / ${bn};
  let tiles = across * ((shape.m + ${bm - 1}) / ${bm});
  let steps = (shape.k + ${bk - 1}) / ${bk};
  let shared_tiles = tiles % WAVE_SIZE;
  let whole_tiles = tiles - shared_tiles;

  // A tile of its own.
  if (id.x < whole_tiles) {
    let group = vec2u(id.x % across, id.x / across);
${product(ownTile(layout), access)}
    return;
  }

  // An even share of those at the end: parts of two tiles at most.
  var at = share(id.x - whole_tiles, shared_tiles * steps);
  let stop = share(id.x - whole_tiles + 1, shared_tiles * steps);
  for (var segment = 0u; segment < 2; segment++) {
    if (at >= stop) {
      break;
    }
    let tile_number = whole_tiles + at / steps;
    let group = vec2u(tile_number % across, tile_number / across);
    let first = at % steps;
    let last = min(steps, first + stop - at);
    let slot = 2 * (id.x - whole_tiles) + segment;
${product(layout, access)}
    at += last - first;
  }
}`;
}

/** The layout of a tile computed by one workgroup alone. */
function ownTile({ wave: _, ...layout }: SharedLayout): TileLayout {
  return layout;
}

/**
 * The body of an entry point that multiplies a tile, or a part of it along K, and stores its sums.
 * It uses `group`, `thread` and `shape`, and accesses memory through functions named after
 * `access`.
 */
export function product(layout: TileLayout, access: string): string {
  const { bm, bk, rowGroups, rowStride, colGroups, colStride, row4, col4 } = layout;
  const rows = each(4 * rowGroups, (i) => i);
  const batch = layout.batched ? `${numbersOf(layout).product}, ` : '';
  const { places, loads, stores } = layout.elements
    ? elementStaging(layout)
    : vectorStaging(layout, access, batch);

  // In a loop, a variable without an initialiser may keep its last value (webgpu 0.6.2, llvmpipe).
  const initial = isShared(layout) ? ' = V(0)' : ': V';
  const startsLate = isSplit(layout) || isShared(layout);
  const next = loads(startsLate ? '(first + tile + 1)' : '(tile + 1)');
  const tileLoop = layout.bounded
    ? `for (var tile = 0u; tile < ${Math.ceil(MAX_K / bk)}; tile++) {
    if (tile >= whole) {
      break;
    }`
    : 'for (var tile = 0u; tile < whole; tile++) {';

  const { count, multiplied, size } = unitOf(layout);
  return `  let row4 = ${row4};
  let col4 = ${col4};

${indent(1, places)}

${indent(
  1,
  rows.map((i) => each(colGroups, (j) => `var ${sum(i, j)}${initial};`).join(' ')),
)}

${indent(1, range(layout))}
${indent(1, loads(startsLate ? 'first' : '0'))}
  ${tileLoop}
${indent(2, beforeStores(layout, 'tile'))}
${indent(2, stores)}
    workgroupBarrier();
    // The next tile is on its way while this one is multiplied.
${indent(2, layout.spread ? spreadLoads(layout, next) : [...next, ...wholeTile(layout)])}
  }
  if (rest > 0) {
${indent(2, beforeStores(layout, 'whole'))}
${indent(2, stores)}
    workgroupBarrier();
    for (var ${count} = 0u; ${count} < rest${size > 1 ? ` / ${size}` : ''}; ${count}++) {
${indent(3, multiplied(count))}
    }
  }

${
  isShared(layout)
    ? ''
    : `  let row = group.y * ${bm} + 4 * row4;
  let col = group.x * B_PITCH + col4;`
}
${indent(
  1,
  rows.flatMap((i) =>
    each(colGroups, (j) => {
      const down = Math.floor(i / 4) * rowStride + (i % 4);
      const across = (j * colStride) / 4;
      if (isShared(layout)) {
        return `store_share(slot, 4 * row4 + ${down}, col4 + ${across}, ${sum(i, j)});`;
      }
      const to = isSplit(layout) ? `store_part_${access}(group.z, ` : `store_c_${access}(${batch}`;
      return `${to}row + ${down}, col + ${across}, ${sum(i, j)});`;
    }),
  ),
)}`;
}

/**
 * The separation between the products of a tile and the stores of the next: a barrier, or nothing with two
 * alternating tiles. A thread that overwrites a tile has passed the barrier of the tile in between, so all
 * threads have finished reading it.
 */
function beforeStores({ bk, doubled }: TileLayout, tile: string): string[] {
  if (!doubled) return ['workgroupBarrier();'];
  return ['a', 'b'].map((operand) => {
    return `let ${operand}_turn = ${tile} % 2 * ${bk} * ${operand.toUpperCase()}_PITCH;`;
  });
}

/** How many whole tiles of K this workgroup multiplies, and how many steps remain. */
function range(layout: TileLayout): string[] {
  const { bk, split = 1, wave } = layout;
  if (wave !== undefined) {
    return [
      `let length = min(last * ${bk}, shape.k) - first * ${bk};`,
      `let whole = length / ${bk};`,
      `let rest = length % ${bk};`,
    ];
  }
  if (split === 1) return [`let whole = shape.k / ${bk};`, `let rest = shape.k % ${bk};`];
  return [
    `let tiles = (shape.k + ${bk - 1}) / ${bk};`,
    `let first = (tiles + ${split - 1}) / ${split} * ${numbersOf(layout).part};`,
    `let end = min(first * ${bk} + (tiles + ${split - 1}) / ${split} * ${bk}, shape.k);`,
    `let length = end - min(first * ${bk}, end);`,
    `let whole = length / ${bk};`,
    `let rest = length % ${bk};`,
  ];
}

/** A part of a tile's multiplication, one after another: steps of K, or blocks of them that have a scale. */
interface Unit {
  /** Steps in it. */
  readonly size: number;
  /** The variable that counts them. */
  readonly count: string;
  readonly multiplied: (number: string) => readonly string[];
}

function unitOf(layout: TileLayout): Unit {
  const size = scaledSteps(layout);
  return size === undefined
    ? { size: 1, count: 'k', multiplied: (k) => steps(layout, k) }
    : { size, count: 'block', multiplied: (block) => scaledBlock(layout, size, block) };
}

/** Some units, `unroll` of them in the text of each turn. */
function turns(units: number, unroll: number, { count, multiplied }: Unit): string[] {
  if (unroll >= units) return each(units, (unit) => multiplied(`${unit}`)).flat();
  return [
    `for (var ${count} = 0u; ${count} < ${units / unroll}; ${count}++) {`,
    ...each(unroll, (unit) => multiplied(`(${unroll} * ${count} + ${unit})`)).flat(),
    '}',
  ];
}

/** The steps of K of a whole tile. */
function wholeTile(layout: TileLayout): string[] {
  const { bk, unroll } = layout;
  const unit = unitOf(layout);
  return turns(bk / unit.size, Math.max(unroll / unit.size, 1), unit);
}

/** The unrolled steps of a whole tile, with the next tile's loads between them. */
function spreadLoads(layout: TileLayout, loads: readonly string[]): string[] {
  const { multiplied, size } = unitOf(layout);
  const units = layout.bk / size;
  return each(units, (unit) => [
    ...loads.filter((_, index) => Math.floor((index * units) / loads.length) === unit),
    ...multiplied(`${unit}`),
  ]).flat();
}

/** The steps of a block: the sum of its products, an integer, times the scales of both operands. */
function scaledBlock(layout: TileLayout, size: number, block: string): string[] {
  const { bm, bn, rowGroups, rowStride, colGroups, colStride, unroll } = layout;
  const rows = each(4 * rowGroups, (i) => i);
  const step = (k: string) => steps(layout, `(${size} * ${block} + ${k})`);
  return [
    '{',
    ...rows.map((i) => `  ${each(colGroups, (j) => `var d${i}_${j} = vec4i();`).join(' ')}`),
    ...turns(size, unroll, { size: 1, count: 'k', multiplied: step }).map((line) => `  ${line}`),
    ...each(
      rowGroups,
      (g) => `  let a_by${g} = a_scales[${block} * ${bm / 4} + row4 + ${(g * rowStride) / 4}];`,
    ),
    ...each(
      colGroups,
      (j) => `  let b_by${j} = b_scales[${block} * ${bn / 4} + col4 + ${(j * colStride) / 4}];`,
    ),
    ...rows.flatMap((i) =>
      each(colGroups, (j) => {
        const by = `a_by${Math.floor(i / 4)}.${'xyzw'[i % 4]} * b_by${j}`;
        return `  ${sum(i, j)} += ${by} * vec4f(d${i}_${j});`;
      }),
    ),
    '}',
  ];
}

/** One step of K: reads fragments of A and B from workgroup memory, then adds all their products. */
function steps(layout: TileLayout, k: string): string[] {
  const { rowGroups, rowStride, colGroups, colStride, fma = false } = layout;
  const aAt = (group: number) =>
    layout.swizzled
      ? aColumn(layout, `(row4 + ${(group * rowStride) / 4})`, `(${k} / 4)`)
      : `row4 + ${(group * rowStride) / 4}`;
  const bAt = (group: number) => {
    const column = `col4 + ${(group * colStride) / 4}`;
    return layout.weights ? bColumn(layout, `(${column})`, `(${k} / 4)`) : column;
  };
  const multiplied = (i: number, j: number) => {
    const a = `a${Math.floor(i / 4)}.${'xyzw'[i % 4]}`;
    if (!isPacked(layout)) return multiplyAdd(fma, sum(i, j), `V(${a})`, `b${j}`);
    return `${scaledSteps(layout) ? `d${i}_${j}` : sum(i, j)} += dots(${a}, b${j});`;
  };
  return [
    '{',
    ...each(
      rowGroups,
      (g) => `  let a${g} = a_tile[${inTurn(layout, 'a')}${k} * A_PITCH + ${aAt(g)}];`,
    ),
    ...each(
      colGroups,
      (j) => `  let b${j} = b_tile[${inTurn(layout, 'b')}${k} * B_PITCH + ${bAt(j)}];`,
    ),
    ...each(4 * rowGroups, (i) => i).flatMap((i) =>
      each(colGroups, (j) => `  ${multiplied(i, j)}`),
    ),
    '}',
  ];
}

function multiplyAdd(fma: boolean, to: string, a: string, b: string): string {
  return fma ? `${to} = fma(${a}, ${b}, ${to});` : `${to} += ${a} * ${b};`;
}

/** The accumulator of a thread's row and column group. */
function sum(row: number, colGroup: number): string {
  return `c${row}_${colGroup}`;
}
