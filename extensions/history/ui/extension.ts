// Registers the history extension: its sections on the History screen.

import type { UiExtension } from '../../../ui/extension.ts';

export const extension: UiExtension = {
  sections: [
    {
      value: 'changes',
      label: 'Changes',
      about: 'All configuration changes. Append-only.',
      order: 1,
      load: () => import('./changes.ts'),
    },
    {
      value: 'versions',
      label: 'Versions',
      about: 'Published configurations. Compare any two, or restore one.',
      order: 2,
      load: () => import('./versions.ts'),
    },
    {
      value: 'diff',
      label: 'Compare',
      about: 'Compare versions, positions or times.',
      order: 3,
      load: () => import('./compare.ts'),
    },
    {
      value: 'events',
      label: 'Events',
      about: 'The event log with its hash chain. Read-only.',
      order: 5,
      load: () => import('./events.ts'),
    },
    {
      value: 'streams',
      label: 'Streams',
      about: 'One stream of events per record.',
      order: 6,
      load: () => import('./streams.ts'),
      inner: true,
    },
    {
      value: 'access',
      label: 'Access review',
      about: 'Who could call which model at a given time, and the grants that allowed it.',
      order: 7,
      load: () => import('./access.ts'),
    },
    {
      value: 'restore',
      label: 'Restore',
      about: 'Preview, then restore as a new version. A restore can itself be undone.',
      order: 9,
      load: () => import('./restore.ts'),
      inner: true,
    },
  ],
};
