import type { Metadata } from 'next';
import { z } from 'zod';
import { CompareTabs, PairForm } from '@/features/compare/choice';
import { PairTable } from '@/features/compare/pair-table';
import { firstItems } from '@/server/pages/lists';
import { readable } from '@/server/session/visitor';
import { Select } from '@/ui/field';
import { Refused } from '@/ui/notice';
import { PageHeader } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';

export const metadata: Metadata = { title: 'Compare devices' };

const key = z.string().max(300).optional();
const querySchema = z.object({ a: key, b: key });

export default async function CompareDevicesPage({ searchParams }: { searchParams: SearchParams }) {
  const { store } = await readable();
  const { query, refused } = parseQuery(querySchema, await searchParams);
  const devices = await firstItems(store.devices.list);
  const known = new Set(devices.map((device) => device.key));
  const unknown = [query.a, query.b].filter((asked) => asked !== undefined && !known.has(asked));

  return (
    <>
      <PageHeader title="Compare">
        Two devices, each with its best variant, by the median or the slow end of a wide interval,
        on every problem and profile measured on both. A difference within ±0.5% counts as the same;
        if the 95% interval leaves it open, or a side has too few samples for one, it is undecided.
      </PageHeader>
      <CompareTabs here="/compare/devices" />
      <Refused
        reasons={[...refused, ...unknown.map((key) => `There is no device “${key}”.`)]}
        reset="/compare/devices"
        title="This comparison is incomplete"
        instead="Choose devices below."
      />
      <PairForm
        of="Device"
        control={(side, id) => (
          <Select
            {...{ id, name: side, required: true, defaultValue: query[side] ?? '' }}
            key={query[side]}
            options={devices.map(({ key, name, identity }) => [
              key,
              `${name} (${identity.backend})`,
            ])}
          >
            <option value="" disabled>
              Choose a device
            </option>
          </Select>
        )}
      />
      {query.a && query.b && unknown.length === 0 && (
        <PairTable
          of="devices"
          pairs={await store.headToHead({ of: 'devices', a: query.a, b: query.b })}
        />
      )}
    </>
  );
}
