// Builds the save of the managed deployment.

import { calling } from '../../api/http/call.ts';
import type { Deployment } from '../../api/records.ts';
import { changeOf, fieldsOf } from '../../lib/observe/deployment.ts';
import type { DeploymentDraft } from '../../lib/observe/deployment.ts';
import type { Save } from '../../lib/saves/save.ts';

export function changeSave(deployment: Deployment, draft: DeploymentDraft): Save {
  const body = changeOf(draft, deployment);
  return {
    heading: 'Edit deployment',
    verb: 'Roll out',
    done: 'Deployment updated. The operator rolls it out',
    before: fieldsOf(deployment),
    after: body,
    run: calling('PATCH', '/admin/deployment', { body }),
  };
}
