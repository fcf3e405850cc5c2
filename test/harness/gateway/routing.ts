// Builds routing tests in plain text. Each line is one rule: the frontend model, conditions by the
// specification's names, an arrow, and the targets or action:
//   house: max_prompt_tokens=100 stream=true -> small, big #tag
//   house: roles=[7] -> deny 413 too long
//   house: -> jump cellar
//   house: else big
// A request is a model name followed by its properties:
//   house prompt=50 max=10 stream class=code x-tier:gold at=2026-11-21T12:00:00Z conversation=3
// An answer is the candidate chain and the value of x-gw-route.

import assert from 'node:assert/strict';

import { promptClassId } from '../../../src/lib/ids.ts';
import type { PromptClassId } from '../../../src/lib/ids.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { explainRoute } from '../../../src/routing/explain.ts';
import type { Explanation } from '../../../src/routing/explain.ts';
import { hashBytes } from '../../../src/routing/hash.ts';
import { idleView } from '../../../src/routing/idle-view.ts';
import type { LiveView, Load } from '../../../src/routing/load.ts';
import type { RouteInput, RoutedRequest } from '../../../src/routing/request.ts';
import { chooseRoute, reasonOf } from '../../../src/routing/route.ts';
import type { Route } from '../../../src/routing/route.ts';
import { compileSnapshot } from '../../../src/snapshot/compile.ts';
import type { CompiledSnapshot } from '../../../src/snapshot/compile.ts';
import { anonymous } from '../../../src/snapshot/compile/callers.ts';
import { givenSnapshot } from './snapshot.ts';
import type { GivenSnapshot } from './snapshot.ts';

type Rule = NonNullable<NonNullable<GivenSnapshot['frontendModels']>[string]['rules']>[number];
type FrontendModel = { rules: Rule[]; defaults: string[] };

export type RoutingOptions = Readonly<
  Omit<GivenSnapshot, 'models' | 'frontendModels'> & {
    /** Keyed by model: the load of its one endpoint; up and idle by default. */
    loads?: Readonly<Record<string, Partial<Load>>>;
    /** Overrides per model. By default a model is served and has no context window and no price. */
    models?: Readonly<Record<string, Partial<GivenSnapshot['models'][string]>>>;
    maxModelLens?: Readonly<Record<string, number>>;
  }
>;

export type Routing = Readonly<{
  snapshot: CompiledSnapshot;
  /** `candidates | reason`, or the refusal. */
  ask: (request: string) => string;
  asking: (request: string) => RouteInput;
  choose: (request: string) => Route;
  explain: (request: string) => Explanation;
}>;

const backends = [{ apiBase: 'http://one.test/v1' }];
const idle: Load = { inFlight: 0, engine: null, latencyMs: null, restsUntilMs: 0, coolsUntilMs: 0 };

/** Every model that a rule names exists and is served, unless the options say otherwise. */
export function routing(rules: string, options: RoutingOptions = {}): Routing {
  const frontendModels = readRules(rules);
  const { loads = {}, models: given = {}, maxModelLens = {}, ...rest } = options;
  const poolMembers = Object.values(options.pools ?? {}).flatMap(({ members }) =>
    Object.keys(members),
  );
  const targets = [...frontendModels.values()].flatMap(({ rules, defaults }) =>
    defaults.concat(rules.flatMap((rule) => rule.targets ?? [])),
  );
  const named = [...targets.filter((name) => !(name in (options.pools ?? {}))), ...poolMembers];
  const names = new Set([...named, ...Object.keys(given)].filter((name) => name !== 'gone'));
  const snapshot = compileSnapshot(
    givenSnapshot({
      ...rest,
      models: Object.fromEntries(
        [...names].map((name) => [name, { backends, ...given[name] }] as const),
      ),
      frontendModels: Object.fromEntries(
        [...frontendModels].map(([name, one]) => [
          name,
          { ...one, ...(name in maxModelLens ? { maxModelLen: maxModelLens[name] } : {}) },
        ]),
      ),
    }),
  );
  assert.ok(!isRefusal(snapshot));
  const view = idleView();
  const turns = new Map<number, { count: number }>();
  const live: LiveView = {
    affinity: view.affinity,
    windowOf: ({ contextLength }) => contextLength,
    turnOf: ({ id }) => {
      const turn = turns.get(id) ?? { count: 0 };
      turns.set(id, turn);
      return turn;
    },
    backendsOf: ({ name, backends }) => backends.map(() => ({ ...idle, ...loads[name] })),
  };
  const [caller = anonymous] = snapshot.callers.values();
  const classes = Object.keys(options.promptClasses ?? {});
  const asking = (text: string): RouteInput => ({
    caller,
    request: readRequest(text, classes),
    live,
  });
  const choose = (request: string): Route => chooseRoute(snapshot, asking(request));
  return {
    snapshot,
    asking,
    choose,
    ask: (request) => writeRoute(choose(request)),
    explain: (request) => explainRoute(snapshot, asking(request)),
  };
}

