// Builds the management UI. Addresses are relative, so that any path of a reverse proxy works.
// Nothing is inlined, because the content security policy forbids data: URLs.

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

import { defineConfig } from 'vite';
import type { Plugin, Rolldown } from 'vite';

import { icons } from './icons.ts';

const here = import.meta.dirname;

/** Set on the symbol, because elements of Web Awesome would fill it. */
const strokes =
  'fill="none" stroke="currentcolor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"';

export default defineConfig({
  root: here,
  base: './',
  publicDir: false,
  resolve: {
    alias: {
      'node:crypto': path.join(here, 'lib/history/node-crypto.ts'),
      '#icons?url': `${writeSprite()}?url`,
      '#dashboard?raw': `${path.join(here, '../deploy/dashboards/gw.json')}?raw`,
    },
  },
  plugins: [compress()],
  build: {
    outDir: path.join(here, 'dist'),
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Code of several screens is loaded once, and the first screen does not wait for tables and
        // forms of others.
        codeSplitting: {
          groups: [
            {
              name: frameOf(['shell/app.ts', 'screens/overview.ts']),
              debugName: 'frame',
              minShareCount: 2,
            },
            {
              name: 'prices',
              test: /ui\/lib\/providers\//,
              minShareCount: 2,
            },
            {
              name: 'elements',
              test: /ui\/(api|elements|lib|parts|state|styles)\//,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
});

function frameOf(files: readonly string[]): Rolldown.CodeSplittingNameFunction {
  let reached: ReadonlySet<string> | null = null;
  return (id, context) => {
    reached ??= reachedFrom(
      files.map((file) => path.join(here, file)),
      (one) => context.getModuleInfo(one)?.importedIds ?? [],
    );
    return reached.has(id) ? 'frame' : null;
  };
}

function reachedFrom(
  roots: readonly string[],
  importsOf: (id: string) => readonly string[],
): ReadonlySet<string> {
  const reached = new Set(roots);
  for (const id of reached) for (const one of importsOf(id)) reached.add(one);
  return reached;
}

/** Builds one sprite from the Lucide icons that the UI names. */
export function spriteText(): string {
  const symbols = icons.map((name) => {
    const source = fileURLToPath(import.meta.resolve(`lucide-static/icons/${name}.svg`));
    const [, body = ''] = /<svg[^>]*>(.*)<\/svg>/s.exec(readFileSync(source, 'utf8')) ?? [];
    return `<symbol id="${name}" viewBox="0 0 24 24" ${strokes}>${body.replaceAll(/\s+/g, ' ').trim()}</symbol>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('')}</svg>`;
}

function writeSprite(): string {
  const folder = path.join(here, '../node_modules/.cache/gw-ui');
  const file = path.join(folder, 'icons.svg');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, spriteText());
  return file;
}

/** Writes compressed files, so that the server does not compress at every start. */
function compress(): Plugin {
  return {
    name: 'gw-compress',
    writeBundle: ({ dir }) => {
      const folder = path.join(dir ?? here, 'assets');
      for (const name of readdirSync(folder)) {
        const file = path.join(folder, name);
        const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
        writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file), { params }));
      }
    },
  };
}
