import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** The rules of axe that look at colors. */
const OF_COLORS = ['color-contrast', 'link-in-text-block'];

/** What axe finds on a page: in light by all rules, and in dark, which differs in colors alone, by theirs. */
export async function violations(page: Page, exclude?: string): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // Runs in the page itself, which has no frames of others, and keeps nothing of what passes.
    const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
    if (exclude) axe.exclude(exclude);
    if (colorScheme === 'dark') axe.withRules(OF_COLORS);
    const { violations: each } = await axe.analyze();
    found.push(...each.map(({ id, nodes }) => `${colorScheme}: ${id}: ${nodes[0]?.html}`));
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}
