import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { deserialize } from 'bson'
import type { DescribedBucket, ReadLine, ReadOp } from './stream-lines.ts'
import { openStreamSocket, type StreamSocket } from './stream-socket.ts'

/** Rows by table and id: what a person sees on the device, as JSON text. */
export type DeviceState = ReadonlyMap<string, string>

export interface CompletedCheckpoint {
  readonly opId: number
  readonly writeCheckpoint: string | undefined
  /** Keys are `table/id`. */
  readonly state: DeviceState
  /** What the server said was wrong with the device's streams, as text. */
  readonly problems: string
}

interface TargetCheckpoint {
  readonly opId: string
  readonly buckets: ReadonlyMap<string, DescribedBucket>
  readonly writeCheckpoint: string | undefined
  readonly problems: string
}

interface DeviceBucket {
  position: string
  rows: Map<string, { readonly opId: number; readonly data: string; readonly checksum: number }>
  /** Sum of everything that is not a row's newest version. */
  rest: number
}

export interface StreamClientOptions {
  readonly url: string
  readonly token: string
  /** HTTP by default. */
  readonly transport?: 'http' | 'web-socket'
  /** Over HTTP; a WebSocket carries BSON. */
  readonly format?: 'bson' | 'ndjson'
  readonly clientId?: string
  readonly body?: object
}

/** A device: keeps buckets as the public client's core does and checks each completed checkpoint against its sums. */
export class StreamClient {
  readonly buckets = new Map<string, DeviceBucket>()
  readonly completed: CompletedCheckpoint[] = []
  /** What could be shown early: the rows of the buckets up to a priority. */
  readonly partials: { readonly opId: number; readonly priority: number; readonly state: DeviceState }[] = []
  readonly lines: ReadLine[] = []
  /** What was wrong with what the server sent. */
  readonly faults: string[] = []
  /** All content that was on the wire, as `table/id json`. */
  readonly received: string[] = []
  status: number | undefined
  /** Body of a refusal. */
  refusal = ''
  headers: IncomingMessage['headers'] = {}
  isOpen = false
  readonly #options: StreamClientOptions
  #request: ClientRequest | StreamSocket | undefined
  #reading: Pick<IncomingMessage, 'pause' | 'resume'> | StreamSocket | undefined
  /** The checkpoint that is arriving, or the last one. */
  #target: TargetCheckpoint | undefined
  #wake: (() => void)[] = []

  constructor(options: StreamClientOptions) {
    this.#options = options
  }

