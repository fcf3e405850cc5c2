// Finds the Mermaid diagrams of the pages, and draws them as SVG files in Chromium.

import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';
import type { Page } from 'playwright-core';
import { z } from 'zod';

import { diagramName, root } from './pages.ts';

export const diagramFolder = path.join(root, 'docs/diagrams');

const themes = { light: 'neutral', dark: 'dark' } as const;

const sourcesOf = (page: string): readonly string[] =>
  [...readFileSync(path.join(root, page), 'utf8').matchAll(/^```mermaid\n(.*?)^```$/gms)].map(
    ([, source = '']) => source,
  );

export type Diagram = Readonly<{ source: string; page: string; files: readonly string[] }>;

export const diagrams = (): readonly Diagram[] =>
  globSync('docs/**/*.md', { cwd: root }).flatMap((page) =>
    sourcesOf(page).map((source) => ({
      source,
      page,
      files: Object.keys(themes).map((theme) => `${diagramName(source)}-${theme}.svg`),
    })),
  );

/** In SVG text instead of HTML labels, which browsers do not draw in an `<img>`. */
const settingsFor = (theme: string) => ({
  startOnLoad: false,
  look: 'classic',
  fontFamily: 'sans-serif',
  theme,
  htmlLabels: false,
  flowchart: { htmlLabels: false, useMaxWidth: false, wrappingWidth: 420, rankSpacing: 30 },
  sequence: { useMaxWidth: false },
});

async function draw(page: Page, source: string, theme: string): Promise<string> {
  const [settings, id, text] = [settingsFor(theme), `diagram-${diagramName(source)}`, source].map(
    (value) => JSON.stringify(value),
  );
  const svg: unknown = await page.evaluate(
    `mermaid.initialize(${settings}); mermaid.render(${id}, ${text}).then(({ svg }) => svg)`,
  );
  return `${z.string().parse(svg)}\n`;
}

/** Returns the drawings by their file names. A diagram that Mermaid cannot parse is an error that names the place. */
export async function drawDiagrams(executablePath: string): Promise<ReadonlyMap<string, string>> {
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const page = await browser.newPage();
    await page.addScriptTag({ path: fileURLToPath(import.meta.resolve('@mermaid-js/tiny')) });
    const drawn = new Map<string, string>();
    for (const { source } of diagrams()) {
      for (const [theme, look] of Object.entries(themes)) {
        drawn.set(`${diagramName(source)}-${theme}.svg`, await draw(page, source, look));
      }
    }
    return drawn;
  } finally {
    await browser.close();
  }
}
