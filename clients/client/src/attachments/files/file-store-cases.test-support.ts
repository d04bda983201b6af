import type { FileStore } from './file-store.ts'

/** Test that every file store must pass. Runs in Node and, without a test runner, in browsers. */
export interface FileStoreCase {
  readonly title: string
  /** @param open - reopens a user's store, as after a restart */
  readonly run: (open: (userId: string) => Promise<FileStore>) => Promise<void>
}

const DANA = 'dana-0001'
const MINA = 'mina-0002'

export const fileStoreCases: readonly FileStoreCase[] = [
  {
    title: 'gives back what was written, also after it was opened again',
    run: async (open) => {
      const size = await (await open(DANA)).write('a1', new Blob(['hello ', 'world']))
      equal(size, 11)
      equal(await text(await open(DANA), 'a1'), 'hello world')
    },
  },
  {
    title: 'writes what a stream brings, in many pieces',
    run: async (open) => {
      const store = await open(DANA)
      const piece = new Uint8Array(70_000).fill(7)
      let left = 40
      const stream = new ReadableStream<Uint8Array>({
        pull: (controller) => (left-- > 0 ? controller.enqueue(piece) : controller.close()),
      })
      equal(await store.write('a2', stream), 2_800_000)
      const bytes = await store.read('a2')
      equal(bytes?.size, 2_800_000)
      equal(new Uint8Array((await bytes?.slice(2_799_999).arrayBuffer()) ?? new ArrayBuffer(0))[0], 7)
    },
  },
  {
    title: 'has nothing of a stream that broke',
    run: async (open) => {
      const store = await open(DANA)
      const broken = new ReadableStream<Uint8Array>({
        pull(controller) {
          controller.enqueue(new Uint8Array(10))
          controller.error(new Error('cut'))
        },
      })
      equal(await store.write('a3', broken).catch((error: Error) => error.message), 'cut')
      equal(await store.read('a3'), undefined)
      equal((await store.list()).length, 0)
    },
  },
  {
    title: 'keeps an empty file',
    run: async (open) => {
      const store = await open(DANA)
      equal(await store.write('a4', new Blob([])), 0)
      equal((await store.read('a4'))?.size, 0)
    },
  },
  {
    title: 'deletes a file, and is content with one that is not there',
    run: async (open) => {
      const store = await open(DANA)
      await store.write('a5', new Blob(['x']))
      await store.remove('a5')
      await store.remove('a5')
      equal(await store.read('a5'), undefined)
    },
  },
  {
    title: 'lists the files, with size and time',
    run: async (open) => {
      const store = await open(DANA)
      await store.write('b1', new Blob(['12345']))
      const [file, ...others] = await store.list()
      equal(others.length, 0)
      equal(file?.name, 'b1')
      equal(file?.size, 5)
      equal(Math.abs(Date.now() - (file?.writtenAtMs ?? 0)) < 60_000, true)
    },
  },
  {
    title: 'shows one person nothing of another',
    run: async (open) => {
      await (await open(DANA)).write('c1', new Blob(['private']))
      const other = await open(MINA)
      equal(await other.read('c1'), undefined)
      equal((await other.list()).length, 0)
      await other.clear()
      equal(await text(await open(DANA), 'c1'), 'private')
    },
  },
  {
    title: 'deletes everything of a person',
    run: async (open) => {
      const store = await open(DANA)
      await store.write('d1', new Blob(['1']))
      await store.write('d2', new Blob(['2']))
      await store.clear()
      equal((await (await open(DANA)).list()).length, 0)
    },
  },
  {
    title: 'refuses names that could lead elsewhere',
    run: async (open) => {
      const store = await open(DANA)
      for (const name of ['../x', 'a/b', '', '.', 'a\0b']) {
        equal(
          await store.write(name, new Blob(['x'])).then(
            () => 'written',
            () => 'refused',
          ),
          'refused',
        )
        equal(
          await store.read(name).then(
            () => 'read',
            () => 'refused',
          ),
          'refused',
        )
      }
    },
  },
]

async function text(store: FileStore, name: string): Promise<string | undefined> {
  return (await store.read(name))?.text()
}

function equal(actual: unknown, expected: unknown): void {
  if (!Object.is(actual, expected)) throw new Error(`expected ${String(expected)}, got ${String(actual)}`)
}
