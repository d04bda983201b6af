import { SLOWEST_BYTES_A_MS, SOCKET_BYTES, TRANSFER_SILENCE_MS } from '../limits.ts'
import type { BodySender } from './body-sender.ts'
import { TransferFailure } from './storage-failure.ts'

export interface SilenceWatch extends Disposable {
  /** Aborts when the device stops the transfer, or when the server has been silent for too long. */
  readonly signal: AbortSignal
  /** Something came, or `unseenBytes` are on their way and nothing will tell of them. */
  heard(unseenBytes?: number): void
}

/**
 * Gives up a transfer on which nothing happens: a connection that passes nothing looks like one on which nothing happens. A body sent without
 * progress events may take as long as a slow line needs.
 */
export function watchSilence(outer: AbortSignal): SilenceWatch {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = (): void => controller.abort(outer.reason)
  if (outer.aborted) stop()
  outer.addEventListener('abort', stop, { once: true })
  heard()
  return {
    signal: controller.signal,
    heard,
    [Symbol.dispose]() {
      clearTimeout(timer)
      outer.removeEventListener('abort', stop)
    },
  }

  function heard(unseenBytes = 0): void {
    clearTimeout(timer)
    const ms = TRANSFER_SILENCE_MS + unseenBytes / SLOWEST_BYTES_A_MS
    timer = setTimeout(() => controller.abort(silent(ms)), ms)
  }
}

/**
 * What cannot be seen of a body of `size` bytes once `sentBytes` have gone. A sender that tells its progress has handed them to the system, which
 * holds the last of them for a while.
 */
export function unseenBytes({ tellsProgress }: BodySender, size: number, sentBytes: number): number {
  if (!tellsProgress) return size
  return sentBytes < size ? 0 : Math.min(size, SOCKET_BYTES)
}

function silent(ms: number): TransferFailure {
  const message = `The server has been silent for ${Math.round(ms / 1_000)} s.`
  return new TransferFailure('retry', { code: 'network', message, status: undefined })
}
