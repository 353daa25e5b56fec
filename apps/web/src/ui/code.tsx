import { diffLines } from 'diff';
import { createHighlighterCore, type HighlighterCore, type ShikiTransformer } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import wgsl from 'shiki/langs/wgsl.mjs';
import githubLight from 'shiki/themes/github-light-default.mjs';
import { ButtonLink } from './button';
import { formatCount } from './format';
import { ScrollBox } from './scroll-box';

let highlighter: Promise<HighlighterCore> | undefined;

const openHighlighter = () => {
  highlighter ??= createHighlighterCore({
    langs: [wgsl],
    themes: [githubLight],
    engine: createJavaScriptRegexEngine(),
  });
  return highlighter;
};

/** Classes of globals.css by the theme's colours; plain text needs none. */
const CLASSES: ReadonlyMap<string, string> = new Map([
  ['#CF222E', 'keyword'],
  ['#0550AE', 'constant'],
  ['#8250DF', 'function'],
  ['#953800', 'name'],
  ['#6E7781', 'comment'],
]);

/**
 * Short classes instead of inline colours: an unrolled kernel has thousands of tokens, and a page
 * contains its code twice, as markup and for React.
 */
const CLASSED: ShikiTransformer = {
  line(node) {
    node.children = node.children.flatMap((token) => {
      if (token.type !== 'element') return [token];
      const name = CLASSES.get(String(token.properties.style).replace('color:', ''));
      if (name === undefined) return token.children;
      return [{ ...token, properties: { class: name } }];
    });
  },
};

/** Highlighting an unrolled kernel takes about 0.2 s, and readers request the same text. */
const MOST_KEPT = 50;
const kept = new Map<string, string>();

/**
 * Highlighted WGSL, cached if requested recently.
 *
 * @param kinds a class per line, if any
 */
async function highlighted(source: string, kinds: readonly string[] = []): Promise<string> {
  const key = JSON.stringify([source, kinds]);
  const shiki = await openHighlighter();
  const html =
    kept.get(key) ??
    shiki.codeToHtml(source, {
      lang: 'wgsl',
      theme: 'github-light-default',
      mergeSameStyleTokens: true,
      // The box around it takes focus.
      tabindex: false,
      transformers: [
        CLASSED,
        {
          pre(node) {
            node.properties.style = undefined;
          },
          line(node, number) {
            const kind = kinds[number - 1];
            if (kind) this.addClassToHast(node, kind);
          },
        },
      ],
    });
  kept.delete(key);
  kept.set(key, html);
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  return html;
}

/** Where long code is whole, and where it is not: pages of one section each way. */
export interface Fold {
  readonly isOpen: boolean;
  /** The page with this code the other way. */
  readonly href: string;
}

/**
 * WGSL, highlighted on the server for both colour schemes. Scrolls in its own box.
 *
 * @param fold all of a long source is sent on demand only
 */
export async function WgslCode({
  source,
  label,
  fold,
}: {
  source: string;
  label: string;
  fold?: Fold;
}) {
  const lines = source.split('\n');
  const part = partOf(lines, fold);
  const html = await highlighted(part.shown.join('\n'));
  return <CodeBox label={label} html={html} lines={lines.length} fold={part.fold} />;
}

/** Text as it is, in the same box: its columns stay in line, and it scrolls sideways. */
export function PlainCode({ source, label }: { source: string; label: string }) {
  return (
    <ScrollBox
      aria-label={label}
      className="scroll-hint max-h-[36rem] border border-line p-3 leading-[1.2rem]"
    >
      <pre>{source}</pre>
    </ScrollBox>
  );
}

/** Lines that are comments alone say nothing of what changed. */
const withoutComments = (source: string): string => source.replaceAll(/^\s*\/\/.*\n/gm, '');

/** A line diff of two WGSL sources, marked `+` and `−`, without lines of comment. */
export async function WgslDiff({
  before,
  after,
  label,
  fold,
}: {
  before: string;
  after: string;
  label: string;
  fold?: Fold;
}) {
  const lines = diffLines(withoutComments(before), withoutComments(after)).flatMap(
    ({ added, removed, value }) =>
      value
        .replace(/\n$/, '')
        .split('\n')
        .map((text) => ({ text, kind: added ? 'added' : removed ? 'removed' : 'kept' })),
  );
  const part = partOf(lines, fold);
  const html = await highlighted(
    part.shown.map(({ text }) => text).join('\n'),
    part.shown.map(({ kind }) => kind),
  );
  return <CodeBox label={label} html={html} lines={lines.length} fold={part.fold} isDiff />;
}

/** As many lines as the box shows at once, none of them cut: its height below follows. */
const MOST_LINES = 29;

/** More of them weigh more than the rest of a page, which contains them twice. */
const MOST_SENT = 150;

/** What is sent of a code: of a long one the first screen, all of it on demand. */
export function partOf<Line>(lines: readonly Line[], fold: Fold | undefined) {
  if (!fold || lines.length <= MOST_SENT) return { shown: lines, fold: null };
  return { shown: fold.isOpen ? lines : lines.slice(0, MOST_LINES), fold };
}

function CodeBox({
  label,
  html,
  lines,
  fold,
  isDiff = false,
}: {
  label: string;
  html: string;
  lines: number;
  fold: Fold | null;
  isDiff?: boolean;
}) {
  const all = `Show all ${formatCount(lines)} lines`;
  return (
    <>
      <ScrollBox
        aria-label={label}
        data-diff={isDiff || undefined}
        className={`scroll-hint border border-line py-3 pr-4 leading-[1.2rem] data-diff:pr-0 ${fold?.isOpen ? '' : 'max-h-[calc(29*1.2rem+0.75rem+2px)]'}`}
        // biome-ignore lint/security/noDangerouslySetInnerHtml: Shiki escapes the source it marks up
        dangerouslySetInnerHTML={{ __html: html }}
      />
      {fold && (
        <ButtonLink
          href={fold.href}
          scroll={false}
          look="quiet"
          className="mt-1 -ml-3"
          aria-label={fold.isOpen ? `Show less of the ${label}` : `${all} of the ${label}`}
        >
          {fold.isOpen ? 'Show less' : all}
        </ButtonLink>
      )}
    </>
  );
}
