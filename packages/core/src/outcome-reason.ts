import type { Outcome } from './outcome';

/** Why a run has no number, or why its number is not ranked; null where there is nothing to explain. */
export function outcomeReason(outcome: Outcome | null): string | null {
  switch (outcome?.kind) {
    case 'skipped':
      return outcome.why;
    case 'incorrect': {
      const { row, col, got, want } = outcome.worst;
      return `element [${row}, ${col}] is ${got}, should be ${want} (${outcome.when} timing)`;
    }
    case 'failed':
      return `${outcome.stage}: ${outcome.message}`;
    case 'measured':
      return unrankedReason(outcome.measurement.unranked);
    default:
      return null;
  }
}

/** The reason of a measured run that is shown and not ranked; null where it is ranked. */
export const unrankedReason = (unranked: string | null): string | null =>
  unranked && `not ranked: ${unranked}`;
