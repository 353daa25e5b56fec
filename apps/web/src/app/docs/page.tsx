import type { Metadata } from 'next';
import { hrefOf, PRIMERS } from '@/features/docs/primers';
import { readable } from '@/server/session/visitor';
import { TextLink } from '@/ui/button';
import { Markdown } from '@/ui/markdown';
import { PageHeader, Panel } from '@/ui/page';

export const metadata: Metadata = { title: 'Docs' };

export default async function DocsPage() {
  await readable();
  return (
    <>
      <PageHeader title="Docs">
        One primer per hard subject. For programs, see the <TextLink href="/api">API</TextLink>.
      </PageHeader>
      <Panel className="divide-y divide-line">
        {PRIMERS.map(({ lead, slug, title }) => (
          <section key={slug} className="px-4 py-4">
            <h2 className="text-[0.9375rem]">
              <TextLink href={`/docs/${slug}`}>{title}</TextLink>
            </h2>
            <div className="mt-1 max-w-prose text-muted">
              <Markdown text={lead} hrefOf={hrefOf} />
            </div>
          </section>
        ))}
      </Panel>
    </>
  );
}
