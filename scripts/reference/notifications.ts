// Builds the page of the notifications: each type with its severity and an example of its data.

import { notificationTypes, selectableTypes } from '../../src/notifications/types.ts';
import { code, generated, page, table } from './markdown.ts';

export const notificationsPage = (): string =>
  page([
    '# Notifications',
    generated,
    [
      'Every type of notification that [webhooks](../guides/notifications.md) get. An optional type is',
      'only sent to webhooks that select it. PagerDuty gets the severity, and resolves an incident',
      'where the table says so.',
    ].join('\n'),
    table(
      ['type', 'title', 'severity', 'sent when'],
      types.map(([type, { title, severity, when, isRecovery, isOptional }]) => [
        code(type),
        title,
        isRecovery === true ? 'resolves' : severity,
        isOptional === true && isSelectable(type) ? `${when} (optional)` : when,
      ]),
    ),
    '## Data',
    ...types.flatMap(([type, { example }]) => [
      `### ${type}`,
      ['```json', JSON.stringify(example, null, 2), '```'].join('\n'),
    ]),
  ]);

const types = Object.entries(notificationTypes);

const isSelectable = (type: string): boolean => selectableTypes.some((one) => one === type);
