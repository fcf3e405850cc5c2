// Builds the viewer of exports into one file: its script, its worker, its styles and its icons are in it, under a policy that lets in
// nothing but these, by their hashes. So it works wherever it lies, also on a disk.

import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { InlineConfig, Plugin } from 'vite';

const folder = path.join(import.meta.dirname, 'ui');

/** What the build makes of a script: its text, and that of its styles. */
type Bundle = Readonly<{ script: string; style: string }>;

/** Writes `viewer.html` into the folder of the built UI. */
export async function buildInto(built: string): Promise<void> {
  const { spriteText } = await import('../../ui/vite.config.ts');
  const worker = await bundle('worker.ts', 'iife', []);
  const texts = new Map([
    ['#worker?text', `export default ${JSON.stringify(worker.script)};`],
    ['#icons?url', moduleOfSprite(spriteText())],
  ]);
  const page = await bundle('main.ts', 'es', [textModules(texts), ownScreens()]);
  const html = readFileSync(path.join(folder, 'viewer.html'), 'utf8');
  writeFileSync(path.join(built, 'viewer.html'), whole(html, page));
}

/** A file of its own that only the page knows: an icon within an element is found in a file, and not in the page. */
const moduleOfSprite = (sprite: string): string =>
  `const file = new Blob([${JSON.stringify(sprite)}], { type: 'image/svg+xml' });\n` +
  'export default URL.createObjectURL(file);';

async function bundle(
  entry: string,
  format: 'es' | 'iife',
  plugins: readonly Plugin[],
): Promise<Bundle> {
  // Not needed, and perhaps not there, where the UI is built already.
  const { build } = await import('vite');
  const config: InlineConfig = {
    root: folder,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    resolve: {
      alias: { 'node:crypto': path.join(folder, '../../../ui/lib/history/node-crypto.ts') },
    },
    plugins: [...plugins],
    build: {
      write: false,
      target: 'es2023',
      modulePreload: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input: path.join(folder, entry),
        output: { format, codeSplitting: false },
      },
    },
  };
  const built = await build(config);
  const output = [built].flat().flatMap((one) => ('output' in one ? one.output : []));
  const scripts = output.flatMap((one) => (one.type === 'chunk' ? [one.code] : []));
  const styles = output.flatMap((one) =>
    one.type === 'asset' && one.fileName.endsWith('.css') ? [String(one.source)] : [],
  );
  const [script] = scripts;
  if (script === undefined || scripts.length > 1) {
    throw new Error(`${entry} made ${scripts.length} scripts, and the viewer is one`);
  }
  return { script, style: styles.join('\n') };
}

/** Modules that are made here. */
const textModules = (texts: ReadonlyMap<string, string>): Plugin => ({
  name: 'gw-texts',
  enforce: 'pre',
  resolveId: (id) => (texts.has(id) ? `\0${id}` : null),
  load: (id) => texts.get(id.slice(1)) ?? null,
});

/** The list of screens would bring every screen along. */
const ownScreens = (): Plugin => ({
  name: 'gw-own-screens',
  enforce: 'pre',
  resolveId: (id) =>
    /^(\.\.\/)+(ui\/)?screens\.ts$/.test(id) ? path.join(folder, 'screens.ts') : null,
});

function whole(html: string, { script, style }: Bundle): string {
  // Neither may end the element that it stands in.
  const code = script
    .replaceAll('</script', String.raw`<\/script`)
    .replaceAll('<!--', String.raw`\x3C!--`);
  const styles = style.replaceAll('</style', '');
  const policy = [
    "default-src 'none'",
    `script-src '${sourceHash(code)}'`,
    `style-src '${sourceHash(styles)}'`,
    // The icons and the worker, which this page makes files of.
    'img-src blob:',
    'worker-src blob:',
    // What `gw history view` serves beside it; a page on a disk has no such origin.
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html gw-viewer',
  ].join('; ');
  const head =
    `<meta http-equiv="content-security-policy" content="${policy}" />\n` +
    `    <style>${styles}</style>\n    <script type="module">${code}</script>\n  </head>`;
  return html.replace('</head>', () => head);
}

const sourceHash = (text: string): string => `sha256-${hash('sha256', text, 'base64')}`;
