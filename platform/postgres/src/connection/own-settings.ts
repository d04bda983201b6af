/**
 * How Postgres prints and reads values as text. Our code parses them, and what queries, snapshots and the change stream print has to be equal. For every session
 * whose values we read; what PostgREST leaves to the database, the REST service does, too.
 *
 * Not TimeZone: policies mean the day of the database's time zone, and printed moments have their offset. Not `lc_*`: nothing that we read is printed by them.
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
 * Settings of Holdfast's own connections. A project may give its database others (`alter database … set …`), which are meant for the project's sessions: a
 * `statement_timeout` of seconds would end what reads tables for everybody, and a `DateStyle` would make dates unreadable. What comes with the start of a
 * connection wins.
 *
 * Only settings that every role may set. Our statements do not depend on `search_path`: they name schemas.
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

/** Postgres 17, as `server_version_num` has it. Older versions refuse a connection that starts with `transaction_timeout`. */
const TRANSACTION_TIMEOUT_SINCE = 170_000

/**
 * The address with the settings of Holdfast's own connections, for every client that is made with it.
 *
 * @param serverVersion - `server_version_num` of that server; 0 if it is not known yet
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
 * Settings as the start of a connection has them.
 *
 * @param others - such settings, over which these win
 */
export function renderSettings(settings: Readonly<Record<string, string>>, others?: string | null): string {
  const own = Object.entries(settings).map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\ ]/g, '\\$&')}`)
  return [...(others ? [others] : []), ...own].join(' ')
}
