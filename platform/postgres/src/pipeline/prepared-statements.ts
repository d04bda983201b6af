/** Statements that a connection keeps. Each costs Postgres some ten kilobytes, and one of 39 embeds nearly a megabyte. */
const PREPARED_MAX = 256
/** Characters of all of them together: what Postgres keeps of a statement grows with its text, some 30 bytes for each. */
const PREPARED_CHARACTERS_MAX = 524_288

export interface PipelineColumn {
  readonly name: string
  readonly typeOid: number
}

/** A statement as one connection knows it. */
export interface Statement {
  /** Empty for one that is not kept. */
  readonly name: string
  /** Of its text. */
  readonly characters: number
  /** Set when Postgres has described it. */
  columns: readonly PipelineColumn[]
}

export const NO_COLUMNS: readonly PipelineColumn[] = []

/**
 * The statements that are prepared on one connection; beyond {@link PREPARED_MAX} or {@link PREPARED_CHARACTERS_MAX} those that were used longest ago go. The newest
 * one stays, however long.
 */
export interface PreparedStatements {
  find(key: string): Statement | undefined
  /** @returns a statement that is still to be parsed; without a key it is not kept */
  create(key: string | undefined, text: string): Statement
  /** Postgres has parsed it. */
  keep(key: string, statement: Statement): void
  /** Names of statements that Postgres may forget. */
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
      forget(key) // one exchange may parse a statement twice
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
