// The commands of configuration as code: plan, apply and export declarative files (docs/configuration-as-code.md).

import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';

import { Option } from 'clipanion';
import { z } from 'zod';

import { isRefusal } from '../../../lib/refusal.ts';
import type { Refusal } from '../../../lib/refusal.ts';
import type { AdminClient } from '../../control-plane/admin-client.ts';
import { ChangeCommand } from '../../control-plane/change-command.ts';
import type { Said } from '../../control-plane/change-command.ts';
import { exitCodes } from '../../printing/exit-codes.ts';
import { planText } from '../../printing/plan-text.ts';
import type { ShownPlan } from '../../printing/plan-text.ts';

const path = '/admin/configuration';

const shownPlan = z.looseObject({
  plan: z.string(),
  adopted: z.int(),
  unmanaged: z.array(z.object({ list: z.string(), name: z.string() })),
  warnings: z.array(z.string()),
  changes: z.array(
    z.object({
      action: z.enum(['create', 'update', 'delete']),
      list: z.string(),
      name: z.string(),
      id: z.int().nullable(),
      fields: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
      drift: z
        .object({
          position: z.int(),
          type: z.string(),
          at: z.string(),
          actor: z.string().nullable(),
        })
        .nullable(),
    }),
  ),
}) satisfies z.ZodType<ShownPlan>;

const needs = `
  Needs --control-url (GW_CONTROL_URL), and either --login with a password (--password,
  GW_PASSWORD or GW_PASSWORD_FILE) or an admin token (GW_ADMIN_TOKEN or GW_ADMIN_TOKEN_FILE).
`;

abstract class FilesCommand extends ChangeCommand {
  files = Option.Array('-f,--file', { required: true, description: 'a file or a folder' });
  set = Option.String('--set', 'default', { description: 'the name of this set of files' });
  prune = Option.Boolean('--prune', false, {
    description: 'remove what the lists of the files do not name',
  });

  /** Sends the files, and says of a refusal where it is in them. */
  protected async send(
    work: (body: object) => Promise<Said | Refusal>,
  ): Promise<Said | Refusal | readonly Refusal[]> {
    // Loaded here, because the format is much to load for a program that only shows its help.
    const { readDeclaredFiles } = await import('../../declared-files.ts');
    const read = await readDeclaredFiles(this.files, this.context.env);
    if (!('resources' in read)) return read;
    const { set, prune } = this;
    const said = await work({ resources: read.resources, set, prune });
    return isRefusal(said) ? read.placed(said) : said;
  }
}

export class PlanCommand extends FilesCommand {
  static override paths = [['plan']];
  static override usage = ChangeCommand.Usage({
    description: 'show what an apply of declarative files would change',
    details: `
      Writes nothing. Exits 0 when nothing would change and 10 when something would. ${needs}
    `,
    examples: [['Plan a folder', '$0 plan -f config/']],
  });

  protected override ask(admin: AdminClient) {
    return this.send(async (body) => {
      const call = { method: 'POST', path: `${path}/plan`, body, answer: shownPlan } as const;
      const plan = await admin.ask(call);
      if (isRefusal(plan)) return plan;
      const exit = plan.changes.length === 0 ? exitCodes.ok : exitCodes.differences;
      return { json: plan, text: planText(plan), exit };
    });
  }
}

const drafted = z.looseObject({ id: z.int(), state: z.string() });

export class ApplyCommand extends FilesCommand {
  static override paths = [['apply']];
  static override usage = ChangeCommand.Usage({
    description: 'make the configuration what declarative files say',
    details: `
      All changes are one transaction. Where the change policy needs an approval, a change request
      is drafted instead, and the exit code is 4. ${needs}
    `,
    examples: [['Apply a folder', '$0 apply -f config/ --reason "commit 3f1c2aa"']],
  });

  reason = Option.String('--reason', { required: true, description: 'why; kept in the history' });
  plan = Option.String('--plan', { description: 'the digest of a plan: apply exactly that' });
  breakGlass = Option.String('--break-glass', {
    description: 'why it is done although the change policy asks for an approval',
  });

  protected override ask(admin: AdminClient) {
    const { reason, plan, breakGlass } = this;
    return this.send(async (files) => {
      const body = { ...files, ...(plan === undefined ? {} : { plan }) };
      const applied = await admin.ask({
        method: 'POST',
        path: `${path}/apply`,
        body: { ...body, reason },
        headers: breakGlass === undefined ? {} : { 'x-gw-break-glass': breakGlass },
        answer: shownPlan,
      });
      if (!isRefusal(applied)) {
        return {
          json: { ...applied, applied: true },
          text: planText(applied, { isApplied: true }),
        };
      }
      return applied.refused === 'approval_required' ? this.#draft(admin, body) : applied;
    });
  }

  /** The same plan drafted again for the same reason is the same change request. */
  async #draft(admin: AdminClient, body: object): Promise<Said | Refusal> {
    const { reason } = this;
    const plan = await admin.ask({
      method: 'POST',
      path: `${path}/plan`,
      body: { ...body, plan: undefined },
      answer: shownPlan,
    });
    if (isRefusal(plan)) return plan;
    const call = { method: 'POST', path: `${path}/apply`, body: { ...body, reason } };
    const request = await admin.ask({
      method: 'POST',
      path: '/admin/change-requests',
      body: { title: `gw apply: ${reason}`.slice(0, titleLengthMax), calls: [call], reason },
      headers: { 'idempotency-key': hash('sha256', `${plan.plan} ${reason}`) },
      answer: drafted,
    });
    if (isRefusal(request)) return request;
    const text = `the change policy needs an approval: change request ${request.id} was drafted, and nothing is changed yet`;
    return {
      json: { ...plan, applied: false, change_request: request.id },
      text: `${planText(plan)}\n${text}`,
      exit: exitCodes.refused,
    };
  }
}

const titleLengthMax = 200;

const exported = z.object({
  snapshot_version: z.int(),
  resources: z.record(z.string(), z.unknown()),
  warnings: z.array(z.string()),
});

export class ExportCommand extends ChangeCommand {
  static override paths = [['export']];
  static override usage = ChangeCommand.Usage({
    description: 'write the configuration as a declarative file',
    details: `A plan of the file changes nothing. It holds no secret. ${needs}`,
    examples: [['Begin to keep the configuration in git', '$0 export -o config/gw.yaml']],
  });

  output = Option.String('-o,--output', { description: 'the file; standard output when absent' });

  protected override async ask(admin: AdminClient): Promise<Said | Refusal> {
    const call = { method: 'POST', path: `${path}/export`, body: {}, answer: exported } as const;
    const answer = await admin.ask(call);
    if (isRefusal(answer)) return answer;
    const { writeYaml } = await import('../../../snapshot/file/write.ts');
    const { snapshot_version: version, resources, warnings } = answer;
    const named = Object.entries(resources).filter(
      ([, list]) => !Array.isArray(list) || list.length > 0,
    );
    const notes = [
      `Exported at snapshot version ${version}. It holds no credential: "held" keeps the one that gw holds.`,
      ...warnings.map((warning) => `Left out: ${warning}`),
    ];
    const text = writeYaml(Object.fromEntries(named), notes);
    if (this.output === undefined) return { json: answer, text: text.trimEnd() };
    await writeFile(this.output, text);
    return { json: answer, text: `${this.output}: ${countOf(named)} resources` };
  }
}

const countOf = (named: readonly (readonly [string, unknown])[]): number =>
  named.reduce((sum, [, list]) => sum + (Array.isArray(list) ? list.length : 1), 0);
