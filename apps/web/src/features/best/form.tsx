import { type Device, PROFILE_WORDS, PROFILES } from '@tilemark/core';
import { DTYPES, MAX_DIMENSION, OPS } from '@tilemark/kernels';
import { Button } from '@/ui/button';
import { InputField, SelectField } from '@/ui/field';
import { Tabs } from '@/ui/navigation';
import { type BestPageQuery, dimensionsOf } from './query';

/** Which problem on which GPU: submitted as the page's address, so it works without scripts. */
export function BestForm({
  query,
  devices,
}: {
  query: BestPageQuery;
  devices: readonly Pick<Device, 'key' | 'name' | 'identity'>[];
}) {
  const names = (of: 'vendor' | 'architecture') =>
    [...new Set(devices.map(({ identity }) => identity[of]))].filter(Boolean).sort();
  return (
    <form method="get" action="/best" aria-label="The problem and the GPU" className="space-y-4">
      <input type="hidden" name="op" value={query.op} />
      <Tabs
        label="Operation"
        tabs={Object.entries(OPS).map(([id, { title }]) => [`/best?op=${id}`, title])}
        here={`/best?op=${query.op}`}
      />
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-8">
        {dimensionsOf(query.op).map(({ name, default: count }) => (
          <InputField
            key={name}
            {...{ id: name, name, type: 'number', min: 1, max: MAX_DIMENSION, required: true }}
            label={`${name.charAt(0).toUpperCase()}${name.slice(1)}`}
            hint={count !== undefined && `how many products at once; ${count} for a single one`}
            defaultValue={query[name] ?? count ?? 1024}
          />
        ))}
        <div className="lg:col-span-2">
          <SelectField
            {...{ id: 'dtype', name: 'dtype', label: 'Element type', defaultValue: query.dtype }}
            options={Object.entries(DTYPES).map(([dtype, { words }]) => [dtype, words])}
          />
        </div>
        <div className="max-sm:col-span-2 lg:col-span-2">
          <SelectField
            {...{ id: 'profile', name: 'profile', label: 'Profile', defaultValue: query.profile }}
            options={PROFILES.map((profile) => [profile, PROFILE_WORDS[profile]])}
          />
        </div>
      </div>
      <div className="grid gap-3 sm:grid-cols-3">
        <SelectField
          {...{
            id: 'device',
            name: 'device',
            label: 'Device',
            hint: 'of this grid; for any other, give its vendor',
          }}
          defaultValue={query.device ?? ''}
          options={[
            ['', 'another, by vendor and architecture'],
            ...devices.map(({ key, name }) => [key, name] as const),
          ]}
        />
        <InputField
          {...{ id: 'vendor', name: 'vendor', label: 'Vendor', list: 'vendors' }}
          hint="of a GPU this grid does not know, as in WebGPU’s adapter info"
          defaultValue={query.vendor ?? ''}
        />
        <InputField
          {...{ id: 'architecture', name: 'architecture', label: 'Architecture' }}
          list="architectures"
          defaultValue={query.architecture ?? ''}
        />
        <Options id="vendors" values={names('vendor')} />
        <Options id="architectures" values={names('architecture')} />
      </div>
      <Button type="submit" look="primary">
        Find the kernel
      </Button>
    </form>
  );
}

function Options({ id, values }: { id: string; values: readonly string[] }) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}
