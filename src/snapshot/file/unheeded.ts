// What the common format knows and this gateway does not do: each is a warning that names it, so that nobody relies on it.
// Everything else that is unknown here is another reader's, and passed over in silence.

import type { Issue, Path, Source } from './source.ts';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const parameters = words(`
  rpm tpm max_parallel_requests max_retries num_retries stream_timeout order tags max_budget
  budget_duration temperature top_p top_k stop seed presence_penalty frequency_penalty n user
  response_format extra_headers extra_body headers drop_params additional_drop_params
  allowed_openai_params modify_params reasoning_effort thinking
  merge_reasoning_content_in_choices cache_control_injection_points mock_response organization
  region_name api_version custom_llm_provider ssl_verify use_in_pass_through use_litellm_proxy
  litellm_credential_name fallbacks mcp_servers guardrails vertex_project vertex_location
  vertex_credentials aws_access_key_id aws_secret_access_key aws_region_name aws_session_name
  aws_profile_name aws_role_name input_cost_per_second output_cost_per_second context_window`);

const information = words(`
  max_tokens max_output_tokens access_groups team_id health_check_model input_cost_per_image
  output_cost_per_image input_cost_per_second output_cost_per_second input_cost_per_character
  output_cost_per_character cache_creation_input_token_cost cache_read_input_token_cost
  output_cost_per_reasoning_token`);

const router = words(`
  routing_strategy routing_strategy_args num_retries timeout stream_timeout retry_after
  max_fallbacks allowed_fails allowed_fails_policy cooldown_time disable_cooldowns retry_policy
  model_group_retry_policy context_window_fallbacks content_policy_fallbacks
  enable_pre_call_checks enable_tag_filtering redis_host redis_port redis_password redis_url
  cache_responses caching_groups provider_budget_config default_priority
  optional_pre_call_checks`);

const settings = words(`
  callbacks success_callback failure_callback service_callback audit_log_callbacks cache
  cache_params drop_params modify_params request_timeout num_retries force_ipv4 json_logs
  set_verbose turn_off_message_logging redact_user_api_key_info max_budget budget_duration
  max_end_user_budget max_internal_user_budget default_internal_user_params
  default_end_user_params default_team_settings default_params context_window_fallbacks
  content_policy_fallbacks allowed_fails guardrails guardrails_config extra_spend_tag_headers
  upperbound_key_generate_params default_key_generate_params key_generation_settings ssl_verify
  public_model_groups mcp_aliases use_chat_completions_url_for_anthropic_messages
  enable_preview_features`);

const general = words(`
  database_url database_connection_pool_limit database_connection_timeout store_model_in_db
  store_prompts_in_spend_logs custom_auth custom_sso custom_key_generate disable_spend_logs
  disable_error_logs disable_key_check disable_master_key_hashing disable_admin_ui
  disable_reset_budget disable_spend_updates allow_user_auth enable_jwt_auth litellm_jwtauth
  enforce_user_param enforced_params allowed_routes admin_only_routes public_routes allowed_ips
  blocked_user_list max_budget budget_duration max_parallel_requests
  global_max_parallel_requests max_request_size_mb max_response_size_mb proxy_batch_write_at
  proxy_budget_rescheduler_min_time maximum_spend_logs_retention_period
  maximum_spend_logs_retention_interval default_key_generate_params default_team_disabled
  pass_through_endpoints key_management_system key_management_settings use_google_kms
  use_azure_key_vault alerting alert_types alerting_threshold alerting_args
  spend_report_frequency background_health_checks health_check_interval health_check_details
  proxy_base_url user_header_name user_header_mappings completion_model infer_model_from_keys
  control_plane_url alert_to_webhook_url enable_oauth2_auth role_permissions`);

const blocks = words(`
  environment_variables credential_list guardrails mcp_servers vector_store_registry
  search_tools prompts files_settings finetune_settings callback_settings include agent_list
  policies`);

export function unheeded({ tree, issue }: Source): readonly Issue[] {
  const found: Issue[] = [];
  const look = (path: Path, known: readonly string[]): void => {
    const block = valueAt(tree, path);
    for (const key of known) {
      // What is switched off asks for nothing.
      const asks = (block[key] ?? false) !== false;
      if (asks) found.push(issue([...path, key], 'is not done here'));
    }
  };
  const list = valueAt(tree, [])['model_list'];
  for (const index of Array.isArray(list) ? list.keys() : []) {
    look(['model_list', index, 'litellm_params'], parameters);
    look(['model_list', index, 'model_info'], information);
  }
  look(['router_settings'], router);
  look(['litellm_settings'], settings);
  look(['general_settings'], general);
  look([], blocks);
  return found;
}

type Block = Readonly<Record<PropertyKey, unknown>>;

function valueAt(tree: unknown, path: Path): Block {
  let value = tree;
  for (const part of path) value = isBlock(value) ? value[part] : undefined;
  return isBlock(value) ? value : {};
}

const isBlock = (value: unknown): value is Block => typeof value === 'object' && value !== null;
