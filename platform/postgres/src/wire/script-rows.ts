import { Query, type Client, type QueryArrayConfig } from 'pg'

export interface ScriptRows {
  readonly client: Client
  /** Statements, as `psql -c` takes them. */
  readonly text: string
  /** Called for each row of each statement, with its columns as text. None is kept. */
  readonly onRow: (columns: readonly (string | null)[]) => void
}

/** As Postgres has written them. */
const TEXT_ONLY = { getTypeParser: () => (text: string) => text }

/**
 * Runs statements on a connection and hands their rows on as they come, also those before one that fails.
 *
 * @throws what Postgres refused; a lost connection
 */
export function readScriptRows({ client, text, onRow }: ScriptRows): Promise<void> {
  return new Promise((resolve, reject) => {
    const config: QueryArrayConfig = { text, rowMode: 'array', types: TEXT_ONLY }
    const query = new Query<(string | null)[]>(config)
    query.on('row', onRow)
    query.on('end', () => resolve())
    query.on('error', reject)
    client.query(query)
  })
}
