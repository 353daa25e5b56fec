import type { Counts } from '@tilemark/core';
import { formatCount } from '@/ui/format';

const PARTS = [
  ['measured', 'bg-accent'],
  ['skipped', 'bg-line-strong'],
  ['incorrect', 'bg-rose'],
  ['failed', 'bg-amber'],
] as const;

/** How far a sweep is: one bar in parts. */
export function ProgressBar({ counts, label }: { counts: Counts; label: string }) {
  const ended = counts.total - counts.pending;
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={counts.total}
      aria-valuenow={ended}
      aria-valuetext={`${ended} of ${counts.total} runs ended`}
      className="flex h-2 overflow-hidden bg-sunken"
    >
      {PARTS.map(([part, color]) => (
        <span
          key={part}
          className={`${color} transition-[width] duration-500`}
          style={{ width: `${(counts[part] / Math.max(1, counts.total)) * 100}%` }}
        />
      ))}
    </div>
  );
}

/** The same in figures, which also says what the parts' colours mean. */
export function CountsLine({ counts }: { counts: Counts }) {
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-1 text-[0.8125rem]">
      {PARTS.map(([part, color]) => (
        <Count key={part} name={part} count={counts[part]} color={color} />
      ))}
      <Count name="pending" count={counts.pending} color="border border-line-strong bg-sunken" />
    </dl>
  );
}

function Count({ name, count, color }: { name: string; count: number; color: string }) {
  return (
    <div className="flex items-baseline gap-1.5">
      <span aria-hidden="true" className={`inline-block size-2 ${color}`} />
      <dt className="text-muted">{name}</dt>
      <dd className="font-medium">{formatCount(count)}</dd>
    </div>
  );
}
