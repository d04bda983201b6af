/**
 * Settings of Holdfast's own connections. A project may give its database others (`alter database … set …`), which are meant for the project's sessions: a
 * `statement_timeout` of seconds would end what reads tables for everybody. What comes with the start of a connection wins.
 */
const OWN_SETTINGS: Readonly<Record<string, string>> = {
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
