import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Returns the id of the folder in which this server keeps upload parts, creating it if missing. Servers that share the folder share id and parts. A backup has
 * the id but no parts.
 */
export async function readServerId(folder: string): Promise<string> {
  const path = join(folder, 'server-id')
  const known = await readId(path)
  if (known !== undefined) return known
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const temporary = `${path}.${randomUUID()}`
  {
    await using file = await open(temporary, 'wx', 0o600)
    await file.writeFile(`${randomUUID()}\n`)
    await file.sync()
  }
  // If two servers start at once, the first wins.
  await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(temporary, { force: true })
  return (await readFile(path, 'utf8')).trim()
}

async function readId(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim() || undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
