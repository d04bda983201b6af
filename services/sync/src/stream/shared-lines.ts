import type { ControlLine } from '@holdfast/protocol'
import type { CheckpointFeed } from '../checkpoints/checkpoint-feed.ts'
import { dataLine, encodeControlLine, type LineFormat } from '../encode/lines.ts'
import { DATA_LINE_OPS_MAX } from '../limits.ts'
import type { HeldBucket } from './send-ops.ts'

/** Bytes of operations that are shared as one piece with the lines around them; larger ones share their body only. */
const SHARED_BYTES_MAX = 64 * 1024

/** The change of one bucket, as all devices get it that stand at the same place. */
export interface OneChange {
  readonly held: HeldBucket
  readonly opId: number
  /** The checkpoint before the operations, which says nothing that another device could not be told in the same words. */
  readonly line: ControlLine
  /** Tells the checkpoint from others of this bucket at this operation. */
  readonly id: string
}

/** Lines of the newest checkpoint that many devices get alike, encoded once. */
export interface SharedLines {
  /**
   * The checkpoint, the operations and that it is complete, when memory has the operations and the device can take them as they are. The bucket is then
   * taken for sent.
   */
  take(format: LineFormat, change: OneChange): Buffer | undefined
}

export function createSharedLines(feed: CheckpointFeed): SharedLines {
  const known = new Map<string, Buffer>()
  let knownOpId = 0
  return {
    take(format, { held, opId, line, id }) {
      const { bucket, position, upTo } = held
      // A device that has nothing, or stands in the middle of what was made one, may need other operations than memory has.
      if (held.stale || position === 0 || upTo >= bucket.lastOpId || Math.max(upTo, position) < bucket.floor)
        return undefined
      const after = Math.max(upTo, position)
      const ops = feed.recent.read(bucket.id, after, opId)
      if (!ops || ops.count > DATA_LINE_OPS_MAX || ops.bytes > SHARED_BYTES_MAX) return undefined
      if (opId !== knownOpId) {
        known.clear()
        knownOpId = opId
      }
      const kind = format.kind === 'bson' ? 'b' : format.nestedData ? 'n' : 'r'
      const key = `${kind} ${bucket.id} ${position} ${after} ${id}`
      let lines = known.get(key)
      if (!lines) {
        lines = Buffer.concat([
          encodeControlLine(format, line),
          ...dataLine(format, { bucket: bucket.name, after: String(position), hasMore: false, ops }),
          encodeControlLine(format, { checkpoint_complete: { last_op_id: String(opId) } }),
        ])
        known.set(key, lines)
      }
      held.position = ops.lastOpId
      held.upTo = opId
      return lines
    },
  }
}
