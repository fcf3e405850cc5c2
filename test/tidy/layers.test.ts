// Tests which layers may import each other (docs: architecture, "Who may import whom") and that
// imports form no cycle.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { importedFile, importsOf, sourcesOfTree } from './tree.ts';
import type { SourceFile } from './tree.ts';

type Layer = Readonly<{
  /** Folders of this project, in addition to the layer itself. */
  may: readonly string[];
  /** A trailing star matches any suffix. */
  packages: readonly string[];
}>;

const contract = ['src/lib', 'src/conditions', 'src/fields', 'src/snapshot', 'src/protocols/facts'];
const pure = ['src/routing', 'src/limits', 'src/usage', 'src/protocols', 'src/classifier'];
/** The schema of price cards, their versions and hours, and the names of prices. */
const prices = ['card', 'hours', 'names', 'versions'].map((name) => `src/usage/price-${name}`);
const beneathControl = [
  ...contract,
  ...pure,
  'events',
  'projections',
  'src/deciders',
  'src/db',
  'src/notifications',
];
// The control plane uses the types of a connection. Another test checks that it contains no SQL.
const controlPackages = [
  '@databases/pg',
  'zod',
  'undici',
  '@zxcvbn-ts/language-common',
  'argon2',
  'eventemitter3',
  'ipaddr.js',
];

const verification = ['bytes', 'chain', 'export-check', 'hashed-text'].map(
  (name) => `events/${name}`,
);
const uiViewerPackages = ['lit', 'lit/*', 'zod', '#worker?text'];
const uiPackages = ['@awesome.me/webawesome/*', 'jsondiffpatch'];
const uiFiles = ['#icons?url', '#dashboard?raw'];
const uiOwn = ['lit', 'lit/*', 'uplot', 'uplot/*', ...uiPackages, ...uiFiles, 'zod'];

// The admin listener parses and renders. It calls the control plane's use cases, never the deciders
// or the database.
const beneathAdmin = [
  ...contract,
  ...pure,
  'events',
  'projections',
  'src/notifications',
  'src/telemetry',
  'src/kubernetes',
  'src/egress',
  'src/control',
  'src/ingress',
  'src/admin',
];
const adminPackages = [...controlPackages, 'fastify', 'node:*'];
const layers: Readonly<Record<string, Layer>> = {
  'src/lib': { may: ['src/protocols/facts'], packages: ['zod'] },
  'src/conditions': { may: ['src/lib'], packages: ['zod'] },
  'src/fields': { may: ['src/lib', 'src/usage/price-card'], packages: ['zod'] },
  events: { may: ['src/lib', 'src/conditions', 'src/fields'], packages: ['zod', 'node:crypto'] },
  'src/snapshot': {
    may: [
      'src/lib',
      'src/conditions',
      'src/fields',
      'src/protocols/facts',
      'src/usage/counts',
      'src/usage/row-number',
      ...prices,
    ],
    packages: ['zod', 'yaml', 'node:crypto'],
  },
  'src/notifications': { may: ['src/lib'], packages: ['node:crypto'] },
  'src/limits': { may: contract, packages: ['zod'] },
  'src/usage': { may: contract, packages: ['zod'] },
  'src/protocols': { may: [...contract, 'src/usage'], packages: ['zod'] },
  // Plain data that names the protocols for all layers.
  'src/protocols/facts': { may: ['src/protocols'], packages: [] },
  'src/classifier': { may: contract, packages: ['zod'] },
  'src/routing': { may: [...contract, 'src/usage', 'src/limits'], packages: [] },
  projections: { may: [...contract, ...prices, 'events'], packages: [] },
  'projections/tables': {
    may: [...contract, 'projections', 'events', 'src/db'],
    packages: ['@databases/pg', 'zod'],
  },
  'projections/read-model': {
    may: [...contract, 'projections', 'events', 'src/db'],
    packages: ['@databases/pg', 'node:crypto', 'node:timers/promises', 'zod'],
  },
  'src/deciders': {
    may: [
      'src/lib',
      'src/conditions',
      'src/fields',
      'events',
      'projections/config',
      'src/routing',
      ...prices,
    ],
    packages: [],
  },
  'src/db': {
    may: [
      'src/lib',
      'src/usage/counts',
      'src/usage/latency',
      'src/usage/pieces',
      'src/usage/row-number',
      'events',
    ],
    packages: ['pg', '@databases/*', 'zod', 'node:*'],
  },
  'src/telemetry': {
    may: ['src/lib', 'src/egress', 'src/ingress'],
    packages: ['pino', 'prom-client', '@opentelemetry/*', 'node:*'],
  },
  'src/ingress': { may: [], packages: ['ipaddr.js', 'node:*'] },
  'src/egress': { may: ['src/lib'], packages: ['undici', 'ipaddr.js', 'node:*'] },
  'src/gateway': {
    may: [...contract, ...pure, 'src/telemetry', 'src/egress', 'src/ingress'],
    packages: ['fastify', 'undici', 'node:*'],
  },
  'src/control': {
    may: [...beneathControl, 'src/telemetry', 'src/kubernetes', 'src/egress', 'src/ingress'],
    packages: [...controlPackages, 'node:*'],
  },
  'src/admin': { may: [...beneathAdmin, 'extensions/control'], packages: adminPackages },
  'src/kubernetes': { may: ['src/lib'], packages: ['undici', 'zod', 'node:*'] },
  'src/operator': {
    may: ['src/lib', 'src/telemetry', 'src/kubernetes'],
    packages: ['zod', 'node:*'],
  },
  'src/agent': {
    may: ['src/lib', 'src/telemetry', 'src/kubernetes'],
    packages: ['undici', 'zod', 'node:*'],
  },
  ui: {
    // Only types of the server, which another test checks. The tables of nouns and protocols are
    // plain data; the log check is pure and needs no schema.
    may: [
      'src/admin',
      'src/conditions',
      'src/fields',
      'src/usage/counts',
      'src/usage/price-names',
      'src/notifications/types',
      'src/protocols/facts',
      'events/nouns',
      ...verification,
    ],
    packages: uiOwn,
  },
  // Folds the log itself in the browser, and configures schemas not to generate code.
  'extensions/viewer/ui': {
    may: ['ui', 'extensions/history/ui', 'events', 'projections', 'src/lib'],
    packages: uiViewerPackages,
  },
  'ui/vite.config.ts': { may: ['ui'], packages: ['vite', 'node:*'] },
  'src/cli': {
    may: ['events', 'projections', 'src', 'extensions/cli', 'extensions/settings'],
    packages: ['*'],
  },
  // The test of extensions checks what they may import.
  extensions: { may: ['events', 'projections', 'src', 'ui/vite.config'], packages: ['*'] },
  'extensions/ui': {
    // Only the types of the last one, for the reasons of a failed sign-in.
    may: [
      'ui',
      'src/admin',
      'src/conditions',
      'src/protocols/facts',
      ...verification,
      'extensions/sign-on/failure',
    ],
    packages: uiOwn,
  },
  'src/main.ts': { may: ['src/cli'], packages: ['clipanion'] },
};

