import { diffLines } from 'diff';
import { createHighlighterCore, type HighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import wgsl from 'shiki/langs/wgsl.mjs';
import githubDark from 'shiki/themes/github-dark-default.mjs';
import githubLight from 'shiki/themes/github-light-default.mjs';

let highlighter: Promise<HighlighterCore> | undefined;

const openHighlighter = () => {
  highlighter ??= createHighlighterCore({
    langs: [wgsl],
    themes: [githubLight, githubDark],
    engine: createJavaScriptRegexEngine(),
  });
  return highlighter;
};

const OPTIONS = {
  lang: 'wgsl',
  themes: { light: 'github-light-default', dark: 'github-dark-default' },
  defaultColor: 'light-dark()',
  // The box around it takes the focus.
  tabindex: false,
} as const;

/** WGSL, highlighted on the server for both colour schemes. Scrolls in its own box. */
export async function WgslCode({ source, label }: { source: string; label: string }) {
  const shiki = await openHighlighter();
  return <CodeBox label={label} html={shiki.codeToHtml(source, OPTIONS)} />;
}

/** Lines of WGSL that came and went between two sources, each marked `+` or `−`. */
export async function WgslDiff({
  before,
  after,
  label,
}: {
  before: string;
  after: string;
  label: string;
}) {
  const shiki = await openHighlighter();
  const lines = diffLines(before, after).flatMap(({ added, removed, value }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map((text) => ({ text, kind: added ? 'added' : removed ? 'removed' : 'kept' })),
  );
  const html = shiki.codeToHtml(lines.map(({ text }) => text).join('\n'), {
    ...OPTIONS,
    transformers: [
      {
        line(node, number) {
          this.addClassToHast(node, lines[number - 1]?.kind ?? 'kept');
        },
      },
    ],
  });
  return <CodeBox label={label} html={html} isDiff />;
}

function CodeBox({
  label,
  html,
  isDiff = false,
}: {
  label: string;
  html: string;
  isDiff?: boolean;
}) {
  return (
    <section
      aria-label={label}
      data-diff={isDiff || undefined}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container has to take focus
      tabIndex={0}
      className="max-h-[36rem] overflow-auto rounded-tile border border-line bg-surface py-3 pr-4 text-xs leading-[1.2rem] data-diff:pr-0"
      // biome-ignore lint/security/noDangerouslySetInnerHtml: Shiki escapes the source it marks up
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}
