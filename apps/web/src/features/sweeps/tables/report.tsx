import type { Published, PublishedFigure, RunView } from '@tilemark/core';
import { kernelOf, shapeText } from '@tilemark/kernels';
import { VariantLink } from '@/features/kernels/address';
import { problemColumn } from '@/features/results/columns';
import { formatNs, formatShape, formatSpeedup } from '@/ui/format';
import { NoteMark, Notes } from '@/ui/note';
import { Section } from '@/ui/page';
import { DataTable } from '@/ui/table';
import { variedTunables } from '../runs';

/** A line of a report. */
export interface ReportLine {
  readonly figure: PublishedFigure;
  readonly ns: number;
  /** How much faster it is than the report's first line of its shape. */
  readonly overFirst: number;
  /** What is said against the time of that first line; null for the line itself. */
  readonly firstNote: string | null;
}

export const linesOf = ({ results }: Published): readonly ReportLine[] =>
  results.map((figure) => {
    const first = results.find((each) => isOfShape(each, figure.problem)) ?? figure;
    return {
      figure,
      ns: figure.timeMs * 1e6,
      overFirst: first.timeMs / figure.timeMs,
      firstNote: first === figure ? null : first.note,
    };
  });

const isOfShape = ({ problem }: PublishedFigure, other: RunView['problem']): boolean =>
  shapeText(problem) === shapeText(other);

/**
 * The line about a run's variant: on its shape or, in a report of one shape, on that, since reports
 * use large ones.
 */
export function lineOf(
  lines: readonly ReportLine[],
  { address, problem }: Pick<RunView, 'address' | 'problem'>,
): ReportLine | undefined {
  const alike = lines.filter(
    ({ figure }) => figure.address === address && figure.problem.dtype === problem.dtype,
  );
  const isOfOneShape = new Set(lines.map(({ figure }) => shapeText(figure.problem))).size === 1;
  return (
    alike.find(({ figure }) => isOfShape(figure, problem)) ?? (isOfOneShape ? alike[0] : undefined)
  );
}

/** What a report says of a run, which may be of another size. */
export function ReportCell({
  line,
  problem,
}: {
  line: ReportLine | undefined;
  problem: RunView['problem'];
}) {
  if (!line) return '–';
  const { figure, ns, overFirst } = line;
  return (
    <span title={[figure.label, figure.note].filter(Boolean).join(': ')}>
      {formatNs(ns)}
      <span className="block text-xs text-muted">
        {formatSpeedup(overFirst)}
        {!isOfShape(figure, problem) && ` at ${formatShape(shapeText(figure.problem))}`}
      </span>
    </span>
  );
}

/** The report that the sweep's suite reproduces; its times stand beside ours in the table of results. */
export function ReportTable({ report }: { report: Published }) {
  const { results, source } = report;
  const varied = variedTunables(results);
  const notes = [...new Set(results.flatMap(({ note }) => note ?? []))];
  const about = [source.title, source.date, `on ${hardwareText(report)}`];
  if (results.length === 0) about.push('without figures of these kernels');
  return (
    <Section
      id="report"
      title="The published report"
      note={about.filter(Boolean).join(', ')}
      isFolded={results.length > 0}
    >
      {results.length > 0 && (
        <>
          <DataTable
            caption={`Published figures of ${source.title}`}
            rows={linesOf(report)}
            keyOf={(_, at) => at}
            columns={[
              {
                head: 'In the report',
                cell: ({ figure: { address, label } }) => (
                  <>
                    {label}{' '}
                    <span className="font-normal">
                      <VariantLink
                        address={address}
                        resultId={null}
                        varied={varied.get(kernelOf(address))}
                      />
                    </span>
                  </>
                ),
              },
              problemColumn(({ figure }: ReportLine) => figure),
              {
                head: 'Time (lower is better)',
                isFigure: true,
                cell: ({ figure, ns }) => (
                  <>
                    {formatNs(ns)}
                    <NoteMark of={figure.note} among={notes} />
                  </>
                ),
              },
              {
                head: 'Over the first of its size',
                isFigure: true,
                cell: ({ firstNote, overFirst }) => (
                  <>
                    {formatSpeedup(overFirst)}
                    <NoteMark of={firstNote} among={notes} />
                  </>
                ),
              },
            ]}
          />
          <Notes of={notes} />
          {source.note && <p className="mt-2 max-w-prose text-xs text-muted">{source.note}</p>}
        </>
      )}
    </Section>
  );
}

/** A report's figures of the host are of other hardware than those of its GPU. */
function hardwareText({ hardware: { cpu, gpu }, results }: Published): string {
  const unnamed = 'hardware not named';
  const isOnHost = results.map(({ runtime }) => runtime === 'cpu');
  if (!isOnHost.includes(true)) return gpu ?? unnamed;
  if (!isOnHost.includes(false)) return cpu ?? unnamed;
  return cpu === gpu ? (gpu ?? unnamed) : `${gpu ?? unnamed}, host rows on ${cpu ?? unnamed}`;
}
