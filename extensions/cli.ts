// The commands of the extensions; see control.ts.

export { WhatIfCommand } from './what-if/cli/command.ts';
