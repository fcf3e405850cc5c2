// Adapts the Markdown of the repository to the site: links between pages, pictures for two themes, and diagrams.

import path from 'node:path';

import type { MarkdownRenderer } from 'vitepress';

import { diagramName, linkedFile, root, sitePathOf } from './pages.ts';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

/** The address on the site, relative to the page that holds the link. */
function addressOnSite(page: string, address: string): string {
  if (/^([a-z]+:|#|$)/.test(address)) return address;
  const [name = '', anchor] = address.split('#');
  const from = path.posix.dirname(sitePathOf(page));
  const target = path.posix.relative(from, sitePathOf(linkedFile(page, name)));
  return anchor === undefined ? target : `${target}#${anchor}`;
}

/** Not loaded lazily: a picture that grows late moves the heading that a link leads to. */
const picturePair = (light: string, dark: string, alt: string): string =>
  `<img class="for-light" src="${light}" alt="${alt}">` +
  `<img class="for-dark" src="${dark}" alt="${alt}">`;

function picture(text: string): string {
  const named = (attribute: string): string =>
    new RegExp(`${attribute}="([^"]*)"`).exec(text)?.[1] ?? '';
  return `<p>${picturePair(`./${named('src')}`, `./${named('srcset')}`, named('alt'))}</p>\n`;
}

function diagram(page: string, source: string): string {
  const folder = path.posix.relative(path.posix.dirname(page), 'docs/diagrams');
  const file = `./${folder}/${diagramName(source)}`;
  const alt = /accTitle: (.+)/.exec(source)?.[1] ?? 'Diagram';
  return `<p class="diagram">${picturePair(`${file}-light.svg`, `${file}-dark.svg`, alt)}</p>\n`;
}

/** Turns the token at `index` into HTML and removes the `more` tokens after it. */
function replaceByHtml(tokens: Token[], index: number, more: number, html: string): void {
  const [token] = tokens.splice(index, 1 + more);
  if (token === undefined) return;
  tokens.splice(
    index,
    0,
    Object.assign(token, { type: 'html_block', tag: '', nesting: 0, content: html }),
  );
}

function adapt(page: string, tokens: Token[]): void {
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined) continue;
    if (token.type === 'fence' && token.info === 'mermaid') {
      replaceByHtml(tokens, index, 0, diagram(page, token.content));
    }
    const inline = tokens[index + 1]?.content ?? '';
    if (token.type === 'paragraph_open' && inline.startsWith('<picture>')) {
      replaceByHtml(tokens, index, 2, picture(inline));
    }
    if (token.type === 'paragraph_open' && inline.startsWith('<!--')) {
      replaceByHtml(tokens, index, 2, '');
    }
    for (const child of token.children ?? []) {
      const address = child.type === 'link_open' ? child.attrGet('href') : null;
      if (address !== null) child.attrSet('href', addressOnSite(page, address));
    }
  }
}

export function addRules(md: MarkdownRenderer): void {
  md.core.ruler.push('gw-site', ({ env, tokens }) => {
    const file: unknown = env.realPath ?? env.path;
    if (typeof file === 'string') adapt(path.relative(root, file), tokens);
  });
}
