// Decides which Markdown pages are on the documentation site, their addresses there, and their order in its menu.

import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.join(import.meta.dirname, '../..');

/** The page whose lists of links are the menu of the site. */
export const indexPage = 'docs/README.md';

/** Paths from the root of the repository. */
export const pagesOfSite = (): readonly string[] =>
  globSync(['docs/**/*.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'bench/RESULTS.md'], { cwd: root });

/** The path of a page on the site, which has the pages of `docs` at its top. */
export const sitePathOf = (page: string): string =>
  page.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md');

/** The file that a relative link of a page names. A folder means its README. */
export function linkedFile(page: string, address: string): string {
  const file = path.posix.join(path.posix.dirname(page), address);
  return file.endsWith('/') ? `${file}README.md` : file;
}

export function titleOf(page: string): string {
  const text = readFileSync(path.join(root, page), 'utf8');
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? page;
}

type MenuItem = Readonly<{ text: string; link: string }>;
export type MenuGroup = Readonly<{ text: string; collapsed: boolean; items: MenuItem[] }>;

/** Each section of the index becomes a group, and the first link of each list item becomes an item. */
export function menu(): MenuGroup[] {
  const [, ...sections] = readFileSync(path.join(root, indexPage), 'utf8').split(/^## /m);
  return sections.map((section) => {
    const [text = ''] = section.split('\n');
    const items = [...section.matchAll(/^- \[[^\]]+\]\(([^)#]+)/gm)].map(([, address = '']) => {
      const page = linkedFile(indexPage, address);
      return { text: titleOf(page), link: `/${sitePathOf(page).replace(/\.md$/, '.html')}` };
    });
    return { text, collapsed: false, items };
  });
}

/** Drawings are named by a hash of their source, so that an outdated one is never shown. */
export const diagramName = (source: string): string =>
  createHash('sha256').update(source.trim()).digest('hex').slice(0, 12);
