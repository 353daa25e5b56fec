import { diffLines } from 'diff';
import { createHighlighterCore, type HighlighterCore, type ShikiTransformer } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import wgsl from 'shiki/langs/wgsl.mjs';
import githubLight from 'shiki/themes/github-light-default.mjs';
import { ButtonLink } from './button';
import { formatCount } from './format';

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
 * @param from lines before these, for their numbers
 * @param kinds a class per line, if any
 */
async function highlighted(
  source: string,
  from = 0,
  kinds: readonly string[] = [],
): Promise<string> {
  const key = JSON.stringify([source, from, kinds]);
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
            node.properties.style = from > 0 ? `counter-reset: line ${from}` : undefined;
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
 * @param fold a long source is sent on demand only, and opens on its entry point
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
  const part = partOf(lines, fold, entryOf(lines), isComment);
  const html = await highlighted(part.shown.join('\n'), part.from);
  return <CodeBox label={label} html={html} lines={lines.length} {...part} />;
}

/**
 * Text as it is, in the same box: its columns stay in line, and it scrolls sideways.
 *
 * @param isWhole as high as the text
 */
export function PlainCode({
  source,
  label,
  isWhole = false,
}: {
  source: string;
  label: string;
  isWhole?: boolean;
}) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container has to take focus
      tabIndex={0}
      className={`scroll-hint overflow-auto rounded-tile border border-line p-3 text-xs leading-[1.2rem] ${isWhole ? '' : 'max-h-[36rem]'}`}
    >
      <pre>{source}</pre>
    </section>
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
  const part = partOf(lines, fold, changeOf(lines));
  const html = await highlighted(
    part.shown.map(({ text }) => text).join('\n'),
    part.from,
    part.shown.map(({ kind }) => kind),
  );
  const above = lines.slice(0, part.from);
  const hidesChange = above.some(({ kind, text }) => kind !== 'kept' && text.trim() !== '');
  const note = `From the first change of code on; ${part.from} lines above it${hidesChange ? ', changed constants among them,' : ''} are not shown.`;
  return <CodeBox label={label} html={html} lines={lines.length} {...part} diffNote={note} />;
}

/** As many lines as the box shows at once, none of them cut: its height below follows. */
const MOST_LINES = 29;

/** More of them weigh more than the rest of a page, which contains them twice. */
const MOST_SENT = 150;

/** Of what matters, as many lines are seen without scrolling. */
const LEAST_SEEN = 12;

export const isComment = (line = ''): boolean => line.startsWith('//');

/** Where a program begins: above it are constants, bindings and the functions it calls. */
export const entryOf = (lines: readonly string[]): number =>
  lines.findIndex((line) => line.startsWith('@compute'));

/** What came or went first, constants aside, with the lines before it. */
export const changeOf = (lines: readonly { text: string; kind: string }[]): number =>
  lines.findIndex(
    ({ kind, text }) => kind !== 'kept' && !/^\s*($|(const|override|alias|enable)\b)/.test(text),
  ) - 2;

/**
 * What is shown of a long code: all of it on demand, before that a screen of it.
 *
 * @param begin the line that the screen should show
 * @param isAside lines that make sense only from the first of them on: the screen begins in none
 */
export function partOf<Line>(
  lines: readonly Line[],
  fold: Fold | undefined,
  begin: number,
  isAside: (line: Line | undefined) => boolean = () => false,
) {
  const isLate = begin > MOST_LINES - LEAST_SEEN && lines.length > MOST_LINES;
  if (!fold || !(isLate || lines.length > MOST_SENT)) return { shown: lines, from: 0, fold: null };
  if (fold.isOpen) return { shown: lines, from: 0, fold };
  let from = isLate ? Math.min(begin, lines.length - MOST_LINES) : 0;
  while (isAside(lines[from - 1]) && isAside(lines[from])) from++;
  return { shown: lines.slice(from, from + MOST_LINES), from, fold };
}

function CodeBox({
  label,
  html,
  lines,
  from,
  fold,
  diffNote,
}: {
  label: string;
  html: string;
  lines: number;
  from: number;
  fold: Fold | null;
  /** Of a comparison, what is said of the lines above. */
  diffNote?: string;
}) {
  const all = `Show all ${formatCount(lines)} lines`;
  return (
    <>
      {from > 0 && (
        <p className="mb-1 text-xs text-muted">
          {diffNote ?? `From line ${from + 1} on; what comes before it is not shown.`}
        </p>
      )}
      <section
        aria-label={label}
        data-diff={diffNote !== undefined || undefined}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container has to take focus
        tabIndex={0}
        className={`scroll-hint overflow-auto rounded-tile border border-line py-3 pr-4 text-xs leading-[1.2rem] data-diff:pr-0 ${fold?.isOpen ? '' : 'max-h-[calc(29*1.2rem+0.75rem+2px)]'}`}
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
