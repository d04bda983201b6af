import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort, openFunctionsWorld, type FunctionsWorld } from '@holdfast/test-support'

// Invariant: the process of a function lives as long as it has something to do, never longer than the wall clock, and is told before it ends.

const COUNTS = `
let calls = 0
Deno.serve(() => new Response(String(++calls)))`

const FILES = {
  'config.toml': ['idle', 'later', 'never', 'counts', 'inspected']
    .map((name) => `[functions.${name}]\nverify_jwt = false\n`)
    .join('\n'),
  'functions/idle/index.ts': `
addEventListener('beforeunload', (event) => console.log('idle is unloaded: ' + event.detail.reason))
Deno.serve(() => new Response('done'))`,
  'functions/later/index.ts': `
addEventListener('beforeunload', (event) => console.log('later is unloaded: ' + event.detail.reason))
Deno.serve(() => {
  EdgeRuntime.waitUntil(new Promise(() => {}))
  return new Response('at once')
})`,
  'functions/never/index.ts': `Deno.serve(() => new Promise(() => {}))`,
  'functions/counts/index.ts': COUNTS,
  'functions/inspected/index.ts': COUNTS,
}

async function processesOf(world: FunctionsWorld, name: string): Promise<number | undefined> {
  const answer = await fetch(world.url('_metrics'), {
    headers: { authorization: `Bearer ${world.holdfast.serviceRoleKey}` },
  })
  const { functions } = (await answer.json()) as {
    readonly functions: readonly { readonly function: string; readonly processes: number }[]
  }
  return functions.find((one) => one.function === name)?.processes
}

async function textOf(world: FunctionsWorld, name: string): Promise<string> {
  return await (await fetch(world.url(name))).text()
}

describe('a process', () => {
  let world: FunctionsWorld
  let inspector: string
  beforeAll(async () => {
    const port = await freePort()
    inspector = `http://127.0.0.1:${port}/json/list`
    world = await openFunctionsWorld(FILES, [
      '--functions-kept-s=1',
      '--functions-wall-clock-s=6',
      '--functions-inspect=inspected',
      `--functions-inspect-port=${port}`,
    ])
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('serves many requests, and a change of the policy gives each its own', async () => {
    expect(await textOf(world, 'counts')).toBe('1')
    expect(await textOf(world, 'counts')).toBe('2')
    world.write('config.toml', `[edge_runtime]\npolicy = "oneshot"\n${FILES['config.toml']}`)
    // The change has been seen once a second call in a row begins to count again.
    await expect.poll(async () => [await textOf(world, 'counts'), await textOf(world, 'counts')]).toEqual(['1', '1'])
    world.write('config.toml', FILES['config.toml'])
    await expect.poll(async () => [await textOf(world, 'counts'), await textOf(world, 'counts')]).toEqual(['1', '2'])
  })

  test('ends when it is idle, but not before its promises of waitUntil or the wall clock, each told by beforeunload', async () => {
    const never = fetch(world.url('never'))
    expect(await textOf(world, 'later')).toBe('at once')
    expect(await textOf(world, 'idle')).toBe('done')
    await expect.poll(() => processesOf(world, 'idle')).toBe(0)
    await expect.poll(() => world.holdfast.log()).toContain('idle is unloaded: early_drop')
    await expect.poll(() => processesOf(world, 'later')).toBe(0)
    await expect.poll(() => world.holdfast.log()).toContain('later is unloaded: wall_clock')
    expect(world.holdfast.log()).not.toContain('later is unloaded: early_drop')

    const answer = await never
    expect(answer.status).toBe(546)
    expect(await answer.json()).toMatchObject({ code: 'WORKER_LIMIT' })

    // All of this time has not ended the one that a person looks into.
    expect(await processesOf(world, 'inspected')).toBe(1)
  })

  test('with an inspector has it from the start, and again after a change', async () => {
    const targets = async (): Promise<number | undefined> => {
      const answer = await fetch(inspector).catch(() => undefined)
      return ((await answer?.json()) as readonly unknown[] | undefined)?.length
    }
    await expect.poll(targets).toBe(1)
    world.write('functions/inspected/index.ts', `Deno.serve(() => new Response('changed'))`)
    await expect.poll(() => textOf(world, 'inspected')).toBe('changed')
    await expect.poll(targets).toBe(1)
  })
})
