import { errorMessage, Semaphore } from '@holdfast/foundation'
import { openStatementConnection, type PreparedStatement, type StatementConnection } from '@holdfast/postgres'
import { shuttingDown } from '../errors.ts'
import { logReadFailed } from './log-read-failure.ts'

export interface LogConnectionsOptions<Name extends string> {
  readonly url: string
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string
  readonly connectionsMax: number
  /** Session settings; constants only. */
  readonly settings: Readonly<Record<string, string>>
  readonly statements: Readonly<Record<Name, PreparedStatement>>
  /** Timeout in ms for opening a connection. */
  readonly connectTimeoutMs: number
}

/** How a connection is lent. */
export interface Lending {
  readonly group: 'urgent' | 'bulk'
  /** Rejects callers that wait for a connection. */
  readonly signal?: AbortSignal
}

/** Lends connections with prepared statements, opened on demand. */
export interface LogConnections<Name extends string> extends AsyncDisposable {
  /**
   * Lends a connection. Discards it if `body` rejects. Bulk work yields to urgent work, which always has some connections.
   *
   * @throws {HoldfastError} `sync_log_read` if no connection can be opened, and when disposed
   */
  use<T>(lending: Lending, body: (connection: StatementConnection<Name>) => Promise<T>): Promise<T>
}

export function createLogConnections<Name extends string>(options: LogConnectionsOptions<Name>): LogConnections<Name> {
  const { connectionsMax } = options
  const idle: StatementConnection<Name>[] = []
  const all = new Set<StatementConnection<Name>>()
  const closing = new AbortController()
  const semaphore = new Semaphore<'urgent' | 'bulk'>({
    permits: connectionsMax,
    groups: {
      urgent: { isUrgent: true },
      // Keeps connections for live changes and first lines, however much is being downloaded.
      bulk: { max: Math.max(1, connectionsMax - Math.ceil(connectionsMax / 3)) },
    },
  })

  async function open(): Promise<StatementConnection<Name>> {
    try {
      const connection = await openStatementConnection({
        ...options,
        onLost() {
          all.delete(connection)
          removeFrom(idle, connection)
        },
      })
      all.add(connection)
      if (closing.signal.aborted) connection.close()
      return connection
    } catch (error) {
      throw logReadFailed(errorMessage(error), error)
    }
  }

  return {
    use({ group, signal }, body) {
      const either = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal
      return semaphore.run({ group, signal: either }, async () => {
        const connection = idle.pop() ?? (await open())
        try {
          const result = await body(connection)
          if (!connection.isLost()) idle.push(connection)
          return result
        } catch (error) {
          all.delete(connection)
          connection.close()
          throw error
        }
      })
    },
    async [Symbol.asyncDispose]() {
      closing.abort(shuttingDown())
      for (const connection of all) connection.close()
    },
  }
}

function removeFrom<T>(list: T[], item: T): void {
  const index = list.indexOf(item)
  if (index >= 0) list.splice(index, 1)
}
