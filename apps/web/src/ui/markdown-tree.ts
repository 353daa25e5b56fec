/** What is done to the elements of Markdown, mostly so that they can be read on a phone. */
import type { ExtraProps } from 'react-markdown';

type Element = NonNullable<ExtraProps['node']>;
interface Parent {
  children: (Element['children'][number] | { type: 'doctype' })[];
}

export function textOf(node: Parent['children'][number]): string {
  if (node.type === 'text') return node.value;
  return node.type === 'element' ? node.children.map(textOf).join('') : '';
}

const elementsOf = ({ children }: Parent, ...names: string[]): Element[] =>
  children.flatMap((child) => {
    if (child.type !== 'element') return [];
    return names.includes(child.tagName) ? [child] : elementsOf(child, ...names);
  });

/**
 * A rehype plugin: each table has the name of its section, and each cell after the first of a row
 * its heading, which a card shows.
 */
export const labelTables = () => (tree: Parent) => {
  let section = 'Table';
  let count = 0;
  for (const table of elementsOf(tree, 'h1', 'h2', 'h3', 'h4', 'table')) {
    if (table.tagName !== 'table') {
      section = textOf(table);
      count = 0;
      continue;
    }
    count += 1;
    table.properties.dataName = count === 1 ? section : `${section}, table ${count}`;
    const [heads = [], ...rows] = elementsOf(table, 'tr').map((row) => elementsOf(row, 'th', 'td'));
    for (const [at, cell] of rows.flatMap((row) => [...row.entries()])) {
      const head = heads[at];
      if (at > 0 && head) cell.properties.dataHead = textOf(head);
    }
  }
};

/** Letters of a cell that wraps into many lines where columns share a phone's screen. */
const LONG = 50;

/** Whether a table says in sentences what its rows have, so that nobody compares down a column. */
export const isProse = (table: Element): boolean =>
  elementsOf(table, 'td').some((cell) => textOf(cell).length > LONG);

/** A flag, a file, or a name of at most so many letters stays whole: they fit every line and column. */
const SHORT = 28;

/** A rehype plugin: code does not break inside short words, as text does after a hyphen. */
export const keepWords = () => (tree: Parent) => {
  for (const code of elementsOf(tree, 'code')) {
    code.children = code.children.flatMap((child) =>
      child.type === 'text' ? child.value.split(/( +)/).map(whole) : [child],
    );
  }
};

function whole(value: string): Element['children'][number] {
  const text = { type: 'text' as const, value };
  if (value.length > SHORT || !/\S/.test(value)) return text;
  const properties = { className: ['whitespace-nowrap'] };
  return { type: 'element', tagName: 'span', properties, children: [text] };
}
