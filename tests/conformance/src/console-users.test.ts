import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { type ConsoleBrowser, openOperator, openOwner } from './console-world.ts'

// Users in the console: support links and pages.

let holdfast: Holdfast
let owner: ConsoleBrowser
let developer: ConsoleBrowser
let ada: string

beforeAll(async () => {
  holdfast = await openHoldfast()
  owner = await openOwner(holdfast)
  developer = await openOperator(holdfast, owner, 'developer')
  const { user } = await owner.ask<{ user: { id: string } }>('POST /users', {
    email: 'ada@example.org',
    email_confirm: true,
  })
  ada = user.id
})
afterAll(() => holdfast[Symbol.asyncDispose]())

interface Details {
  readonly sessions: readonly { readonly id: string; readonly tag: string | null; readonly not_after: string | null }[]
}

describe('a support link', () => {
  test('signs in as the user for an hour, is audited, and its session can be ended', async () => {
    const { link } = await developer.ask<{ link: string }>(`POST /users/${ada}/link`, { kind: 'support' })
    const opened = await fetch(link, { redirect: 'manual' })
    const fragment = new URLSearchParams(new URL(opened.headers.get('location') ?? '').hash.slice(1))
    expect(Number(fragment.get('expires_in'))).toBeLessThanOrEqual(3_600)
    expect((await fetch(link, { redirect: 'manual' })).headers.get('location')).toContain('otp_expired')

    const { sessions } = await developer.ask<Details>(`GET /users/${ada}`)
    expect(sessions).toMatchObject([{ tag: 'support' }])
    const leftMs = Date.parse(sessions[0]?.not_after ?? '') - Date.now()
    expect(leftMs).toBeGreaterThan(3_500_000)
    expect(leftMs).toBeLessThanOrEqual(3_600_000)
    const { entries } = await owner.ask<{ entries: unknown[] }>('GET /audit?action=create_sign_in_link')
    expect(entries[0]).toMatchObject({
      operator: 'developer@ops.example',
      target: `user ${ada} (ada@example.org)`,
      after: { kind: 'support', seconds: 3_600 },
    })

    await developer.ask(`DELETE /users/${ada}/sessions/${sessions[0]?.id}`)
    const refresh = await fetch(`${holdfast.url}/auth/v1/token?grant_type=refresh_token`, {
      method: 'POST',
      headers: { apikey: holdfast.anonKey, 'content-type': 'application/json' },
      body: JSON.stringify({ refresh_token: fragment.get('refresh_token') }),
    })
    expect(refresh.status).toBe(400)
  })

  test('needs the role developer, and a user with a confirmed address', async () => {
    const viewer = await openOperator(holdfast, owner, 'viewer')
    expect(await viewer.refusal(`POST /users/${ada}/link`, { kind: 'support' })).toBe('403 role_too_low')
    const { user } = await owner.ask<{ user: { id: string } }>('POST /users', { email: 'new@example.org' })
    expect(await developer.refusal(`POST /users/${user.id}/link`, { kind: 'support' })).toBe('400 validation_failed')
  })
})

test('a page after an impossible date is refused', async () => {
  for (const date of ['2026-99-99T00:00:00.000000Z', '2026-02-31T00:00:00.000000Z', '----------TTTTTTTTTT'])
    expect(await developer.refusal(`GET /users?after=${encodeURIComponent(`${date} ${ada}`)}`), date).toBe(
      '400 invalid_request',
    )
})
