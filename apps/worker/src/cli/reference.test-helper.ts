import type { Command } from 'commander';
import { EXIT_CODES } from './program';

/** docs/command-line.md: what `--help` says of each command, as Markdown. */
export function reference(cli: Command): string {
  return `${[
    '# The command line',
    `${cli.description()} \`tilemark <command> --help\` prints the same as this page, which is made from it. Where the program comes from: [Measure without a grid](start.md#measure-without-a-grid).`,
    `${EXIT_CODES}`,
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
      .map((argument) => [help.argumentTerm(argument), help.argumentDescription(argument)]),
    ...command.options.map((option) => [help.optionTerm(option), help.optionDescription(option)]),
  ];
  return [
    `## ${name}`,
    `${sentence(command.description())}`,
    ...(rows.length > 0
      ? [['| option | meaning |', '|---|---|', ...rows.map(row)].join('\n')]
      : []),
  ];
}

const row = ([term = '', about = '']: readonly string[]): string =>
  `| \`${term}\` | ${about.replaceAll('|', '\\|')} |`;

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
