'use client';

/** Classes: a link that lets browsers in, and the problems that kernels are handed in for. */
import { type Invite, problemName } from '@tilemark/core';
import { InputError, type Problem, parseProblem } from '@tilemark/kernels';
import { z } from 'zod';
import { Button, TextLink } from '@/ui/button';
import { Moment } from '@/ui/facts';
import { InputField, SelectField } from '@/ui/field';
import { useRequestForm } from '@/ui/form';
import { Failure } from '@/ui/notice';
import { ask } from '@/ui/request';
import { DataTable } from '@/ui/table';
import { InviteNote } from '../workers/loopback-note';

const madeSchema = z.object({ id: z.string(), secret: z.string() });

const requestSchema = z.object({
  name: z.string().trim().min(1, 'Enter a name.').max(80),
  problems: z.string().transform((text, context): Problem[] => {
    try {
      return problemsIn(text);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  }),
  seats: z.coerce.number<string>().int().min(1).max(500),
  hours: z.coerce.number<string>(),
  trusted: z.enum(['', 'yes']).transform(Boolean),
});

/** `matmul 512, transpose 1024x768 f16`. Throws InputError for a part that is no problem. */
const problemsIn = (text: string): Problem[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => {
      const [op = '', shape = '', dtype = 'f32'] = part.split(/\s+/);
      return parseProblem({ op, shape, dtype });
    });

/**
 * @param origin of this grid, as the reader reaches it
 * @param mayTrust the reader's token is trusted, so that those of the class may be
 */
export function Classes({
  origin,
  invites,
  mayTrust,
}: {
  origin: string;
  invites: readonly Invite[];
  mayTrust: boolean;
}) {
  const { failure, field, isPending, onSubmit } = useRequestForm({
    id: 'class',
    schema: requestSchema,
    defaultValues: { name: '', problems: '', seats: '30', hours: '168', trusted: '' },
    controlOf: (name) => CONTROLS.find((control) => name.startsWith(control)) ?? null,
    send: async (request, open) => {
      const body = JSON.stringify(request);
      const answer = await ask('/api/v1/invites', { body, answer: madeSchema });
      // In the fragment, which no server sees: the grid keeps a hash of it.
      if (answer.ok) open(`/classes/${answer.value.id}#${answer.value.secret}`);
      return answer;
    },
  });

  return (
    <div className="max-w-3xl space-y-4">
      <p>
        Whoever opens its link joins under a name, without an account: to lend their browser’s GPU,
        and to hand in kernels.
      </p>
      <InviteNote origin={origin} />
      <form
        onSubmit={onSubmit}
        noValidate
        aria-label="Make a class"
        className="grid items-start gap-3 sm:grid-cols-6"
      >
        <div className="sm:col-span-2">
          <InputField {...field('name')} label="Class" placeholder="GPU programming" />
        </div>
        <div className="sm:col-span-4">
          <InputField
            {...field('problems')}
            label="Kernels asked"
            placeholder="matmul 512, transpose 1024x768 f16"
            hint="Without any, students only lend their GPUs, and the class has no table of kernels."
          />
        </div>
        <InputField {...field('seats')} label="Seats" inputMode="numeric" />
        <SelectField
          {...field('hours')}
          label="Valid for"
          options={[
            ['2', '2 hours'],
            ['24', '1 day'],
            ['168', '7 days'],
            ['720', '30 days'],
          ]}
        />
        {mayTrust && (
          <div className="sm:col-span-2">
            <SelectField
              {...field('trusted')}
              label="Results decide"
              options={[
                ['', 'no'],
                ['yes', 'yes: trusted'],
              ]}
            />
          </div>
        )}
        <div className="self-end sm:col-span-2">
          <Button type="submit" look="primary" disabled={isPending}>
            {isPending ? 'Making…' : 'Make class'}
          </Button>
        </div>
      </form>
      <Failure why={failure} />
      {invites.length > 0 && (
        <DataTable
          caption="Classes"
          rows={invites}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Class',
              cell: ({ id, name }) => <TextLink href={`/classes/${id}`}>{name}</TextLink>,
            },
            {
              head: 'Kernels asked',
              cell: ({ problems }) => problems.map(problemName).join(', ') || '–',
            },
            { head: 'Joined', isFigure: true, cell: ({ seats, used }) => `${used} of ${seats}` },
            { head: 'By', cell: ({ createdBy }) => createdBy },
            {
              head: 'Expires',
              className: 'text-muted',
              cell: ({ expiresAt }) => <Moment date={expiresAt} />,
            },
          ]}
        />
      )}
    </div>
  );
}

const CONTROLS = ['name', 'problems', 'seats', 'hours', 'trusted'] as const;
