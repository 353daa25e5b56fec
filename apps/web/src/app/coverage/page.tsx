import type { Metadata } from 'next';
import { CoverageTable, PARTS } from '@/features/coverage/coverage-table';
import { RefreshStale } from '@/features/coverage/refresh';
import { etagOf } from '@/server/etag';
import { recentCoverage } from '@/server/services';
import { readable, visitor } from '@/server/session/visitor';
import { ButtonLink } from '@/ui/button';
import { formatCount } from '@/ui/format';
import { Live } from '@/ui/live';
import { Empty } from '@/ui/notice';
import { PageHeader } from '@/ui/page';

export const metadata: Metadata = { title: 'Coverage' };

const MEANINGS = {
  done: 'measured or skipped with the kernel’s current source',
  failed: 'failed or incorrect with the current source',
  running: 'waiting or being measured',
  stale: 'ended with a source that has changed since',
  never: 'not run yet',
} as const;

export default async function CoveragePage() {
  const [coverage, user] = await Promise.all([recentCoverage(await readable()), visitor()]);
  const cells = coverage.devices.flatMap((row) => row.cells);
  const count = (part: keyof typeof MEANINGS) => cells.reduce((sum, cell) => sum + cell[part], 0);

  return (
    <>
      <PageHeader
        title="Coverage"
        actions={
          <>
            <Live source="/api/v1/coverage" etag={etagOf(coverage)} />
            {user?.role === 'admin' && <RefreshStale stale={count('stale')} />}
          </>
        }
      >
        How much of the standard suites each device has run: sweeps that every device gets
        automatically, behind what people submit. Stale: the kernel’s source has changed since. Each
        cell names the sizes counted, which are smaller on slow devices; results at other sizes are
        not counted here.
      </PageHeader>
      {coverage.devices.length > 0 ? (
        <>
          <dl className="mb-4 flex flex-wrap gap-x-5 gap-y-1 text-[0.8125rem]">
            {PARTS.map(([part, color]) => (
              <div key={part} className="flex items-baseline gap-1.5">
                <span aria-hidden="true" className={`inline-block size-2 ${color}`} />
                <dt className="text-muted" title={MEANINGS[part]}>
                  {part}
                </dt>
                <dd className="font-medium">{formatCount(count(part))}</dd>
              </div>
            ))}
          </dl>
          <CoverageTable coverage={coverage} />
        </>
      ) : (
        <Empty title="No device has been attached yet">
          <p>Every new device gets the standard suites immediately.</p>
          <ButtonLink href="/workers#attach" look="primary">
            Attach a worker
          </ButtonLink>
        </Empty>
      )}
    </>
  );
}
