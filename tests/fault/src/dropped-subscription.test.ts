/**
 * Invariant: when a tool drops schema `subscription` alone under a running server, it is made again, streams that read parameters are followed again, and the operator
 * is told; no caller without the key is.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'

let holdfast: Holdfast

beforeAll(async () => {
  holdfast = await openHoldfast()
  await holdfast.admin.withClient((client) =>
    client.query(`create table public.tasks (id uuid primary key default gen_random_uuid(), project text);
      alter table public.tasks enable row level security;
      create policy everybody on public.tasks for select to authenticated using (true);
      select sync.create_stream('project', $$ select * from tasks where project = subscription.parameter('project') $$)`),
  )
})

afterAll(() => holdfast?.[Symbol.asyncDispose]())

async function ask<Answer>(path: string, key?: string): Promise<Answer> {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  return (await (await fetch(`${holdfast.url}${path}`, { headers })).json()) as Answer
}

interface Coverage {
  readonly streams: readonly { readonly name: string; readonly refused: readonly unknown[] }[]
  readonly tables: readonly {
    readonly table: string
    readonly definitions: readonly { readonly state: string }[]
  }[]
}

/** Whether the stream is followed, and its buckets are served. */
async function isFollowed(): Promise<boolean> {
  const { streams, tables } = await ask<Coverage>('/sync/v1/coverage?settled=true', holdfast.serviceRoleKey)
  const definitions = tables.find(({ table }) => table === 'public.tasks')?.definitions ?? []
  return (
    streams.some(({ name, refused }) => name === 'project' && refused.length === 0) &&
    definitions.length > 0 &&
    definitions.every(({ state }) => state === 'served')
  )
}

test('schema subscription alone comes back, and what needs it goes on', async () => {
  await expect.poll(isFollowed, { timeout: 60_000 }).toBe(true)
  await holdfast.internal.execute(sql`drop schema subscription cascade`)
  const problem = async (): Promise<string> =>
    (await ask<{ problem?: string }>('/health', holdfast.serviceRoleKey)).problem ?? ''
  await expect.poll(problem, { timeout: 60_000 }).toMatch(/made again at .*: subscription/)
  await expect.poll(isFollowed, { timeout: 60_000 }).toBe(true)
  expect(holdfast.log()).toContain('functions of Holdfast were dropped by another session, and are made again')
  expect(await ask('/health')).not.toHaveProperty('problem')
})
