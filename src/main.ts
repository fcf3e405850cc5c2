#!/usr/bin/env node
// The program: hands its arguments to the command line and ends with its exit code.

import { Cli } from 'clipanion';

import { keepCompiled } from './cli/compile-cache.ts';

const lingeringCloseMs = 2000;

// Without a listener, the signal opens Node's inspector, through which any local user could run code in this process.
process.on('SIGUSR1', () => {});
keepCompiled();
const { runCommandLine } = await import('./cli/main.ts');

process.exitCode = await runCommandLine(process.argv.slice(2), Cli.defaultContext);
// What a failed start left open, such as a listener, must not keep the process once its command has answered.
setTimeout(() => process.exit(), lingeringCloseMs).unref();
