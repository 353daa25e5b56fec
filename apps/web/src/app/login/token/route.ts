export { handle as GET, handle as POST } from '@/server/api/app';
