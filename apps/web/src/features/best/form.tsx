import { type Device, PROFILES } from '@tilemark/core';
import { DTYPES, MAX_DIMENSION, OPS } from '@tilemark/kernels';
import { Button } from '@/ui/button';
import { Field, Input, Select } from '@/ui/field';
import { Tabs } from '@/ui/page';
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
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-6">
        {dimensionsOf(query.op).map(({ name, default: count }) => (
          <Field
            key={name}
            id={name}
            label={name.length === 1 ? name.toUpperCase() : name}
            hint={count !== undefined && `${count}: no batch`}
          >
            <Input
              {...{ id: name, name, type: 'number', min: 1, max: MAX_DIMENSION, required: true }}
              defaultValue={query[name] ?? count ?? 1024}
            />
          </Field>
        ))}
        <Field id="dtype" label="Element type">
          <Select id="dtype" name="dtype" defaultValue={query.dtype}>
            {Object.entries(DTYPES).map(([dtype, { words }]) => (
              <option key={dtype} value={dtype}>
                {words}
              </option>
            ))}
          </Select>
        </Field>
        <Field id="profile" label="Profile">
          <Select id="profile" name="profile" defaultValue={query.profile}>
            {PROFILES.map((profile) => (
              <option key={profile}>{profile}</option>
            ))}
          </Select>
        </Field>
      </div>
      <div className="grid gap-3 sm:grid-cols-3">
        <Field id="device" label="Device" hint="known to this grid">
          <Select id="device" name="device" defaultValue={query.device ?? ''}>
            <option value="">another, by vendor and architecture</option>
            {devices.map(({ key, name }) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
        <Field
          id="vendor"
          label="Vendor"
          hint="of a GPU this grid does not know, as in WebGPU’s adapter info"
        >
          <Input id="vendor" name="vendor" list="vendors" defaultValue={query.vendor ?? ''} />
          <Options id="vendors" values={names('vendor')} />
        </Field>
        <Field id="architecture" label="Architecture">
          <Input
            {...{ id: 'architecture', name: 'architecture', list: 'architectures' }}
            defaultValue={query.architecture ?? ''}
          />
          <Options id="architectures" values={names('architecture')} />
        </Field>
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
