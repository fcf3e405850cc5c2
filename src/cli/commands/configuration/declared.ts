// Defines `gw plan`, `gw apply` and `gw export`: configuration as code (docs/guides/configuration-as-code.md).

import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';

import { Option } from 'clipanion';
import { z } from 'zod';

import { isRefusal } from '../../../lib/refusal.ts';
import type { Refusal } from '../../../lib/refusal.ts';
import type { AdminClient } from '../../control-plane/admin-client.ts';
import { ChangeCommand } from '../../control-plane/change-command.ts';
import type { CommandOutput } from '../../control-plane/change-command.ts';
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
  files = Option.Array('-f,--file', { required: true, description: 'file or folder; repeatable' });
  set = Option.String('--set', 'default', {
    description: 'name of this set of files (default default)',
  });
  prune = Option.Boolean('--prune', false, {
    description: 'delete resources that the files do not list',
  });

  /** Sends the files. Refusals name the file and line. */
  protected async send(
    work: (body: object) => Promise<CommandOutput | Refusal>,
  ): Promise<CommandOutput | Refusal | readonly Refusal[]> {
    const { readDeclaredFiles } = await import('../../declared-files.ts');
    const read = await readDeclaredFiles(this.files, this.context.env);
    if (!('resources' in read)) return read;
    const { set, prune } = this;
    const output = await work({ resources: read.resources, set, prune });
    return isRefusal(output) ? read.placed(output) : output;
  }
}

export class PlanCommand extends FilesCommand {
  static override paths = [['plan']];
  static override usage = ChangeCommand.Usage({
    description: 'show what applying declarative files would change',
    details: `
      Changes nothing. Exits 0 if nothing would change and 10 if something would. ${needs}
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
    description: 'apply declarative files to the configuration',
    details: `
      Applies all changes in one transaction. If the change policy requires an approval, the command
      drafts a change request instead and exits 4. ${needs}
    `,
    examples: [['Apply a folder', '$0 apply -f config/ --reason "commit 3f1c2aa"']],
  });

  reason = Option.String('--reason', {
    required: true,
    description: 'reason, kept in the history',
  });
  plan = Option.String('--plan', {
    description: 'digest of a plan; refuse to apply anything else',
  });
  breakGlass = Option.String('--break-glass', {
    description: 'reason for skipping the approval that the change policy requires',
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

  /** Drafting the same plan for the same reason again returns the same change request. */
  async #draft(admin: AdminClient, body: object): Promise<CommandOutput | Refusal> {
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
    const text = `the change policy requires an approval: change request ${request.id} was drafted, nothing is changed yet`;
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
    description: 'export the configuration as a declarative file',
    details: `Planning the file shows no changes. The file holds no secrets. ${needs}`,
    examples: [['Start to keep the configuration in git', '$0 export -o config/gw.yaml']],
  });

  output = Option.String('-o,--output', { description: 'file to write (default standard output)' });

  protected override async ask(admin: AdminClient): Promise<CommandOutput | Refusal> {
    const call = { method: 'POST', path: `${path}/export`, body: {}, answer: exported } as const;
    const answer = await admin.ask(call);
    if (isRefusal(answer)) return answer;
    const { writeYaml } = await import('../../../snapshot/file/write.ts');
    const { snapshot_version: version, resources, warnings } = answer;
    const named = Object.entries(resources).filter(
      ([, list]) => !Array.isArray(list) || list.length > 0,
    );
    const notes = [
      `Exported at snapshot version ${version}. The file holds no credentials: "held" keeps the stored one.`,
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
