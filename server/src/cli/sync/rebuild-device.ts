import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { HoldfastError } from '@holdfast/foundation'
import type { ControlLine } from '@holdfast/protocol'
import { refusal, send } from './connection.ts'

/** A device built only from the stream. */
export interface RebuiltDevice extends AsyncDisposable {
  /** Waits for a completed checkpoint with this or a later write checkpoint. @returns its rows by `table/id` */
  reach(writeCheckpoint: bigint): Promise<ReadonlyMap<string, string>>
  /** Waits until everything committed before this call has arrived. */
  settle(): Promise<ReadonlyMap<string, string>>
  /** Stream faults: wrong checksums, operations without a checkpoint. */
  readonly faults: readonly string[]
  readonly operations: number
  readonly buckets: number
}

interface Operation {
  readonly op_id: string
  readonly op: string
  readonly object_type?: string
  readonly object_id?: string
  readonly checksum: number
  readonly data?: string | null
}

interface DataLine {
  readonly data: { readonly bucket: string; readonly data: readonly Operation[] }
}

interface Bucket {
  readonly rows: Map<string, { readonly opId: bigint; readonly data: string; readonly checksum: number }>
  /** Checksum of operations without rows. */
  rest: number
}

/**
 * Connects as a new device of a user and follows the stream.
 *
 * @param onProgress - receives the number of operations
 */
export async function rebuildDevice(options: {
  readonly url: string
  readonly token: string
  readonly clientId: string
  readonly onProgress: (operations: number) => void
}): Promise<RebuiltDevice> {
  const closing = new AbortController()
  const authorization = `Token ${options.token}`
  const response = await send(`${options.url}/sync/stream`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', accept: 'application/x-ndjson' },
    body: JSON.stringify({ client_id: options.clientId, include_checksum: true, raw_data: true }),
    signal: closing.signal,
  })
  if (!response.ok || !response.body) throw await refusal(response)

  const held = new StreamedBuckets(options.onProgress)
  const reading = (async () => {
    for await (const text of createInterface({ input: Readable.fromWeb(response.body as never) })) {
      if (text !== '') held.take(JSON.parse(text) as ControlLine | DataLine)
    }
    throw new HoldfastError('stream_ended', 500, 'The server ended the stream.', {
      hint: 'It may have been stopped, or the rows take longer than the token lives. Try again.',
    })
  })().catch((error: unknown) => held.end(error))

  return {
    reach: (writeCheckpoint) => held.reach(writeCheckpoint),
    async settle() {
      const path = `/write-checkpoint2.json?client_id=${options.clientId}`
      const asked = await send(`${options.url}${path}`, { headers: { authorization } })
      if (!asked.ok) throw await refusal(asked)
      const { data } = (await asked.json()) as { data: { write_checkpoint: string } }
      return held.reach(BigInt(data.write_checkpoint))
    },
    faults: held.faults,
    get operations() {
      return held.operations
    },
    get buckets() {
      return held.bucketCount
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      await reading
    },
  }
}

/** A device's buckets, built from stream lines. */
class StreamedBuckets {
  readonly faults: string[] = []
  readonly #onProgress: (operations: number) => void
  readonly #buckets = new Map<string, Bucket>()
  #target = new Map<string, number>()
  #offered = 0n
  #completed: { readonly writeCheckpoint: bigint; readonly rows: ReadonlyMap<string, string> } | undefined
  #operations = 0
  #ended: { readonly reason: unknown } | undefined
  #changed = Promise.withResolvers<void>()

  constructor(onProgress: (operations: number) => void) {
    this.#onProgress = onProgress
  }

  get operations(): number {
    return this.#operations
  }

  get bucketCount(): number {
    return this.#target.size
  }

  /** Ends the stream. */
  end(reason: unknown): void {
    this.#ended = { reason }
    this.#changed.resolve()
  }

  async reach(writeCheckpoint: bigint): Promise<ReadonlyMap<string, string>> {
    for (;;) {
      if (this.#completed && this.#completed.writeCheckpoint >= writeCheckpoint) return this.#completed.rows
      if (this.#ended) throw this.#ended.reason
      await this.#changed.promise
    }
  }

  #dropUnlisted(): void {
    for (const name of this.#buckets.keys()) if (!this.#target.has(name)) this.#buckets.delete(name)
  }

  #apply(bucket: Bucket, op: Operation): void {
    this.#operations++
    const checksum = op.checksum | 0
    if (op.op === 'CLEAR') {
      bucket.rows.clear()
      bucket.rest = checksum
      return
    }
    const key = `${op.object_type}/${op.object_id}`
    const old = op.op === 'MOVE' ? undefined : bucket.rows.get(key)
    if (old) bucket.rest = (bucket.rest + old.checksum) | 0
    if (op.op !== 'MOVE') bucket.rows.delete(key)
    if (op.op === 'PUT') bucket.rows.set(key, { opId: BigInt(op.op_id), data: op.data ?? '{}', checksum })
    else bucket.rest = (bucket.rest + checksum) | 0
  }

  #complete(): void {
    const newest = new Map<string, { readonly opId: bigint; readonly data: string }>()
    for (const [name, checksum] of this.#target) {
      const bucket = this.#buckets.get(name)
      let sum = bucket?.rest ?? 0
      for (const [key, row] of bucket?.rows ?? []) {
        sum = (sum + row.checksum) | 0
        if ((newest.get(key)?.opId ?? -1n) < row.opId) newest.set(key, row)
      }
      if (sum !== (checksum | 0))
        this.faults.push(`the checksum of bucket ${name} is ${sum >>> 0}, and should be ${checksum >>> 0}`)
    }
    this.#completed = {
      writeCheckpoint: this.#offered,
      rows: new Map([...newest].map(([key, { data }]) => [key, data])),
    }
  }

  take(line: ControlLine | DataLine): void {
    if ('data' in line) {
      const { bucket: name, data } = line.data
      if (!this.#target.has(name)) this.faults.push(`operations of bucket ${name}, which is in no checkpoint`)
      let bucket = this.#buckets.get(name)
      if (!bucket) this.#buckets.set(name, (bucket = { rows: new Map(), rest: 0 }))
      for (const op of data) this.#apply(bucket, op)
      this.#onProgress(this.#operations)
    } else if ('checkpoint' in line) {
      this.#target = new Map(line.checkpoint.buckets.map(({ bucket, checksum }) => [bucket, checksum]))
      this.#offered = BigInt(line.checkpoint.write_checkpoint ?? 0)
      this.#dropUnlisted()
    } else if ('checkpoint_diff' in line) {
      for (const name of line.checkpoint_diff.removed_buckets) this.#target.delete(name)
      for (const { bucket, checksum } of line.checkpoint_diff.updated_buckets) this.#target.set(bucket, checksum)
      this.#offered = BigInt(line.checkpoint_diff.write_checkpoint ?? 0)
      this.#dropUnlisted()
    } else if ('checkpoint_complete' in line) this.#complete()
    else return
    const changed = this.#changed
    this.#changed = Promise.withResolvers()
    changed.resolve()
  }
}
