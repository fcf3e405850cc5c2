// Configures the documentation site, which VitePress builds from the Markdown pages of the repository.

import { readdirSync } from 'node:fs';
import path from 'node:path';

import { defineConfig } from 'vitepress';

import { addRules } from '../markdown.ts';
import { menu, pagesOfSite, root, sitePathOf } from '../pages.ts';
import { slugOf } from '../slug.ts';

const pages = pagesOfSite();
const folders = new Set(pages.map((page) => page.split('/')[0]));

export default defineConfig({
  title: 'gw',
  description: 'The documentation of gw',
  lang: 'en',
  // Relative addresses work under any path that a reverse proxy adds.
  base: './',
  srcDir: root,
  srcExclude: readdirSync(root)
    .flatMap((name) => (folders.has(name) ? [] : [name, `${name}/**`]))
    .concat('bench/*/**'),
  rewrites: Object.fromEntries(pages.map((page) => [page, sitePathOf(page)])),
  outDir: process.env['GW_HELP_FOLDER'] ?? path.join(root, 'help'),
  cacheDir: path.join(root, 'node_modules/.cache/help'),
  // The content security policy forbids style elements, which would stop transitions while the theme changes.
  appearance: { disableTransition: false },
  // The icon of the management UI, which the control plane serves next to the site.
  transformHead: ({ pageData: { relativePath } }) => [
    ['link', { rel: 'icon', href: `${'../'.repeat(relativePath.split('/').length)}ui/icon.svg` }],
  ],
  // It forbids style attributes too; the default theme has none that matter.
  transformHtml: (html) => html.replaceAll(/(<[a-z][^<>]*?) style="[^"]*"/g, '$1'),
  markdown: {
    html: false,
    linkify: false,
    anchor: { slugify: slugOf },
    attrs: false,
    container: false,
    emoji: false,
    footnote: false,
    include: false,
    snippet: false,
    config: addRules,
    highlight: (code) =>
      `<pre v-pre><code>${code.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</code></pre>`,
  },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: menu(),
    outline: [2, 3],
  },
});
