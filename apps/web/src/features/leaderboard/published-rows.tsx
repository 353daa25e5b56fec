import { allPublished } from '@tilemark/core';
import { type Problem, shapeText } from '@tilemark/kernels';
import { shortAddress } from '@/features/kernels/short-address';
import { Address } from '@/ui/address';
import { formatNs, formatRate } from '@/ui/format';

/** What reports say of a problem: figures of others on hardware of theirs, never ranked. */
export function PublishedRows({ problem, columns }: { problem: Problem; columns: number }) {
  const figures = allPublished().flatMap(({ source, hardware, results }) =>
    results
      .filter(({ problem: of }) => sameProblem(of, problem))
      .map((figure) => ({ ...figure, source, hardware })),
  );
  return (
    <tbody>
      <tr className="!bg-sunken text-2xs text-muted">
        <th scope="rowgroup" colSpan={2} className="!py-1">
          Published results
        </th>
        <td colSpan={columns - 2} className="!py-1">
          as their reports print them, not measured here, never ranked
        </td>
      </tr>
      {figures
        .toSorted((a, b) => a.timeMs - b.timeMs)
        .map(({ label, source, hardware, runtime, rate, timeMs, address }) => (
          <tr key={`${source.id} ${label} ${address}`}>
            <td className="figure">–</td>
            <th scope="row" className="min-w-36">
              {(runtime === 'cpu' ? hardware.cpu : hardware.gpu) ?? 'hardware not named'}
              <p className="text-xs font-normal text-muted">
                {source.title}: {label}
              </p>
            </th>
            <td>
              <span className="inline-block w-14 text-right font-medium">
                {formatRate(rate.value)}
              </span>
            </td>
            <td className="figure">{formatNs(timeMs * 1e6)}</td>
            <td className="figure">–</td>
            <td className="figure">–</td>
            <td className="min-w-56" title={address}>
              <Address of={shortAddress(address)} />
            </td>
            <td className="figure text-muted">–</td>
            <td className="figure text-muted">{source.date?.slice(0, 4) ?? '–'}</td>
          </tr>
        ))}
      {figures.length === 0 && (
        <tr>
          <td colSpan={columns} className="text-muted">
            No report that a suite reproduces has a figure for this problem.
          </td>
        </tr>
      )}
    </tbody>
  );
}

const sameProblem = (a: Problem, b: Problem): boolean =>
  a.op === b.op && a.dtype === b.dtype && shapeText(a) === shapeText(b);
