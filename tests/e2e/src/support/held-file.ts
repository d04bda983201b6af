import type { Person } from './person.ts'

const PAGE = '/held-file.html'
const SCRIPT = '/held-file.js'

/**
 * Does what the browser does with the files of a closed tab, only for longer: takes the database file in turn, frees its Web Lock, and closes its access handles
 * a while later.
 */
const WORKER = `
onmessage = async ({ data: afterLockMs }) => {
  const root = await navigator.storage.getDirectory()
  const names = []
  for await (const name of root.keys()) if (/^holdfast-.*\\.db$/.test(name)) names.push(name)
  const handles = []
  for (const name of names) {
    const turn = 'ahp:/' + name
    const channel = new BroadcastChannel(turn)
    const ask = setInterval(() => channel.postMessage(null), 50)
    await navigator.locks.request(turn, async () => {
      clearInterval(ask)
      for (const suffix of ['', '-journal', '-wal']) {
        const file = await root.getFileHandle(name + suffix)
        handles.push(await file.createSyncAccessHandle())
      }
    })
  }
  setTimeout(() => {
    for (const handle of handles) handle.close()
    postMessage({ free: true })
  }, afterLockMs)
  postMessage({ names })
}
`

export interface HeldFile {
  readonly files: readonly string[]
  /** Resolves once the handles are closed. */
  readonly isFree: Promise<void>
}

/** Holds the handles of a person's database without its lock, from a page of its own. */
export async function holdDatabaseFile(
  person: Person,
  { afterLockMs }: { readonly afterLockMs: number },
): Promise<HeldFile> {
  await person.context.route(`**${PAGE}`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: '<!doctype html><link rel="icon" href="data:,"><title>held</title>',
    }),
  )
  await person.context.route(`**${SCRIPT}`, (route) => route.fulfill({ contentType: 'text/javascript', body: WORKER }))
  const page = await person.newTab()
  await page.goto(PAGE)
  const files = await page.evaluate(
    ([script, afterLockMs]) =>
      new Promise<string[]>((resolve, reject) => {
        const worker = new Worker(script)
        const free = new Promise<void>((done) => {
          worker.addEventListener('message', ({ data }: MessageEvent<{ names?: string[]; free?: true }>) => {
            if (data.names) resolve(data.names)
            if (data.free) done()
          })
        })
        worker.addEventListener('error', () => reject(new Error('the worker failed')))
        Object.assign(globalThis, { free })
        worker.postMessage(afterLockMs)
      }),
    [SCRIPT, afterLockMs] as const,
  )
  const isFree = page
    .evaluate(() => (globalThis as unknown as { readonly free: Promise<void> }).free)
    .then(() => page.close())
  return { files, isFree }
}
