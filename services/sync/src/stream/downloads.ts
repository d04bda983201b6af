import { DOWNLOADS_MAX } from '../limits.ts'

/** A slice of a bucket to be written to a device. */
export interface DownloadedSlice {
  /** Position before the slice; 0 at the bucket's start. */
  readonly after: number
  readonly sentTo: number
  /** Number of the bucket's compactions when the slice was read. */
  readonly since: number
  /**
   * `[low, high]`: range of positions at which the device was told to start over. It may not have received that message, so positions in the range prove
   * nothing. `low` 0: it had nothing.
   */
  readonly low: number
  readonly high: number
}

/** The part of a download that follows the previous stretch and ends at `sentTo`, read as of one compaction. */
interface Stretch {
  readonly sentTo: number
  readonly since: number
}

/** A device's download of one bucket from its start, which takes several slices. */
interface Download extends Pick<DownloadedSlice, 'low' | 'high'> {
  readonly bucket: string
  /** In the order of the bucket. The device's position among them is unknown, because written data may not have arrived. */
  readonly stretches: readonly Stretch[]
}

/**
 * Remembers which devices are downloading a bucket from its start, so that they can resume after a disconnect. A forgotten device only has to start the
 * download again.
 */
export interface Downloads {
  /** Records a slice of a download before it is written. */
  note(device: string, bucket: string, slice: DownloadedSlice): void
  /** Returns the `since` of a device that claims to have everything up to `position`; `undefined` if unknown. */
  sinceOf(device: string, bucket: string, position: number): number | undefined
  /** Called when the whole bucket was written. The data may not have arrived, so the download is remembered until its place is needed. */
  written(device: string, bucket: string): void
  /** Forgets deleted buckets, whose names may be reused. */
  forget(buckets: ReadonlySet<string>): void
}

export function createDownloads(max = DOWNLOADS_MAX): Downloads {
  type Known = Map<string, Download>
  const running: Known = new Map()
  const written: Known = new Map()
  const keyOf = (device: string, bucket: string): string => `${device} ${bucket}`

  function dropOldest(): void {
    if (running.size + written.size <= max) return
    const from = written.size > 0 ? written : running
    const [oldest] = from.keys()
    if (oldest !== undefined) from.delete(oldest)
  }

  return {
    note(device, bucket, slice) {
      const key = keyOf(device, bucket)
      const before = running.get(key) ?? written.get(key)
      written.delete(key)
      running.delete(key) // moves the entry to the end of the order
      const { low, high } = slice
      running.set(key, { bucket, low, high, stretches: withSlice(before?.stretches ?? [], slice) })
      dropOldest()
    },
    sinceOf(device, bucket, position) {
      const key = keyOf(device, bucket)
      const known = running.get(key) ?? written.get(key)
      if (!known || (position >= known.low && position <= known.high)) return undefined
      return known.stretches.find(({ sentTo }) => position <= sentTo)?.since
    },
    written(device, bucket) {
      const key = keyOf(device, bucket)
      const known = running.get(key)
      if (!known) return
      running.delete(key)
      written.set(key, known)
    },
    forget(buckets) {
      for (const known of [running, written])
        for (const [key, { bucket }] of known) if (buckets.has(bucket)) known.delete(key)
    },
  }
}

/** Maximum stretches of a download; each compaction adds one. With more, the two oldest are merged, as of the earlier compaction. */
const STRETCHES_MAX = 16

function withSlice(before: readonly Stretch[], { after, sentTo, since }: DownloadedSlice): readonly Stretch[] {
  const stretches: Stretch[] = []
  for (const stretch of before) {
    if (after === 0) break
    stretches.push({ ...stretch, sentTo: Math.min(stretch.sentTo, after) })
    if (stretch.sentTo >= after) break
  }
  const last = stretches.at(-1)
  if (last?.since === since) stretches.pop()
  stretches.push({ sentTo, since })
  const [first, second] = stretches
  if (!first || !second || stretches.length <= STRETCHES_MAX) return stretches
  return [{ sentTo: second.sentTo, since: first.since }, ...stretches.slice(2)]
}
