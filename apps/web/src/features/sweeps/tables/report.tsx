import type { Published, PublishedFigure, RunShown } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { group, min } from 'd3-array';
import { formatNs, formatShape, formatSpeedup } from '@/ui/format';
import { Section } from '@/ui/page';

type Transfers = Published['transfers'][number];

/** A line of a report. */
export interface ReportLine {
  readonly figure: PublishedFigure;
  readonly ns: number;
  /** How much faster it is than the report's fastest naive of its shape; null where it has none. */
  readonly overNaive: number | null;
  /** Of its shape. */
  readonly transfers: Transfers | undefined;
}

export const linesOf = ({ results, transfers }: Published): readonly ReportLine[] =>
  results.map((figure) => {
    const { op } = figure.problem;
    const naive = results.filter(
      (each) => each.variant.kernel === `${op}/naive` && isOfShape(each, figure.problem),
    );
    const base = min(naive, ({ timeMs }) => timeMs);
    return {
      figure,
      ns: figure.timeMs * 1e6,
      overNaive: base === undefined ? null : base / figure.timeMs,
      transfers: transfers.find((each) => isOfShape(each, figure.problem)),
    };
  });

/** What the report calls variants, by address; those that it gives several names are left out. */
export const reportNames = (report: Published | null): ReadonlyMap<string, string> =>
  new Map(
    [...group(report?.results ?? [], ({ address }) => address)].flatMap(([address, figures]) => {
      const [name = '', ...others] = new Set(figures.map(({ label }) => label));
      return others.length > 0 ? [] : [[address, name] as const];
    }),
  );

const isOfShape = ({ problem }: Pick<RunShown, 'problem'>, other: RunShown['problem']): boolean =>
  shapeText(problem) === shapeText(other);

/** The line about a run's variant: on its shape or, since reports use large ones, on their smallest. */
export function lineOf(
  lines: readonly ReportLine[],
  { address, problem }: Pick<RunShown, 'address' | 'problem'>,
): ReportLine | undefined {
  const alike = lines.filter(
    ({ figure }) => figure.address === address && figure.problem.dtype === problem.dtype,
  );
  return alike.find(({ figure }) => isOfShape(figure, problem)) ?? alike[0];
}

/** What a report says of a run, which may be of another size. */
export function ReportCell({
  line,
  problem,
}: {
  line: ReportLine | undefined;
  problem: RunShown['problem'];
}) {
  if (!line) return '–';
  const { figure, ns, overNaive } = line;
  return (
    <span title={[figure.label, figure.note].filter(Boolean).join(': ')}>
      {formatNs(ns)}
      <span className="block text-xs text-muted">
        {overNaive !== null && formatSpeedup(overNaive)}
        {!isOfShape(figure, problem) && ` at ${formatShape(shapeText(figure.problem))}`}
      </span>
    </span>
  );
}

/** What a report says of transfers to a GPU and back. */
export const transfersText = ({ deviceToHostMs, hostToDeviceMs }: Transfers): string =>
  `report ${formatNs(hostToDeviceMs * 1e6)} + ${formatNs(deviceToHostMs * 1e6)}`;

/** The report whose figures stand beside those of the sweep, and what is said against them. */
export function ReportAbout({ report }: { report: Published }) {
  const { results, source } = report;
  const about = [source.title, source.date, `on ${hardwareText(report)}`];
  if (results.length === 0) about.push('without figures of these kernels');
  const notes = new Set([...results.map(({ note }) => note), source.note]);
  return (
    <Section id="report" title="The published report" note={about.filter(Boolean).join(', ')}>
      <ul className="max-w-prose list-disc space-y-0.5 pl-5 text-xs text-muted">
        <li>
          WebGPU reports neither hardware counters nor registers per thread: occupancy is in theory,
          and registers may allow fewer blocks.
        </li>
        {[...notes].map((note) => note && <li key={note}>{note}</li>)}
      </ul>
    </Section>
  );
}

/** A report's figures of the host may be of other hardware than those of its GPU. */
function hardwareText({ hardware: { cpu, gpu }, results }: Published): string {
  const isOther = cpu !== gpu && results.some(({ runtime }) => runtime === 'cpu');
  return `${gpu ?? 'hardware not named'}${isOther ? `, host rows on ${cpu}` : ''}`;
}
