import {
  type FragmentLayout,
  fragmentThreads,
  LOADS_AT,
  prefetchOf,
  subgroupOf,
  sumUnits,
  UNIT,
  unitOf,
} from './fragment-layout';
import { fragmentDeclarations, partOf, storeFragment } from './fragment-memory';
import { each, indent } from './lines';
import { rowOf } from './memory';
import { isPacked } from './packed-dots';
import { addParts, numbersOf } from './tile-memory';

/** The shader's body: two forms of memory access, and the same entry point over each. */
export function emitFragmentKernel(layout: FragmentLayout): string {
  return [
    fragmentDeclarations(layout),
    entryPoint(layout, 'main', 'aligned'),
    storeFragment(layout, 'aligned'),
    entryPoint(layout, 'unaligned', 'unaligned'),
    storeFragment(layout, 'unaligned'),
    ...(layout.SPLIT > 1 ? [addParts({ ...layout, split: layout.SPLIT }, partOf(layout))] : []),
  ].join('\n');
}

function entryPoint(layout: FragmentLayout, name: string, access: string): string {
  const { BM, BN, BK, WM, WN, fragment, SPLIT } = layout;
  const isBanded = layout.ORDER === 'bands';
  const threads = fragmentThreads(layout);
  const unit = unitOf(layout);
  const aUnits = each((BM * BK) / unit / threads, (i) => i);
  const bUnits = each((BN * BK) / unit / threads, (i) => i);
  const down = WM / fragment.m;
  const across = WN / fragment.n;

  const inUnits = access === 'aligned';
  const isBytes = isPacked(layout);
  const rowOfA = inUnits ? `shape.k / ${unit}` : isBytes ? 'shape.k / 4' : 'shape.k';
  const rowOfB = inUnits ? 'shape.n / 8' : 'shape.n';
  const colInB = (col8: string) => (inUnits ? `min(${col8}, shape.n / 8 - 1)` : col8);

  // Tiles on their way have registers of their own, which they take in turn.
  const prefetch = prefetchOf(layout);
  const suffixes = each(prefetch, (turn) => (turn === 0 ? '' : `_${turn}`));
  // Addresses are incremented from tile to tile, which saves multiplying rows by their length.
  const aLoads = (suffix: string) =>
    aUnits.map(
      (i) => `a${i}${suffix} = load_a_${access}(a_at${i}, a_k${i}); a_k${i} += ${BK / unit};`,
    );
  const { weights } = layout;
  const bLoads = (suffix: string) =>
    bUnits.map((i) =>
      weights
        ? `b${i}${suffix} = load_b_${access}(b_at${i}, b_k${i}); b_k${i} += ${BK / unit};`
        : `b${i}${suffix} = load_b_${access}(b_at${i}, b_col${i}); b_at${i} += b_step;`,
    );
  const edgeLoads = [
    ...aUnits.map((i) => `a${i} = edge_a_${access}(a_at${i}, a_k${i});`),
    ...bUnits.flatMap((i) =>
      weights
        ? [`b${i} = edge_b_${access}(b_at${i}, b_k${i});`]
        : [
            `let b_k${i} = shape.k / ${BK} * ${BK} + b_line${i};`,
            `b${i} = load_b_${access}(${rowOf(layout, 'shape.k', `min(b_k${i}, shape.k - 1)`)} * (${rowOfB}), b_col${i});`,
            `b${i} = select(vec4u(0), b${i}, b_k${i} < shape.k);`,
          ],
    ),
  ];
  const stores = (suffix: string) => [
    ...aUnits.map((i) => `a_tile[a_to${i}] = a${i}${suffix};`),
    ...bUnits.map((i) => `b_tile[b_to${i}] = b${i}${suffix};`),
  ];
  const steps = each(BK / fragment.k, (step) => groupsOf(layout, step * fragment.k));
  const tile = (suffix: string) => [
    'workgroupBarrier();',
    ...stores(suffix),
    'workgroupBarrier();',
    ...overlapped(layout, steps, aLoads(suffix), bLoads(suffix)),
  ];
  const turns = each(prefetch * layout.UNROLL, (turn) => {
    const current = tile(suffixes[turn % prefetch] ?? '');
    return turn === 0
      ? current
      : ['tile++;', ...scope('if (tile >= whole) ', ['break;']), ...current];
  });
  const group = isBanded ? 'id' : 'group';
  const place = [
    `@builtin(workgroup_id) ${group}: vec3u,`,
    ...(isBanded ? ['@builtin(num_workgroups) groups: vec3u,'] : []),
  ];
  const { product, part } = numbersOf({ ...layout, split: SPLIT }, `${group}.z`);
  // The tiles of K of this workgroup: from `first`, `whole` of them, then perhaps the edge.
  const share =
    SPLIT === 1
      ? [`let whole = shape.k / ${BK};`, `let has_edge = shape.k % ${BK} > 0;`]
      : [
          `let tiles = (shape.k + ${BK - 1}) / ${BK};`,
          `let share = (tiles + ${SPLIT - 1}) / ${SPLIT};`,
          `let first = min(share * ${part}, tiles);`,
          'let end = min(first + share, tiles);',
          `let whole = max(min(end, shape.k / ${BK}), first) - first;`,
          `let has_edge = end > first + whole;`,
        ];
  const begin = SPLIT === 1 ? '' : ` + first * ${BK / unit}`;
  const beginRow = `${layout.batched ? 'product * shape.k + ' : ''}${SPLIT === 1 ? '' : `first * ${BK} + `}`;
  // The parts of a batch's products are stacked as z counts them.
  const stored = SPLIT > 1 ? `${group}.z, ` : layout.batched ? 'product, ' : '';
  const sumsPitch = layout.sums === 'f16' ? fragment.n / 8 : fragment.n / 4;

  return `
@compute @workgroup_size(${threads})
@diagnostic(off, chromium.subgroup_matrix_uniformity)
fn ${name}(
${indent(1, [...place, '@builtin(local_invocation_index) thread: u32,'])}
) {
${indent(1, [
  ...(isBanded ? ['let group = banded(id, groups);'] : []),
  ...(layout.batched ? [`let product = ${product};`] : []),
])}
  let warp = thread / ${subgroupOf(layout)};
  let warp_row = warp / ${BN / WN} * ${WM};
  let warp_col = warp % ${BN / WN} * ${WN};
${indent(1, share)}

  // What this thread stages, in units of ${isBytes ? '16 bytes' : 'eight halves'}.
${indent(
  1,
  aUnits.flatMap((i) => [
    `let a_place${i} = (thread + ${i * threads}) % ${BK / unit};`,
    `var a_k${i} = a_place${i}${begin};`,
    `let a_line${i} = (thread + ${i * threads}) / ${BK / unit};`,
    `let a_at${i} = ${rowOf(layout, 'shape.m', `min(group.y * ${BM} + a_line${i}, shape.m - 1)`)} * (${rowOfA});`,
    `let a_to${i} = a_line${i} * A_PITCH + a_place${i};`,
    ...suffixes.map((suffix) => `var a${i}${suffix}: vec4u;`),
  ]),
)}
${weights ? '' : `  let b_step = ${BK} * (${rowOfB});`}
${indent(
  1,
  bUnits.flatMap((i) => {
    const index = `(thread + ${i * threads})`;
    if (weights) {
      const row = `min(group.x * ${BN} + b_line${i}, shape.n - 1)`;
      return [
        `let b_place${i} = ${index} % ${BK / unit};`,
        `var b_k${i} = b_place${i}${begin};`,
        `let b_line${i} = ${index} / ${BK / unit};`,
        `let b_at${i} = ${rowOf(layout, 'shape.n', row)} * (${rowOfA});`,
        `let b_to${i} = b_line${i} * B_PITCH + b_place${i};`,
        ...suffixes.map((suffix) => `var b${i}${suffix}: vec4u;`),
      ];
    }
    const column = `${index} % ${BN / UNIT}`;
    return [
      `let b_line${i} = ${index} / ${BN / UNIT};`,
      `let b_col${i} = ${colInB(`group.x * ${BN / UNIT} + ${column}`)};`,
      `var b_at${i} = (${beginRow}b_line${i}) * (${rowOfB});`,
      `let b_to${i} = b_line${i} * B_PITCH + ${column};`,
      ...suffixes.map((suffix) => `var b${i}${suffix}: vec4u;`),
    ];
  }),
)}

${indent(
  1,
  pairs(down, across, (i, j) => `var ${sumsOf(i, j)}: Sums;`),
)}

${indent(
  1,
  suffixes.flatMap((suffix, tile) =>
    scope(`if (whole > ${tile}) `, [...aLoads(suffix), ...bLoads(suffix)]),
  ),
)}
  for (var tile = 0u; tile < whole; tile++) {
${indent(2, turns.flat())}
  }
  if (has_edge) {
${indent(2, edgeLoads)}
    workgroupBarrier();
${indent(2, stores(''))}
    workgroupBarrier();
${indent(
  2,
  steps.flatMap((groups) =>
    scope(
      '',
      groups.flatMap(({ reads, multiplications }) => [...reads, ...multiplications]),
    ),
  ),
)}
  }

  // Fragment by fragment through the memory of A's tile: there ${isBytes ? 'each thread takes eight sums' : 'the sums become halves'},
  // and those beyond the edge are left out.
  let lane = thread % ${subgroupOf(layout)};
  let sums = warp * ${sumUnits(layout)};
  let row = group.y * ${BM} + warp_row;
  let col = group.x * ${BN} + warp_col;
${indent(
  1,
  pairs(down, across, (i, j) =>
    [
      'workgroupBarrier();',
      `subgroupMatrixStore<row_major>(&a_tile, sums, ${sumsOf(i, j)}, ${sumsPitch}u);`,
      'workgroupBarrier();',
      `store_${access}(sums, lane, ${stored}row + ${i * fragment.m}, col + ${j * fragment.n});`,
    ].join(' '),
  ),
)}
}`;
}

