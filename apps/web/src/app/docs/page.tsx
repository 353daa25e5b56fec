import type { Metadata } from 'next';
import { GROUPS } from '@/features/docs/primers';
import { readable } from '@/server/session/visitor';
import { TextLink } from '@/ui/button';
import { PageHeader, Panel, Section } from '@/ui/page';

export const metadata: Metadata = { title: 'Docs' };

export default async function DocsPage() {
  await readable();
  return (
    <>
      <PageHeader title="Docs">
        How to use Tilemark, and why to believe what it says. Programs use the{' '}
        <TextLink href="/api">API</TextLink>.
      </PageHeader>
      {GROUPS.map(({ about, primers, title: group }) => (
        <Section key={group} id={group.toLowerCase()} title={group} note={about}>
          <Panel className="divide-y divide-line">
            {primers.map(({ slug, summary, title }) => (
              <p key={slug} className="px-4 py-2.5">
                <TextLink href={`/docs/${slug}`} className="font-medium">
                  {title}
                </TextLink>
                <span className="block text-muted">{summary}</span>
              </p>
            ))}
          </Panel>
        </Section>
      ))}
    </>
  );
}
