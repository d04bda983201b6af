import { randomUUID } from 'node:crypto'
import { availableParallelism, loadavg } from 'node:os'
import { expect } from 'vitest'
import {
  appliedChanges,
  createNotes,
  differences,
  openDevice,
  openFaultyLink,
  openHoldfast,
  type FaultyLink,
  type Holdfast,
  type TestDevice,
  seedOf,
} from '@holdfast/test-support'

/** Numbers from a seed, 0 to below 1: the same on every run. (mulberry32) */
export type Random = () => number

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Printed, so that a failing run can be had again. */
export function seedOfRun(): number {
  const seed = seedOf('HOLDFAST_SEED')
  console.log(`HOLDFAST_SEED=${seed}`)
  return seed
}

/** How often each fault strikes in a run. */
export const REPEATS = Number(process.env['HOLDFAST_FAULTS'] ?? 1)

/**
 * From "the server is ready again" until all devices are equal, in milliseconds, on a machine of one's own. Judged at night and where it is asked for: an
 * ordinary run, beside other work, only waits until they are.
 */
const RECOVERY_MS_MAX = Number(
  process.env['HOLDFAST_RECOVERY_MS'] ?? (process.env['HOLDFAST_NIGHT'] === undefined ? Infinity : 5_000),
)

/** The bar for this moment, see {@link onThisMachine}. */
export function recoveryMsMax(): number {
  return onThisMachine(RECOVERY_MS_MAX)
}

/** Where others use the processors as well, we get our share of them, and a time that holds on a machine of one's own grows in proportion. */
export function onThisMachine(ms: number): number {
  return ms * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism())
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const PEOPLE = ['mina.kaya', 'mina.kaya', 'dana.okafor', 'sam.reyes', 'tomas.lindgren'] as const

/** A server under load and the devices of several people, on a line that can be cut. */
export interface World extends AsyncDisposable {
  readonly holdfast: Holdfast
  readonly link: FaultyLink
  readonly devices: readonly TestDevice[]
  readonly random: Random
  /** Lets the devices and the superuser write until `body` has ended. */
  underLoad(body: () => Promise<void>): Promise<void>
  /** The process of a device dies, between two of its writes, and starts again. */
  restartDevice(index: number): Promise<void>
  /** Waits until everything is judged and everywhere. @returns how long it took, in milliseconds */
  settle(): Promise<number>
  /** Every local transaction was applied once, whole and in order; nothing needs attention; each device holds what its person may select. */
  expectNothingLostNothingTwice(): Promise<void>
}

const straight = async ({ url }: Holdfast): Promise<string> => url

/** @param through - starts what stands between the devices and the server; returns the URL for devices */
export async function openWorld(seed: number, through = straight): Promise<World> {
  const random = createRandom(seed)
  const holdfast = await openHoldfast({ sample: true })
  await createNotes(holdfast)
  const link = await openFaultyLink(await through(holdfast))
  const devices: TestDevice[] = []
  for (const name of PEOPLE)
    devices.push(await openDevice({ ...holdfast, url: link.url }, { email: `${name}@northline.example` }))
  /** By device, the markers of its transactions in the order in which they were written. */
  const written = devices.map((): string[] => [])
  const notes = devices.map((): string[] => [])
  const inTurn = createTurns(devices.length)

  /** One local transaction of two writes. */
  async function writeLocally(index: number): Promise<void> {
    const device = devices[index] as TestDevice
    const marker = `${index}/${(written[index]?.length ?? 0) + 1}`
    const id = randomUUID()
    const mine = notes[index] ?? []
    const earlier = mine[Math.floor(random() * mine.length)]
    await device.database.writeTransaction(async (tx) => {
      await tx.execute('insert into notes (id, owner_id, shared, amount, title, marker) values (?, ?, ?, 0, ?, ?)', [
        id,
        device.local.userId,
        random() < 0.7 ? 1 : 0,
        `by ${device.email}`,
        marker,
      ])
      await tx.execute('update notes set amount = amount + 1, marker = ? where id = ?', [`${marker}+`, earlier ?? id])
    })
    written[index]?.push(marker)
    mine.push(id)
  }

  /** Changes what people may see, and many rows at once. What the faults refuse is not repeated: Postgres has the outcome afterwards. */
  async function writeAsSuperuser(): Promise<void> {
    try {
      const statement = randomStatement(random)
      await holdfast.admin.withClient((client) => client.query(statement))
    } catch (error) {
      const code = (error as { code?: string }).code ?? ''
      if (code.startsWith('23')) return // two memberships of one person in a team, for example
      if (!isOfFault(code, error)) throw error
      await pause(50)
    }
  }

  async function settle(): Promise<number> {
    const began = Date.now()
    for (let turn = 0; turn < 2; turn++) await Promise.all(devices.map((device) => device.settle()))
    return Date.now() - began
  }

  return {
    holdfast,
    link,
    devices,
    random,
    underLoad: (body) =>
      whileRunning(body, [
        ...devices.map((_, index) => async () => {
          await inTurn(index, () => writeLocally(index))
          await pause(50 + random() * 200)
        }),
        async () => {
          await writeAsSuperuser()
          await pause(random() * 30)
        },
      ]),
    restartDevice: (index) => inTurn(index, async () => devices[index]?.reopen()),
    settle,
    async expectNothingLostNothingTwice() {
      for (const device of devices) expect(await device.local.rejected.list(), device.email).toEqual([])
      expectAppliedOnce(await appliedChanges(holdfast), written)
      const told: string[] = []
      for (const device of devices) told.push(...(await differences(device)))
      expect(told).toEqual([])
    },
    async [Symbol.asyncDispose]() {
      link.mend()
      for (const device of devices) await device[Symbol.asyncDispose]()
      await link[Symbol.asyncDispose]()
      await holdfast[Symbol.asyncDispose]()
    },
  }
}

