'use client';

import { type BenchFile, benchFileIn, benchLines, sweepImportedSchema } from '@tilemark/core';
import { InputError } from '@tilemark/kernels';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { z } from 'zod';
import { Command } from '@/ui/action';
import { Button, linkStyle, TextLink } from '@/ui/button';
import { controlStyle, describedBy, Field } from '@/ui/field';
import { useRequestForm } from '@/ui/form';
import { LogIn } from '@/ui/navigation';
import { type Answer, ask } from '@/ui/request';

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
        Import the file here. Its results become a finished sweep, marked as imported by you.
        <div className="mt-1.5">
          {maySubmit ? (
            <ImportForm />
          ) : (
            <p className="text-[0.8125rem] text-muted">
              <LogIn to="import results" />
            </p>
          )}
        </div>
      </li>
    </ol>
  );
}

const fileSchema = z.object({ file: z.custom<FileList>() }).transform(({ file }, context): File => {
  const [first] = file;
  if (first) return first;
  context.addIssue({ code: 'custom', path: ['file'], message: 'Choose a file.' });
  return z.NEVER;
});

/** Sends a file written by `bench --json`; the value is the page of what came of it. */
async function send(file: File): Promise<Answer<{ page: string; isNew: boolean }>> {
  let body: string;
  try {
    body = benchLines(benchFileIn(new Uint8Array(await file.arrayBuffer())) as BenchFile);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { ok: false, field: null, message: `The file ${error.message}.` };
  }
  const answer = await ask('/api/v1/results/import', {
    body,
    type: 'application/x-ndjson',
    answer: sweepImportedSchema,
  });
  if (!answer.ok) return answer;
  const { id, isNew } = answer.value;
  return { ok: true, value: { page: `/sweeps/${encodeURIComponent(id)}`, isNew } };
}

/** Uploads a file and opens the resulting page, or shows what is wrong. */
function ImportForm() {
  const router = useRouter();
  const [known, setKnown] = useState<string | null>(null);
  const { field, isPending, onSubmit } = useRequestForm({
    id: 'results',
    schema: fileSchema,
    defaultValues: { file: [] as unknown as FileList },
    controlOf: () => 'file',
    send: async (file) => {
      setKnown(null);
      const answer = await send(file);
      if (!answer.ok) {
        const { field = null, message } = answer;
        const sentence = message.endsWith('.') ? message : `${message}.`;
        const about = `${field ? `${field}: ` : ''}${sentence} Nothing was imported from ${file.name}.`;
        return { ...answer, field: 'file', message: about };
      }
      const { isNew, page } = answer.value;
      if (isNew) router.push(page);
      else setKnown(page);
      return answer;
    },
  });
  const { error, id, ...control } = field('file');
  return (
    <form onSubmit={onSubmit} noValidate aria-label="Import results">
      <Field id={id} label="File of results" error={error}>
        <div className="flex items-center gap-3">
          <input
            {...describedBy(id, error)}
            {...control}
            type="file"
            accept=".json,application/json"
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
