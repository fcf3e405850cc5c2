// Builds the single executable of a platform: the pinned Node with the program, the management UI, the migrations and the
// Postgres of `gw dev` inside. `node scripts/build-executable.ts [--platform linux-x64|linux-arm64] [--out FILE]`.
// A platform other than this machine's needs the package registry.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { constants, zstdCompressSync } from 'node:zlib';

import { z } from 'zod';

import { buildPackage } from './build-package.ts';
import { archiveOf, filesBelow, productionPackages } from './executable/archive.ts';
import type { PackedFile, Platform } from './executable/archive.ts';

const root = path.join(import.meta.dirname, '..');
const platforms = ['linux-x64', 'linux-arm64'] as const;
type PlatformName = (typeof platforms)[number];
type Build = Readonly<{ platform: PlatformName; out: string; level: number }>;

/** The place in Node's binary that says whether something is injected (nodejs.org, Single executable applications). */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Unpacks a package of the registry, of the same version as the one that is installed here. npm verifies its digest. */
function fetchPackage(name: string, version: string, folder: string): string {
  const target = path.join(folder, name.replaceAll('/', '-'));
  mkdirSync(target, { recursive: true });
  const packing = ['pack', '--silent', '--pack-destination', target, `${name}@${version}`];
  const file = execFileSync('npm', packing, { cwd: folder, encoding: 'utf8' }).trim();
  execFileSync('tar', ['-xzf', file, '--strip-components=1'], { cwd: target });
  return target;
}

const manifestOf = (folder: string): { version: string } =>
  z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')));

const thisPlatform = `${process.platform}-${process.arch}`;

function runtimeOf(platform: PlatformName, folder: string): string {
  if (platform === thisPlatform) return path.join(root, 'node_modules/node/bin/node');
  const { version } = manifestOf('node_modules/node');
  return path.join(fetchPackage(`node-${platform}`, version, folder), 'bin/node');
}

/** The compiled program, and each package where Node looks for it. */
function filesOf(platform: Platform, folder: string): readonly PackedFile[] {
  const packages = productionPackages(root, platform);
  return [
    ...filesBelow(path.join(folder, 'dist'), 'dist'),
    { name: 'LICENSE', from: path.join(root, 'LICENSE') },
    { name: 'run.cjs', from: path.join(import.meta.dirname, 'executable/run.cjs') },
    ...packages.flatMap(({ folder: place, version }) => {
      const here = path.join(root, place);
      const from = existsSync(here)
        ? here
        : fetchPackage(place.slice('node_modules/'.length), version, folder);
      return filesBelow(from, place);
    }),
  ];
}

/** `level` is zstd's, 1 to 22. A higher one takes longer and makes a smaller file. */
export async function buildExecutable({ platform, out, level }: Build): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gw-executable-'));
  try {
    const [system = '', cpu = ''] = platform.split('-');
    await buildPackage(path.join(folder, 'dist'), { os: system, cpu });
    const archive = archiveOf(filesOf({ os: system, cpu }, folder));
    const program = path.join(folder, 'program');
    const digest = path.join(folder, 'digest');
    writeFileSync(
      program,
      zstdCompressSync(archive, { params: { [constants.ZSTD_c_compressionLevel]: level } }),
    );
    writeFileSync(digest, createHash('sha256').update(archive).digest('hex').slice(0, 32));
    const config = path.join(folder, 'sea.json');
    const blob = path.join(folder, 'blob');
    writeFileSync(
      config,
      JSON.stringify({
        main: path.join(import.meta.dirname, 'executable/start.cjs'),
        output: blob,
        disableExperimentalSEAWarning: true,
        assets: { program, digest },
      }),
    );
    execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: 'ignore' });
    mkdirSync(path.dirname(out), { recursive: true });
    rmSync(out, { force: true });
    copyFileSync(runtimeOf(platform, folder), out);
    chmodSync(out, 0o755);
    const postject = path.join(root, 'node_modules/postject/dist/cli.js');
    const injecting = [out, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse];
    execFileSync(process.execPath, [postject, ...injecting], { stdio: 'ignore' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { platform: { type: 'string', default: thisPlatform }, out: { type: 'string' } },
  });
  const platform = z.enum(platforms).parse(values.platform);
  const out = path.resolve(values.out ?? path.join(root, 'release', `gw-${platform}`));
  await buildExecutable({ platform, out, level: 19 });
  process.stdout.write(`${out} ${Math.round(statSync(out).size / 1024 / 1024)} MiB\n`);
}
