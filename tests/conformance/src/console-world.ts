import { expect } from 'vitest'
import type { Holdfast } from '@holdfast/test-support'

export const PASSWORD = 'four words of an operator'

type Body = Readonly<Record<string, unknown>>

export interface ConsoleAnswer {
  readonly status: number
  readonly body: Body
}

/** A browser with the console open: sends what its pages send, and keeps the cookie. */
export interface ConsoleBrowser {
  call(target: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ConsoleAnswer>
  /** Calls and expects success. */
  ask<Result = Body>(target: string, body?: unknown): Promise<Result>
  /** Calls and returns `403 role_too_low`. */
  refusal(target: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<string>
  cookie(): string | undefined
  setCookie(cookie: string | undefined): void
}

/** @param target - `GET /overview`, below `/console/v1` */
export function openConsoleBrowser({ url }: Pick<Holdfast, 'url'>): ConsoleBrowser {
  let cookie: string | undefined
  const call: ConsoleBrowser['call'] = async (target, body, headers = {}) => {
    const [method = '', path = ''] = target.split(' ')
    const response = await fetch(`${url}/console/v1${path}`, {
      method,
      headers: {
        'sec-fetch-site': 'same-origin',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(cookie !== undefined && { cookie }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const set = response.headers.get('set-cookie')
    if (set !== null) cookie = set.includes('Max-Age=0') ? undefined : set.split(';')[0]
    return { status: response.status, body: (await response.json()) as Body }
  }
  return {
    call,
    async ask<Result>(target: string, body?: unknown) {
      const answer = await call(target, body)
      expect(answer, target).toMatchObject({ status: answer.status < 300 ? answer.status : 200 })
      return answer.body as Result
    },
    async refusal(target, body, headers) {
      const { status, body: refused } = await call(target, body, headers)
      return `${status} ${String(refused['code'])}`
    },
    cookie: () => cookie,
    setCookie: (given) => void (cookie = given),
  }
}

export function keyOf(link: string | undefined): string {
  return new URLSearchParams(new URL(link ?? '').hash.slice(1)).get('key') ?? ''
}

/** Creates the first operator with the printed link. */
export async function openOwner(holdfast: Holdfast): Promise<ConsoleBrowser> {
  const browser = openConsoleBrowser(holdfast)
  const first = { key: keyOf(holdfast.consoleUrl), name: 'Olga', email: 'olga@ops.example', password: PASSWORD }
  await browser.ask('POST /invitations/accept', first)
  return browser
}

/** Invites an operator, who accepts. */
export async function openOperator(
  holdfast: Holdfast,
  owner: ConsoleBrowser,
  role: 'viewer' | 'developer' | 'owner',
  email = `${role}@ops.example`,
): Promise<ConsoleBrowser> {
  const { key } = await owner.ask<{ key: string }>('POST /operators', { email, role })
  const browser = openConsoleBrowser(holdfast)
  await browser.ask('POST /invitations/accept', { key, name: role, password: PASSWORD })
  return browser
}