/** Fragments that are read, then multiplied with each other or with earlier ones. */
interface Group {
  readonly reads: readonly string[];
  readonly multiplications: readonly string[];
}

/** A step of K: reads the right fragments, then each left one just before its multiplications. */
function groupsOf({ WM, WN, fragment, weights }: FragmentLayout, k: number): Group[] {
  const across = WN / fragment.n;
  const unit = unitOf({ weights });
  const load = (side: string, tile: string, at: string, order = 'row_major') =>
    `= subgroupMatrixLoad<${side}, ${order}>(&${tile}_tile, ${at}, ${tile.toUpperCase()}_PITCH);`;
  const rights = each(across, (j) => {
    if (weights) {
      const at = `(warp_col + ${j * fragment.n}) * B_PITCH + ${k / unit}`;
      return `let r${j} ${load('Right', 'b', at, 'col_major')}`;
    }
    const at = `${k} * B_PITCH + warp_col / 8 + ${(j * fragment.n) / UNIT}`;
    return `let r${j} ${load('Right', 'b', at)}`;
  });
  return each(WM / fragment.m, (i) => {
    const at = `(warp_row + ${i * fragment.m}) * A_PITCH + ${k / unit}`;
    return {
      reads: [...(i === 0 ? rights : []), `let l${i} ${load('Left', 'a', at)}`],
      multiplications: each(across, (j) => {
        const c = sumsOf(i, j);
        return `${c} = subgroupMatrixMultiplyAccumulate(l${i}, r${j}, ${c});`;
      }),
    };
  });
}

