import { SEGMENT_BYTES_MAX, SOURCE_SHARE, SOURCES_MAX } from './limits.ts'

/** Counts the bytes of each source in a segment, so that one user cannot fill the log. */
export class SegmentShares {
  readonly #bytesMax: number
  readonly #bytes = new Map<string, number>()
  readonly #dropped = new Map<string, number>()

  constructor(bytesMax = SEGMENT_BYTES_MAX * SOURCE_SHARE) {
    this.#bytesMax = bytesMax
  }

  /** Returns whether a line of a source fits into its share, and counts it. */
  take(source: string, bytes: number): boolean {
    const key = this.#bytes.has(source) || this.#bytes.size < SOURCES_MAX ? source : 'others'
    const used = (this.#bytes.get(key) ?? 0) + bytes
    if (used > this.#bytesMax) {
      this.#dropped.set(key, (this.#dropped.get(key) ?? 0) + 1)
      return false
    }
    this.#bytes.set(key, used)
    return true
  }

  /** Starts a new segment. @returns the dropped lines of each source, most first */
  restart(): readonly (readonly [source: string, lines: number])[] {
    const dropped = [...this.#dropped].toSorted(([, one], [, other]) => other - one)
    this.#bytes.clear()
    this.#dropped.clear()
    return dropped
  }
}
