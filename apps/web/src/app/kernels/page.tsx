import { DEVICE_GROUPS, type HeatMap } from '@tilemark/core';
import { idsOf, kernelsOf, OPS, shapeText } from '@tilemark/kernels';
import type { Metadata } from 'next';
import { shortDeviceName } from '@/features/devices/device-name';
import { kernelHref } from '@/features/kernels/address';
import { readable } from '@/server/session/visitor';
import { TextLink } from '@/ui/button';
import { formatRate } from '@/ui/format';
import { Badge } from '@/ui/notice';
import { PageHeader, Section } from '@/ui/page';
import { DataTable } from '@/ui/table';

export const metadata: Metadata = { title: 'Kernels' };

export default async function KernelsPage() {
  const { store } = await readable();
  const ops = idsOf(OPS);
  // Every class of device counts here: a rung says how far it came, wherever that was.
  const maps = await Promise.all(
    ops.map((op) =>
      store.heatMap({ op, dtype: 'f32', profile: 'default', groups: [...DEVICE_GROUPS] }),
    ),
  );
  return (
    <>
      <PageHeader title="Kernels">
        One idea per rung: each kernel adds one thing to the kernel above it. For every value of
        every tunable you can read the WGSL that runs.
      </PageHeader>
      {ops.map((op, index) => (
        <Section key={op} id={op} title={OPS[op].title} note={bestNote(maps[index])}>
          <DataTable
            caption={`Kernels of ${OPS[op].title}`}
            rows={kernelsOf(op)}
            keyOf={({ id }) => id}
            columns={[
              {
                head: 'Kernel',
                className: 'whitespace-nowrap',
                cell: ({ id, runsOn }) => (
                  <>
                    <TextLink href={kernelHref(id)}>
                      <code>{id}</code>
                    </TextLink>{' '}
                    {runsOn === 'cpu' && <Badge>CPU</Badge>}
                  </>
                ),
              },
              {
                head: `Best ${OPS[op].rateUnit}`,
                isFigure: true,
                cell: ({ id }) => <BestRate map={maps[index]} kernel={id} />,
              },
              { head: 'Idea', className: 'min-w-64 text-pretty', cell: ({ idea }) => idea },
              {
                head: 'Tunables',
                className: 'min-w-40 font-mono text-xs text-muted',
                cell: ({ tunables }) => tunables.map(({ name }) => name).join(' ') || '–',
              },
              {
                head: 'Element types',
                className: 'font-mono text-xs whitespace-nowrap text-muted',
                cell: ({ dtypes }) => dtypes.join(' '),
              },
            ]}
          />
        </Section>
      ))}
    </>
  );
}

const bestNote = (map: HeatMap | undefined): string =>
  map?.problem
    ? `best rates of ${shapeText(map.problem)} ${map.problem.dtype} on any device, higher is better`
    : 'not measured yet';

/** The fastest result of a kernel on the problem of the map, and where. */
function BestRate({ map, kernel }: { map: HeatMap | undefined; kernel: string }) {
  const found = (map?.rows ?? []).flatMap(({ cells, device }) =>
    cells.filter((cell) => cell.kernel === kernel).map((cell) => ({ ...cell, device })),
  );
  const best = found.toSorted((a, b) => b.rate.value - a.rate.value)[0];
  if (!best) return '–';
  return (
    <>
      <TextLink href={`/results/${best.resultId}`} prefetch={false}>
        {formatRate(best.rate.value)}
      </TextLink>
      <span className="block text-xs text-muted" title={best.device.name}>
        {shortDeviceName(best.device.name)}
      </span>
    </>
  );
}
