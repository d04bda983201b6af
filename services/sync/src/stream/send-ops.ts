import { nextTurn, type Semaphore } from '@holdfast/foundation'
import type { BucketGrant } from '../buckets/bucket-grant.ts'
import type { CheckpointFeed, LiveBucket } from '../checkpoints/checkpoint-feed.ts'
import { encodedOps, type EncodedOps } from '../encode/lines.ts'
import { clearDoc, withoutRemovedUpTo } from '../encode/op-doc.ts'
import { packedOps } from '../encode/packed-ops.ts'
import {
  BULK_LINE_BYTES,
  DATA_LINE_OPS_MAX,
  LARGE_OPS_BYTES,
  READ_GROUP_BUCKETS_MAX,
  READ_GROUP_OPS_MAX,
} from '../limits.ts'
import type { Compactions } from '../compaction/compactions.ts'
import type { LogReader, OpsSlice } from '../storage/log-reader.ts'
import type { DownloadedSlice, Downloads } from './downloads.ts'
import type { LineSink } from './line-sink.ts'

/** A bucket that a device holds or will hold. */
export interface HeldBucket {
  readonly bucket: LiveBucket
  /** Every operation of the bucket up to here has been sent (or the device has reported that it has them). */
  upTo: number
  /** Position that the next `data` line continues from. */
  position: number
  /** Whether a checkpoint of this connection contained the bucket. */
  announced: boolean
  /** The device started the bucket at this position of the log, so it has no rows that were removed before. */
  freshUpTo: number
  /** The device's current grant. */
  grant: BucketGrant
  /** The grant in the last checkpoint. */
  described: BucketGrant | undefined
  /** Whether the device's data is invalid and has to be cleared first. */
  stale: boolean
  /** Number of compactions when the device's data was read; `undefined` if unknown, because the device started elsewhere or long ago. */
  since: number | undefined
  /** The position reported by the device. */
  readonly reported: number
  /** Range of positions in which the device was when it was told to start over. */
  before: { readonly low: number; readonly high: number }
}

const NEVER = { low: 0, high: 0 }

/** Returns the state of a bucket on a device that reported its position. */
export function heldBucket(bucket: LiveBucket, grant: BucketGrant, position: number, since?: number): HeldBucket {
  return {
    bucket,
    grant,
    described: undefined,
    upTo: position,
    position,
    announced: false,
    freshUpTo: 0,
    stale: false,
    since,
    reported: position,
    before: NEVER,
  }
}

/** Restarts a device's download of a bucket. */
export function restartBucket(held: HeldBucket): void {
  held.before = { low: held.reported, high: Math.max(held.before.high, held.upTo, held.position) }
  held.upTo = held.position = 0
  held.stale = true
}

/**
 * Returns whether a device at `position` lacks the sum of operations that compaction has merged: it started before the merge and has not passed them yet.
 */
function straddlesCompaction(
  { compactions }: OpsSource,
  { since, bucket }: HeldBucket,
  position: number,
  slice: OpsSlice,
): boolean {
  if (position === 0 || position >= slice.floor) return false
  return since === undefined || compactions.matters(bucket.id, since, slice.compactions, position)
}

export interface OpsSource {
  readonly log: LogReader
  readonly isFollowing: () => boolean
  readonly feed: CheckpointFeed
  readonly downloads: Downloads
  readonly compactions: Compactions
  readonly bulkLines: Semaphore
}

export interface SentOps {
  /** Whether all operations were sent. Otherwise sending stopped between two lines, and each bucket has its position. */
  readonly isWhole: boolean
  /** Buckets read from the log, which may lack versions superseded since. */
  readonly fromLog: readonly LiveBucket[]
}

/** Operations in the first slice of a bucket: few, so that the first line is sent soon. */
const FIRST_SLICE_OPS = 500

/** Requests more operations than fit on average, because some are smaller. */
const OPS_SPARE = 1.25

/** Minimum bytes per bucket when many are read in one round trip, so that small buckets need no second one. */
const BUCKET_BYTES_MIN = 64 * 1024

/**
 * Sends operations of buckets up to a checkpoint, from memory if possible, otherwise from the log.
 *
 * @param isOvertaken - called after each line; whether something else must be sent first
 */
