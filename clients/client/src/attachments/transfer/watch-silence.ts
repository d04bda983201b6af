import { SLOWEST_BYTES_A_MS, SOCKET_BYTES, TRANSFER_SILENCE_MS } from '../limits.ts'
import type { BodySender } from './body-sender.ts'
import { TransferFailure } from './storage-failure.ts'

export interface SilenceWatch extends Disposable {
  /** Aborts when the device stops the transfer or the server is silent for too long. */
  readonly signal: AbortSignal
  /** Call when data arrived, or when `unseenBytes` are in transit without progress events. */
  heard(unseenBytes?: number): void
}

/** Detects dead transfers by silence. A body sent without progress events gets the time a slow connection needs. */
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

/** Returns the bytes of a body without visible progress after `sentBytes`. With progress events these are only the last bytes, buffered by the system. */
export function unseenBytes({ tellsProgress }: BodySender, size: number, sentBytes: number): number {
  if (!tellsProgress) return size
  return sentBytes < size ? 0 : Math.min(size, SOCKET_BYTES)
}

function silent(ms: number): TransferFailure {
  const message = `The server has been silent for ${Math.round(ms / 1_000)} s.`
  return new TransferFailure('retry', { code: 'network', message, status: undefined })
}
