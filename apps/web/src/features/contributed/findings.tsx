import { Button } from '@/ui/button';
import type { Checked } from './problems';

/** More are of no use at once. */
const MOST = 20;

/** What is wrong, line by line, and who says so. */
export function Findings({
  checked: { compiled, problems },
  onGo,
}: {
  checked: Checked;
  onGo: (line: number) => void;
}) {
  return (
    <div
      id="findings"
      tabIndex={-1}
      aria-live="polite"
      // As high as its longest usual sentence, so that what follows stays where it is.
      className="mt-2 min-h-15 text-[0.8125rem] outline-none sm:min-h-10"
    >
      {problems.length > 0 && (
        <ul aria-label="Problems" className="space-y-1">
          {problems.slice(0, MOST).map(({ column, isWarning, line, message }) => (
            <li key={`${line} ${column} ${message}`} className="flex items-baseline gap-2">
              {line === null ? (
                <span className={isWarning ? 'text-amber' : 'text-rose'}>
                  {isWarning ? 'Warning' : 'Error'}
                </span>
              ) : (
                <Button
                  look="quiet"
                  className={`-ml-2 h-6 shrink-0 px-2 ${isWarning ? '' : '!text-rose'}`}
                  onClick={() => onGo(line)}
                >
                  Line {line}
                </Button>
              )}
              <span className="min-w-0 break-words whitespace-pre-wrap">{message}</span>
            </li>
          ))}
        </ul>
      )}
      {(problems.length === 0 || compiled === 'yes') && (
        <p className="text-muted">
          {STATES[compiled ?? ''] ??
            `${compiled}: a worker of the grid compiles the kernel, and its messages come with the run.`}
        </p>
      )}
    </div>
  );
}

const STATES: Readonly<Record<string, string>> = {
  '': 'Compiling in this browser…',
  yes: 'Compiles in this browser.',
};
