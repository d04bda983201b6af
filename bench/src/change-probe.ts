import { randomUUID } from 'node:crypto'
import { sql } from '@holdfast/postgres'
import type { Holdfast } from '@holdfast/test-support'
import { markersIn } from './markers.ts'
import { percentile, type Figure } from './report.ts'
import { openStream, type StreamClient } from './stream-client.ts'
import { mintToken } from './tokens.ts'

/** Changes per second; each one is awaited by one device. */
const RATE = 10
/** How long to wait for the last changes, in milliseconds. */
const LAST_MS = 120_000

/** Writes changes at a steady rate while connected devices wait for them. */
export interface ChangeProbe {
  /** Counts the commits from now on as the given part of the run. */
  begin(part: string): void
  /** Stops when all devices have received everything. @returns median, 99th percentile and maximum of each part */
  end(): Promise<Figure[]>
}

interface Change {
  readonly part: string
  readonly committedMs: number
}

/** @param devices - number of devices, each of a different user who sees only their own rows of `items` */
export async function startChangeProbe(holdfast: Holdfast, devices: number): Promise<ChangeProbe> {
  const people = Array.from({ length: devices }, () => randomUUID())
  const committed = new Map<string, Change>()
  const arrived = new Map<string, number>()
  const clients: StreamClient[] = []
  for (const person of people) {
    const client = await openStream(holdfast.url, mintToken(holdfast.jwtSecret, person), randomUUID())
    await client.nextComplete()
    client.onData = (line, atMs) => {
      for (const marker of markersIn(line, 'probe-')) arrived.set(marker, atMs)
    }
    clients.push(client)
  }
  let part = ''
  let isOver = false

  async function write(): Promise<void> {
    for (let n = 0; !isOver; n++) {
      const marker = `probe-${randomUUID()}`
      await holdfast.admin.execute(
        sql`insert into public.items (id, owner_id, title, n) values (gen_random_uuid(), ${people[n % devices]}::uuid, ${marker}, 1)`,
      )
      committed.set(marker, { part, committedMs: performance.now() })
      await new Promise((resolve) => setTimeout(resolve, 1_000 / RATE))
    }
  }

  const writing = write()
  return {
    begin: (next) => (part = next),
    async end() {
      isOver = true
      await writing
      const deadline = performance.now() + LAST_MS
      const isMissing = (): boolean => [...committed.keys()].some((marker) => !arrived.has(marker))
      while (isMissing() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10))
      const ended = clients.filter(({ hasEnded }) => hasEnded).length
      for (const client of clients) client.close()
      if (ended > 0) throw new Error(`the server ended ${ended} of ${devices} streams`)
      const lost = [...committed.keys()].filter((marker) => !arrived.has(marker)).length
      if (lost > 0) throw new Error(`${lost} of ${committed.size} changes did not reach their devices`)
      return figuresOf(committed, arrived)
    },
  }
}

function figuresOf(committed: ReadonlyMap<string, Change>, arrived: ReadonlyMap<string, number>): Figure[] {
  const parts = Map.groupBy(committed, ([, { part }]) => part)
  return [...parts].flatMap(([part, changes]) => {
    const delays = changes.map(([marker, { committedMs }]) => Math.max(0, (arrived.get(marker) ?? 0) - committedMs))
    return [
      { name: `commit → device, ${part}, median`, value: percentile(delays, 0.5), unit: 'ms' },
      { name: `commit → device, ${part}, p99`, value: percentile(delays, 0.99), unit: 'ms' },
      { name: `commit → device, ${part}, slowest`, value: Math.max(...delays), unit: 'ms' },
    ]
  })
}
