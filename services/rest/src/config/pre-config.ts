import { errorMessage, type Logger } from '@holdfast/foundation'
import { quoteName, sql, type Catalog, type PoolShare } from '@holdfast/postgres'
import { SETTING_NAMES, type Settings } from './config.ts'
import { PRE_CONFIG_TIMEOUT_MS } from '../limits.ts'

/**
 * Settings that a project's function makes with `set_config`. It runs as `authenticator` in a read-only transaction.
 *
 * @see PostgREST reference, "In-Database Configuration"
 */
export interface PreConfig {
  /** Settings from the function's last run. */
  settings(): Settings
  /** Runs the function once per catalog. If it fails, logs the error and keeps the previous settings. */
  load(catalog: Catalog): Promise<void>
}

/** @param name - `schema.function`; empty for none */
export function createPreConfig(name: string, share: PoolShare, logger: Logger): PreConfig {
  let settings: Settings = {}
  const loaded = new WeakMap<Catalog, Promise<void>>()
  return {
    settings: () => settings,
    load(catalog) {
      if (name === '') return Promise.resolve()
      let loading = loaded.get(catalog)
      if (!loading) {
        loading = callPreConfig(name, share).then(
          (next) => void (settings = next),
          (error: unknown) =>
            logger.log('warn', `the function ${name} of restPreConfig failed: ${errorMessage(error)}`),
        )
        loaded.set(catalog, loading)
      }
      return loading
    },
  }
}

async function callPreConfig(name: string, share: PoolShare): Promise<Settings> {
  return share.for({ userKey: undefined }).transaction(async (tx) => {
    await tx.execute(sql`set transaction read only`)
    await tx.execute(sql`select set_config('statement_timeout', ${String(PRE_CONFIG_TIMEOUT_MS)}, true)`)
    await tx.execute(sql`select ${sql.trusted(quoteName(...name.split('.')))}()`)
    const rows = await tx.query<{ name: string; value: string }>(sql`
      select name, current_setting(name, true) as value from unnest(${[...SETTING_NAMES]}::text[]) as name
       where current_setting(name, true) <> ''`)
    return Object.fromEntries(rows.map(({ name: setting, value }) => [setting, value]))
  })
}
