import type { CheckpointFeed, LiveBucket } from '../checkpoints/checkpoint-feed.ts'
import { encodedOps, type EncodedOps } from '../encode/lines.ts'
import { splitDocs, withoutRemoved } from '../encode/op-doc.ts'
import { DATA_LINE_BYTES_MAX, DATA_LINE_OPS_MAX, READ_GROUP_BUCKETS_MAX, READ_GROUP_OPS_MAX } from '../limits.ts'
import type { LogReader, OpsSlice } from '../storage/log-reader.ts'
import type { LineSink } from './line-sink.ts'

/** A bucket that a device holds or is about to. */
export interface HeldBucket {
  readonly bucket: LiveBucket
  /** Every operation of the bucket up to here has been sent (or the device said that it has them). */
  upTo: number
  /** Position that the next `data` line continues from. */
  position: number
  /** Whether the device knows of it: it stood in a checkpoint of this connection. */
  announced: boolean
}

export interface OpsSource {
  readonly log: LogReader
  readonly feed: CheckpointFeed
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
 * @returns the buckets that were read from the log: versions superseded meanwhile may be missing from them
 */
export async function sendOps(
  source: OpsSource,
  sink: LineSink,
  buckets: readonly HeldBucket[],
  upTo: number,
  signal: AbortSignal,
): Promise<LiveBucket[]> {
  const fromLog: HeldBucket[] = []
  for (const held of buckets) {
    if (held.upTo >= held.bucket.lastOpId || held.bucket.id === 0) {
      held.upTo = upTo
      continue
    }
    const recent = source.feed.recent.read(held.bucket.id, startOf(held), upTo)
    if (recent) await sendSlice(sink, held, recent, false)
    else fromLog.push(held)
    if (recent) held.upTo = upTo
    signal.throwIfAborted()
  }
  for (const group of groups(fromLog)) await sendGroup(source, sink, group, upTo, signal)
  return fromLog.map((held) => held.bucket)
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
): Promise<void> {
  const byId = new Map(group.map((held) => [held.bucket.id, held]))
  // A device that begins with a bucket has no rows that could be removed; whose they were is none of its business.
  const fromStart = new Set(group.filter((held) => startOf(held) === 0))
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
      const sent = fromStart.has(held) ? docs.map(withoutRemoved) : docs
      await sendSlice(sink, held, encodedOps(sent, slice.lastOpId), positions.has(held))
      signal.throwIfAborted()
    }
  }
  for (const held of group) held.upTo = upTo
}

async function sendSlice(sink: LineSink, held: HeldBucket, ops: EncodedOps, moreFollows: boolean): Promise<void> {
  const lines =
    ops.count <= DATA_LINE_OPS_MAX && ops.bytes <= DATA_LINE_BYTES_MAX
      ? [ops]
      : ops.split(DATA_LINE_OPS_MAX, DATA_LINE_BYTES_MAX)
  for (const [index, line] of lines.entries()) {
    await sink.data(held.bucket.name, held.position, moreFollows || index < lines.length - 1, line)
    held.position = line.lastOpId
  }
}
