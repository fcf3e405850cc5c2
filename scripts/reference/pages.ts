// Lists the generated pages of the documentation, with their files and texts.

import path from 'node:path';

import { adminRoutesPage } from './admin-routes.ts';
import { commandsPage } from './commands.ts';
import { configurationFilesPage, configurationFilesSchema } from './configuration-files.ts';
import { decisionsPage } from './decisions.ts';
import { errorsPage } from './errors.ts';
import { eventsPage } from './events.ts';
import { notificationsPage } from './notifications.ts';
import { settingsPage } from './settings.ts';

const directory = path.join(import.meta.dirname, '../../docs/reference');

export const referencePages = (): readonly Readonly<{ file: string; text: string }>[] =>
  [
    { name: '../adr/README.md', text: decisionsPage() },
    { name: 'admin-routes.md', text: adminRoutesPage() },
    { name: 'commands.md', text: commandsPage() },
    { name: 'configuration-files.md', text: configurationFilesPage() },
    { name: 'configuration-files.schema.json', text: configurationFilesSchema() },
    { name: 'errors.md', text: errorsPage() },
    { name: 'events.md', text: eventsPage() },
    { name: 'notifications.md', text: notificationsPage() },
    { name: 'settings.md', text: settingsPage() },
  ].map(({ name, text }) => ({ file: path.join(directory, name), text }));
