#!/usr/bin/env node
// The installed command. It starts the compiled program of a package, or the sources of a checkout, on a Node that can run them:
// this one if it is new enough, else the one that the package depends on.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The program uses what Node has since this major version, among it running TypeScript from a checkout. */
const oldestMajor = 24;

const root = fileURLToPath(new URL('..', import.meta.url));
const source = path.join(root, 'src/main.ts');
const program = existsSync(source) ? source : path.join(root, 'dist/src/main.js');

/** The `node` package of npm holds a runtime; null where it is not installed, or its install script did not run. */
function dependedRuntime() {
  try {
    const manifest = createRequire(import.meta.url).resolve('node/package.json');
    const runtime = path.join(path.dirname(manifest), 'bin/node');
    return existsSync(runtime) ? runtime : null;
  } catch {
    return null;
  }
}

/**
 * The child decides how to end, and this process ends as it did. A terminal sends Ctrl-C to both processes; forwarded, it would be
 * the second interrupt, which ends a server at once.
 */
function runOn(runtime) {
  const child = spawn(runtime, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
  const isInTerminal = process.stdin.isTTY;
  process.on('SIGINT', () => isInTerminal || child.kill('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`${runtime} cannot be started: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail(why) {
  process.stderr.write(`gw: ${why}\n`);
  process.exit(1);
}

if (Number.parseInt(process.versions.node, 10) >= oldestMajor) {
  process.argv[1] = program;
  await import(program);
} else {
  const runtime = dependedRuntime();
  if (runtime === null) {
    fail(
      `Node ${oldestMajor} or newer is needed, and this is ${process.version}. Install it, or allow the ` +
        'install script of the package "node" and install again (npm install-scripts approve node).',
    );
  }
  runOn(runtime);
}
