// Builds the export viewer into one HTML file with its script, worker, styles and icons, under a
// policy that only allows these by hash. It works from any location, including a disk.

import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { InlineConfig, Plugin } from 'vite';

const folder = path.join(import.meta.dirname, 'ui');

/** The bundled script and its styles. */
type Bundle = Readonly<{ script: string; style: string }>;

/** Writes `viewer.html` to the folder of the built UI. */
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

/** An element can use an icon from a file, but not from its page. */
const moduleOfSprite = (sprite: string): string =>
  `const file = new Blob([${JSON.stringify(sprite)}], { type: 'image/svg+xml' });\n` +
  'export default URL.createObjectURL(file);';

async function bundle(
  entry: string,
  format: 'es' | 'iife',
  plugins: readonly Plugin[],
): Promise<Bundle> {
  // Optional, and possibly missing, if the UI is already built.
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

/** Generated modules. */
const textModules = (texts: ReadonlyMap<string, string>): Plugin => ({
  name: 'gw-texts',
  enforce: 'pre',
  resolveId: (id) => (texts.has(id) ? `\0${id}` : null),
  load: (id) => texts.get(id.slice(1)) ?? null,
});

/** The list of screens would include every screen in the bundle. */
const ownScreens = (): Plugin => ({
  name: 'gw-own-screens',
  enforce: 'pre',
  resolveId: (id) =>
    /^(\.\.\/)+(ui\/)?screens\.ts$/.test(id) ? path.join(folder, 'screens.ts') : null,
});

function whole(html: string, { script, style }: Bundle): string {
  // Neither text may close its element.
  const code = script
    .replaceAll('</script', String.raw`<\/script`)
    .replaceAll('<!--', String.raw`\x3C!--`);
  const styles = style.replaceAll('</style', '');
  const policy = [
    "default-src 'none'",
    `script-src '${sourceHash(code)}'`,
    `style-src '${sourceHash(styles)}'`,
    // The icons and the worker, which the page turns into blob URLs.
    'img-src blob:',
    'worker-src blob:',
    // The files that `gw history view` serves. A page on a disk has no such origin.
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
