import { readFile } from 'node:fs/promises'
import type { Holdfast } from '@holdfast/test-support'
import { measureLoad, type Load, type LoadRequest } from './http-load.ts'
import { drawPicture } from './picture.ts'
import { median, type Figure } from './report.ts'
import { sized, sizedSeconds } from './size.ts'
import { startPlain } from './start-plain.ts'
import { mintToken } from './tokens.ts'
import { transfer } from './transfer.ts'

/** Taken in turn, so that what else the machine does meets both. */
const ROUNDS = sized(3)
const SECONDS = sizedSeconds(2)
const MB = 1_000_000
const LARGE_BYTES = sized(100) * MB
const SMALL = 'x'.repeat(10_000)
const CONNECTIONS = [1, 16]
const PICTURE = { width: 1_600, height: 1_200 }
const PERSON = 'bbbbbbbb-0000-4000-8000-000000000001'
const PLAIN = 'a bare Node file server'

/** Milliseconds between two looks at the memory. */
const LOOK_MS = 20

/** Files of a person under a policy as projects write it. */
const POLICY = `
  create policy "own folder" on storage.objects for all to authenticated
    using (bucket_id = 'files' and (storage.foldername(name))[1] = (select auth.uid()::text))
    with check (bucket_id = 'files' and (storage.foldername(name))[1] = (select auth.uid()::text))`

/** Of one of the two that are compared. */
interface Target {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Of a file. */
  readonly pathOf: (name: string) => string
}

/** Bytes up and down, memory while they pass, small files by the second, and drawn images; beside a static file server without rights, rows and `fsync`. */
export async function benchStorage(holdfast: Holdfast): Promise<Figure[]> {
  await prepare(holdfast)
  await using plain = await startPlain(new URL('plain-files.ts', import.meta.url), '')
  const person = { apikey: holdfast.anonKey, authorization: `Bearer ${mintToken(holdfast.jwtSecret, PERSON)}` }
  const ours: Target = {
    url: holdfast.url,
    headers: { ...person, 'content-type': 'text/plain', 'x-upsert': 'true' },
    pathOf: (name) => `/storage/v1/object/files/${PERSON}/${name}`,
  }
  const theirs: Target = { url: plain.url, headers: { 'content-type': 'text/plain' }, pathOf: (name) => `/${name}` }
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
    let most = 0
    const looking = setInterval(() => {
      void residentMb(holdfast.pid()).then((now) => (most = Math.max(most, now ?? 0)))
    }, LOOK_MS)
    await transfer({ ...target, path: target.pathOf('large'), method, bytes: LARGE_BYTES })
    clearInterval(looking)
    const now = (await residentMb(holdfast.pid())) ?? Number.NaN
    figures.push({
      name: `storage, memory at most while ${LARGE_BYTES / MB} MB ${method === 'PUT' ? 'come up' : 'go down'}`,
      value: Math.max(most, now),
      unit: 'MB',
    })
  }
  return figures
}

/** @returns `undefined` where there is no `/proc` */
async function residentMb(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  return kilobytes === undefined ? undefined : (Number(kilobytes) * 1_024) / MB
}

async function benchLarge(ours: Target, theirs: Target): Promise<Figure[]> {
  const rates = {
    PUT: { ours: [] as number[], theirs: [] as number[] },
    GET: { ours: [] as number[], theirs: [] as number[] },
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const method of ['PUT', 'GET'] as const) {
      rates[method].theirs.push(await rateOf(theirs, method))
      rates[method].ours.push(await rateOf(ours, method))
    }
  }
  return (['PUT', 'GET'] as const).map((method) => ({
    name: `storage, ${LARGE_BYTES / MB} MB ${method === 'PUT' ? 'up' : 'down'}`,
    value: median(rates[method].ours),
    unit: 'MB/s',
    reference: { name: PLAIN, value: median(rates[method].theirs) },
  }))
}

async function rateOf(target: Target, method: 'GET' | 'PUT'): Promise<number> {
  const began = performance.now()
  await transfer({ ...target, path: target.pathOf('large'), method, bytes: LARGE_BYTES })
  return LARGE_BYTES / MB / ((performance.now() - began) / 1_000)
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
  const figures: Figure[] = []
  for (const one of cases) {
    for (const connections of CONNECTIONS) {
      const measured = { ours: [] as Load[], theirs: [] as Load[] }
      for (let round = 0; round < ROUNDS; round++) {
        measured.theirs.push(await measureLoad({ url: theirs.url, connections, seconds: SECONDS, next: one.theirs }))
        measured.ours.push(await measureLoad({ url: ours.url, connections, seconds: SECONDS, next: one.ours }))
      }
      const rate = (loads: readonly Load[]): number => median(loads.map((load) => load.rate))
      figures.push({
        name: `storage, ${one.name}, ${connections} ${connections === 1 ? 'connection' : 'connections'}`,
        value: rate(measured.ours),
        unit: '/s',
        reference: { name: PLAIN, value: rate(measured.theirs) },
      })
    }
  }
  return figures
}

/** Images that are drawn, each another size, and images that have been drawn. */
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
