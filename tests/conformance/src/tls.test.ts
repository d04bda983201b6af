import { createPrivateKey } from 'node:crypto'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import type { Server } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Logger } from '@holdfast/foundation'
import { certifiedHost, createHttpServer, followTlsFiles, readTlsIdentity, reminderOf } from '@holdfast/http'
import { sql } from '@holdfast/postgres'
import { openDevice, openHoldfast, runHoldfast, type Holdfast } from '@holdfast/test-support'
import { createCertificate, writeCertificate } from './certificate.ts'

// A server without a proxy, which terminates TLS itself with a certificate from files.

const MINA = 'mina.kaya@northline.example'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-tls-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function folderOfTest(): string {
  return mkdtempSync(join(folder, 'test-'))
}

/** Runs the command in a process that trusts only the default authorities. */
async function runUntrusting(...argv: readonly string[]): Promise<string> {
  const trusted = process.env['NODE_EXTRA_CA_CERTS']
  delete process.env['NODE_EXTRA_CA_CERTS']
  try {
    return await runHoldfast(...argv)
  } finally {
    if (trusted !== undefined) process.env['NODE_EXTRA_CA_CERTS'] = trusted
  }
}

describe('the whole server', () => {
  let holdfast: Holdfast
  const trustedBefore = getCACertificates('default')

  beforeAll(async () => {
    const { certFile, keyFile } = await writeCertificate(folder, { names: ['127.0.0.1'] })
    // The server trusts its own authority as an operator would set it up; this process trusts it as a client.
    vi.stubEnv('NODE_EXTRA_CA_CERTS', certFile)
    setDefaultCACertificates([...trustedBefore, readFileSync(certFile, 'utf8')])
    const args = [`--tls-cert-file=${certFile}`, `--tls-key-file=${keyFile}`]
    holdfast = await openHoldfast({ sample: true, args })
  })
  afterAll(async () => {
    await holdfast?.[Symbol.asyncDispose]()
    setDefaultCACertificates(trustedBefore)
    vi.unstubAllEnvs()
  })

  test('reports an https URL and serves nothing else there', async () => {
    expect(holdfast.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    expect(await (await fetch(`${holdfast.url}/health`)).json()).toMatchObject({ ok: true })
    await expect(fetch(`${holdfast.url.replace('https', 'http')}/health`)).rejects.toThrow()
  })

  test('serves auth, rows, channels and files to supabase-js', async () => {
    const client = await holdfast.supabase({ email: MINA })
    const { data } = await client.auth.getClaims()
    expect(data?.claims.iss).toBe(`${holdfast.url}/auth/v1`)
    expect((await client.from('sites').select('id')).data).not.toEqual([])

    const heard = Promise.withResolvers<unknown>()
    const channel = client.channel('room', { config: { broadcast: { self: true } } })
    channel
      .on('broadcast', { event: 'hello' }, ({ payload }) => heard.resolve(payload))
      .subscribe((status) => {
        if (status === 'SUBSCRIBED') void channel.send({ type: 'broadcast', event: 'hello', payload: { text: 'hi' } })
      })
    expect(await heard.promise).toMatchObject({ text: 'hi' })

    await holdfast.admin.execute(sql`insert into storage.buckets (id, name) values ('files', 'files')`)
    await holdfast.admin.execute(
      sql`create policy all_files on storage.objects to authenticated using (true) with check (true)`,
    )
    const bytes = new Uint8Array(3 * 1024 * 1024).map((_, index) => index % 251)
    expect((await client.storage.from('files').upload('large', bytes)).error).toBeNull()
    const file = await client.storage.from('files').download('large')
    expect(Buffer.compare(new Uint8Array((await file.data?.arrayBuffer()) ?? new ArrayBuffer()), bytes)).toBe(0)
  })

  test('syncs a device', async () => {
    await using device = await openDevice(holdfast, { email: MINA })
    await holdfast.admin.execute(sql`update public.sites set name = name || ' by TLS'`)
    await device.settle()
    expect(await device.localRows('sites')).toEqual(await device.visibleRows('sites'))
    expect(JSON.stringify([...(await device.localRows('sites')).values()])).toContain(' by TLS')
  })

  test.each([['doctor'], ['sync', 'status'], ['status']])(
    'is reached by %s %s through its data folder, even with an untrusted certificate',
    async (...command) => {
      const out = await runUntrusting(...command, `--data-dir=${holdfast.dataDir}`)
      expect(out).not.toMatch(/PROBLEM|not trusted/)
      expect(out).toMatch(/serving devices|sync follows|ready/)
    },
  )

  test('is reported as running but untrusted to a command with only its URL', async () => {
    const asking = runUntrusting('sync', 'status', `--url=${holdfast.url}`, `--service-key=${holdfast.serviceRoleKey}`)
    const stderr = expect.stringMatching(/a certificate that is not trusted.*NODE_EXTRA_CA_CERTS/s) as string
    await expect(asking).rejects.toMatchObject({ code: 1, stderr })
    await expect(asking).rejects.not.toMatchObject({ stderr: expect.stringContaining('Start Holdfast') as string })
  })

  test('is reached by requests from its own database', async () => {
    const [sent] = await holdfast.admin.query<{ id: string }>(
      sql`select net.http_get(${`${holdfast.url}/health`})::text as id`,
    )
    const answer = (): Promise<unknown[]> =>
      holdfast.admin.query(sql`select status_code, error_msg from net._http_response where id = ${sent?.id}::bigint`)
    await expect.poll(answer).toEqual([{ status_code: 200, error_msg: null }])
  })
})

test.each([
  ['without its key', ['--tls-cert-file=a.pem'], '--tls-cert-file needs --tls-key-file.'],
  ['without the certificate', ['--tls-key-file=a.pem'], '--tls-key-file needs --tls-cert-file.'],
  ['that does not exist', ['--tls-cert-file=a.pem', '--tls-key-file=b.pem'], 'a.pem cannot be read, which TLS needs.'],
])('starting with a certificate %s fails before the data folder is created', async (_, args, sentence) => {
  const dataDir = join(folderOfTest(), 'data')
  const starting = runHoldfast('start', `--data-dir=${dataDir}`, '--port=0', '--db-port=0', ...args)
  await expect(starting).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(sentence) as string })
  expect(() => readFileSync(join(dataDir, 'jwt-secret'))).toThrow()
})

