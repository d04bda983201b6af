import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createPool, openEmbeddedCluster, sql, type Cluster } from '@holdfast/postgres'
import { runHoldfast, startServer, type ServerProcess } from '@holdfast/test-support'

/* A user in DATABASE_URL without the rights of a superuser: sync would not hear of changes of policies, so it is off, and says so everywhere. */

const FINDINGS = [
  { rights: '', reason: 'may not set session_replication_role' },
  { rights: 'grant set on parameter session_replication_role to plain', reason: 'may not create event triggers' },
]

let folder: string
let cluster: Cluster
let url: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-plain-role-'))
  cluster = await openEmbeddedCluster({ dataDir: join(folder, 'pg'), port: 0, durable: false, logger: silentLogger })
  await admin(`create role plain login createrole createdb replication bypassrls password 'secret'`)
  await admin('create database app owner plain')
  const address = new URL(cluster.internalUrl)
  Object.assign(address, { username: 'plain', password: 'secret', pathname: '/app' })
  url = address.href
}, 60_000)

afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

async function admin(text: string): Promise<void> {
  await using pool = createPool({ url: cluster.internalUrl, applicationName: 'test', connectionsMax: 1 })
  await pool.execute(sql.trusted(text))
}

async function get(server: ServerProcess, path: string, key: string): Promise<{ status: number; text: string }> {
  const headers = { apikey: key, authorization: `Bearer ${key}` }
  const response = await fetch(`${server.ready.base}${path}`, { headers })
  return { status: response.status, text: await response.text() }
}

describe.each(FINDINGS)('a user who $reason', ({ rights, reason }) => {
  test('gets no sync, with the reason, and everything else', async () => {
    if (rights !== '') await admin(rights)
    const args = ['--port=0', `--data-dir=${join(folder, 'data')}`, `--database-url=${url}`]
    const started = performance.now()
    const server = await startServer(args, folder)
    try {
      expect(performance.now() - started).toBeLessThan(14_000)
      const { base, serviceRoleKey: key, anonKey } = server.ready
      expect(server.log()).toContain(reason)
      expect(JSON.parse((await get(server, '/health', key)).text)).toMatchObject({
        ok: true,
        sync: 'refused',
        problem: expect.stringContaining(reason),
      })
      expect(JSON.parse((await get(server, '/health', anonKey)).text)).not.toHaveProperty('problem')
      expect(await get(server, '/sync/v1/status', key)).toEqual({ status: 200, text: expect.stringContaining(reason) })
      const schema = await get(server, '/sync/v1/schema', key)
      expect(schema).toEqual({ status: 503, text: expect.stringContaining('HF_SYNC_REFUSED') })
      expect(schema.text).not.toContain('plain')
      const asked = [`--url=${base}`, `--service-key=${key}`]
      await expect(runHoldfast('doctor', ...args.slice(1), ...asked)).rejects.toMatchObject({
        stdout: expect.stringContaining(reason),
      })
      await expect(runHoldfast('sync', 'status', ...asked)).rejects.toMatchObject({
        stdout: expect.stringContaining(reason),
      })

      const supabase = createClient(base, anonKey)
      const account = { email: `${reason.length}@example.org`, password: 'correct horse battery' }
      expect(await supabase.auth.signUp(account)).toMatchObject({ error: null })
      await using own = createPool({ url, applicationName: 'test', connectionsMax: 1 })
      await own.execute(sql`create table if not exists public.notes (id int primary key)`)
      expect(await supabase.from('notes').select()).toMatchObject({ error: null, data: [] })
      expect(await supabase.storage.listBuckets()).toMatchObject({ error: null })
    } finally {
      await server.kill('SIGTERM')
    }
    await expect(runHoldfast('doctor', ...args.slice(1))).rejects.toMatchObject({
      stdout: expect.stringContaining(reason),
    })
  })
})
