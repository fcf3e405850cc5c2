#!/usr/bin/env node
// Runs the command line and exits with its code.

import { Cli } from 'clipanion';

import { keepCompiled } from './cli/compile-cache.ts';

const lingeringCloseMs = 2000;

// Without a listener, this signal opens Node's inspector, through which any local user could run
// code in this process.
process.on('SIGUSR1', () => {});
keepCompiled();
const { runCommandLine } = await import('./cli/main.ts');

process.exitCode = await runCommandLine(process.argv.slice(2), Cli.defaultContext);
// Resources left open by a failed start, such as a listener, must not keep the process alive.
setTimeout(() => process.exit(), lingeringCloseMs).unref();
