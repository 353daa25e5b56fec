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

/** WGSL, highlighted on the server for both colour schemes. Scrolls in its own box. */
export async function WgslCode({ source, label }: { source: string; label: string }) {
  const shiki = await openHighlighter();
  const html = shiki.codeToHtml(source, {
    lang: 'wgsl',
    themes: { light: 'github-light-default', dark: 'github-dark-default' },
    defaultColor: 'light-dark()',
    // The box around it takes the focus.
    tabindex: false,
  });
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container has to take focus
      tabIndex={0}
      className="max-h-[36rem] overflow-auto rounded-tile border border-line bg-surface py-3 pr-4 text-xs leading-[1.2rem]"
      // biome-ignore lint/security/noDangerouslySetInnerHtml: Shiki escapes the source it marks up
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}
