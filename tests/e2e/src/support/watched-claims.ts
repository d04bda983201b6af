import { setTimeout as delay } from 'node:timers/promises'
import { readDevice } from './local-device.ts'
import type { Person } from './person.ts'

/** How often the chip is compared with the device, in milliseconds. */
const LOOK_MS = 500
/** For so long the chip may say what was so before: it is drawn after what it tells of, on a slow phone later. Milliseconds. */
const STALE_MS = 15_000
/** A page that is being loaded answers nothing. */
const BETWEEN_PAGES = /Execution context was destroyed|no open database|has been closed|Timeout|avigat/

const FILES_SQL = `select count(*) as files from hf_local_files where state in ('captured', 'preparing', 'queued', 'uploading', 'uploaded')`

/** What is on the device and nowhere else. */
interface Unsent {
  readonly waiting: number
  readonly files: number
}

interface Moment extends Unsent {
  readonly at: number
}

/** What was seen of the chip beside what was so. */
export interface SeenClaims {
  /** How often they were compared. */
  readonly looks: number
  /** What was said and was not so at any time of the last {@link STALE_MS}. */
  readonly untrue: readonly string[]
  /** All that was said, without its numbers. */
  readonly said: ReadonlySet<string>
  /** For how long the chip was behind at most, in milliseconds. */
  readonly staleMs: number
}

export interface WatchedClaims {
  readonly seen: SeenClaims
  /** @throws what kept it from looking */
  stop(): Promise<SeenClaims>
}

/**
 * Compares what the sync chip of a person's page says of changes and files with what the device holds.
 *
 * @param onLook - what else has to be so while the chip says something; its answer is noted as untrue
 */
export function watchClaims(
  { page, chip }: Person,
  onLook: (said: string) => Promise<string | undefined> = async () => undefined,
): WatchedClaims {
  const seen = { looks: 0, untrue: [] as string[], said: new Set<string>(), staleMs: 0 }
  let isOver = false
  let moments: readonly Moment[] = []
  let behindSince: number | undefined
  const readMoment = async (): Promise<Moment> => {
    const { waiting, rows } = await readDevice(page, FILES_SQL)
    return { at: Date.now(), waiting, files: Number(rows[0]?.['files']) }
  }
  const look = async (): Promise<void> => {
    // What was so before the chip is read, also for the first look at a page: something may be stored before the second reading.
    if (moments.length === 0) moments = [await readMoment()]
    const saidAt = Date.now()
    const said = ((await chip.getAttribute('aria-label', { timeout: 2_000 })) ?? '').replace(/^Sync: /, '')
    const now = await readMoment()
    moments = [...since(moments, saidAt - STALE_MS), now]
    seen.looks++
    seen.said.add(said.replaceAll(/\d+/g, 'N'))
    behindSince = isSo(said, moments.slice(-2)) ? undefined : (behindSince ?? now.at)
    if (behindSince !== undefined) seen.staleMs = Math.max(seen.staleMs, now.at - behindSince)
    if (!isSo(said, moments)) seen.untrue.push(`“${said}”, but ${JSON.stringify(moments.at(-1))}`)
    const more = await onLook(said)
    if (more !== undefined) seen.untrue.push(more)
  }
  const looking = (async () => {
    while (!isOver) {
      await look().catch((error: unknown) => {
        if (!BETWEEN_PAGES.test(String(error))) throw error
        // What a page says that has just been loaded is compared with what is so then.
        moments = []
      })
      await delay(LOOK_MS)
    }
  })()
  looking.catch(() => undefined) // thrown by `stop`
  return {
    seen,
    async stop() {
      isOver = true
      await looking
      return seen
    },
  }
}

/** The looks after a time, and the last one before it: what it saw was so at that time, however long looks take. */
function since(moments: readonly Moment[], time: number): readonly Moment[] {
  const last = moments.findLastIndex(({ at }) => at <= time)
  return moments.slice(Math.max(0, last))
}

/** Whether it was so at some time: each number is between the smallest and the largest. */
function isSo(said: string, moments: readonly Moment[]): boolean {
  const claimed = claimOf(said)
  return (['waiting', 'files'] as const).every((part) => {
    const number = claimed[part]
    const were = moments.map((one) => one[part])
    return number === undefined || (number >= Math.min(...were) && number <= Math.max(...were))
  })
}

/** What the words of the chip say of changes and files. Words that tell of the line only say nothing of them. */
function claimOf(said: string): Partial<Unsent> {
  if (said === 'Up to date') return { waiting: 0, files: 0 }
  if (said === 'Offline') return { waiting: 0 }
  const files = /(\d+) files?\b/.exec(said)?.[1]
  if (files !== undefined) return { waiting: 0, files: Number(files) }
  const waiting = /(?:Sending |^|· )(\d+)(?: waiting)?$/.exec(said)?.[1]
  return waiting === undefined ? {} : { waiting: Number(waiting) }
}
