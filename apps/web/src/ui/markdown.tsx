import ReactMarkdown, { type Components, type ExtraProps } from 'react-markdown';
import rehypeSlug from 'rehype-slug';
import remarkGfm from 'remark-gfm';
import { Command } from './action';
import { linkStyle, TextLink } from './button';
import { WgslCode } from './code';
import { isProse, keepWords, labelTables, textOf } from './markdown-tree';
import { TablePanel } from './table';

/**
 * GitHub-flavoured Markdown, rendered on the server; HTML is shown as text. `hrefOf` gives the
 * target of a link, or null to show it as text.
 */
export function Markdown({
  text,
  hrefOf,
}: {
  text: string;
  hrefOf: (link: string) => string | null;
}) {
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm]}
      rehypePlugins={[rehypeSlug, labelTables, keepWords]}
      components={componentsFor(hrefOf)}
    >
      {text}
    </ReactMarkdown>
  );
}

const componentsFor = (hrefOf: (link: string) => string | null): Components => ({
  a: ({ children, href = '' }) => {
    const to = hrefOf(href);
    if (to === null) return <span title={href}>{children}</span>;
    // A file is not a page.
    if (!to.startsWith('/') || to.endsWith('.json')) {
      return (
        <a href={to} className={linkStyle}>
          {children}
        </a>
      );
    }
    return <TextLink href={to}>{children}</TextLink>;
  },
  table: ({ children, node }) => (
    <TablePanel
      caption={`${node?.properties.dataName}: ${headings(node).join(', ')}`}
      stacks={node !== undefined && isProse(node)}
    >
      {children}
    </TablePanel>
  ),
  th: ({ children, node, style }) =>
    // The corner above the row names is not a heading.
    node && textOf(node) === '' ? (
      <td />
    ) : (
      <th scope="col" style={style}>
        {children}
      </th>
    ),
  pre: ({ node }) => <CodeBlock node={node} />,
});

type MarkdownElement = NonNullable<ExtraProps['node']>;
type MarkdownNode = MarkdownElement['children'][number];

/** The column names of a table. */
function headings(node: MarkdownNode | undefined): string[] {
  if (node?.type !== 'element') return [];
  if (node.tagName !== 'th') return node.children.flatMap(headings);
  const text = textOf(node);
  return text === '' ? [] : [text];
}

function CodeBlock({ node }: { node: MarkdownElement | undefined }) {
  const code = node?.children[0];
  if (code?.type !== 'element') return null;
  const source = textOf(code).trimEnd();
  const begin = source.split('\n', 1)[0] ?? '';
  const classes = code.properties.className;
  const isWgsl = Array.isArray(classes) && classes.includes('language-wgsl');
  if (isWgsl) return <WgslCode source={source} label="WGSL" />;
  return <Command text={source} label={`the code beginning ${begin}`} />;
}