export async function sendOps(
  source: OpsSource,
  sink: LineSink,
  buckets: readonly HeldBucket[],
  upTo: number,
  signal: AbortSignal,
  device: string,
  isOvertaken: () => boolean = () => false,
): Promise<SentOps> {
  const fromLog: HeldBucket[] = []
  for (const held of buckets) {
    if (held.upTo >= held.bucket.lastOpId || held.bucket.id === 0) {
      if (held.stale) await sendClear(sink, held)
      held.upTo = upTo
      continue
    }
    const start = startOf(held)
    const recent = mayUseRecent(source, held, start) ? source.feed.recent.read(held.bucket.id, start, upTo) : undefined
    if (!recent) {
      fromLog.push(held)
      continue
    }
    const isWhole = await sendSlice(source, sink, held, recent, false, isOvertaken)
    signal.throwIfAborted()
    if (!isWhole) return { isWhole, fromLog: [] }
    held.upTo = upTo
  }
  let isWhole = true
  for (const group of groups(fromLog)) {
    isWhole &&= await sendGroup(source, sink, group, upTo, signal, device, isOvertaken)
    if (!isWhole) break
  }
  return { isWhole, fromLog: fromLog.map((held) => held.bucket) }
}

/** Returns where to continue: after a lost connection to the log, more has been sent than the last checkpoint contained. */
function startOf(held: HeldBucket): number {
  return Math.max(held.upTo, held.position)
}

/**
 * Memory contains the original operations; a device below the floor may have the merged ones from the log. A follower learns floors only by reading the log,
 * so it reads for a device that comes from elsewhere.
 */
function mayUseRecent({ isFollowing }: OpsSource, { bucket, reported }: HeldBucket, start: number): boolean {
  if (start === 0) return true
  return start >= bucket.floor && !(start === reported && isFollowing())
}

/** Groups small buckets and yields large ones alone. */
function* groups(buckets: readonly HeldBucket[]): Generator<HeldBucket[]> {
  let group: HeldBucket[] = []
  let ops = 0
  for (const held of buckets) {
    if (group.length > 0 && (ops + held.bucket.count > READ_GROUP_OPS_MAX || group.length >= READ_GROUP_BUCKETS_MAX)) {
      yield group
      group = []
      ops = 0
    }
    group.push(held)
    ops += held.bucket.count
  }
  if (group.length > 0) yield group
}

interface Wanted {
  readonly held: HeldBucket
  readonly after: number
}

async function sendGroup(
  source: OpsSource,
  sink: LineSink,
  group: readonly HeldBucket[],
  upTo: number,
  signal: AbortSignal,
  device: string,
  isOvertaken: () => boolean,
): Promise<boolean> {
  const sizes = { ops: 0, bytes: 0 }
  const read = (wanted: readonly Wanted[], isBulk: boolean): Promise<OpsSlice[]> =>
    source.log.read({
      wanted: wanted.map(({ held, after }) => ({ bucketId: held.bucket.id, after })),
      upTo,
      bytesMax: Math.max(BUCKET_BYTES_MIN, Math.floor(sink.pace.sliceBytesMax / wanted.length)),
      isBulk,
      ...formOf(sizes, sink.pace.sliceBytesMax),
    })

  let wanted: readonly Wanted[] = group.map((held) => ({ held, after: startOf(held) }))
  let next: Promise<OpsSlice[]> | undefined = read(wanted, false)
  while (next) {
    const slices: readonly OpsSlice[] = await next
    signal.throwIfAborted()
    const asked = wanted
    const torn = new Set(
      slices.filter((slice, index) => {
        const { held, after } = asked[index] as Wanted
        return straddlesCompaction(source, held, after, slice)
      }),
    )
    for (const { count, docs } of slices) {
      sizes.ops += count
      for (const piece of docs) sizes.bytes += piece.length
    }
    wanted = slices.flatMap((slice, index) => {
      const { held } = asked[index] as Wanted
      if (torn.has(slice)) return [{ held, after: 0 }]
      return slice.hasMore ? [{ held, after: slice.lastOpId }] : []
    })
    // The next slice is read while this one is being written.
    next = wanted.length > 0 ? read(wanted, true) : undefined
    next?.catch(() => undefined) // awaited at the top of the loop, unless writing fails first
    for (const [index, slice] of slices.entries()) {
      const { held, after } = asked[index] as Wanted
      if (torn.has(slice)) {
        restartBucket(held)
        continue
      }
      // A device that starts a bucket has no rows to remove, and must not learn whose they were.
      if (after === 0) held.freshUpTo = upTo
      if (after === 0 || held.since !== undefined) held.since = slice.compactions
      let isWhole = true
      if (slice.count > 0) {
        // Recorded before writing, because a connection that breaks midway leaves the device anywhere in the slice.
        noteDownload(source, device, held, { after, sentTo: slice.lastOpId })
        const sent = opsOf(slice, held.freshUpTo)
        isWhole = await sendSlice(source, sink, held, sent, slice.hasMore, isOvertaken)
        signal.throwIfAborted()
      }
      if (isWhole && !slice.hasMore) source.downloads.written(device, held.bucket.name)
      if (!isWhole || isOvertaken()) return false
    }
  }
  for (const held of group) {
    if (held.stale) await sendClear(sink, held)
    held.upTo = upTo
  }
  return true
}

