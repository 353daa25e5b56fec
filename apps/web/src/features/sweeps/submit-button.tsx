'use client';

import type { NewSweep } from '@tilemark/core';
import { useRouter } from 'next/navigation';
import { useState, useTransition } from 'react';
import { Button } from '@/ui/button';
import { Failure } from '@/ui/notice';
import { submitSweep } from '@/ui/request';

/** Submits a sweep and opens its page, or says why it was refused. */
export function SubmitButton({ sweep, children }: { sweep: NewSweep; children: string }) {
  const router = useRouter();
  const [isPending, startTransition] = useTransition();
  const [problem, setProblem] = useState<string | null>(null);
  const submit = () =>
    startTransition(async () => {
      const submitted = await submitSweep(sweep);
      if (submitted.ok) router.push(`/sweeps/${submitted.value.id}`);
      else setProblem(submitted.message);
    });
  return (
    <>
      <Button onClick={submit} disabled={isPending}>
        {children}
      </Button>
      <Failure why={problem} />
    </>
  );
}
