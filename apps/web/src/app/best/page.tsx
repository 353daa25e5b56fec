import { gpuOf, questionQuery, questionSchema } from '@tilemark/core';
import { ifValid } from '@tilemark/kernels';
import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { Answer } from '@/features/best/answer';
import { AnswerTable } from '@/features/best/answer-table';
import { WorkbenchForm } from '@/features/best/form';
import { EXAMPLE } from '@/server/best/example';
import { snippet, tuneCommand } from '@/server/best/snippet';
import { originOf } from '@/server/session/origin';
import { readable } from '@/server/session/visitor';
import { Command } from '@/ui/action';
import { Refused } from '@/ui/notice';
import { PageHeader, Panel, Section } from '@/ui/page';
import { parseQuery, type SearchParams, searchObject } from '@/ui/query';

export const metadata: Metadata = { title: 'Best kernels' };

export default async function BestPage({ searchParams }: { searchParams: SearchParams }) {
  const { store } = await readable();
  const given = searchObject(await searchParams);
  const { show, rows: shown, ...asking } = given;
  const { query: asked, refused } = parseQuery(questionSchema, asking);
  const known = await store.gpus();
  const gpus = asked.gpus.filter((id) => {
    const isKnown = ifValid(() => gpuOf(id, known)) !== null;
    if (!isKnown) refused.push(`gpu: '${id}' is no GPU that is known here`);
    return isKnown;
  });
  const question = {
    ...asked,
    shapes: asked.shapes.length > 0 ? asked.shapes : EXAMPLE[asked.op],
    gpus: gpus.length > 0 ? gpus : known.slice(0, 1).map(({ id }) => id),
  };
  const rows = await store.best(question);
  const [only] = rows.length === 1 ? rows : [];
  const fold = {
    isOpen: show === 'wgsl',
    href: `?${new URLSearchParams(show === 'wgsl' ? asking : { ...asking, show: 'wgsl' })}#wgsl`,
  };
  const origin = originOf(await headers());
  const untimed = rows.find(({ best }) => !best?.quote);
  const search = untimed && tuneCommand(origin, question, untimed);
  return (
    <>
      <PageHeader title="Best kernels">
        The fastest known variant for each shape on each GPU.
      </PageHeader>
      <Refused reasons={refused} reset="/best" />
      <Panel className="p-4">
        {/* The key resets the controls when the address changes. */}
        <WorkbenchForm key={String(questionQuery(question))} question={question} gpus={known} />
      </Panel>
      <div className="mt-6">
        <AnswerTable rows={rows} question={question} isAll={shown === 'all'} />
      </div>
      {only?.best && <Answer best={only.best} fold={fold} />}
      {only?.best?.wgsl && (
        <Section id="api" title="From a program">
          <details>
            <summary className="mb-2 text-[0.8125rem]">
              A program that asks this grid for the GPU it runs on
            </summary>
            <Command text={snippet(origin, only.problem, only.best)} label="the program" />
          </details>
        </Section>
      )}
      {untimed && search && (
        <Section id="tune" title="Find it yourself" note="two minutes on that GPU">
          <Command label="the command that tunes" text={search} />
        </Section>
      )}
    </>
  );
}
