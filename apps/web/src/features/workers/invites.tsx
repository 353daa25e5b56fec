'use client';

/** Invites: making a link that lets browsers in, and ending it. */
import type { Invite } from '@tilemark/core';
import { useRouter } from 'next/navigation';
import { QRCodeSVG } from 'qrcode.react';
import { type FormEvent, useState, useTransition } from 'react';
import { z } from 'zod';
import { Action, Command } from '@/ui/action';
import { Button, linkStyle } from '@/ui/button';
import { Moment } from '@/ui/facts';
import { InputField, SelectField } from '@/ui/field';
import { Failure } from '@/ui/notice';
import { ask } from '@/ui/request';
import { DataTable } from '@/ui/table';
import { InviteNote } from './loopback-note';

const madeSchema = z.object({ secret: z.string() });

/** @param origin of this grid, as the reader reaches it */
export function Invites({ origin, invites }: { origin: string; invites: readonly Invite[] }) {
  const router = useRouter();
  const [isPending, startTransition] = useTransition();
  const [link, setLink] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const [seats, hours] = ['seats', 'hours'].map((key) => Number(data.get(key)));
    const body = JSON.stringify({ name: String(data.get('name')), seats, hours });
    startTransition(async () => {
      const answer = await ask('/api/v1/invites', { body, answer: madeSchema });
      setProblem(answer.ok ? null : answer.message);
      setLink(answer.ok ? `${origin}/join#${answer.value.secret}` : null);
      router.refresh();
    });
  };

  return (
    <div className="max-w-3xl space-y-4">
      <p>Whoever opens the link lends their browser’s GPU under a name, without an account.</p>
      <InviteNote origin={origin} />
      <form
        onSubmit={submit}
        aria-label="Create an invite"
        className="grid items-end gap-3 sm:grid-cols-[1fr_7rem_9rem_auto]"
      >
        <InputField
          {...{ id: 'invite-name', name: 'name', label: 'For whom', required: true }}
          maxLength={80}
          placeholder="GPU programming course"
        />
        <InputField
          {...{ id: 'invite-seats', name: 'seats', label: 'Browsers', required: true }}
          {...{ type: 'number', min: 1, max: 500, defaultValue: 30 }}
        />
        <SelectField
          {...{ id: 'invite-hours', name: 'hours', label: 'Valid for', defaultValue: '24' }}
          options={[
            ['2', '2 hours'],
            ['24', '1 day'],
            ['168', '7 days'],
            ['720', '30 days'],
          ]}
        />
        <Button type="submit" disabled={isPending}>
          Create invite
        </Button>
      </form>
      <Failure why={problem} />
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
