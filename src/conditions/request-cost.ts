// Condition on the request's cost at the cheapest model that the frontend model can reach.

import { amounts } from './asked.ts';
import type { Question } from './asked.ts';
import { condition, notRecorded } from './condition.ts';
import { compileRange, rangePhrases } from './range.ts';

const cost: Question = {
  key: 'cost',
  fields: ['min_request_cost_micros', 'max_request_cost_micros'],
  answeredBy: 'prices',
  keep: (asked, kept) => {
    kept.costMicros = asked.costMicros();
  },
};

export const requestCost = condition({
  id: 'cost',
  label: 'Cost',
  effort: 5,
  fields: {
    min_request_cost_micros: { type: 'micros', label: 'Request cost, min' },
    max_request_cost_micros: { type: 'micros', label: 'Request cost, max' },
  },
  bounds: ['min_request_cost_micros', 'max_request_cost_micros'],
  compile: ({ min_request_cost_micros: least, max_request_cost_micros: most }) => {
    const range = compileRange('request_cost_micros', { least, most }, amounts.cost);
    return range && { ...range, questions: [cost] };
  },
  phrases: ({ min_request_cost_micros: least, max_request_cost_micros: most }, { money }) =>
    rangePhrases({ least, most }, (range) => `costs ${range}`, money),
  matched: ({ rule_inputs: inputs }, { money }) => {
    const micros = inputs?.cost_micros ?? null;
    return micros === null ? notRecorded : money(micros);
  },
});