/** The steps of a tile, with the next tile's loads between their multiplications. */
function overlapped(
  layout: FragmentLayout,
  steps: readonly Group[][],
  aLoads: readonly string[],
  bLoads: readonly string[],
): string[] {
  const { LOADS } = layout;
  const eighth = steps.flat().flatMap(({ multiplications }) => multiplications).length / 8;
  let done = 0;
  /** The loads that are due after `done` multiplications. */
  const due = () => {
    const lines = [
      ...(Math.round(LOADS_AT[LOADS].a * eighth) === done ? aLoads : []),
      ...(Math.round(LOADS_AT[LOADS].b * eighth) === done ? bLoads : []),
    ];
    return lines.length > 0 ? scope(`if (tile + ${prefetchOf(layout)} < whole) `, lines) : [];
  };
  const multiplied = (line: string) => {
    done++;
    return [line, ...due()];
  };
  return [
    ...due(),
    ...steps.flatMap((groups) =>
      scope(
        '',
        groups.flatMap(({ reads, multiplications }) => [
          ...reads,
          ...multiplications.flatMap(multiplied),
        ]),
      ),
    ),
  ];
}

/** Lines in a block opened by `head`. */
function scope(head: string, lines: readonly string[]): string[] {
  return [`${head}{`, ...lines.map((line) => `  ${line}`), '}'];
}

/** The variable for the sums of one fragment. */
function sumsOf(down: number, across: number): string {
  return `c${down}_${across}`;
}

function pairs<R>(down: number, across: number, make: (i: number, j: number) => R): R[] {
  return each(down, (i) => each(across, (j) => make(i, j))).flat();
}
