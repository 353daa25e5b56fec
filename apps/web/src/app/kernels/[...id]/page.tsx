import { type KernelResults, tileOf } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import {
  changedBy,
  isContributed,
  KERNELS,
  kernelsOf,
  shapeText,
  specialise,
} from '@tilemark/kernels';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { ContributedPage } from '@/features/contributed/contributed-page';
import { ENGINES_NOTE, EnginesTable } from '@/features/devices/engines-table';
import { EnginesSection } from '@/features/engines/section';
import { kernelHref } from '@/features/kernels/address';
import { DeviceResults, problemKey } from '@/features/kernels/device-results';
import { needsFacts } from '@/features/kernels/needs';
import { specialisation, wgslBefore } from '@/features/kernels/specialisation';
import { shareText } from '@/features/kernels/tile';
import { TunableForm } from '@/features/kernels/tunables';
import { WorkedExample } from '@/features/kernels/worked-example';
import { readable } from '@/server/session/visitor';
import { CopyButton } from '@/ui/action';
import { ButtonLink } from '@/ui/button';
import { type Fold, WgslCode, WgslDiff } from '@/ui/code';
import { Facts } from '@/ui/facts';
import { Notice, Refused } from '@/ui/notice';
import { PageHeader, Panel, Section } from '@/ui/page';
import { type SearchParams, searchObject } from '@/ui/query';

type Props = { params: Promise<{ id: string[] }>; searchParams: SearchParams };

const idOf = async (params: Props['params']) => decodeURIComponent((await params).id.join('/'));

const kernelOf = (id: string) => KERNELS.find((kernel) => kernel.id === id) ?? notFound();

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const id = await idOf(params);
  const idea = KERNELS.find((kernel) => kernel.id === id)?.idea.replace(/[.]$/, '');
  const shown = 'its source, tunables, and results on each device.';
  return { title: id, ...(idea !== undefined && { description: `${idea}: ${shown}` }) };
}

