// The command that writes the configuration of a control plane as a configuration file.

import type { ControlPlane } from '../../../control/plane.ts';
import { exitCodes } from '../../printing/exit-codes.ts';
import type { ExitCode } from '../../printing/exit-codes.ts';
import { PlaneCommand } from '../../control-plane/plane-command.ts';

export class ConfigExportCommand extends PlaneCommand {
  static override paths = [['config', 'export']];
  static override usage = PlaneCommand.Usage({
    description: 'write the configuration of a control plane as a configuration file',
    details: `
      Writes to standard output what a proxy serves in File mode and import takes back. It holds no
      credential, only os.environ/ names for them, and of each key its SHA-256. Needs
      --database-url (GW_DATABASE_URL) and GW_ENCRYPTION_KEY.
    `,
    examples: [['Export', '$0 config export > gw.yaml']],
  });

  protected override async work(plane: ControlPlane): Promise<ExitCode> {
    // Loaded here, because it is much to load for a program that only shows its help.
    const { exportConfig } = await import('../../../control/files/export.ts');
    const { text, warnings } = await exportConfig(plane);
    for (const warning of warnings) this.warn(`left out: ${warning}`);
    this.context.stdout.write(text);
    return exitCodes.ok;
  }
}
