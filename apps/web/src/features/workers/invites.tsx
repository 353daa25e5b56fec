'use client';

/** Invites: making a link that lets browsers in, and ending it. */
import type { Invite } from '@tilemark/core';
import { useRouter } from 'next/navigation';
import { QRCodeSVG } from 'qrcode.react';
import { useState } from 'react';
import { z } from 'zod';
import { Action, Command } from '@/ui/action';
import { Button, linkStyle } from '@/ui/button';
import { Moment } from '@/ui/facts';
import { InputField, SelectField } from '@/ui/field';
import { useRequestForm } from '@/ui/form';
import { Failure } from '@/ui/notice';
import { ask } from '@/ui/request';
import { DataTable } from '@/ui/table';
import { InviteNote } from './loopback-note';

const madeSchema = z.object({ secret: z.string() });

const requestSchema = z.object({
  name: z.string().trim().min(1, 'Enter for whom it is.').max(80),
  seats: z.coerce.number<string>().int().min(1).max(500),
  hours: z.coerce.number<string>(),
  trusted: z.enum(['', 'yes']).transform(Boolean),
});

/**
 * @param origin of this grid, as the reader reaches it
 * @param mayTrust the reader's token is trusted, so that those of the invite may be
 */
export function Invites({
  origin,
  invites,
  mayTrust,
}: {
  origin: string;
  invites: readonly Invite[];
  mayTrust: boolean;
}) {
  const router = useRouter();
  const [link, setLink] = useState<string | null>(null);
  const { failure, field, isPending, onSubmit } = useRequestForm({
    id: 'invite',
    schema: requestSchema,
    defaultValues: { name: '', seats: '30', hours: '24', trusted: '' },
    send: async (request) => {
      const body = JSON.stringify(request);
      const answer = await ask('/api/v1/invites', { body, answer: madeSchema });
      setLink(answer.ok ? `${origin}/join#${answer.value.secret}` : null);
      router.refresh();
      return answer;
    },
  });

  return (
    <div className="max-w-3xl space-y-4">
      <p>Whoever opens the link lends their browser’s GPU under a name, without an account.</p>
      <InviteNote origin={origin} />
      <form
        onSubmit={onSubmit}
        noValidate
        aria-label="Create an invite"
        className="grid items-start gap-3 sm:grid-cols-[1fr_7rem_9rem_9rem]"
      >
        <InputField {...field('name')} label="For whom" placeholder="GPU programming course" />
        <InputField {...field('seats')} label="Browsers" inputMode="numeric" />
        <SelectField
          {...field('hours')}
          label="Valid for"
          options={[
            ['2', '2 hours'],
            ['24', '1 day'],
            ['168', '7 days'],
            ['720', '30 days'],
          ]}
        />
        {mayTrust && (
          <SelectField
            {...field('trusted')}
            label="Results decide"
            options={[
              ['', 'no'],
              ['yes', 'yes: trusted'],
            ]}
          />
        )}
        <div>
          <Button type="submit" disabled={isPending}>
            Create invite
          </Button>
        </div>
      </form>
      <Failure why={failure} />
      {link && (
        <div role="status" className="space-y-2">
          <p className="text-[0.8125rem]">Share it now: it will not be shown again.</p>
          <Command label="the invite" text={link} />
          {/* White below it, whatever the theme: cameras need the contrast. */}
          <QRCodeSVG value={link} size={176} marginSize={3} title="The invite as a QR code" />
        </div>
      )}
      {invites.length > 0 && (
        <DataTable
          caption="Invites"
          rows={invites}
          keyOf={({ id }) => id}
          columns={[
            { head: 'For', cell: ({ name }) => name },
            { head: 'Used', isFigure: true, cell: ({ seats, used }) => `${used} of ${seats}` },
            { head: 'Trusted', cell: ({ trusted }) => (trusted ? 'yes' : 'no') },
            { head: 'By', cell: ({ createdBy }) => createdBy },
            {
              head: 'Results',
              cell: ({ id, name }) => (
                <a
                  href={`/api/v1/invites/${encodeURIComponent(id)}/results`}
                  className={linkStyle}
                  aria-label={`Results of ${name} as CSV`}
                  download
                >
                  CSV
                </a>
              ),
            },
            {
              head: 'Expires',
              className: 'text-muted',
              cell: ({ expiresAt }) => <Moment date={expiresAt} />,
            },
            {
              head: 'Actions',
              className: 'py-0!',
              cell: ({ id, name }) => (
                <Action
                  url={`/api/v1/invites/${encodeURIComponent(id)}`}
                  method="DELETE"
                  label={name}
                  question={`Revoke the invite ${name}? Everyone who joined with it stops within seconds.`}
                >
                  Revoke
                </Action>
              ),
            },
          ]}
        />
      )}
    </div>
  );
}
