// Tests properties of all plans of declarative files after random changes. GW_TEST_RUNS is the
// number of histories.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hash } from 'node:crypto';

import * as fc from 'fast-check';

import type { ConfigState } from '../../../projections/config/state.ts';
import { declared, listNames } from '../../../src/control/configuration/format.ts';
import type { Declared } from '../../../src/control/configuration/format.ts';
import { heldRecords } from '../../../src/control/configuration/held.ts';
import { noManagedFiles, withApplied } from '../../../src/control/configuration/managed-files.ts';
import { planFiles } from '../../../src/control/configuration/plan.ts';
import type { FilePlan } from '../../../src/control/configuration/plan.ts';
import { decide } from '../../../src/deciders/decide.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { commandSequence, logOf } from '../../harness/events/commands.ts';
import { append, testRef } from '../../harness/events/test-log.ts';
import type { TestLog } from '../../harness/events/test-log.ts';
import { runs } from '../../harness/property-runs.ts';

const log = commandSequence(60).map(logOf);

/**
 * A simulated vault: the name of a person is its fingerprint, and a verifier derives from its ref.
 */
function revealedIn(state: ConfigState, secrets: FilePlan['secrets']): ReadonlyMap<string, string> {
  return new Map([
    ...[...state.principal.byId.values()].map(
      ({ name, id }) => [name.ref ?? '', `person ${id} ${name.fingerprint}`] as const,
    ),
    ...[...state.api_key.byId.values()].map(
      ({ verifierRef }) => [verifierRef, hash('sha256', verifierRef)] as const,
    ),
    ...secrets.map(({ ref, plaintext }) => [ref, plaintext] as const),
  ]);
}

type Side = Readonly<{ log: TestLog; secrets: FilePlan['secrets'] }>;

const fingerprint = (text: string): string => hash('sha256', text);

function planOn({ log: { state, commands }, secrets }: Side, files: Declared, prune = false) {
  let id = 500_000;
  const applied = commands
    .flat()
    .flatMap((event) =>
      event.type === 'ConfigurationApplied'
        ? Object.assign({ position: event.position }, event.data)
        : [],
    );
  const revealed = revealedIn(state, secrets);
  const newId = () => testRef((id += 1));
  const sources = {
    state,
    revealed,
    managed: withApplied(noManagedFiles, applied).managed,
    newId,
    nowMs: 0,
    fingerprint,
  };
  return planFiles(sources, { files, set: 'default', prune });
}

function filesOf({ log: { state }, secrets }: Side): Declared {
  const { records } = heldRecords({ state, revealed: revealedIn(state, secrets) });
  const resources = listNames.map((list) => {
    const shown = records.flatMap((one) => (one.list === list ? one.shown : []));
    return [list, list === 'settings' ? shown[0] : shown] as const;
  });
  return declared.parse(JSON.parse(JSON.stringify(Object.fromEntries(resources))));
}

const newSecrets: Readonly<Record<string, string>> = {
  upstream_api_key: 'a-new-credential',
  url: 'https://hook.example/x',
  secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
  routing_key: 'a-new-key',
};

/** The files for another control plane, with new values for all secrets. */
const withCredentials = (files: Declared): Declared =>
  declared.parse(
    JSON.parse(JSON.stringify(files), (field, value: unknown) =>
      value === 'held' ? newSecrets[field] : value,
    ),
  );

function applied(side: Side, plan: FilePlan): Side {
  const { steps, events, secrets } = plan;
  const decided = decide(side.log.state, { type: 'ApplyConfiguration', steps, events });
  assert.ok(!isRefusal(decided), JSON.stringify(decided));
  return { log: append(side.log, decided), secrets: [...side.secrets, ...secrets] };
}

const side = log
  .map((one): Side => ({ log: one, secrets: [] }))
  .filter(({ log: { state } }) => {
    const refs = [
      ...[...state.principal.byId.values()].flatMap(({ name }) => name.ref ?? []),
      ...[...state.api_key.byId.values()].map(({ verifierRef }) => verifierRef),
    ];
    return new Set(refs).size === refs.length;
  });

describe('every plan of declarative files', () => {
  it('changes nothing for an export of the configuration', () => {
    fc.assert(
      fc.property(side, (held) => {
        const plan = planOn(held, filesOf(held));
        assert.ok(!isRefusal(plan), JSON.stringify(plan));
        assert.deepEqual(plan.changes, []);
        assert.deepEqual(
          plan.events.map(({ type }) => type).filter((type) => type !== 'ConfigurationApplied'),
          [],
        );
      }),
      runs(100),
    );
  });

  it('is empty after an apply, and deletes what files no longer name', () => {
    let made = 0;
    fc.assert(
      fc.property(side, side, fc.boolean(), (from, onto, prune) => {
        const files = withCredentials(filesOf(from));
        const plan = planOn(onto, files, prune);
        if (isRefusal(plan)) return;
        const after = applied(onto, plan);
        const again = planOn(after, files, prune);
        assert.ok(!isRefusal(again), JSON.stringify(again));
        assert.deepEqual([again.changes, again.events], [[], []]);
        made += plan.changes.length;
      }),
      runs(100),
    );
    assert.ok(made > 0);
  });
});
