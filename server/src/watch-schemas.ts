import { delay, errorMessage, type Clock, type Logger } from '@holdfast/foundation'
import { findLostSchemas, type MigrationSource, type Pool } from '@holdfast/postgres'

/** Poll interval in ms. Schema change notifications may be among what was dropped. */
const LOOK_MS = 5_000

/** Time in ms that a repaired loss stays visible to operators. */
const SHOWN_MS = 60 * 60 * 1_000

export interface WatchSchemasOptions {
  readonly pool: Pool
  readonly sources: readonly MigrationSource[]
  /** Creates missing schemas again. */
  readonly rebuild: () => Promise<void>
  readonly logger: Logger
  readonly clock: Clock
}

export interface SchemaWatch extends AsyncDisposable {
  /** The missing schemas, or those created again lately. */
  readonly problem: string | undefined
}

/** Detects Holdfast schemas dropped by a reset tool under a running server, and recreates them. */
export function watchSchemas({ pool, sources, rebuild, logger, clock }: WatchSchemasOptions): SchemaWatch {
  const stopping = new AbortController()
  let loss: { readonly what: string; readonly madeAgainAt: number | undefined } | undefined

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await delay(LOOK_MS, stopping.signal)
        const lost = await findLostSchemas(pool, sources)
        if (lost.length === 0) continue
        loss = { what: lost.join(', '), madeAgainAt: undefined }
        await rebuild()
        loss = { ...loss, madeAgainAt: clock.now() }
      } catch (error) {
        if (stopping.signal.aborted) return
        logger.log('warn', `what was dropped of Holdfast cannot be made again yet: ${errorMessage(error)}`)
      }
    }
  }

  const watching = watch()
  return {
    get problem() {
      if (!loss) return undefined
      const { what, madeAgainAt } = loss
      if (madeAgainAt === undefined) return `another session has dropped what Holdfast needs in the database: ${what}`
      if (clock.now() - madeAgainAt > SHOWN_MS) return undefined
      return `another session had dropped what Holdfast needs in the database, and it was made again at ${new Date(madeAgainAt).toISOString()}: ${what}`
    },
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error('stopped'))
      await watching
    },
  }
}
