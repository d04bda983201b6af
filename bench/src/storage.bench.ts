import { readFile } from 'node:fs/promises'
import type { Holdfast } from '@holdfast/test-support'
import { measureLoad, type LoadRequest } from './http-load.ts'
import { drawPicture } from './picture.ts'
import { startProcessorMeter, type ProcessorMeter } from './processor-time.ts'
import { median, percentile, type Figure } from './report.ts'
import { sized, sizedSeconds } from './size.ts'
import { startPlain } from './start-plain.ts'
import { mintToken } from './tokens.ts'
import { transfer } from './transfer.ts'

/** Both are measured alternately, so that other load on the machine affects both. */
const ROUNDS = sized(3)
const LARGE_ROUNDS = sized(9)
const SECONDS = sizedSeconds(2)
const MB = 1_000_000
const LARGE_BYTES = sized(100) * MB
const SMALL = 'x'.repeat(10_000)
const CONNECTIONS = [1, 16]
const PICTURE = { width: 1_600, height: 1_200 }
const PERSON = 'bbbbbbbb-0000-4000-8000-000000000001'
const PLAIN = 'a bare Node file server'

/** Milliseconds between two samples of the memory. */
const LOOK_MS = 20

/** A policy for a user's own files, as projects write it. */
const POLICY = `
  create policy "own folder" on storage.objects for all to authenticated
    using (bucket_id = 'files' and (storage.foldername(name))[1] = (select auth.uid()::text))
    with check (bucket_id = 'files' and (storage.foldername(name))[1] = (select auth.uid()::text))`

/** One of the two servers that are compared. */
interface Target {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Returns the path of a file. */
  readonly pathOf: (name: string) => string
  readonly pid: () => number
}

/**
 * Throughput up and down, memory meanwhile, small files per second, and transformed images, beside a static file server without policies, metadata and
 * `fsync`.
 */
export async function benchStorage(holdfast: Holdfast): Promise<Figure[]> {
  await prepare(holdfast)
  await using plain = await startPlain(new URL('plain-files.ts', import.meta.url), '')
  const person = { apikey: holdfast.anonKey, authorization: `Bearer ${mintToken(holdfast.jwtSecret, PERSON)}` }
  const ours: Target = {
    url: holdfast.url,
    headers: { ...person, 'content-type': 'text/plain', 'x-upsert': 'true' },
    pathOf: (name) => `/storage/v1/object/files/${PERSON}/${name}`,
    pid: () => holdfast.pid(),
  }
  const theirs: Target = {
    url: plain.url,
    headers: { 'content-type': 'text/plain' },
    pathOf: (name) => `/${name}`,
    pid: () => plain.pid(),
  }
  return [
    ...(await benchMemory(holdfast, ours)),
    ...(await benchLarge(ours, theirs)),
    ...(await benchSmall(ours, theirs)),
    ...(await benchPictures(ours)),
  ]
}

