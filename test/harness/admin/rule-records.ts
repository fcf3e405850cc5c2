// Builds the rule and target records that the API returns.

import { noConditions, toRecord } from '../../../src/conditions/values.ts';

export const bareRule = {
  id: 1,
  name: null,
  enabled: true,
  position: 0,
  action: 'route',
  ...toRecord(noConditions, { role: String, promptClass: String }),
  deny_status: null,
  deny_message: null,
  jump_to: null,
  tag: null,
  targets: [],
};

export const onModel = (
  id: number,
  provider_model_id: number,
  model: string,
  position: number,
) => ({
  id,
  provider_model_id,
  model_pool_id: null,
  model,
  position,
});
