// Fetches the gateway that gw is compared with. It is not a dependency of the project: a pinned version is installed
// once into a cache directory of the user.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

export const portkeyVersion = '1.15.2';
/** Newer versions of its HTTP adapter pass immutable headers, and every stream fails with a 500. */
const adapterVersion = '1.3.3';

const installMsMax = 180_000;

/** The program's file, or null after reporting the reason to `say`. */
export function installPortkey(say: (line: string) => void): string | null {
  const { uid } = userInfo();
  const directory = join(tmpdir(), `gw-bench-portkey-${portkeyVersion}-${uid}`);
  const program = join(directory, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // The path can be guessed, so a program of another user is not run.
  if (statSync(directory).uid !== uid) {
    say(`portkey is left out: ${directory} belongs to another user`);
    return null;
  }
  if (existsSync(program)) return program;
  say(`installing portkey ${portkeyVersion} into ${directory}`);
  try {
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    const manifest = {
      private: true,
      dependencies: { '@portkey-ai/gateway': portkeyVersion },
      overrides: { '@hono/node-server': adapterVersion },
    };
    writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
    execFileSync('npm', ['install', '--prefix', directory, ...flags], {
      timeout: installMsMax,
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
    });
    return program;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    say(`portkey is left out: ${reason.trim().split('\n').at(-1)}`);
    return null;
  }
}
