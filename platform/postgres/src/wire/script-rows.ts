import { Query, type Client, type QueryArrayConfig } from 'pg'

export interface ScriptRows {
  readonly client: Client
  /** Statements as for `psql -c`. */
  readonly text: string
  /** Called for each row with its columns as text. Rows are not kept. */
  readonly onRow: (columns: readonly (string | null)[]) => void
}

/** As Postgres wrote them. */
const TEXT_ONLY = { getTypeParser: () => (text: string) => text }

/**
 * Runs statements on a connection and streams their rows, including those before an error.
 *
 * @throws errors of Postgres; a lost connection
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
