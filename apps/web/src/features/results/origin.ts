/** What pictures say of what this grid has not measured itself, as its pages do. */

/** Of a figure. */
export const ELSEWHERE = 'measured elsewhere';

/** Of what came in a file. */
export const IMPORTED = 'measured elsewhere and imported';
