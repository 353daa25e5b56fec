import { sum } from 'd3-array';
import type { Metadata } from 'next';
import { z } from 'zod';
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
import { parseQuery, type SearchParams } from '@/ui/query';

export const metadata: Metadata = { title: 'Coverage' };

const MEANINGS = {
  done: 'measured or skipped, and nothing has changed since',
  failed: 'failed or incorrect, and nothing has changed since',
  running: 'being measured',
  waiting: 'queued until a worker of the device is free',
  stale: 'ended with a source or a protocol that has changed since',
  never: 'not run yet at these sizes',
} as const;

const querySchema = z.object({ rows: z.literal('all').optional() });

export default async function CoveragePage({ searchParams }: { searchParams: SearchParams }) {
  const { query } = parseQuery(querySchema, await searchParams);
  const [coverage, user] = await Promise.all([recentCoverage(await readable()), visitor()]);
  const cells = coverage.devices.flatMap((row) => row.cells);
  const count = (part: keyof typeof MEANINGS) => cells.reduce((sum, cell) => sum + cell[part], 0);
  const unserved = sum(
    coverage.devices.filter(({ workers }) => workers === 0).flatMap((row) => row.cells),
    ({ stale }) => stale,
  );

  return (
    <>
      <PageHeader
        title="Coverage"
        actions={
          <>
            <Live source="/api/v1/coverage" etag={etagOf(coverage)} />
            {user?.role === 'admin' && (
              <RefreshStale stale={count('stale') - unserved} waiting={unserved} />
            )}
          </>
        }
      >
        How much of the standard suites each device has run. These sweeps run by themselves whenever
        a device has a worker with nothing else to do. Slow devices (software adapters, CPUs,
        browsers) have fewer suites than GPUs: those that end soon there and whose kernels they can
        run. Each suite names the sizes that count, some of them smaller on slow devices; results at
        other sizes do not count here.
      </PageHeader>
      {coverage.devices.length > 0 ? (
        <>
          <dl className="mb-4 grid gap-x-5 gap-y-1 sm:grid-cols-2 text-[0.8125rem]">
            {PARTS.map(([part, color]) => (
              <div key={part} className="flex items-baseline gap-1.5">
                <span aria-hidden="true" className={`inline-block h-2 w-4 shrink-0 ${color}`} />
                <dt>{part}</dt>
                <dd>
                  <span className="font-medium">{formatCount(count(part))}</span>{' '}
                  <span className="text-xs text-muted">
                    {MEANINGS[part]}
                    {part === 'stale' &&
                      unserved > 0 &&
                      `; ${unserved === count('stale') ? 'all' : formatCount(unserved)} on devices that no worker serves now`}
                  </span>
                </dd>
              </div>
            ))}
          </dl>
          <CoverageTable coverage={coverage} isAll={query.rows === 'all'} />
        </>
      ) : (
        <Empty title="No device has been attached yet">
          <p>Every new device gets the standard suites immediately.</p>
          <ButtonLink href="/add" look="primary">
            Attach a worker
          </ButtonLink>
        </Empty>
      )}
    </>
  );
}
