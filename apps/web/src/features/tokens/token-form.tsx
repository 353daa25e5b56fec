'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { Command } from '@/ui/copy';
import { Field, Select } from '@/ui/field';
import { Notice } from '@/ui/notice';
import type { Made } from './make-token';
import { MakeTokenForm } from './make-token-form';

/** Makes a token; for admins. The secret is shown here and never again. */
export function TokenForm({ initialRole = 'worker' }: { initialRole?: 'worker' | 'member' }) {
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
        label="Make a token"
        whom="For whom"
        columns="sm:grid-cols-[1fr_8rem_9rem_auto]"
        onMade={show}
      >
        <Field id="token-role" label="Role">
          <Select id="token-role" name="role" defaultValue={initialRole}>
            <option value="worker">worker</option>
            <option value="member">member</option>
            <option value="admin">admin</option>
          </Select>
        </Field>
      </MakeTokenForm>
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
