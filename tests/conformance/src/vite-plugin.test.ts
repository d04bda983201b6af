import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyInitializedFolder } from '@holdfast/test-support'

// The real Vite in a project of its own. The tests build on each other, in order.

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'holdfast-vite-'))
const migrations = join(folder, 'supabase/migrations')
const CONFIG = `
import { holdfast } from ${JSON.stringify(join(ROOT, 'server/dist/vite/plugin.js'))}
export default { plugins: [holdfast({ types: 'src/types.ts', args: ['--port=0', '--db-port=0'] })], server: { host: '127.0.0.1', port: 0 } }
`

let vite: ChildProcess
let output = ''
beforeAll(async () => {
  mkdirSync(migrations, { recursive: true })
  writeFileSync(join(folder, 'vite.config.mjs'), CONFIG)
  writeFileSync(join(folder, 'index.html'), '<script type="module" src="/main.js"></script>')
  writeFileSync(join(folder, 'main.js'), 'console.log(import.meta.env.VITE_SUPABASE_URL)')
  writeFileSync(join(folder, '.env'), 'VITE_SUPABASE_URL=https://hosted.example')
  await copyInitializedFolder(join(folder, '.holdfast'), { sample: false })
  vite = spawn(process.execPath, [join(ROOT, 'node_modules/vite/bin/vite.js')], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Keeps Vitest's variables from the app.
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1' },
  })
  for (const stream of [vite.stdout, vite.stderr]) stream?.on('data', (data: Buffer) => (output += data.toString()))
})
afterAll(() => {
  vite?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

/** Vite's current address: a restart may choose another port. */
function address(): string | undefined {
  return [...output.matchAll(/Local:\s+(http:\/\/127\.0\.0\.1:\d+)/g)].at(-1)?.[1]
}

async function backendUrl(): Promise<string | undefined> {
  const base = address()
  if (base === undefined) return undefined
  const text = await (await fetch(`${base}/main.js`)).text()
  return /"VITE_SUPABASE_URL": ?"([^"]+)"/.exec(text)?.[1]
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function serverPid(): number {
  return (JSON.parse(readFileSync(join(folder, '.holdfast/running.json'), 'utf8')) as { pid: number }).pid
}

test('the app finds the server in its environment, which overrides its .env file', async () => {
  await expect.poll(() => address(), { message: output }).toBeDefined()
  const url = await backendUrl()
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect((await (await fetch(`${url}/health`)).json()) as object).toMatchObject({ ok: true })
})

test('a failing migration is shown over the page with its line until it is fixed', async () => {
  const client = await (await fetch(`${address()}/@vite/client`)).text()
  const token = /wsToken = "([^"]+)"/.exec(client)?.[1] ?? ''
  const socket = new WebSocket(`${address()?.replace('http', 'ws')}/?token=${token}`, 'vite-hmr')
  const messages: string[] = []
  socket.addEventListener('message', ({ data }) => void messages.push(String(data)))
  await expect.poll(() => messages).toContain('{"type":"connected"}')
  writeFileSync(join(migrations, '1_notes.sql'), 'select 1;\nselect nothing from nowhere;')
  await expect.poll(() => messages.at(-1)).toMatch(/"type":"error".*1_notes\.sql, line 2: /)
  writeFileSync(join(migrations, '1_notes.sql'), 'create table public.notes (id int primary key);')
  await expect.poll(() => messages).toContain('{"type":"full-reload"}')
  expect(readFileSync(join(folder, 'src/types.ts'), 'utf8')).toContain('notes: {')
  socket.close()
})

test('restarting Vite keeps the server', async () => {
  const [pid, url] = [serverPid(), await backendUrl()]
  writeFileSync(join(folder, 'vite.config.mjs'), `${CONFIG}\n// changed`)
  await expect.poll(() => output).toContain('server restarted')
  await expect.poll(backendUrl).toBe(url)
  expect(serverPid()).toBe(pid)
  expect((await fetch(`${url}/health`)).status).toBe(200)
})

test('the server ends with Vite, even if Vite is killed', async () => {
  const [pid, url] = [serverPid(), await backendUrl()]
  vite.kill('SIGKILL')
  await expect
    .poll(() =>
      fetch(`${url}/health`).then(
        () => 'answers',
        () => 'is gone',
      ),
    )
    .toBe('is gone')
  // With its Postgres, which it stops last.
  await expect.poll(() => isAlive(pid)).toBe(false)
})
