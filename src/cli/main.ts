// Registers every command, and runs the command of the arguments or reports a usage error.

import { Cli } from 'clipanion';
import type { BaseContext, Command, CommandClass } from 'clipanion';

import * as extensions from '../../extensions/cli.ts';
import { AgentCommand } from './commands/agent.ts';
import { BackupCheckCommand, BackupCommand, RestoreCommand } from './commands/backup.ts';
import { ChangePolicyCommand } from './commands/change-policy.ts';
import { ClassifyBenchCommand } from './commands/classify-bench.ts';
import { ConfigCheckCommand } from './commands/configuration/config-check.ts';
import { ConfigExportCommand } from './commands/configuration/config-export.ts';
import { ApplyCommand, ExportCommand, PlanCommand } from './commands/configuration/declared.ts';
import { DevCommand } from './commands/dev.ts';
import { DoctorCommand } from './commands/doctor.ts';
import { HealthcheckCommand } from './commands/healthcheck.ts';
import { ImportCommand } from './commands/import.ts';
import { LogExportCommand } from './commands/log-export.ts';
import { LogNewEpochCommand } from './commands/log-new-epoch.ts';
import { LogReplayCommand, VaultExportCommand } from './commands/log-replay.ts';
import { LogVerifyCommand } from './commands/log-verify.ts';
import { LogVerifyExportCommand } from './commands/log-verify-export.ts';
import { OperatorCommand } from './commands/operator.ts';
import {
  ProjectionsRebuildCommand,
  ProjectionsStatusCommand,
  ProjectionsVerifyCommand,
} from './commands/projections.ts';
import { ReencryptBackendsCommand } from './commands/reencrypt-backends.ts';
import { ServeCommand } from './commands/serve.ts';
import { SetPasswordCommand } from './commands/set-password.ts';
import { SyncPricesCommand } from './commands/sync-prices.ts';
import { UpgradeCheckCommand } from './commands/upgrade-check.ts';
import { UsageExportCommand } from './commands/usage/usage-export.ts';
import { UsageReconcileCommand } from './commands/usage/usage-reconcile.ts';
import { UsageWhatIfCommand } from './commands/usage/usage-what-if.ts';
import { UsageRepriceCommand } from './commands/usage/usage-reprice.ts';
import { UsageVerifyCommand } from './commands/usage/usage-verify.ts';
import { VaultEraseCommand } from './commands/vault-erase.ts';
import { VersionCommand } from './commands/version.ts';
import { exitCodes } from './printing/exit-codes.ts';
import { HelpCommand, namingValues } from './printing/help.ts';
import { usageError } from './printing/usage-error.ts';
import { programVersion } from './version.ts';

export function commandLine(enableColors: boolean): Cli {
  const cli = new Cli({ binaryName: 'gw', binaryVersion: programVersion(), enableColors });
  const commands = [
    AgentCommand,
    BackupCommand,
    BackupCheckCommand,
    ChangePolicyCommand,
    ClassifyBenchCommand,
    ConfigCheckCommand,
    ConfigExportCommand,
    PlanCommand,
    ApplyCommand,
    ExportCommand,
    DevCommand,
    DoctorCommand,
    HealthcheckCommand,
    ImportCommand,
    LogExportCommand,
    LogNewEpochCommand,
    LogReplayCommand,
    VaultExportCommand,
    ProjectionsRebuildCommand,
    ProjectionsVerifyCommand,
    ProjectionsStatusCommand,
    LogVerifyCommand,
    LogVerifyExportCommand,
    OperatorCommand,
    ReencryptBackendsCommand,
    RestoreCommand,
    ServeCommand,
    SetPasswordCommand,
    SyncPricesCommand,
    UpgradeCheckCommand,
    UsageExportCommand,
    UsageReconcileCommand,
    UsageRepriceCommand,
    UsageVerifyCommand,
    UsageWhatIfCommand,
    VaultEraseCommand,
    ...Object.values<CommandClass>(extensions),
  ];
  for (const command of [HelpCommand, VersionCommand, ...commands]) {
    cli.register(command);
  }
  return cli;
}

/** `argv` excludes the path of the program. Returns the exit code. */
export async function runCommandLine(
  argv: readonly string[],
  context: BaseContext & { stdout: { isTTY?: boolean } },
): Promise<number> {
  // By default, clipanion writes colours to pipes too.
  const cli = commandLine(context.stdout.isTTY === true && (context.env['NO_COLOR'] ?? '') === '');
  let command: Command;
  try {
    command = cli.process([...argv], context);
  } catch (error) {
    context.stderr.write(usageError(cli, argv, error));
    return exitCodes.usage;
  }
  const asksHelp = argv.includes('--help') || argv.includes('-h');
  return cli.run(
    command,
    asksHelp ? { ...context, stdout: namingValues(context.stdout) } : context,
  );
}
