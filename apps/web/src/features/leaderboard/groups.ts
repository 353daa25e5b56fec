import type { Group } from './query';

/** What a group of rows is called, in the order in which they are listed. */
export const GROUP_TITLES: readonly (readonly [group: Group, title: string])[] = [
  ['gpu', 'GPUs'],
  ['browser', 'Browsers'],
  ['software', 'Software adapters'],
  ['cpu', 'Host CPUs'],
  ['published', 'Published results'],
];
