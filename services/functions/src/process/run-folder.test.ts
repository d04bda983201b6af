import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openRunFolder } from './run-folder.ts'

function openHome(): string {
  const data = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  onTestFinished(() => rmSync(data, { recursive: true, force: true }))
  return join(data, 'functions')
}

test('only its owner enters the folder, and it goes with the server', () => {
  const folder = openRunFolder(openHome(), { owner: undefined })
  const made = folder.create('one')
  expect(statSync(dirname(made)).mode & 0o777).toBe(0o700)
  folder[Symbol.dispose]()
  expect(existsSync(dirname(made))).toBe(false)
})

test('a start ends the processes that a killed server has left, and deletes its folder', async () => {
  const home = openHome()
  const killed = openRunFolder(home, { owner: undefined })
  const made = killed.create('one')
  const child = spawn('sleep', ['600'])
  onTestFinished(() => void child.kill('SIGKILL'))
  const end = once(child, 'exit')
  killed.note(child.pid ?? 0)

  const next = openRunFolder(home, { owner: undefined })
  expect(await end).toEqual([null, 'SIGKILL'])
  expect(existsSync(dirname(made))).toBe(false)
  next[Symbol.dispose]()
})

test('a start deletes the folders of servers that are gone, on whatever data, and of no other', async () => {
  const [living, gone, elsewhere] = ['living', 'gone', 'elsewhere'].map((name) => {
    const folder = openRunFolder(openHome(), { owner: undefined })
    onTestFinished(() => folder[Symbol.dispose]())
    return dirname(folder.create(name))
  }) as [string, string, string]
  const child = spawn('true')
  await once(child, 'exit')
  const change = (folder: string, content: object): void => {
    const file = join(folder, 'server.json')
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...content }))
  }
  change(gone, { pid: child.pid })
  // As root, the folder belongs to the user of that server's functions.
  if (process.getuid?.() === 0) chownSync(gone, 60_999, 60_999)
  change(elsewhere, { pid: child.pid, namespace: 'pid:[1]' })

  using _next = openRunFolder(openHome(), { owner: undefined })
  expect([living, gone, elsewhere].map((folder) => existsSync(folder))).toEqual([true, false, true])
})
