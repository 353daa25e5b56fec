/** With fewer samples no interval reaches 95%: what stands for it is their range. */
const FEWEST_OF_INTERVAL = 6;

export const hasInterval = (samples: number): boolean => samples >= FEWEST_OF_INTERVAL;

/** What the ends beside a median are, in a caption over results of so many samples each. */
export function intervalsText(samples: readonly number[]): string {
  const isInterval = samples.map(hasInterval);
  if (!isInterval.includes(false)) return '95% intervals';
  return isInterval.includes(true)
    ? '95% intervals, or ranges where there are fewer than six samples'
    : 'ranges, as fewer than six samples have no 95% interval';
}

/** The same as the heading of a column. */
export function intervalsHead(samples: readonly number[]): (typeof INTERVAL_HEADS)[number] {
  const isInterval = samples.map(hasInterval);
  if (!isInterval.includes(false)) return '95%';
  return isInterval.includes(true) ? '95% or range' : 'range';
}

export const INTERVAL_HEADS = ['95%', '95% or range', 'range'] as const;
