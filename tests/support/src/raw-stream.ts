import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { ControlLine } from '@holdfast/protocol'

/** A received row version. */
export interface WireRow {
  readonly table: string
  readonly id: string
  /** The columns as JSON text. */
  readonly data: string
}

/** A minimal device that reads a sync stream and keeps every received row version. */
export interface RawStream extends AsyncDisposable {
  /** All PUTs so far, in order of arrival. */
  readonly rows: readonly WireRow[]
  /** Position by bucket, to resume from. Complete after {@link RawStream.settle}. */
  readonly positions: ReadonlyMap<string, string>
  /** Waits until everything committed before this call has arrived. */
  settle(): Promise<void>
  /** Waits for a checkpoint with this or a later write checkpoint. */
  reach(writeCheckpoint: bigint, timeoutMs?: number): Promise<void>
}

export interface RawStreamOptions {
  /** The server's URL. */
  readonly url: string
  readonly token: string
  readonly clientId: string
  /** Positions of an earlier stream of this client. Default: none, a new device. */
  readonly positions?: ReadonlyMap<string, string>
}

interface DataLine {
  readonly data: {
    readonly bucket: string
    readonly next_after: string
    readonly data: readonly {
      readonly op: string
      readonly object_type?: string
      readonly object_id?: string
      readonly data?: string | null
    }[]
  }
}

const SETTLE_TIMEOUT_MS = 120_000

/** Requests a write checkpoint for everything committed so far, as devices do after an upload. */
export async function askWriteCheckpoint(
  options: Pick<RawStreamOptions, 'url' | 'token' | 'clientId'>,
): Promise<bigint> {
  const response = await fetch(`${options.url}/write-checkpoint2.json?client_id=${options.clientId}`, {
    headers: { authorization: `Token ${options.token}` },
  })
  const { data } = (await response.json()) as { data: { write_checkpoint: string } }
  return BigInt(data.write_checkpoint)
}

export async function openRawStream(options: RawStreamOptions): Promise<RawStream> {
  const closing = new AbortController()
  const response = await fetch(`${options.url}/sync/stream`, {
    method: 'POST',
    headers: {
      authorization: `Token ${options.token}`,
      'content-type': 'application/json',
      accept: 'application/x-ndjson',
    },
    body: JSON.stringify({
      client_id: options.clientId,
      buckets: [...(options.positions ?? [])].map(([name, after]) => ({ name, after })),
      include_checksum: true,
      raw_data: true,
    }),
    signal: closing.signal,
  })
  if (response.status !== 200 || !response.body)
    throw new Error(`no stream: ${response.status} ${await response.text()}`)

  const rows: WireRow[] = []
  let announced = new Set<string>()
  const positions = new Map(options.positions)
  let offered = 0n
  let completed = 0n
  let ended: unknown
  let lines = 0
  let last = ''

  const take = (line: ControlLine | DataLine): void => {
    if ('data' in line) {
      positions.set(line.data.bucket, line.data.next_after)
      for (const { op, object_type: table, object_id: id, data } of line.data.data) {
        if (op !== 'PUT' && data !== undefined && data !== null) throw new Error(`${op} with content: ${data}`)
        if (op === 'PUT') rows.push({ table: table ?? '', id: id ?? '', data: data ?? '' })
      }
    } else if ('checkpoint' in line) {
      announced = new Set(line.checkpoint.buckets.map(({ bucket }) => bucket))
      for (const name of positions.keys()) if (!announced.has(name)) positions.delete(name)
      offered = BigInt(line.checkpoint.write_checkpoint ?? 0)
    } else if ('checkpoint_diff' in line) {
      for (const name of line.checkpoint_diff.removed_buckets) positions.delete(name)
      offered = BigInt(line.checkpoint_diff.write_checkpoint ?? 0)
    } else if ('checkpoint_complete' in line) {
      completed = offered
    }
  }
  const reading = (async () => {
    for await (const text of createInterface({ input: Readable.fromWeb(response.body as never) })) {
      if (text === '') continue
      lines++
      last = text
      take(JSON.parse(text) as ControlLine | DataLine)
    }
    ended = new Error('the server ended the stream')
  })().catch((error: unknown) => (ended = error))

  /** What tells a stream that stands still from a server that does. */
  async function whatCame(): Promise<string> {
    const later = await askWriteCheckpoint(options).catch(String)
    const of = `offered ${offered}, completed ${completed}, a later one is ${later}`
    return `: ${of}; ${lines} lines, at last ${last.slice(0, 300)}`
  }

  async function reach(target: bigint, timeoutMs: number): Promise<void> {
    for (const deadline = performance.now() + timeoutMs; ;) {
      if (completed >= target) return
      if (ended !== undefined) throw ended
      if (performance.now() > deadline) throw new Error(`write checkpoint ${target} did not come${await whatCame()}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  return {
    rows,
    positions,
    settle: async () => reach(await askWriteCheckpoint(options), SETTLE_TIMEOUT_MS),
    reach: (writeCheckpoint, timeoutMs = SETTLE_TIMEOUT_MS) => reach(writeCheckpoint, timeoutMs),
    async [Symbol.asyncDispose]() {
      closing.abort()
      await reading
    },
  }
}
