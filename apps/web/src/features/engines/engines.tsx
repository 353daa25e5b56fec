'use client';

import {
  ENGINE_NAMES,
  type EngineSays,
  engineFindings,
  nagaSays,
  webkitSays,
} from '@tilemark/core/contributed';
import { ifValid } from '@tilemark/kernels';
import { useEffect, useState } from 'react';
import { ScrollBox } from '@/ui/scroll-box';
import { DataTable } from '@/ui/table';
import { askBrowser, askNaga } from './ask';

/** A kernel as it runs, for Tint and WebKit, and for naga, which enables subgroups by no line. */
export interface EngineTexts {
  readonly tint: string;
  readonly naga: string;
  /** That its author wrote; absent: all. */
  readonly lines?: number;
}

interface Answers {
  readonly says: readonly EngineSays[];
  readonly written: Readonly<Record<string, string>>;
}

/** A line per engine: what each says of a kernel, and what it becomes. Rendered in browsers only. */
export function Engines({ texts: { lines = Infinity, naga, tint } }: { texts: EngineTexts }) {
  const [answers, setAnswers] = useState<Answers | null>(null);
  useEffect(() => {
    let isStale = false;
    setAnswers(null);
    void answersTo({ lines, naga, tint }).then((all) => {
      if (!isStale) setAnswers(all);
    });
    return () => {
      isStale = true;
    };
  }, [lines, naga, tint]);
  if (!answers) return <p className="text-muted">Reading it with each engine…</p>;
  return (
    <div className="space-y-3 text-[0.8125rem]">
      <DataTable
        caption="What each engine says"
        rows={answers.says}
        keyOf={({ engine }) => engine}
        columns={[
          { head: 'Engine', cell: ({ engine }) => ENGINE_NAMES[engine] },
          {
            head: 'Says',
            cell: ({ line, says }) => says + (line === null ? '' : `, line ${line}`),
          },
          { head: 'Why', className: 'whitespace-normal', cell: ({ why }) => why },
        ]}
      />
      {(ifValid(() => engineFindings(tint)) ?? []).map(({ line, message }) => (
        <p key={line} className="text-amber">
          Line {line}: {message}
        </p>
      ))}
      {Object.entries(answers.written).map(([language, text]) => (
        <details key={language}>
          <summary>What naga makes of it: {language}</summary>
          <ScrollBox aria-label={language} className="max-h-96 bg-sunken p-3">
            <pre>{text}</pre>
          </ScrollBox>
        </details>
      ))}
    </div>
  );
}

/** One line per engine: this browser’s own compiler where it is that engine’s, else what else is known. */
async function answersTo({ lines, naga, tint }: Required<EngineTexts>): Promise<Answers> {
  const [here, read] = await Promise.all([askBrowser({ naga, tint }, lines), askNaga(naga)]);
  const untried: EngineSays = {
    ...{ engine: 'tint', says: 'not tried', line: null },
    why: 'a Chrome that shows this page compiles it',
  };
  const others = [untried, nagaSays([read], lines), webkitSays(tint)];
  const says = others.map((said) => (here?.engine === said.engine ? here : said));
  return { says, written: read.written ?? {} };
}
