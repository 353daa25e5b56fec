const LIT = new Set(['0,0', '1,1', '2,2', '2,0']);

/** The tiles of the mark, in a box of 20 by 20. */
export const MARK_TILES = [0, 1, 2].flatMap((row) =>
  [0, 1, 2].map((col) => ({ x: col * 7, y: row * 7, isLit: LIT.has(`${row},${col}`) })),
);

/** The mark: a tile grid with one tile transposed into place. Decorative. */
export function Mark({ size = 18 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" className="shrink-0">
      {MARK_TILES.map(({ x, y, isLit }) => (
        <rect
          key={`${x},${y}`}
          x={x}
          y={y}
          width="6"
          height="6"
          rx="1"
          fill={isLit ? 'var(--accent)' : 'var(--line-strong)'}
        />
      ))}
    </svg>
  );
}
