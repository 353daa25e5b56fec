import {
  dimensionsText,
  InputError,
  MAX_DIMENSION,
  type OpId,
  opById,
  plainShapes,
  refuseIf,
  type Shape,
  shapeText,
} from '@tilemark/kernels';

/** Most shapes in a list, which is the most that a sweep's case takes. */
export const MAX_SHAPES = 64;

/** `256..4096`, followed by `x2` (times two per step), `*4` or `+512`; `×` means `x`. */
const RANGE = /(\d+)\s*\.\.\s*(\d+)(?:\s+x\s*(\d+)(?!\d*\.\.)|\s*\*\s*(\d+)|\s*\+\s*(\d+))?/g;

/**
 * Shapes as people write them (`plainShapes`): `512, 256x128x64, 8x256x128x64` lists them, `256..4096 x2` doubles from 256 to 4096
 * (the default step), and `256..1024 +256` adds. A range may also stand for one dimension:
 * `256..1024x64x64`. Duplicates are dropped.
 *
 * @throws InputError at `field`, naming the part that could not be parsed
 */
export function parseShapes(op: OpId, text: string, field = 'shapes'): Shape[] {
  const items = plainShapes(op, text, field)
    .replaceAll(RANGE, (_, from, to, times, star, plus) =>
      plus === undefined ? `${from}..${to}*${times ?? star ?? 2}` : `${from}..${to}+${plus}`,
    )
    .split(/[,;\s]+/)
    .filter(Boolean);
  const shapes = new Map<string, Shape>();
  for (const item of items) {
    for (const shape of shapesOf(op, item, field)) {
      shapes.set(shapeText({ op, shape }), shape);
    }
  }
  refuseTooMany(shapes.size, 'The list', field);
  return [...shapes.values()];
}

const refuseTooMany = (count: number, what: string, field: string) =>
  refuseIf(
    count > MAX_SHAPES,
    `${what} has ${count} shapes; a case takes at most ${MAX_SHAPES}. Use larger steps.`,
    field,
  );

function shapesOf(op: OpId, item: string, field: string): Shape[] {
  const { dimensions, shape, square } = opById(op);
  const sides = item.split('x').map((side) => sizesOf(side, field));
  const [only] = sides;
  if (sides.length === 1 && only) return only.map((size) => square(size) as Shape);
  const counts = dimensions.filter((dimension) => dimension.default !== undefined).length;
  if (![dimensions.length, dimensions.length - counts].includes(sides.length)) {
    throw new InputError(
      `'${item}' is not a shape of ${op}: write ${dimensionsText(op)}, or one number for a square`,
      field,
    );
  }
  // Before they are listed: there may be millions.
  refuseTooMany(product(sides.map((side) => side.length)), `'${item}'`, field);
  const sizes = sides.reduce<number[][]>(
    (heads, side) => heads.flatMap((head) => side.map((size) => [...head, size])),
    [[]],
  );
  return sizes.map((size) => shape(size) as Shape);
}

const product = (numbers: readonly number[]) => numbers.reduce((all, number) => all * number, 1);

/** The sizes of one side: a number, or the steps of a range. */
function sizesOf(side: string, field: string): number[] {
  const [, from, to, operator, step] = /^(\d+)(?:\.\.(\d+)([*+])(\d+))?$/.exec(side) ?? [];
  const first = Number(from);
  const last = Number(to ?? from);
  const isInside = (size: number) => size >= 1 && size <= MAX_DIMENSION;
  if (from === undefined || !isInside(first) || !isInside(last)) {
    // Of a range, the end that is at fault.
    const fault = from === undefined ? side : isInside(first) ? to : from;
    throw new InputError(
      `'${fault}' is not a size: sizes are whole numbers from 1 to ${MAX_DIMENSION}, or ranges such as 256..4096 x2`,
      field,
    );
  }
  if (operator === undefined) return [first];
  const by = Number(step);
  if (last < first || (operator === '*' ? by < 2 : by < 1)) {
    throw new InputError(`'${side}' is not a range: it must increase with every step`, field);
  }
  const sizes: number[] = [];
  // One more than a case takes is enough to reject it.
  for (let size = first; size <= last && sizes.length <= MAX_SHAPES; ) {
    sizes.push(size);
    size = operator === '*' ? size * by : size + by;
  }
  return sizes;
}
