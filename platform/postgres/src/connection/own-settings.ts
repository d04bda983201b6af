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

/** The address with the settings of Holdfast's own connections, for every client that is made with it. */
export function withOwnSettings(url: string): string {
  const address = new URL(url)
  address.searchParams.set('options', renderSettings(OWN_SETTINGS, address.searchParams.get('options')))
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
