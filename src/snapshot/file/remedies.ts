// Lists settings of the common format that gw ignores, with what to use instead.

import { unusedPriceReason } from './prices.ts';

/** By topic: the settings and their remedy. */
const topics: readonly (readonly [settings: string, remedy: string])[] = [
  ['rpm tpm', 'gw limits callers, not models; set auth.keys[].limits'],
  [
    'max_parallel_requests global_max_parallel_requests default_max_parallel_requests',
    'set model_info.admission_max_concurrent of each entry',
  ],
  [
    'num_retries max_retries retry_after retry_policy model_group_retry_policy max_fallbacks',
    'gw retries at other backends; see --attempts-max and --max-retries',
  ],
  [
    'timeout request_timeout stream_timeout',
    'gw bounds the time to the first byte; set litellm_params.timeout or --upstream-timeout',
  ],
  [
    'allowed_fails allowed_fails_policy cooldown_time disable_cooldowns',
    'gw skips failing backends by its own rules; set gw.unhealthy_after',
  ],
  ['routing_strategy routing_strategy_args', 'set --policy'],
  [
    'context_window_fallbacks content_policy_fallbacks',
    'set fallbacks, or rules of a frontend model (min_prompt_tokens)',
  ],
  ['order', 'set fallbacks of the model'],
  ['tags enable_tag_filtering', 'write rules of a frontend model with headers'],
  [
    'max_budget budget_duration max_end_user_budget max_internal_user_budget provider_budget_config',
    'gw has budgets of keys; set auth.keys[].budget',
  ],
  [
    `temperature top_p top_k stop seed presence_penalty frequency_penalty n user response_format
     stream reasoning_effort thinking extra_body default_params`,
    'gw sets no defaults for requests; clients send it',
  ],
  [
    `drop_params additional_drop_params allowed_openai_params modify_params
     forward_client_headers_to_llm_api`,
    'gw forwards the fields and headers of clients, without their credentials and cookies',
  ],
  ['extra_headers headers organization', 'gw adds no headers to requests'],
  [
    'ssl_verify',
    'gw always verifies certificates; add your certificate authority with --ca-bundle',
  ],
  [
    `callbacks success_callback failure_callback service_callback audit_log_callbacks
     callback_settings logging langfuse_default_tags`,
    'gw records usage itself; see /metrics and --otel-endpoint',
  ],
  [
    'cache cache_params cache_responses caching_groups',
    'set model_info.cache_ttl_seconds of each entry to cache',
  ],
  ['redis_host redis_port redis_password redis_url', 'gw does not use Redis'],
  ['set_verbose debug', 'set --log debug'],
  ['json_logs', 'set --log-format json'],
  [
    'background_health_checks health_check_interval health_check_details background_workers',
    'gw checks backends every --health-interval seconds',
  ],
  [
    'database_url store_model_in_db store_prompts_in_spend_logs database_connection_pool_limit',
    'a proxy with a file has no database; run a control plane (--role control) and gw import',
  ],
  [
    'alerting alert_types alerting_threshold alerting_args alert_to_webhook_url',
    'set --webhook-url',
  ],
  ['max_request_size_mb', 'set --max-body-mb'],
  ['require_auth_for_metrics_endpoint', 'restrict /metrics in front of gw: it needs no key'],
  ['user_api_key_cache_ttl', 'gw checks keys in memory and caches none'],
  ['block_robots', 'gw has no robots.txt; serve one in front of gw'],
  [
    'banned_keywords_list blocked_user_list guardrails guardrails_config',
    'gw does not filter the content of requests',
  ],
  ['custom_provider_map', 'it is Python code, which gw cannot run'],
  [
    'key_management_system key_management_settings use_google_kms use_azure_key_vault',
    'write secrets as os.environ/NAME',
  ],
  ['litellm_credential_name', 'write api_key in the entry'],
  [
    `custom_auth custom_sso enable_jwt_auth litellm_jwtauth enable_oauth2_auth allow_user_auth`,
    'gw authenticates callers by key; set auth.keys',
  ],
  ['allowed_ips', 'restrict addresses in front of gw'],
  ['disable_end_user_cost_tracking', 'gw counts the usage of keys, not of end users'],
  [
    'disable_spend_logs disable_spend_updates disable_error_logs',
    'gw always records usage, and never the content of requests',
  ],
  [
    'supported_environments id base_model litellm_provider',
    'gw routes only by name and does not need this',
  ],
  [
    'max_output_tokens max_tokens',
    'set litellm_params.default_max_tokens for a native protocol; clients send it otherwise',
  ],
  ['custom_llm_provider', 'write it as prefix of model, or set protocol'],
];

const remedies: ReadonlyMap<string, string> = new Map(
  topics.flatMap(([settings, remedy]) =>
    settings.split(/\s+/).map((setting) => [setting, remedy] as const),
  ),
);

/** Settings with a common prefix. */
const beginnings: readonly (readonly [string, string])[] = [
  ['supports_', 'gw forwards what clients send and needs no list of features'],
  ['aws_', 'gw has no protocol for Bedrock or SageMaker'],
  ['vertex_', 'gw has no protocol for Vertex AI; set credential_kind for its key files'],
  ['redis_', 'gw does not use Redis'],
  ['batch_', 'gw forwards each request on its own'],
];

export const remedyOf = (setting: string): string | undefined =>
  remedies.get(setting) ??
  beginnings.find(([beginning]) => setting.startsWith(beginning))?.[1] ??
  unusedPriceReason(setting);

export const ignoredBlocks: ReadonlyMap<string, string> = new Map([
  ['environment_variables', 'set these variables in the environment of gw'],
  ['credential_list', 'write api_key in each entry of model_list'],
  ['mcp_servers', 'create MCP servers in the admin API (/admin/mcp-servers)'],
  ['agent_list', 'create agents in the admin API (/admin/a2a-agents)'],
  ['callback_settings', 'gw records usage itself; see /metrics and --otel-endpoint'],
  ['guardrails', 'gw does not filter the content of requests'],
  ['key_management_settings', 'write secrets as os.environ/NAME'],
  ['rate_limits', 'set auth.keys[].limits'],
]);
