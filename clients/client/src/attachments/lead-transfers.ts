import { SerialQueue } from '../serial-queue.ts'
import type { Value } from '../value.ts'
import { chooseWork, nextMoment } from './choose-work.ts'
import { followRows, recover, type FollowOptions } from './follow-rows.ts'
import type { FileEntry } from './file-state.ts'
import type { TransferPause } from './gate.ts'
import { LOOK_THROTTLE_MS } from './limits.ts'
import type { WorkContext } from './perform-work.ts'
import { createWorkRunner } from './run-work.ts'
import { dropParts } from './transfer/fetched-parts.ts'
import { unreferenced } from './unreferenced.ts'
import { UNDECIDED_SQL, WAITING_ROWS_SQL } from './waiting-rows.ts'

export interface LeadOptions extends WorkContext, FollowOptions {
  readonly pause: Value<TransferPause>
  /** Called when transfers require signing in. */
  readonly onSignInNeeded: () => void
}

const WATCHED_SQL = `select (select count(*) from hf_local_files), (select count(*) from ps_crud),
       (select count(*) from hf_local_attention)`

/**
 * Transfers files until the signal aborts. One tab does this for all of a user's tabs. Keeps no essential state in memory: the tasks follow from the file
 * table, the rows and the outbox.
 */
export async function leadTransfers(options: LeadOptions, signal: AbortSignal): Promise<void> {
  const { database, pause, onProblem } = options
  const queue = new SerialQueue()
  const runner = createWorkRunner({ ...options, onFree: look })
  let timer: ReturnType<typeof setTimeout> | undefined
  let isLookDue = false
  let undecidedBefore = ''

  await recover(options)
  if (signal.aborted) return
  const watching = { signal, throttleMs: LOOK_THROTTLE_MS }
  database.watchWithCallback(WATCHED_SQL, [], { onResult: look, onError: onProblem }, watching)
  const onRows = (): void => enqueue(() => followRows(options))
  database.watchWithCallback(options.rows, [], { onResult: onRows, onError: onProblem }, watching)
  const stopPause = pause.subscribe(look)
  look()

  await aborted(signal)
  stopPause()
  clearTimeout(timer)
  await queue.settled()
  await runner.end()

  function enqueue(task: () => Promise<void>): void {
    const done = queue.run(async () => {
      if (!signal.aborted) await task()
    })
    done.catch((error: unknown) => {
      if (!signal.aborted && !database.closed) onProblem(error)
    })
  }

  function look(): void {
    if (isLookDue) return
    isLookDue = true
    enqueue(async () => {
      isLookDue = false
      await followDecisions()
      await begin()
    })
  }

  /** Treats a deleted row as gone once no undo can restore it. */
  async function followDecisions(): Promise<void> {
    const undecided = await readUndecided()
    if (undecided === undecidedBefore) return
    undecidedBefore = undecided
    await followRows(options)
  }

  async function readUndecided(): Promise<string> {
    return (await database.getAll<{ id: string }>(UNDECIDED_SQL)).map(({ id }) => id).join()
  }

  /** Deletes downloaded bytes of rows that the user may no longer see. */
  async function dropUnwanted(files: readonly FileEntry[]): Promise<void> {
    const wanted = new Set(files.map(({ id }) => id))
    await dropParts(options.begun.fetched, options.store, (id) => wanted.has(id) || runner.busy.has(id))
  }

  async function begin(): Promise<void> {
    // A task that ends from here on has changed its file since: the look after it decides about the file.
    const busyBefore = new Map(runner.busy)
    const files = await options.table.listActive()
    const waiting = await database.getAll<{ id: string }>(WAITING_ROWS_SQL)
    // The user has decided meanwhile: a file whose row was discarded no longer waits and must not be sent.
    if ((await readUndecided()) !== undecidedBefore) return look()
    const first = await database.get<{ position: number | null }>('select min(id) as position from ps_crud')
    const nowMs = options.now()
    const isOpen = pause.get() === undefined
    runner.stopWhatMayNot(files, isOpen)
    const work = chooseWork(files, {
      nowMs,
      busy: new Map([...busyBefore, ...runner.busy]),
      isOpen,
      waitingRows: new Set(waiting.map(({ id }) => id)),
      firstWaiting: first.position ?? undefined,
    })
    for (const each of work) runner.start(each)
    if (options.begun.fetched.size > 0) await dropUnwanted(files)
    clearTimeout(timer)
    const moment = nextMoment(files, nowMs)
    if (moment !== undefined) timer = unreferenced(setTimeout(look, moment - nowMs))
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
