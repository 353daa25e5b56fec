'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useState, useTransition } from 'react';
import { Button } from '@/ui/button';
import { Command } from '@/ui/copy';
import { Field, Input, Select } from '@/ui/field';
import { Notice } from '@/ui/notice';
import { LIFETIMES } from './expiry';
import { type Made, makeToken } from './make-token';

/** Makes a token; for admins. The secret is shown here and never again. */
export function TokenForm({ initialRole = 'worker' }: { initialRole?: 'worker' | 'member' }) {
  const router = useRouter();
  const [made, setMade] = useState<Made | null>(null);
  const [isPending, startTransition] = useTransition();

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    startTransition(async () => {
      const [name, asked, lifetime] = ['name', 'role', 'lifetime'].map((field) =>
        String(data.get(field)),
      );
      setMade(await makeToken(name ?? '', asked ?? '', lifetime ?? ''));
      router.refresh();
    });
  };

  return (
    <div className="space-y-3">
      <form
        onSubmit={submit}
        aria-label="Make a token"
        className="grid items-end gap-3 sm:grid-cols-[1fr_8rem_9rem_auto]"
      >
        <Field id="token-name" label="For whom">
          <Input id="token-name" name="name" required maxLength={80} placeholder="lab machine" />
        </Field>
        <Field id="token-role" label="Role">
          <Select id="token-role" name="role" defaultValue={initialRole}>
            <option value="worker">worker</option>
            <option value="member">member</option>
            <option value="admin">admin</option>
          </Select>
        </Field>
        <Field id="token-lifetime" label="Valid for">
          <Select id="token-lifetime" name="lifetime" defaultValue="365">
            {LIFETIMES.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
        <Button type="submit" disabled={isPending}>
          Make token
        </Button>
      </form>
      {made?.ok === false && (
        <Notice tone="rose" alert>
          {made.message}
        </Notice>
      )}
      {made?.ok && (
        <div role="status">
          <p className="mb-1 text-[0.8125rem]">
            The token for {made.name}. Copy it now: it is not shown again.
          </p>
          <Command label="the token" text={made.secret} />
        </div>
      )}
    </div>
  );
}
