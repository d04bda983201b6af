import { expect, test } from 'vitest'
import { findOrigins, loadConfig, type ConfigSources } from './load-config.ts'
import { listSettings } from './list-settings.ts'
import { optionGroups, options } from './options.ts'

const SECRET = 'a secret that nobody may read'

function listed(sources: Partial<ConfigSources>, ofProject = {}) {
  const all = { flags: {}, env: {}, readFile: () => undefined, ...sources }
  const origins = findOrigins(options, all, { file: 'supabase/config.toml', values: ofProject })
  const settings = listSettings(optionGroups, loadConfig(options, all, ofProject), origins)
  return new Map(settings.map((one) => [one.name, one]))
}

test('settings have their values, their defaults and where they were set', () => {
  const settings = listed(
    {
      flags: { port: '1' },
      env: { HOLDFAST_PORT: '2', HOLDFAST_DB_PORT: '3' },
      readFile: () => '{"dbPort": 4, "corsOrigins": ["https://a.example", "https://b.example"]}',
    },
    { corsOrigins: ['https://c.example'], enableSignup: false },
  )
  expect(settings.size).toBe(Object.keys(options).length)
  expect(settings.get('port')).toMatchObject({
    value: '1',
    default: '54321',
    origin: { kind: 'flag', where: '--port' },
  })
  expect(settings.get('dbPort')?.origin).toEqual({ kind: 'environment', where: 'HOLDFAST_DB_PORT' })
  expect(settings.get('corsOrigins')).toMatchObject({
    value: 'https://a.example,https://b.example',
    default: null,
    origin: { kind: 'file', where: 'holdfast.config.json' },
  })
  expect(settings.get('enableSignup')).toMatchObject({
    value: 'false',
    origin: { kind: 'project', where: 'supabase/config.toml' },
  })
  expect(settings.get('host')).toMatchObject({ value: '127.0.0.1', origin: null })
})

test('no secret is listed', () => {
  const secrets = Object.entries(options).filter(([, declaration]) => 'secret' in declaration)
  expect(secrets.length).toBeGreaterThan(20)
  const written = Object.fromEntries(
    secrets.map(([name, { type }]) => [name, type === 'list' ? [SECRET] : SECRET] as const),
  )
  const more = {
    smsTestOtp: [`4152127777=${SECRET}`],
    appSettings: { 'app.key': SECRET },
    hookSendEmailUri: `https://hooks:${encodeURIComponent(SECRET)}@hooks.example/send`,
  }
  const settings = listed({ readFile: () => JSON.stringify({ ...written, ...more }) })
  expect(JSON.stringify([...settings.values()])).not.toMatch(/a(?: |%20)secret/)
  for (const [name] of secrets)
    expect(settings.get(name), name).toMatchObject({
      isHidden: true,
      value: null,
      flag: null,
      origin: { kind: 'file' },
    })
  expect(settings.get('hookSendEmailUri')?.value).toBe('https://…@hooks.example/send')
})

test('where nothing is known of the sources, other values than the default come from the program', () => {
  const config = { ...loadConfig(options, { flags: {}, env: {}, readFile: () => undefined }), port: 5 }
  const [, port, dbPort] = listSettings(optionGroups, config, undefined)
  expect(port?.origin?.kind).toBe('program')
  expect(dbPort?.origin).toBeNull()
})
