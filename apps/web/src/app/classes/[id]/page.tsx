import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { JoinLink } from '@/features/classes/join-link';
import { Students } from '@/features/classes/students';
import { makerOf } from '@/server/session/access';
import { signedIn } from '@/server/session/visitor';
import { Action } from '@/ui/action';
import { ButtonAnchor } from '@/ui/button';
import { Moment } from '@/ui/facts';
import { Refresh } from '@/ui/live';
import { PageHeader, Section } from '@/ui/page';

export const metadata: Metadata = { title: 'Class' };

/** A class, for who made it: how to join, and what each student has handed in. */
export default async function ClassPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const { services, user } = await signedIn();
  const { invites } = services.store;
  const invite = (await invites.find(id, makerOf(user))) ?? notFound();
  const found = await invites.class(invite);
  const url = `/api/v1/invites/${id}`;
  return (
    <>
      <PageHeader
        title={found.name}
        actions={
          <>
            <ButtonAnchor href={`${url}?format=csv`} download>
              CSV
            </ButtonAnchor>
            <Action
              url={url}
              method="DELETE"
              label={found.name}
              question={`Revoke ${found.name}? Everyone who joined stops within seconds.`}
              next="/add"
            >
              Revoke
            </Action>
          </>
        }
      >
        {found.used} of {found.seats} joined; until <Moment date={found.expiresAt} />
      </PageHeader>
      <Refresh />
      <Section title="Students" id="students" note="this page follows them">
        <Students of={found} />
      </Section>
      {/* Last: it comes once the page is in the browser, and moves nothing. */}
      <JoinLink />
    </>
  );
}
