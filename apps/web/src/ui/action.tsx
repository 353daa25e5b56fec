'use client';

/**
 * The site's building blocks, independent of any feature: buttons, fields, tables, plots, page state
 * in the URL, and the format of numbers and dates.
 */
import { useRouter } from 'next/navigation';
import { useState, useTransition } from 'react';
import { Button } from './button';
import { ask } from './request';

/**
 * A button that calls the API and refreshes the page, or shows why the call was refused.
 *
 * @param body sent as JSON
 * @param label what the action applies to, for readers who do not see the row; absent: there is no row
 * @param question confirmed before something that cannot be undone
 * @param next where to go afterwards; absent: the page stays
 */
export function Action({
  url,
  method = 'POST',
  body,
  children,
  label,
  question,
  next,
}: {
  url: string;
  method?: 'POST' | 'DELETE';
  body?: object;
  children: string;
  label?: string;
  question?: string;
  next?: string;
}) {
  const router = useRouter();
  const [isPending, startTransition] = useTransition();
  const [problem, setProblem] = useState<string | null>(null);

  const act = () => {
    if (question !== undefined && !window.confirm(question)) return;
    startTransition(async () => {
      const request = { method, ...(body && { body: JSON.stringify(body) }) };
      const answer = await ask(url, request);
      setProblem(answer.ok ? null : answer.message);
      if (answer.ok && next !== undefined) router.push(next);
      else router.refresh();
    });
  };

  return (
    <>
      <Button
        look="quiet"
        className="-ml-2 h-7 px-2"
        onClick={act}
        disabled={isPending}
        aria-label={label && `${children} ${label}`}
      >
        {children}
      </Button>
      {problem && (
        <span role="alert" className="block max-w-64 text-xs whitespace-normal text-rose">
          {problem}
        </span>
      )}
    </>
  );
}

/**
 * Copies a text and says whether that worked.
 *
 * @param from instead of a text that a page does not have: the kernel of the API whose WGSL is copied
 */
export function CopyButton({
  label,
  ...source
}: { label: string } & ({ text: string } | { from: string })) {
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready');

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(
        'text' in source ? source.text : await wgslOf(source.from),
      );
      setState('copied');
    } catch {
      // Browsers refuse the clipboard outside secure contexts; the text can still be selected.
      setState('refused');
    }
    setTimeout(() => setState('ready'), 2_000);
  };

  return (
    <Button look="quiet" onClick={() => void copy()} aria-label={`Copy ${label}`} className="h-7">
      <span aria-live="polite">
        {{ ready: 'Copy', copied: 'Copied', refused: 'Select and copy' }[state]}
      </span>
    </Button>
  );
}

async function wgslOf(url: string): Promise<string> {
  const answer = await fetch(url);
  const { wgsl } = (await answer.json()) as { readonly wgsl?: unknown };
  if (typeof wgsl !== 'string') throw new Error(`no WGSL at ${url}`);
  return wgsl;
}

/**
 * A command to run, with a button that copies it.
 *
 * @param missing what the reader has to do before the command works: said in place of the button
 */
export function Command({
  text,
  label,
  missing,
}: {
  text: string;
  label: string;
  missing?: string | undefined;
}) {
  const isProgram = text.includes('\n');
  return (
    <div
      className={`flex items-start gap-x-2 rounded-tile border border-line bg-sunken py-1.5 pr-1.5 pl-3 has-[.missing]:max-sm:flex-col ${isProgram ? 'max-sm:flex-col-reverse max-sm:items-end' : ''}`}
    >
      <code className="min-w-0 flex-1 self-stretch py-1 text-xs leading-5 break-words whitespace-pre-wrap select-all">
        <CommandText text={text} />
      </code>
      {missing ? (
        <span className="missing py-1 text-xs leading-5 text-muted sm:px-2">{missing}</span>
      ) : (
        <CopyButton text={text} label={label} />
      )}
    </div>
  );
}

/** A command whose lines break between options, not inside their names. */
export const CommandText = ({ text }: { text: string }) =>
  text.split(/(?<=\s)(--?[\w-]+)/).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts stay where they are
      <span key={index} className="whitespace-nowrap">
        {part}
      </span>
    ),
  );
