import { type Logger, pino, stdTimeFunctions } from 'pino';
import { timeText } from './table';

/** `text`: a line for people; `json`: all facts, one object per line, for machines. */
export const LOG_FORMS = ['text', 'json'] as const;
export type LogForm = (typeof LOG_FORMS)[number];

/** The log of a worker on stdout. */
export const workerLog = (form: LogForm): Logger =>
  form === 'json'
    ? pino({ base: null })
    : pino(
        {
          base: null,
          timestamp: stdTimeFunctions.isoTime,
          formatters: { level: (level) => ({ level }) },
        },
        { write: (line) => void process.stdout.write(textOf(JSON.parse(line))) },
      );

interface Line {
  readonly time: string;
  readonly level: string;
  readonly msg: string;
  readonly [fact: string]: unknown;
}

/** `10:15:02 measured: matmul/tiled, median 1.234 ms`. Ids are for machines, except where something is wrong. */
export function textOf({ time, level, msg, ...facts }: Line): string {
  const isWrong = level === 'warn' || level === 'error';
  const said = Object.entries(facts).flatMap(([name, value]) => {
    if (/Id$|Key$/.test(name) && !isWrong) return [];
    if (typeof value === 'number' && name.endsWith('Ns')) {
      return [`${name.slice(0, -2)} ${timeText(value)}`];
    }
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    return [SELF_EVIDENT.has(name) ? text : `${name} ${text}`];
  });
  const about = said.length > 0 ? `: ${said.join(', ')}` : '';
  return `${time.slice(11, 19)} ${isWrong ? `${level}: ` : ''}${msg}${about}\n`;
}

/** Facts that need no name before them. */
const SELF_EVIDENT = new Set(['device', 'error', 'message', 'run', 'sweeps', 'why']);
