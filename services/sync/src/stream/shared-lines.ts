import type { ControlLine } from '@holdfast/protocol'
import type { CheckpointFeed } from '../checkpoints/checkpoint-feed.ts'
import { dataLine, encodeControlLine, type LineFormat } from '../encode/lines.ts'
import { DATA_LINE_OPS_MAX } from '../limits.ts'
import type { HeldBucket } from './send-ops.ts'

/** Maximum operation bytes shared as one piece with the surrounding lines. For larger ones only the body is shared. */
const SHARED_BYTES_MAX = 64 * 1024

/** A change of one bucket, for all devices at the same position. */
export interface OneChange {
  readonly held: HeldBucket
  readonly opId: number
  /** The preceding checkpoint line, which contains nothing specific to a device. */
  readonly line: ControlLine
  /** Distinguishes checkpoints of this bucket at this operation. */
  readonly id: string
}

/** Lines of the newest checkpoint, encoded once for many devices. */
export interface SharedLines {
  /**
   * Returns the checkpoint, its operations and its completion, if the operations are in memory and the device can use them unchanged. The bucket then counts
   * as sent.
   */
  take(format: LineFormat, change: OneChange): Buffer | undefined
}

export function createSharedLines(feed: CheckpointFeed): SharedLines {
  const known = new Map<string, Buffer>()
  let knownOpId = 0
  return {
    take(format, { held, opId, line, id }) {
      const { bucket, position, upTo } = held
      // A device without data, or in the middle of merged operations, may need other operations than those in memory.
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
