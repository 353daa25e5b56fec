import { answerBoard } from '@/server/board';

/** Bull Board, for admins. It only shows: there is no other method. */
export const GET = answerBoard;
