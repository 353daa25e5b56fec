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
      <PageHeader title="Docs">How to use Tilemark, and why to believe what it says.</PageHeader>
      {GROUPS.map(({ about, primers, title: group }) => (
        <Section key={group} id={group.toLowerCase()} title={group} note={about}>
          <Panel className="gap-x-8 px-4 py-2 sm:columns-2">
            {primers.map(({ slug, title }) => (
              <p key={slug} className="break-inside-avoid py-1">
                <TextLink href={`/docs/${slug}`}>{title}</TextLink>
              </p>
            ))}
          </Panel>
        </Section>
      ))}
    </>
  );
}
