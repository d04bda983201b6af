import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { type ConsoleBrowser, openConsoleBrowser, openOperator, openOwner } from './console-world.ts'

// The console's settings: what is set where.

let holdfast: Holdfast
let folder: string
let owner: ConsoleBrowser
let developer: ConsoleBrowser
let viewer: ConsoleBrowser

const METRICS_TOKEN = 'a token that only Prometheus has'
const ADDRESS = 'olga@ops.example'

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-settings-'))
  const configFile = join(folder, 'config.json')
  writeFileSync(configFile, JSON.stringify({ metricsToken: METRICS_TOKEN, emailSmtpAdminEmail: ADDRESS }))
  holdfast = await openHoldfast({ args: [`--config-file=${configFile}`, '--rest-rows-max=500'] })
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
