import { RUNTIMES, runtimePlace } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import { problemText } from '@/features/sweeps/runs';
import { TextLink } from '@/ui/button';
import { formatNs, formatSpeedup } from '@/ui/format';
import { DataTable } from '@/ui/table';
import { shortDeviceName } from './short-device-name';

/** Beside the title of such a table. */
export const ENGINES_NOTE = 'the same hardware; times are over those of the first column';

type Rows = Awaited<ReturnType<Store['engines']>>;

/** One card, a column per runtime: what the same kernel takes there, and how many times as long. */
export function EnginesTable({ caption, rows }: { caption: string; rows: Rows }) {
  const runtimes = [
    ...new Set(rows.flatMap(({ times }) => times.map(({ device }) => device.runtime ?? ''))),
  ].toSorted((a, b) => runtimePlace(a) - runtimePlace(b));
  return (
    <DataTable
      caption={caption}
      rows={rows}
      keyOf={({ hardware, kernel, problem, profile }) =>
        [hardware, kernel, problemText(problem), profile].join(' ')
      }
      columns={[
        {
          head: 'Kernel',
          cell: ({ kernel, name, problem, profile }) => (
            <>
              {kernel}
              <span className="block text-xs font-normal text-muted">
                {problemText(problem)}, {profile}, {shortDeviceName(name)}
              </span>
            </>
          ),
        },
        ...runtimes.map((runtime) => ({
          head: headOf(runtime),
          isFigure: true,
          cell: ({ times }: Rows[number]) => {
            const time = times.find(({ device }) => device.runtime === runtime);
            if (!time) return '–';
            return (
              <>
                <TextLink href={`/results/${time.resultId}`} title={time.address}>
                  {formatNs(time.medianNs)}
                </TextLink>
                {time.ratio !== null && (
                  <span className="block text-xs text-muted">{formatSpeedup(time.ratio)}</span>
                )}
              </>
            );
          },
        })),
      ]}
    />
  );
}

const headOf = (runtime: string): string => {
  const { engine, title = runtime } = RUNTIMES[runtime] ?? {};
  return engine ? `${title}, ${engine}` : title;
};
