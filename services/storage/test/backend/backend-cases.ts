import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Backend } from '../../src/backend/backend.ts'

export interface OpenedBackend extends AsyncDisposable {
  readonly backend: Backend
}

const MIB = 1024 * 1024

function md5(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`
}

/** Splits bytes into socket-sized chunks. */
function piecesOf(bytes: Buffer): Readable {
  return Readable.from(
    (function* pieces() {
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
    })(),
    { objectMode: false },
  )
}

/** Errors after `count` bytes. */
function broken(count: number): Readable {
  return Readable.from(
    (async function* bytes() {
      yield Buffer.alloc(count, 1)
      throw new Error('the client went away')
    })(),
    { objectMode: false },
  )
}

interface Tools {
  readonly backend: () => Backend
  readonly write: (bytes: Buffer) => Promise<string>
  readonly read: (version: string, range?: { from: number; to: number }) => Promise<Buffer | undefined>
  readonly versions: () => Promise<ReadonlyMap<string, number>>
}

/** Tests that every backend must pass. */
export function describeBackend(name: string, open: () => Promise<OpenedBackend>): void {
  describe(name, () => {
    let opened: OpenedBackend
    const backend = (): Backend => opened.backend

    beforeAll(async () => {
      opened = await open()
    })
    afterAll(() => opened[Symbol.asyncDispose]())

    const tools: Tools = {
      backend,
      async write(bytes) {
        const version = randomUUID()
        await backend().write(version, piecesOf(bytes))
        return version
      },
      async read(version, range) {
        const bytes = await backend().read(version, range)
        return bytes && buffer(bytes)
      },
      async versions() {
        const found = new Map<string, number>()
        for await (const { version, size } of backend().list()) found.set(version, size)
        return found
      },
    }
    describeBytes(tools)
    describeLifetimes(tools)
    describeNames(tools)
  })
}

function describeBytes({ backend, write, read }: Tools): void {
  test.each([
    ['no bytes', 0],
    ['one byte', 1],
    ['some pieces', 200_000],
    ['several MiB', 9 * MIB + 1],
  ])('gives back %s as they were written', async (_title, size) => {
    const bytes = randomBytes(size)
    const version = randomUUID()
    expect(await backend().write(version, piecesOf(bytes))).toEqual({ size, eTag: md5(bytes) })
    expect(await backend().sizeOf(version)).toBe(size)
    expect((await read(version))?.equals(bytes)).toBe(true)
  })

  test.each([
    ['the first byte', 0, 0],
    ['the middle', 70_000, 130_000],
    ['the last byte', 199_999, 199_999],
    ['all of it', 0, 199_999],
  ])('reads a range: %s', async (_title, from, to) => {
    const bytes = randomBytes(200_000)
    const version = await write(bytes)
    expect((await read(version, { from, to }))?.equals(bytes.subarray(from, to + 1))).toBe(true)
  })

  test('reads a short range at once, as far as there are bytes', async () => {
    const bytes = randomBytes(200_000)
    const version = await write(bytes)
    const part = async (from: number, to: number): Promise<Buffer | undefined> =>
      backend().readPart(version, { from, to })
    expect((await part(0, 9))?.equals(bytes.subarray(0, 10))).toBe(true)
    expect((await part(70_000, 130_000))?.equals(bytes.subarray(70_000, 130_001))).toBe(true)
    expect((await part(199_990, 200_100))?.equals(bytes.subarray(199_990))).toBe(true)
    expect(await backend().readPart(randomUUID(), { from: 0, to: 9 })).toBeUndefined()
  })

  test('copies a version, and either may go without the other', async () => {
    const bytes = randomBytes(100_000)
    const [first, second] = [await write(bytes), randomUUID()]
    expect(await backend().copy(first, second)).toBe(true)
    await backend().remove(first)
    expect(await backend().sizeOf(first)).toBeUndefined()
    expect((await read(second))?.equals(bytes)).toBe(true)
  })
}

function describeLifetimes({ backend, write, versions }: Tools): void {
  test('lists versions with their sizes, and none that was removed', async () => {
    const [kept, removed] = [await write(Buffer.alloc(10)), await write(Buffer.alloc(20))]
    await backend().remove(removed)
    const found = await versions()
    expect(found.get(kept)).toBe(10)
    expect(found.has(removed)).toBe(false)
  })

  test('leaves nothing of a write whose source failed, and says what the source said', async () => {
    for (const size of [100, 7 * MIB]) {
      const version = randomUUID()
      const source = broken(size)
      await expect(backend().write(version, source)).rejects.toThrow('the client went away')
      expect(source.destroyed).toBe(true)
      expect(await backend().sizeOf(version)).toBeUndefined()
      expect((await versions()).has(version)).toBe(false)
    }
    expect(await backend().removeUnfinished(Date.now() + 60_000)).toBe(0)
  })

  test('goes on reading a version that is removed meanwhile', async () => {
    const bytes = randomBytes(3 * MIB)
    const version = await write(bytes)
    const stream = await backend().read(version)
    if (!stream) throw new Error('it was written')
    const begun = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    const pieces: Buffer[] = []
    const first = await begun.next()
    if (first.done !== true) pieces.push(first.value)
    await backend().remove(version)
    for (let next = await begun.next(); next.done !== true; next = await begun.next()) pieces.push(next.value)
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
  })

  test('can be left before all is read', async () => {
    const version = await write(randomBytes(3 * MIB))
    for (let round = 0; round < 5; round++) {
      const stream = await backend().read(version)
      for await (const chunk of stream as AsyncIterable<Buffer>) if (chunk.length > 0) break
      expect(stream?.destroyed).toBe(true)
    }
    expect(await backend().sizeOf(version)).toBe(3 * MIB)
  })
}

function describeNames({ backend, versions }: Tools): void {
  test('knows no version that was not written', async () => {
    const version = randomUUID()
    expect(await backend().read(version)).toBeUndefined()
    expect(await backend().read(version, { from: 0, to: 10 })).toBeUndefined()
    expect(await backend().sizeOf(version)).toBeUndefined()
    expect(await backend().copy(version, randomUUID())).toBe(false)
    await backend().remove(version)
  })

  test('remembers the name that it was given', async () => {
    expect(await backend().readStoreId()).toBeUndefined()
    const id = randomUUID()
    await backend().writeStoreId(id)
    expect(await backend().readStoreId()).toBe(id)
    expect((await versions()).has(id)).toBe(false)
  })

  test('takes names of versions only', async () => {
    for (const name of ['../../etc/passwd', 'store-id', '', `${randomUUID()}/x`, randomUUID().toUpperCase()]) {
      await expect((async () => backend().read(name))()).rejects.toThrow('random versions')
      await expect((async () => backend().remove(name))()).rejects.toThrow('random versions')
      await expect(backend().write(name, piecesOf(Buffer.alloc(1)))).rejects.toThrow('random versions')
    }
  })
}
