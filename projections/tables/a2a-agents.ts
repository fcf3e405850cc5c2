// The table of A2A agents.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import type { AgentDetails } from '../../events/a2a-agent.ts';
import type { AgentId } from '../../src/lib/ids.ts';
import type { Page } from './page.ts';
import { remoteColumns, remoteRow } from './remote.ts';
import type { EntityTable } from './table.ts';

export const a2aAgents: EntityTable = {
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
};

export type AgentRow = AgentDetails & Readonly<{ id: AgentId; has_upstream_api_key: boolean }>;

/** Agents by name. */
export const listAgents = (db: Queryable, page: Page<string>): Promise<AgentRow[]> =>
  db.query(sql`
    select id, name, url, description, auth_header, auth_scheme, enabled, protocol_version,
      credential_ref is not null as has_upstream_api_key
    from a2a_agents where ${page.after}::text is null or name > ${page.after}
    order by name limit ${page.limit}`);
