import type { ReactNode } from 'react';

/** A page that says why there is no other: what happened, and the ways on. */
export function StatusPage({
  code,
  title,
  children,
}: {
  code: string;
  title: string;
  children: ReactNode;
}) {
  return (
    <div className="mx-auto grid max-w-2xl gap-6 py-12 sm:grid-cols-[auto_1fr] sm:gap-10 sm:py-20">
      <StatusTiles code={code} />
      <div className="space-y-4">
        <div>
          <p className="font-mono text-xs text-muted">{code}</p>
          <h1 className="text-[1.375rem] leading-7">{title}</h1>
        </div>
        <div className="space-y-4 text-muted">{children}</div>
      </div>
    </div>
  );
}

/** A tile grid with one tile missing. */
function StatusTiles({ code }: { code: string }) {
  const missing = Number(code.at(-1)) || 0;
  return (
    <svg width="88" height="88" viewBox="0 0 88 88" aria-hidden="true">
      {Array.from({ length: 16 }, (_, tile) => ({
        tile,
        x: (tile % 4) * 22.5,
        y: Math.floor(tile / 4) * 22.5,
      })).map(({ tile, x, y }) => (
        <rect
          key={tile}
          x={x + 0.75}
          y={y + 0.75}
          width="19"
          height="19"
          rx="2"
          fill={tile === missing + 5 ? 'none' : 'var(--sunken)'}
          stroke={tile === missing + 5 ? 'var(--accent)' : 'var(--line-strong)'}
          strokeDasharray={tile === missing + 5 ? '3 3' : undefined}
        />
      ))}
    </svg>
  );
}
