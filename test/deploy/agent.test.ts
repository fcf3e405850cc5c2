// Tests that deploy/agent uses only existing settings and only the rights that its role grants.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';

import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';

import { agentSettings } from '../../src/cli/settings/agent-settings.ts';
import type { Setting } from '../../src/cli/settings/setting.ts';

const read = (name: string): string =>
  readFileSync(path.join(import.meta.dirname, '../../deploy/agent', name), 'utf8');

const settings = new Map<string, Setting>(
  Object.values<Setting>(agentSettings).map((setting) => [setting.variable, setting]),
);

const deployment = z.object({
  metadata: z.object({ namespace: z.string() }),
  spec: z.object({
    template: z.object({
      spec: z.object({
        serviceAccountName: z.string(),
        containers: z.tuple([
          z.object({
            args: z.array(z.string()),
            env: z.array(z.object({ name: z.string(), value: z.string().optional() })),
          }),
        ]),
      }),
    }),
  }),
});
const account = z.object({
  kind: z.literal('ServiceAccount'),
  metadata: z.object({ name: z.string(), namespace: z.string() }),
});

it('agent.yaml sets existing settings to valid values, and the secret by reference', () => {
  const { spec } = deployment.parse(parse(read('agent.yaml'))).spec.template;
  const [{ args, env }] = spec.containers;
  assert.deepEqual(args, ['agent', agentSettings.kubernetes.flag]);
  for (const { name, value } of env) {
    const setting = settings.get(name);
    assert.ok(setting !== undefined, name);
    assert.equal(setting.secret, value === undefined, name);
    if (value !== undefined) assert.ok(setting.schema.safeParse(value).success, name);
  }
});

it('agent.yaml runs as the service account of rbac.yaml', () => {
  const { metadata, spec } = deployment.parse(parse(read('agent.yaml')));
  const accounts = parseAllDocuments(read('rbac.yaml')).flatMap(
    (document) => account.safeParse(document.toJS()).data?.metadata ?? [],
  );
  const { serviceAccountName: name } = spec.template.spec;
  assert.deepEqual(accounts, [{ name, namespace: metadata.namespace }]);
});

it('gw-agent.service runs the agent with existing variables', () => {
  const unit = read('gw-agent.service');
  assert.match(unit, /^ExecStart=\/usr\/local\/bin\/gw agent$/m);
  const named = unit.match(/GW_[A-Z_]+/g) ?? [];
  assert.ok(named.length >= 3);
  for (const name of named) assert.ok(settings.has(name), name);
});
