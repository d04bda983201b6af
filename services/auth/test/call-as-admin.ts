import { expect } from 'vitest'
import { type AuthApp, PASSWORD } from './open-auth-world.ts'

/** An account, or the error, as tests read them field by field. */
export interface AdminBody {
  readonly id: string
  readonly email: string
  readonly code?: string
  readonly message?: string
  readonly [name: string]: unknown
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The administration API of an app, with the service key. */
export interface AdminApi {
  readonly key: string
  call(
    method: Method,
    url: string,
    payload?: object,
  ): Promise<{
    readonly status: number
    readonly headers: Readonly<Record<string, unknown>>
    readonly body: AdminBody
  }>
  /** Makes an account with a confirmed address. */
  createAccount(attributes?: object): Promise<AdminBody>
}

export async function openAdminApi(app: AuthApp): Promise<AdminApi> {
  const key = app.auth.apiKeys.serviceRole
  const call: AdminApi['call'] = async (method, url, payload) => {
    const answer = await app.call({ method, url, ...(payload ? { payload } : {}), token: key })
    return { ...answer, body: answer.body as unknown as AdminBody }
  }
  return {
    key,
    call,
    async createAccount(attributes = {}) {
      const payload = { email: newAddress(), password: PASSWORD, email_confirm: true, ...attributes }
      const { status, body } = await call('POST', '/admin/users', payload)
      expect(status).toBe(200)
      return body
    },
  }
}

export function newAddress(): string {
  return `${crypto.randomUUID()}@example.org`
}
