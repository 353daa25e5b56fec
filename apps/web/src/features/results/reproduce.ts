/** The command that measures a result again on the reader's own machine, and compares the two. */
export const rerunCommand = (resultId: string | null, origin: string): string =>
  `npx -y ${origin}/worker.tgz rerun ${resultId} --server ${origin}`;