/** Whether Postgres went away, cannot write, or is a standby that recovers. */
function isOfFault(code: string, error: unknown): boolean {
  return /^(57P0|08|25006|ECONN|EPIPE)/.test(code) || /terminated|timeout|conflict with recovery/i.test(String(error))
}

/** Writing on a device and restarting it take turns. */
function createTurns(devices: number): (index: number, body: () => Promise<void>) => Promise<void> {
  const turns = Array.from({ length: devices }, (): Promise<unknown> => Promise.resolve())
  return (index, body) => {
    const mine = (turns[index] ?? Promise.resolve()).then(body)
    turns[index] = mine.catch(() => undefined) // its caller hears of it
    return mine
  }
}

/** A change of what people may see, or of many rows at once. */
function randomStatement(random: Random): string {
  const n = Math.floor(random() * 100_000)
  const statements = [
    `update public.actions set title = 'T${n}' where id = (select id from public.actions order by md5(id::text || '${n}') limit 1)`,
    `update public.actions set contractor_id = (select id from public.contractors order by md5(id::text || '${n}') limit 1)
      where id in (select id from public.actions order by md5(id::text || '${n}') limit 20)`,
    `update public.answers set value_text = 'A${n}' where inspection_id in (select id from public.inspections order by md5(id::text || '${n}') limit 40)`,
    `update public.sites set region_id = (select id from public.regions order by md5(id::text || '${n}') limit 1)
      where id = (select id from public.sites order by md5(id::text || '${n}') limit 1)`,
    `update holdfast.team_members set team_id = (select id from holdfast.teams order by md5(id::text || '${n}') limit 1)
      where id = (select id from holdfast.team_members order by md5(id::text || '${n}') limit 1)`,
    `insert into public.notes (id, owner_id, title) values (gen_random_uuid(), gen_random_uuid(), 'S${n}')`,
  ]
  return statements[Math.floor(random() * statements.length)] ?? ''
}

/** Repeats each of the steps until `body` has ended, and waits for the last ones. */
export async function whileRunning(body: () => Promise<void>, steps: readonly (() => Promise<void>)[]): Promise<void> {
  const stop = new AbortController()
  const loaded = Promise.all(
    steps.map(async (step) => {
      while (!stop.signal.aborted) await step()
    }),
  )
  try {
    await Promise.race([body(), loaded])
  } finally {
    stop.abort()
    await loaded
  }
}

/** @param written - by device, the markers of its transactions in the order in which they were written */
function expectAppliedOnce(
  applied: Awaited<ReturnType<typeof appliedChanges>>,
  written: readonly (readonly string[])[],
): void {
  for (const [index, markers] of written.entries()) {
    const mine = applied.filter(({ marker }) => marker?.startsWith(`${index}/`))
    const inserts = mine.filter(({ op }) => op === 'INSERT')
    const updates = mine.filter(({ op }) => op === 'UPDATE')
    expect(inserts.map(({ marker }) => marker)).toEqual(markers)
    expect(updates.map(({ marker }) => marker)).toEqual(markers.map((marker) => `${marker}+`))
    expect(updates.map(({ xact }) => xact)).toEqual(inserts.map(({ xact }) => xact))
  }
}
