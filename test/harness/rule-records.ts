// The records of rules and targets as they are answered.

const noConditions = {
  principals: [],
  roles: [],
  min_prompt_tokens: null,
  max_prompt_tokens: null,
  min_max_tokens: null,
  max_max_tokens: null,
  stream: null,
  headers: {},
  min_budget_used_percent: null,
  max_budget_used_percent: null,
  max_inflight_per_backend: null,
  class: null,
  min_request_cost_micros: null,
  max_request_cost_micros: null,
  after: null,
  before: null,
  days: [],
  utc_offset_minutes: 0,
};

export const bareRule = {
  id: 1,
  name: null,
  enabled: true,
  position: 0,
  action: 'route',
  ...noConditions,
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
