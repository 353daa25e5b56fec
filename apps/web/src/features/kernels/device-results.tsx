import type { KernelResults } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { DeviceName } from '@/features/devices/device-name';
import { VariantLink } from '@/features/results/variant-link';
import { Field, Select } from '@/ui/field';
import { formatInterval, formatNs, formatPercent, formatRate } from '@/ui/format';
import { MoreRows, shownRows } from '@/ui/more-rows';
import { Empty } from '@/ui/notice';
import { QueryForm } from '@/ui/query-form';
import { TablePanel } from '@/ui/table';

type Measured = KernelResults['problems'][number];

/** What names a problem and profile in the address: `512,f32,default`. */
export const problemKey = ({ problem, profile }: Pick<Measured, 'problem' | 'profile'>): string =>
  [shapeText(problem), problem.dtype, profile].join();

/** The kernel's fastest variant on each device, on one problem; each leads to its measurement. */
export function DeviceResults({
  results: { chosen, problems, rows },
  keep,
  isAll,
}: {
  results: KernelResults;
  /** The rest of the address, which choosing a problem leaves as it is. */
  keep: Readonly<Record<string, string>>;
  /** Whether every device is shown; else the fastest. */
  isAll: boolean;
}) {
  if (!chosen) {
    return (
      <Empty title="Not measured yet">
        <p>Every device that measures this kernel appears here with its fastest variant.</p>
      </Empty>
    );
  }
  const key = problemKey(chosen);
  const all = new URLSearchParams({ ...keep, on: key, rows: 'all' });
  return (
    <>
      <div className="mb-3">
        <QueryForm label="Problem of the results">
          {Object.entries(keep).map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          <Field id="on" label="Problem and profile">
            <Select id="on" name="on" defaultValue={key} key={key} className="font-mono">
              {problems.map((each) => (
                <option key={problemKey(each)} value={problemKey(each)}>
                  {shapeText(each.problem)} {each.problem.dtype}, {each.profile} ({each.devices}{' '}
                  {each.devices === 1 ? 'device' : 'devices'})
                </option>
              ))}
            </Select>
          </Field>
        </QueryForm>
      </div>
      <TablePanel caption={`Results on ${shapeText(chosen.problem)} by device`}>
        <thead>
          <tr>
            <th scope="col">Device</th>
            <th scope="col">Fastest variant</th>
            <th scope="col" className="figure">
              Rate (higher is better)
            </th>
            <th scope="col" className="figure">
              Median
            </th>
            <th scope="col" className="figure">
              Of the device’s best
            </th>
          </tr>
        </thead>
        <tbody>
          {shownRows(rows, isAll).map((row) => (
            <tr key={row.device.key}>
              <th scope="row" className="min-w-36">
                <DeviceName device={row.device} />
              </th>
              <td className="min-w-52">
                <VariantLink address={row.address} resultId={row.resultId} />
                {row.unranked && (
                  <span className="block text-xs text-muted">Not ranked: {row.unranked}</span>
                )}
              </td>
              <td className="figure">
                <span className="font-medium">{formatRate(row.rate.value)}</span>{' '}
                <span className="text-xs text-muted">{row.rate.unit}</span>
              </td>
              <td className="figure">
                {formatNs(row.medianNs)}{' '}
                <span className="text-xs text-muted">
                  {formatInterval(row.medianNs, row.lowNs, row.highNs)}
                </span>
              </td>
              <td className="figure">
                {row.partOfBest === null ? '–' : formatPercent(row.partOfBest)}
              </td>
            </tr>
          ))}
          <MoreRows
            of={rows.length}
            noun="devices"
            isAll={isAll}
            allHref={`?${all}#results`}
            columns={5}
          />
        </tbody>
      </TablePanel>
    </>
  );
}
