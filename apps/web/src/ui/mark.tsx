/** The mark: a tile grid with one tile transposed into place. Decorative. */
export function Mark({ size = 18 }: { size?: number }) {
  const lit = new Set(['0,0', '1,1', '2,2', '2,0']);
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" className="shrink-0">
      {[0, 1, 2].flatMap((row) =>
        [0, 1, 2].map((col) => (
          <rect
            key={`${row},${col}`}
            x={col * 7}
            y={row * 7}
            width="6"
            height="6"
            rx="1"
            fill={lit.has(`${row},${col}`) ? 'var(--accent)' : 'var(--line-strong)'}
          />
        )),
      )}
    </svg>
  );
}
