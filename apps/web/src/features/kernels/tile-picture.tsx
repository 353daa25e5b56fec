import type { OpId } from '@tilemark/kernels';
import { formatBytes, formatCount } from '@/ui/format';
import type { Tile } from './tile';

const MATRIX = 96;
const GAP = 14;
const CELL_LIMIT = 16;

/** Where a workgroup's tile lies, what it reads for it, and its proportions. */
export function TilePicture({ op, tile }: { op: OpId; tile: Tile }) {
  const text = captionOf(op, tile);
  return (
    <figure className="px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-10 gap-y-4">
        {op === 'matmul' ? <Matmul tile={tile} /> : <Transpose tile={tile} />}
        <Zoom tile={tile} />
      </div>
      <figcaption className="mt-2 text-xs text-muted">{text}</figcaption>
    </figure>
  );
}

const captionOf = (
  op: OpId,
  { cols, elementsAThread, rows, threads, workgroupBytes }: Tile,
): string =>
  `A workgroup of ${formatCount(threads)} threads ${op === 'matmul' ? 'computes' : 'moves'} a tile of ${rows} × ${cols}, ${shareText(elementsAThread)}, ${
    workgroupBytes > 0
      ? `through ${formatBytes(workgroupBytes)} of workgroup memory`
      : 'without workgroup memory'
  }.`;

const shareText = (elements: number): string =>
  elements === 1
    ? 'one element a thread'
    : elements > 1
      ? `${Number(elements.toPrecision(3))} elements a thread`
      : `${Number((1 / elements).toPrecision(3))} threads an element`;

/** B above C, A to its left: the tile of C under its columns of B, beside its rows of A. */
function Matmul({ tile: { cols, rows } }: { tile: Tile }) {
  const from = MATRIX + GAP;
  const [height, width] = sidesOf(rows, cols);
  const at = MATRIX * 0.4;
  const size = 2 * MATRIX + GAP;
  return (
    <svg
      width={size + 4}
      height={size + 4}
      viewBox={`-2 -2 ${size + 4} ${size + 4}`}
      aria-hidden="true"
    >
      <Matrix x={from} y={0} name="B" />
      <Matrix x={0} y={from} name="A" />
      <Matrix x={from} y={from} name="C" />
      <rect
        x={from + at}
        y={0}
        width={width}
        height={MATRIX}
        className="fill-accent"
        opacity="0.25"
      />
      <rect
        x={0}
        y={from + at}
        width={MATRIX}
        height={height}
        className="fill-accent"
        opacity="0.25"
      />
      <rect x={from + at} y={from + at} width={width} height={height} className="fill-accent" />
    </svg>
  );
}

/** A tile of A and where it lands in B. */
function Transpose({ tile: { cols, rows } }: { tile: Tile }) {
  const [height, width] = sidesOf(rows, cols);
  const from = MATRIX + 3 * GAP;
  const [down, across] = [MATRIX * 0.2, MATRIX * 0.55];
  return (
    <svg
      width={from + MATRIX + 4}
      height={MATRIX + 4}
      viewBox={`-2 -2 ${from + MATRIX + 4} ${MATRIX + 4}`}
      aria-hidden="true"
    >
      <Matrix x={0} y={0} name="A" />
      <Matrix x={from} y={0} name="B" />
      <rect
        x={across}
        y={down}
        width={width}
        height={height}
        className="fill-accent"
        opacity="0.35"
      />
      <text
        x={MATRIX + 1.5 * GAP}
        y={MATRIX / 2 + 4}
        textAnchor="middle"
        className="fill-muted"
        fontSize="14"
      >
        →
      </text>
      <rect x={from + down} y={across} width={height} height={width} className="fill-accent" />
    </svg>
  );
}

function Matrix({ x, y, name }: { x: number; y: number; name: string }) {
  return (
    <>
      <rect x={x} y={y} width={MATRIX} height={MATRIX} className="fill-sunken stroke-line-strong" />
      <text x={x + 7} y={y + 16} className="fill-muted font-mono" fontSize="12">
        {name}
      </text>
    </>
  );
}

/** The tile in the proportions it has, in elements or, where they are many, in sixteenths. */
function Zoom({ tile: { cols, rows } }: { tile: Tile }) {
  const scale = (MATRIX * 1.4) / Math.max(rows, cols);
  const [height, width] = [Math.max(rows * scale, 3), Math.max(cols * scale, 3)];
  const across = Math.min(cols, CELL_LIMIT);
  const down = Math.min(rows, CELL_LIMIT);
  return (
    <svg
      width={width + 44}
      height={height + 24}
      viewBox={`-1 -18 ${width + 44} ${height + 24}`}
      aria-hidden="true"
    >
      <rect width={width} height={height} className="fill-accent-soft stroke-accent" />
      {lines(across, width).map((x) => (
        <line key={x} x1={x} x2={x} y1={0} y2={height} className="stroke-accent" opacity="0.35" />
      ))}
      {lines(down, height).map((y) => (
        <line key={y} x1={0} x2={width} y1={y} y2={y} className="stroke-accent" opacity="0.35" />
      ))}
      <text x={width / 2} y={-5} textAnchor="middle" className="fill-muted" fontSize="11">
        {cols}
      </text>
      <text x={width + 6} y={height / 2 + 4} className="fill-muted" fontSize="11">
        {rows}
      </text>
    </svg>
  );
}

/** Inner lines that cut a length into parts. */
const lines = (parts: number, length: number): number[] =>
  Array.from({ length: parts - 1 }, (_, index) => ((index + 1) * length) / parts);

/** A tile's height and width on a drawn matrix: not to scale with it, true to each other. */
function sidesOf(rows: number, cols: number): readonly [number, number] {
  const longer = MATRIX * 0.32;
  const scale = longer / Math.max(rows, cols);
  return [Math.max(rows * scale, 3), Math.max(cols * scale, 3)];
}
