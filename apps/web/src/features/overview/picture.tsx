import Link from 'next/link';
import { shortDeviceName } from '@/features/devices/device-name';
import { formatPercent, formatRate } from '@/ui/format';
import { Badge } from '@/ui/notice';
import type { PictureRow } from './picture-rows';

/**
 * Each device's best beside its measured peak, the full width, and libraries on the same hardware.
 * A share of its own peak compares an adapter with a data-centre card; the figures say the rest.
 */
export function Picture({ rows }: { rows: readonly PictureRow[] }) {
  if (rows.length === 0) {
    return (
      <p className="rounded-tile border border-dashed border-line-strong p-6 text-center text-muted">
        The best result of each device will stand here, beside the most that the device can do.
      </p>
    );
  }
  return (
    <figure className="rounded-tile border border-line bg-surface p-4">
      <figcaption className="mb-3 text-xs text-muted">
        Best f32 matrix product of each device in GFLOP/s, higher is better. The full width is the
        device’s own measured peak.
      </figcaption>
      <ul className="space-y-4">
        {rows.map((row) => (
          <Row key={row.key} row={row} />
        ))}
      </ul>
    </figure>
  );
}

function Row({ row }: { row: PictureRow }) {
  const { href, kernel, libraries, name, peak, rate, shape } = row;
  const best = (
    <>
      {kernel} <span className="text-muted">at {shape}</span>
    </>
  );
  // Without a peak the fastest of the row is the full width.
  const full = peak ?? Math.max(rate, ...libraries.map((library) => library.rate));
  return (
    <li className="space-y-1.5">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-[0.8125rem] font-medium" title={name}>
          {shortDeviceName(name)}
        </span>
        {href === null && <Badge tone="neutral">reference</Badge>}
        <span className="ml-auto text-xs text-muted">
          {peak === null ? 'peak not measured' : `peak ${formatRate(peak)}`}
        </span>
      </p>
      <Bar rate={rate} full={full} isBest share={peak === null ? null : rate / peak}>
        {href === null ? (
          best
        ) : (
          <Link className="underline decoration-line-strong underline-offset-3" href={href}>
            {best}
          </Link>
        )}
      </Bar>
      {libraries.map((library) => (
        <Bar
          key={library.name}
          rate={library.rate}
          full={full}
          share={peak === null ? null : library.rate / peak}
        >
          {library.name}
        </Bar>
      ))}
    </li>
  );
}

function Bar({
  rate,
  full,
  share,
  isBest = false,
  children,
}: {
  rate: number;
  full: number;
  share: number | null;
  isBest?: boolean;
  children: React.ReactNode;
}) {
  return (
    <div className="text-xs">
      <p className="flex items-baseline gap-2">
        <span className="min-w-0 truncate">{children}</span>
        <span className={`ml-auto whitespace-nowrap ${isBest ? 'font-medium' : ''}`}>
          {formatRate(rate)}
        </span>
        <span className="w-9 text-right text-muted">
          {share === null ? '' : formatPercent(share)}
        </span>
      </p>
      <span aria-hidden="true" className="block h-2 bg-sunken">
        <span
          className={`block h-full ${isBest ? 'bg-accent' : 'bg-line-strong'}`}
          style={{ width: `${Math.min(100, (rate / full) * 100)}%` }}
        />
      </span>
    </div>
  );
}