/** Chooses how to read the next slice, based on the sizes of previous operations: no more operations than fit, because Postgres examines each. */
function formOf(
  { ops, bytes }: { readonly ops: number; readonly bytes: number },
  sliceBytesMax: number,
): { readonly opsMax: number; readonly isLarge: boolean } {
  if (ops === 0) return { opsMax: FIRST_SLICE_OPS, isLarge: false }
  const each = bytes / ops
  const fitting = Math.ceil((sliceBytesMax / each) * OPS_SPARE)
  return {
    opsMax: Math.min(READ_GROUP_OPS_MAX, Math.max(FIRST_SLICE_OPS, fitting)),
    isLarge: each >= LARGE_OPS_BYTES,
  }
}

/** Returns the operations of a slice for a device without rows that were removed up to `freshUpTo`. */
function opsOf({ docs, count, lastOpId }: OpsSlice, freshUpTo: number): EncodedOps {
  const known = docs.map((piece) => withoutRemovedUpTo(piece, freshUpTo))
  const [only] = known
  // Several pieces contain one document each.
  return only && known.length === 1 ? packedOps(only, count, lastOpId) : encodedOps(known, lastOpId)
}

/** Remembers that the device is about to have everything up to `sentTo`, in case its connection breaks and the bucket is compacted before it returns. */
function noteDownload(
  { downloads }: OpsSource,
  device: string,
  { since, before, bucket }: HeldBucket,
  slice: Pick<DownloadedSlice, 'after' | 'sentTo'>,
): void {
  if (since !== undefined) downloads.note(device, bucket.name, { since, ...before, ...slice })
}

/** Makes the device clear a bucket. The position records that it has nothing, in case it receives nothing more. */
async function sendClear(sink: LineSink, held: HeldBucket): Promise<void> {
  held.stale = false
  await sink.data(held.bucket.name, 0, true, encodedOps([clearDoc(0, 0)], 0))
}

/** @returns whether all lines were sent */
async function sendSlice(
  { bulkLines }: OpsSource,
  sink: LineSink,
  held: HeldBucket,
  ops: EncodedOps,
  moreFollows: boolean,
  isOvertaken: () => boolean,
): Promise<boolean> {
  if (held.stale) await sendClear(sink, held)
  const { lineBytesMax } = sink.pace
  const lines =
    ops.count <= DATA_LINE_OPS_MAX && ops.bytes <= lineBytesMax ? [ops] : ops.split(DATA_LINE_OPS_MAX, lineBytesMax)
  for (const [index, line] of lines.entries()) {
    // Encoding and writing a large line takes milliseconds, and a connection with room never yields.
    if (line.bytes >= BULK_LINE_BYTES) await bulkLines.run({}, nextTurn)
    await sink.data(held.bucket.name, held.position, moreFollows || index < lines.length - 1, line)
    held.position = line.lastOpId
    if (index < lines.length - 1 && isOvertaken()) return false
  }
  return true
}
