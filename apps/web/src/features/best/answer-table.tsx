import {
  BEST_FILES,
  type BestRow,
  memoryText,
  oneText,
  type Question,
  questionQuery,
  remarkOf,
  sourceOf,
} from '@tilemark/core';
import { OPS, shapeText, shortAddress } from '@tilemark/kernels';
import { Address, kernelHref } from '@/features/kernels/address';
import { ButtonAnchor, TextLink } from '@/ui/button';
import { Rate } from '@/ui/facts';
import { formatNs, formatPercent, formatShape } from '@/ui/format';
import { DataTable } from '@/ui/table';

/** Each has a link: more would be a page of links. The files have all. */
const MOST_ROWS = 8;

/** What to run for each problem on each GPU. A row of several leads to its answer alone, which has all other ways on. */
export function AnswerTable({
  rows,
  question,
  isAll,
}: {
  rows: readonly BestRow[];
  question: Question;
  /** Whether every row is shown, or only the first. */
  isAll: boolean;
}) {
  const { op, profile } = question;
  const isOne = rows.length === 1;
  const summary = oneText(rows);
  return (
    <>
      {summary && <p className="mb-3 max-w-prose text-[0.8125rem]">{summary}</p>}
      <DataTable
        caption={`Kernels of ${op} by shape and GPU`}
        rows={rows}
        keyOf={(_, at) => at}
        rest={{
          noun: 'rows',
          isAll,
          allHref: `/best?${questionQuery(question)}&rows=all`,
          most: MOST_ROWS,
        }}
        columns={[
          {
            head: 'Shape',
            className: 'whitespace-nowrap',
            cell: ({ gpu, problem }) =>
              isOne ? (
                formatShape(shapeText(problem))
              ) : (
                <TextLink
                  href={`/best?${questionQuery({ ...question, shapes: [problem.shape], gpus: gpu ? [gpu.id] : [] })}`}
                  aria-label={`${formatShape(shapeText(problem))} on ${gpu?.name ?? 'any GPU'}: WGSL and program`}
                >
                  {formatShape(shapeText(problem))}
                </TextLink>
              ),
          },
          { head: 'GPU', cell: ({ gpu }) => gpu?.name ?? 'any' },
          {
            head: 'Variant',
            className: 'min-w-52',
            cell: (row) => {
              const { best, problem } = row;
              const remark = remarkOf(row);
              return best ? (
                <>
                  {isOne ? (
                    <TextLink
                      href={kernelHref(best.variant.kernel, best.variant.tunables, problem.dtype)}
                      aria-label={best.address}
                    >
                      <Address of={shortAddress(best.address)} />
                    </TextLink>
                  ) : (
                    <span title={best.address}>
                      <Address of={shortAddress(best.address)} />
                    </span>
                  )}
                  {remark && <span className="block text-xs text-amber">{remark}</span>}
                </>
              ) : (
                'none'
              );
            },
          },
          {
            head: 'Time',
            isFigure: true,
            cell: ({ best }) =>
              best?.quote && (
                <>
                  {formatNs(best.quote.ns)}{' '}
                  <span className="text-xs text-muted">±{formatPercent(best.quote.error)}</span>
                </>
              ),
          },
          {
            head: 'Rate',
            isFigure: true,
            cell: ({ best }) =>
              best?.quote && (
                <>
                  <Rate of={best.quote.rate} />
                  <span className="block text-xs text-muted">{memoryText({ best })}</span>
                </>
              ),
          },
          {
            head: 'Source',
            className: 'min-w-36 text-xs',
            cell: (row) =>
              isOne && row.best?.quote?.resultId ? (
                <TextLink href={`/results/${row.best.quote.resultId}`}>{sourceOf(row)}</TextLink>
              ) : (
                sourceOf(row)
              ),
          },
        ]}
      />
      <p className="mt-2 flex flex-wrap items-center gap-2">
        {Object.entries(BEST_FILES).map(([form, [name]]) => (
          <ButtonAnchor
            key={form}
            href={`/api/v1/best/table?${questionQuery(question)}&format=${form}`}
            download
          >
            {name}
          </ButtonAnchor>
        ))}
        <span className="text-xs text-muted">
          {OPS[op].title}, {question.dtype}, profile {profile}
          {question.engine && `, engine ${question.engine}`}. ± is a standard deviation.
        </span>
      </p>
    </>
  );
}
