// The table of A2A agents.

import type { Queryable } from '@databases/pg';
import type { z } from 'zod';

import { agentDetails, agentId } from '../../events/a2a-agent.ts';
import { flag, readRows } from '../../src/db/rows.ts';

import type { Page } from './page.ts';
import { remoteColumns, remoteRow } from './remote.ts';
import type { EntityTable } from './table.ts';

export const a2aAgents = {
  name: 'a2a_agents',
  version: 1,
  noun: 'agent',
  owner: 'id',
  columns: { ...remoteColumns, protocol_version: 'text not null' },
  primaryKey: ['id'],
  unique: [['name']],
  rows: (state, id) => {
    const agent = state.agent.byId.get(id);
    return agent === undefined ? [] : [remoteRow(agent)];
  },
} satisfies EntityTable;

const agentRow = agentDetails.extend({ id: agentId, has_upstream_api_key: flag });
export type AgentRow = Readonly<z.output<typeof agentRow>>;

/** Sorted by name. */
export const listAgents = (db: Queryable, page: Page<string>): Promise<AgentRow[]> =>
  readRows(db, agentRow)`
    select id, name, url, description, auth_header, auth_scheme, enabled, protocol_version,
      credential_ref is not null as has_upstream_api_key
    from a2a_agents where ${page.after}::text is null or name > ${page.after}
    order by name limit ${page.limit}`;
