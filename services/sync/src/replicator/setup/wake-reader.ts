import { errorMessage, type Logger } from '@holdfast/foundation'
import { sql, type Queryable } from '@holdfast/postgres'

/** Writes a message to the stream, so that the reader notices compiled plans and filled definitions. */
export async function wakeReader({
  pool,
  logger,
}: {
  readonly pool: Queryable
  readonly logger: Logger
}): Promise<void> {
  try {
    await pool.query(sql`select pg_logical_emit_message(true, 'holdfast:plan', '')`)
  } catch (error) {
    logger.log('debug', 'the reader will look again with the next change', { reason: errorMessage(error) })
  }
}
