'use client';

/** Tokens: creating, listing and revoking them. */
import { useRouter } from 'next/navigation';
import { type FormEvent, type ReactNode, useState, useTransition } from 'react';
import { z } from 'zod';
import { Command } from '@/ui/action';
import { Button } from '@/ui/button';
import { InputField, SelectField } from '@/ui/field';
import { Failure } from '@/ui/notice';
import { ask } from '@/ui/request';

/** A new token with its secret, or why it was not created. */
export type Made =
  | { readonly ok: true; readonly name: string; readonly secret: string }
  | { readonly ok: false; readonly message: string };

/** Creates a token; for admins. The secret is shown here and never again. */
export function TokenForm() {
  const router = useRouter();
  const [made, setMade] = useState<Made | null>(null);
  const show = (answer: Made) => {
    setMade(answer);
    router.refresh();
  };

  return (
    <div className="space-y-3">
      <MakeTokenForm
        id="token"
        label="Create a token"
        whom="Name"
        columns="sm:grid-cols-[1fr_8rem_9rem_auto]"
        onMade={show}
      >
        <SelectField
          {...{ id: 'token-role', name: 'role', label: 'Role', defaultValue: 'member' }}
          options={['worker', 'member', 'admin']}
        />
      </MakeTokenForm>
      <Failure why={made?.ok === false && made.message} />
      {made?.ok && (
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

/**
 * The form that creates a token and passes on the answer.
 *
 * @param id prefix of its fields' ids
 * @param whom the label of the name
 * @param children the control named `role`
 */
export function MakeTokenForm({
  id,
  label,
  whom,
  columns,
  onMade,
  children,
}: {
  id: string;
  label: string;
  whom: string;
  columns: string;
  onMade: (made: Made) => void;
  children: ReactNode;
}) {
  const [isPending, startTransition] = useTransition();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    startTransition(async () => onMade(await createToken(data)));
  };
  return (
    <form onSubmit={submit} aria-label={label} className={`grid items-end gap-3 ${columns}`}>
      <InputField
        {...{ id: `${id}-name`, name: 'name', label: whom, required: true, maxLength: 80 }}
        placeholder="lab machine"
      />
      {children}
      <SelectField
        {...{ id: `${id}-lifetime`, name: 'days', label: 'Valid for', defaultValue: '365' }}
        options={[
          ['7', '7 days'],
          ['30', '30 days'],
          ['90', '90 days'],
          ['365', '1 year'],
          ['', 'until revoked'],
        ]}
      />
      <Button type="submit" disabled={isPending}>
        Create token
      </Button>
    </form>
  );
}

const DAY_MS = 24 * 3_600_000;
const createdSchema = z.object({ secret: z.string() });

async function createToken(data: FormData): Promise<Made> {
  const [name = '', role, days] = ['name', 'role', 'days'].map((key) => String(data.get(key)));
  const expiresAt = days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : undefined;
  const body = JSON.stringify({ name, role, expiresAt });
  const answer = await ask('/api/v1/tokens', { body, answer: createdSchema });
  return answer.ok ? { ok: true, name, secret: answer.value.secret } : answer;
}
