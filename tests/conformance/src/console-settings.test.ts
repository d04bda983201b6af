import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { type ConsoleBrowser, openConsoleBrowser, openOperator, openOwner, PASSWORD } from './console-world.ts'

// The console's settings: what is set where, migrations, backups and keys.

let holdfast: Holdfast
let folder: string
let migrations: string
let recoveryFile: string
let owner: ConsoleBrowser
let developer: ConsoleBrowser
let viewer: ConsoleBrowser

const METRICS_TOKEN = 'a token that only Prometheus has'
const ADDRESS = 'olga@ops.example'

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-settings-'))
  const configFile = join(folder, 'config.json')
  recoveryFile = join(folder, 'recovery.html')
  writeFileSync(recoveryFile, '<script>alert(1)</script><p>For {{ .Email }}: {{ .Token }}</p>')
  const config = {
    metricsToken: METRICS_TOKEN,
    emailSmtpAdminEmail: ADDRESS,
    externalGithubEnabled: true,
    externalGithubClientId: 'an-app-id',
    emailTemplateRecoverySubject: 'Back into {{ .ProjectName }}',
    emailTemplateRecoveryContentPath: recoveryFile,
  }
  writeFileSync(configFile, JSON.stringify(config))
  migrations = join(folder, 'migrations')
  mkdirSync(migrations)
  writeFileSync(join(migrations, '20260101000000_first.sql'), 'create table public.first (id int primary key);')
  const args = [`--config-file=${configFile}`, `--migrations-dir=${migrations}`, '--rest-rows-max=500']
  holdfast = await openHoldfast({ args })
  owner = await openOwner(holdfast)
  developer = await openOperator(holdfast, owner, 'developer')
  viewer = await openOperator(holdfast, owner, 'viewer')
})
afterAll(async () => {
  await holdfast[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

type Named = { readonly name: string } & Readonly<Record<string, unknown>>

async function settingsOf(browser: ConsoleBrowser): Promise<ReadonlyMap<string, Named>> {
  const { settings } = await browser.ask<{ settings: readonly Named[] }>('GET /settings')
  return new Map(settings.map((setting) => [setting.name, setting]))
}

describe('what is set where', () => {
  test('is listed with values, defaults and origins', async () => {
    const settings = await settingsOf(developer)
    expect(settings.get('restRowsMax')).toMatchObject({
      group: 'REST',
      value: '500',
      default: '1000',
      origin: { kind: 'flag', where: '--rest-rows-max' },
    })
    expect(settings.get('emailSmtpAdminEmail')).toMatchObject({ value: ADDRESS, origin: { kind: 'file' } })
    expect(settings.get('restBodyBytesMax')).toMatchObject({ value: '8388608', origin: null })
  })

  test('shows nobody a secret, and viewers no texts', async () => {
    for (const browser of [owner, viewer]) {
      const settings = await settingsOf(browser)
      expect(settings.get('metricsToken')).toMatchObject({ value: null, isHidden: true })
      expect(JSON.stringify([...settings.values()])).not.toContain(METRICS_TOKEN)
    }
    const masked = await settingsOf(viewer)
    expect(JSON.stringify([...masked.values()])).not.toContain(ADDRESS)
    expect(masked.get('emailSmtpAdminEmail')).toMatchObject({ value: null, isHidden: true })
    expect(masked.get('restRowsMax')).toMatchObject({ value: '500' })
  })

  test('is not shown without a session', async () => {
    expect(await openConsoleBrowser(holdfast).refusal('GET /settings')).toBe('401 not_signed_in')
  })
})

describe('providers', () => {
  test('are listed with what they lack and their callback URL, without ids and secrets', async () => {
    const { providers } = await viewer.ask<{ providers: readonly Named[] }>('GET /settings/providers')
    const github = providers.find(({ name }) => name === 'github')
    expect(github).toEqual({
      name: 'github',
      isEnabled: true,
      missing: ['externalGithubSecret'],
      callbackUrl: `${holdfast.url}/auth/v1/callback`,
      optionPrefix: 'externalGithub',
    })
    expect(providers.find(({ name }) => name === 'keycloak')).toMatchObject({
      isEnabled: false,
      missing: ['externalKeycloakClientId', 'externalKeycloakSecret', 'externalKeycloakUrl'],
    })
    expect(JSON.stringify(providers)).not.toContain('an-app-id')
  })
})

describe('mail templates', () => {
  test('are listed with the file or option that sets them', async () => {
    const { templates } = await viewer.ask<{ templates: readonly { kind: string }[] }>('GET /settings/mails')
    expect(templates.find(({ kind }) => kind === 'recovery')).toEqual({
      kind: 'recovery',
      isEnabled: true,
      subject: 'Back into {{ .ProjectName }}',
      subjectOption: 'emailTemplateRecoverySubject',
      hasOwnSubject: true,
      contentOption: 'emailTemplateRecoveryContentPath',
      file: recoveryFile,
    })
    expect(templates.find(({ kind }) => kind === 'password_changed_notification')).toMatchObject({
      isEnabled: false,
      hasOwnSubject: false,
      file: null,
    })
  })

  test('are rendered with sample values, on a page whose policy runs no script', async () => {
    expect(await viewer.ask('GET /settings/mails/recovery')).toMatchObject({
      subject: 'Back into Holdfast',
      text: 'For kim@example.com: 123456\n',
      source: expect.stringContaining('{{ .Token }}') as string,
    })
    const address = `${holdfast.url}/console/v1/settings/mails/recovery/page`
    const headers = { 'sec-fetch-site': 'same-origin', cookie: viewer.cookie() ?? '' }
    const page = await fetch(address, { headers })
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(page.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none';/)
    expect(await page.text()).toContain('<p>For kim@example.com: 123456</p>')
    const around = await fetch(`${holdfast.url}/console/`)
    expect(around.headers.get('content-security-policy')).toContain("frame-src 'self'")
    expect((await fetch(address, { headers: { 'sec-fetch-site': 'same-origin' } })).status).toBe(401)
    expect(await viewer.refusal('GET /settings/mails/nothing')).toBe('404 mail_template_unknown')
  })
})

describe('migrations', () => {
  test('are listed by state, with the SQL of pending ones for developers', async () => {
    const sql = 'create table public.second (id int primary key);'
    writeFileSync(join(migrations, '20260102000000_second.sql'), sql)
    writeFileSync(join(migrations, 'notes.sql'), '')
    const list = await viewer.ask<{ project: unknown; skipped: unknown; own: readonly unknown[] }>('GET /migrations')
    expect(list.project).toEqual([
      { version: '20260102000000', name: 'second', state: 'pending' },
      { version: '20260101000000', name: 'first', state: 'applied' },
    ])
    expect(list.skipped).toEqual(['notes.sql'])
    expect(list.own).toContainEqual(
      expect.objectContaining({ source: 'platform', name: '0001_roles', appliedAt: expect.any(String) as string }),
    )
    expect(await developer.ask('GET /migrations/20260102000000')).toMatchObject({ text: sql, isCut: false })
    expect(await viewer.refusal('GET /migrations/20260102000000')).toBe('403 role_too_low')
    expect(await developer.refusal('GET /migrations/20260101000000')).toBe('404 migration_unknown')
    expect(await developer.refusal('GET /migrations/..%2F..%2Fetc%2Fpasswd')).toBe('404 migration_unknown')
  })
})

interface Backups {
  readonly folder: string
  readonly backups: readonly { readonly name: string; readonly databaseBytes: number }[]
  readonly runningSince: string | null
  readonly failure: string | null
}

describe('backups', () => {
  test('are made one at a time, by owners only, with an entry in the audit log', async () => {
    expect(await developer.refusal('GET /backups')).toBe('403 role_too_low')
    expect(await developer.refusal('POST /backups')).toBe('403 role_too_low')
    const { name } = await owner.ask<{ name: string }>('POST /backups')
    expect(await owner.refusal('POST /backups')).toBe('409 backup_running')
    const done = await expect
      .poll(() => owner.ask<Backups>('GET /backups'), { timeout: 30_000, interval: 500 })
      .toMatchObject({ runningSince: null, failure: null, backups: [{ name }] })
      .then(() => owner.ask<Backups>('GET /backups'))
    expect(done.backups[0]?.databaseBytes).toBeGreaterThan(100_000)
    expect(existsSync(join(done.folder, name, 'holdfast-backup.json'))).toBe(true)
    const { entries } = await owner.ask<{ entries: readonly unknown[] }>('GET /audit?action=take_backup')
    expect(entries).toEqual([
      expect.objectContaining({ error: expect.stringContaining('being made') as string }),
      expect.objectContaining({ target: `backup ${name}`, operator: 'olga@ops.example', error: null }),
    ])
  })
})

interface Keys {
  readonly api: readonly { readonly name: string; readonly shown: string }[]
  readonly signing: readonly { readonly kid: string; readonly status: string }[]
}

describe('keys', () => {
  test('are listed without secrets, and shown to owners who enter their password', async () => {
    expect(await viewer.refusal('GET /keys')).toBe('403 role_too_low')
    const { api } = await developer.ask<Keys>('GET /keys')
    expect(api.find(({ name }) => name === 'publishable')?.shown).toBe(holdfast.publishableKey)
    expect(JSON.stringify(api)).not.toContain(holdfast.secretKey)
    expect(JSON.stringify(api)).not.toContain(holdfast.serviceRoleKey)
    expect(await developer.refusal('POST /keys/secret/reveal', { password: PASSWORD })).toBe('403 role_too_low')
    expect(await owner.refusal('POST /keys/secret/reveal', { password: 'a wrong one' })).toBe('400 wrong_password')
    expect(await owner.refusal('POST /keys/jwt/reveal', { password: PASSWORD })).toBe('404 key_unknown')
    expect(await owner.ask('POST /keys/secret/reveal', { password: PASSWORD })).toEqual({ key: holdfast.secretKey })
    const audit = await owner.ask<{ entries: readonly { target: string; error: string | null }[] }>(
      'GET /audit?action=reveal_key',
    )
    expect(audit.entries[0]).toMatchObject({ target: 'API key secret', error: null })
    expect(JSON.stringify(audit)).not.toContain(holdfast.secretKey)
  })

  test('that sign sessions go from standby to in use, previously used and revoked', async () => {
    const statesOf = async (): Promise<readonly string[]> =>
      (await owner.ask<Keys>('GET /keys')).signing.map(({ status }) => status)
    expect(await developer.refusal('POST /signing-keys', { algorithm: 'ES256' })).toBe('403 role_too_low')
    await owner.ask('POST /signing-keys', { algorithm: 'ES256' })
    expect(await statesOf()).toEqual(['standby', 'current'])
    const [added, first] = (await owner.ask<Keys>('GET /keys')).signing
    const rotate = `POST /signing-keys/${added?.kid ?? ''}/rotate`
    expect(await owner.refusal(rotate, { isAtOnce: false })).toBe('409 conflict')
    await owner.ask(rotate, { isAtOnce: true })
    expect(await statesOf()).toEqual(['current', 'previous'])
    const revoke = `DELETE /signing-keys/${first?.kid ?? ''}`
    expect(await owner.refusal(revoke, { password: 'a wrong one' })).toBe('400 wrong_password')
    await owner.ask(revoke, { password: PASSWORD })
    expect(await statesOf()).toEqual(['current', 'revoked'])
    const { entries } = await owner.ask<{ entries: readonly unknown[] }>('GET /audit?action=rotate_signing_key')
    expect(entries[0]).toMatchObject({
      target: `signing key ${added?.kid ?? ''}`,
      before: { current: first?.kid },
      after: { current: added?.kid, isAtOnce: true },
    })
  })
})
