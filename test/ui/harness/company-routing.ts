// Routing of the seeded company in addition to targets: pools, prompt classes, rules of every
// action, and a fallback model.

import { readFileSync } from 'node:fs';
import path from 'node:path';

export const pools = [
  {
    name: 'fast',
    description: 'Small models, least loaded first',
    policy: 'least-loaded',
    members: ['gpt-nano', 'mistral-nano', 'llama-small'],
  },
  {
    name: 'long-context',
    policy: null,
    members: [
      { model: 'claude-large', weight: 3 },
      { model: 'qwen-large', weight: 1 },
    ],
  },
  { name: 'night', policy: 'round-robin', members: ['deepseek-8b'] },
];

const subjects = ['coding', 'databases', 'finance', 'law', 'medicine'];
const fixtures = path.join(import.meta.dirname, '../../fixtures/prompts');

const examplesOf = (subject: string): readonly string[] =>
  readFileSync(path.join(fixtures, `${subject}.txt`), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, 20);

export const promptClasses = subjects.map((name, index) => ({
  name,
  description: `Questions about ${name}`,
  min_margin: index === 0 ? 0.15 : 0.1,
  examples: examplesOf(name),
}));

/** Rules that are added to the frontend model `chat`. `code` is the id of the model to jump to. */
export const chatRules = (code: number) => [
  { action: 'jump', class: 'coding', jump_to: code },
  {
    action: 'deny',
    min_budget_used_percent: 95,
    principals: [5, 6],
    deny_status: 429,
    deny_message: 'The budget of this team is almost spent',
    tag: 'saving',
  },
  {
    action: 'route',
    days: [1, 2, 3, 4, 5],
    after: '22:00',
    before: '06:00',
    utc_offset_minutes: 60,
    targets: ['night', 'gpt-nano'],
    tag: 'night',
  },
  {
    action: 'route',
    headers: { 'x-tier': 'gold' },
    roles: ['inference'],
    max_request_cost_micros: 20_000,
    targets: ['long-context', 'fast'],
  },
];
