import { opsUnit } from '@tilemark/kernels';
import { formatRate } from '@/ui/format';
import type { DeviceRoof } from './roof';

type Peak = DeviceRoof['peaks'][number];

/** The inside of a plot on two log axes. */
export interface Frame {
  readonly x: readonly [low: number, high: number];
  readonly y: readonly [low: number, high: number];
  /** px. */
  readonly width: number;
  readonly height: number;
}

interface Label {
  /** At which it stands. */
  readonly rate: number;
  readonly text: string;
  /** Intensity at which it ends. */
  readonly at: number;
}

/** Of a line of text with the room it takes, px. */
const LABEL_HEIGHT = 22;

/** How far a line of text reaches above the line that it stands on, px. */
const TEXT_HEIGHT = 15;

/** Of a letter or digit, rounded up, px. */
const CHARACTER_WIDTH = 6;

/** From the middle of a point to where text may begin, px. */
const POINT_ROOM = 7;

/** A label that is in the way moves by this, px. */
const STEP = 8;

export const peakText = ({ dtype, gigaflopsPerSecond }: Peak): string =>
  `${dtype} ${formatRate(gigaflopsPerSecond)} ${opsUnit(dtype)}`;

/**
 * A label above each level line, at its right end. Where points are in the way, it moves as far to the
 * left as none is, or else up by a line; peaks too close for a label each share one, at the highest.
 *
 * @param from intensity from which all lines are level
 */
export function peakLabels(
  peaks: readonly Peak[],
  points: readonly { readonly flopPerByte: number; readonly rate: number }[],
  frame: Frame,
  from: number,
): Label[] {
  const across = (value: number) => part(value, frame.x) * frame.width;
  const up = (value: number) => part(value, frame.y) * frame.height;
  const dots = points.map(({ flopPerByte, rate }) => ({ x: across(flopPerByte), y: up(rate) }));
  const lines = peaks.map(({ gigaflopsPerSecond }) => up(gigaflopsPerSecond));
  /** The right end of a free place for text that stands at a height; undefined: there is none. */
  const freeAt = (y: number, width: number): number | undefined => {
    const near = dots.filter(
      (dot) => dot.y > y - POINT_ROOM && dot.y < y + TEXT_HEIGHT + POINT_ROOM,
    );
    const isFree = (end: number) =>
      near.every(({ x }) => x < end - width - POINT_ROOM || x > end + POINT_ROOM);
    // On a narrow plot, a label may be longer than its line.
    let end = frame.width;
    while (!isFree(end) && end - width > across(from)) end -= STEP;
    return isFree(end) ? end : undefined;
  };
  return sharedLabels(peaks, up).map(({ rate, text }) => {
    const width = CHARACTER_WIDTH * text.length;
    const y = up(rate);
    const isCrossed = lines.some((line) => line > y && line < y + 2 * TEXT_HEIGHT);
    const heights = isCrossed ? [y] : [y, y + TEXT_HEIGHT];
    const [place = { end: frame.width, height: y }] = heights.flatMap((height) => {
      const end = freeAt(height, width);
      return end === undefined ? [] : [{ end, height }];
    });
    return {
      rate: valueAt(place.height / frame.height, frame.y),
      text,
      at: valueAt(place.end / frame.width, frame.x),
    };
  });
}

/** How far a value is between the ends of a log axis. */
const part = (value: number, [low, high]: Frame['x']): number =>
  Math.log(value / low) / Math.log(high / low);

const valueAt = (share: number, [low, high]: Frame['x']): number => low * (high / low) ** share;

function sharedLabels(peaks: readonly Peak[], up: (rate: number) => number) {
  const labels: { rate: number; lowest: number; text: string }[] = [];
  for (const peak of peaks.toSorted((a, b) => b.gigaflopsPerSecond - a.gigaflopsPerSecond)) {
    const rate = peak.gigaflopsPerSecond;
    const above = labels.at(-1);
    if (above && up(above.lowest) - up(rate) < LABEL_HEIGHT) {
      above.lowest = rate;
      above.text += `, ${peakText(peak)}`;
    } else {
      labels.push({ rate, lowest: rate, text: peakText(peak) });
    }
  }
  return labels;
}
