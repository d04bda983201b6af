import { DOWNLOADS_MAX } from '../limits.ts'

/** A device's download of one bucket from its start, which takes several slices. */
interface Download {
  /** As of which compaction of the bucket it has what it has. */
  readonly since: number
  /** Where the device may have stood when it was told to begin anew, which it may never have heard: in `[low, high]`. 0: it had nothing. */
  readonly low: number
  readonly high: number
  /** What has been written to it. */
  readonly sentTo: number
}

/**
 * Which devices are in the middle of downloading a bucket from its start, so that a device whose connection breaks goes on where it was. Forgetting
 * one costs that device the beginning again, nothing else.
 */
export interface Downloads {
  /** A slice from the bucket's start, or one after it, has been written. */
  note(device: string, bucket: string, download: Download): void
  /** The `since` of a device that says that it has all up to `position`; `undefined`: not known. */
  sinceOf(device: string, bucket: string, position: number): number | undefined
  done(device: string, bucket: string): void
  /** These buckets are no more: their names may come to be those of others. */
  forget(buckets: ReadonlySet<string>): void
}

export function createDownloads(max = DOWNLOADS_MAX): Downloads {
  const downloads = new Map<string, Download & { readonly bucket: string }>()
  const keyOf = (device: string, bucket: string): string => `${device} ${bucket}`
  return {
    note(device, bucket, download) {
      const key = keyOf(device, bucket)
      downloads.delete(key) // to the end of the order
      downloads.set(key, { ...download, bucket })
      if (downloads.size <= max) return
      const [oldest] = downloads.keys()
      if (oldest !== undefined) downloads.delete(oldest)
    },
    sinceOf(device, bucket, position) {
      const known = downloads.get(keyOf(device, bucket))
      if (!known || position > known.sentTo) return undefined
      return position >= known.low && position <= known.high ? undefined : known.since
    },
    done(device, bucket) {
      downloads.delete(keyOf(device, bucket))
    },
    forget(buckets) {
      for (const [key, { bucket }] of downloads) if (buckets.has(bucket)) downloads.delete(key)
    },
  }
}