function readRules(text: string): ReadonlyMap<string, FrontendModel> {
  const frontendModels = new Map<string, FrontendModel>();
  for (const line of text.split('\n').map((line) => line.trim())) {
    if (line === '') continue;
    const [, name = '', rest = ''] = /^(\S+?):\s*(.*)$/.exec(line) ?? [];
    assert.notEqual(name, '', `a rule begins with a frontend model: ${line}`);
    const frontendModel = frontendModels.get(name) ?? { rules: [], defaults: [] };
    frontendModels.set(name, frontendModel);
    if (rest.startsWith('else')) frontendModel.defaults = readNames(rest.slice('else'.length));
    else frontendModel.rules.push(readRule(rest));
  }
  return frontendModels;
}

const readNames = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

function readRule(text: string): Rule {
  const [, conditions = '', action = '', tag] = /^(.*?)->\s*([^#]*)(?:#(\S+))?$/.exec(text) ?? [];
  const [, status, message = ''] = /^deny (\d+) (.*?)\s*$/.exec(action) ?? [];
  const [, jump] = /^jump (\S+)/.exec(action) ?? [];
  return {
    when: readConditions(conditions),
    ...(tag === undefined ? {} : { tag }),
    ...(status === undefined ? {} : { deny: { status: Number(status), message } }),
    ...(jump === undefined ? {} : { jump }),
    ...(status === undefined && jump === undefined ? { targets: readNames(action) } : {}),
  };
}

function readConditions(text: string): Record<string, unknown> {
  const conditions: Record<string, unknown> = {};
  const headers: Record<string, string> = {};
  for (const word of text.split(/\s+/).filter((word) => word !== '')) {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(word) ?? [];
    if (name.startsWith('headers.')) headers[name.slice('headers.'.length)] = value;
    else if (name === 'after' || name === 'before') conditions[`${name}_minute`] = minuteOf(value);
    else conditions[name] = JSON.parse(value);
  }
  return { ...conditions, headers };
}

function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

export function readRequest(text: string, classes: readonly string[] = []): RoutedRequest {
  const [model = '', ...words] = text.split(/\s+/);
  const value = (name: string): string | undefined =>
    words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  const maxTokens = value('max');
  const promptClass = value('class');
  return {
    model,
    isStream: words.includes('stream'),
    promptEstimate: Number(value('prompt') ?? 10),
    maxTokens: maxTokens === undefined ? null : Number(maxTokens),
    promptClass: promptClass === undefined ? null : classId(classes.indexOf(promptClass) + 1),
    nowMs: Date.parse(value('at') ?? '2026-11-21T12:00:00Z'),
    header: (name) => words.find((word) => word.startsWith(`${name}:`))?.slice(name.length + 1),
    conversationKey: () => {
      const conversation = Buffer.from(value('conversation') ?? '');
      return hashBytes(conversation, 0, conversation.length);
    },
  };
}

const classId = (id: number): PromptClassId => promptClassId.parse(id);

function writeRoute(route: Route): string {
  const reason = route.decision?.reason ?? '';
  const tag = route.decision?.tag ?? null;
  const decided = `${reason}${tag === null ? '' : ` #${tag}`}`;
  switch (route.kind) {
    case 'chain': {
      const names = route.candidates.map((model) =>
        reasonOf(route, model) === route.decision.reason ? model.name : `(${model.name})`,
      );
      return `${names.join(' ')} | ${decided}`;
    }
    case 'deny':
      return `${route.status} ${route.message} | ${decided}`;
    case 'ungranted':
      return `403 ${route.model.name} | ${decided}`;
    case 'out':
      return `502 ${route.model.name} | ${decided}`;
    case 'absent':
      return `404 | ${decided}`.trim();
  }
}
