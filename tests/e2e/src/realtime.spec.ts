import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { expect, test, type Page } from '@playwright/test'
import type { SupabaseClient } from '@supabase/supabase-js'
import { rolldown } from 'rolldown'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'

/*
 * Channels as a web app uses them: supabase-js, unmodified, with its own constants, in Chromium, whose WebSockets are not those of Node.
 */

const PASSWORD = 'correct horse battery'

/** Who has signed in may read the topic `team`; who leads the team may send to it. */
const POLICIES = `
  create policy "read" on realtime.messages for select to authenticated using (realtime.topic() = 'team');
  create policy "write" on realtime.messages for insert to authenticated
    with check (realtime.topic() = 'team' and (auth.jwt() -> 'app_metadata' ->> 'leads') = 'team');
  create table public.notes (id int primary key, author uuid not null default auth.uid(), body text);
  alter table public.notes enable row level security;
  create policy "own" on public.notes to authenticated using (author = (select auth.uid()));
  grant all on public.notes to authenticated;
  alter publication supabase_realtime add table public.notes;
`

interface Kit {
  readonly createClient: (url: string, key: string) => SupabaseClient
  client: SupabaseClient
  /** What has arrived. */
  readonly seen: string[]
}

async function bundleClient(): Promise<string> {
  const entry = 'client-in-a-page'
  const library = createRequire(import.meta.url).resolve('@supabase/supabase-js')
  const build = await rolldown({
    input: entry,
    platform: 'browser',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) =>
          id === entry
            ? `import { createClient } from ${JSON.stringify(library)}\nwindow.kit = { createClient, seen: [] }`
            : undefined,
      },
    ],
  })
  const { output } = await build.generate({ format: 'iife' })
  return output[0].code
}

let holdfast: Holdfast
let script: string

/** The app's own server: pages are of another origin than the server. */
const site = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html').end('<!doctype html>')
})

test.beforeAll(async () => {
  script = await bundleClient()
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  holdfast = await openHoldfast()
  await holdfast.admin.withClient((client) => client.query(POLICIES))
})

test.afterAll(async () => {
  site.close()
  await holdfast?.[Symbol.asyncDispose]()
})

