import type { ChangeListener, ChangeTap } from '@holdfast/replication'

/** Prefix of the replication message that marks a schema change. */
export const SCHEMA_PREFIX = 'holdfast:ddl'

/** Tables of a subscription: one, all of a schema, or all (`*`). */
export interface WantedTables {
  readonly schema: string
  /** `undefined` for every table of the schema. */
  readonly table: string | undefined
}

export interface SourceListener {
  /** Receives the changes of the wanted tables, at least, in commit order. */
  readonly onEvents: ChangeListener
  /** Called when changes may be missing before the next ones. Those of an unfinished transaction are not continued. */
  readonly onLost: (reason: string) => void
  readonly wanted: () => readonly WantedTables[]
}

/** Where the committed changes come from. */
export interface ChangeSource {
  listen(listener: SourceListener): Disposable
  /** Returns whether all changes of the wanted tables arrive from now on. Call after the wanted tables have changed. */
  ready(): Promise<boolean>
}

/** Changes as this server reads them. */
export function localChanges(tap: Pick<ChangeTap, 'listen'>): ChangeSource {
  return {
    listen: ({ onEvents }) => tap.listen(onEvents),
    ready: async () => true,
  }
}
