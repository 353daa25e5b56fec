/** Where Bull Board is mounted: app/queues. */
export const BOARD_PATH = '/queues';
