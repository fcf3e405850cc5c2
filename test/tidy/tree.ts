// Reads the tracked and new files of the checkout, so that the tidy tests check what a commit would
// contain.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.join(import.meta.dirname, '../..');

export type SourceFile = Readonly<{ path: string; text: string }>;

const binary = /\.(png|jpe?g|ico|woff2?|gz|wasm|words)$/;

/** Every text file that git does not ignore, with its path from the root. */
export function filesOfTree(): readonly SourceFile[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return [...new Set(listed.split('\0'))]
    .filter((file) => file !== '' && !binary.test(file))
    .filter((file) => existsSync(path.join(root, file)))
    .map((file) => ({ path: file, text: readFileSync(path.join(root, file), 'utf8') }));
}

/** TypeScript written by people. */
export const sourcesOfTree = (): readonly SourceFile[] =>
  filesOfTree().filter(({ path: file }) => file.endsWith('.ts'));

/** Static, dynamic and re-exporting imports. Type imports count too, unless `valuesOnly`. */
export function importsOf(
  { text }: Pick<SourceFile, 'text'>,
  { valuesOnly }: Readonly<{ valuesOnly: boolean }> = { valuesOnly: false },
): readonly string[] {
  const forms = [
    /^(?:import|export)\s[^'"`;]*?\bfrom\s+'([^']+)'/gms,
    /^import\s+'([^']+)'/gm,
    /\bimport\(\s*'([^']+)'\s*\)/g,
  ];
  return forms
    .flatMap((form) => Array.from(text.matchAll(form)))
    .filter(([found]) => !valuesOnly || !/^(import|export)\s+type\b/.test(found))
    .map((match) => match[1] ?? '');
}

/** The path from the root that a relative import resolves to; null for a package. */
export function importedFile(from: string, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  return path.posix.normalize(path.posix.join(path.posix.dirname(from), specifier));
}
