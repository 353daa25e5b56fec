import { areBytes, type Dtype } from '../problem/dtype';
import { each } from './lines';
import { scalesOf } from './memory';
import type { TileLayout } from './tile-layout';

/**
 * Tiles of signed bytes, A and B by rows, as words of four: a step of K multiplies words by packed dot
 * products, and `shape.k` counts words. Where blocks have scales, the sums of a block are integers, and
 * exact, before they are multiplied by the scales of both operands.
 */

type Weights = Pick<TileLayout, 'weights'>;

/** The dtype of a layout whose operands are bytes; undefined: they are not. */
const bytesOf = ({ weights }: Weights): Dtype | undefined =>
  weights && areBytes(weights) ? weights : undefined;

export const isPacked = (layout: Weights): boolean => bytesOf(layout) !== undefined;

/** The types of what is staged, and of its elements in memory: `V` is that of sums. */
export const stagedTypes = (layout: Weights) =>
  bytesOf(layout)
    ? ({ staged: 'vec4u', element: 'u32' } as const)
    : ({ staged: 'V', element: 'T' } as const);

/** Steps that share a scale; undefined: none has one. */
export function scaledSteps(layout: Weights): number | undefined {
  const dtype = bytesOf(layout);
  const scales = dtype && scalesOf(dtype);
  return scales && scales.shared / 4;
}

/** Scales of a block that are staged of either side, four rows each. */
const scaleTiles = ({ bm, bn, bk, ...layout }: TileLayout) => {
  const blocks = bk / (scaledSteps(layout) ?? Number.POSITIVE_INFINITY);
  return { a: (blocks * bm) / 4, b: (blocks * bn) / 4 };
};

/** Bytes of workgroup memory for scales. */
export function scaleBytes(layout: TileLayout): number {
  const { a, b } = scaleTiles(layout);
  return 16 * (a + b);
}

/** Dot products of a tile of bytes, and the loads of scales. */
export function packedFunctions(layout: TileLayout): string {
  return `
fn dots(a: u32, b: vec4u) -> vec4i {
  return vec4i(${each(4, (i) => `dot4I8Packed(a, b[${i}])`).join(', ')});
}
${scaledSteps(layout) ? (['a', 'b'] as const).map((side) => scaleMemory(layout, side)).join('') : ''}`;
}

/** The tile of one side's scales, and what loads those of four rows, of the block with words `k4`. */
function scaleMemory(layout: TileLayout, side: 'a' | 'b'): string {
  const scales = side === 'a' ? 'A_scales' : 'B_scales';
  const [product, rows] = layout.batched
    ? ['product: u32, ', `(product * shape.${side === 'a' ? 'm' : 'n'} + rows)`]
    : ['', 'rows'];
  return `
var<workgroup> ${side}_scales: array<vec4f, ${scaleTiles(layout)[side]}>;
fn load_${side}_scales(${product}rows: vec4u, k4: u32) -> vec4f {
  let at = ${rows} * (shape.k / 8) + min(k4 / 2, shape.k / 8 - 1);
  return vec4f(${each(4, (i) => `f32(${scales}[at[${i}]])`).join(', ')});
}
`;
}
