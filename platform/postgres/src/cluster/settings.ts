/** Settings that Holdfast depends on. They go on the command line, where neither a file nor `alter system` overrides them. */
export function fixedSettings(port: number, clusterName: string): readonly string[] {
  return asArguments({
    listen_addresses: '127.0.0.1',
    port: String(port),
    // Clients use TCP on the loopback; a socket's path would have to stay under 108 bytes.
    unix_socket_directories: '',
    wal_level: 'logical',
    // Shows in the title of every process of this cluster, by which orphans are found.
    cluster_name: clusterName,
    // The log goes to our pipe, in English, whatever the locale.
    logging_collector: 'off',
    log_destination: 'stderr',
    lc_messages: 'C',
    // `log` is above `error`: what clients do wrong goes to the clients, and no row ends in a log.
    log_min_messages: 'log',
    log_line_prefix: '',
    log_checkpoints: 'off',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
  })
}

/**
 * Settings that suit a machine of two cores and may be changed with `alter system`.
 *
 * @param overrides - more of them, or other values
 */
export function tunedSettings(overrides: Readonly<Record<string, string>>): string {
  const settings: Record<string, string> = {
    max_connections: '150',
    shared_buffers: '128MB',
    // Reading through helper processes pays on many cores only, and costs three processes at start.
    io_method: 'sync',
    max_replication_slots: '20',
    max_wal_senders: '20',
    // A reader that stays away longer than this much WAL has to take a new snapshot; the disk does not fill up for it.
    max_slot_wal_keep_size: '4GB',
    wal_sender_timeout: '60s',
    max_wal_size: '1GB',
    checkpoint_timeout: '10min',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Compiling a query costs more than the short queries of an API ever win back.
    jit: 'off',
    random_page_cost: '1.1',
    password_encryption: 'scram-sha-256',
    ...overrides,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`)
  return `# Written by Holdfast at each start. Change a setting with "alter system", which wins over this file.\n${lines.join('\n')}\n`
}

function asArguments(settings: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
