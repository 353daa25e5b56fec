'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useRouter } from 'next/navigation';
import { useTransition } from 'react';
import { type DefaultValues, type FieldValues, type Path, useForm } from 'react-hook-form';
import type { z } from 'zod';
import type { Answer } from './request';
import { useHydrated } from './use-hydrated';

/**
 * A form of the site: a zod schema checks its values and makes the request of them, `send` asks the API,
 * and what either refuses is told at its control, which takes the focus. What has none is `failure`.
 * Until the page is there that `send` opens, the form is pending.
 *
 * @param id begins the ids of its controls
 * @param controlOf the control for a field of the request; absent: they have the same names
 */
export function useRequestForm<Schema extends z.ZodType<unknown, FieldValues>>({
  id,
  schema,
  defaultValues,
  send,
  controlOf = (field) => (field in defaultValues ? (field as Path<z.input<Schema>>) : null),
}: {
  id: string;
  schema: Schema;
  defaultValues: z.input<Schema>;
  send: (request: z.output<Schema>, open: (href: string) => void) => Promise<Answer<unknown>>;
  controlOf?: (field: string) => Path<z.input<Schema>> | null;
}) {
  const form = useForm<z.input<Schema>, unknown, z.output<Schema>>({
    defaultValues: defaultValues as DefaultValues<z.input<Schema>>,
    resolver: zodResolver(schema),
  });
  const { formState } = form;
  const router = useRouter();
  const [isOpening, startOpening] = useTransition();
  const submit = form.handleSubmit(async (request) => {
    const answer = await send(request, (href) => startOpening(() => router.push(href)));
    if (answer.ok) return;
    const control = answer.field === null ? null : controlOf(answer.field);
    form.setError(control ?? 'root', { message: answer.message }, { shouldFocus: true });
  });
  const isHydrated = useHydrated();
  /** What a labelled control needs: its id, its error, and its value. */
  const field = (name: Path<z.input<Schema>>) => {
    return {
      id: `${id}-${name}`.replaceAll('.', '-'),
      error: form.getFieldState(name, formState).error?.message,
      ...form.register(name),
      // Hydration would discard what is typed before it.
      disabled: !isHydrated,
    };
  };
  return {
    form,
    field,
    failure: formState.errors.root?.message,
    isPending: formState.isSubmitting || isOpening,
    isHydrated,
    onSubmit: (event: { preventDefault(): void }) => void submit(event as never),
  };
}

export type RequestForm<Schema extends z.ZodType<unknown, FieldValues>> = ReturnType<
  typeof useRequestForm<Schema>
>;
