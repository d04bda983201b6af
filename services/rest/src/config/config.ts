import { HoldfastError, type Logger } from '@holdfast/foundation'
import type { Catalog } from '@holdfast/postgres'
import { OPENAPI_MODES } from '../openapi/api-descriptions.ts'
import { restOptions, type RestOptions } from '../options.ts'
import { isTransactionEnd } from './transaction-end.ts'

/**
 * PostgREST's database settings and the options they correspond to.
 *
 * @see PostgREST reference, "Configuration", "In-Database Configuration"
 */
const OPTION_BY_SETTING: Readonly<Record<string, keyof RestOptions>> = {
  'pgrst.db_schemas': 'restSchemas',
  'pgrst.db_schema': 'restSchemas',
  'pgrst.db_extra_search_path': 'restExtraSearchPath',
  'pgrst.db_max_rows': 'restRowsMax',
  'pgrst.max_rows': 'restRowsMax',
  'pgrst.db_aggregates_enabled': 'restAggregatesEnabled',
  'pgrst.db_plan_enabled': 'restPlanEnabled',
  'pgrst.db_pre_request': 'restPreRequest',
  'pgrst.pre_request': 'restPreRequest',
  'pgrst.db_tx_end': 'restTransactionEnd',
  'pgrst.db_hoisted_tx_settings': 'restHoistedSettings',
  'pgrst.openapi_mode': 'restOpenapiMode',
  'pgrst.openapi_security_active': 'restOpenapiSecurityActive',
  'pgrst.server_timing_enabled': 'restServerTimingEnabled',
  'pgrst.server_trace_header': 'restTraceHeader',
  'pgrst.db_root_spec': 'restRootFunction',
  'pgrst.root_spec': 'restRootFunction',
  'pgrst.db_anon_role': 'restAnonRole',
  'pgrst.client_error_verbosity': 'restErrorVerbosity',
  'pgrst.url_use_legacy_target_names': 'restTargetNamesEnabled',
}

/** Settings that {@link PreConfig} may change. `pgrst.db_pre_config` comes from the options, because a function cannot name itself. */
export const SETTING_NAMES: readonly string[] = Object.keys(OPTION_BY_SETTING)

const FUNCTION_NAME = /^([^.]+(\.[^.]+)?)?$/

/** Validation of text options. */
const VALID: { readonly [O in keyof RestOptions]?: (text: string) => boolean } = {
  restTransactionEnd: isTransactionEnd,
  restOpenapiMode: (text) => OPENAPI_MODES.includes(text),
  restPreRequest: (text) => FUNCTION_NAME.test(text),
  restRootFunction: (text) => FUNCTION_NAME.test(text),
  restPreConfig: (text) => FUNCTION_NAME.test(text),
  restErrorVerbosity: (text) => text === 'verbose' || text === 'minimal',
  restTraceHeader: (text) => /^[\w-]*$/.test(text),
}

/**
 * Creates the options as changed by `alter role authenticator set pgrst.…`. Settings for one database override settings for all.
 *
 * @param preConfigured - settings of the `restPreConfig` function, which override both
 * @returns a function that reads them once per catalog; invalid values are logged and ignored
 * @throws HoldfastError `option_invalid` for an invalid option from any other source
 */
export function createConfigView(
  options: RestOptions,
  logger: Logger,
  preConfigured: () => Settings = () => NO_SETTINGS,
): (catalog: Catalog) => RestOptions {
  for (const [option, isValid] of Object.entries(VALID)) {
    const value = String(options[option as keyof RestOptions])
    if (!isValid(value)) throw new HoldfastError('option_invalid', 500, `${option} cannot be ${JSON.stringify(value)}.`)
  }
  const known = new WeakMap<Catalog, { readonly before: Settings; readonly config: RestOptions }>()
  return (catalog) => {
    const before = preConfigured()
    const entry = known.get(catalog)
    if (entry?.before === before) return entry.config
    const config = applySettings(options, { ...before, ...catalog.requestSettings }, logger)
    known.set(catalog, { before, config })
    return config
  }
}

export type Settings = Readonly<Record<string, string>>

const NO_SETTINGS: Settings = {}

/** Returns the service's `exposedSchemas` without an open service. */
export function exposedSchemasOf(options: RestOptions, catalog: Catalog, logger: Logger): readonly string[] {
  return createConfigView(options, logger)(catalog).restSchemas
}

function applySettings(options: RestOptions, settings: Settings, logger: Logger): RestOptions {
  const changed: Record<string, unknown> = {}
  for (const [setting, option] of Object.entries(OPTION_BY_SETTING)) {
    const text = settings[setting]
    if (text === undefined) continue
    const value = parseValue(option, text)
    if (value === undefined) logger.log('warn', `${setting} is set to what it cannot be`, { value: text })
    else changed[option] = value
  }
  return { ...options, ...changed }
}

function parseValue(option: keyof RestOptions, text: string): unknown {
  const declaration = restOptions[option]
  switch (declaration.type) {
    case 'list':
      return text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '')
    case 'boolean':
      return parseBoolean(text)
    case 'integer': {
      const value = /^[0-9]+$/.test(text) ? Number(text) : undefined
      return value !== undefined && value >= declaration.min && value <= declaration.max ? value : undefined
    }
    default:
      return VALID[option]?.(text) === false ? undefined : text
  }
}

function parseBoolean(text: string): boolean | undefined {
  if (/^(true|on|yes|1)$/i.test(text)) return true
  if (/^(false|off|no|0)$/i.test(text)) return false
  return undefined
}
