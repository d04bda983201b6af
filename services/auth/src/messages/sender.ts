import type { DueMessage } from './message-rows.ts'

/** Sends the messages of one channel. */
export interface Sender {
  /** @throws {SendError} for a permanent failure; other errors are retried */
  send(message: DueMessage): Promise<void>
  /** Closes connections. A message being sent fails. */
  close(): void
}

/** A permanent refusal by the receiving service. */
export class SendError extends Error {
  override readonly name = 'SendError'
}
