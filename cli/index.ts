/** The command line: options that several rooms share, the configuration file, and the list of all settings. */
export { canonical } from './configuration.ts';
export { configured, isOptionOfAny, nameOf, optionsOf } from './configured.ts';
export { checkGivenOnce, inWords } from './given-once.ts';
export { type ModelArguments, modelOptions, modelsOf } from './model-options.ts';
export {
  AUDIT_KEY_OPTION,
  AUDIT_OPTION,
  BACKEND_OPTION,
  FIRST_DEFAULT_OPTION,
  INDEX_OPTION,
  jsonOf,
  MEMORY_OPTIONS,
  POLICY_OPTIONS,
  PRINCIPAL_OPTIONS,
  QUERY_LOG_DAYS_OPTION,
  QUERY_LOG_OPTION,
  QUERY_LOG_OPTIONS,
  type QueryLogArguments,
  queryLogOf,
  type ScorerArguments,
  scorerOptions,
  scorersOptionsFrom,
  THREADS_OPTION,
  wholeNumber,
} from './options.ts';
export { default as yargs } from './yargs.ts';
