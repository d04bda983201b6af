/** Prepared statements per connection. Each costs Postgres about ten kilobytes, one with 39 embeds nearly a megabyte. */
const PREPARED_MAX = 256
/** Total characters of their texts; Postgres uses about 30 bytes per character. */
const PREPARED_CHARACTERS_MAX = 524_288

export interface PipelineColumn {
  readonly name: string
  readonly typeOid: number
}

/** A statement as known to one connection. */
export interface Statement {
  /** Empty if not kept. */
  readonly name: string
  /** Length of its text. */
  readonly characters: number
  /** Set when Postgres has described it. */
  columns: readonly PipelineColumn[]
}

export const NO_COLUMNS: readonly PipelineColumn[] = []

/** LRU cache of a connection's prepared statements, limited by {@link PREPARED_MAX} and {@link PREPARED_CHARACTERS_MAX}. The newest stays, however long. */
export interface PreparedStatements {
  find(key: string): Statement | undefined
  /** @returns a statement to be parsed; not kept without a key */
  create(key: string | undefined, text: string): Statement
  /** Call when Postgres has parsed it. */
  keep(key: string, statement: Statement): void
  /** Names of statements to close. */
  takeEvicted(): readonly string[]
}

export function createPreparedStatements(): PreparedStatements {
  const byKey = new Map<string, Statement>()
  let evicted: string[] = []
  let names = 0
  let characters = 0
  const forget = (key: string): void => {
    const known = byKey.get(key)
    if (!known) return
    byKey.delete(key)
    characters -= known.characters
    evicted.push(known.name)
  }
  return {
    find(key) {
      const known = byKey.get(key)
      if (known) {
        byKey.delete(key)
        byKey.set(key, known)
      }
      return known
    },
    create: (key, text) => ({
      name: key === undefined ? '' : `hf_${names++}`,
      characters: text.length,
      columns: NO_COLUMNS,
    }),
    keep(key, statement) {
      forget(key) // an exchange may parse a statement twice
      byKey.set(key, statement)
      characters += statement.characters
      for (const oldest of byKey.keys()) {
        if (oldest === key || (byKey.size <= PREPARED_MAX && characters <= PREPARED_CHARACTERS_MAX)) return
        forget(oldest)
      }
    },
    takeEvicted() {
      if (evicted.length === 0) return evicted
      const taken = evicted
      evicted = []
      return taken
    },
  }
}
