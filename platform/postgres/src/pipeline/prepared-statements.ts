/** Statements that a connection keeps. Each costs Postgres some ten kilobytes. */
const PREPARED_MAX = 256

export interface PipelineColumn {
  readonly name: string
  readonly typeOid: number
}

/** A statement as one connection knows it. */
export interface Statement {
  /** Empty for one that is not kept. */
  readonly name: string
  /** Set when Postgres has described it. */
  columns: readonly PipelineColumn[]
}

export const NO_COLUMNS: readonly PipelineColumn[] = []

/** The statements that are prepared on one connection; beyond {@link PREPARED_MAX} those that were used longest ago go. */
export interface PreparedStatements {
  find(key: string): Statement | undefined
  /** @returns a statement that is still to be parsed; without a key it is not kept */
  create(key: string | undefined): Statement
  /** Postgres has parsed it. */
  keep(key: string, statement: Statement): void
  /** Names of statements that Postgres may forget. */
  takeEvicted(): readonly string[]
}

export function createPreparedStatements(): PreparedStatements {
  const byKey = new Map<string, Statement>()
  let evicted: string[] = []
  let names = 0
  return {
    find(key) {
      const known = byKey.get(key)
      if (known) {
        byKey.delete(key)
        byKey.set(key, known)
      }
      return known
    },
    create: (key) => ({ name: key === undefined ? '' : `hf_${names++}`, columns: NO_COLUMNS }),
    keep(key, statement) {
      byKey.set(key, statement)
      if (byKey.size <= PREPARED_MAX) return
      const [oldest] = byKey
      if (!oldest) return
      byKey.delete(oldest[0])
      evicted.push(oldest[1].name)
    },
    takeEvicted() {
      if (evicted.length === 0) return evicted
      const taken = evicted
      evicted = []
      return taken
    },
  }
}
