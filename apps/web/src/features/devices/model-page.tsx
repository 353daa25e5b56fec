import { type DeviceIdentity, deviceKey, type Evidence } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import { type Problem, parseProblem, parseVariant, rateOf, shortAddress } from '@tilemark/kernels';
import { Address } from '@/features/kernels/address';
import { medianColumn, PROBLEM, rateColumn } from '@/features/results/columns';
import { WinnerMaps } from '@/features/winners/winner-map';
import { shippedOn, winnerMapsOf } from '@/features/winners/winners';
import { ButtonLink, TextLink } from '@/ui/button';
import { PageHeader, Section } from '@/ui/page';
import { DataTable } from '@/ui/table';
import { ClassBadge } from './device-name';
import { deviceRoofs } from './roof';
import { Roofline } from './roofline';

/** A model of GPU that this grid has not measured, from the times and variants that ship with Tilemark. */
export async function ModelPage({ identity, store }: { identity: DeviceIdentity; store: Store }) {
  const key = deviceKey(identity);
  const maps = await winnerMapsOf(store, key);
  const evidence = shippedOn(key);
  const tuned = evidence.flatMap(({ dtype, measured, op }) =>
    measured.map((found) => ({
      ...found,
      problem: parseProblem({ op, dtype, shape: found.shape }),
    })),
  );
  const surveys = evidence.flatMap(({ measuredAt, profile, roofline }, at) => {
    const isFirst = evidence.findIndex((file) => file.profile === profile) === at;
    const worker = { id: '', name: 'Tilemark' };
    return isFirst && roofline ? [{ ...roofline, measuredAt, profile, worker }] : [];
  });
  return (
    <>
      <PageHeader
        above={<TextLink href="/devices">Devices</TextLink>}
        title={
          <span className="inline-flex flex-wrap items-center gap-2">
            {identity.device} <ClassBadge of={identity.class} />
          </span>
        }
        actions={
          <ButtonLink href={`/best?device=${encodeURIComponent(key)}`} look="primary">
            Find a kernel
          </ButtonLink>
        }
      >
        Shipped with Tilemark; this grid has not measured one.
      </PageHeader>
      <Section title="Fastest kernel by shape" id="winners">
        <WinnerMaps maps={maps} device={key} />
      </Section>
      {tuned.length > 0 && (
        <Section title="Tuned variants" id="best">
          <DataTable
            caption={`Tuned variants of ${identity.device}`}
            rows={tuned}
            keyOf={(_, at) => at}
            columns={[
              PROBLEM,
              {
                head: 'Variant',
                cell: ({ address }) => <Address of={shortAddress(parseVariant(address).address)} />,
              },
              medianColumn((row: Tuned) => row),
              rateColumn(({ medianNs, problem }: Tuned) => rateOf(problem, medianNs)),
            ]}
          />
        </Section>
      )}
      <Roofline
        roofs={deviceRoofs(surveys, [])}
        surveys={surveys}
        best={tuned.map(({ address, medianNs, problem, profile }) => ({
          address,
          problem,
          profile,
          rate: rateOf(problem, medianNs),
          resultId: null,
          variant: parseVariant(address),
        }))}
        device={identity.device}
      />
    </>
  );
}

type Tuned = Evidence['measured'][number] & { readonly problem: Problem };
