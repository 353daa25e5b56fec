import { type Class, type HandedIn, problemName } from '@tilemark/core';
import { kernelHref } from '@/features/kernels/address';
import { Action } from '@/ui/action';
import { TextLink } from '@/ui/button';
import { Ago } from '@/ui/facts';
import { endsText, formatNs, formatSpeedup } from '@/ui/format';
import { Badge } from '@/ui/notice';
import { type Column, DataTable } from '@/ui/table';

type Student = Class['students'][number];

/** Students by problem: how the kernel does that each has handed in last. */
export function Students({ of: { id, name, problems, students } }: { of: Class }) {
  return (
    <DataTable
      caption={`Students of ${name}`}
      rows={students}
      empty="Nobody has joined yet."
      keyOf={(student) => student.name}
      columns={[
        { head: 'Student', cell: (student) => student.name },
        ...problems.map(
          (problem, at): Column<Student> => ({
            head: problemName(problem),
            title:
              'Times as fast as naive in the same tab, with the 95% interval, or the range of too few samples',
            className: 'min-w-36',
            cell: ({ handedIn }) => (handedIn[at] ? <Cell of={handedIn[at]} /> : '–'),
          }),
        ),
        {
          head: 'Joined',
          className: 'text-muted',
          cell: ({ joinedAt }) => <Ago date={joinedAt} />,
        },
        {
          head: 'Actions',
          className: 'py-0!',
          cell: (student) => (
            <Action
              url={`/api/v1/invites/${id}/students/${encodeURIComponent(student.name)}`}
              method="DELETE"
              label={student.name}
              question={`Remove ${student.name}? Their tab stops within seconds, their seat is free, and their rows leave this page and its CSV.`}
            >
              Remove
            </Action>
          ),
        },
      ]}
    />
  );
}

function Cell({
  of: { finding, handedInAt, kernel, medianNs, overNaive, reason, resultId },
}: {
  of: HandedIn;
}) {
  const figure = overNaive ? `${formatSpeedup(overNaive.ratio)} naive` : formatNs(medianNs ?? 0);
  return (
    <>
      <TextLink href={`/results/${resultId}`} className="font-medium">
        {medianNs === null ? <Badge tone="rose">{finding}</Badge> : figure}
      </TextLink>
      <span className="block max-w-80 text-xs wrap-anywhere whitespace-normal text-muted">
        {overNaive && endsText(overNaive)}
        {reason}
      </span>
      <span className="block text-xs text-muted">
        <TextLink href={kernelHref(kernel)}>Source</TextLink>, <Ago date={handedInAt} />
      </span>
    </>
  );
}
