import { SLOWEST_BYTES_A_MS, TRANSFER_SILENCE_MS } from '../limits.ts'
import { TransferFailure } from './storage-failure.ts'

export interface SilenceWatch extends Disposable {
  /** Aborts when the device stops the transfer, or when the server has been silent for too long. */
  readonly signal: AbortSignal
  /** Something came, or `bytes` more are about to be sent. */
  heard(bytesToSend?: number): void
}

/**
 * Gives up a transfer on which nothing happens: a connection that passes nothing looks like one on which nothing happens. A body that is being
 * sent may take as long as a slow line needs, because its progress cannot be seen.
 */
export function watchSilence(outer: AbortSignal, bytesToSend = 0): SilenceWatch {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = (): void => controller.abort(outer.reason)
  if (outer.aborted) stop()
  outer.addEventListener('abort', stop, { once: true })
  heard(bytesToSend)
  return {
    signal: controller.signal,
    heard,
    [Symbol.dispose]() {
      clearTimeout(timer)
      outer.removeEventListener('abort', stop)
    },
  }

  function heard(bytes = 0): void {
    clearTimeout(timer)
    const ms = TRANSFER_SILENCE_MS + bytes / SLOWEST_BYTES_A_MS
    timer = setTimeout(() => controller.abort(silent(ms)), ms)
  }
}

function silent(ms: number): TransferFailure {
  const message = `The server has been silent for ${Math.round(ms / 1_000)} s.`
  return new TransferFailure('retry', { code: 'network', message, status: undefined })
}
