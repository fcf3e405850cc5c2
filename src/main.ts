#!/usr/bin/env node
// The program: hands its arguments to the command line and ends with its exit code.

import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

import { Cli } from 'clipanion';

const lingerMs = 2000;

// Compiling all of its files is half of the time that a short command takes. What is compiled lies beside the code, so that whoever
// could change it could change the code itself; where it cannot be written, nothing is kept.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/gw'));
const { runCommandLine } = await import('./cli/main.ts');

process.exitCode = await runCommandLine(process.argv.slice(2), Cli.defaultContext);
// What a failed start left open, such as a listener, must not keep the process once its command has answered.
setTimeout(() => process.exit(), lingerMs).unref();
