import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { copyFolder } from '@holdfast/test-support'

const SQLITE_HEADER = 'SQLite format 3\0'

/**
 * Copies a profile as another device: the server takes a change that has the client id and the number of one it knows for that change.
 *
 * @param to - an empty folder
 */
export async function copyProfile(from: string, to: string): Promise<void> {
  await copyFolder(`${from}/.`, to) // its content
  const entries = await readdir(join(to, 'Default', 'File System'), { recursive: true, withFileTypes: true })
  const databases = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(isDatabase)
  if (databases.length !== 1) throw new Error(`${from} has ${databases.length} local databases instead of one`)
  for (const path of databases) {
    using database = new DatabaseSync(path)
    const { changes } = database.prepare(`update ps_kv set value = ? where key = 'client_id'`).run(randomUUID())
    if (changes !== 1) throw new Error(`${path} has no client id`)
  }
}

/** The browser's private files have numbers for names. */
function isDatabase(path: string): boolean {
  const head = Buffer.alloc(SQLITE_HEADER.length)
  const file = openSync(path, 'r')
  try {
    return readSync(file, head) === head.length && head.toString('latin1') === SQLITE_HEADER
  } finally {
    closeSync(file)
  }
}
