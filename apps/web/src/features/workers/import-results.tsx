'use client';

import { referenceImportedSchema, sweepImportedSchema } from '@tilemark/core';
import { useRouter } from 'next/navigation';
import { type FormEvent, useState, useTransition } from 'react';
import { Command } from '@/ui/action';
import { Button, linkStyle, TextLink } from '@/ui/button';
import { controlStyle, describedBy, Field } from '@/ui/field';
import { LoginLink } from '@/ui/navigation';
import { ask } from '@/ui/request';

/** How to bring in results from a machine that cannot reach this grid. */
export function ImportResults({ maySubmit }: { maySubmit: boolean }) {
  return (
    <ol className="max-w-3xl list-inside list-decimal space-y-5 marker:font-medium marker:text-muted">
      <li>
        Copy{' '}
        <a className={linkStyle} href="/worker.tgz" download>
          worker.tgz
        </a>{' '}
        to the machine and run the benchmark there. It needs <code>webgpu</code>, which comes from
        npm; for a machine without any network, see{' '}
        <TextLink href="/docs/operate#machines-without-a-path-to-the-grid">
          Attach and operate
        </TextLink>
        .
        <div className="mt-1.5">
          <Command
            label="the command that measures"
            text="npx -y ./worker.tgz bench --suite starter --json results.json"
          />
        </div>
      </li>
      <li>
        Import the file here. Its results become a finished sweep, marked as imported by you. A file
        written by <code>bench/side-by-side</code> is added to the reference figures, which are
        shown beside the board and never ranked.
        <div className="mt-1.5">
          {maySubmit ? (
            <ImportForm />
          ) : (
            <p className="text-[0.8125rem] text-muted">
              <LoginLink className={linkStyle}>Log in</LoginLink> with a member or admin token to
              import results.
            </p>
          )}
        </div>
      </li>
    </ol>
  );
}

/** How a file of `bench/side-by-side`, or of a library alone, begins. */
const FIGURES = /^\s*\{\s*"(date|about)"/;

/** Uploads a file written by `bench --json` or by `bench/side-by-side` and opens the resulting sweep, or shows what is wrong. */
function ImportForm() {
  const router = useRouter();
  const [isPending, startTransition] = useTransition();
  const [problem, setProblem] = useState<string | undefined>();
  const [known, setKnown] = useState<string | null>(null);

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const file = new FormData(event.currentTarget).get('file');
    if (!(file instanceof File)) return;
    startTransition(async () => {
      const isFigures = FIGURES.test(await file.slice(0, 100).text());
      const answer = isFigures
        ? await ask('/api/v1/reference', { body: file, answer: referenceImportedSchema })
        : await ask('/api/v1/results/import', { body: file, answer: sweepImportedSchema });
      if (answer.ok) {
        const { value } = answer;
        if ('figures' in value) return router.push('/?groups=gpu,reference');
        const sweep = `/sweeps/${encodeURIComponent(value.id)}`;
        return value.isNew ? router.push(sweep) : setKnown(sweep);
      }
      const { field, message } = answer;
      setProblem(`${field ? `${field}: ` : ''}${message} Nothing was imported from ${file.name}.`);
    });
  };

  return (
    <form onSubmit={submit} aria-label="Import results">
      <Field id="results-file" label="File of results" error={problem} isAlert>
        <div className="flex items-center gap-3">
          <input
            {...describedBy('results-file', problem, false)}
            type="file"
            name="file"
            accept=".json,application/json"
            required
            onChange={() => {
              setProblem(undefined);
              setKnown(null);
            }}
            className={`${controlStyle} py-1`}
          />
          <Button type="submit" disabled={isPending}>
            {isPending ? 'Importing…' : 'Import'}
          </Button>
        </div>
      </Field>
      <p role="status" className="text-[0.8125rem]">
        {known !== null && (
          <>
            The grid has these results already, in <TextLink href={known}>this sweep</TextLink>.
          </>
        )}
      </p>
    </form>
  );
}
