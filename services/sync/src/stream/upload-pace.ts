import { UPLOADING_INTERVAL_MS, UPLOADING_QUIET_MS } from '../limits.ts'

/**
 * Spaces out the checkpoints of a device that is sending its changes, such as 100,000 imported rows. The public client applies no checkpoint before its last
 * change is sent, and writes every line to its database. Sent one per transaction, the lines would keep it busy for minutes afterwards.
 */
export class UploadPace {
  #uploadedAtMs = 0
  #checkpointAtMs = 0
  #endWait: (() => void) | undefined

  /** The device has sent changes, and may send more. */
  uploaded(): void {
    this.#uploadedAtMs = Date.now()
  }

  /** The device has sent all changes. */
  finished(): void {
    this.#uploadedAtMs = 0
    this.hurry()
  }

  /** Makes the next checkpoint due now. */
  hurry(): void {
    this.#endWait?.()
  }

  /** Resolves when the next checkpoint is due, or the signal aborts. */
  async due(signal: AbortSignal): Promise<void> {
    const now = Date.now()
    const dueAt = Math.min(this.#checkpointAtMs + UPLOADING_INTERVAL_MS, this.#uploadedAtMs + UPLOADING_QUIET_MS)
    if (dueAt > now) await this.#wait(dueAt - now, signal)
    this.#checkpointAtMs = Date.now()
  }

  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    const ended = Promise.withResolvers<void>()
    const end = (): void => ended.resolve()
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    this.#endWait = end
    await ended.promise
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    this.#endWait = undefined
  }
}
