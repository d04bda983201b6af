import { readAllBytes } from './read-all-bytes.ts'
import { assertFileName, type FileStore, type OpenFileStore, type StoredFile } from './file-store.ts'

interface HeldFile extends StoredFile {
  readonly bytes: Blob
}

/** Keeps files in memory, for browsers that store nothing. They are lost with the page, like the database in that case. */
export function memoryFiles(): OpenFileStore {
  const people = new Map<string, FileStore>()
  return async (userId) => {
    const store = people.get(userId) ?? createStore(new Map())
    people.set(userId, store)
    return store
  }
}

function createStore(files: Map<string, HeldFile>): FileStore {
  return {
    async write(name, content) {
      assertFileName(name)
      const bytes = new Blob([await readAllBytes(content)])
      files.set(name, { name, bytes, size: bytes.size, writtenAtMs: Date.now() })
      return bytes.size
    },
    async read(name) {
      assertFileName(name)
      return files.get(name)?.bytes
    },
    async remove(name) {
      assertFileName(name)
      files.delete(name)
    },
    list: async () => [...files.values()].map(({ name, size, writtenAtMs }) => ({ name, size, writtenAtMs })),
    clear: async () => files.clear(),
  }
}
