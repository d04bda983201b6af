import type { CheckpointFeed, LiveBucket } from '../checkpoints/checkpoint-feed.ts'
import { encodedOps, type EncodedOps } from '../encode/lines.ts'
import { docOpId, splitDocs, withoutRemoved } from '../encode/op-doc.ts'
import { DATA_LINE_BYTES_MAX, DATA_LINE_OPS_MAX, READ_GROUP_BUCKETS_MAX, READ_GROUP_OPS_MAX } from '../limits.ts'
import type { LogReader, OpsSlice } from '../storage/log-reader.ts'
import type { LineSink } from './line-sink.ts'
import type { BucketGrant } from './wanted-streams.ts'

/** A bucket that a device holds or is about to. */
export interface HeldBucket {
  readonly bucket: LiveBucket
  /** Every operation of the bucket up to here has been sent (or the device said that it has them). */
  upTo: number
  /** Position that the next `data` line continues from. */
  position: number
  /** Whether the device knows of it: it stood in a checkpoint of this connection. */
  announced: boolean
  /** The device began with the bucket when the log was here: it has no rows that were removed before. */
  freshUpTo: number
  /** How the device has it. */
  grant: BucketGrant
  /** How the last checkpoint said that it has it. */
  described: BucketGrant | undefined
}

export interface OpsSource {
  readonly log: LogReader
  readonly feed: CheckpointFeed
}

export interface SentOps {
  /** Whether all of them were sent; else it stopped between two lines, and each bucket knows where. */
  readonly isWhole: boolean
  /** The buckets that were read from the log: versions superseded meanwhile may be missing from them. */
  readonly fromLog: readonly LiveBucket[]
}

/** Operations of the first slice of a bucket: few, so that the first line comes soon. */
const FIRST_SLICE_OPS = 500

/** Bytes of documents that are read in one round trip: some lines' worth. */
const SLICE_BYTES = 2 * 1024 * 1024

/** Bytes that each of many buckets may have in one round trip, so that small ones need no second. */
const BUCKET_BYTES_MIN = 64 * 1024

/**
 * Sends the operations of some buckets up to a checkpoint, from memory where it has them, else from the log.
 *
 * @param isOvertaken - asked after each line: whether something else has to be sent first
 */
export async function sendOps(
  source: OpsSource,
  sink: LineSink,
  buckets: readonly HeldBucket[],
  upTo: number,
  signal: AbortSignal,
  isOvertaken: () => boolean = () => false,
): Promise<SentOps> {
  const fromLog: HeldBucket[] = []
  for (const held of buckets) {
    if (held.upTo >= held.bucket.lastOpId || held.bucket.id === 0) {
      held.upTo = upTo
      continue
    }
    const recent = source.feed.recent.read(held.bucket.id, startOf(held), upTo)
    if (!recent) {
      fromLog.push(held)
      continue
    }
    const isWhole = await sendSlice(sink, held, recent, false, isOvertaken)
    signal.throwIfAborted()
    if (!isWhole) return { isWhole, fromLog: [] }
    held.upTo = upTo
  }
  let isWhole = true
  for (const group of groups(fromLog)) {
    isWhole &&= await sendGroup(source, sink, group, upTo, signal, isOvertaken)
    if (!isWhole) break
  }
  return { isWhole, fromLog: fromLog.map((held) => held.bucket) }
}

/** Where to go on: after a connection to the log broke, more has been sent than the last checkpoint had. */
function startOf(held: HeldBucket): number {
  return Math.max(held.upTo, held.position)
}

/** Small buckets together, large ones alone. */
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

async function sendGroup(
  source: OpsSource,
  sink: LineSink,
  group: readonly HeldBucket[],
  upTo: number,
  signal: AbortSignal,
  isOvertaken: () => boolean,
): Promise<boolean> {
  const byId = new Map(group.map((held) => [held.bucket.id, held]))
  // A device that begins with a bucket has no rows that could be removed; whose they were is none of its business.
  for (const held of group) if (startOf(held) === 0) held.freshUpTo = upTo
  let opsMax = FIRST_SLICE_OPS
  const read = (wanted: readonly HeldBucket[], positions: ReadonlyMap<HeldBucket, number>): Promise<OpsSlice[]> =>
    source.log.read({
      wanted: wanted.map((held) => ({ bucketId: held.bucket.id, after: positions.get(held) ?? startOf(held) })),
      upTo,
      opsMax,
      bytesMax: Math.max(BUCKET_BYTES_MIN, Math.floor(SLICE_BYTES / wanted.length)),
    })

  let next: Promise<OpsSlice[]> | undefined = read(group, new Map())
  while (next) {
    const slices: OpsSlice[] = await next
    signal.throwIfAborted()
    const unfinished = slices.filter((slice) => slice.hasMore)
    opsMax = READ_GROUP_OPS_MAX
    // The next slice is on its way while this one is being written.
    const positions = new Map(unfinished.map((slice) => [byId.get(slice.bucketId) as HeldBucket, slice.lastOpId]))
    next = unfinished.length > 0 ? read([...positions.keys()], positions) : undefined
    next?.catch(() => undefined) // awaited at the top of the loop, unless writing fails first
    for (const slice of slices) {
      const held = byId.get(slice.bucketId) as HeldBucket
      const docs = splitDocs(slice.docs)
      const sent = docs.map((doc) => (docOpId(doc) <= held.freshUpTo ? withoutRemoved(doc) : doc))
      const isWhole = await sendSlice(sink, held, encodedOps(sent, slice.lastOpId), positions.has(held), isOvertaken)
      signal.throwIfAborted()
      if (!isWhole || isOvertaken()) return false
    }
  }
  for (const held of group) held.upTo = upTo
  return true
}

/** @returns whether all lines were sent */
async function sendSlice(
  sink: LineSink,
  held: HeldBucket,
  ops: EncodedOps,
  moreFollows: boolean,
  isOvertaken: () => boolean,
): Promise<boolean> {
  const lines =
    ops.count <= DATA_LINE_OPS_MAX && ops.bytes <= DATA_LINE_BYTES_MAX
      ? [ops]
      : ops.split(DATA_LINE_OPS_MAX, DATA_LINE_BYTES_MAX)
  for (const [index, line] of lines.entries()) {
    await sink.data(held.bucket.name, held.position, moreFollows || index < lines.length - 1, line)
    held.position = line.lastOpId
    if (index < lines.length - 1 && isOvertaken()) return false
  }
  return true
}
