// Packs the files of the installed program into the archive that the executable unpacks.

import { readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

import { z } from 'zod';

export type Platform = Readonly<{ os: string; cpu: string }>;

const needs = z.record(z.string(), z.string()).default({});
const entry = z.object({
  version: z.string().default(''),
  license: z.string().default('unknown'),
  os: z.array(z.string()).optional(),
  cpu: z.array(z.string()).optional(),
  dependencies: needs,
  optionalDependencies: needs,
});
const lockfile = z.object({ packages: z.record(z.string(), entry) });

/** The executable is the runtime itself. */
const runtimePackage = 'node';

export type InstalledPackage = Readonly<{ folder: string; version: string; license: string }>;

/** The packages that the program needs on `platform`, from the lock file, sorted by folder. */
export function productionPackages(root: string, platform: Platform): readonly InstalledPackage[] {
  const { packages } = lockfile.parse(
    JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')),
  );
  const found = new Map<string, InstalledPackage>();
  const add = (folder: string): void => {
    const one = packages[folder];
    if (one === undefined || found.has(folder)) return;
    if (!(one.os?.includes(platform.os) ?? true)) return;
    if (!(one.cpu?.includes(platform.cpu) ?? true)) return;
    found.set(folder, { folder, version: one.version, license: one.license });
    for (const name of Object.keys({ ...one.dependencies, ...one.optionalDependencies })) {
      if (name !== runtimePackage) add(resolved(packages, folder, name));
    }
  };
  add('');
  found.delete('');
  return [...found.values()].toSorted((one, other) => (one.folder < other.folder ? -1 : 1));
}

/** Node looks for a package in the folder of the one that needs it, then in the folders above. */
function resolved(packages: Readonly<Record<string, unknown>>, from: string, name: string): string {
  for (
    let place = from;
    place !== '';
    place = place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/')))
  ) {
    const nested = `${place}/node_modules/${name}`;
    if (nested in packages) return nested;
  }
  return `node_modules/${name}`;
}

/** Names of files that no running program reads. Licence files stay. */
const unread = /\.(?:map|d\.[cm]?ts|ts|md|markdown|flow)$|\/(?:test|tests|benchmarks?|examples?)\//;

export type PackedFile = Readonly<{ name: string; from: string }>;

export function filesBelow(folder: string, name: string): readonly PackedFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile())
    .map((found) => path.join(found.parentPath, found.name))
    .map((from) => ({ name: path.join(name, path.relative(folder, from)), from }))
    .filter((file) => /licen[cs]e/i.test(file.name) || !unread.test(file.name));
}

/** A line of JSON with [path, mode, bytes] of each file, then their contents in that order. */
export function archiveOf(files: readonly PackedFile[]): Buffer {
  const contents = files.map(({ from }) => readFileSync(from));
  const index = files.map(({ name, from }, at) => [
    name,
    // An executable file stays executable, also where a package manager dropped group rights.
    (statSync(from).mode & 0o100) === 0 ? 0o644 : 0o755,
    contents[at]?.byteLength ?? 0,
  ]);
  return Buffer.concat([Buffer.from(`${JSON.stringify(index)}\n`), ...contents]);
}
