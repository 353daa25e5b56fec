import { DEVICE_GROUPS, PROFILES, type Profile } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import {
  idsOf,
  type Kernel,
  kernelsOf,
  OPS,
  type OpId,
  type opOf,
  shapeText,
  volume,
} from '@tilemark/kernels';
import type { Metadata } from 'next';
import { ContributedList } from '@/features/contributed/contributed-page';
import { shortDeviceName } from '@/features/devices/device-name';
import { kernelHref } from '@/features/kernels/address';
import { readable, visitor } from '@/server/session/visitor';
import { CopyButton } from '@/ui/action';
import { ButtonLink, TextLink } from '@/ui/button';
import { formatRate } from '@/ui/format';
import { Badge } from '@/ui/notice';
import { PageHeader, Section } from '@/ui/page';
import { DataTable } from '@/ui/table';
import { Words } from '@/ui/words';

export const metadata: Metadata = { title: 'Kernels' };

export default async function KernelsPage() {
  const { store } = await readable();
  const user = await visitor();
  const ops = idsOf(OPS);
  const [contributed, ...ladders] = await Promise.all([
    store.contributed.list(user?.tokenId ?? null),
    ...ops.map((op) => ladderOf(store, op)),
  ]);
  return (
    <>
      <PageHeader
        title="Kernels"
        actions={
          <ButtonLink href="/kernels/new" look="primary" prefetch={false}>
            Try a kernel
          </ButtonLink>
        }
      >
        One idea per rung: each kernel adds one idea to an earlier one. For every value of every
        tunable you can read the WGSL that runs.
        <Words of={['variant', 'profile']} />
      </PageHeader>
      {ladders.map(({ op, shapes, bests }) => (
        <Section
          key={op}
          id={op}
          title={OPS[op].title}
          note={
            shapes.length > 0
              ? `fastest f32 result by size on any device, ranked or not, in ${OPS[op].rateUnit({ dtype: 'f32' })}, higher is better; profile default, or the one named where default has none`
              : 'not measured yet'
          }
        >
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
              { head: 'Idea', className: 'min-w-52 text-pretty', cell: ({ idea }) => idea },
              ...shapes.map((shape) => ({
                head: shape,
                isFigure: true,
                className: 'min-w-26',
                cell: ({ computes, id }: Kernel) => {
                  const best = bests.get(`${id} ${shape}`);
                  return !best && computes === 'copy' ? (
                    <span className="text-xs whitespace-normal text-muted">not on the board</span>
                  ) : (
                    <BestRate best={best} />
                  );
                },
              })),
              {
                head: 'WGSL',
                cell: ({ id, runsOn }) =>
                  runsOn === 'gpu' && (
                    <CopyButton from={`/api/v1/kernels/${id}`} label={`the WGSL of ${id}`} />
                  ),
              },
            ]}
          />
        </Section>
      ))}
      {contributed.length > 0 && (
        <Section id="contributed" title="Contributed" note="kernels that others have brought">
          <ContributedList kernels={contributed} />
        </Section>
      )}
    </>
  );
}

/** The fastest result of a kernel on a problem, wherever that was. */
interface Best {
  readonly rate: number;
  readonly where: string;
  readonly profile: Profile;
  /** Null: a figure of reference. */
  readonly resultId: string | null;
}

/** More columns than this do not fit beside the ideas. */
const MOST_SHAPES = 5;

/** The heat maps of a profile on the shapes that most devices have. Every class of device counts. */
async function mapsOf(store: Store, op: OpId, profile: Profile) {
  const kind = { op, dtype: 'f32', profile } as const;
  const { problems } = await store.leaderboard(kind);
  const shapes = problems
    .toSorted((a, b) => b.gpus - a.gpus || b.devices - a.devices)
    .slice(0, MOST_SHAPES)
    .map(({ problem }) => shapeText(problem));
  return Promise.all(
    shapes.map((shape) => store.heatMap({ ...kind, shape, groups: [...DEVICE_GROUPS] })),
  );
}

/**
 * Best rates of an op's kernels, by `kernel shape`, on the shapes that most kernels have: under
 * `default`, or under another profile where a kernel has results under that alone.
 */
async function ladderOf(store: Store, op: OpId) {
  const [figures, ...maps] = await Promise.all([
    store.references.list({ op, dtype: 'f32' }),
    ...PROFILES.map((profile) => mapsOf(store, op, profile)),
  ]);
  const bests = new Map<string, Best>();
  const sizes = new Map<string, { volume: number; kernels: number }>();
  const keep = (kernel: string, problem: Parameters<typeof opOf>[0], best: Best) => {
    const shape = shapeText(problem);
    const key = `${kernel} ${shape}`;
    const known = bests.get(key);
    const size = sizes.get(shape) ?? { volume: volume(problem), kernels: 0 };
    if (!known) sizes.set(shape, { ...size, kernels: size.kernels + 1 });
    const order = (of: Best) => PROFILES.indexOf(of.profile);
    const isNearer = known && order(best) < order(known);
    const isFaster = known && order(best) === order(known) && best.rate > known.rate;
    if (!known || isNearer || isFaster) bests.set(key, best);
  };
  for (const { problem, profile, rows } of maps.flat()) {
    for (const { cells, device } of problem ? rows : []) {
      for (const { kernel, rate, resultId } of cells) {
        const best = { rate: rate.value, where: device.name, profile, resultId };
        if (problem) keep(kernel, problem, best);
      }
    }
  }
  for (const { by, hardware, problem, profile, rate, unranked } of figures) {
    // A report's kernel is an idea of ours, not our code: it has no profile.
    if (by.kind !== 'kernel' || profile === null || unranked) continue;
    const where = `${hardware ?? 'not named'}, reference`;
    keep(by.kernel, problem, { rate: rate.value, where, profile, resultId: null });
  }
  const shapes = [...sizes]
    .toSorted(([, a], [, b]) => b.kernels - a.kernels || b.volume - a.volume)
    .slice(0, MOST_SHAPES)
    .toSorted(([, a], [, b]) => a.volume - b.volume)
    .map(([shape]) => shape);
  return { op, shapes, bests };
}

function BestRate({ best }: { best: Best | undefined }) {
  if (!best) return null; // a phone leaves empty cells out
  return (
    <>
      {best.resultId ? (
        <TextLink href={`/results/${best.resultId}`} prefetch={false}>
          {formatRate(best.rate)}
        </TextLink>
      ) : (
        formatRate(best.rate)
      )}
      <span
        className="ml-auto block max-w-26 text-xs whitespace-normal text-muted max-sm:max-w-none"
        title={best.where}
      >
        {shortDeviceName(best.where)}
        {best.profile !== PROFILES[0] && `, ${best.profile}`}
      </span>
    </>
  );
}