/** An extension is enabled by its line in these files. */
const lists: ReadonlySet<string> = new Set(
  ['control', 'cli', 'settings'].map((list) => `extensions/${list}.ts`),
);

/** The program's own code. Tests and benchmarks may import anything. */
const program = /^(events|projections|src|ui|extensions)\/(?!.*\btest\/)/;

test('every file of the program belongs to a layer', () => {
  const homeless = programFiles().filter((file) => layerOf(file.path) === null);
  assert.deepEqual(
    homeless.map((file) => file.path),
    [],
  );
});

test('a layer imports only what its row allows', () => {
  const wrong = programFiles().flatMap((file) =>
    importsOf(file)
      .filter((specifier) => !isAllowed(file, specifier))
      .map((specifier) => `${file.path} imports ${specifier}`),
  );
  assert.deepEqual(wrong, []);
});

test('the management UI imports only types and tables of plain data from the server', () => {
  const wrong = programFiles()
    .filter(({ path }) => /^(extensions\/[^/]+\/)?ui\//.test(path))
    .filter(({ path }) => !path.startsWith('extensions/viewer/'))
    .flatMap((file) =>
      importsOf(file, { valuesOnly: true })
        .filter((name) => {
          const target = importedFile(file.path, name) ?? '';
          return (
            name === 'zod' ||
            /^src\/(?!conditions\/|fields\/|notifications\/types|protocols\/facts|usage\/(counts|price-names))/.test(
              target,
            )
          );
        })
        .map((specifier) => `${file.path} imports ${specifier}`),
    );
  assert.deepEqual(wrong, []);
});

test('only the lists of extensions import an extension', () => {
  const wrong = sourcesOfTree()
    .filter(({ path }) => !lists.has(path))
    .flatMap((file) =>
      importsOf(file)
        .map((specifier) => importedFile(file.path, specifier) ?? '')
        .filter((target) => extensionOf(target) !== null)
        .filter(
          (target) =>
            ![extensionOf(file.path), ...builtOn(file.path)].includes(extensionOf(target)),
        )
        .map((target) => `${file.path} imports ${target}`),
    );
  assert.deepEqual(wrong, []);
});

const tables = [
  { start: 'src/conditions/table.ts', own: /^src\/conditions\// },
  { start: 'src/fields/model.ts', own: /^src\/fields\// },
  { start: 'src/usage/counts.ts', own: /^src\/usage\/counts\.ts$/ },
  { start: 'src/notifications/types.ts', own: /^src\/notifications\/types\.ts$/ },
  { start: 'src/protocols/facts.ts', own: /^src\/protocols\/(\w+\/)?facts\.ts$/ },
];

for (const { start, own } of tables) {
  test(`${start} has no other runtime imports, because it is part of the UI`, () => {
    const files = new Map(programFiles().map((file) => [file.path, file]));
    const seen = new Set([start]);
    // Iterating over a set includes entries added during the iteration.
    for (const path of seen) {
      const file = files.get(path);
      if (file === undefined) continue;
      for (const name of importsOf(file, { valuesOnly: true })) {
        seen.add(importedFile(path, name) ?? name);
      }
    }
    assert.ok(files.has(start));
    assert.deepEqual(
      [...seen].filter((path) => !own.test(path)),
      [],
    );
  });
}

test('imports, including those of types, form no cycle', () => {
  const imports = new Map(programFiles().map((file) => [file.path, importedFiles(file)]));
  assert.equal(circleIn(imports), null);
});

test('the check finds static, dynamic, re-exporting and type imports', () => {
  const text = [
    "import type { A } from './a.ts';",
    "import {\n  b,\n} from './b.ts';",
    "export { c } from './c.ts';",
    "const d = await import('./d.ts');",
    "import './e.ts';",
  ].join('\n');
  const found = importsOf({ text }).toSorted();
  assert.deepEqual(found, ['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts']);
});

test('the check finds a cycle', () => {
  const circle = circleIn(
    new Map([
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['b']],
    ]),
  );
  assert.equal(circle, 'b -> c -> b');
});

/**
 * The viewer shows an export with the screens of history. One of its tests opens an evidence pack.
 */
function builtOn(path: string): readonly string[] {
  if (path === 'extensions/viewer/ui/test/pack.test.ts') return ['evidence'];
  return extensionOf(path) === 'viewer' ? ['history'] : [];
}

const extensionOf = (path: string): string | null =>
  /^extensions\/([^/]+)\//.exec(path)?.[1] ?? null;

const programFiles = (): readonly SourceFile[] =>
  sourcesOfTree().filter((file) => program.test(file.path));

/** The longest name wins: `projections/tables` before `projections`. */
function layerOf(file: string): string | null {
  const holds = (name: string): boolean =>
    file.startsWith(name) && /^($|[/.-])/.test(file.slice(name.length));
  const names = Object.keys(layers).filter(holds);
  const [name = null] = names.toSorted((a, b) => b.length - a.length);
  return name === 'extensions' && /^extensions\/[^/]+\/ui\//.test(file) ? 'extensions/ui' : name;
}

function isAllowed(file: SourceFile, specifier: string): boolean {
  const own = layerOf(file.path);
  const layer = layers[own ?? ''];
  if (own === null || layer === undefined) return false;
  const target = importedFile(file.path, specifier);
  if (target === null) return layer.packages.some((name) => matches(name, specifier));
  if (target.endsWith('.json')) return true;
  // Projections read down from the read model to the fold, so they share one row there.
  if (own === 'projections' && target.startsWith('projections/')) return true;
  return (
    layerOf(target) === own ||
    layer.may.some((name) => target.startsWith(`${name}/`) || target === `${name}.ts`)
  );
}

const matches = (name: string, specifier: string): boolean =>
  name.endsWith('*') ? specifier.startsWith(name.slice(0, -1)) : specifier === name;

/** Type imports count too: files that need each other's types can only be understood together. */
const importedFiles = (file: SourceFile): readonly string[] =>
  importsOf(file).flatMap((specifier) => importedFile(file.path, specifier) ?? []);

/** Walks depth first; meeting a file that is being walked is a cycle. */
function circleIn(imports: ReadonlyMap<string, readonly string[]>): string | null {
  const done = new Set<string>();
  const walk = (file: string, above: readonly string[]): string | null => {
    if (above.includes(file)) return [...above.slice(above.indexOf(file)), file].join(' -> ');
    if (done.has(file)) return null;
    for (const next of imports.get(file) ?? []) {
      const found = walk(next, [...above, file]);
      if (found !== null) return found;
    }
    done.add(file);
    return null;
  };
  for (const file of imports.keys()) {
    const found = walk(file, []);
    if (found !== null) return found;
  }
  return null;
}
