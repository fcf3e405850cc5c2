// The commands of the extensions; see control.ts.

export type { CommandClass } from 'clipanion';
export {
  UsageArchiveCommand,
  UsageArchiveRepairCommand,
  UsageArchiveVerifyCommand,
} from './archive/cli/command.ts';
export {
  ChangeApproveCommand,
  ChangeDraftCommand,
  ChangeListCommand,
  ChangeScheduleCommand,
  ChangeShowCommand,
  ChangeStepCommand,
} from './change-requests/cli/change.ts';
export { EvidenceCommand } from './evidence/cli/command.ts';
export { AccessCommand, AccessDiffCommand } from './history/cli/access.ts';
export { ExplainCommand } from './history/cli/explain.ts';
export {
  HistoryCommandsCommand,
  HistoryEventCommand,
  HistoryEventsCommand,
} from './history/cli/history.ts';
export {
  SnapshotDiffCommand,
  SnapshotListCommand,
  SnapshotShowCommand,
} from './history/cli/snapshot.ts';
export { SnapshotRestoreCommand } from './history/cli/snapshot-restore.ts';
export { TailCommand } from './history/cli/tail.ts';
export { HistoryViewCommand } from './viewer/cli/command.ts';
export { WhatIfCommand } from './what-if/cli/command.ts';
