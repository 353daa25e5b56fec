import type { ReactNode } from 'react';
import { visitor } from '@/server/session/visitor';
import { Tabs } from '@/ui/navigation';

const PARTS = [
  ['/operate', 'Workers and queues'],
  ['/operate/tokens', 'Tokens'],
] as const;

/** The place of whoever operates the grid. */
export default async function OperateLayout({ children }: { children: ReactNode }) {
  const user = await visitor();
  return (
    <>
      {user?.role === 'admin' && <Tabs label="Operate" tabs={PARTS} />}
      {children}
    </>
  );
}
