import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { headingsOf, hrefOf, PRIMERS, textFor } from '@/features/docs/primers';
import { originOf } from '@/server/session/origin';
import { readable } from '@/server/session/visitor';
import { TextLink } from '@/ui/button';
import { Markdown } from '@/ui/markdown';
import { PageHeader } from '@/ui/page';

type Props = { params: Promise<{ slug: string }> };

const primerOf = async (params: Props['params']) => {
  const { slug } = await params;
  return PRIMERS.find((primer) => primer.slug === slug) ?? notFound();
};

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: (await primerOf(params)).title };
}

export default async function PrimerPage({ params }: Props) {
  await readable();
  const primer = await primerOf(params);
  const text = textFor(primer, originOf(await headers()));
  const sections = headingsOf(primer).filter(({ level }) => level === 2);
  const index = PRIMERS.indexOf(primer);
  const before = PRIMERS[index - 1];
  const after = PRIMERS[index + 1];
  return (
    <article className="mx-auto max-w-3xl">
      <PageHeader title={primer.title} />
      {sections.length > 2 && (
        <nav aria-label="On this page" className="mb-6 columns-2 gap-6 sm:columns-3">
          {sections.map(({ id, title }) => (
            <p key={id} className="break-inside-avoid py-0.5">
              <TextLink href={`#${id}`}>{title}</TextLink>
            </p>
          ))}
        </nav>
      )}
      <div className="prose">
        <Markdown text={text} hrefOf={(link) => hrefOf(link, primer.file)} />
      </div>
      <nav aria-label="Primers" className="mt-10 flex flex-wrap justify-between gap-3">
        <span>{before && <TextLink href={`/docs/${before.slug}`}>← {before.title}</TextLink>}</span>
        <span>{after && <TextLink href={`/docs/${after.slug}`}>{after.title} →</TextLink>}</span>
      </nav>
    </article>
  );
}
