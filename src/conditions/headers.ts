// Condition on request headers: all must be present with exact values.

import type { Question } from './asked.ts';
import { condition, notRecorded } from './condition.ts';

const prefix = 'headers.';

export const headers = condition({
  id: 'headers',
  label: 'Headers',
  effort: 4,
  fields: {
    headers: {
      type: 'headers',
      label: 'Headers',
      placeholder: 'x-tier: gold',
      hint: 'One header per line. All must match exactly.',
    },
  },
  compile: (values) => {
    const asked = Object.entries(values.headers);
    if (asked.length === 0) return null;
    return {
      holds: (request) => {
        for (const [name, value] of asked) if (!request.hasHeader(name, value)) return false;
        return true;
      },
      failed: (request) =>
        asked
          .filter(([name, value]) => !request.hasHeader(name, value))
          .map(([name]) => prefix + name),
      questions: asked.map(question),
      headerNames: asked.map(([name]) => name),
    };
  },
  phrases: ({ headers }) =>
    Object.entries(headers).map(([name, value]) => ({
      fields: [prefix + name],
      text: `${name} = ${value === '' ? 'nothing' : value}`,
    })),
  matched: ({ rule_inputs: inputs }, _say, field) =>
    inputs === null
      ? notRecorded
      : (inputs.headers[field.slice(prefix.length)] ?? 'absent, or a value of no rule'),
});

/** A row only stores headers with a value that a rule names. */
const question = ([name, value]: readonly [string, string]): Question => ({
  key: `${name}: ${value}`,
  fields: [prefix + name],
  answeredBy: 'rules',
  keep: (asked, kept) => {
    if (asked.hasHeader(name, value)) kept.headers.set(name, value);
  },
});
