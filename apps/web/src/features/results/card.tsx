/** What a link to a page shows elsewhere: a card as a picture. */
import { ImageResponse } from 'next/og';
import { formatRate } from '@/ui/format';

export const CARD = { width: 1200, height: 630 };

export interface CardBar {
  readonly label: string;
  readonly rate: number;
}

/** A title, a line about it, and the fastest as bars, of which `subject` stands out: the fastest by default. */
export function card(
  title: string,
  about: string,
  bars: readonly CardBar[],
  unit: string,
  subject?: string,
) {
  const shown = bars.toSorted((a, b) => b.rate - a.rate).slice(0, 5);
  const most = shown[0]?.rate ?? 1;
  return new ImageResponse(
    <div
      style={{
        ...{ width: '100%', height: '100%', display: 'flex', flexDirection: 'column' },
        ...{ padding: 56, background: '#f7f9f8', color: '#14181b', fontSize: 26 },
      }}
    >
      <div style={{ display: 'flex', color: '#00696b', fontSize: 30 }}>Tilemark</div>
      <div style={{ display: 'flex', fontSize: 48, marginTop: 12 }}>{title.slice(0, 80)}</div>
      <div style={{ display: 'flex', color: '#55605f', marginTop: 8 }}>{about.slice(0, 120)}</div>
      <div style={{ display: 'flex', flexDirection: 'column', marginTop: 32 }}>
        {shown.map(({ label, rate }) => (
          <div key={label} style={{ display: 'flex', flexDirection: 'column', marginBottom: 16 }}>
            <div style={{ display: 'flex', justifyContent: 'space-between' }}>
              <span>{label.slice(0, 60)}</span>
              <span>{`${formatRate(rate)} ${unit}`}</span>
            </div>
            <div style={{ display: 'flex', width: '100%', height: 16, background: '#e3e8e7' }}>
              <div
                style={{
                  width: `${(rate / most) * 100}%`,
                  background: label === (subject ?? shown[0]?.label) ? '#00696b' : '#a9b4b3',
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
