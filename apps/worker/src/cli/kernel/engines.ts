import { spawn } from 'node:child_process';
import { outcomeReason } from '@tilemark/core';
import {
  type Checked,
  type Contributed,
  defaultText,
  ENGINE_NAMES,
  type EngineSays,
  engineFindings,
  findingOf,
  nagaSays,
  nagaTexts,
  webkitSays,
} from '@tilemark/core/contributed';
import { type Engine, InputError } from '@tilemark/kernels';
import { table } from '../table';
import { CHECK_EXIT, placedReason } from './finding';
import { askNaga } from './naga';

/** What three engines say of a kernel, and what its author may not know: lines to print. */
export async function enginesText(
  contributed: Pick<Contributed, 'file' | 'kernel' | 'manifest'>,
  ran: EngineSays,
  path: string,
): Promise<string> {
  const text = defaultText(contributed, 'tint');
  const lines = contributed.file.source.split('\n').length;
  const says: readonly EngineSays[] = [
    { engine: 'tint', says: 'not tried', line: null, why: 'check in Node runs it' },
    nagaSays(await askNaga(nagaTexts(contributed)), lines),
    webkitSays(text),
  ];
  const at = (line: number | null) => (line === null ? '' : `${path}:${line}: `);
  const rows = says
    .map((said) => (said.engine === ran.engine ? ran : said))
    .map(({ engine, line, says: word, why }) => [ENGINE_NAMES[engine], word, at(line) + why]);
  const findings = engineFindings(text).map(({ line, message }) => `${at(line)}${message}`);
  return [table(['engine', '', 'by'], rows), ...findings].join('\n');
}

/** What the engine of this process says by what compiled, or did not, on its device. */
export function ranSays(engine: Engine, checked: readonly Checked[]): EngineSays {
  const of = (finding: string) => checked.find(({ outcome }) => findingOf(outcome) === finding);
  const refused = of('does not compile');
  if (refused) {
    const { line, text } = placedReason(refused.outcome);
    return { engine, says: 'refuses', line, why: text };
  }
  const ran = of('right') ?? of('wrong');
  if (ran) return { engine, says: 'compiles', line: null, why: 'compiled it and ran it here' };
  const why = outcomeReason(checked[0]?.outcome ?? null) ?? 'nothing ran here';
  return { engine, says: 'not tried', line: null, why };
}

/**
 * Runs this command again under Deno, whose WebGPU compiles with naga. Returns its exit code; throws
 * InputError where there is no Deno.
 */
export async function againInDeno(): Promise<number> {
  const [program = '', ...args] = process.argv.slice(1);
  const at = args.findIndex((arg) => /^--engine(?:=|$)/.test(arg));
  args.splice(at, args[at] === '--engine' ? 2 : 1);
  const flags = ['run', '--quiet', '--no-lock', '--allow-all', '--unstable-webgpu'];
  const child = spawn('deno', [...flags, program, ...args], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    const none = new InputError('there is no Deno here: npm install -g deno@2.9.6', '--engine');
    child.once('error', () => reject(none));
    child.once('exit', (code) => resolve(code ?? CHECK_EXIT.unchecked));
  });
}