/** A person who has signed up, with a client in a page of their own. */
async function openPerson(page: Page, name: string): Promise<void> {
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}`)
  await page.addScriptTag({ content: script })
  await page.evaluate(
    async ({ url, key, email, password }) => {
      const { kit } = globalThis as unknown as { kit: Kit }
      kit.client = kit.createClient(url, key)
      const { error } = await kit.client.auth.signUp({ email, password })
      if (error) throw error
    },
    { url: holdfast.url, key: holdfast.anonKey, email: `${name}@example.org`, password: PASSWORD },
  )
}

/** Joins a channel; what arrives of it is noted. */
async function join(page: Page, name: string, isPrivate: boolean): Promise<void> {
  await page.evaluate(
    ({ name, isPrivate }) => {
      const { kit } = globalThis as unknown as { kit: Kit }
      const channel = kit.client.channel(name, { config: { private: isPrivate, broadcast: { ack: true } } })
      channel
        .on('broadcast', { event: '*' }, ({ event, payload }) => kit.seen.push(`${event} ${JSON.stringify(payload)}`))
        .on('presence', { event: 'sync' }, () => {
          const people = Object.values(channel.presenceState<{ name: string }>()).flat()
          kit.seen.push(
            `there: ${people
              .map((person) => person.name)
              .toSorted()
              .join(', ')}`,
          )
        })
        .subscribe((status) => kit.seen.push(status))
    },
    { name, isPrivate },
  )
  await expect.poll(() => seen(page)).toContain('SUBSCRIBED')
}

const seen = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => (globalThis as unknown as { kit: Kit }).kit.seen)

const forget = (page: Page): Promise<number> =>
  page.evaluate(() => ((globalThis as unknown as { kit: Kit }).kit.seen.length = 0))

const send = (page: Page, event: string): Promise<string> =>
  page.evaluate(async (name) => {
    const { kit } = globalThis as unknown as { kit: Kit }
    const [channel] = kit.client.getChannels()
    return String(await channel?.send({ type: 'broadcast', event: name, payload: { a: 1 } }, { timeout: 3_000 }))
  }, event)

const track = (page: Page, name: string): Promise<string> =>
  page.evaluate(async (shown) => {
    const { kit } = globalThis as unknown as { kit: Kit }
    return String(await kit.client.getChannels()[0]?.track({ name: shown }))
  }, name)

test('two browsers talk to each other and see who is there, also after the server was killed', async ({
  page,
  browser,
}) => {
  const otherPage = await browser.newPage()
  await openPerson(page, 'ana')
  await openPerson(otherPage, 'ben')
  await join(page, 'room', false)
  await join(otherPage, 'room', false)
  expect(await send(page, 'hello')).toBe('ok')
  await expect.poll(() => seen(otherPage)).toContain('hello {"a":1}')
  expect(await seen(page)).not.toContain('hello {"a":1}')
  await track(page, 'Ana')
  await track(otherPage, 'Ben')
  for (const one of [page, otherPage]) await expect.poll(() => seen(one)).toContain('there: Ana, Ben')

  for (const one of [page, otherPage]) await forget(one)
  await holdfast.kill9()
  for (const one of [page, otherPage]) await expect.poll(() => seen(one)).toContain('CHANNEL_ERROR')
  await holdfast.restart()
  for (const one of [page, otherPage]) await expect.poll(() => seen(one)).toContain('SUBSCRIBED')
  expect(await send(otherPage, 'again')).toBe('ok')
  await expect.poll(() => seen(page)).toContain('again {"a":1}')
  await track(page, 'Ana')
  await expect.poll(() => seen(otherPage)).toContain('there: Ana')
  await otherPage.close()
  await track(page, 'Ana, alone')
  await expect.poll(async () => (await seen(page)).at(-1)).toBe('there: Ana, alone')
})

test('a private channel: who may read it reads, and a refreshed token brings the right to send', async ({
  page,
  browser,
}) => {
  const leaderPage = await browser.newPage()
  await openPerson(page, 'member')
  await openPerson(leaderPage, 'leader')
  await join(page, 'team', true)
  await join(leaderPage, 'team', true)
  expect(await send(leaderPage, 'too early')).toBe('timed out')
  await holdfast.admin.withClient((client) =>
    client.query(`update auth.users set raw_app_meta_data = raw_app_meta_data || '{"leads": "team"}'
                   where email = 'leader@example.org'`),
  )
  await leaderPage.evaluate(async () => {
    const { error } = await (globalThis as unknown as { kit: Kit }).kit.client.auth.refreshSession()
    if (error) throw error
  })
  expect(await send(leaderPage, 'plan')).toBe('ok')
  await expect.poll(() => seen(page)).toContain('plan {"a":1}')
  expect(await seen(page)).not.toContain('too early {"a":1}')
  expect(await send(page, 'refused')).toBe('timed out')
  expect(await seen(leaderPage)).not.toContain('refused {"a":1}')
})

test('Postgres changes and bytes arrive at who may see them', async ({ page, browser }) => {
  const otherPage = await browser.newPage()
  await openPerson(page, 'writer')
  await openPerson(otherPage, 'reader')
  const follow = (one: Page): Promise<void> =>
    one.evaluate(async () => {
      const { kit } = globalThis as unknown as { kit: Kit }
      await new Promise<void>((resolve) => {
        kit.client
          .channel('notes', { config: { broadcast: { ack: true } } })
          .on('postgres_changes', { event: '*', schema: 'public', table: 'notes' }, (change) => {
            const { id, body } = { ...change.old, ...change.new } as { id?: number; body?: string }
            kit.seen.push(`${change.eventType} ${id} ${body ?? ''}`.trim())
          })
          .on('broadcast', { event: 'bytes' }, ({ payload }) => {
            kit.seen.push(`bytes ${new Uint8Array(payload as unknown as ArrayBuffer).join(' ')}`)
          })
          .on('system', {}, (message: { message: string }) => {
            kit.seen.push(message.message)
            resolve()
          })
          .subscribe()
      })
    })
  for (const one of [page, otherPage]) {
    await follow(one)
    expect(await seen(one)).toEqual(['Subscribed to PostgreSQL'])
  }
  await page.evaluate(async () => {
    const { kit } = globalThis as unknown as { kit: Kit }
    const notes = kit.client.from('notes')
    for (const write of [
      notes.insert({ id: 1, body: 'first' }),
      notes.update({ body: 'second' }).eq('id', 1),
      notes.delete().eq('id', 1),
    ]) {
      const { error } = await write
      if (error) throw error
    }
    const payload = new Uint8Array([1, 2, 255]).buffer
    await kit.client.getChannels()[0]?.send({ type: 'broadcast', event: 'bytes', payload })
  })
  await expect.poll(async () => (await seen(page)).slice(1)).toEqual(['INSERT 1 first', 'UPDATE 1 second', 'DELETE 1'])
  // Subscribers of the table receive the key of a deleted row, as with Supabase.
  await expect.poll(async () => (await seen(otherPage)).slice(1).toSorted()).toEqual(['DELETE 1', 'bytes 1 2 255'])
})
