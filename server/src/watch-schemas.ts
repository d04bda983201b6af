import { delay, errorMessage, type Logger } from '@holdfast/foundation'
import { hasLostSchemas, type MigrationSource, type Pool } from '@holdfast/postgres'

/** How often to look, in milliseconds. What announces changes of the schema may be among what was dropped. */
const LOOK_MS = 5_000

export interface WatchSchemasOptions {
  readonly pool: Pool
  readonly sources: readonly MigrationSource[]
  /** Makes again what is missing. */
  readonly rebuild: () => Promise<void>
  readonly logger: Logger
}

/** Looks whether a tool that resets the database has dropped schemas of Holdfast under a running server, and has them made again. */
export function watchSchemas({ pool, sources, rebuild, logger }: WatchSchemasOptions): AsyncDisposable {
  const stopping = new AbortController()

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await delay(LOOK_MS, stopping.signal)
        if (await hasLostSchemas(pool, sources)) await rebuild()
      } catch (error) {
        if (stopping.signal.aborted) return
        logger.log('warn', `what was dropped of Holdfast cannot be made again yet: ${errorMessage(error)}`)
      }
    }
  }

  const watching = watch()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error('stopped'))
      await watching
    },
  }
}
