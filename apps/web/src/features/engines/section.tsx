import { ButtonLink } from '@/ui/button';
import { Section } from '@/ui/page';
import type { EngineTexts } from './engines';
import { LazyEngines } from './lazy';

/** What each engine says of a kernel, once somebody asks: the reader's browser finds it out. */
export function EnginesSection({ texts, href }: { texts: EngineTexts | null; href: string }) {
  return (
    <Section id="compiles" title="What compiles it" note="found out in this browser">
      {texts ? (
        <LazyEngines texts={texts} />
      ) : (
        <ButtonLink href={href}>Ask Tint, naga, and WebKit</ButtonLink>
      )}
    </Section>
  );
}
