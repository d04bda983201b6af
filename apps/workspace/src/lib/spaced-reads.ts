/** Share of SQLite's time that counts may take: after one that took 50 ms, the same count waits for 2.5 s. */
const WAIT_FACTOR = 50
/** Minimum interval in ms between runs of the same read. */
const WAIT_MIN_MS = 1_000
/** Pause in ms between two reads, so that reads of the screen go first. */
const GAP_MS = 20

/** A read that is repeated after changes. */
export interface SpacedRead extends Disposable {
  /** Asks for another run; calls while one waits are one. */
  request(): void
}

export interface SpacedReads {
  /** Runs a read soon, one at a time with the others. Repeated runs keep a distance in proportion to what the last one took. */
  add(read: () => Promise<void>): SpacedRead
}

export interface Clock {
  now(): number
  wait(ms: number): Promise<void>
}

const CLOCK: Clock = {
  now: () => performance.now(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

interface Entry {
  readonly read: () => Promise<void>
  /** Time before which it does not run again. */
  notBefore: number
  isAsked: boolean
  isOver: boolean
}

/** Bounds the cost of many background reads: one at a time, each for at most a fiftieth of the time. */
export function spacedReads(clock: Clock = CLOCK): SpacedReads {
  const entries = new Set<Entry>()
  let isRunning = false

  async function run(): Promise<void> {
    if (isRunning) return
    isRunning = true
    for (let next = soonest(entries); next; next = soonest(entries)) {
      const delay = Math.max(GAP_MS, next.notBefore - clock.now())
      await clock.wait(Math.min(delay, WAIT_MIN_MS))
      // Another may have become due earlier.
      if (next.isOver || next.notBefore > clock.now()) continue
      next.isAsked = false
      const start = clock.now()
      await next.read()
      const took = clock.now() - start
      next.notBefore = clock.now() + Math.max(WAIT_MIN_MS, took * WAIT_FACTOR)
    }
    isRunning = false
  }

  return {
    add(read) {
      const entry: Entry = { read, notBefore: clock.now(), isAsked: true, isOver: false }
      entries.add(entry)
      void run()
      return {
        request() {
          entry.isAsked = true
          void run()
        },
        [Symbol.dispose]() {
          entry.isOver = true
          entries.delete(entry)
        },
      }
    },
  }
}

function soonest(entries: ReadonlySet<Entry>): Entry | undefined {
  return [...entries].filter(({ isAsked }) => isAsked).toSorted((a, b) => a.notBefore - b.notBefore)[0]
}
