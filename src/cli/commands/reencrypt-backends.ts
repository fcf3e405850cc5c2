// Defines `gw reencrypt-backends`, which completes a rotation of the encryption key (specification, "Commands of the binary").

import { randomUUID } from 'node:crypto';

import { Option } from 'clipanion';

import type { ControlPlane } from '../../control/plane.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { exitCodes } from '../printing/exit-codes.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { PlaneCommand } from '../control-plane/plane-command.ts';

export class ReencryptBackendsCommand extends PlaneCommand {
  static override paths = [['reencrypt-backends']];
  static override usage = PlaneCommand.Usage({
    description: 're-encrypt every stored secret with GW_ENCRYPTION_KEY',
    details: `
      Completes a rotation of the encryption key. You can interrupt the command and run it again.
      Exits 1 if a secret could not be decrypted. Needs --database-url (GW_DATABASE_URL),
      GW_ENCRYPTION_KEY, and the previous key as GW_ENCRYPTION_KEY_PREVIOUS, which you can remove
      afterwards.
    `,
    examples: [['Run once every process has both keys', '$0 reencrypt-backends']],
  });

  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });

  protected override async work(
    plane: ControlPlane,
    encryptionKey: string,
  ): Promise<ExitCode | Refusal> {
    const { resealVault } = await import('../../control/vault/reseal.ts');
    const { keyId: keyIdOf } = await import('../../db/vault.ts');
    const keyId = keyIdOf(Buffer.from(encryptionKey, 'hex'));
    const report = await resealVault({ plane, keyId, newId: randomUUID });
    if (isRefusal(report)) return report;
    const { resealed, unreadable } = report;
    for (const ref of unreadable) this.warn(`vault item ${ref} could not be decrypted`);
    const text = `${resealed} items re-encrypted with key ${keyId}, ${unreadable.length} unreadable`;
    const { stdout } = this.context;
    stdout.write(`${this.json ? JSON.stringify({ key_id: keyId, ...report }) : text}\n`);
    return unreadable.length === 0 ? exitCodes.ok : exitCodes.failed;
  }
}
