export { handle as GET } from '@/server/api/app';
