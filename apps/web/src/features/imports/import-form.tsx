'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useState, useTransition } from 'react';
import { submitResults } from '@/features/sweeps/new/submit';
import { Button } from '@/ui/button';
import { controlStyle, describedBy, Field } from '@/ui/field';

/** Uploads a file of `bench --json` and shows the sweep that it became, or what is wrong and where. */
export function ImportForm() {
  const router = useRouter();
  const [isPending, startTransition] = useTransition();
  const [problem, setProblem] = useState<string | undefined>();

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const file = new FormData(event.currentTarget).get('file');
    if (!(file instanceof File)) return;
    startTransition(async () => {
      const answer = await submitResults(file);
      if (answer.ok) return router.push(`/sweeps/${encodeURIComponent(answer.id)}`);
      const { field, message } = answer;
      setProblem(`${field ? `${field}: ` : ''}${message} Nothing was kept of ${file.name}.`);
    });
  };

  return (
    <form onSubmit={submit} aria-label="Import results">
      <Field id="results-file" label="results.json" error={problem}>
        <div className="flex items-center gap-3">
          <input
            {...describedBy('results-file', problem, false)}
            type="file"
            name="file"
            accept=".json,application/json"
            required
            onChange={() => setProblem(undefined)}
            className={`${controlStyle} py-1`}
          />
          <Button type="submit" disabled={isPending}>
            {isPending ? 'Importing…' : 'Import'}
          </Button>
        </div>
      </Field>
    </form>
  );
}
