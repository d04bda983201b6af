import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { Value } from '../value.ts'
import { chooseWork, nextMoment, type FileWork } from './choose-work.ts'
import type { FileEntry } from './file-state.ts'
import type { TransferPause } from './gate.ts'
import { ORPHAN_AGE_MS } from './limits.ts'
import { performWork, type WorkContext } from './perform-work.ts'
import { reconcileRows, type AttachmentRow, type RowAction } from './reconcile-rows.ts'
import { SignInNeeded } from './transfer/storage-endpoint.ts'

export interface LeadOptions extends WorkContext {
  readonly bucket: string
  readonly rows: string
  readonly pause: Value<TransferPause>
  /** Nothing can be sent or fetched until the person has signed in. */
  readonly onSignInNeeded: () => void
  readonly now: () => number
}

/** What failed without a state of its own rests for this long, in milliseconds. */
const REST_MS = 60_000
/** Changes of rows and files are looked at together, in milliseconds. */
const LOOK_THROTTLE_MS = 30

const WATCHED_SQL = `select (select count(*) from hf_local_files), (select count(*) from ps_crud),
       (select count(*) from hf_local_attention)`

/** Rows that the server does not have: their insert is in the outbox, or in a refused change without a decision. */
const WAITING_ROWS_SQL = `select id from hf_local_files f
 where state = 'queued' and (
   exists (select 1 from ps_crud where json_extract(data, '$.op') = 'PUT' and json_extract(data, '$.id') = f.id)
   or exists (select 1 from hf_local_attention a where a.state = 'open'
     and (a.record_id = f.id or instr(a.operations, f.id) > 0 or instr(coalesce(a.held_ops, ''), f.id) > 0)))`

const UNDECIDED_SQL = `select id from hf_local_files f
 where exists (select 1 from hf_local_attention a where a.state = 'open'
   and (a.record_id = f.id or instr(a.operations, f.id) > 0 or instr(coalesce(a.held_ops, ''), f.id) > 0))`

/**
 * Sends and fetches files until the signal aborts. One tab does this for all of a person's tabs. It keeps nothing in memory that matters: what is to
 * be done follows from the table of files, the rows and the outbox.
 */
export async function leadTransfers(options: LeadOptions, signal: AbortSignal): Promise<void> {
  const { database, table, pause, now, onProblem } = options
  const underWay = new Map<string, { readonly kind: FileWork['kind']; readonly stop: AbortController }>()
  const running = new Set<Promise<void>>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let looking = Promise.resolve()
  let isLookDue = false
  let rowsNow: readonly AttachmentRow[] | undefined
  let undecidedBefore = ''

  await recover(options)
  if (signal.aborted) return
  database.watchWithCallback(WATCHED_SQL, [], { onResult: look, onError: onProblem }, watching(signal))
  database.watchWithCallback(
    options.rows,
    [],
    { onResult: ({ rows }) => follow((rows?._array ?? []) as readonly AttachmentRow[]), onError: onProblem },
    watching(signal),
  )
  const stopPause = pause.subscribe(look)
  look()

  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  stopPause()
  clearTimeout(timer)
  for (const { stop } of underWay.values()) stop.abort(signal.reason)
  await looking
  await Promise.all(running)

  function look(): void {
    if (isLookDue || signal.aborted) return
    isLookDue = true
    inTurn(async () => {
      isLookDue = false
      await begin()
    })
  }

  function follow(rows: readonly AttachmentRow[]): void {
    rowsNow = rows
    inTurn(() => followRows(options, rows, undefined))
  }

  function inTurn(body: () => Promise<void>): void {
    looking = looking.then(async () => {
      if (!signal.aborted) await body()
    })
    looking = looking.catch((error: unknown) => {
      if (!signal.aborted && !database.closed) onProblem(error)
    })
  }

  async function begin(): Promise<void> {
    await followDecisions()
    const files = await table.list()
    const waiting = await database.getAll<{ id: string }>(WAITING_ROWS_SQL)
    const first = await database.get<{ position: number | null }>('select min(id) as position from ps_crud')
    const isOpen = pause.get() === undefined
    stopWhatMayNot(files, isOpen)
    const work = chooseWork(files, {
      nowMs: now(),
      busy: new Map([...underWay].map(([id, { kind }]) => [id, kind])),
      isOpen,
      waitingRows: new Set(waiting.map(({ id }) => id)),
      firstWaiting: first.position ?? undefined,
    })
    for (const each of work) start(each)
    clearTimeout(timer)
    const moment = nextMoment(files, now())
    if (moment !== undefined) timer = unreferenced(setTimeout(look, Math.max(0, moment - now())))
  }

  /** A row that is gone counts as gone once nobody can bring it back any more. */
  async function followDecisions(): Promise<void> {
    const undecided = await listUndecided(database)
    const key = [...undecided].join()
    if (key === undecidedBefore) return
    undecidedBefore = key
    if (rowsNow) await followRows(options, rowsNow, undecided)
  }

  /** A transfer ends when transfers pause, when the person stops it, and when its file is no longer in the table. */
  function stopWhatMayNot(files: readonly FileEntry[], isOpen: boolean): void {
    const kept = new Map(files.map((file) => [file.id, file]))
    for (const [id, { kind, stop }] of underWay) {
      if (kind !== 'send' && kind !== 'fetch') continue
      const file = kept.get(id)
      if (!isOpen || !file || file.isPaused) stop.abort(new Error('The transfer was stopped on this device.'))
    }
  }

  function start(work: FileWork): void {
    const stop = new AbortController()
    underWay.set(work.file.id, { kind: work.kind, stop })
    const done = performWork(options, work, stop.signal).then(
      () => release(work.file.id),
      (error: unknown) => {
        if (error instanceof SignInNeeded) options.onSignInNeeded()
        else if (!signal.aborted) onProblem(error)
        // Not at once again: what failed here would fail in a loop.
        if (error instanceof SignInNeeded) release(work.file.id)
        else unreferenced(setTimeout(() => release(work.file.id), REST_MS))
      },
    )
    running.add(done)
    void done.then(() => running.delete(done))
  }

  function release(id: string): void {
    underWay.delete(id)
    look()
  }
}

