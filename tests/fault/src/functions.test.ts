import { readdirSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { request } from 'node:http'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFunctionsWorld, type FunctionsWorld } from '@holdfast/test-support'

// Invariant: whatever a function does costs that function only. Who called it is told what happened, those that are called beside it go on, the next call of it gets a process
// that works, and no process outlives the server.

const FILES = {
  'config.toml': [
    'loop',
    'heap',
    'buffers',
    'exit',
    'outside',
    'hangs',
    'cut',
    'fine',
    'flood',
    'disk',
    'reads',
    'linked',
  ]
    .map((name) => `[functions.${name}]\nverify_jwt = false\n`)
    .join('\n'),
  'functions/loop/index.ts': `
Deno.serve((request) => {
  if (request.method === 'GET') return new Response('fine')
  console.log('it loops')
  for (;;) {}
})`,
  'functions/heap/index.ts': `
const all: unknown[] = []
Deno.serve((request) => {
  if (request.method === 'GET') return new Response('fine')
  for (;;) all.push(new Array(1_000).fill(Math.random()))
})`,
  'functions/buffers/index.ts': `
const all: Uint8Array[] = []
Deno.serve(async (request) => {
  if (request.method === 'GET') return new Response('fine')
  for (;;) {
    all.push(new Uint8Array(8_000_000).fill(1))
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
})`,
  'functions/exit/index.ts': `
Deno.serve((request) => {
  if (request.method === 'GET') return new Response('fine')
  Deno.exit(3)
})`,
  'functions/outside/index.ts': `
Deno.serve((request) => {
  if (request.method === 'GET') return new Response('fine')
  setTimeout(() => { throw new Error('outside of a request') })
  return new Promise(() => {})
})`,
  'functions/hangs/index.ts': `Deno.serve(() => new Promise(() => {}))`,
  'functions/cut/index.ts': `
Deno.serve((request) => {
  if (request.method === 'GET') return new Response('fine')
  return new Response(new ReadableStream({
    start(controller) { controller.enqueue(new TextEncoder().encode('the beginning')) },
    pull() { return new Promise(() => setTimeout(() => Deno.exit(1), 50)) },
  }))
})`,
  'functions/fine/index.ts': `
Deno.serve(async (request) => {
  const wait = Number(new URL(request.url).searchParams.get('wait') ?? 0)
  if (wait > 1_000) console.log('it waits')
  await new Promise((resolve) => setTimeout(resolve, wait))
  return new Response('before')
})`,
  'functions/disk/index.ts': `
Deno.serve(async (request) => {
  if (request.method === 'GET') return new Response('fine')
  const kind = new URL(request.url).searchParams.get('kind')
  const chunk = new Uint8Array(8 * 1024 * 1024).fill(1)
  const open: Deno.FsFile[] = []
  if (kind === 'one') open.push(await Deno.create(await Deno.makeTempFile()))
  for (let count = 0; count < (kind === 'many' ? 15_000 : 75); count++) {
    if (kind === 'one') await open[0].write(chunk)
    else {
      const path = await Deno.makeTempFile()
      if (kind === 'many') continue
      await Deno.writeFile(path, chunk)
      if (kind === 'deleted') {
        open.push(await Deno.open(path))
        await Deno.remove(path)
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  return new Response('it wrote all')
})`,
  'functions/reads/index.ts': `
Deno.serve(async (request) => {
  const path = new URL(request.url).searchParams.get('path')
  try {
    return new Response(await Deno.readTextFile(new URL(path, import.meta.url)))
  } catch (error) {
    return new Response(error.name)
  }
})`,
  'functions/linked/index.ts': `Deno.serve(() => new Response('linked'))`,
  'functions/.env.production': 'KEY=secret',
  'functions/flood/index.ts': `
Deno.serve(() => new Response(new ReadableStream({
  pull(controller) { controller.enqueue(new Uint8Array(65_536)) },
})))`,
}

/** The processes of functions of a project, from the paths in their command lines. */
function processesOf({ folder }: FunctionsWorld): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder) && isDeno(pid)
      } catch {
        return false // it has ended
      }
    })
}

function isDeno(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('bootstrap.js')
}

async function codeOf(answer: Response): Promise<string> {
  return ((await answer.json()) as { readonly code: string }).code
}

