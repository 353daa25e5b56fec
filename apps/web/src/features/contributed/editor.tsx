'use client';

import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { wgsl } from '@iizukak/codemirror-lang-wgsl';
import { tagHighlighter, tags } from '@lezer/highlight';
import { useEffect, useEffectEvent, useRef } from 'react';
import type { Problem } from './problems';

/** Classes of globals.css, as those of code highlighted on the server. */
const HIGHLIGHTER = tagHighlighter([
  { tag: [tags.keyword, tags.modifier, tags.operator], class: 'keyword' },
  { tag: [tags.number, tags.bool, tags.typeName], class: 'constant' },
  { tag: tags.function(tags.variableName), class: 'function' },
  { tag: [tags.meta, tags.attributeName], class: 'name' },
  { tag: tags.comment, class: 'comment' },
]);

const THEME = EditorView.theme({
  '&': { height: '100%', fontSize: '0.75rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '2px' },
  '.cm-scroller': { fontFamily: 'var(--font-geist-mono), monospace', lineHeight: '1.2rem' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-content:focus-visible': { outline: 'none' },
  '.cm-gutters': { background: 'var(--surface)', color: 'var(--muted)', border: 'none' },
  '.cm-tooltip': {
    background: 'var(--surface)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
  },
  '.cm-diagnostic': { whiteSpace: 'pre-wrap', maxWidth: '32rem' },
});

/** A WGSL editor with marks where something is wrong. Tab leaves it, so that it traps nobody. */
export function WgslEditor({
  initial,
  label,
  describedBy,
  problems,
  goTo,
  onChange,
}: {
  /** What it opens with; each object opens once, and later changes are the reader's own. */
  initial: { readonly text: string };
  label: string;
  describedBy: string;
  problems: readonly Problem[];
  /** A line to move to; each object moves once. */
  goTo: { readonly line: number } | null;
  onChange: (source: string, isPasted: boolean) => void;
}) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const changed = useEffectEvent(onChange);

  useEffect(() => {
    if (!host.current) return;
    const view = new EditorView({
      parent: host.current,
      doc: initial.text,
      extensions: [
        ...[lineNumbers(), lintGutter(), history(), bracketMatching(), indentOnInput()],
        ...[wgsl(), syntaxHighlighting(HIGHLIGHTER), THEME, EditorState.tabSize.of(2)],
        keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
        EditorView.contentAttributes.of({
          'aria-label': label,
          'aria-describedby': describedBy,
          tabindex: '0',
        }),
        EditorView.updateListener.of(({ docChanged, state, transactions }) => {
          const isPasted = transactions.some((each) => each.isUserEvent('input.paste'));
          if (docChanged) changed(state.doc.toString(), isPasted);
        }),
      ],
    });
    editor.current = view;
    return () => view.destroy();
  }, [initial, label, describedBy]);

  useEffect(() => {
    const view = editor.current;
    if (!view) return;
    const { doc } = view.state;
    const marks = problems.flatMap(({ column = 1, isWarning, line, message }) => {
      if (line === null || line > doc.lines) return [];
      const { from, to } = doc.line(line);
      const at = Math.min(from + Math.max(column - 1, 0), to);
      const severity = isWarning ? ('warning' as const) : ('error' as const);
      return [{ from: column > 1 ? at : from, to: Math.max(to, at), severity, message }];
    });
    view.dispatch(setDiagnostics(view.state, marks));
  }, [problems]);

  useEffect(() => {
    const view = editor.current;
    if (!view || !goTo) return;
    const { from } = view.state.doc.line(Math.min(goTo.line, view.state.doc.lines));
    view.dispatch({ selection: { anchor: from }, scrollIntoView: true });
    view.focus();
  }, [goTo]);

  return (
    <div
      ref={host}
      className="h-[36rem] min-w-0 overflow-hidden rounded-tile border border-line-strong bg-surface"
    />
  );
}