/** After a start nothing is under way. Entries and bytes are compared: neither is trusted to have survived. */
async function recover({ table, store, now }: LeadOptions): Promise<void> {
  const stored = new Map((await store.list()).map((file) => [file.name, file]))
  for (const { id, bytesName, state } of await table.list()) {
    if (bytesName !== undefined && !stored.has(bytesName)) await table.apply(id, { kind: 'bytes_missing' })
    if (['preparing', 'uploading', 'downloading'].includes(state)) await table.apply(id, { kind: 'restarted' })
  }
  const named = new Set((await table.list()).map(({ bytesName }) => bytesName))
  for (const { name, writtenAtMs } of stored.values()) {
    if (!named.has(name) && now() - writtenAtMs > ORPHAN_AGE_MS) await store.remove(name)
  }
}

async function listUndecided(database: CommonPowerSyncDatabase): Promise<ReadonlySet<string>> {
  return new Set((await database.getAll<{ id: string }>(UNDECIDED_SQL)).map(({ id }) => id))
}

async function followRows(
  options: LeadOptions,
  rows: readonly AttachmentRow[],
  known: ReadonlySet<string> | undefined,
): Promise<void> {
  const { database, table, bucket } = options
  const undecided = known ?? (await listUndecided(database))
  for (const action of reconcileRows(await table.list(), rows, { bucket, undecided })) {
    await apply(options, action)
  }
}

async function apply({ database, table, store, now }: LeadOptions, action: RowAction): Promise<void> {
  const { file } = action
  switch (action.kind) {
    case 'insert':
      return database.writeTransaction(async (tx) => {
        if (await table.findIn(tx, file.id)) return // added on this device since the table was read
        await table.insert(tx, file, now())
        if (file.isEager && file.state === 'remote') await table.applyIn(tx, file.id, { kind: 'wanted', by: 'rows' })
      })
    case 'forget': {
      // As it is now: an upload may have ended meanwhile, never the other way round.
      await database.writeTransaction((tx) => table.delete(tx, file.id))
      if (file.bytesName !== undefined) await store.remove(file.bytesName)
      return
    }
    case 'set_eager':
      return table.setEager(file.id, action.isEager)
    case 'want':
      await table.apply(file.id, { kind: 'wanted', by: 'rows' })
      return
    case 'row_gone':
    case 'retried':
    case 'announced':
      await table.apply(file.id, { kind: action.kind })
      return
    default:
      return action satisfies never
  }
}

function watching(signal: AbortSignal): { signal: AbortSignal; throttleMs: number } {
  return { signal, throttleMs: LOOK_THROTTLE_MS }
}

/** A Node process may end while files wait. */
function unreferenced(timer: ReturnType<typeof setTimeout>): ReturnType<typeof setTimeout> {
  ;(timer as { unref?: () => void }).unref?.()
  return timer
}
