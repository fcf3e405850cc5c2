// What a recorded request had where a rule asked: the value beside each condition of an explanation.

import type { UsageEvent } from '../api/usage.ts';
import { formatMoney, formatNumber, formatTime } from './format.ts';

type Recorded = Pick<
  UsageEvent,
  'principal' | 'prompt_class' | 'prompt_estimate' | 'max_tokens' | 'stream' | 'budget_percent'
> &
  Readonly<{ rule_inputs: UsageEvent['rule_inputs'] }>;

const headerPrefix = 'headers.';
const notRecorded = 'not recorded';

/** `fields` are those of one condition, as the server names them. */
export function matchedValue(fields: readonly string[], usage: Recorded): string {
  const [field = ''] = fields;
  const inputs = usage.rule_inputs;
  if (field.startsWith(headerPrefix)) {
    if (inputs === null) return notRecorded;
    return inputs.headers[field.slice(headerPrefix.length)] ?? 'absent, or a value of no rule';
  }
  switch (field) {
    case 'principals':
      return usage.principal;
    case 'class':
      return usage.prompt_class ?? 'no class';
    case 'stream':
      return usage.stream ? 'streamed' : 'not streamed';
    case 'min_prompt_tokens':
      return `${formatNumber(usage.prompt_estimate)} tokens`;
    case 'min_max_tokens':
      return usage.max_tokens === null ? 'not set' : `${formatNumber(usage.max_tokens)} tokens`;
    case 'min_budget_used_percent':
      return usage.budget_percent === null ? 'no budget' : `${usage.budget_percent} %`;
    case 'min_request_cost_micros':
      return costText(inputs?.cost_micros ?? null);
    case 'after':
      return inputs === null ? notRecorded : formatTime(new Date(inputs.at_ms), 'utc');
    default:
      return notRecorded;
  }
}

const costText = (micros: number | null): string =>
  micros === null ? notRecorded : formatMoney(micros);
