import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { watchFiles } from './watch-files.ts'

test('a folder that comes later, its files, and those beside it are seen, and after the end none is', async () => {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-watch-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [folder, seed] = [join(root, 'migrations'), join(root, 'seed.sql')]
  const isSeed = (name: string): boolean => name.startsWith('seed')
  let changes = 0
  const watching = watchFiles(
    folder,
    () =>
      readdirSync(root)
        .filter(isSeed)
        .map((name) => join(root, name)),
    async () => void changes++,
  )
  const sees = async (change: () => void): Promise<void> => {
    const before = changes
    change()
    await expect.poll(() => changes, { timeout: 20_000 }).toBe(before + 1)
  }
  await sees(() => {
    mkdirSync(folder)
    writeFileSync(join(folder, '1_one.sql'), 'select 1')
  })
  await sees(() => writeFileSync(join(folder, '1_one.sql'), 'select 12'))
  await sees(() => writeFileSync(seed, 'select 1'))
  await sees(() => writeFileSync(join(root, 'seed-2.sql'), 'select 1'))
  await sees(() => rmSync(join(folder, '1_one.sql')))
  await watching[Symbol.asyncDispose]()
  const after = changes
  writeFileSync(seed, 'select 123')
  const again = watchFiles(
    folder,
    () => [seed],
    async () => undefined,
  )
  await again[Symbol.asyncDispose]()
  expect(changes).toBe(after)
})

test('a file that cannot be looked at is one that changed, and the others are followed on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-watch-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  let changes = 0
  await using _ = watchFiles(
    folder,
    () => [],
    async () => void changes++,
  )
  symlinkSync('1_itself.sql', join(folder, '1_itself.sql'))
  await expect.poll(() => changes, { timeout: 20_000 }).toBe(1)
  writeFileSync(join(folder, '2_two.sql'), 'select 1')
  await expect.poll(() => changes, { timeout: 20_000 }).toBe(2)
})
