import { type OpId, opById } from '@tilemark/kernels';
import { formatBytes, formatCount } from '@/ui/format';
import { shareText, type Tile } from './tile';

const MATRIX = 96;
const GAP = 14;
const CELL_LIMIT = 16;

/** Where a workgroup's tile lies, what the workgroup reads for it, and its proportions. */
export function TilePicture({ op, tile }: { op: OpId; tile: Tile }) {
  const text = captionOf(op, tile);
  return (
    <figure className="px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-10 gap-y-4">
        <Tensors op={op} tile={tile} />
        <Zoom tile={tile} />
      </div>
      <figcaption className="mt-2 text-xs text-muted">{text}</figcaption>
    </figure>
  );
}

function captionOf(op: OpId, tile: Tile): string {
  const { cols, rows, threads, workgroupBytes } = tile;
  const through =
    workgroupBytes > 0
      ? `through ${formatBytes(workgroupBytes)} of workgroup memory`
      : 'without workgroup memory';
  return `A workgroup of ${formatCount(threads)} ${threads === 1 ? 'thread' : 'threads'} ${opById(op).verb} a tile of ${rows} × ${cols}, ${through}: ${shareText(tile)}. Each cell drawn is ${cellText(rows, cols)}.`;
}

/** What a cell of `Zoom` stands for. */
function cellText(rows: number, cols: number): string {
  const [down, across] = [rows, cols].map((side) => Math.ceil(side / CELL_LIMIT)) as [
    number,
    number,
  ];
  return down * across === 1 ? 'one element' : `${down} × ${across} elements`;
}

/** The tensors of the op, with what the workgroup of a tile reads and, darker, what it writes. */
function Tensors({ op, tile }: { op: OpId; tile: Tile }) {
  const { tensors, tiled, touches } = opById(op);
  const [rows, cols] = sidesOf(tile.rows, tile.cols);
  const at = { row: MATRIX * 0.3, col: MATRIX * 0.5 };
  const parts = touches({ ...at, rows, cols }, tiled(MATRIX, MATRIX));
  const side = (axis: 0 | 1) =>
    (MATRIX + GAP) * (1 + Math.max(...tensors.map((tensor) => tensor.at[axis]))) - GAP;
  return (
    <svg
      width={side(0) + 4}
      height={side(1) + 4}
      viewBox={`-2 -2 ${side(0) + 4} ${side(1) + 4}`}
      aria-hidden="true"
    >
      {tensors.map(({ name, at: [across, down] }, index) => {
        const [x, y] = [across * (MATRIX + GAP), down * (MATRIX + GAP)];
        const part = parts[index];
        const isOutput = index === tensors.length - 1;
        return (
          <g key={name}>
            <Matrix x={x} y={y} name={name} />
            {part && (
              <rect
                x={x + part.col}
                y={y + part.row}
                width={part.cols}
                height={part.rows}
                className="fill-accent"
                opacity={isOutput ? 1 : 0.3}
              />
            )}
          </g>
        );
      })}
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

/** The tile in its proportions, divided into elements, or sixteenths if there are many. */
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

const lines = (parts: number, length: number): number[] =>
  Array.from({ length: parts - 1 }, (_, index) => ((index + 1) * length) / parts);

/** A tile's height and width on a drawn matrix: in proportion, but not to the matrix's scale. */
function sidesOf(rows: number, cols: number): readonly [number, number] {
  const longer = MATRIX * 0.32;
  const scale = longer / Math.max(rows, cols);
  return [Math.max(rows * scale, 3), Math.max(cols * scale, 3)];
}
