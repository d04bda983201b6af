import { DOWNLOADS_MAX } from '../limits.ts'

/** A slice of a bucket to be written to a device. */
export interface DownloadedSlice {
  /** Where the device stands before it: 0 at the bucket's start. */
  readonly after: number
  readonly sentTo: number
  /** Compaction of the bucket as of which it was read. */
  readonly since: number
  /** Where the device may have stood when it was told to begin from scratch, which it may never have heard: in `[low, high]`. 0: it had nothing. */
  readonly low: number
  readonly high: number
}

/** What a device that stands at `sentTo` or before it, but not in what comes before this, has as of a compaction. */
interface Stretch {
  readonly sentTo: number
  readonly since: number
}

/** A device's download of one bucket from its start, which takes several slices. */
interface Download extends Pick<DownloadedSlice, 'low' | 'high'> {
  readonly bucket: string
  /** In the order of the bucket. Where the device stands among them is not known: what was written need not have arrived. */
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
  /** All of it has been written: nothing tells whether it has arrived, so it is forgotten only for the sake of others. */
  written(device: string, bucket: string): void
  /** These buckets were deleted; their names may be reused. */
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
      running.delete(key) // to the end of the order
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

/** Stretches of a download in which the bucket was compacted; two that are oldest count as one, as of the earlier. */
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