export default async function KernelPage({ params, searchParams }: Props) {
  const { store } = await readable();
  const id = await idOf(params);
  const query = await searchParams;
  if (isContributed(id)) return <ContributedPage id={id} shown={String(query.show)} />;
  const kernel = kernelOf(id);
  const { detail, refused } = specialisation(kernel, query);
  const { results, refused: noProblem } = await resultsOf(store, kernel.id, query.on);
  const engines = results.chosen ? await enginesOf(store, kernel.id, results.chosen) : [];
  const ladder = kernelsOf(kernel.op).filter((each) => each.runsOn === kernel.runsOn);
  const before = ladder[ladder.indexOf(kernel) - 1];
  const after = ladder[ladder.indexOf(kernel) + 1];
  const chosen = {
    dtype: detail.dtype,
    ...Object.fromEntries(
      Object.entries(detail.chosen).map(([name, value]) => [name, String(value)]),
    ),
  };
  const sweep = new URLSearchParams({ kernel: kernel.id, ...chosen });
  const isWhole = kernel.runsOn === 'gpu' && detail.broken.length === 0;
  const tile = isWhole ? tileOf(kernel, detail.chosen, detail.dtype) : null;
  /** The page with one of its long parts shown, or not. */
  const foldOf = (part: 'wgsl' | 'diff' | 'compiles', section: string): Fold => {
    const isOpen = query.show === part;
    const { show: _, ...rest } = searchObject(query);
    const href = `?${new URLSearchParams(isOpen ? rest : { ...rest, show: part })}#${section}`;
    return { isOpen, href };
  };
  const asked = foldOf('compiles', 'compiles');
  const changed = changedBy(kernel);
  const earlier = changed && detail.wgsl !== null ? wgslBefore(changed, detail) : null;

  return (
    <>
      <PageHeader
        title={<code className="text-xl">{kernel.id}</code>}
        actions={<ButtonLink href={`/sweeps/new?${sweep}`}>Sweep this variant</ButtonLink>}
      >
        {kernel.idea}
      </PageHeader>
      <Refused reasons={[...refused, ...noProblem]} reset={kernelHref(kernel.id)} />
      <Section
        id="variant"
        title="Variant"
        actions={<CopyButton text={detail.address} label="the variant’s address" />}
      >
        <TunableForm kernel={detail} />
        {detail.broken.length > 0 && (
          <Notice tone="amber" className="mt-3">
            Runs of this combination are skipped: {detail.broken.join('; ')}.
          </Notice>
        )}
        <Panel className="mt-3">
          <Facts
            columns={2}
            facts={[
              ...(detail.needs
                ? needsFacts(detail.needs)
                : [
                    {
                      name: 'Runs on',
                      value: kernel.runsOn === 'cpu' ? 'the host CPU' : 'no device',
                    },
                  ]),
              ...(tile
                ? [
                    {
                      name: 'Tile of a workgroup',
                      value: `${tile.rows} × ${tile.cols}, ${shareText(tile)}`,
                    },
                  ]
                : []),
            ]}
          />
        </Panel>
      </Section>
      {detail.wgsl !== null && (
        <Section
          id="wgsl"
          title="WGSL"
          note="as passed to the compiler"
          actions={
            <CopyButton
              from={`/api/v1${kernelHref(kernel.id, detail.chosen, detail.dtype)}`}
              label="the WGSL"
            />
          }
        >
          <WgslCode
            source={detail.wgsl}
            label={`WGSL of ${detail.address}`}
            fold={foldOf('wgsl', 'wgsl')}
          />
        </Section>
      )}
      {detail.wgsl !== null && kernel.runsOn === 'gpu' && (
        <EnginesSection
          href={asked.href}
          texts={
            asked.isOpen
              ? {
                  tint: detail.wgsl,
                  naga: specialise(kernel, detail.chosen, detail.dtype, {}, 'naga'),
                }
              : null
          }
        />
      )}
      <WorkedExample kernel={detail} />
      {earlier && detail.wgsl !== null && (
        <Section
          id="diff"
          isFolded={query.show !== 'diff'}
          title={`Compared with ${earlier.id}`}
          note="what this rung changes, with shared tunables set alike; comments left out"
        >
          <WgslDiff
            before={earlier.wgsl}
            after={detail.wgsl}
            label={`WGSL of ${kernel.id} compared with ${earlier.id}`}
            fold={foldOf('diff', 'diff')}
          />
        </Section>
      )}
      <DeviceResults results={results} keep={chosen} isAll={query.rows === 'all'} />
      {engines.length > 0 && (
        <Section id="engines" title="Under each engine" note={ENGINES_NOTE}>
          <EnginesTable caption={`${kernel.id} by engine`} rows={engines} />
        </Section>
      )}
      <nav aria-label="Ladder" className="mt-8 flex flex-wrap justify-between gap-3">
        <span>{before && <ButtonLink href={kernelHref(before.id)}>← {before.id}</ButtonLink>}</span>
        <span>{after && <ButtonLink href={kernelHref(after.id)}>{after.id} →</ButtonLink>}</span>
      </nav>
    </>
  );
}

/** The kernel on a problem, on each card that several runtimes have measured. */
const enginesOf = (
  store: Store,
  kernel: string,
  { problem, profile }: NonNullable<KernelResults['chosen']>,
) => {
  const { dtype, op } = problem;
  return store.engines({ kernel, op, dtype, shape: shapeText(problem), profile });
};

/** The results for the problem that `on` names (see `problemKey`), or for the default one. */
async function resultsOf(store: Store, kernel: string, on: string | string[] | undefined) {
  const text = Array.isArray(on) ? on[0] : on;
  const usual = await store.kernelResults({ kernel });
  if (text === undefined) return { results: usual, refused: [] };
  const asked = usual.problems.find((each) => problemKey(each) === text);
  if (!asked)
    return {
      results: usual,
      refused: [`This kernel has not been measured on “${text.slice(0, 60)}”.`],
    };
  const { problem, profile } = asked;
  const shape = shapeText(problem);
  const results = await store.kernelResults({ kernel, dtype: problem.dtype, shape, profile });
  return { results, refused: [] };
}
