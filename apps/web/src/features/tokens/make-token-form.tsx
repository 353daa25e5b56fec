'use client';

import { type FormEvent, type ReactNode, useTransition } from 'react';
import { Button } from '@/ui/button';
import { Field, Input, Select } from '@/ui/field';
import { LIFETIMES } from './expiry';
import { type Made, makeToken } from './make-token';

/**
 * Asks for a token and hands on what came of it.
 *
 * @param id begins the ids of its fields
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
    const text = (field: string) => String(data.get(field) ?? '');
    startTransition(async () => {
      onMade(await makeToken(text('name'), text('role'), text('lifetime')));
    });
  };
  return (
    <form onSubmit={submit} aria-label={label} className={`grid items-end gap-3 ${columns}`}>
      <Field id={`${id}-name`} label={whom}>
        <Input id={`${id}-name`} name="name" required maxLength={80} placeholder="lab machine" />
      </Field>
      {children}
      <Field id={`${id}-lifetime`} label="Valid for">
        <Select id={`${id}-lifetime`} name="lifetime" defaultValue="365">
          {LIFETIMES.map((lifetime) => (
            <option key={lifetime.id} value={lifetime.id}>
              {lifetime.name}
            </option>
          ))}
        </Select>
      </Field>
      <Button type="submit" disabled={isPending}>
        Make token
      </Button>
    </form>
  );
}
