// Builds the body of a delivery in the format of its endpoint: gw's own, Slack's incoming webhooks,
// or the Events API v2 of PagerDuty.

import { hash } from 'node:crypto';

import type { WebhookFormat } from '../lib/vocabulary.ts';
import { factsOf } from './types.ts';
import type { Notification, Severity } from './types.ts';

/** `id` is equal for all attempts and endpoints. `at` is epoch milliseconds. */
export type Queued = Notification & Readonly<{ id: string; at: number }>;

type Payload = (queued: Queued, routingKey: string | null) => unknown;

const payloads: Readonly<Record<WebhookFormat, Payload>> = {
  standard: ({ id, type, at, data }) => ({ id, type, timestamp: rfc3339(at), data }),
  slack: slackPayload,
  pagerduty: pagerDutyPayload,
};

/** `routingKey` is the integration key of a PagerDuty service. */
export const bodyOf = (format: WebhookFormat, queued: Queued, routingKey: string | null): string =>
  JSON.stringify(payloads[format](queued, routingKey));

const rfc3339 = (at: number): string => new Date(at).toISOString();

const icons: Readonly<Record<Severity, string>> = {
  critical: ':rotating_light:',
  error: ':red_circle:',
  warning: ':warning:',
  info: ':information_source:',
};

/** Slack refuses a section of more than 3,000 characters. */
const slackCharactersMax = 2_900;

function slackPayload(queued: Queued): unknown {
  const { title, summary, severity, isRecovery } = factsOf(queued);
  const icon = isRecovery ? ':large_green_circle:' : icons[severity];
  const text = `${icon} *${escaped(title)}*\n${escaped(summary)}`;
  const when = `gw, ${rfc3339(queued.at)}, ${queued.type}`;
  return {
    // Shown where blocks are not, such as in notifications of the operating system.
    text: `${title}: ${escaped(summary)}`,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text } },
      { type: 'context', elements: [{ type: 'plain_text', text: when }] },
    ],
  };
}

const escaped = (text: string): string =>
  text
    .slice(0, slackCharactersMax / 5)
    .toWellFormed()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

/** Limits of the Events API v2. */
const pagerDutyKeyMax = 255;
const pagerDutySummaryMax = 1_024;

function pagerDutyPayload(queued: Queued, routingKey: string | null): unknown {
  const { summary, severity, incident, isRecovery } = factsOf(queued);
  const dedup = `gw ${incident}`;
  const event = {
    routing_key: routingKey,
    event_action: isRecovery ? 'resolve' : 'trigger',
    dedup_key: dedup.length > pagerDutyKeyMax ? `gw ${hash('sha256', dedup)}` : dedup,
  };
  if (isRecovery) return event;
  return {
    ...event,
    payload: {
      summary: summary.slice(0, pagerDutySummaryMax).toWellFormed(),
      source: 'gw',
      severity,
      timestamp: rfc3339(queued.at),
      class: queued.type,
      custom_details: queued.data,
    },
  };
}
