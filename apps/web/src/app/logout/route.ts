export { handle as POST } from '@/server/api/app';
