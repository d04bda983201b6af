import type { Logger } from '@holdfast/foundation'
import type { ChangeListener, Lsn, ReplicationEvent } from '@holdfast/replication'
import { DATABASE_MESSAGES_WAITING_MAX, DATABASE_BYTES_WAITING_MAX, DATABASE_PUBLISH_TURN_MS } from '../limits.ts'
import { readMessage } from './message-row.ts'
import type { DatabaseMessage } from '../bus/bus.ts'
import { PublishQueue } from './publish-queue.ts'

/** Messages of the transaction being received. */
interface Arriving {
  readonly commitLsn: Lsn
  readonly messages: DatabaseMessage[]
  bytes: number
  dropped: number
}

export interface BroadcastListenerOptions {
  readonly publish: (message: DatabaseMessage) => void
  readonly payloadBytesMax: number
  /** Commits before this position were published before the restart. `undefined` until known. */
  readonly opened: () => Lsn | undefined
  readonly logger: Logger
}

function orderOf({ commitLsn, messages }: Arriving): string {
  return `${commitLsn.toString(16).padStart(16, '0')} ${String(messages.length).padStart(6, '0')}`
}

/** Publishes messages inserted into `realtime.messages`, in commit order. */
export function listenForBroadcasts(options: BroadcastListenerOptions): ChangeListener {
  const { publish, payloadBytesMax, opened, logger } = options
  const queue = new PublishQueue(
    {
      messagesMax: DATABASE_MESSAGES_WAITING_MAX,
      bytesMax: DATABASE_BYTES_WAITING_MAX,
      turnMs: DATABASE_PUBLISH_TURN_MS,
    },
    publish,
  )
  let arriving: Arriving | undefined
  let publishedUpTo: Lsn | undefined

  function begin({ commitLsn }: Extract<ReplicationEvent, { kind: 'begin' }>): void {
    const since = opened()
    // Replication restarts after the last confirmed position.
    const isNew =
      since !== undefined && commitLsn >= since && (publishedUpTo === undefined || commitLsn > publishedUpTo)
    arriving = isNew ? { commitLsn, messages: [], bytes: 0, dropped: 0 } : undefined
  }

  function insert({ relation, row }: Extract<ReplicationEvent, { kind: 'insert' }>): void {
    if (!arriving || relation.name !== 'messages' || relation.schema !== 'realtime') return
    const message = readMessage(relation.columns, row, orderOf(arriving))
    if (!message) return
    const bytes = message.broadcast.payload.length
    const isTooMuch =
      bytes > payloadBytesMax ||
      arriving.messages.length >= DATABASE_MESSAGES_WAITING_MAX ||
      arriving.bytes + bytes > DATABASE_BYTES_WAITING_MAX
    if (isTooMuch) arriving.dropped++
    else {
      arriving.messages.push(message)
      arriving.bytes += bytes
    }
  }

  function commit(): void {
    if (!arriving) return
    const { commitLsn, messages, dropped } = arriving
    publishedUpTo = commitLsn
    arriving = undefined
    const all = dropped + (messages.length > 0 ? queue.add(messages) : 0)
    if (all > 0)
      logger.log('warn', 'broadcasts from the database were dropped: too large, or too many at once', {
        dropped: all,
      })
  }

  return (events) => {
    for (const event of events) {
      if (event.kind === 'begin') begin(event)
      else if (event.kind === 'insert') insert(event)
      else if (event.kind === 'commit') commit()
    }
  }
}
