'use client';

import { useRouter } from 'next/navigation';
import { useState, useTransition } from 'react';
import { Button } from './button';
import { refusal } from './request';

export interface ActionProps {
  /** What is asked of the API, and how. */
  readonly url: string;
  readonly method?: 'POST' | 'DELETE';
  readonly children: string;
  /** What the action is on, for people who do not see the row. */
  readonly label: string;
  /** Asked before what cannot be taken back. */
  readonly question?: string;
}

/** A button that changes something by the API and shows the page anew, or why it was refused. */
export function Action({ url, method = 'POST', children, label, question }: ActionProps) {
  const router = useRouter();
  const [isPending, startTransition] = useTransition();
  const [problem, setProblem] = useState<string | null>(null);

  const act = () => {
    if (question !== undefined && !window.confirm(question)) return;
    startTransition(async () => {
      setProblem(await refusal(url, { method }));
      router.refresh();
    });
  };

  return (
    <>
      <Button
        look="quiet"
        className="-ml-2 h-7 px-2"
        onClick={act}
        disabled={isPending}
        aria-label={`${children} ${label}`}
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
