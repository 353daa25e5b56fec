import { type Shape, shapeText } from '@tilemark/kernels';
import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { Answer } from '@/features/best/answer';
import { AnswerTable } from '@/features/best/answer-table';
import { WorkbenchForm } from '@/features/best/form';
import { type Question, questionQuery, workbenchQuerySchema } from '@/features/best/query';
import { snippet } from '@/features/best/snippet';
import { gpusOf, tableOf } from '@/features/best/workbench';
import { originOf } from '@/server/session/origin';
import { readable } from '@/server/session/visitor';
import { Command } from '@/ui/action';
import { Refused } from '@/ui/notice';
import { PageHeader, Panel, Section } from '@/ui/page';
import { parseQuery, type SearchParams, searchObject } from '@/ui/query';

export const metadata: Metadata = { title: 'Best kernels' };

/** Of a reader who has asked nothing yet: one row, many, and a square. */
const EXAMPLE: Readonly<Record<Question['op'], readonly Shape[]>> = {
  matmul: [
    { m: 1, n: 4096, k: 4096 },
    { m: 512, n: 4096, k: 4096 },
    { m: 4096, n: 4096, k: 4096 },
  ],
  transpose: [
    { rows: 4096, cols: 4096 },
    { rows: 65_536, cols: 16 },
  ],
};

export default async function BestPage({ searchParams }: { searchParams: SearchParams }) {
  const { store } = await readable();
  const given = searchObject(await searchParams);
  const { query: asked, refused } = parseQuery(workbenchQuerySchema, given);
  const gpus = await gpusOf(store);
  const question = {
    ...asked,
    shapes: asked.shapes.length > 0 ? asked.shapes : EXAMPLE[asked.op],
    gpus: asked.gpus.length > 0 ? asked.gpus : gpus.slice(0, 1).map(({ id }) => id),
  };
  const rows = await tableOf(store, question, gpus);
  const [only] = rows.length === 1 ? rows : [];
  const { show, ...rest } = given;
  const fold = {
    isOpen: show === 'wgsl',
    href: `?${new URLSearchParams(show === 'wgsl' ? rest : { ...rest, show: 'wgsl' })}#wgsl`,
  };
  const origin = originOf(await headers());
  return (
    <>
      <PageHeader title="Best kernels">
        The fastest known variant for each shape on each GPU.
      </PageHeader>
      <Refused reasons={refused} reset="/best" />
      <Panel className="p-4">
        {/* The key resets the controls when the address changes. */}
        <WorkbenchForm key={String(questionQuery(question))} question={question} gpus={gpus} />
      </Panel>
      <div className="mt-6">
        <AnswerTable rows={rows} question={question} isAll={given.rows === 'all'} />
      </div>
      {only?.best && <Answer best={only.best} fold={fold} />}
      {only?.best?.wgsl && (
        <Section id="api" title="From a program">
          <details>
            <summary className="mb-2 text-[0.8125rem]">
              A program that asks this grid for the GPU it runs on
            </summary>
            <Command text={snippet(origin, only.problem, only.best.profile)} label="the program" />
          </details>
        </Section>
      )}
      {rows.some(({ best }) => best === null || best.fallback === 'portable') && (
        <Section id="tune" title="Find it yourself" note="two minutes on that GPU">
          <Command
            label="the command that tunes"
            text={`npx -y ${origin}/worker.tgz tune --op ${question.op} --shape ${shapeText(rows[0]?.problem as never)} --dtype ${question.dtype} --profile ${question.profile} --budget 2m`}
          />
        </Section>
      )}
    </>
  );
}
