/** Settings that Holdfast depends on, for the command line, where neither a file nor `alter system` overrides them. */
export function fixedSettings(port: number, clusterName: string): readonly string[] {
  return asArguments({
    listen_addresses: '127.0.0.1',
    port: String(port),
    // Clients use TCP on loopback; a socket path would be limited to 107 bytes.
    unix_socket_directories: '',
    wal_level: 'logical',
    // Appears in the title of every process of this cluster, to find orphans.
    cluster_name: clusterName,
    // The log goes to our pipe, in English regardless of locale.
    logging_collector: 'off',
    log_destination: 'stderr',
    lc_messages: 'C',
    // `log` is above `error`: client errors go only to clients, and no row data appears in a log.
    log_min_messages: 'log',
    log_line_prefix: '',
    log_checkpoints: 'off',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
  })
}

/**
 * Settings for a two-core machine, changeable with `alter system`.
 *
 * @param overrides - additional or replacing settings
 */
export function tunedSettings(overrides: Readonly<Record<string, string>>): string {
  const settings: Record<string, string> = {
    max_connections: '150',
    shared_buffers: '128MB',
    // I/O workers pay off only on many cores and cost three processes at startup.
    io_method: 'sync',
    max_replication_slots: '20',
    max_wal_senders: '20',
    // A reader absent for more WAL than this needs a new snapshot; this protects the disk.
    max_slot_wal_keep_size: '4GB',
    wal_sender_timeout: '60s',
    max_wal_size: '1GB',
    checkpoint_timeout: '10min',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // JIT compilation costs more than short API queries gain.
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