test('files that do not match are refused, and so is a key with a passphrase', async () => {
  const [one, other] = [await createCertificate({ names: ['a.test'] }), await createCertificate({ names: ['a.test'] })]
  const cipher = { cipher: 'aes-256-cbc', passphrase: 'secret' }
  const encrypted = createPrivateKey(one.key).export({ type: 'pkcs8', format: 'pem', ...cipher })
  const here = folderOfTest()
  const files = { certFile: join(here, 'cert'), keyFile: join(here, 'key') }
  writeFileSync(files.certFile, one.cert)
  for (const key of [other.key, encrypted, '', one.cert]) {
    writeFileSync(files.keyFile, key)
    expect(() => readTlsIdentity(files)).toThrow(`${files.certFile} and ${files.keyFile} are not a certificate`)
  }
  writeFileSync(files.keyFile, one.key)
  expect(readTlsIdentity(files).key.toString()).toBe(one.key)
})

test.each([
  [['data.example.org', 'other.example.org'], '0.0.0.0', 'data.example.org'],
  [['data.example.org', 'localhost'], 'localhost', 'localhost'],
  [['data.example.org', '127.0.0.1'], '127.0.0.1', '127.0.0.1'],
  [['*.example.org', 'data.example.org'], '0.0.0.0', 'data.example.org'],
  [['*.example.org'], '0.0.0.0', undefined],
])('a certificate for %j on %s gives the host name %s', async (names, host, expected) => {
  const { certFile } = await writeCertificate(folderOfTest(), { names })
  expect(certifiedHost(certFile, host)).toBe(expected)
})

test('warns two weeks before a certificate expires', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  expect(reminderOf(new Date('2026-01-16T00:00:00Z'), now)).toBeUndefined()
  expect(reminderOf(new Date('2026-01-14T00:00:00Z'), now)).toBe('the TLS certificate ends on 2026-01-14')
  expect(reminderOf(new Date('2025-12-31T00:00:00Z'), now)).toBe('the TLS certificate ended on 2025-12-31')
})

describe('renewal', () => {
  /** Returns the serial number of the certificate that a new connection gets. */
  function serialAt(server: Server): Promise<string> {
    const { port } = server.address() as AddressInfo
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
        resolve(socket.getPeerX509Certificate()?.serialNumber ?? '')
        socket.destroy()
      }).on('error', reject)
    })
  }

  async function open(here: string, days?: number) {
    const { serialNumber, ...files } = await writeCertificate(here, { names: ['a.test'], ...(days && { days }) })
    const lines: string[] = []
    const logger: Logger = { log: (level, message) => void (level !== 'debug' && lines.push(`${level}: ${message}`)) }
    const identity = readTlsIdentity(files)
    const app = createHttpServer({ logger, tls: identity })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const server = app.server as unknown as Server
    const stop = followTlsFiles(server, files, identity, logger, 20)
    onTestFinished(async () => {
      stop()
      await app.close()
    })
    return { server, lines, files, serialNumber }
  }

  test('new connections get the renewed certificate', async () => {
    const here = folderOfTest()
    const { server, lines, serialNumber } = await open(here)
    expect(await serialAt(server)).toBe(serialNumber)
    const renewed = await writeCertificate(here, { names: ['a.test'] })
    await expect.poll(() => serialAt(server)).toBe(renewed.serialNumber)
    expect(lines.at(-1)).toBe('info: reads a new TLS certificate')
  })

  test('the old certificate stays while the files are unusable, which is logged once', async () => {
    const here = folderOfTest()
    const { server, lines, files, serialNumber } = await open(here)
    writeFileSync(`${files.certFile}.new`, 'half a cert')
    renameSync(`${files.certFile}.new`, files.certFile)
    await expect.poll(() => lines).toEqual(['warn: keeps the former TLS certificate'])
    expect(await serialAt(server)).toBe(serialNumber)
    const renewed = await writeCertificate(here, { names: ['a.test'] })
    await expect.poll(() => serialAt(server)).toBe(renewed.serialNumber)
  })

  test('is logged if overdue', async () => {
    const { lines } = await open(folderOfTest(), 3)
    await expect.poll(() => lines).toEqual([expect.stringMatching(/^warn: the TLS certificate ends on /)])
  })
})