  /** Opens the stream with the positions that the device has. */
  connect(extra: object = {}, url = this.#options.url): void {
    const { token, format = 'ndjson' } = this.#options
    if (this.#options.transport === 'web-socket') return this.#connectSocket(extra, url)
    const accept =
      format === 'bson'
        ? 'application/vnd.powersync.bson-stream;q=0.9,application/x-ndjson;q=0.8'
        : 'application/x-ndjson'
    this.#target = undefined
    this.status = undefined
    const sent = request(`${url}/sync/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Token ${token}`, accept },
    })
    this.#request = sent
    this.isOpen = true
    sent.on('error', () => this.#ended(sent))
    sent.on('response', (response) => {
      if (this.#request !== sent) return void response.destroy()
      this.status = response.statusCode
      this.headers = response.headers
      this.#reading = response
      response.on('error', () => this.#ended(sent))
      response.on('close', () => this.#ended(sent))
      const isBson = response.headers['content-type'] === 'application/vnd.powersync.bson-stream'
      let chunks: Buffer[] = []
      let size = 0
      /** Bytes of which the next document is known to consist. */
      let needed = 4
      response.on('data', (chunk: Buffer) => {
        if (this.#request !== sent) return
        if (response.statusCode !== 200) this.refusal += chunk.toString()
        else {
          chunks.push(chunk)
          size += chunk.length
          if (isBson ? size < needed : !chunk.includes(10)) return
          const rest = (isBson ? this.#readBson : this.#readJson).call(this, Buffer.concat(chunks))
          chunks = [rest]
          size = rest.length
          needed = isBson && size >= 4 ? rest.readInt32LE(0) : 4
        }
        this.#notify()
      })
    })
    sent.end(this.#body(extra))
  }

  #connectSocket(extra: object, url: string): void {
    this.#target = undefined
    this.#request?.destroy()
    this.isOpen = true
    const socket = openStreamSocket({
      url,
      token: this.#options.token,
      body: this.#body(extra),
      onLine: (line) => {
        if (this.#request !== socket) return
        this.#readBson(line)
        this.#notify()
      },
      onRefused: (text) => void (this.refusal += text),
      onClosed: () => {
        this.#ended(socket)
      },
    })
    this.#request = this.#reading = socket
  }

  #body(extra: object): string {
    const { clientId, body } = this.#options
    return JSON.stringify({
      buckets: [...this.buckets].map(([name, bucket]) => ({ name, after: bucket.position })),
      raw_data: true,
      include_checksum: true,
      ...(clientId === undefined ? {} : { client_id: clientId }),
      streams: { include_defaults: true, subscriptions: [] },
      ...body,
      ...extra,
    })
  }

  disconnect(): void {
    this.#request?.destroy()
    this.#request = undefined
    this.#reading = undefined
    this.isOpen = false
  }

  /** Stops reading, as a device in a tunnel. */
  pause(): void {
    this.#reading?.pause()
  }

  resume(): void {
    this.#reading?.resume()
  }

  get state(): DeviceState {
    return this.completed.at(-1)?.state ?? new Map()
  }

  rows(table: string): unknown[] {
    return [...this.state]
      .filter(([key]) => key.startsWith(`${table}/`))
      .map(([, json]) => JSON.parse(json) as unknown)
      .toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
  }

  ids(table: string): string[] {
    const prefix = `${table}/`
    return [...this.state.keys()]
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length))
      .toSorted()
  }

  /** Waits until `isTrue` holds; looks again after everything that arrives. */
  async until(isTrue: (client: this) => boolean, what = 'a condition', timeoutMs = 60_000): Promise<void> {
    const deadline = Date.now() + timeoutMs
    while (!isTrue(this)) {
      const left = deadline - Date.now()
      if (left <= 0) {
        throw new Error(
          `timed out waiting for ${what}; status ${this.status}, faults ${JSON.stringify(this.faults)}, last lines ${JSON.stringify(this.lines.slice(-4)).slice(0, 1500)}`,
        )
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(left, 100))
        this.#wake.push(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
  }

  /** Waits for one more completed checkpoint than there are now. */
  async next(): Promise<CompletedCheckpoint> {
    const seen = this.completed.length
    await this.until(() => this.completed.length > seen, 'a completed checkpoint')
    return this.completed.at(-1) as CompletedCheckpoint
  }

  #notify(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }

  #ended(which: ClientRequest | StreamSocket): void {
    if (this.#request !== which) return
    this.isOpen = false
    this.#notify()
  }

  #readJson(buffer: Buffer): Buffer<ArrayBuffer> {
    let rest = buffer
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      this.#read(JSON.parse(rest.toString('utf8', 0, end)) as ReadLine)
      rest = rest.subarray(end + 1)
    }
    return Buffer.from(rest)
  }

  #readBson(buffer: Buffer): Buffer<ArrayBuffer> {
    let rest = buffer
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const size = rest.readInt32LE(0)
      this.#read(deserialize(rest.subarray(0, size), { validation: { utf8: true } }) as ReadLine)
      rest = rest.subarray(size)
    }
    return Buffer.from(rest)
  }

