import { HoldfastError } from '@holdfast/foundation'

const OF_SYNC = 'sync reads every change from the write-ahead log by logical decoding'
const OF_CONNECTIONS = 'Holdfast is the only way in, and chooses address, port and log itself'
const OF_COMMITS = 'what was answered as saved has to survive a crash, or devices and database would differ'
const OF_POLICIES = 'policies, and the triggers that tell sync of their changes, have to be in force in every session'

/** Settings that the server depends on, each with the reason. */
const RESERVED: Readonly<Record<string, string>> = {
  wal_level: OF_SYNC,
  listen_addresses: OF_CONNECTIONS,
  port: OF_CONNECTIONS,
  unix_socket_directories: OF_CONNECTIONS,
  cluster_name: OF_CONNECTIONS,
  ssl: OF_CONNECTIONS,
  hba_file: OF_CONNECTIONS,
  ident_file: OF_CONNECTIONS,
  config_file: OF_CONNECTIONS,
  data_directory: OF_CONNECTIONS,
  external_pid_file: OF_CONNECTIONS,
  password_encryption: OF_CONNECTIONS,
  logging_collector: OF_CONNECTIONS,
  log_destination: OF_CONNECTIONS,
  lc_messages: OF_CONNECTIONS,
  log_min_messages: OF_CONNECTIONS,
  log_line_prefix: OF_CONNECTIONS,
  log_checkpoints: OF_CONNECTIONS,
  log_min_error_statement: OF_CONNECTIONS,
  log_error_verbosity: OF_CONNECTIONS,
  extension_control_path: 'Holdfast brings extensions of its own there',
  fsync: OF_COMMITS,
  full_page_writes: OF_COMMITS,
  synchronous_commit: OF_COMMITS,
  default_transaction_read_only: OF_COMMITS,
  zero_damaged_pages: OF_COMMITS,
  ignore_checksum_failure: OF_COMMITS,
  event_triggers: OF_POLICIES,
  session_replication_role: OF_POLICIES,
  row_security: OF_POLICIES,
}

/** Minimum values required by the server, each with the reason. */
const LEAST: Readonly<Record<string, readonly [least: number, reason: string]>> = {
  max_replication_slots: [4, 'the change stream, its copies of tables and backups need a slot each'],
  max_wal_senders: [4, 'the change stream, its copies of tables and backups need a sender each'],
  max_connections: [80, 'Holdfast keeps up to 60 connections of its own open'],
}

/** Name of a Postgres or extension setting. */
const NAME = /^[a-z_]\w*(?:\.[a-z_]\w*)?$/i

/**
 * Parses the operator's settings for the packaged Postgres. A part without `=` continues the previous value, as in
 * `shared_preload_libraries=auto_explain,pg_stat_statements`. Postgres itself reports unknown settings at startup.
 *
 * @param parts - `name=value`, split at commas
 * @throws {HoldfastError} `option_invalid`
 */
export function parseChosenSettings(parts: readonly string[]): Readonly<Record<string, string>> {
  const settings = new Map<string, string>()
  let last = ''
  for (const part of parts) {
    const equals = part.indexOf('=')
    if (equals < 0 && last !== '') {
      settings.set(last, `${settings.get(last)},${part}`)
      continue
    }
    last = part.slice(0, Math.max(equals, 0)).trim().toLowerCase()
    if (!NAME.test(last)) throw invalid(`"${part}" is not a setting.`, 'Write name=value, such as work_mem=16MB.')
    if (settings.has(last)) throw invalid(`${last} is set twice.`, 'Name it once.')
    settings.set(last, part.slice(equals + 1).trim())
  }
  for (const [name, value] of settings) refuseReserved(name, value)
  return Object.fromEntries(settings)
}

function refuseReserved(name: string, value: string): void {
  const reason = RESERVED[name]
  if (reason !== undefined) throw invalid(`${name} cannot be chosen: ${reason}.`, 'Leave it out.')
  // Such characters would end the line in the settings file.
  if (/[\n\r\0]/.test(value) || value === '')
    throw invalid(`${name} has no value that fits in a line.`, 'Write name=value.')
  const [least, need] = LEAST[name] ?? []
  if (least !== undefined && !(Number(value) >= least))
    throw invalid(`${name} has to be a number of ${least} or more: ${need}.`, 'Choose a larger one, or leave it out.')
}

function invalid(what: string, hint: string): HoldfastError {
  return new HoldfastError('option_invalid', 500, `--postgres-settings: ${what}`, { hint })
}
