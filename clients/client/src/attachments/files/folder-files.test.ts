import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fileStoreCases } from './file-store-cases.test-support.ts'
import { folderFiles } from './folder-files.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'holdfast-files-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('a folder of files', () => {
  test.each(fileStoreCases)('$title', ({ run }) => run(folderFiles(folder)))

  test('leaves alone what the system puts into folders', async () => {
    const store = await folderFiles(folder)('dana')
    await store.write('photo', new Blob(['x']))
    writeFileSync(join(folder, 'dana', '.DS_Store'), '')
    expect(await store.list()).toMatchObject([{ name: 'photo' }])
  })

  test('does not take the id of a person for a path', async () => {
    await expect(folderFiles(folder)('../dana')).rejects.toThrow('not a valid name')
  })
})
