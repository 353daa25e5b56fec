import { shortDeviceName } from '@/features/devices/device-name';
import { ShorterMedian } from '@/features/leaderboard/row-parts';
import { ImportedBadge } from '@/features/results/outcome';
import { fullRate, overPeak, peakText } from '@/features/results/scale';
import { TextLink } from '@/ui/button';
import { formatOfPeak, formatRate } from '@/ui/format';
import { Link } from '@/ui/link';
import { Badge } from '@/ui/notice';
import type { PictureRow } from './picture-rows';

/**
 * Each device's best beside its peak, the full width, and libraries on the same hardware.
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
      <figcaption className="mb-3 space-y-1 text-xs text-muted">
        <p className="text-[0.8125rem] text-ink">
          Fastest f32 matrix product on each device, WebGPU set up{' '}
          <TextLink href="/docs/measure#what-is-ranked">as in a browser</TextLink> (profile default)
        </p>
        <p>
          GFLOP/s, longer is faster; a full bar is the peak of the device itself, so lengths compare
          within a device only, and shapes differ.{' '}
          <span className="whitespace-nowrap">
            <Key isBest /> kernel
          </span>{' '}
          <span className="whitespace-nowrap">
            <Key /> library, for comparison
          </span>
        </p>
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
  const { against, href, imported, isCpu, kernel, libraries, name, peak, rate, shape } = row;
  const best = { name: kernel, rate, isBest: true };
  const bars = [best, ...libraries].toSorted((a, b) => b.rate - a.rate);
  const full = fullRate(peak, bars);
  const most = Math.max(...bars.map((bar) => bar.rate));
  const over =
    peak &&
    overPeak({
      bound: peak.isMeasured ? peak.bound : 'by data sheet',
      share: most / peak.rate,
    });
  return (
    <li className="space-y-1.5">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-[0.8125rem] font-medium" title={name}>
          {shortDeviceName(name)}
        </span>
        {href === null && <Badge tone="neutral">measured elsewhere</Badge>}
        <ImportedBadge of={imported} />
        <span className="text-xs text-muted">
          at {shape}
          {isCpu && ', in TypeScript, without WebGPU'}
        </span>
        <span className="ml-auto text-xs text-muted">{peakText(peak)}</span>
      </p>
      {against.length > 0 && (
        <p className="text-xs">
          Fastest kernel: {kernel}, at {against.join(', ')}.
        </p>
      )}
      {bars.map((bar) => (
        <Bar
          key={bar.name}
          rate={bar.rate}
          full={full}
          isBest={bar === best}
          share={peak && bar.rate / peak.rate}
        >
          {bar === best && href !== null ? (
            <Link className="underline decoration-line-strong underline-offset-3" href={href}>
              {kernel}
            </Link>
          ) : (
            bar.name
          )}
        </Bar>
      ))}
      {over && <p className="text-xs text-muted">Above 100%: {over}.</p>}
      <ShorterMedian of={row.shorterMedian} />
    </li>
  );
}

const barColor = (isBest: boolean): string => (isBest ? 'bg-accent' : 'bg-muted/70');

/** How a bar of the picture looks. */
const Key = ({ isBest = false }: { isBest?: boolean }) => (
  <span aria-hidden="true" className={`inline-block h-2 w-4 ${barColor(isBest)}`} />
);

function Bar({
  rate,
  full,
  share,
  isBest = false,
  children,
}: {
  rate: number;
  /** The rate of a full bar; null: there is no bar. */
  full: number | null;
  share: number | null;
  isBest?: boolean;
  children: React.ReactNode;
}) {
  return (
    <div className="text-xs">
      <p className="flex items-baseline gap-2">
        <span className={`min-w-0 truncate ${isBest ? 'font-medium' : ''}`}>{children}</span>
        <span className={`ml-auto whitespace-nowrap ${isBest ? 'font-medium' : ''}`}>
          {formatRate(rate)}
        </span>
        <span className="w-10 text-right text-muted">
          {share === null ? '' : formatOfPeak(share)}
        </span>
      </p>
      {full !== null && (
        <span aria-hidden="true" className="block h-2 bg-sunken">
          <span
            className={`block h-full min-w-0.5 ${barColor(isBest)}`}
            style={{ width: `${Math.min(100, (rate / full) * 100)}%` }}
          />
        </span>
      )}
    </div>
  );
}