async function prepare(holdfast: Holdfast): Promise<void> {
  const post = async (path: string, type: string, body: string | Buffer): Promise<void> => {
    const answer = await fetch(`${holdfast.url}/storage/v1/${path}`, {
      method: 'POST',
      headers: { apikey: holdfast.serviceRoleKey, 'content-type': type },
      body: new Uint8Array(Buffer.from(body)),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  }
  await post('bucket', 'application/json', JSON.stringify({ name: 'files' }))
  await post('bucket', 'application/json', JSON.stringify({ name: 'open', public: true }))
  await post('object/open/small', 'text/plain', SMALL)
  await post('object/open/picture', 'image/png', drawPicture(PICTURE.width, PICTURE.height))
  await holdfast.admin.withClient((client) => client.query(POLICY))
}

async function benchMemory(holdfast: Holdfast, target: Target): Promise<Figure[]> {
  const before = await residentMb(holdfast.pid())
  if (before === undefined) return []
  const figures: Figure[] = [{ name: 'storage, memory of the server before', value: before, unit: 'MB' }]
  for (const method of ['PUT', 'GET'] as const) {
    const looks: number[] = []
    const look = async (): Promise<void> => void looks.push((await residentMb(holdfast.pid())) ?? Number.NaN)
    const looking = setInterval(() => void look(), LOOK_MS)
    await transfer({ ...target, path: target.pathOf('large'), method, bytes: LARGE_BYTES })
    clearInterval(looking)
    await look()
    const what = `while ${LARGE_BYTES / MB} MB ${method === 'PUT' ? 'come up' : 'go down'}`
    for (const [index, value] of quarterPeaks(looks).entries())
      figures.push({ name: `storage, memory at most in quarter ${index + 1} ${what}`, value, unit: 'MB' })
  }
  return figures
}

/**
 * The highest memory of each quarter of the transfers. Memory that transfers need stays level; memory that is leaked grows from quarter to quarter.
 *
 * @param looks - at least one sample, in order
 */
function quarterPeaks(looks: readonly number[]): readonly number[] {
  return [0, 1, 2, 3].map((quarter) => {
    const from = Math.floor((quarter * looks.length) / 4)
    return Math.max(...looks.slice(from, Math.max(from + 1, Math.floor(((quarter + 1) * looks.length) / 4))))
  })
}

/** @returns `undefined` where there is no `/proc` */
async function residentMb(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  return kilobytes === undefined ? undefined : (Number(kilobytes) * 1_024) / MB
}

/** The result of one of the two: how many per second, and microseconds of processor time for each. */
interface Done {
  readonly rate: number
  readonly nodeUs: number
  readonly postgresUs: number
}

/** @param work - resolves with the rate and the count */
async function measureDone(
  meter: ProcessorMeter,
  work: () => Promise<{ readonly rate: number; readonly count: number }>,
): Promise<Done> {
  await meter.take()
  const { rate, count } = await work()
  const used = await meter.take()
  const each = (ms: number): number => (ms * 1_000) / count
  return { rate, nodeUs: each(used?.node ?? Number.NaN), postgresUs: each(used?.postgres ?? Number.NaN) }
}

/** Share of the windows used for processor time, those with the lowest times. */
const QUIET_SHARE = 0.25

function figuresOf(name: string, unit: string, each: string, ours: readonly Done[], theirs: readonly Done[]): Figure[] {
  const rate = (all: readonly Done[]): number => median(all.map((one) => one.rate))
  const node = (all: readonly Done[]): number =>
    percentile(
      all.map(({ nodeUs }) => nodeUs),
      QUIET_SHARE,
    )
  const postgres = percentile(
    ours.map(({ postgresUs }) => postgresUs),
    QUIET_SHARE,
  )
  const title = `storage, ${name}`
  const figures: Figure[] = [{ name: title, value: rate(ours), unit, reference: { name: PLAIN, value: rate(theirs) } }]
  if (Number.isNaN(node(ours))) return figures
  return [
    ...figures,
    {
      name: `${title}: processor time of Node per ${each}`,
      value: node(ours),
      unit: 'µs',
      reference: { name: PLAIN, value: node(theirs) },
    },
    { name: `${title}: processor time of Postgres per ${each}`, value: postgres, unit: 'µs' },
  ]
}

async function benchLarge(ours: Target, theirs: Target): Promise<Figure[]> {
  const meters = { ours: await startProcessorMeter(ours), theirs: await startProcessorMeter(theirs) }
  const done = {
    PUT: { ours: [] as Done[], theirs: [] as Done[] },
    GET: { ours: [] as Done[], theirs: [] as Done[] },
  }
  for (let round = 0; round < LARGE_ROUNDS; round++) {
    for (const method of ['PUT', 'GET'] as const) {
      done[method].theirs.push(await measureDone(meters.theirs, () => sendLarge(theirs, method)))
      done[method].ours.push(await measureDone(meters.ours, () => sendLarge(ours, method)))
    }
  }
  return (['PUT', 'GET'] as const).flatMap((method) => {
    const name = `${LARGE_BYTES / MB} MB ${method === 'PUT' ? 'up' : 'down'}`
    return figuresOf(name, 'MB/s', 'MB', done[method].ours, done[method].theirs)
  })
}

async function sendLarge(
  target: Target,
  method: 'GET' | 'PUT',
): Promise<{ readonly rate: number; readonly count: number }> {
  const began = performance.now()
  await transfer({ ...target, path: target.pathOf('large'), method, bytes: LARGE_BYTES })
  const count = LARGE_BYTES / MB
  return { rate: count / ((performance.now() - began) / 1_000), count }
}

/** Files of 10 kB. */
async function benchSmall(ours: Target, theirs: Target): Promise<Figure[]> {
  for (const target of [ours, theirs])
    await transfer({ ...target, path: target.pathOf('small'), method: 'PUT', bytes: SMALL.length })
  let count = 0
  const get = (target: Target) => (): LoadRequest => ({
    method: 'GET',
    path: target.pathOf('small'),
    headers: target.headers,
  })
  const post = (target: Target) => (): LoadRequest => ({
    method: 'POST',
    path: target.pathOf(`small-${count++}`),
    headers: target.headers,
    body: SMALL,
  })
  const open = (): LoadRequest => ({ method: 'GET', path: '/storage/v1/object/public/open/small', headers: {} })
  const cases = [
    { name: 'small public files down', ours: open, theirs: get(theirs) },
    { name: 'small files of a person down', ours: get(ours), theirs: get(theirs) },
    { name: 'small files of a person up', ours: post(ours), theirs: post(theirs) },
  ]
  const meters = { ours: await startProcessorMeter(ours), theirs: await startProcessorMeter(theirs) }
  const figures: Figure[] = []
  for (const one of cases) {
    for (const connections of CONNECTIONS) {
      const load = async (url: string, next: () => LoadRequest) => {
        const { rate } = await measureLoad({ url, connections, seconds: SECONDS, next })
        return { rate, count: rate * SECONDS }
      }
      const done = { ours: [] as Done[], theirs: [] as Done[] }
      for (let round = 0; round < ROUNDS; round++) {
        done.theirs.push(await measureDone(meters.theirs, () => load(theirs.url, one.theirs)))
        done.ours.push(await measureDone(meters.ours, () => load(ours.url, one.ours)))
      }
      const name = `${one.name}, ${connections} ${connections === 1 ? 'connection' : 'connections'}`
      figures.push(...figuresOf(name, '/s', 'file', done.ours, done.theirs))
    }
  }
  return figures
}

/** Transformed images: each of a different size, and images that were transformed before. */
async function benchPictures(ours: Target): Promise<Figure[]> {
  const path = (width: number): string => `/storage/v1/render/image/public/open/picture?width=${width}`
  const drawn = sized(60)
  const draw = async (width: number): Promise<void> => {
    const answer = await fetch(ours.url + path(width), { headers: { accept: 'image/webp' } })
    if (!answer.ok) throw new Error(`an image was not drawn: ${answer.status} ${await answer.text()}`)
    await answer.arrayBuffer()
  }
  await draw(399) // loads the library
  const began = performance.now()
  let next = 0
  await Promise.all(
    [1, 2].map(async () => {
      while (next < drawn) await draw(400 + next++)
    }),
  )
  const rate = drawn / ((performance.now() - began) / 1_000)
  const kept = await measureLoad({
    url: ours.url,
    connections: 16,
    seconds: SECONDS,
    next: () => ({ method: 'GET', path: path(400), headers: { accept: 'image/webp' } }),
  })
  const of = `${PICTURE.width} × ${PICTURE.height} to a width of 400 and more`
  return [
    { name: `storage, images drawn, ${of}`, value: rate, unit: '/s' },
    { name: 'storage, images that have been drawn, 16 connections', value: kept.rate, unit: '/s' },
  ]
}
