/** The number of a note below the table, behind what it is about; nothing where there is none. */
export function NoteMark({ of: note, among }: { of: string | null; among: readonly string[] }) {
  if (note === null) return null;
  return (
    <span title={note} className="text-xs font-normal whitespace-nowrap text-muted">
      <span className="sr-only"> note </span>[{among.indexOf(note) + 1}]
    </span>
  );
}

/** The notes below their table, each once; nothing without any. */
export function Notes({ of: notes }: { of: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <ol aria-label="Notes" className="mt-2 space-y-0.5 text-xs text-muted">
      {notes.map((note, index) => (
        <li key={note} className="break-words">
          [{index + 1}] {note}
        </li>
      ))}
    </ol>
  );
}
