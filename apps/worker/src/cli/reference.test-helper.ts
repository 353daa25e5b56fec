import type { Command } from 'commander';
import { DTYPE_WORDS, EXIT_CODES, type Legend } from './program';

/** docs/command-line.md: what `--help` says of each command, as Markdown. */
export function reference(cli: Command): string {
  return `${[
    '# The command line',
    `${cli.description()} This page is made from what \`tilemark <command> --help\` prints. Where the program comes from: [Measure without a grid](start.md#measure-without-a-grid).`,
    '`check` has exit codes of its own; every command has these:',
    table('exit code', EXIT_CODES),
    '## Dtypes',
    'Types of the elements of A × B. *By rows* (N × K) is how models store weights; q8_0, q4_0, and MatMulNBits quantise [blocks of 32](extend.md#a-storage).',
    table('dtype', DTYPE_WORDS),
    ...cli.commands.flatMap((command) => sectionsOf(command)),
  ].join('\n\n')}\n`;
}

/** A command's section, or those of its own commands. */
function sectionsOf(command: Command, parent = ''): string[] {
  const name = `${parent}${command.name()}`;
  if (command.commands.length > 0) {
    return command.commands.flatMap((child) => sectionsOf(child, `${name} `));
  }
  const help = command.createHelp();
  const rows = [
    ...help
      .visibleArguments(command)
      .map((argument) => entry(help.argumentTerm(argument), help.argumentDescription(argument))),
    ...command.options.flatMap((option) =>
      option.hidden ? [] : [entry(help.optionTerm(option), help.optionDescription(option))],
    ),
  ];
  const about = command.description();
  return [
    `## ${name}`,
    `${about.charAt(0).toUpperCase()}${about.slice(1)}.`,
    ...(rows.length > 0 ? [table('option', rows)] : []),
  ];
}

const entry = (term: string, about: string) => [term, about] as const;

const table = (head: string, rows: Legend) =>
  [
    `| ${head} | meaning |`,
    '|---|---|',
    ...rows.map(([term, about]) => `| \`${term}\` | ${about.replaceAll('|', '\\|')} |`),
  ].join('\n');
