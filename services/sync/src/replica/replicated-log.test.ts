import { once } from 'node:events'
import { expect, test, vi } from 'vitest'
import { delay, type Logger } from '@holdfast/foundation'
import type { Lsn } from '@holdfast/replication'
import type { LogReader, OpsSlice, ReadOpsInput } from '../storage/log-reader.ts'
import type { LogPosition } from './log-position.ts'
import { ReplicatedLog } from './replicated-log.ts'

const INPUT: ReadOpsInput = { wanted: [{ bucketId: 1, after: 0 }], upTo: 9, opsMax: 10, bytesMax: 1_000 }

const slice = (bucketId: number): OpsSlice => ({
  bucketId,
  count: 0,
  hasMore: false,
  lastOpId: 0,
  floor: 0,
  compactions: 0,
  docs: [],
})
const PRIMARY = [slice(1)]
const REPLICA = [slice(2)]

function open(): {
  readonly log: ReplicatedLog
  readonly replica: { fails: Error | undefined; hangs: boolean; readonly asked: LogPosition[] }
  readonly primary: { lsn: number }
  readonly lines: string[]
} {
  const replica = { fails: undefined as Error | undefined, hangs: false, asked: [] as LogPosition[] }
  const primary = { lsn: 1 }
  const lines: string[] = []
  const logger: Logger = { log: (level, message) => void lines.push(`${level}: ${message}`) } as Logger
  const answer = async (position: LogPosition): Promise<number> => {
    if (replica.fails) throw replica.fails
    replica.asked.push(position)
    return 0
  }
  const reader = { read: async () => PRIMARY, [Symbol.asyncDispose]: async () => undefined } satisfies LogReader
  const log = new ReplicatedLog({
    primary: reader,
    replica: {
      reach: answer,
      async read(_, position, signal) {
        await answer(position)
        if (replica.hangs) await once(signal, 'abort')
        signal.throwIfAborted()
        return REPLICA
      },
      [Symbol.asyncDispose]: async () => undefined,
    },
    readPosition: async () => ({ lsn: BigInt(primary.lsn) as Lsn, timeline: 1, history: 7n }),
    logger,
  })
  return { log, replica, primary, lines }
}

const untilUsed = (log: ReplicatedLog): Promise<void> =>
  vi.waitFor(() => expect(log.status().used).toBe(true), { timeout: 5_000 })

test('reads from the primary until the replica has been checked, then from the replica', async () => {
  const { log, lines } = open()
  expect(await log.read(INPUT)).toBe(PRIMARY)
  await untilUsed(log)
  expect(await log.read(INPUT)).toBe(REPLICA)
  expect(log.status()).toMatchObject({ problem: undefined, reads: { replica: 1, primary: 1 } })
  expect(lines).toEqual(['info: the operation log is read from the replica'])
  await log[Symbol.asyncDispose]()
})

test('requires what the primary has when the read is requested', async () => {
  const { log, replica, primary } = open()
  await untilUsed(log)
  primary.lsn = 55
  await log.read(INPUT)
  expect(replica.asked.at(-1)?.lsn).toBe(55n)
  await log[Symbol.asyncDispose]()
})

test('reads from the primary when the replica fails, says so once, and tries again later', async () => {
  const { log, replica, lines } = open()
  await untilUsed(log)
  replica.fails = new Error('canceling statement due to conflict with recovery')
  expect(await Promise.all([log.read(INPUT), log.read(INPUT), log.read(INPUT)])).toEqual([PRIMARY, PRIMARY, PRIMARY])
  expect(log.status()).toMatchObject({
    used: false,
    problem: 'canceling statement due to conflict with recovery',
    reads: { primary: 3 },
  })
  replica.fails = undefined
  await delay(10)
  expect(await log.read(INPUT)).toBe(PRIMARY) // only a check uses it again
  expect(lines.filter((line) => line.startsWith('warn'))).toEqual([
    'warn: the operation log is read from the primary, because the replica cannot be used',
  ])
  await log[Symbol.asyncDispose]()
})

test('reads that wait for the replica go to the primary as soon as one fails', async () => {
  const { log, replica } = open()
  await untilUsed(log)
  replica.hangs = true
  const waiting = [log.read(INPUT), log.read(INPUT)]
  await delay(10)
  replica.fails = new Error('It did not answer within 1000 ms.')
  expect(await log.read(INPUT)).toBe(PRIMARY)
  expect(await Promise.all(waiting)).toEqual([PRIMARY, PRIMARY])
  expect(log.status().problem).toBe('It did not answer within 1000 ms.')
  await log[Symbol.asyncDispose]()
})