describe('a function that', () => {
  let world: FunctionsWorld
  let hanging: Promise<Response>
  beforeAll(async () => {
    world = await openFunctionsWorld(FILES, [
      '--functions-memory-mb=128',
      '--functions-cpu-ms=500',
      '--functions-idle-timeout-s=15',
    ])
    hanging = fetch(world.url('hangs'))
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test.each([
    ['computes without end', 'loop', 546, 'WORKER_LIMIT'],
    ['fills its heap', 'heap', 546, 'WORKER_LIMIT'],
    ['fills buffers', 'buffers', 546, 'WORKER_LIMIT'],
    ['ends its process', 'exit', 500, 'WORKER_ERROR'],
    ['throws outside of a request', 'outside', 500, 'WORKER_ERROR'],
  ])('%s is ended, and serves again', async (_what, name, status, code) => {
    const answer = await fetch(world.url(name), { method: 'POST' })
    expect(answer.status).toBe(status)
    expect(await codeOf(answer)).toBe(code)
    expect(await (await fetch(world.url('fine'))).text()).toBe('before')
    expect(await (await fetch(world.url(name))).text()).toBe('fine')
  })

  test.each([
    ['a file', 'one'],
    ['files', 'several'],
    ['deleted files that are open', 'deleted'],
    ['very many empty files', 'many'],
  ])('fills the disk with %s is ended with the reason, and its folder is removed', async (_what, kind) => {
    const reason = 'the process of function disk has ended: its temporary folder exceeded 256 MiB'
    const before = world.holdfast.log().split(reason).length
    const answer = await fetch(world.url(`disk?kind=${kind}`), { method: 'POST' })
    expect([answer.status, await codeOf(answer)]).toEqual([546, 'WORKER_LIMIT'])
    expect(world.holdfast.log().split(reason).length).toBe(before + 1)
    expect(await (await fetch(world.url('disk'))).text()).toBe('fine')
    for (const pid of processesOf(world)) {
      const files = readdirSync(join(readlinkSync(`/proc/${pid}/cwd`), 'tmp'))
      expect(files).toEqual([])
    }
  })

  test('reads files of the project reads no dotenv file and no link outside, also ones that appear later', async () => {
    const read = async (path: string): Promise<string> =>
      await (await fetch(world.url(`reads?path=${encodeURIComponent(path)}`))).text()
    expect(await read('./index.ts')).toContain('Deno.serve')
    expect(await read('../.env.production')).toBe('NotCapable')
    world.write('functions/_shared/.env.staging', 'KEY=secret')
    await expect.poll(() => read('../_shared/.env.staging')).toBe('NotCapable')
    symlinkSync('/etc/hostname', join(world.folder, 'functions/_shared/link'))
    await expect.poll(() => read('../_shared/link')).toBe('NotCapable')
    await expect.poll(() => world.holdfast.log()).toContain('functions cannot read through a link')

    expect((await fetch(world.url('linked'))).status).toBe(200)
    const link = join(world.folder, 'functions/linked/hostname')
    symlinkSync('/etc/hostname', link)
    await expect.poll(async () => (await fetch(world.url('linked'))).status).toBe(404)
    expect(world.holdfast.log()).toContain(`the function linked is not served: the link ${link} leads to /etc/hostname`)
    rmSync(link)
    await expect.poll(async () => (await fetch(world.url('linked'))).status).toBe(200)
  })

  test('dies in the middle of an answer cuts it, rather than end it', async () => {
    const answer = await fetch(world.url('cut'), { method: 'POST' })
    await expect(answer.text()).rejects.toThrow()
    expect(await (await fetch(world.url('cut'))).text()).toBe('fine')
  })

  test('crashes under load costs the requests that it had, and no other', async () => {
    const beside = Array.from({ length: 50 }, () => fetch(world.url('fine')))
    const crashed = await Promise.all([
      ...Array.from({ length: 20 }, () => fetch(world.url('exit'))),
      fetch(world.url('exit'), { method: 'POST' }),
      ...Array.from({ length: 20 }, () => fetch(world.url('exit'))),
    ])
    for (const { status } of crashed) expect([200, 500]).toContain(status)
    for (const answer of beside) expect(await (await answer).text()).toBe('before')
  })

  test('gets 1,000 requests at once answers each, or says when to try again', async () => {
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => fetch(world.url('fine'))))
    const served = answers.filter(({ status }) => status === 200)
    expect(served.length).toBeGreaterThanOrEqual(256)
    for (const answer of answers) {
      const text = await answer.text()
      if (answer.status === 200) expect(text).toBe('before')
      else expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    }
  })

  test('is sent to a reader that does not read waits for it', async () => {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const asked = request(world.url('flood'), (answer) => {
      answer.pause()
      resolve(answer.statusCode ?? 0)
    })
    asked.once('error', reject)
    asked.end()
    expect(await promise).toBe(200)
    // It would have filled its memory by now, or the server's, if it did not wait.
    for (let round = 0; round < 20; round++)
      expect(await (await fetch(world.url('fine?wait=20'))).text()).toBe('before')
    expect(world.holdfast.log()).not.toContain('the process of the function flood has ended')
    asked.removeAllListeners('error').on('error', () => undefined)
    asked.destroy()
  })

  test('changes under load answers old requests with the old code, and new ones with the new', async () => {
    const old = fetch(world.url('fine?wait=1500'))
    await expect.poll(() => world.holdfast.log()).toContain('it waits')
    world.write('functions/fine/index.ts', `Deno.serve(() => new Response('after'))`)
    await expect.poll(() => fetch(world.url('fine')).then((answer) => answer.text())).toBe('after')
    expect(await (await old).text()).toBe('before')
  })

  test('does not answer is given up, with its reason', async () => {
    const answer = await hanging
    expect(answer.status).toBe(504)
    expect(await codeOf(answer)).toBe('IDLE_TIMEOUT')
  })
})

describe('processes of functions', () => {
  test('end with a server that is killed, also while they compute, and are of another user than root', async () => {
    await using world = await openFunctionsWorld(FILES, ['--functions-cpu-ms=3600000'])
    expect(await (await fetch(world.url('fine'))).text()).toBe('before')
    const looping = fetch(world.url('loop'), { method: 'POST' }).catch(() => undefined)
    await expect.poll(() => world.holdfast.log()).toContain('it loops')
    const processes = processesOf(world)
    expect(processes.length).toBeGreaterThanOrEqual(2)
    for (const pid of processes) {
      expect(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]).not.toBe('0')
      expect(statSync(dirname(readlinkSync(`/proc/${pid}/cwd`))).mode & 0o777).toBe(0o700)
    }

    await world.holdfast.kill9()
    await looping
    await expect.poll(() => processesOf(world)).toEqual([])
  })
})
