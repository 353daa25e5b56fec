/** What a link to a page shows elsewhere: a card as a picture. */
import { ImageResponse } from 'next/og';
import { cutTo, formatRate } from '@/ui/format';

export const CARD = { width: 1200, height: 630 };

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

/** As many bars as a card has room for. */
const MOST_BARS = 5;

/** As many letters as fit beside a rate. */
const LABEL = 60;

/**
 * A title, a line about it, and bars, the fastest first.
 *
 * @param bars what matters most first: as many as there is room for are shown
 */
export function card(title: string, about: string, bars: readonly CardBar[], unit: string) {
  const shown = bars.slice(0, MOST_BARS).toSorted((a, b) => b.rate - a.rate);
  const most = shown[0]?.rate ?? 1;
  // Few bars are thick, so that they fill the card.
  const thickness = Math.min(96, Math.round(300 / Math.max(shown.length, 1)) - 44);
  return new ImageResponse(
    <div
      style={{
        ...{ width: '100%', height: '100%', display: 'flex', flexDirection: 'column' },
        ...(shown.length === 0 && { justifyContent: 'center' }),
        ...{ padding: 56, background: '#f7f9f8', color: '#14181b', fontSize: 26 },
      }}
    >
      <div style={{ display: 'flex', flexShrink: 0, color: '#00696b', fontSize: 30 }}>Tilemark</div>
      <div style={{ ...clamp(2), fontSize: title.length > LARGE ? 36 : 48, marginTop: 12 }}>
        {title}
      </div>
      <div style={{ ...clamp(1), color: '#55605f', marginTop: 8 }}>{about}</div>
      <div
        style={{
          ...{ display: 'flex', flexShrink: 0, flexDirection: 'column', marginTop: 24 },
          ...(shown.length > 0 && { flexGrow: 1, justifyContent: 'space-around' }),
        }}
      >
        {shown.map(({ isSubject, label, note, rate }) => (
          <div key={label} style={{ display: 'flex', flexDirection: 'column' }}>
            <div style={{ display: 'flex', justifyContent: 'space-between' }}>
              <span>
                {note ? `${cutTo(LABEL - note.length - 2, label)}, ${note}` : cutTo(LABEL, label)}
              </span>
              <span>{`${formatRate(rate)} ${unit}`}</span>
            </div>
            <div
              style={{ display: 'flex', width: '100%', height: thickness, background: '#e3e8e7' }}
            >
              <div
                style={{
                  width: `${(rate / most) * 100}%`,
                  background: isSubject ? '#00696b' : '#a9b4b3',
                }}
              />
            </div>
          </div>
        ))}
      </div>
    </div>,
    CARD,
  );
}

/** So many lines at their full height, and an ellipsis. */
const clamp = (lines: number) => ({ display: 'block', flexShrink: 0, lineClamp: lines });
