// The commands of the extensions; see control.ts.

export { HistoryViewCommand } from './viewer/cli/command.ts';
export { WhatIfCommand } from './what-if/cli/command.ts';
