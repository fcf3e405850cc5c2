// Defines `gw config export`, which writes the configuration of a control plane as a configuration file.

import type { ControlPlane } from '../../../control/plane.ts';
import { exitCodes } from '../../printing/exit-codes.ts';
import type { ExitCode } from '../../printing/exit-codes.ts';
import { PlaneCommand } from '../../control-plane/plane-command.ts';

export class ConfigExportCommand extends PlaneCommand {
  static override paths = [['config', 'export']];
  static override usage = PlaneCommand.Usage({
    description: 'export the configuration of a control plane as a configuration file',
    details: `
      Writes a file to standard output that a proxy can serve in File mode and gw import can read.
      Credentials are replaced by os.environ/ names and keys by their SHA-256. Needs --database-url
      (GW_DATABASE_URL) and GW_ENCRYPTION_KEY.
    `,
    examples: [['Export to a file', '$0 config export > gw.yaml']],
  });

  protected override async work(plane: ControlPlane): Promise<ExitCode> {
    const { exportConfig } = await import('../../../control/files/export.ts');
    const { text, warnings } = await exportConfig(plane);
    for (const warning of warnings) this.warn(`left out: ${warning}`);
    this.context.stdout.write(text);
    return exitCodes.ok;
  }
}
