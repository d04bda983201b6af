import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import type { SupabaseClient } from '@supabase/supabase-js'
import { openHoldfast } from '@holdfast/test-support'
import { folderOf } from './storage-world.ts'

/* Runs the SQL and the code of the guide exactly as printed. */

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PAGE = readFileSync(join(ROOT, 'docs/guides/files-with-supabase-js.md'), 'utf8')

interface Calls {
  upload(supabase: SupabaseClient, path: string, file: Blob): Promise<string>
  uploadLarge(
    supabase: SupabaseClient,
    url: string,
    path: string,
    file: Blob,
    onProgress: (share: number) => void,
  ): Promise<void>
  addressFor(supabase: SupabaseClient, path: string): Promise<string>
  download(supabase: SupabaseClient, path: string): Promise<Blob>
  list(supabase: SupabaseClient, folder: string): Promise<unknown>
  remove(supabase: SupabaseClient, paths: string[]): Promise<void>
}

function block(language: string): string {
  const found = new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(PAGE)?.[1]
  if (found === undefined) throw new Error(`the page has a block of ${language}`)
  return found
}

/** Loads the guide's code from a folder in the repository, so that its packages resolve. */
async function loadCalls(): Promise<Calls & Disposable> {
  mkdirSync(join(ROOT, 'tests/conformance/.cache'), { recursive: true })
  const folder = mkdtempSync(join(ROOT, 'tests/conformance/.cache/guide-'))
  writeFileSync(join(folder, 'files.ts'), block('ts'))
  const calls = (await import(pathToFileURL(join(folder, 'files.ts')).href)) as Calls
  return { ...calls, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
}

test('the guide to files with supabase-js works: small, large, shown, listed, deleted, and hidden from other users', async () => {
  await using holdfast = await openHoldfast()
  using calls = await loadCalls()
  await holdfast.admin.withClient((client) => client.query(block('sql')))
  const signUp = async (name: string): Promise<SupabaseClient> => {
    const client = await holdfast.supabase()
    const { error } = await client.auth.signUp({ email: `${name}@example.org`, password: 'correct horse battery' })
    expect(error).toBeNull()
    return client
  }
  const alice = await signUp('alice')
  const folder = await folderOf(alice)

  const note = new Blob(['Valve 7 leaks.'], { type: 'text/plain' })
  expect(await calls.upload(alice, `${folder}/note.txt`, note)).toBe(`${folder}/note.txt`)
  // tus-js-client accepts no Blob in Node.
  const scan = Object.assign(Buffer.alloc(7 * 1_048_576, 7), { type: 'application/pdf' })
  const shares: number[] = []
  await calls.uploadLarge(alice, holdfast.url, `${folder}/scan.pdf`, scan as unknown as Blob, (share) =>
    shares.push(share),
  )
  expect(shares.at(-1)).toBe(1)

  expect(await (await calls.download(alice, `${folder}/note.txt`)).text()).toBe('Valve 7 leaks.')
  expect((await calls.download(alice, `${folder}/scan.pdf`)).size).toBe(scan.length)
  const shown = await fetch(await calls.addressFor(alice, `${folder}/note.txt`))
  expect([shown.status, await shown.text()]).toEqual([200, 'Valve 7 leaks.'])
  expect(await calls.list(alice, folder)).toEqual([
    { name: 'note.txt', size: note.size },
    { name: 'scan.pdf', size: scan.length },
  ])

  const bob = await signUp('bob')
  await expect(calls.download(bob, `${folder}/note.txt`)).rejects.toThrow('Object not found')
  await expect(calls.upload(bob, `${folder}/note.txt`, note)).rejects.toThrow(/row-level security/)
  await calls.remove(alice, [`${folder}/note.txt`, `${folder}/scan.pdf`])
  expect(await calls.list(alice, folder)).toEqual([])
})
