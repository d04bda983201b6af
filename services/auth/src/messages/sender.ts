import type { DueMessage } from './message-rows.ts'

/** Brings messages of one channel to people. */
export interface Sender {
  /** @throws {SendError} when trying again is of no use; anything else is tried again */
  send(message: DueMessage): Promise<void>
  /** Closes connections; a message being sent fails. */
  close(): void
}

/** The other side has refused for good. */
export class SendError extends Error {
  override readonly name = 'SendError'
}
