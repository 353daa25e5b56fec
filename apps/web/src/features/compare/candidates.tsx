/** Comparing two results: choosing both sides, the verdict, and what lies behind it. */
import type { ResultDetail, RunResult } from '@tilemark/core';
import { shapeText, shortAddress } from '@tilemark/kernels';
import { Address } from '@/features/kernels/address';
import { TextLink } from '@/ui/button';
import { Rate } from '@/ui/facts';
import { Panel, Section } from '@/ui/page';

/** Results of the same sweep on the same problem and device: what a result is most often compared with. */
export function Candidates({ a, others }: { a: ResultDetail; others: readonly RunResult[] }) {
  const problem = shapeText(a.problem);
  const alike = others.filter(
    (other) =>
      other.outcome?.kind === 'measured' &&
      other.resultId !== a.resultId &&
      other.problem.op === a.problem.op &&
      other.problem.dtype === a.problem.dtype &&
      shapeText(other.problem) === problem &&
      other.device.key === a.device.key,
  );
  if (alike.length === 0) return null;
  return (
    <Section
      id="candidates"
      title="Compare with"
      note={`${a.problem.op} ${problem} ${a.problem.dtype} on ${a.device.name}, of the same sweep`}
    >
      <Panel className="divide-y divide-line text-[0.8125rem]">
        {alike.map(({ address, profile, rate, resultId }) => (
          <p key={resultId} className="flex flex-wrap items-baseline gap-x-4 px-4 py-1.5">
            <TextLink href={`/compare?a=${a.resultId}&b=${resultId}`}>
              <Address of={shortAddress(address)} />
            </TextLink>
            <span className="text-muted">{profile}</span>
            {rate && (
              <span className="ml-auto">
                <Rate of={rate} />
              </span>
            )}
          </p>
        ))}
      </Panel>
    </Section>
  );
}
