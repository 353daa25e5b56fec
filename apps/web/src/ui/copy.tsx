'use client';

import { useState } from 'react';
import { Button } from './button';

/** Copies a text, and says whether it could. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready');

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      // Clipboards are refused outside secure contexts; the text can still be selected.
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

/** A command to run, with a button that copies it. */
export function Command({ text, label }: { text: string; label: string }) {
  return (
    <div className="flex items-start gap-2 rounded-tile border border-line bg-sunken py-1.5 pr-1.5 pl-3">
      <code className="min-w-0 flex-1 py-1 text-xs leading-5 break-words whitespace-pre-wrap select-all">
        {text}
      </code>
      <CopyButton text={text} label={label} />
    </div>
  );
}
