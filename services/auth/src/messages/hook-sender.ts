import type { Pool } from '@holdfast/postgres'
import type { Hooks } from '../hooks/hooks.ts'
import { type Sender, SendError } from './sender.ts'

/**
 * Creates a sender that passes security notifications to the `send_email` hook after the change was committed. Failed calls are retried.
 *
 * @param otherwise - sends mails queued before the hook was configured
 */
export function createHookSender(pool: Pool, hooks: Hooks, otherwise: Sender | undefined): Sender {
  return {
    async send(message) {
      const { hook_payload: payload } = message
      if (payload !== null) {
        await pool.transaction((tx) => hooks.run(tx, 'send_email', payload))
        return
      }
      if (!otherwise) throw new SendError('there is no mail server any more')
      await otherwise.send(message)
    },
    close: () => otherwise?.close(),
  }
}
