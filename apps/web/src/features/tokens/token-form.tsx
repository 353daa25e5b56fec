'use client';

/** Tokens: creating, listing and revoking them. */
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { z } from 'zod';
import { Command } from '@/ui/action';
import { Button } from '@/ui/button';
import { InputField, SelectField } from '@/ui/field';
import { useRequestForm } from '@/ui/form';
import { Failure } from '@/ui/notice';
import { ask } from '@/ui/request';

/** A new token, whose secret is shown once. */
export interface Made {
  readonly name: string;
  readonly secret: string;
}

/** Creates a token; for admins. The secret is shown here and never again. */
export function TokenForm() {
  const router = useRouter();
  const [made, setMade] = useState<Made | null>(null);
  return (
    <div className="space-y-3">
      <MakeTokenForm
        id="token"
        label="Create a token"
        whom="Name"
        onMade={(token) => {
          setMade(token);
          router.refresh();
        }}
      />
      {made && (
        <div role="status">
          <p className="mb-1 text-[0.8125rem]">
            Token for {made.name}. Copy it now: it will not be shown again.
          </p>
          <Command label="the token" text={made.secret} />
        </div>
      )}
    </div>
  );
}

const DAY_MS = 24 * 3_600_000;
const createdSchema = z.object({ secret: z.string() });

const ROLES = ['worker', 'member', 'admin'] as const;

const requestSchema = z
  .object({
    name: z.string().trim().min(1, 'Enter a name.').max(80),
    role: z.enum(ROLES),
    days: z.string(),
    trusted: z.enum(['yes', 'no']),
  })
  .transform(({ days, name, role, trusted }) => ({
    name,
    role,
    trusted: trusted === 'yes',
    ...(days && { expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
  }));

/**
 * The form that creates a token and passes it on.
 *
 * @param id begins the ids of its controls
 * @param whom the label of the name
 * @param forRole absent: to be chosen
 */
export function MakeTokenForm({
  id,
  label,
  whom,
  forRole,
  onMade,
}: {
  id: string;
  label: string;
  whom: string;
  forRole?: (typeof ROLES)[number];
  onMade: (made: Made) => void;
}) {
  const { failure, field, isPending, onSubmit } = useRequestForm({
    id,
    schema: requestSchema,
    defaultValues: {
      name: '',
      role: forRole ?? 'member',
      days: '365',
      trusted: forRole === 'worker' ? 'yes' : 'no',
    },
    send: async (request) => {
      const body = JSON.stringify(request);
      const answer = await ask('/api/v1/tokens', { body, answer: createdSchema });
      if (answer.ok) onMade({ name: request.name, secret: answer.value.secret });
      return answer;
    },
  });
  return (
    <form onSubmit={onSubmit} noValidate aria-label={label} className="space-y-2">
      <div className="grid items-start gap-3 sm:grid-cols-[1fr_9rem_9rem_9rem]">
        <InputField {...field('name')} label={whom} placeholder="lab machine" />
        {forRole === undefined && <SelectField {...field('role')} label="Role" options={ROLES} />}
        <SelectField
          {...field('days')}
          label="Valid for"
          options={[
            ['7', '7 days'],
            ['30', '30 days'],
            ['90', '90 days'],
            ['365', '1 year'],
            ['', 'until revoked'],
          ]}
        />
        <SelectField
          {...field('trusted')}
          label="Trusted"
          hint="its results decide"
          options={['no', 'yes']}
        />
      </div>
      <Failure why={failure} />
      <Button type="submit" disabled={isPending}>
        Create token
      </Button>
    </form>
  );
}
