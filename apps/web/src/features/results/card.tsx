/** What a link to a page shows elsewhere: a card as a picture. */
import { ImageResponse } from 'next/og';
import { cutTo, formatRate } from '@/ui/format';
import { fullRate, type Peak, peakText } from './scale';

export const CARD = { width: 1200, height: 630 };

export interface Card {
  readonly title: string;
  /** Up to three lines. */
  readonly about: string;
  readonly groups: readonly CardGroup[];
  /** Of all rates. */
  readonly unit: string;
}

/** Bars that have a scale in common. */
export interface CardGroup {
  /** Above the bars, beside the peak. */
  readonly name?: string;
  /** What a full bar is; null: the fastest of several. */
  readonly peak: Peak | null;
  /** What matters most first; what is shown of it is drawn by rate, unless the order is to stay. */
  readonly bars: readonly CardBar[];
  readonly isOrdered?: boolean;
}

export interface CardBar {
  readonly label: string;
  readonly rate: number;
  /** What must be said of it, however long the label: `measured elsewhere`. */
  readonly note?: string | undefined;
  /** Whether it stands out, in the colour of our kernels. */
  readonly isSubject?: boolean;
}

/** A title as long as this fits a line of large type. */
const LARGE = 44;

/** As many bars of one group as a card has room for. */
export const MOST_BARS = 5;

/** As many letters as fit beside a rate. */
const LABEL = 60;

/** A title, a line about it, and bars. */
export function card({ title, about, groups, unit }: Card) {
  const shown = groups.map((group) => {
    const most = group.bars.slice(0, MOST_BARS);
    return { ...group, bars: group.isOrdered ? most : most.toSorted((a, b) => b.rate - a.rate) };
  });
  const names = shown.filter(({ name }) => name !== undefined).length;
  const bars = shown.reduce((sum, group) => sum + group.bars.length, 0);
  const lines = names + bars;
  // Ten lines in a smaller size leave room for their bars.
  const fontSize = lines > 9 ? 20 : lines > 6 ? 22 : 26;
  return new ImageResponse(
    <div
      style={{
        width: '100%',
        height: '100%',
        display: 'flex',
        flexDirection: 'column',
        ...(bars === 0 && { justifyContent: 'center' }),
        padding: 56,
        background: '#f7f9f8',
        color: '#14181b',
        fontSize,
      }}
    >
      <div style={{ display: 'flex', flexShrink: 0, color: '#00696b', fontSize: 30 }}>Tilemark</div>
      <div style={{ ...clamp(2), fontSize: title.length > LARGE ? 36 : 48, marginTop: 12 }}>
        {title}
      </div>
      <div style={{ ...clamp(bars === 0 ? 4 : 3), color: MUTED, marginTop: 8 }}>{about}</div>
      {bars > 0 && (
        <div style={{ ...COLUMN, flexGrow: 1, gap: 12, marginTop: 16, justifyContent: 'center' }}>
          {shown.map((group) => (
            <Group key={group.name} {...{ group, unit }} />
          ))}
        </div>
      )}
    </div>,
    CARD,
  );
}

const MUTED = '#55605f';
/** As high as a label and its bar become. */
const THICK = 120;

const COLUMN = { display: 'flex', flexDirection: 'column' } as const;

/** The bars share the height that is left. */
function Group({ group: { bars, name, peak }, unit }: { group: CardGroup; unit: string }) {
  const full = fullRate(peak, bars);
  const isNamed = name !== undefined;
  return (
    <div
      style={{
        ...COLUMN,
        gap: 4,
        flexGrow: full === null ? 0 : bars.length,
        maxHeight: THICK * bars.length,
      }}
    >
      {isNamed && (
        <div style={SIDES}>
          <span>{name}</span>
          <span style={{ color: MUTED }}>{peakText(peak, unit)}</span>
        </div>
      )}
      {bars.map(({ isSubject, label, note, rate }) => (
        <div key={label} style={{ ...COLUMN, flexGrow: 1, marginLeft: isNamed ? 24 : 0 }}>
          <div style={SIDES}>
            <span>
              {note ? `${cutTo(LABEL - note.length - 2, label)}, ${note}` : cutTo(LABEL, label)}
            </span>
            <span>{`${formatRate(rate)} ${unit}`}</span>
          </div>
          {full !== null && (
            <div style={{ display: 'flex', flexGrow: 1, background: '#e3e8e7' }}>
              <div
                style={{
                  width: `${Math.min(100, (rate / full) * 100)}%`,
                  background: isSubject ? '#00696b' : '#a9b4b3',
                }}
              />
            </div>
          )}
        </div>
      ))}
    </div>
  );
}

const SIDES = { display: 'flex', justifyContent: 'space-between' };

/** So many lines at their full height, and an ellipsis. */
const clamp = (lines: number) => ({ display: 'block', flexShrink: 0, lineClamp: lines });
