import type { Store } from '@tilemark/core/server';
import { KERNELS, kernelsOf, shapeText } from '@tilemark/kernels';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { DeviceResults, problemKey } from '@/features/kernels/device-results';
import { kernelHref } from '@/features/kernels/href';
import { paragraphOf } from '@/features/kernels/paragraph';
import { rungBefore, specialisation } from '@/features/kernels/specialisation';
import { tileOf } from '@/features/kernels/tile';
import { TilePicture } from '@/features/kernels/tile-picture';
import { TunableForm } from '@/features/kernels/tunable-form';
import { TunablesTable } from '@/features/kernels/tunables-table';
import { readable } from '@/server/visitor';
import { Address } from '@/ui/address';
import { ButtonLink, TextLink } from '@/ui/button';
import { WgslCode, WgslDiff } from '@/ui/code';
import { Facts } from '@/ui/facts';
import { formatBytes } from '@/ui/format';
import { Notice } from '@/ui/notice';
import { PageHeader, Panel, Section } from '@/ui/page';
import type { SearchParams } from '@/ui/query';
import { Refused } from '@/ui/refused';

type Props = { params: Promise<{ id: string[] }>; searchParams: SearchParams };

const kernelOf = async (params: Props['params']) => {
  const id = (await params).id.join('/');
  return KERNELS.find((kernel) => kernel.id === id) ?? notFound();
};

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: (await kernelOf(params)).id };
}

export default async function KernelPage({ params, searchParams }: Props) {
  const { store } = await readable();
  const kernel = await kernelOf(params);
  const query = await searchParams;
  const { detail, refused } = specialisation(kernel, query);
  const { results, refused: noProblem } = await resultsOf(store, kernel.id, query.on);
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
  const paragraph = isWhole ? paragraphOf(kernel, detail.chosen, detail.dtype) : null;
  const earlier = before && detail.wgsl !== null ? rungBefore(before, detail) : null;

  return (
    <>
      <PageHeader
        above={
          <>
            <TextLink href="/kernels">Kernels</TextLink> / {kernel.op}
          </>
        }
        title={<code className="text-xl">{kernel.id}</code>}
        actions={<ButtonLink href={`/sweeps/new?${sweep}`}>Sweep this variant</ButtonLink>}
      >
        {kernel.idea}
      </PageHeader>
      <Refused reasons={[...refused, ...noProblem]} reset={kernelHref(kernel.id)} />
      {(paragraph || tile) && (
        <Section id="idea" title="Idea">
          <Panel>
            {paragraph && (
              <p className="max-w-prose px-4 pt-3 last:pb-3 text-[0.8125rem]">{paragraph}</p>
            )}
            {tile && <TilePicture op={kernel.op} tile={tile} />}
          </Panel>
        </Section>
      )}
      {detail.tunables.length > 0 && (
        <Section id="tunables" title="Tunables">
          <TunablesTable kernel={detail} />
        </Section>
      )}
      <Section id="variant" title="Variant">
        <TunableForm kernel={detail} />
        {detail.broken.length > 0 && (
          <div className="mt-3">
            <Notice tone="amber">
              A run of this combination ends skipped: {detail.broken.join('; ')}.
            </Notice>
          </div>
        )}
        <Panel className="mt-3">
          <Facts
            facts={[
              {
                name: 'Address',
                value: <Address of={detail.address} />,
              },
              ...(detail.needs
                ? [
                    { name: 'Workgroup size', value: detail.needs.workgroupSize.join(' × ') },
                    { name: 'Workgroup memory', value: formatBytes(detail.needs.workgroupBytes) },
                    { name: 'Features', value: detail.needs.features.join(', ') || 'none' },
                  ]
                : kernel.runsOn === 'cpu'
                  ? [{ name: 'Runs on', value: 'the host CPU' }]
                  : []),
            ]}
          />
        </Panel>
      </Section>
      {detail.wgsl !== null && (
        <Section id="wgsl" title="WGSL" note="as it is handed to the compiler">
          <WgslCode source={detail.wgsl} label={`WGSL of ${detail.address}`} />
        </Section>
      )}
      {earlier && detail.wgsl !== null && (
        <Section
          id="diff"
          title={`Against ${earlier.id}`}
          note="what this rung changes, with the tunables they share set alike"
        >
          <WgslDiff
            before={earlier.wgsl}
            after={detail.wgsl}
            label={`WGSL of ${kernel.id} against ${earlier.id}`}
          />
        </Section>
      )}
      <Section id="results" title="Results across devices">
        <DeviceResults results={results} keep={chosen} isAll={query.rows === 'all'} />
      </Section>
      <nav aria-label="Ladder" className="mt-8 flex flex-wrap justify-between gap-3">
        <span>{before && <ButtonLink href={kernelHref(before.id)}>← {before.id}</ButtonLink>}</span>
        <span>{after && <ButtonLink href={kernelHref(after.id)}>{after.id} →</ButtonLink>}</span>
      </nav>
    </>
  );
}

/** The results on the problem that `on` names (see `problemKey`), else on the usual one. */
async function resultsOf(store: Store, kernel: string, on: string | string[] | undefined) {
  const text = Array.isArray(on) ? on[0] : on;
  const usual = await store.kernelResults({ kernel });
  if (text === undefined) return { results: usual, refused: [] };
  const asked = usual.problems.find((each) => problemKey(each) === text);
  if (!asked)
    return { results: usual, refused: [`It was not measured on “${text.slice(0, 60)}”.`] };
  const { problem, profile } = asked;
  const shape = shapeText(problem);
  const results = await store.kernelResults({ kernel, dtype: problem.dtype, shape, profile });
  return { results, refused: [] };
}
