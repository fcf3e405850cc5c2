#!/usr/bin/env node
// The program: hands its arguments to the command line and ends with its exit code.

import { Cli } from 'clipanion';

import { runCommandLine } from './cli/main.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), Cli.defaultContext);
