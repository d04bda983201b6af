/**
 * Settings for Postgres's text output, which our code parses; queries, snapshots and the change stream must match. For every session whose values we read.
 *
 * Excludes TimeZone: policies refer to days in the database's time zone, and printed timestamps have offsets. Excludes `lc_*`, which affects nothing we read.
 */
export const TEXT_SETTINGS: Readonly<Record<string, string>> = {
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  xmlbinary: 'base64',
  xmloption: 'content',
  array_nulls: 'on',
  quote_all_identifiers: 'off',
}

/**
 * Settings of Holdfast's own connections, overriding those a project sets for its database (`alter database … set …`), which are meant for project sessions: a
 * short `statement_timeout` would abort reads, and a `DateStyle` would make dates unparsable. Startup parameters take precedence.
 *
 * Only settings that every role may set. Our statements are independent of `search_path`, because they qualify names.
 */
const OWN_SETTINGS: Readonly<Record<string, string>> = {
  ...TEXT_SETTINGS,
  standard_conforming_strings: 'on',
  backslash_quote: 'safe_encoding',
  row_security: 'on',
  check_function_bodies: 'on',
  plan_cache_mode: 'auto',
  client_min_messages: 'notice',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
}

/**
 * Lets Postgres roll back the transactions of a hung or stopped server, which would keep their locks and block others, such as the creation of a replication
 * slot. For connections whose transactions never wait for anything but Postgres.
 */
export const SHORT_TRANSACTIONS: Readonly<Record<string, string>> = { idle_in_transaction_session_timeout: '60s' }

/** {@link SHORT_TRANSACTIONS} of a database with several servers. A device that moves to another server waits for its upload on the hung one for this long. */
export const SHARED_TRANSACTIONS: Readonly<Record<string, string>> = { idle_in_transaction_session_timeout: '5s' }

/** Postgres 17 as `server_version_num`. Older versions refuse a startup with `transaction_timeout`. */
const TRANSACTION_TIMEOUT_SINCE = 170_000

/**
 * Adds the settings of Holdfast's own connections to a URL.
 *
 * @param serverVersion - `server_version_num`; 0 if unknown
 */
export function withOwnSettings(url: string, serverVersion: number): string {
  const address = new URL(url)
  const settings = {
    ...OWN_SETTINGS,
    ...(serverVersion >= TRANSACTION_TIMEOUT_SINCE ? { transaction_timeout: '0' } : {}),
  }
  address.searchParams.set('options', renderSettings(settings, address.searchParams.get('options')))
  return address.href
}

/**
 * Renders settings as a startup parameter.
 *
 * @param others - such settings with lower precedence
 */
export function renderSettings(settings: Readonly<Record<string, string>>, others?: string | null): string {
  const own = Object.entries(settings).map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\ ]/g, '\\$&')}`)
  return [...(others ? [others] : []), ...own].join(' ')
}
