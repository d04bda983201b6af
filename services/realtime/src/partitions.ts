import { errorMessage, type Logger } from '@holdfast/foundation'
import { sql, type Pool } from '@holdfast/postgres'
import { MESSAGES_KEPT_HOURS, PARTITIONS_EVERY_MS, PARTITIONS_RETRY_MS } from './limits.ts'

/** Maintains the partitions of `realtime.messages`: creates those of the next days and drops expired ones. */
export function keepPartitions(pool: Pool, logger: Logger): AsyncDisposable {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let running = look()

  async function look(): Promise<void> {
    let nextMs = PARTITIONS_EVERY_MS
    try {
      await pool.transaction(async (tx) => {
        // Give up quickly: others would queue behind our pending lock.
        await tx.execute(sql`set local lock_timeout = '500ms'`)
        await tx.execute(sql`select realtime.keep_partitions(${MESSAGES_KEPT_HOURS}::int)`)
      })
    } catch (error) {
      nextMs = PARTITIONS_RETRY_MS
      logger.log('debug', 'the partitions of realtime.messages could not be maintained', { error: errorMessage(error) })
    }
    if (isStopped) return
    timer = setTimeout(() => (running = look()), nextMs)
    timer.unref()
  }

  return {
    async [Symbol.asyncDispose]() {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
