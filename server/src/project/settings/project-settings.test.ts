import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Flags } from '../../config/load-config.ts'
import { options } from '../../config/options.ts'
import { loadProjectConfig } from './load-project-config.ts'

/** Creates a project with this `config.toml` and these files. */
function openProject(toml: string, files: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'supabase/config.toml')
  for (const [path, text] of Object.entries({ 'supabase/config.toml': toml, ...files })) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return {
    folder,
    async load({ flags = {}, env = {} }: { readonly flags?: Flags; readonly env?: Record<string, string> } = {}) {
      const sources = { flags: { functionsConfig: file, ...flags }, env, readFile: () => undefined }
      const { config, notes } = await loadProjectConfig(options, sources)
      return { config, notes: notes.map((note) => note.replace(`${file}: `, '')) }
    },
  }
}

describe('config.toml', () => {
  test('sets the options of its names, in their units', async () => {
    const project = openProject(
      `[api]
       schemas = ["public", "storage", "private"]
       max_rows = 50
       [auth]
       site_url = "https://app.example.com"
       enable_signup = false
       [auth.email]
       max_frequency = "1m30s"
       [auth.email.template.recovery]
       content_path = "./supabase/templates/recovery.html"
       [auth.email.notification.password_changed]
       enabled = true
       content_path = "./templates/changed.html"
       [auth.mfa.web_authn]
       enroll_enabled = true
       [auth.sessions]
       timebox = "24h"
       [auth.sms]
       template = "Your code is {{ \`{{ .Code }}\` }}"
       [auth.sms.test_otp]
       4152127777 = "123456"
       [auth.external.google]
       enabled = true
       client_id = "abc"
       secret = "env(GOOGLE_SECRET)"
       redirect_uri = ""
       [storage]
       file_size_limit = "5MB"
       [storage.image_transformation]
       enabled = false
       [realtime]
       enabled = false`,
      { 'supabase/templates/recovery.html': 'a', 'supabase/templates/changed.html': 'b', '.env': 'GOOGLE_SECRET=s' },
    )
    const { config, notes } = await project.load()
    expect(notes).toEqual([expect.stringMatching(/api\.schemas leaves out storage.*restSchemas/)])
    expect(config).toMatchObject({
      restSchemas: ['public', 'private', 'holdfast'],
      restRowsMax: 50,
      siteUrl: 'https://app.example.com',
      enableSignup: false,
      emailMaxFrequency: 90,
      emailTemplateRecoveryContentPath: join(project.folder, 'supabase/templates/recovery.html'),
      emailNotificationPasswordChangedEnabled: true,
      emailNotificationPasswordChangedContentPath: join(project.folder, 'supabase/templates/changed.html'),
      mfaWebAuthnEnrollEnabled: true,
      sessionsTimebox: 86_400,
      smsTemplate: 'Your code is {{ .Code }}',
      smsTestOtp: ['4152127777=123456'],
      externalGoogleEnabled: true,
      externalGoogleClientId: 'abc',
      externalGoogleSecret: 's',
      externalGoogleRedirectUri: undefined,
      storageFileSizeLimit: '5MB',
      storageImageTransformationEnabled: false,
      realtimeEnabled: false,
    })
  })

  test('gives way to the environment and the command line, and to --no-project-migrations', async () => {
    const project = openProject(`[auth]\njwt_expiry = 100\nminimum_password_length = 9\nsite_url = "http://a.test"`)
    const given = { flags: { jwtExpiry: '200' }, env: { HOLDFAST_MINIMUM_PASSWORD_LENGTH: '10' } }
    expect((await project.load(given)).config).toMatchObject({
      jwtExpiry: 200,
      minimumPasswordLength: 10,
      siteUrl: 'http://a.test',
    })
    expect((await project.load({ flags: { projectMigrations: false } })).config.siteUrl).toBeUndefined()
  })

  test('of tables that are turned off sets nothing', async () => {
    const { config, notes } = await openProject(
      `[auth.email.smtp]
       enabled = false
       host = "smtp.example.com"
       [auth.hook.custom_access_token]
       uri = "pg-functions://postgres/public/claims"
       [auth.sms.twilio]
       enabled = false
       account_sid = "AC1"
       auth_token = "env(NOWHERE)"
       [auth.external.facebook]
       enabled = false
       secret = "env(NOWHERE)"
       [analytics]
       enabled = false
       port = 54327`,
    ).load()
    expect(config).toMatchObject({ emailSmtpHost: undefined, hookCustomAccessTokenUri: undefined })
    expect(config.smsTwilioAccountSid).toBeUndefined()
    expect(notes).toEqual([])
  })

  test('limits the mails of an hour only where mails are sent', async () => {
    const limit = `[auth.rate_limit]\nemail_sent = 2\n`
    const smtp = `[auth.email.smtp]\nhost = "smtp.example.com"`
    expect((await openProject(limit).load()).config.rateLimitEmailSent).toBe(30)
    expect((await openProject(limit + smtp).load()).config.rateLimitEmailSent).toBe(2)
  })

  test('is told what has no effect, with the reason, and what is not known', async () => {
    const { notes } = await openProject(
      `project_id = "a"
       [api]
       enabled = false
       [db]
       major_version = 17
       [db.migrations]
       schema_paths = []
       [studio]
       enabled = true
       port = 54323
       [inbucket]
       port = 54324
       [auth]
       enable_sign_up = false
       [auth.web3.solana]
       enabled = true
       [functions.hello]
       verify_jwt = false`,
    ).load()
    expect(notes).toEqual([
      'not known, and without effect: auth.enable_sign_up',
      'api.enabled has no effect here: the REST API is always served',
      'db.major_version has no effect here: Postgres is version 18',
      'studio, inbucket have no effect here: settings of programs that are no part of Holdfast',
      'auth.web3 has no effect here: signing in with a wallet is not here',
    ])
  })

  test('leaves out what names a variable that is not set, and says so', async () => {
    const { config, notes } = await openProject(
      `[auth]
       site_url = "env(APP_URL)"
       additional_redirect_urls = ["http://a.test", "env(MORE_URL)"]
       [auth.captcha]
       enabled = true
       secret = "env(CAPTCHA_SECRET)"
       [auth.email.smtp]
       host = "smtp.example.com"
       pass = "env(SMTP_PASS)"
       [auth.external.github]
       enabled = true
       client_id = "a"
       secret = "env(GITHUB_SECRET)"`,
    ).load()
    expect(config).toMatchObject({
      siteUrl: undefined,
      additionalRedirectUrls: ['http://a.test'],
      captchaEnabled: true,
      emailSmtpHost: undefined,
      externalGithubEnabled: false,
    })
    expect(config.captchaSecret).toBeDefined() // the check stays enabled and rejects everyone
    expect(notes).toEqual([
      'auth.site_url names APP_URL, which is not set',
      'auth.additional_redirect_urls names MORE_URL, which is not set',
      'auth.captcha.secret names CAPTCHA_SECRET, which is not set',
      'SMTP_PASS is not set, so auth.email.smtp is left out: mails are captured',
      'GITHUB_SECRET is not set, so auth.external.github is left out: nobody can sign in with it',
    ])
  })

  test('leaves out the signing keys of a file that is in no repository, and says so', async () => {
    const toml = `[auth]\nsigning_keys_path = "./signing_keys.json"`
    const { config, notes } = await openProject(toml).load()
    expect(config.signingKeysPath).toBeUndefined()
    expect(notes).toEqual([expect.stringContaining('auth.signing_keys_path names ./signing_keys.json, which is not')])
    const whole = openProject(toml, { 'supabase/signing_keys.json': '[]' })
    expect((await whole.load()).config.signingKeysPath).toBe(join(whole.folder, 'supabase/signing_keys.json'))
  })

  test('finds the first variable of a file with a byte order mark', async () => {
    const project = openProject(`[auth]\nsite_url = "env(APP_URL)"`, {
      '.env': '\uFEFFAPP_URL=http://a.test\r\nB=1\r\n',
    })
    expect((await project.load()).config.siteUrl).toBe('http://a.test')
  })

  test.each([
    ['a hook that guards sign-up', `[auth.hook.before_user_created]\nenabled = true\nuri = "env(NOWHERE)"`, 'NOWHERE'],
    ['a switch', `[auth]\nenable_signup = "env(NOWHERE)"`, 'auth.enable_signup'],
    ['a value of the wrong type', `[auth]\nenable_signup = "perhaps"`, 'auth.enable_signup'],
    ['a number outside its bounds', `[auth]\njwt_expiry = 5`, 'auth.jwt_expiry'],
    ['a file that is no TOML', `[auth`, 'config.toml'],
  ])('refuses the start for %s', async (_, toml, named) => {
    await expect(openProject(toml).load()).rejects.toThrow(named)
  })
})
