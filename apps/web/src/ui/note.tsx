/** What notes below a table are found by, in their order. */
const MARKS = ['†', '‡', '§', '¶'] as const;
const markOf = (note: string, among: readonly string[]): string =>
  MARKS[among.indexOf(note)] ?? `(${among.indexOf(note) + 1})`;

/** Behind a figure that a note is about; nothing where there is none. */
export function NoteMark({ of: note, among }: { of: string | null; among: readonly string[] }) {
  return (
    note && (
      <span title={note}>
        <span aria-hidden="true">{markOf(note, among)}</span>
        <span className="sr-only">, {note}</span>
      </span>
    )
  );
}

/** The notes below their table. */
export const Notes = ({ of: notes }: { of: readonly string[] }) =>
  notes.map((note) => (
    <p key={note} className="mt-2 max-w-prose text-xs text-muted">
      <span aria-hidden="true">{markOf(note, notes)}</span> {note}
    </p>
  ));
