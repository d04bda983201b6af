import { DATA_LINE_BYTES_MAX, DATA_LINE_BYTES_MIN, SLICE_BYTES_MAX, SLICE_BYTES_MIN, SLOW_LINE_MS } from '../limits.ts'

/**
 * Decides how much to send to a device at once, based on how fast it seems to read.
 * A line is at most as large as everything before it on the connection, so that a connection that breaks has delivered at least half of what passed through
 * it. A line also takes about {@link SLOW_LINE_MS} at the last measured pace.
 * The pace is the number of bytes between two moments at which a full connection accepted data again, divided by the time it was full: the kernel accepts
 * megabytes at once, and most of the time there is nothing to send.
 * A class because every device has one: closures would take ten times the memory.
 */
export class ReaderPace {
  #total = 0
  #sinceWait = 0
  #hasWaited = false
  #bytesPerMs = Number.POSITIVE_INFINITY

  /** Document bytes for the next `data` line. A device keeps complete lines only and loses a partial one when its connection breaks. */
  get lineBytesMax(): number {
    const most = Math.min(this.#total, this.#bytesPerMs * SLOW_LINE_MS)
    // Powers of two, so that devices of about one pace share encoded lines.
    const size = most > 0 ? 2 ** Math.floor(Math.log2(most)) : 0
    return Math.min(DATA_LINE_BYTES_MAX, Math.max(DATA_LINE_BYTES_MIN, size))
  }

  /** Document bytes to read ahead from the log. */
  get sliceBytesMax(): number {
    return Math.min(SLICE_BYTES_MAX, Math.max(SLICE_BYTES_MIN, this.#bytesPerMs * SLOW_LINE_MS * 2))
  }

  /** Called after document bytes were handed to the connection. */
  sent(bytes: number): void {
    this.#total += bytes
    this.#sinceWait += bytes
  }

  /** Called when a full connection accepts data again after `ms`. */
  waited(ms: number): void {
    // Before the first wait the kernel's buffers were empty, so filling them says nothing about the device.
    if (this.#hasWaited && this.#sinceWait > 0) this.#bytesPerMs = this.#sinceWait / Math.max(1, ms)
    this.#hasWaited = true
    this.#sinceWait = 0
  }
}
