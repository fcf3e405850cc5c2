// What the routes of MCP servers and A2A agents need of the program.

import type { Queryable } from '@databases/pg';

import type { RemoteTools } from '../../control/providers/remotes.ts';

export type ToolNeeds = RemoteTools & Readonly<{ db: Queryable }>;
