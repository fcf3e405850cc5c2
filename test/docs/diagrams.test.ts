// Checks that every diagram of the pages can be drawn, and that the stored drawings are those of the pages.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';

import { diagramFolder, diagrams, drawDiagrams } from '../../scripts/help/diagrams.ts';
import { chromiumPath } from '../ui/harness/chromium.ts';

it('docs/diagrams holds the drawings of the pages and no others: npm run docs:diagrams', () => {
  const wanted = diagrams().flatMap(({ files }) => files);
  assert.notEqual(wanted.length, 0);
  assert.deepEqual(readdirSync(diagramFolder).toSorted(), wanted.toSorted());
});

it('Mermaid draws every diagram with the text of its nodes', async () => {
  const drawn = await drawDiagrams(chromiumPath());
  for (const { source, page, files } of diagrams()) {
    const [, node = ''] = /\[\(?\[?([\w ]+)|participant \w+ as ([\w ]+)/.exec(source) ?? [];
    for (const file of files) {
      const svg = drawn.get(file) ?? '';
      assert.match(svg, /^<svg .*<\/svg>\n$/s, page);
      assert.ok(textOf(svg).includes(node), `${page} shows ${node}`);
      assert.ok(textOf(readFileSync(path.join(diagramFolder, file), 'utf8')).includes(node), file);
    }
  }
});

it('names the page title of each diagram for readers who cannot see it', () => {
  const untitled = diagrams().filter(({ source }) => !/^ *accTitle: .+$/m.test(source));
  assert.deepEqual(untitled, []);
});

const textOf = (svg: string): string => svg.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
