import type { AuditEntry } from '@tilemark/core';
import { TextLink } from '@/ui/button';
import { Moment } from '@/ui/moment';
import { TablePanel } from '@/ui/table';
import { ACTIONS } from './actions';

/** Who did what to what, newest first. */
export function AuditTable({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <TablePanel caption="Audit list">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Who</th>
          <th scope="col">Did what</th>
          <th scope="col">To what</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ id, at, actor, action, subject, subjectName }) => {
          const { did, page } = ACTIONS[action];
          return (
            <tr key={id}>
              <td className="text-muted">
                <Moment date={at} />
              </td>
              <th scope="row">
                <TextLink href={`/audit?actor=${encodeURIComponent(actor.id)}`}>
                  {actor.name}
                </TextLink>{' '}
                <span className="font-normal text-muted">{actor.role}</span>
              </th>
              <td className="whitespace-nowrap">{did}</td>
              <td>
                {subject && (
                  <>
                    {page ? (
                      <TextLink href={`/${page}/${encodeURIComponent(subject)}`}>
                        {subjectName ?? subject}
                      </TextLink>
                    ) : (
                      (subjectName ?? subject)
                    )}
                    <code className="block text-2xs whitespace-nowrap text-muted">{subject}</code>
                  </>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </TablePanel>
  );
}
