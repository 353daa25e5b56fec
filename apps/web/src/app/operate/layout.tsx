import type { ReactNode } from 'react';
import { visitor } from '@/server/session/visitor';
import { Tabs } from '@/ui/navigation';

const PARTS = [
  ['/operate', 'Workers and queues'],
  ['/operate/coverage', 'Coverage'],
] as const;
const ADMIN_PARTS = [
  ['/operate/tokens', 'Tokens'],
  ['/operate/audit', 'Audit'],
] as const;

/** The place of whoever operates the grid. */
export default async function OperateLayout({ children }: { children: ReactNode }) {
  const user = await visitor();
  return (
    <>
      <Tabs label="Operate" tabs={[...PARTS, ...(user?.role === 'admin' ? ADMIN_PARTS : [])]} />
      {children}
    </>
  );
}