  #read(line: ReadLine): void {
    this.lines.push(line)
    if (Object.keys(line).length !== 1) this.faults.push(`a line with the keys ${Object.keys(line).join()}`)
    if (line.checkpoint) {
      const { last_op_id: opId, write_checkpoint: writeCheckpoint, buckets, streams } = line.checkpoint
      this.#target = {
        opId,
        buckets: new Map(buckets.map((bucket) => [bucket.bucket, bucket])),
        writeCheckpoint,
        problems: JSON.stringify(streams.map((stream) => (stream as { errors?: unknown }).errors)),
      }
      this.#dropUnlisted()
    } else if (line.checkpoint_diff) {
      if (!this.#target) return void this.faults.push('a diff before the first checkpoint')
      const buckets = new Map(this.#target.buckets)
      for (const name of line.checkpoint_diff.removed_buckets) {
        if (!buckets.delete(name)) this.faults.push(`removes ${name}, which was not there`)
      }
      for (const bucket of line.checkpoint_diff.updated_buckets) buckets.set(bucket.bucket, bucket)
      const { last_op_id: opId, write_checkpoint: writeCheckpoint } = line.checkpoint_diff
      this.#target = { ...this.#target, opId, buckets, writeCheckpoint }
      this.#dropUnlisted()
    } else if (line.data) this.#readOps(line.data)
    else if (line.checkpoint_complete) this.#complete(line.checkpoint_complete.last_op_id)
    else if (line.partial_checkpoint_complete) this.#completePartly(line.partial_checkpoint_complete)
  }

  #dropUnlisted(): void {
    for (const name of this.buckets.keys()) if (!this.#target?.buckets.has(name)) this.buckets.delete(name)
  }

  #readOps({ bucket: name, after, next_after, data }: NonNullable<ReadLine['data']>): void {
    const target = this.#target
    if (!target?.buckets.has(name)) return void this.faults.push(`data of ${name}, which is in no checkpoint`)
    let bucket = this.buckets.get(name)
    if (!bucket) this.buckets.set(name, (bucket = { position: '0', rows: new Map(), rest: 0 }))
    if (BigInt(after) !== BigInt(bucket.position) && this.lines.length > 0) {
      // After a completed checkpoint the device stands at that checkpoint, and the server may say either.
      if (BigInt(after) > BigInt(bucket.position))
        this.faults.push(`data after ${after}, but the device has ${bucket.position}`)
    }
    for (const op of data) {
      // CLEAR at 0 makes the device begin the bucket from scratch.
      if (BigInt(op.op_id) <= BigInt(bucket.position) && !(op.op === 'CLEAR' && op.op_id === '0'))
        this.faults.push(`operation ${op.op_id} again, at ${bucket.position}`)
      if (BigInt(op.op_id) > BigInt(target.opId)) this.faults.push(`operation ${op.op_id} beyond ${target.opId}`)
      this.#apply(bucket, op)
      bucket.position = op.op_id
    }
    if (data.at(-1)?.op_id !== next_after) this.faults.push(`next_after ${next_after} is not the last operation`)
  }

  #apply(bucket: DeviceBucket, op: ReadOp): void {
    const checksum = op.checksum | 0
    if (op.op === 'CLEAR') {
      bucket.rows.clear()
      bucket.rest = checksum
      return
    }
    const key = `${op.object_type}/${op.object_id}`
    if (op.op === 'PUT' || op.op === 'REMOVE') {
      const old = bucket.rows.get(key)
      if (old) bucket.rest = (bucket.rest + old.checksum) | 0
      bucket.rows.delete(key)
    }
    if (op.op === 'PUT' && typeof op.data === 'string') {
      bucket.rows.set(key, { opId: Number(op.op_id), data: op.data, checksum })
      this.received.push(`${key} ${op.data}`)
      return
    }
    if (op.op === 'MOVE' && (op.object_id !== undefined || op.object_type !== undefined))
      this.faults.push('a MOVE that names a row')
    if (op.op !== 'PUT' && typeof op.data === 'string') this.faults.push(`${op.op} with content`)
    bucket.rest = (bucket.rest + checksum) | 0
  }

  #complete(lastOpId: string): void {
    const state = this.#check(lastOpId, Number.POSITIVE_INFINITY)
    const target = this.#target
    if (!state || !target) return
    for (const name of target.buckets.keys()) {
      const bucket = this.buckets.get(name)
      if (bucket) bucket.position = lastOpId
    }
    this.completed.push({
      opId: Number(lastOpId),
      writeCheckpoint: target.writeCheckpoint,
      state,
      problems: target.problems,
    })
  }

  #completePartly({ last_op_id: lastOpId, priority }: NonNullable<ReadLine['partial_checkpoint_complete']>): void {
    const state = this.#check(lastOpId, priority)
    if (state) this.partials.push({ opId: Number(lastOpId), priority, state })
  }

  /** Compares the sums of the buckets up to a priority with the checkpoint. */
  #check(lastOpId: string, priorityMax: number): DeviceState | undefined {
    if (!this.#target) {
      this.faults.push('complete before a checkpoint')
      return undefined
    }
    const { opId, buckets } = this.#target
    if (lastOpId !== opId) this.faults.push(`complete ${lastOpId} of checkpoint ${opId}`)
    const newest = new Map<string, { readonly opId: number; readonly data: string }>()
    for (const [name, { checksum, priority }] of buckets) {
      if (priority > priorityMax) continue
      const bucket = this.buckets.get(name) ?? { position: '0', rows: new Map(), rest: 0 }
      this.buckets.set(name, bucket)
      let sum = bucket.rest
      for (const [key, row] of bucket.rows) {
        sum = (sum + row.checksum) | 0
        if ((newest.get(key)?.opId ?? -1) < row.opId) newest.set(key, row)
      }
      if (sum !== (checksum | 0))
        this.faults.push(`checksum of ${name} at ${lastOpId}: ${sum}, should be ${checksum | 0}`)
    }
    return new Map([...newest].map(([key, row]) => [key, row.data]))
  }
}
